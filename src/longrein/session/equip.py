"""What each session works with, made from what its harness has."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from inspect import isawaitable
from typing import Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from longrein.capabilities.base import Capability
from longrein.capabilities.opening import Opening
from longrein.context.summary import Compaction
from longrein.core.ids import Clock, Ids
from longrein.core.redact import Redactor
from longrein.loop.advance import Loop
from longrein.loop.assemble import Blueprint
from longrein.loop.retry import Retry
from longrein.loop.setup import Setup, Shared
from longrein.models.base import Model, ModelSettings
from longrein.models.settings import merged, settings_for
from longrein.models.shelf import Models
from longrein.session.backdoor import Backdoor
from longrein.session.children.kin import Family, Kin
from longrein.session.children.lineage import Lineage, Offspring, lineage_of
from longrein.session.ending import Opened
from longrein.session.host import Host
from longrein.session.resources import Resources
from longrein.session.services import Services
from longrein.session.sessions import Release
from longrein.session.user_state import UserState
from longrein.storage.base import Store, ThreadRow
from longrein.tools.output import check, check_schema

SUMMARIES = "custom:summaries"
"""The name of a model for summaries that came as an object."""

Deps: TypeAlias = Callable[[str, str, str], Any]
"""Called with resource, scope and thread; may be async, or give an async context manager."""


class Equipment(Struct, frozen=True):
    """Everything that a harness has for its sessions."""

    blueprint: Blueprint
    models: Models
    model_settings: Mapping[str, ModelSettings]
    titles: str
    compaction: Compaction
    kept: UserState
    deps: Deps | None
    json_schema: Callable[[], Any]
    store: Store
    host: Host
    resources: Resources
    clock: Clock
    ids: Ids
    redactor: Redactor
    retry: Retry
    chance: Callable[[], float]
    offspring: Offspring = field(default_factory=Offspring)

    async def equip(
        self, row: ThreadRow, scope: str, family: Family, parent: Kin | None
    ) -> tuple[Services, Opened, Release]:
        """What a session of this thread works with, the capabilities that were made for it, and
        what lets go of all.

        Raises `UsageError` for a child of whom its `parent` knows no more what it is.
        """
        lineage = lineage_of(family, parent, row.agent)
        if lineage.child is None:
            return await self._equipped(row, scope, lineage)
        blueprint = self.offspring.of(lineage.child)
        child = replace(self, blueprint=blueprint, titles="")
        return await child._equipped(row, scope, lineage)

    async def _equipped(
        self, row: ThreadRow, scope: str, lineage: Lineage
    ) -> tuple[Services, Opened, Release]:
        async with AsyncExitStack() as stack:
            deps = await self._made(stack, row, scope)
            shared = await self.resources.get(row.resource)
            stack.callback(self.resources.release, row.resource)
            rules = self.blueprint.rules
            backdoor = Backdoor()
            opening = Opening(row.resource, scope, row.id, self.store, deps, rules, beside=backdoor)
            opening = lineage.narrowed(opening)
            places = tuple(one.places(opening) for one in self.blueprint.capabilities)
            names = tuple(one.name for one in self.blueprint.capabilities)
            opening = replace(opening, places=places, capabilities=names)
            opened = Opened()
            stack.push_async_callback(opened.close)
            capabilities = await self._opened(opened, opening)
            services = await self._services(opening, backdoor, shared, capabilities, lineage)
            return services, opened, stack.pop_all().aclose

    async def _made(self, stack: AsyncExitStack, row: ThreadRow, scope: str) -> Any:
        """The dependencies of a session; a context manager is left when the session is closed."""
        if self.deps is None:
            return None
        made = self.deps(row.resource, scope, row.id)
        if isawaitable(made):
            made = await made
        if hasattr(made, "__aenter__") and hasattr(made, "__aexit__"):
            return await stack.enter_async_context(made)
        return made

    async def _opened(self, opened: Opened, opening: Opening) -> tuple[Capability, ...]:
        """The capabilities as they work in a session; those made for it are closed with it."""
        working: list[Capability] = []
        for one in self.blueprint.capabilities:
            own = await one.open(opening)
            if own is not one:
                opened.add(own)
            working.append(own)
        return tuple(working)

    async def _services(
        self,
        opening: Opening,
        backdoor: Backdoor,
        shared: Shared,
        capabilities: tuple[Capability, ...],
        lineage: Lineage,
    ) -> Services:
        blueprint = self.blueprint
        assembled = await blueprint.assemble(opening, shared, capabilities)
        return Services(
            loop=Loop(
                lineage.bound(self._fitted(assembled.setup), opening.thread),
                assembled.prompt.saying(assembled.prompt.sections, self.redactor.text),
                self.ids,
                self.models,
                self._settings,
            ),
            registries=assembled.registries,
            model=_with(assembled.given, lineage.models(self.models.get)),
            scope=opening.scope,
            deps=opening.deps,
            opening=opening,
            backdoor=backdoor,
            store=self.store,
            host=self.host,
            resources=self.resources,
            kept=self.kept,
            capabilities=assembled.capabilities,
            commands=assembled.commands,
            folding=blueprint.folding,
            settings=self._settings,
            price=self.models.price,
            window=self.models.window_now,
            load_prices=self.models.load_prices,
            check=lambda text, schema: check(text, schema, self.json_schema()),
            check_schema=lambda schema: check_schema(schema, self.json_schema()),
            titles=self.titles,
            clock=self.clock,
            ids=self.ids,
            redactor=self.redactor,
            retry=self.retry,
            chance=self.chance,
            blueprint=blueprint,
            family=lineage.family,
            parent=lineage.parent,
        )

    def _fitted(self, setup: Setup) -> Setup:
        """The setup with what is known of models, and of how requests to them become shorter."""
        model = self.compaction.model
        return replace(
            setup,
            compaction=self.compaction,
            summaries=model if isinstance(model, str) else SUMMARIES,
            window=self.models.window_now,
        )

    def _settings(self, model: str) -> ModelSettings:
        profile = self.blueprint.profiles.of(model)
        base = merged(profile.settings, self.blueprint.agent.settings)
        return settings_for(model, base, self.model_settings)


def _with(
    given: Mapping[str, Model], others: Callable[[str], Awaitable[Model]]
) -> Callable[[str], Awaitable[Model]]:
    async def model(name: str) -> Model:
        return given[name] if name in given else await others(name)

    return model
