"""`Setup`: the frozen facts from code and settings that decisions are made with."""

from collections.abc import Mapping

from msgspec import Struct

from longrein.core.records import Category, Rule
from longrein.core.state import Run, State
from longrein.core.usage import Limits
from longrein.permissions.evaluate import Action


class ToolFacts(Struct, frozen=True):
    """What a decision needs to know of a tool."""

    name: str
    category: Category = "other"
    idempotent: bool = False
    asks: bool = False


class ModeFacts(Struct, frozen=True):
    """What a decision needs to know of a mode. `tools` are the ones that it shows."""

    id: str
    tools: Mapping[str, ToolFacts]
    instructions: str = ""
    model: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()


class Setup(Struct, frozen=True):
    """Everything that is fixed while a session lives.

    `models` is the chain of the agent: the first is used, the others take over when it fails.
    """

    modes: Mapping[str, ModeFacts]
    default_mode: str
    models: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    limits: Limits = Limits()
    parallel: int = 8

    def mode(self, state: State) -> ModeFacts:
        """The mode in use; the default one where the thread names one that is no more."""
        return self.modes.get(state.mode) or self.modes[self.default_mode]

    def chain(self, state: State) -> tuple[str, ...]:
        """The models in use: chosen in the thread, by the mode, or by the agent."""
        if state.model:
            return (state.model, *(m for m in self.models if m != state.model))
        return self.mode(state).model or self.models

    def model(self, state: State, run: Run) -> str:
        """The model of the chain whose turn it is."""
        chain = self.chain(state)
        return chain[min(run.fallback, len(chain) - 1)] if chain else ""

    def all_rules(self, state: State) -> tuple[Rule, ...]:
        """Every rule that holds now, from whatever source."""
        return (*self.rules, *self.mode(state).rules, *state.rules)

    def action(self, state: State, tool: str) -> Action | None:
        """The action of calling a tool; None where the mode does not show it."""
        facts = self.mode(state).tools.get(tool)
        return Action(facts.name, facts.category) if facts else None
