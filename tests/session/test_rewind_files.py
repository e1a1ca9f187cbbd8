"""Going back with files: put back first, reported, told to the model where it has to know."""

import asyncio
from collections.abc import Collection
from pathlib import Path

import pytest

from longrein.capabilities.contexts import HookContext
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.messages import Note
from longrein.core.restored import REWIND, RestoreReport, Untouched
from longrein.session.session import Session
from tests.session.kit import of, said, until, with_session
from tests.session.rewinds import Drawer, Model, harness, tell
from tests.session.tools import deploy
from tests.support import run


def test_files_and_conversation_go_back_and_come_again(tmp_path: Path) -> None:
    model = Model()

    async def body(session: Session) -> None:
        await tell(session, "put a.txt old")
        earlier = said(session)
        new, _ = await tell(session, "put a.txt new", "put b.txt there")
        answer = await session.rewind(new)
        assert (answer.status, answer.message) == ("applied", "1 file put back, 1 removed")
        assert _files(tmp_path) == {"a.txt": "old"}
        assert said(session) == earlier
        assert session.display.changed_files == {"a.txt": "old", "b.txt": None}
        (rewound,) = await of(session, e.Rewound)
        assert rewound.report == RestoreReport(("a.txt",), ("b.txt",))
        await session.undo()
        assert _files(tmp_path) == {"a.txt": "new", "b.txt": "there"}
        await session.undo()
        assert _files(tmp_path) == {"a.txt": "old"}
        await tell(session, "go on")
        assert model.heard[-1][: len(earlier)] == earlier
        assert REWIND not in _sources(session)

    with_session(harness(tmp_path, model=model), body)


def test_what_others_changed_is_kept_and_reported_unless_it_is_to_be_overwritten(
    tmp_path: Path,
) -> None:
    async def body(session: Session) -> None:
        (one,) = await tell(session, "put a.txt mine")
        (tmp_path / "a.txt").write_text("theirs")
        await session.rewind(one)
        assert _files(tmp_path) == {"a.txt": "theirs"}
        (rewound,) = await of(session, e.Rewound)
        assert rewound.report.foreign == (Untouched("a.txt", "somebody else changed it"),)
        assert "a.txt (somebody else changed it)" in _notes(session)[0]
        await session.undo()
        await session.rewind(one, overwrite=["a.txt"])
        assert _files(tmp_path) == {}

    with_session(harness(tmp_path), body)


def test_the_model_is_told_when_only_files_went_back(tmp_path: Path) -> None:
    model = Model()

    async def body(session: Session) -> None:
        (one,) = await tell(session, "put a.txt text")
        earlier = said(session)
        await session.rewind(one, conversation=False)
        assert _files(tmp_path) == {}
        assert said(session)[:-1] == earlier
        (note,) = _notes(session)
        assert "Removed: a.txt" in note
        await tell(session, "go on")
        assert model.last[-2:] == [note, "go on"]

    with_session(harness(tmp_path, model=model), body)


def test_what_the_model_was_told_goes_when_it_is_undone(tmp_path: Path) -> None:
    async def body(session: Session) -> None:
        (one,) = await tell(session, "put a.txt text")
        earlier = said(session)
        await session.rewind(one, conversation=False)
        await session.undo()
        assert said(session) == earlier
        assert _files(tmp_path) == {"a.txt": "text"}

    with_session(harness(tmp_path), body)


def test_the_model_is_told_when_files_changed_and_only_the_conversation_went_back(
    tmp_path: Path,
) -> None:
    async def body(session: Session) -> None:
        first, second = await tell(session, "put a.txt text", "nothing")
        await session.rewind(second, files=False)
        assert _notes(session) == []
        await session.rewind(first, files=False)
        assert len(_notes(session)) == 1
        assert _files(tmp_path) == {"a.txt": "text"}

    with_session(harness(tmp_path), body)


def test_points_tell_whether_files_changed_since(tmp_path: Path) -> None:
    async def body(session: Session) -> None:
        await tell(session, "put a.txt text", "nothing")
        assert [point.files_changed for point in session.points()] == [False, True]
        preview = await session.preview_rewind(session.points()[1])
        assert preview.files == RestoreReport(removed=("a.txt",))
        assert _files(tmp_path) == {"a.txt": "text"}

    with_session(harness(tmp_path), body)


