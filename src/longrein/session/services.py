"""What a session works with: some of it made for this one, most of it shared by all."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import SlashCommand
from longrein.capabilities.opening import Opening
from longrein.core.errors import NotFound
from longrein.core.ids import Clock, Ids
from longrein.core.policy import Touches
from longrein.core.redact import Redactor
from longrein.core.slices import Folding
from longrein.core.state import State
from longrein.core.usage import Usage
from longrein.loop.advance import Loop
from longrein.loop.assemble import Blueprint
from longrein.loop.retry import Retry
from longrein.models.base import Model, ModelSettings
from longrein.permissions.evaluate import Action, Allow, evaluate
from longrein.permissions.patterns import exact
from longrein.session.backdoor import Backdoor
from longrein.session.children.kin import Family, Kin
from longrein.session.host import Host
from longrein.session.resources import Resources
from longrein.session.user_state import UserState
from longrein.storage.base import Store
from longrein.tools.reach import Reach
from longrein.tools.registry import Registry


class Services(Struct, frozen=True):
    """Everything that a session needs from outside.

    Made for one session: `loop`, `registries` and `model` (which gives the model of a name, or
    raises `UsageError`), `deps` for whoever opened it in `scope`, `opening` for capabilities, and
    `backdoor` for what they do beside runs. Shared by all of a harness:
    the rest. `settings` is what is asked of a model beside the words; `price` what a call cost, in
    billionths of a dollar, None where nobody knows; `window` how many tokens a model can hold, if
    that is known at once; `load_prices` makes prices known at once; `check` tells what is wrong
    with an answer that has to fit a JSON schema, `check_schema` with such a schema; `titles` is the
    model that writes titles, or empty; `chance` a random number in [0, 1). `blueprint` is what the
    session was made from, `family` opens the other sessions of its tree, and `parent` is the one
    that a child works for.
    """

    loop: Loop
    registries: Mapping[str, Registry]
    model: Callable[[str], Awaitable[Model]]
    scope: str
    deps: Any
    opening: Opening
    backdoor: Backdoor
    store: Store
    host: Host
    resources: Resources
    kept: UserState
    capabilities: tuple[Capability, ...]
    commands: Mapping[str, tuple[str, SlashCommand]]
    folding: Folding
    settings: Callable[[str], ModelSettings]
    price: Callable[[str, Usage], Awaitable[int | None]]
    window: Callable[[str], int | None]
    load_prices: Callable[[], Awaitable[None]]
    check: Callable[[str, str], str]
    check_schema: Callable[[str], str]
    titles: str
    clock: Clock
    ids: Ids
    redactor: Redactor
    retry: Retry
    chance: Callable[[], float]
    blueprint: Blueprint
    family: Family
    parent: Kin | None

    def reach(self, state: State, folded: Callable[[], State]) -> Reach:
        """What the code of a user can reach from here. `folded` gives the newest state."""
        setup = self.loop.setup
        return Reach(
            thread=state.thread,
            resource=state.resource,
            scope=self.scope,
            run=state.run.id if state.run else "",
            deps=self.deps,
            mode=setup.step_mode(state).info,
            modes=tuple(setup.modes),
            folded=folded,
            read_state=self.kept.read,
            slices=self.folding.names,
            keep=self.store.put_blob,
            load=self.store.blob,
            may_connect=lambda host, exactly: self.may_connect(folded(), host, exactly=exactly),
        )

    def may_connect(self, state: State, host: str, *, exactly: bool) -> bool:
        """Whether a host is allowed as such. Who allows a tool has not allowed every host."""
        setup, action = self.loop.setup, Action("", "network", touches=Touches(hosts=(host,)))
        rules = [
            rule
            for rule in setup.all_rules(state)
            if rule.effect != "allow" or (exact(rule.host) if exactly else rule.host)
        ]
        trust = "ask" if exactly else setup.trust(state)
        above = self.parent
        if above and not above.services.may_connect(above.folded, host, exactly=exactly):
            return False
        return isinstance(evaluate(action, rules, setup.all_grants(state), trust), Allow)

    async def load_blob(self, digest: str) -> bytes:
        """Bytes that a message refers to. Raises `NotFound`."""
        data = await self.store.blob(digest)
        if data is None:
            raise NotFound(f"The file {digest} is not in the store any more.")
        return data

    def registry(self, state: State) -> Registry:
        """The tools of the mode in use; while a step is open, those that it was offered."""
        return self.registries[self.loop.setup.step_mode(state).id]

    def model_settings(self, state: State, model: str) -> ModelSettings:
        """What is asked of a model in this state, effort included."""
        settings = self.settings(model)
        effort = state.effort
        return replace(settings, effort=effort) if effort else settings
