"""Threads that were rewound: forked, exported, imported, searched, erased."""

from pathlib import Path

from longrein.core import events as e
from longrein.core.codec import STATE_VERSION, encode_state
from longrein.core.erase import ERASED
from longrein.harness import Harness
from longrein.session.session import Session
from tests.loop.always import well_formed
from tests.session.kit import log, of, said
from tests.session.rewinds import harness, tell
from tests.support import run

SECRET = "MARKinput"


async def rewound(made: Harness) -> Session:
    """A session that was told a secret, went back before it, and was told something else."""
    session = await made.session("ada")
    _, two = await tell(session, "todo bake", f"two {SECRET}")
    await session.rewind(two)
    await session.undo()
    await session.rewind(two)
    return session


def test_a_fork_at_any_event_goes_on(tmp_path: Path) -> None:
    async def body() -> None:
        async with harness(store=f"sqlite:{tmp_path / 'a.db'}") as made:
            session = await rewound(made)
            await tell(session, "three")
            for at in range(1, session.folded.seq + 1):
                fork = await made.fork("ada", session.thread, at=at)
                await tell(fork, "and here")
                well_formed(fork.folded.messages)
                texts = [point.text for point in fork.points()]
                assert texts[0] == "and here"
                await fork.rewind(fork.points()[0])
                await fork.close()

    run(body())


def test_a_fork_made_after_a_rewind_can_undo_it() -> None:
    async def body() -> None:
        async with harness() as made:
            session = await rewound(made)
            fork = await made.clone("ada", session.thread)
            assert (await fork.undo()).status == "applied"
            assert len(said(fork)) > len(said(session))

    run(body())


def test_an_import_is_the_same_thread_with_the_same_points() -> None:
    async def body() -> None:
        async with harness() as made:
            session = await rewound(made)
            data = b"".join([piece async for piece in made.export("ada", session.thread)])
            points, messages = session.points(), said(session)
            async with harness() as other:
                row = await other.import_thread("ada", data)
                again = await other.session("ada", thread=row.id)
                assert again.points() == points
                assert said(again) == messages
                await again.undo()
                assert [point.text for point in again.points()] == [f"two {SECRET}", "todo bake"]

    run(body())


def test_a_transcript_has_what_was_rewound_and_says_so() -> None:
    async def body() -> None:
        async with harness() as made:
            session = await rewound(made)
            pieces = [
                piece async for piece in made.export("ada", session.thread, format="markdown")
            ]
            text = b"".join(pieces).decode()
            assert text.count(f"> two {SECRET}") == 1
            assert text.count("*The conversation was rewound to before") == 2

    run(body())


def test_what_was_rewound_is_still_found(tmp_path: Path) -> None:
    async def body() -> None:
        async with harness(store=f"sqlite:{tmp_path / 'a.db'}") as made:
            session = await rewound(made)
            (hit,) = await made.search("ada", SECRET)
            assert hit.row.id == session.thread

    run(body())


def test_what_was_erased_does_not_come_back_with_an_undo(tmp_path: Path) -> None:
    async def body() -> None:
        async with harness(store=f"sqlite:{tmp_path / 'a.db'}") as made:
            session = await rewound(made)
            await session.conductor.journal.snapshot()
            admitted = [one for one in await of(session, e.InputAdmitted) if SECRET in str(one)]
            await session.close()
            await made.erase("ada", session.thread, admitted[0].seq)
            session = await made.session("ada", thread=session.thread)
            assert SECRET not in encode_state(session.folded).decode()
            await session.undo()
            await session.conductor.journal.snapshot()
            kept = await made.store.snapshot(session.thread, STATE_VERSION)
            assert kept is not None
            assert SECRET not in f"{kept.data} {session.points()} {await log(session)}"
            assert session.points()[0].text == ERASED

    run(body())


def test_a_title_made_of_what_was_rewound_goes_when_that_is_erased() -> None:
    async def body() -> None:
        async with harness() as made:
            session = await made.session("ada")
            (one,) = await tell(session, SECRET)
            await session.rewind(one)
            (admitted,) = await of(session, e.InputAdmitted)
            await session.close()
            await made.erase("ada", session.thread, admitted.seq)
            (row,) = await made.threads("ada")
            assert SECRET not in row.title

    run(body())