def test_nothing_is_written_where_putting_back_fails_and_asking_again_works(tmp_path: Path) -> None:
    failing = [True]

    async def meanwhile() -> None:
        if failing.pop() if failing else False:
            raise OSError("the disk is full")

    async def body(session: Session) -> None:
        (one,) = await tell(session, "put a.txt text")
        before = session.folded
        with pytest.raises(UsageError, match="the disk is full"):
            await session.rewind(one, command="back")
        assert session.folded is before
        assert (await session.rewind(one, command="back")).status == "applied"
        assert _files(tmp_path) == {}

    with_session(harness(tmp_path, meanwhile=meanwhile), body)


def test_no_run_begins_while_files_are_put_back(tmp_path: Path) -> None:
    model, entered, leave = Model(), asyncio.Event(), asyncio.Event()

    async def meanwhile() -> None:
        entered.set()
        await leave.wait()

    async def body(session: Session) -> None:
        (one,) = await tell(session, "put a.txt text")
        going_back = asyncio.create_task(session.rewind(one))
        await entered.wait()
        sending = asyncio.create_task(session.send("go on"))
        await asyncio.sleep(0.01)
        assert not sending.done()
        assert len(model.heard) == 2
        leave.set()
        assert (await going_back).status == "applied"
        await (await sending)
        assert model.last == ["go on"]

    with_session(harness(tmp_path, model=model, meanwhile=meanwhile), body)


def test_a_command_that_was_carried_out_puts_nothing_back_again(tmp_path: Path) -> None:
    async def body(session: Session) -> None:
        (one,) = await tell(session, "put a.txt text")
        await session.rewind(one, command="back")
        await tell(session, "put a.txt again")
        assert (await session.rewind(one, command="back")).status == "already"
        assert _files(tmp_path) == {"a.txt": "again"}

    with_session(harness(tmp_path), body)


def test_files_are_undone_by_the_process_that_opens_the_thread_next(tmp_path: Path) -> None:
    store, files = f"sqlite:{tmp_path / 'a.db'}", tmp_path / "files"
    files.mkdir()

    async def go_back() -> None:
        async with harness(files, store=store) as made:
            session = await made.session("ada")
            one, _ = await tell(session, "put a.txt text", "put a.txt more")
            await session.rewind(one)
            await session.conductor.journal.snapshot()

    async def undo() -> None:
        async with harness(files, store=store) as made:
            session = await made.session("ada")
            await session.undo()
            assert _files(files) == {"a.txt": "more"}
            await session.rewind(session.points()[0])
            assert _files(files) == {"a.txt": "text"}

    run(go_back())
    assert _files(files) == {}
    run(undo())


def test_files_are_undone_where_the_rewind_ended_a_run_that_waited(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    class Watching(Drawer):
        async def restore(
            self, ctx: HookContext, since: int, overwrite: Collection[str], *, dry: bool
        ) -> RestoreReport:
            seen.append((since, ctx.seq))
            return await super().restore(ctx, since, overwrite, dry=dry)

    async def body(session: Session) -> None:
        one, _ = await tell(session, "put a.txt text", "deploy x")
        assert session.display.activity == "waiting"
        await session.rewind(one)
        await session.undo()
        assert _files(tmp_path) == {"a.txt": "text"}
        (rewound, _) = await of(session, e.Rewound)
        assert rewound.seq > rewound.since == seen[0][1] + 1
        assert seen[1][0] == rewound.since

    with_session(harness(tmp_path, deploy, drawer=Watching), body)


def test_a_stale_rewind_puts_nothing_back(tmp_path: Path) -> None:
    async def body(session: Session) -> None:
        await tell(session, "put a.txt text")
        assert (await session.rewind("cmd_none")).status == "missing"
        assert _files(tmp_path) == {"a.txt": "text"}
        await until(lambda: session.display.activity == "idle")

    with_session(harness(tmp_path), body)


def _files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def _notes(session: Session) -> list[str]:
    notes = (one for one in said(session) if isinstance(one, Note))
    return [one.text for one in notes if one.source == REWIND]


def _sources(session: Session) -> list[str]:
    return [one.source for one in said(session) if isinstance(one, Note)]
