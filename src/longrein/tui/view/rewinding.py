"""What can be gone back to, and what going back would do."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec.structs import replace

from longrein.client.figures import ago
from longrein.client.words import seen_from
from longrein.core.display import Display
from longrein.core.messages import User
from longrein.core.rewinds import MOST_MARKS
from longrein.core.words import counted
from longrein.tui.view.rows import Row, heading
from longrein.tui.view.tones import Line, line

if TYPE_CHECKING:
    from longrein.client.port import Restored
    from longrein.core.restored import RestoreReport, Untouched
    from longrein.core.rewinds import RewindPoint, RewindPreview

What: TypeAlias = Literal["both", "conversation", "files"]

FORK = "fork"
"""The key of what goes back in another thread."""

GO_ON = "(go on)"
ELSEWHERE = "Another process works on the files: only the conversation can go back."
ELSEWHERE_DOES_IT = "The process that works on this thread does it when it next can."
MOST_FILES = 6
"""Files of each kind that the preview beside the list names."""


def point_rows(points: Sequence["RewindPoint"], now: int) -> list[Row]:
    """The inputs of the thread, the newest first."""
    cut = len(points) >= MOST_MARKS
    return [
        *([heading(f"The last {MOST_MARKS:,}: older ones cannot be gone back to")] if cut else ()),
        *(
            Row(
                point.input,
                point.text or GO_ON,
                cells=("files changed" if point.files_changed else "", ago(point.time, now)),
            )
            for point in points
        ),
    ]


def preview_lines(preview: "RewindPreview", place: str) -> list[Line]:
    """What going back to before a point would do, in few lines; paths as seen from `place`."""
    lines = [line(_would_go(preview))]
    if preview.files is None:
        return [*lines, line(ELSEWHERE, "warn")]
    lines.append(line(f"Files: {preview.files}", "" if preview.files else "dim"))
    return [*lines, *_named(preview.files, place)]


def _would_go(preview: "RewindPreview") -> str:
    return f"{counted(preview.messages, 'message')} would go"


def _named(report: "RestoreReport", place: str) -> Iterator[Line]:
    kinds = (
        ("put back", report.restored),
        ("removed", report.removed),
        ("kept", [one.path for one in report.foreign]),
        ("lost", [one.path for one in report.unrestorable]),
    )
    for word, paths in kinds:
        for path in paths[:MOST_FILES]:
            yield (f"  {word:<9}", "dim"), (seen_from(place, path), "")
        if len(paths) > MOST_FILES:
            yield line(f"  {'':<9}… {len(paths) - MOST_FILES} more", "dim")


def choices(preview: "RewindPreview") -> list[Row]:
    """What can be done, each with its letter."""
    count = counted(preview.messages, "message")
    files = preview.files
    able = files is not None and bool(files or preview.point.files_changed)
    fork = Row(FORK, "In a thread of its own", "this thread stays as it is, and files", ("t",))
    if not able:
        back = Row("conversation", "Go back in the conversation", f"{count} would go", ("c",))
        return [back, fork]
    return [
        Row("both", "Go back in both", f"{count}, and files: {files}", ("b",)),
        Row("conversation", "Only in the conversation", f"{count}; files stay", ("c",)),
        Row("files", "Only files", f"{files}", ("f",)),
        fork,
    ]


def file_rows(preview: "RewindPreview", overwrite: Mapping[str, str], place: str) -> list[Row]:
    """Every file, by what would become of it. Those of others can be chosen, to go back after all:
    `overwrite` has what would become of each then."""
    if preview.files is None:
        return [heading(ELSEWHERE)]
    report = preview.files
    rows: list[Row] = []
    for title, paths in (("Put back", report.restored), ("Removed", report.removed)):
        if paths:
            rows += [heading(title), *(Row(f"-{path}", seen_from(place, path)) for path in paths)]
    if report.foreign:
        rows.append(heading("Changed by others, and kept", "Space: do not keep it"))
        rows += [_kept(one, place, overwrite.get(one.path, "")) for one in report.foreign]
    if report.unrestorable:
        rows.append(heading("Could not be put back"))
        rows += [
            Row(f"-{one.path}", seen_from(place, one.path), one.reason)
            for one in report.unrestorable
        ]
    if report.left_out:
        rows.append(heading(f"… {counted(report.left_out, 'file')} more"))
    return rows


def _kept(file: "Untouched", place: str, fate: str) -> Row:
    title = f"{'●' if fate else '○'} {seen_from(place, file.path)}"
    return Row(file.path, title, fate or file.reason, tone="warn" if fate else "")


def fate_of(path: str, preview: "RewindPreview") -> str:
    """What would become of a file that others changed, and that is not to be kept."""
    gone = preview.files is not None and path in preview.files.removed
    return "will be removed" if gone else "will be overwritten"


def overwriting(preview: "RewindPreview", paths: Collection[str]) -> "RewindPreview":
    """The preview with these files of others put back, as it is until it is made again."""
    if (files := preview.files) is None:
        return preview
    kept = tuple(one for one in files.foreign if one.path not in paths)
    return replace(preview, files=replace(files, restored=(*files.restored, *paths), foreign=kept))


def said_at(shown: Display, point: str) -> str:
    """What the person said there, to say it again or otherwise."""
    found = (one for one in reversed(shown.messages) if isinstance(one, User))
    return next((one.text for one in found if one.input == point), "")


def rewound_words(what: What, restored: "Restored") -> str:
    """What was done."""
    if not restored.done:
        return f"Asked for the rewind. {ELSEWHERE_DOES_IT}"
    done = {
        "both": f"Rewound: {restored.files}.",
        "conversation": "Rewound the conversation; files are as they were.",
        "files": f"Rewound files: {restored.files}.",
    }
    return f"{done[what]} /undo takes it back."


def undone_words(restored: "Restored") -> str:
    """What came of taking a rewind back."""
    if not restored.done:
        return f"Asked to take the rewind back. {ELSEWHERE_DOES_IT}"
    return f"The rewind is taken back: {restored.files}."
