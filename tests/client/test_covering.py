"""What the person is told of other calls that a remembered yes lets run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from longrein.capabilities.subagents.capability import Subagents
from longrein.client.port import ThreadClient
from longrein.core.commands import Answer, Approve
from longrein.core.errors import StoreError
from longrein.core.policy import Scope
from longrein.core.records import Approval
from longrein.storage.base import Stored
from longrein.storage.memory import MemoryStore
from longrein.testing import Reply, Script, ScriptedModel, call, calls, say, when
from longrein.tools.define import tool
from tests.support import run
from tests.tui.kit import client
from tests.tui.working import settled


@tool(category="edit")
def note(text: str) -> str:
    """Note a text."""
    return f"noted {text}"


@tool(category="network")
def fetch(host: str) -> str:
    """Fetch something."""
    return f"fetched {host}"


THREE = [calls(call("note", text="a"), call("note", text="b"), call("fetch", host="c")), say("Ok.")]


def family() -> ScriptedModel:
    """Two subagents, each with a call of the same tool."""
    tasks = (call("task", agent="general-purpose", description=n, prompt=n) for n in "xy")
    children = (when(name, call("note", text=name), say("Ok.")) for name in "xy")
    return ScriptedModel(Script(rules=[when("begin", calls(*tasks), say("Ok.")), *children]))


class Watched(MemoryStore):
    """Counts how often events are read; one that `loses_heads` cannot say where a thread ends once
    the approvals wait."""

    def __init__(self, *, loses_heads: bool = False) -> None:
        super().__init__()
        self.looks = 0
        self.knows_heads = True
        self.loses_heads = loses_heads

    async def read(self, thread: str, after: int = 0, limit: int = 1000) -> list[Stored]:
        self.looks += 1
        return await super().read(thread, after, limit)

    async def head(self, thread: str) -> int:
        if not self.knows_heads:
            raise StoreError("The disk is gone.")
        return await super().head(thread)


def said_yes(
    says: list[Reply] | ScriptedModel,
    folder: Path,
    yes: Callable[[Approval], Approve],
    number: int,
    store: "Watched | None" = None,
) -> tuple[Answer, list[str]]:
    """The answer to a yes to a note, one of so many approvals, and what waits then."""
    store = store or Watched()
    found: list[tuple[Answer, list[str]]] = []

    async def main() -> None:
        tools, able = [note, fetch], [Subagents()]
        made = client(says, folder, tools=tools, capabilities=able, store=store)
        async with made as opened:
            thread: ThreadClient = await opened.open(new=True)
            await thread.say("send", "begin")
            shown = await settled(thread, lambda one: len(one.approvals) == number)
            noted = next(one for one in shown.approvals if one.tool == "note")
            store.looks, store.knows_heads = 0, not store.loses_heads
            answer = await thread.submit(yes(noted))
            found.append((answer, [one.tool for one in thread.display.approvals]))

    run(main())
    return found[0]


@pytest.mark.parametrize("scope", ["run", "thread", "resource"])
def test_how_many_others_run_by_a_remembered_yes_is_told(tmp_path: Path, scope: Scope) -> None:
    def yes(one: Approval) -> Approve:
        return Approve(one.id, remember="tool", scope=scope, id="cmd_1")

    answer, waits = said_yes(THREE, tmp_path, yes, 3)
    assert answer.message == "This also covers 1 other call that waited: it runs now."
    assert waits == ["fetch"]


def test_nothing_is_told_where_a_yes_covers_no_other_call(tmp_path: Path) -> None:
    answer, waits = said_yes(
        THREE, tmp_path, lambda one: Approve(one.id, remember="call", id="cmd_1"), 3
    )
    assert answer == Answer("applied", answer.run)
    assert waits == ["note", "fetch"]


def test_nothing_is_told_of_a_yes_that_is_not_remembered(tmp_path: Path) -> None:
    answer, _ = said_yes(THREE, tmp_path, lambda one: Approve(one.id, id="cmd_1"), 3)
    assert answer.message == ""


@pytest.mark.parametrize("scope", ["thread", "resource"])
def test_calls_of_other_subagents_are_counted_too(tmp_path: Path, scope: Scope) -> None:
    def yes(one: Approval) -> Approve:
        return Approve(one.id, remember="tool", scope=scope, id="cmd_1")

    answer, waits = said_yes(family(), tmp_path, yes, 2)
    assert answer.message == "This also covers 1 other call that waited: it runs now."
    assert waits == []


def test_a_yes_waits_for_no_call_of_the_thread_in_which_it_was_asked(tmp_path: Path) -> None:
    store = Watched()
    said_yes(THREE, tmp_path, lambda one: Approve(one.id, remember="call", id="cmd_1"), 3, store)
    assert store.looks < 5  # else it is looked at again and again for half a second


def test_the_yes_is_said_although_nobody_knows_what_else_it_covers(tmp_path: Path) -> None:
    store = Watched(loses_heads=True)
    answer, waits = said_yes(
        THREE, tmp_path, lambda one: Approve(one.id, remember="tool", id="cmd_1"), 3, store
    )
    assert answer == Answer("applied", answer.run)
    assert waits == ["fetch"]
