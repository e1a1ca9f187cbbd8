"""What hooks and commands of capabilities can reach, and what they can bring about."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from longrein.core.errors import UsageError
from longrein.core.messages import Message, Text, User
from longrein.tools.reach import Reach, SideCall, Tell, Wake
from longrein.tools.within import OUTSIDE, D, S, Within


class HookContext(Within[D, S]):
    """What a hook can reach: the thread it is asked in, and what it can bring about.

    What a hook brings about is written in one piece with its answer.
    """

    __slots__ = ("notes",)

    def __init__(self, reach: Reach) -> None:
        super().__init__(reach)
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Tell the model something that no person said, after all that it has heard so far."""
        if not isinstance(text, str) or not text.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(f"A note is a text, not {text!r}.")
        self.notes.append(text)

    async def call_model(
        self,
        purpose: str,
        system: str,
        said: str | Sequence[Message],
        *,
        model: str = "",
        max_output: int = 4_000,
        timeout: float = 120.0,
    ) -> str:
        """What a model answers beside the conversation; `model` empty: the one in use.

        What it cost counts for the thread, whatever came of it: `side_call_ended` says so. Raises
        `ModelError`, `TimeoutError`, or `UsageError` where money is limited and does not pay for
        it.
        """
        if self._reach.ask_model is None:
            raise UsageError(OUTSIDE)
        messages = [User((Text(said),))] if isinstance(said, str) else said
        asked = SideCall(purpose, system, tuple(messages), model, max_output, timeout)
        return await self._reach.ask_model(asked)

    def wake(self, text: str) -> None:
        """Tell the model something that no person said; where no run is open, one begins for it.

        Only for work beside a run (`Beside.spawn`).
        """
        if self._reach.write is None:
            raise UsageError("Only work beside a run can wake the agent.")
        self.effects.append(Wake(text))

    async def record_now(self) -> None:
        """Write what was recorded so far at once. Only for work beside a run (`Beside.spawn`)."""
        if self._reach.write is None:
            raise UsageError("Only work beside a run can write before it has ended.")
        effects, self.effects[:] = list(self.effects), []
        await self._reach.write(effects)


class CommandContext(HookContext[D, S]):
    """What a command of a capability can reach."""

    __slots__ = ()

    def send(self, text: str) -> None:
        """Say something to the agent, as its user."""
        if not text.strip():
            raise UsageError("There is nothing to say: give a text.")
        self.effects.append(Tell(text))


Invoked: TypeAlias = str | Awaitable[str | None] | None


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command that a person gives by its name; what it returns is shown to that person.

    `hint` says what may stand after the name. One that `gives_way` is not there where another has
    its name; without it two of a name are an error.

    >>> from longrein import SlashCommand
    >>> SlashCommand("hello", "Say hello.", lambda ctx, arguments: f"Hello {arguments}").name
    'hello'
    """

    name: str
    description: str
    run: Callable[[CommandContext, str], Invoked]
    hint: str = ""
    gives_way: bool = False

    def __post_init__(self) -> None:
        if not self.name or any(letter.isspace() or letter == "/" for letter in self.name):
            raise UsageError(f"{self.name!r} cannot be the name of a command: use one word.")
