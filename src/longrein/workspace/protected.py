"""What runs, or rules, outside of the workspace later: one table, for file tools and for sandboxes.

File tools ask before they write any of it. Commands cannot be asked about in the middle, and must
be able to commit: for them of a repository only that is read-only which says what is run.
"""

from longrein.permissions.patterns import literal

REPOSITORY = ".git"

PROTECTED = (f"**/{REPOSITORY}", "**/.longrein", "**/.agents")
"""Patterns of file rules, relative to a folder: these and all that is in them, however deep they
are. `.git` may be a file or a link as well, which says where the repository is."""

IN_REPOSITORY = ("hooks", "config", "config.worktree", "commondir", "gitdir")
"""What in the folder of a repository is run, or says what is and where that is found; the same in
those of its work trees and of its submodules."""


def protected_in(folder: str) -> tuple[str, ...]:
    """The patterns for a file rule about one folder, given by its canonical path.

    >>> protected_in("/project [1]")[0]
    '/project [[]1]/**/.git'
    """
    return tuple(f"{literal(folder.rstrip('/'))}/{pattern}" for pattern in PROTECTED)
