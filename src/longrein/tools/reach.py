"""What the code of a user can reach of the session that runs it, and what it can bring about.

What a tool, a hook or a command brings about is collected while it runs and written in one piece
with its end: after a crash either all of it is there, or it is as if the code had never run.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from msgspec import Struct

from longrein.core.codec import decode_event, encode_event
from longrein.core.errors import UsageError
from longrein.core.events import Recorded
from longrein.core.messages import Message
from longrein.core.slices import Slice
from longrein.core.state import State
from longrein.tools.children import NO_CHILDREN, Children

T = TypeVar("T")
Change: TypeAlias = Mapping[str, Any] | Callable[[Any], Any]
"""Keys of the application's state with new values, or a function from the old to the new state."""


class ModeInfo(Struct, frozen=True):
    """The mode in use, as code sees it."""

    id: str = "default"
    name: str = ""
    transitions_to: str = ""
    metadata: Mapping[str, Any] = {}


class Fact(Struct, frozen=True):
    """Write down a fact, for slices to fold."""

    kind: str
    data: Any
    blobs: tuple[str, ...] = ()


class EnterMode(Struct, frozen=True):
    """Use another mode."""

    mode: str


class ChangeState(Struct, frozen=True):
    """Change the application's state."""

    change: Change


class Tell(Struct, frozen=True):
    """Say something to the agent, as its user."""

    text: str


class Wake(Struct, frozen=True):
    """Tell the model what no person said; where no run is open, one begins."""

    text: str


Effect: TypeAlias = Fact | EnterMode | ChangeState | Tell | Wake


class SideCall(Struct, frozen=True):
    """A model call beside the conversation. `model` empty: the one in use."""

    purpose: str
    system: str
    messages: tuple[Message, ...]
    model: str = ""
    max_output: int = 4_000
    timeout: float = 120.0


class Reach(Struct, frozen=True):
    """One thread, seen from the code that runs in it. `folded` gives its newest state, `read_state`
    the application's own state out of it; `slices` are those of capabilities that are installed,
    None: all that it has. `keep` and `load` are for blobs, `may_connect` is what rules say of a
    host; without them the code runs outside of a session. `ask_model` calls a model beside the
    conversation, `write` brings effects about before the code has ended. `children` is the way to
    delegate from a call; the empty one: from none."""

    thread: str = ""
    resource: str = ""
    scope: str = "default"
    run: str = ""
    deps: Any = None
    mode: ModeInfo = ModeInfo()
    modes: tuple[str, ...] = ()
    folded: Callable[[], State] = State
    read_state: Callable[[State], Any] = lambda state: state.data
    slices: frozenset[str] | None = None
    keep: Callable[[bytes], Awaitable[str]] | None = None
    load: Callable[[str], Awaitable[bytes | None]] | None = None
    may_connect: Callable[[str, bool], bool] = lambda host, exactly: False
    ask_model: Callable[[SideCall], Awaitable[str]] | None = None
    write: Callable[[Sequence[Effect]], Awaitable[None]] | None = None
    children: Callable[[str], Children] = lambda call: NO_CHILDREN

    def read(self, slice: Slice[T]) -> T:
        """The newest value of a slice."""
        kept = self.folded().slices.get(slice.name)
        # What is only carried along is not of the type that the slice promises.
        if kept is None or (self.slices is not None and slice.name not in self.slices):
            raise UsageError(f"There is no slice {slice.name!r} here: install its capability.")
        return kept.value

    def fact(self, kind: str, data: Any, blobs: Sequence[str] = ()) -> Fact:
        """A fact as it will be read again. Raises `UsageError` for what JSON cannot hold."""
        try:
            read = decode_event(encode_event(Recorded(kind, data, blobs=tuple(blobs))))
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise UsageError(f"The fact {kind!r} cannot be kept: {error}") from None
        return Fact(kind, cast(Recorded, read).data, tuple(blobs))

    def entering(self, mode: str) -> EnterMode:
        """A change of mode. Raises `UsageError` for one that there is not."""
        if mode not in self.modes:
            raise UsageError(f"There is no mode {mode!r}; known: {', '.join(self.modes)}.")
        return EnterMode(mode)
