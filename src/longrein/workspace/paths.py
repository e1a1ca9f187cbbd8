"""Virtual paths: absolute, with `/` between names, the same on every file system.

`canonical` gives the one way to write a path, or says why it cannot be. Names are kept as they are
given: case and Unicode form count. What looks the same to a careless disk or reader is the business
of `form` (no second file of such a name is made) and `fold` (rules that restrict see through it).
"""

import re
import unicodedata

from longrein.workspace.problems import BadPath

LONGEST_NAME = 255
"""Bytes of one name, in UTF-8: what common disks allow."""

LONGEST_PATH = 2_048
"""Bytes of a whole path, in UTF-8."""

# Controls, line separators, marks that turn the direction of text round, and what nobody can see.
_UNSEEN = (
    "\0-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff"
)
_NOT_IN_NAMES = re.compile(rf"[{_UNSEEN}\ud800-\udfff/\\]")
_IGNORED_BY_DISKS = re.compile(rf"[{_UNSEEN}\u034f\u200c\u200d\ufe00-\ufe0f]")
_ENDS = re.compile(r"[. ](?:/|\Z)|[\0-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:(?:/|\Z)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def canonical(path: str, at: str = "/") -> str:
    """The one way to write a path; a relative one starts at the folder `at`.

    Raises `BadPath` for what can be no path here, also for one that leaves the root.

    >>> canonical("/src//./lib/../main.py"), canonical("notes.md", at="/docs"), canonical("/")
    ('/src/main.py', '/docs/notes.md', '/')
    >>> canonical("../etc/passwd")
    Traceback (most recent call last):
    longrein.workspace.problems.BadPath: ...
    """
    if says := _no_path(path, at):
        raise BadPath(path, says)
    given = path.split("/") if path.startswith("/") else [*at.split("/"), *path.split("/")]
    names: list[str] = []
    for name in given:
        if says := _no_name(name):
            raise BadPath(path, says)
        if name == ".." and not names:
            raise BadPath(path, f"This leaves the workspace. {_such_as(at)}")
        if name == "..":
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    whole = "/" + "/".join(names)
    if len(whole.encode()) > LONGEST_PATH:
        raise BadPath(path, f"Paths have at most {LONGEST_PATH} bytes. Choose a shorter one.")
    return whole


def is_name(name: str) -> bool:
    """Whether a file can be called so; what a disk holds under other names is not shown.

    >>> is_name("notes.md"), is_name("a\\nb"), is_name("..")
    (True, False, False)
    """
    return name not in ("", ".", "..") and not _no_name(name)


def parent(path: str) -> str:
    """The folder that a canonical path is in; the root is in itself."""
    return path.rpartition("/")[0] or "/"


def folders_above(path: str) -> list[str]:
    """The folders that a path is in, the root first.

    >>> folders_above("/a/b/c"), folders_above("/")
    (['/', '/a', '/a/b'], [])
    """
    found: list[str] = []
    while path != "/":
        path = parent(path)
        found.append(path)
    return found[::-1]


def join(folder: str, name: str) -> str:
    """The canonical path of a name in a folder."""
    return f"/{name}" if folder == "/" else f"{folder}/{name}"


def is_below(path: str, folder: str) -> bool:
    """Whether a canonical path is the folder itself or inside it.

    >>> is_below("/a/b", "/a"), is_below("/ab", "/a"), is_below("/a", "/")
    (True, False, True)
    """
    return folder == "/" or path == folder or path.startswith(f"{folder}/")


def in_order(path: str) -> str:
    """A key that sorts paths as a walk meets them: by name, folder by folder."""
    return path.replace("/", "\0")


def form(name: str, *, ignores_case: bool = False) -> str:
    """What two names have in common that a reader, or a disk, takes for the same.

    >>> form("e\\u0301") == form("\\u00e9"), form("A") == form("a")
    (True, False)
    """
    composed = unicodedata.normalize("NFC", name)
    return unicodedata.normalize("NFC", composed.casefold()) if ignores_case else composed


def fold(path: str) -> str:
    """The path as the most careless disk sees it: rules that restrict go by this as well.

    No case, no differences of Unicode form or width, no invisible characters, no dots or spaces at
    the end of names.

    >>> fold("/Secret. /\\u212aEY") == fold("/secret/key")
    True
    """
    if path.isascii() and not _ENDS.search(path):
        return path.lower()
    seen = _IGNORED_BY_DISKS.sub("", path)
    for _ in range(2):  # what casefolding takes apart can be put together again
        seen = unicodedata.normalize("NFKC", seen).casefold()
    return "/".join(name.rstrip(". ") for name in seen.split("/"))


def _no_path(path: str, at: str) -> str:
    """Why this can be no path, whatever its names are; "" if it can."""
    if not path:
        return _such_as(at)
    if len(path) > 4 * LONGEST_PATH:
        return f"Paths have at most {LONGEST_PATH} bytes. Choose a shorter one."
    if _SCHEME.match(path):
        return f"This is a URL. {_such_as(at)}"
    if "\\" in path or _DRIVE.match(path):
        return f"Paths are written with '/' and without a drive. {_such_as(at)}"
    if "~" in path.split("/"):
        return f"There is no home folder here. {_such_as(at)}"
    return ""


def _such_as(at: str) -> str:
    return f"Give a path in the workspace, such as {join(at, 'notes.md')!r}."


def _no_name(name: str) -> str:
    """Why a file cannot be called so; "" if it can."""
    if found := _NOT_IN_NAMES.search(name):
        return (
            f"Names cannot have the character U+{ord(found[0]):04X}. Leave out controls, "
            "backslashes and what cannot be seen."
        )
    if len(name.encode()) > LONGEST_NAME:
        return f"Names have at most {LONGEST_NAME} bytes. Choose a shorter one."
    return "There is no home folder here." if name == "~" else ""
