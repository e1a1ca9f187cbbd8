"""What a session shows to its application: what must be the same again after a crash."""

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from longrein.core.codec import encode_state
from longrein.core.display import Display
from longrein.core.messages import File, Text, User
from longrein.core.policy import Grant
from longrein.core.records import Approval, Input, Question
from longrein.core.state import State
from longrein.core.usage import Spent
from longrein.harness import Harness
from longrein.session.session import Session
from longrein.testing.crash.equip import RESOURCE, Kept

BESIDE = "beside"
"""The scope of the other thread that the resource has."""


class View(Struct, frozen=True):
    """What a session shows; as it is by itself in a thread in which nothing has happened.

    `commands` are those that were carried out, `said` is what people said in the conversation,
    `shared` the tools that the resource has grants for,
    `listed` the title and the tags of the thread in the list of threads. `run_spent`, `spent`,
    `beside_spent` and `resource_spent` are what was used: by the run under way, the thread, the
    other threads of the resource, and all of the resource.
    """

    commands: Sequence[str] = ()
    mode: str = ""
    model: str = ""
    models: Mapping[str, str] = {}
    trust: str = "ask"
    data: Mapping[str, Any] = field(default_factory=lambda: msgspec.to_builtins(Kept()))
    rules: Sequence[str] = ()
    grants: Sequence[str] = ()
    shared: Sequence[str] = ()
    approvals: Sequence[str] = ()
    questions: Sequence[str] = ()
    queue: Sequence[str] = ()
    todos: Sequence[str] = ()
    plan: str = ""
    tags: Sequence[str] = ()
    settings: Mapping[str, Any] = {}
    title: str = ""
    said: Sequence[str] = ()
    listed: Sequence[str] = ("",)
    run_spent: Spent = Spent()
    spent: Spent = Spent()
    beside_spent: Spent = Spent()
    resource_spent: Spent = Spent()

    @property
    def fields(self) -> dict[str, Any]:
        """The view as plain values, by their names."""
        return msgspec.json.decode(msgspec.json.encode(self))


async def look(harness: Harness[Kept], session: Session[Kept]) -> View:
    """The view of a session. What is read at different moments is of one state of the thread."""
    while True:
        seq = session.folded.seq
        shared = await harness.grants(RESOURCE)
        resource_spent = await harness.spent(RESOURCE)
        rows = {row.id: row for row in await harness.store.threads(RESOURCE, under=None)}
        await session.conductor.refresh()
        if session.folded.seq == seq:
            break
    state, shown, row = session.folded, session.display, rows[session.thread]
    return View(
        commands=list(state.commands),
        mode=state.mode,
        model=shown.model,
        models={mode: _model(state, mode) for mode in state.models if _model(state, mode)},
        trust=state.trust,
        data=msgspec.to_builtins(session.state),
        rules=[rule.id for source, rule in session.rules() if source == "thread"],
        grants=[f"{_granted(grant)} in the {grant.scope}" for grant in state.grants],
        shared=[_granted(grant) for grant in shared],
        approvals=[name(one) for one in state.approvals],
        questions=[name(one) for one in state.questions],
        queue=[_waiting(input) for input in state.queue],
        todos=[f"{todo.text} {todo.status}" for todo in shown.todos],
        plan=_plan(shown),
        tags=state.tags,
        settings=state.settings,
        title=state.title,
        said=[_text(message.parts) for message in state.messages if isinstance(message, User)],
        listed=(row.title, *row.tags),
        run_spent=state.run.spent if state.run else Spent(),
        spent=state.spent,
        beside_spent=sum((one.spent for one in rows.values() if one is not row), Spent()),
        resource_spent=resource_spent,
    )


def name(asked: Approval | Question) -> str:
    """What an approval or a question is called in a workload, the same in every run of it."""
    if isinstance(asked, Question):
        return asked.title or asked.text
    arguments = msgspec.json.decode(asked.arguments)
    return arguments.get("key") or arguments["command"]


def checksum(state: State) -> int:
    """A checksum of everything that is known of a thread."""
    # How far a slice was folded is told only of a state that came from a snapshot.
    slices = {name: replace(kept, upto=0) for name, kept in state.slices.items()}
    return crc32(encode_state(replace(state, slices=slices)))


def _model(state: State, mode: str) -> str:
    return f"{state.models[mode]} {state.efforts.get(mode, '')}".strip()


def _granted(grant: Grant) -> str:
    return grant.tool or grant.category


def _waiting(input: Input) -> str:
    return f"{_text(input.parts)}: output" if input.output else _text(input.parts)


def _text(parts: Sequence[Text | File]) -> str:
    text = " ".join(part.name if isinstance(part, File) else part.text for part in parts)
    return text[:100]


def _plan(shown: Display) -> str:
    plan = shown.plan
    if plan is None:
        return ""
    return f"{plan.title} {plan.status}" + (f": {plan.text}" if plan.edited else "")
