"""Which of very many paths a person means who has typed a part of one."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import nsmallest

from msgspec import Struct

from longrein.client.words import in_order

MOST_RANKED = 5_000
"""Paths that are looked at as a whole: more of them fit only what says next to nothing."""


class ListedFiles(Struct, frozen=True):
    """The files and folders of a tree, shallow ones first, and the same in lower case.

    Folders end in a slash. `hidden` are those with a name that begins with a dot, wherever it is.
    """

    paths: tuple[str, ...] = ()
    lower: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()


def listed(files: Iterable[str]) -> ListedFiles:
    """What can be found, of files by their absolute paths in the tree.

    Names that a terminal cannot show are left out: nobody types them.
    """
    paths = {path[1:]: None for path in files if path.isprintable()}
    for path in list(paths):
        while (cut := path.rfind("/", 0, -1)) > 0:
            path = path[: cut + 1]
            if path in paths:
                break
            paths[path] = None
    # Not sorted: to sort very many is one step for the interpreter, and nobody else gets a turn.
    by_depth: defaultdict[int, list[str]] = defaultdict(list)
    for path in paths:
        by_depth[path.count("/", 0, -1)].append(path)
    ordered = tuple(path for depth in sorted(by_depth) for path in by_depth[depth])
    hidden = frozenset(path for path in ordered if path.startswith(".") or "/." in path)
    return ListedFiles(ordered, tuple(path.lower() for path in ordered), hidden)


def ranked(known: ListedFiles, part: str, limit: int) -> Sequence[str]:
    """The paths that fit, the best first.

    A name that begins so comes first (or a path, where a slash was typed), then a path with this in
    it, then one with these letters in this order; of equals the shorter. Case does not count. What
    is hidden is left out unless a dot was typed for it.

    >>> ranked(listed(["/src/app.py", "/src/map.py", "/README.md"]), "ap", 9)
    ('src/app.py', 'src/map.py')
    """
    typed = part.lower()
    left_out = frozenset[str]() if typed.startswith(".") or "/." in typed else known.hidden
    found: list[int] = []
    for fits in (_holding(known, typed), _in_order(known, typed)):
        seen = set(found)
        found += [n for n in fits if n not in seen and known.paths[n] not in left_out]
        if len(found) >= limit:
            break
    best = nsmallest(limit, found[:MOST_RANKED], key=lambda n: _rank(known.lower[n], typed))
    return tuple(known.paths[n] for n in best)


def _holding(known: ListedFiles, typed: str) -> list[int]:
    return [n for n, path in enumerate(known.lower) if typed in path]


def _in_order(known: ListedFiles, typed: str) -> list[int]:
    return [n for n, path in enumerate(known.lower) if in_order(typed, path)]


def _rank(path: str, typed: str) -> tuple[int, int, str]:
    begun = 0 if "/" in typed else path.rfind("/", 0, -1) + 1
    kind = 0 if path.startswith(typed, begun) else 1 if typed in path else 2
    return kind, len(path), path
