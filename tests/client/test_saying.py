"""What a person said in the threads of a project, for looking back."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

from longrein.capabilities.base import Capability, HookContext, Refuse
from longrein.client.saying import said_before
from longrein.core import events as e
from longrein.core.codec import encode_event
from longrein.core.erase import erased
from longrein.core.messages import Text, User
from longrein.core.records import Input
from longrein.core.said import said_in_log
from longrein.storage.base import Append, Status, Store, ThreadRow
from longrein.storage.memory import MemoryStore
from longrein.testing import say
from tests.support import run
from tests.tui.apps import using
from tests.tui.kit import client
from tests.tui.working import settled, talked

ANSWERS = [say(f"answer {n}") for n in range(9)]


def test_what_was_said_in_all_threads_comes_back_once_the_newest_first(tmp_path: Path) -> None:
    async def test() -> None:
        async with client(ANSWERS, tmp_path) as made:
            first = await talked(made, "one", "two")
            await talked(made, "three", "one")
            await first.say("send", "four")
            await settled(first)
            assert list(await made.said()) == ["four", "one", "three", "two"]
            assert list(await made.said(limit=1)) == ["four"]

    run(test())


def test_what_was_refused_or_is_deleted_does_not_come_back(tmp_path: Path) -> None:
    async def test() -> None:
        async with client(ANSWERS, tmp_path, capabilities=[NoSecrets()]) as made:
            gone = await talked(made, "in a thread that is deleted")
            await made.delete(gone.thread)
            await talked(made, "hello", "the secret is 42", "bye")
            assert list(await made.said()) == ["bye", "hello"]

    run(test())


class NoSecrets(Capability):
    """Lets no run begin in which a secret is told."""

    async def before_run(self, ctx: HookContext) -> Refuse | None:
        last = next(one for one in reversed(ctx.messages) if isinstance(one, User))
        return Refuse("No secrets.") if "secret" in last.text else None


def test_what_was_taken_back_or_erased_does_not_come_back() -> None:
    events = [
        admitted("a", "my key is 1234", 1),
        admitted("b", "taken back", 2),
        admitted("c", "a first try", 3),
        e.InputWithdrawn("b"),
        e.InputEdited("c", (Text("kept"),), time=4),
    ]
    assert said_in_log([erased(events[0]), *events[1:]]) == [(4, "kept")]


def test_what_was_said_before_a_long_run_comes_back() -> None:
    async def test() -> None:
        async with threads(MemoryStore(), a=[admitted("a", "Refactor it"), *STEPS]) as store:
            assert list(await said_before(store, "ada", 9)) == ["Refactor it"]

    run(test())


def test_what_cannot_be_read_is_passed_over() -> None:
    async def test() -> None:
        broken = encode_event(admitted("b", "broken", 2)).replace(b'"queue"', b'"whisper"')
        log = [admitted("a", "one", 1), broken, b"{", b'{"type":"\xff"}', admitted("c", "two", 3)]
        async with threads(MemoryStore(), a=log) as store:
            assert list(await said_before(store, "ada", 9)) == ["two", "one"]

    run(test())


def test_a_thread_that_is_deleted_meanwhile_is_passed_over() -> None:
    async def test() -> None:
        gone, kept = [admitted("a", "gone", 1)], [admitted("b", "kept", 2)]
        async with threads(Shared(), gone=gone, kept=kept) as store:
            assert list(await said_before(store, "ada", 9)) == ["kept"]

    run(test())


STEPS = [e.StepStarted(f"step_{n}", n, "test:model", run="run_1") for n in range(1, 2500)]


def admitted(id: str, text: str, time: int = 1) -> e.Event:
    return e.InputAdmitted(Input(id, "queue", "run", (Text(text),)), time=time)


@asynccontextmanager
async def threads(store: Store, **logs: Sequence[e.Event | bytes]) -> AsyncGenerator[Store]:
    """A store with these threads."""
    await store.beat("me", 60)
    for thread, log in logs.items():
        await store.create(ThreadRow(thread, "ada"))
        lease = await store.take(thread, "me")
        assert lease
        data = [one if isinstance(one, bytes) else encode_event(one) for one in log]
        await store.append(Append(lease, 0, data))
    yield store
    await store.close()


class Shared(MemoryStore):
    """A store from which somebody else deletes a thread, just after its threads were listed."""

    async def threads(
        self,
        resource: str,
        *,
        before: tuple[int, str] | None = None,
        limit: int = 50,
        tag: str = "",
        status: Status | Literal[""] = "",
        under: str | None = "",
    ) -> list[ThreadRow]:
        rows = await super().threads(resource, limit=limit)
        await self.delete("gone")
        return rows


def test_the_editor_looks_back_beyond_the_thread(tmp_path: Path) -> None:
    async def test() -> None:
        async with client(ANSWERS, tmp_path) as made:
            await talked(made, "of another thread")
            async with using(made) as person:
                editor = person.app.main.editor
                await person.until(lambda: person.app.stage.desk.past, "the past")
                await person.types("of this one", "enter")
                await person.sees("answer 0")
                await person.presses("up")
                assert editor.draft.text == "of this one"
                await person.presses("up")
                assert editor.draft.text == "of another thread"

    run(test())
