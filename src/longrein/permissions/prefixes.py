"""`widened`: from a command to the pattern for its kind of work, where its first words name one."""

import re
from itertools import zip_longest
from shlex import quote, split

from longrein.permissions.patterns import literal

KINDS_OF_WORK = (
    "cargo bench",
    "cargo build",
    "cargo check",
    "cargo clippy",
    "cargo doc",
    "cargo fmt",
    "cargo test",
    "eslint",
    "git add",
    "git blame",
    "git commit",
    "git diff",
    "git log",
    "git show",
    "git status",
    "go build",
    "go fmt",
    "go test",
    "go vet",
    "mypy",
    "node SCRIPT",
    "npm run NAME",
    "npm test",
    "pnpm run NAME",
    "pnpm test",
    "pyright",
    "pytest",
    "python -m mypy",
    "python -m pytest",
    "python -m unittest",
    "python SCRIPT",
    "python3 -m mypy",
    "python3 -m pytest",
    "python3 -m unittest",
    "python3 SCRIPT",
    "ruff check",
    "ruff format",
    "tsc",
    "uv run mypy",
    "uv run pytest",
    "yarn run NAME",
    "yarn test",
)
"""Words that say what a command is for, whatever stands behind them.

`NAME` is a word that is no option, `SCRIPT` the file of a program. Not here: what takes text to run
(`python3 -c`, `sh`, `env`, `xargs`, `find`, `make` with its `--eval`), what removes, publishes or
fetches (`rm`, `git push`, `npm install`), and what does another thing with another word (`make`).
"""


def widened(command: str) -> str:
    """The pattern for a command and all of its kind; one that fits it alone where none is known.

    >>> widened("python3 -m pytest -x tests"), widened("npm run build")
    ('python3 -m pytest *', 'npm run build *')
    >>> widened("python3 -c 'print(1)'"), widened("rm *.txt")
    ("python3 -c 'print(1)'", 'rm [*].txt')
    """
    try:
        words = split(command)
    except ValueError:  # a tool of somebody else's, which does not quote
        words = []
    quoted = [quote(word) for word in words]
    for kind in KINDS_OF_WORK if " ".join(quoted) == command else ():
        named = kind.split()
        if all(_is(*pair) for pair in zip_longest(named, words[: len(named)], fillvalue="")):
            return literal(" ".join(quoted[: len(named)])) + " *"
    return literal(command)


_PLACES = {
    "NAME": re.compile(r"[A-Za-z0-9_][A-Za-z0-9_:.-]*"),
    "SCRIPT": re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./-]*\.(?:py|js|mjs|cjs|ts)"),
}


def _is(named: str, word: str) -> bool:
    place = _PLACES.get(named)
    return bool(place.fullmatch(word)) if place else named == word
