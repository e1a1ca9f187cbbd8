"""Where a session comes from: from nobody, or from the session that it works for."""

from collections.abc import Awaitable, Callable

from msgspec import Struct
from msgspec.structs import replace

from longrein.capabilities.opening import Opening
from longrein.capabilities.subagents.spec import Subagent
from longrein.loop.assemble import Blueprint
from longrein.loop.setup import Setup
from longrein.loop.tree import Ledger
from longrein.models.base import Model
from longrein.session.children.above import Parent
from longrein.session.children.kin import Family, Kin
from longrein.session.children.offspring import (
    blueprint_of,
    file_rules,
    find,
    name_of,
    own_tools,
)
from longrein.workspace.checkpoints.values import Standing


class OfParent(Struct, frozen=True):
    """A child: whom it works for, and as whom."""

    parent: Kin
    subagent: Subagent


class Lineage(Struct, frozen=True):
    """What is special about a session because of where it stands in its tree."""

    family: Family
    child: OfParent | None = None

    @property
    def parent(self) -> Kin | None:
        return self.child.parent if self.child else None

    def narrowed(self, opening: Opening) -> Opening:
        """The opening of a child, whose place of work is no wider than its parent's."""
        if self.child is None:
            return opening
        above, own = self.child.parent.services.opening, file_rules(self.child.subagent)
        files = (*above.files, own) if own else above.files
        rules, parent, thread = (*above.rules, *opening.rules), self.child.parent, opening.thread

        def stands() -> tuple[Standing, ...]:
            state = parent.folded
            child = state.child(thread)
            own = Standing(parent.thread, state.seq, child.run if child else "")
            return (own, *above.above())

        return replace(opening, rules=rules, files=files, above=stands)

    def bound(self, setup: Setup, thread: str) -> Setup:
        """The setup of a child, which is bound by what holds in its parent at any time."""
        setup = replace(setup, ledger=Ledger(thread))
        if self.child is None:
            return setup
        parent, subagent = self.child.parent, self.child.subagent
        above = parent.services.loop
        # What the parent's capabilities demand holds through the parent.
        known = above.setup.extension_rules.get
        rules = {name: own for name, own in setup.extension_rules.items() if own != known(name)}
        return replace(
            setup,
            above=Parent(above, lambda: parent.folded, thread),
            own=frozenset(map(name_of, own_tools(subagent))),
            forked=subagent.forked,
            extension_rules=rules,
        )

    def models(
        self, others: Callable[[str], Awaitable[Model]]
    ) -> Callable[[str], Awaitable[Model]]:
        """Where models come from that the session was not given as objects."""
        return self.child.parent.services.model if self.child else others


def lineage_of(family: Family, parent: Kin | None, agent: str) -> Lineage:
    """Where a session comes from. Raises `UsageError` where its parent knows no such agent."""
    if parent is None:
        return Lineage(family)
    return Lineage(family, OfParent(parent, find(parent.services.capabilities, agent)))


class Offspring:
    """The blueprints of children, each made once."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], tuple[Subagent, Blueprint, Blueprint]] = {}

    def of(self, child: OfParent) -> Blueprint:
        """What a child of a session is made from."""
        services, subagent = child.parent.services, child.subagent
        mode = subagent.mode or services.loop.setup.mode(child.parent.folded).id
        shown = {name: frozenset(tools) for name, tools in services.registries.items()}
        key = (id(services.blueprint), id(subagent), mode, *shown.items())
        if key not in self._made:
            made = blueprint_of(services.blueprint, subagent, mode, shown)
            # What it is made of is kept with it: what is gone could leave its id to another.
            self._made[key] = (subagent, services.blueprint, made)
        return self._made[key][2]
