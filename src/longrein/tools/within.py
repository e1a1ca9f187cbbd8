"""`Within`: the thread that a user's code runs in, and what that code can bring about there."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from longrein.core.errors import NotFound, UsageError
from longrein.core.messages import Message
from longrein.core.slices import Slice
from longrein.core.typevars import D, S
from longrein.tools.children import Children
from longrein.tools.reach import Change, ChangeState, Effect, ModeInfo, Reach

T = TypeVar("T")
OUTSIDE = "This works only in code that a session runs."


class Within(Generic[D, S]):
    """What tools, hooks and commands have in common.

    `deps` is what the harness's `deps` made for this session, `state` the application's own state.
    What `record`, `update` and `switch_mode` bring about is collected in `effects` and written in
    one piece with the end of the code that did so.
    """

    __slots__ = ("_reach", "effects")

    def __init__(self, reach: Reach, effects: list[Effect] | None = None) -> None:
        self._reach = reach
        self.effects: list[Effect] = [] if effects is None else effects

    if not TYPE_CHECKING:

        def __class_getitem__(cls, parameters: object) -> type:
            # One parameter or two: only a type checker wants to know.
            return cls

    @property
    def thread(self) -> str:
        return self._reach.thread

    @property
    def resource(self) -> str:
        return self._reach.resource

    @property
    def run(self) -> str:
        return self._reach.run

    @property
    def mode(self) -> ModeInfo:
        """The mode in use; of a tool call and its hooks, the one in which the call was made."""
        return self._reach.mode

    @property
    def deps(self) -> D:
        """What the harness's `deps` made for this session."""
        return self._reach.deps

    @property
    def state(self) -> S:
        """The application's own state as it is now."""
        return self._reach.read_state(self._reach.folded())

    @property
    def children(self) -> Children:
        """The children of the thread, to look at, steer and stop; only a call can have new ones."""
        return self._reach.children("")

    @property
    def messages(self) -> Sequence[Message]:
        """All that was said in the thread, compacted or not, and what the calls of the open step
        have returned so far."""
        state = self._reach.folded()
        ended = [call.result for call in state.step.calls if call.result] if state.step else []
        return [*state.messages, *ended] if ended else state.messages

    def read(self, slice: Slice[T]) -> T:
        """The value of a capability's slice as it is now."""
        return self._reach.read(slice)

    @property
    def seq(self) -> int:
        """The number of the thread's newest event."""
        return self._reach.folded().seq

    def record(self, kind: str, data: Any = None, blobs: Sequence[str] = ()) -> None:
        """Write down a fact, for slices to fold: the event is `recorded`.

        `blobs` are the hashes, from `keep_bytes`, that the data means: they stay as long as it.
        """
        self.effects.append(self._reach.fact(kind, data, blobs))

    async def keep_bytes(self, data: bytes) -> str:
        """The hash under which the store keeps these bytes, for a fact to refer to."""
        if self._reach.keep is None:
            raise UsageError(OUTSIDE)
        return await self._reach.keep(data)

    async def load_bytes(self, digest: str) -> bytes:
        """Bytes that the store keeps. Raises `NotFound`."""
        if self._reach.load is None:
            raise UsageError(OUTSIDE)
        data = await self._reach.load(digest)
        if data is None:
            raise NotFound(f"The store has nothing under {digest!r}.")
        return data

    def may_connect(self, host: str, *, exactly: bool = False) -> bool:
        """Whether rules that name hosts, grants or the trust allow a host at this moment.

        `exactly`: only rules without wildcards and grants count.
        """
        return self._reach.may_connect(host, exactly)

    def update(self, change: Change) -> None:
        """Change the application's state: keys with new values, or a function of the old one.

        The function gets the state as it is when this is written, and may be called more than once.
        """
        self.effects.append(ChangeState(change))

    def switch_mode(self, mode: str) -> None:
        """Use another mode from the next step on. Raises `UsageError` for one there is not."""
        self.effects.append(self._reach.entering(mode))
