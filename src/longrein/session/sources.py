"""What the model is told when a source of its instructions has changed since the epoch began."""

from collections.abc import Callable, Sequence

from longrein.capabilities.base import Capability
from longrein.context.prompt import BETWEEN
from longrein.core import events as e
from longrein.core.outcomes import Problem
from longrein.core.records import Source
from longrein.core.state import State
from longrein.session.recorder import Recorder
from longrein.session.services import Services

MOST_PROBLEMS = 20
"""Problems that are told of one capability: what is wrong a thousand times is one thing."""


class Sources:
    """The sources of one session. Looked at before each step, so that a change counts at once."""

    def __init__(self, services: Services, recorder: Recorder, folded: Callable[[], State]) -> None:
        self._services = services
        self._recorder = recorder
        self._folded = folded
        self._told: set[Problem] = set()
        self._texts: dict[str, str] = {}
        """What sources have said, by digest, as far as it is known here."""
        self._live = [one for one in services.capabilities if one.live]
        self._unsure = [
            one for one in services.capabilities if type(one).problems is not Capability.problems
        ]

    async def look(self, state: State, step: str) -> State:
        """The state of a step that is about to be made, once all that is new is in it."""
        failed = [event for one in self._live if (event := await self._render(one))]
        changed = self._changed(state)
        warned = self._warned(state)
        if not (failed or changed or warned):
            return state
        events: list[e.Event] = [*changed, *failed, *warned]
        await self._recorder.record(lambda now: events if _calling(now, step) else [])
        now = self._folded()
        return now if _calling(now, step) else state

    async def _render(self, capability: Capability) -> e.HookFailed | None:
        """Have a capability say its section anew. One that fails says what it said before."""
        try:
            said = capability.context(self._services.opening)
            text = said if isinstance(said, str) else await said
        except Exception as error:  # the code of a capability: no step fails with it
            text = f"Its context failed with {type(error).__name__}: {error}"
            problem = Problem("context", self._services.redactor.text(text))
            if problem in self._told:
                return None
            self._told.add(problem)
            return e.HookFailed(capability.name, "before_model", problem)
        self._services.loop.prompt.say(capability.name, text.strip())
        return None

    def _changed(self, state: State) -> list[e.Event]:
        prefix, prompt = state.prefix, self._services.loop.prompt
        if prefix is None or not prefix.sources:
            return []
        changed = prompt.changed(state.known)
        if not changed:
            return []
        self._texts |= sections(prefix.system, prefix.sources)
        events: list[e.Event] = []
        for name, digest in changed.items():
            before = self._texts.get(state.known.get(name, ""), "")
            after = self._texts[digest] = prompt.sections.get(name, "")
            events.append(e.ContextChanged(name, digest, self._news(name, before, after)))
        return events

    def _news(self, source: str, before: str, after: str) -> str:
        for one in self._services.capabilities:
            if one.name == source:
                return one.news(before, after)
        if not after:
            return f"This part of your instructions does not hold any more: {source}."
        return f"Your instructions have changed. They read now:\n\n{after}"

    def _warned(self, state: State) -> list[e.Event]:
        found: list[e.Event] = []
        for capability in self._unsure:
            for problem in list(capability.problems())[:MOST_PROBLEMS]:
                if problem not in self._told and problem not in state.warnings:
                    found.append(e.Warned(problem))
                self._told.add(problem)
        return found


def sections(system: str, sources: Sequence[Source]) -> dict[str, str]:
    """The sections of a system text by their digests."""
    found: dict[str, str] = {}
    at = 0
    for source in sources:
        found[source.digest] = system[at : at + source.length]
        at += source.length + len(BETWEEN) if source.length else 0
    return found


def _calling(state: State, step: str) -> bool:
    """Whether the request of a step can still be changed."""
    now = state.step
    return now is not None and now.id == step and now.phase == "model"
