"""What a person said in the threads of a project, for looking back."""

from pathlib import Path

from longrein.capabilities.base import Capability, HookContext, Refuse
from longrein.core import events as e
from longrein.core.erase import erased
from longrein.core.messages import Text, User
from longrein.core.records import Input
from longrein.core.said import said_in_log
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
    def admitted(id: str, text: str, time: int) -> e.Event:
        return e.InputAdmitted(Input(id, "queue", "run", (Text(text),)), time=time)

    events = [
        admitted("a", "my key is 1234", 1),
        admitted("b", "taken back", 2),
        admitted("c", "a first try", 3),
        e.InputWithdrawn("b"),
        e.InputEdited("c", (Text("kept"),), time=4),
    ]
    assert said_in_log([erased(events[0]), *events[1:]]) == [(4, "kept")]


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
