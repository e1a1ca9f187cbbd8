"""A thread without a session: tools and hooks run, and what they bring about is folded."""

import json
from collections.abc import Sequence
from typing import Any, TypeVar

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.core.codec import decode_state, encode_state
from longrein.core.events import Recorded
from longrein.core.messages import Text
from longrein.core.records import Reply
from longrein.core.slices import Folding, Slice
from longrein.core.state import State
from longrein.tools.call import Output, call
from longrein.tools.context import Asked, Context
from longrein.tools.define import Tool
from longrein.tools.reach import Effect, Fact, ModeInfo, Reach
from tests.support import run

T = TypeVar("T")


class Thread:
    """The state of a thread with some slices; `effects` are those of the last call that ended."""

    def __init__(
        self, *slices: Slice[Any], mode: ModeInfo | None = None, modes: Sequence[str] = ()
    ) -> None:
        self.effects: list[Effect] = []
        self._folding = Folding(slices)
        self._state = self._folding.begun(State())
        self._reach = Reach(mode=mode or ModeInfo(), modes=tuple(modes), folded=lambda: self._state)

    def read(self, slice: Slice[T]) -> T:
        return self._reach.read(slice)

    def record(self, kind: str, data: Any) -> None:
        """Fold a fact as it comes back from a log."""
        plain = json.loads(json.dumps(data))
        self._state = self._folding(self._state, Recorded(kind, plain, seq=self._state.seq + 1))

    def restart(self) -> None:
        """Go on with the state as a snapshot keeps it."""
        kept = encode_state(self._folding.stamped(self._state))
        self._state = self._folding.begun(decode_state(kept))
        assert self._folding.behind(self._state) is None

    def prepared(self, tool: Tool, *answers: Reply, **arguments: Any) -> tuple[Any, list[Effect]]:
        """What a call comes to, with its effects, which are not written yet."""
        ctx = Context(tool=tool.name, reach=self._reach, asks=tool.asks, answers=answers)
        ending = run(call(tool, json.dumps(arguments), ctx))
        return ending, ctx.effects

    def write(self, effects: Sequence[Effect]) -> None:
        """Fold the facts among some effects."""
        for effect in effects:
            if isinstance(effect, Fact):
                self.record(effect.kind, effect.data)

    def use(self, tool: Tool, *answers: Reply, **arguments: Any) -> str:
        """What the model hears of a call that returns; its effects are written."""
        ending, self.effects = self.prepared(tool, *answers, **arguments)
        assert isinstance(ending, Output)
        assert ending.status == "ok", ending
        self.write(self.effects)
        return text_of(ending)

    def fail(self, tool: Tool, **arguments: Any) -> str:
        """What the model hears of a call that fails, which has no effect."""
        ending, effects = self.prepared(tool, **arguments)
        assert isinstance(ending, Output)
        assert ending.status == "error", ending
        assert effects == []
        return text_of(ending)

    def ask(self, tool: Tool, **arguments: Any) -> Asked:
        """What a call asks a person; it has no effect before."""
        ending, effects = self.prepared(tool, **arguments)
        assert isinstance(ending, Asked)
        assert effects == []
        return ending

    def notes_before_run(self, capability: Capability) -> list[str]:
        """What a capability tells the model when a run begins."""
        ctx = HookContext(self._reach)
        run(capability.before_run(ctx))
        assert ctx.effects == []
        return ctx.notes


def text_of(output: Output) -> str:
    (part,) = output.parts
    assert isinstance(part, Text)
    return part.text
