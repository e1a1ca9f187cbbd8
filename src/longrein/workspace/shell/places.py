"""`resolved`: from a path on a shell line to the absolute one, by its text alone."""

import posixpath


def resolved(path: str, folder: str) -> str | None:
    """The absolute path without `.` and `//`; None where `..` stands behind a name.

    Behind a name that is a link, `..` leads somewhere else than the text says.

    >>> resolved("./a//b", "/project"), resolved("../a", "/project"), resolved("a/../b", "/project")
    ('/project/a/b', '/a', None)
    """
    parts = [part for part in path.split("/") if part not in ("", ".")]
    leading = next((n for n, part in enumerate(parts) if part != ".."), len(parts))
    if ".." in parts[leading:] or "\0" in path:
        return None
    start = "/" if path.startswith("/") else folder
    return "/" + posixpath.normpath(posixpath.join(start, *parts)).lstrip("/")
