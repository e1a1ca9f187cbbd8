"""`ObservationalMemory`: notes on what happened, taken beside the run, in the place of messages."""

from collections.abc import Mapping, Sequence

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import HookContext
from longrein.capabilities.observing.notes import NAME, OBSERVATIONS, Observations
from longrein.capabilities.observing.observer import Observer, Settings
from longrein.capabilities.observing.recalling import recall
from longrein.capabilities.observing.rendering import digest_text
from longrein.capabilities.opening import Beside, Opening
from longrein.core.errors import UsageError
from longrein.core.messages import Assistant
from longrein.core.records import Point
from longrein.core.state import Kept
from longrein.core.window import Digest
from longrein.tools.define import Tool

OBSERVE_AT = 30_000
REFLECT_AT = 20_000


class ObservationalMemory(Capability):
    """Takes notes on a long conversation while it goes on, and recalls what they are about.

    When what was not observed yet passes `observe_at` tokens, an observer writes dated notes about
    it, beside the run; when the notes pass `reflect_at` tokens, a reflector condenses them. The
    prompt changes only when an epoch ends by compaction: then the notes stand there instead of a
    summary. `recall` gives the model the messages themselves.

    `model` is who writes (empty: the model in use), `reflector_model` who condenses (empty: the
    same); each answer may take `timeout` seconds. A failure hurts no run.

    >>> from longrein import Agent, ObservationalMemory
    >>> memory = ObservationalMemory("anthropic:claude-haiku-4-5", observe_at=20_000)
    >>> [tool.name for tool in memory.tools()]
    ['recall']
    """

    slice = OBSERVATIONS

    def __init__(
        self,
        model: str = "",
        *,
        reflector_model: str = "",
        observe_at: int = OBSERVE_AT,
        reflect_at: int = REFLECT_AT,
        timeout: float = 120.0,
    ) -> None:
        for name, given in (("model", model), ("reflector_model", reflector_model)):
            if not isinstance(given, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise UsageError(f"{name} is the name of a model, not {given!r}.")
        for name, tokens in (("observe_at", observe_at), ("reflect_at", reflect_at)):
            if not isinstance(tokens, int) or tokens < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise UsageError(f"{name} is a number of tokens from 1 on, not {tokens!r}.")
        if not timeout > 0:
            raise UsageError(f"timeout is a number of seconds above 0, not {timeout!r}.")
        self._settings = Settings(model, reflector_model, observe_at, reflect_at, timeout)

    @property
    def name(self) -> str:
        return NAME

    async def open(self, opening: Opening) -> Capability:
        return _Opened(self._settings, opening.beside)

    def tools(self) -> Sequence[Tool]:
        return (recall,)

    def has(self, point: Point) -> bool:
        return point == "after_model"

    def digest(self, slices: Mapping[str, Kept]) -> Digest | None:
        """The notes, in the place of the messages that they are about."""
        known: Observations = slices[NAME].value
        return Digest(digest_text(known), known.upto) if known.observations else None


class _Opened(ObservationalMemory):
    """The same in one session: it looks after every step whether there is something to do."""

    def __init__(self, settings: Settings, beside: Beside) -> None:
        self._settings = settings
        self._beside = beside
        self._observer = Observer(settings)

    async def after_model(self, ctx: HookContext, said: Assistant) -> None:
        if self._observer.due(ctx):
            self._beside.spawn(self._observer.work, self.name)
