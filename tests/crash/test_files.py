"""The judge compares what lies in the folder of a workspace with what may lie there."""

from collections.abc import Mapping
from typing import Any

import pytest

from longrein.core import events as e
from longrein.core.restored import RestoreReport, Untouched
from longrein.testing.crash.case import NEVER, Case, Life
from longrein.testing.crash.files import left_behind, misplaced, reported
from longrein.testing.crash.folders import brief
from longrein.testing.crash.plans import Plan
from longrein.testing.crash.process import Process
from longrein.testing.crash.wire import Folder
from longrein.testing.crash.working import START, WORKING

Files = Mapping[str, str]

BEFORE = {path: brief(text.encode()) for path, text in START.items()}
WORKED = {
    **{path: text for path, text in BEFORE.items() if path not in ("draft.txt", "spare.txt")},
    "notes.txt": "better notes\n",
    "new/page.txt": "a page\n",
    "ran.txt": "ran\nmore\n",
}
WELL = {"c6": WORKED, "c7": BEFORE, "c8": WORKED, "c9": BEFORE, "c10": WORKED}
DELETED = e.ToolStarted("call_1", "delete", '{"path": "spare.txt"}', epoch=1)
UNKNOWN = e.ToolEnded("call_1", "unknown", (), epoch=2)


def case_of(*lives: Mapping[str, Files]) -> Case:
    """A case whose processes saw this after these acts."""
    case = Case(Plan(0, WORKING, ()))
    for looks in lives:
        life = Life("alone", NEVER, Process(0, 0))
        life.said = [Folder(after, dict(files)) for after, files in looks.items()]
        case.lives.append(life)
    return case


def found(*lives: Mapping[str, Files], events: tuple[e.Event, ...] = ()) -> list[str]:
    return list(misplaced(case_of(*lives), events))


def rewound(case: Case, act: str, path: str) -> e.Rewound:
    """A rewind that kept a file."""
    left = Untouched(f"{case.project}/{path}", "a call that was cut off")
    return e.Rewound("c1", 4, report=RestoreReport(foreign=(left,)), cause=act)


def test_files_that_are_back_and_there_again_are_well() -> None:
    assert found({"": BEFORE, **WELL}) == []


@pytest.mark.parametrize(
    "files",
    [
        {**BEFORE, "essay.txt": ""},
        {**BEFORE, "ran.txt": "ran\nran\n"},
        {**BEFORE, "strange.txt": "whose is this?"},
        {path: text for path, text in BEFORE.items() if path != "deep/kept.txt"},
    ],
    ids=["torn", "run twice", "from nowhere", "gone"],
)
def test_what_may_never_be_there_is_found_whenever_it_is_seen(files: Files) -> None:
    assert len(found({"": files})) == 1


def test_a_file_that_a_rewind_does_not_bring_back_is_found() -> None:
    kept = {**BEFORE, "notes.txt": "better notes\n"}
    assert [text.split()[:3] for text in found({**WELL, "c7": kept})] == [
        ["after", "c7", "notes.txt"]
    ]


def test_a_file_that_undoing_does_not_bring_back_is_found() -> None:
    some = {path: text for path, text in WORKED.items() if path != "ran.txt"}
    assert [text.split()[:3] for text in found({**WELL, "c10": some})] == [
        ["after", "c10", "ran.txt"]
    ]


def test_a_file_may_be_kept_and_named_where_its_call_was_cut_off() -> None:
    looks: dict[str, Any] = {**WELL, "c7": {**BEFORE}}
    del looks["c7"]["spare.txt"]
    case = case_of(looks)
    kept = rewound(case, "c7", "spare.txt")
    assert not list(misplaced(case, (DELETED, UNKNOWN, kept)))
    assert reported((kept,)) == 1
    assert list(misplaced(case, (DELETED, kept)))


def test_nothing_is_kept_that_the_rewind_was_told_to_overwrite() -> None:
    case = case_of(WELL)
    assert list(misplaced(case, (DELETED, UNKNOWN, rewound(case, "c9", "spare.txt"))))


def test_what_a_later_process_sees_of_a_rewind_that_it_repeats_says_nothing() -> None:
    half = {**WORKED, "draft.txt": BEFORE["draft.txt"]}
    again = {**WELL, "c6": half, "c7": half}
    assert found({"c6": WORKED, "c7": BEFORE}, again) == []
    assert found({"c6": WORKED}, again)


def test_files_without_a_name_and_processes_that_run_on_are_left_behind() -> None:
    temporary = "new/.longrein-0123456789abcdef.tmp"
    case = case_of({"c12": {**WORKED, temporary: ""}}, {"c12": WORKED})
    assert not list(left_behind(case))
    case.lives.pop()
    case.orphans = ["sleep 1000"]
    assert len(list(left_behind(case))) == 2
