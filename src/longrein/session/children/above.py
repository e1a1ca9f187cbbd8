"""The session above a child, as the child's decisions see it."""

from collections.abc import Callable, Collection, Sequence

from longrein.context.prompt import Offer
from longrein.core.outcomes import LimitReached
from longrein.core.policy import Grant, Rule, Trust
from longrein.core.state import State
from longrein.loop.advance import Loop
from longrein.loop.setup import Setup
from longrein.loop.tree import Above
from longrein.permissions.evaluate import Action, Verdict


class Parent:
    """`Above` for a child: what holds in its parent at this moment."""

    __slots__ = ("_child", "_folded", "_loop")

    def __init__(self, loop: Loop, folded: Callable[[], State], child: str) -> None:
        self._loop = loop
        self._folded = folded
        self._child = child

    @property
    def _setup(self) -> Setup:
        return self._loop.setup

    def rules(self) -> tuple[tuple[str, Rule], ...]:
        return self._setup.sourced_rules(self._folded())

    def grants(self) -> tuple[Grant, ...]:
        return self._setup.thread_grants(self._folded())

    def trust(self) -> Trust:
        return self._setup.trust(self._folded())

    def chain(self) -> tuple[str, ...]:
        state = self._folded()
        failed = state.run.failed if state.run else ()
        return tuple(sorted(self._setup.chain(state), key=lambda model: model in failed))

    def shows(self, tool: str) -> bool:
        return self._setup.shows(self._folded(), tool)

    def verdict(
        self, action: Action, answered: Collection[str], grants: Sequence[Grant]
    ) -> Verdict:
        return self._setup.verdict(self._folded(), action, answered, grants)

    def offer(self) -> Offer:
        return self._loop.offer(self._folded())

    def left(self) -> int | None:
        return self._loop.left_for(self._child)

    def over(self) -> LimitReached | None:
        return self._loop.over_for(self._child)


_fits: type[Above] = Parent
