"""What became of files when a thread was rewound."""

from collections.abc import Iterable

from msgspec import Struct

from longrein.core.words import counted

REWIND = "rewind"
"""The source of the note that tells the model what became of files."""

MOST_PATHS = 200
"""How many paths of each kind a report lists; the others it only counts."""


class Untouched(Struct, frozen=True):
    """A file that was left as it is, and why."""

    path: str
    reason: str


class RestoreReport(Struct, frozen=True, omit_defaults=True):
    """What putting files back came to, or would come to.

    `restored` have their earlier content again, `removed` had not been there. `foreign` were
    changed by somebody else since and are kept as they are, unless their paths are given as
    `overwrite`. `unrestorable` were changed here, but their earlier content was not kept.
    `left_out` counts the paths that are not listed because there are so many.

    >>> from longrein import RestoreReport
    >>> report = RestoreReport(restored=("/project/a.txt",), removed=("/project/b.txt",))
    >>> str(report)
    '1 file put back, 1 removed'
    """

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    foreign: tuple[Untouched, ...] = ()
    unrestorable: tuple[Untouched, ...] = ()
    left_out: int = 0

    def __bool__(self) -> bool:
        """Whether there is anything to report."""
        return self != RestoreReport()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that is listed."""
        left = (one.path for one in (*self.foreign, *self.unrestorable))
        return (*self.restored, *self.removed, *left)

    def __str__(self) -> str:
        amounts = (
            (len(self.restored), f"{counted(len(self.restored), 'file')} put back"),
            (len(self.removed), f"{len(self.removed)} removed"),
            (len(self.foreign), f"{len(self.foreign)} changed by others and kept"),
            (len(self.unrestorable), f"{len(self.unrestorable)} could not be put back"),
            (self.left_out, f"{self.left_out} more"),
        )
        return ", ".join(text for count, text in amounts if count) or "no file has changed"


def in_all(reports: Iterable[RestoreReport]) -> RestoreReport:
    """One report of what several say, as long as a report may be."""
    every = tuple(reports)
    restored = tuple(path for one in every for path in one.restored)
    removed = tuple(path for one in every for path in one.removed)
    foreign = tuple(left for one in every for left in one.foreign)
    unrestorable = tuple(left for one in every for left in one.unrestorable)
    kinds = (restored, removed, foreign, unrestorable)
    over = sum(max(len(kind) - MOST_PATHS, 0) for kind in kinds)
    return RestoreReport(
        restored[:MOST_PATHS],
        removed[:MOST_PATHS],
        foreign[:MOST_PATHS],
        unrestorable[:MOST_PATHS],
        sum(one.left_out for one in every) + over,
    )
