"""Slices of real threads: added late, taken away and back, changed, failing, forked, followed."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from longrein.capabilities.base import Capability
from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.errors import UsageError
from longrein.core.live import Signalled
from longrein.core.outcomes import Finished
from longrein.core.slices import Slice
from longrein.harness import Harness
from longrein.session.session import Session
from longrein.testing import say
from tests.capabilities.kit import hosting
from tests.session.kit import until
from tests.support import run

Words = tuple[str, ...]
Use = Callable[[Session], Awaitable[None]]


def add(words: Words, event: e.Event) -> Words:
    match event:
        case e.Recorded(kind="word", data=str(word)):
            return (*words, word)
        case _:
            return words


def stumble(words: Words, event: e.Event) -> Words:
    after = add(words, event)
    if after and after[-1] == "bad":
        raise ValueError("no such word")
    return after


WORDS: Slice[Words] = Slice("words", Words, (), add)


class Keeper(Capability):
    """Keeps the words that were recorded."""

    slice = WORDS


class Stumbling(Capability):
    """Does so until there is a bad one."""

    slice = Slice("words", Words, (), stumble)


class Mended(Capability):
    """Does so again, under a new version."""

    slice = Slice("words", Words, (), add, version=2)


def words(session: Session) -> Words:
    return session.read(WORDS)


async def record(session: Session, *said: str) -> None:
    for word in said:
        await session.submit(c.Record("word", word))


async def record_and_keep(session: Session, *said: str) -> None:
    """Record, and keep a snapshot, as happens when a log has grown."""
    await record(session, *said)
    await session.conductor.journal.snapshot()


def signals(session: Session) -> list[Signalled]:
    """The signals of a session from now on."""
    heard: list[Signalled] = []

    def hear(event: object) -> None:
        assert isinstance(event, Signalled)
        heard.append(event)

    session.subscribe(hear, only=Signalled)
    return heard


class Thread:
    """One thread on disk, opened by one process after the other."""

    def __init__(self, folder: Path) -> None:
        self._store = f"sqlite:{folder / 'a.db'}"

    def harness(self, *capabilities: Capability) -> Harness:
        return hosting([], *capabilities, store=self._store)

    def use(self, use: Use, *capabilities: Capability) -> None:
        async def body() -> None:
            async with self.harness(*capabilities) as made:
                await use(await made.session("ada"))

        run(body())

    def record(self, *said: str, kept: bool, by: Sequence[Capability] = ()) -> None:
        write = record_and_keep if kept else record
        self.use(lambda session: write(session, *said), *by)

    def read(self, *capabilities: Capability) -> Words:
        found: list[Words] = []

        async def look(session: Session) -> None:
            found.append(words(session))

        self.use(look, *capabilities)
        return found[0]


@pytest.fixture
def thread(tmp_path: Path) -> Thread:
    return Thread(tmp_path)


@pytest.mark.parametrize("kept", [False, True], ids=["log", "snapshot"])
def test_a_slice_that_comes_late_knows_everything(thread: Thread, kept: bool) -> None:
    thread.record("a", "b", kept=kept)
    assert thread.read(Keeper()) == ("a", "b")


@pytest.mark.parametrize("kept", [False, True], ids=["log", "snapshot"])
def test_a_slice_that_comes_back_knows_what_it_missed(thread: Thread, kept: bool) -> None:
    thread.record("a", kept=kept, by=[Keeper()])
    thread.record("b", kept=kept)
    thread.record("c", kept=False)
    assert thread.read(Keeper()) == ("a", "b", "c")


def test_a_slice_that_is_not_installed_is_carried_along_untouched(thread: Thread) -> None:
    thread.record("a", kept=True, by=[Keeper()])
    thread.record("b", kept=True)

    async def look(session: Session) -> None:
        kept = session.folded.slices["words"]
        assert (kept.value, kept.version) == (["a"], 1)
        assert "words" not in session.display.slices

    thread.use(look)


def test_a_slice_that_is_not_installed_cannot_be_read(thread: Thread) -> None:
    thread.record("a", kept=True, by=[Keeper()])

    async def look(session: Session) -> None:
        with pytest.raises(UsageError, match="install its capability"):
            words(session)

    thread.use(look)


@pytest.mark.parametrize("kept", [False, True], ids=["log", "snapshot"])
def test_another_version_is_folded_anew(thread: Thread, kept: bool) -> None:
    thread.record("a", "bad", "b", kept=kept, by=[Stumbling()])
    assert thread.read(Mended()) == ("a", "bad", "b")


def test_a_slice_that_fails_stands_still_and_says_so(thread: Thread) -> None:
    async def use(session: Session) -> None:
        heard = signals(session)
        await record(session, "a", "bad", "b", "c")
        assert words(session) == ("a",)
        await until(lambda: bool(heard))
        assert [signal.kind for signal in heard] == ["slice_failed"]
        assert "no such word" in heard[0].message
        (warning,) = session.display.warnings
        assert warning.kind == "slice"
        assert "no such word" in warning.message

    thread.use(use, Stumbling())


@pytest.mark.parametrize("kept", [False, True], ids=["log", "snapshot"])
def test_a_slice_that_stood_still_says_so_to_whoever_listens_after_a_restart(
    thread: Thread, kept: bool
) -> None:
    thread.record("a", "bad", "b", kept=kept, by=[Stumbling()])

    async def use(session: Session) -> None:
        heard = signals(session)
        await until(lambda: bool(heard))
        await record(session, "c")
        await session.rename("something else")
        assert [signal.kind for signal in heard] == ["slice_failed"]
        assert [warning.kind for warning in session.display.warnings] == ["slice"]
        assert words(session) == ("a",)

    thread.use(use, Stumbling())


def test_a_thread_whose_slice_fails_still_runs() -> None:
    async def body() -> None:
        async with hosting([say("ok")], Stumbling()) as made:
            session = await made.session("ada")
            await record(session, "bad")
            assert await (await session.send("go")) == Finished("ok")

    run(body())


def test_a_fork_has_the_slices_of_where_it_begins() -> None:
    async def body() -> None:
        async with hosting([], Keeper()) as made:
            session = await made.session("ada")
            await record(session, "a")
            at = session.folded.seq
            await record_and_keep(session, "b")
            fork = await made.fork("ada", session.thread, at=at)
            await record(fork, "c")
            assert words(fork) == ("a", "c")
            assert words(session) == ("a", "b")

    run(body())


def test_a_follower_folds_what_the_owner_writes(thread: Thread) -> None:
    async def body() -> None:
        async with thread.harness(Keeper()) as first, thread.harness(Stumbling()) as second:
            owner = await first.session("ada")
            await record(owner, "a")
            follower = await second.session("ada", thread=owner.thread)
            heard = signals(follower)
            await record(owner, "bad", "b")
            await until(lambda: bool(heard))
            assert words(owner) == ("a", "bad", "b")
            assert words(follower) == ("a",)
            assert [signal.kind for signal in heard] == ["slice_failed"]

    run(body())
