"""`Agent` and `Mode`: what an application says about who works, and how."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeAlias

from longrein.capabilities.base import Capability
from longrein.core.policy import Rule
from longrein.models.base import Model, ModelSettings
from longrein.tools.define import Function, Tool

ModelChoice: TypeAlias = str | Model
"""A name such as `"anthropic:NAME"`, or a model object."""

Chain: TypeAlias = ModelChoice | Sequence[ModelChoice]
Tools: TypeAlias = Sequence[Tool | Function]

DEFAULT_SETTINGS = ModelSettings()


@dataclass(frozen=True, slots=True)
class Agent:
    """Who works: instructions, a model, tools and capabilities.

    `base_prompt` says how to work, whatever the work is: it comes before `instructions`, and a
    profile may have another for its model. Nothing takes the place of `instructions`.
    `model` is one model, or several of which each takes over when the one before cannot answer.
    `instructions`, `model` and `tools` may be functions of the dependencies that the harness makes
    for each session (`Harness(deps=...)`); they are asked when a session is opened.

    >>> from longrein import Agent
    >>> Agent("assistant", instructions="Be brief.", model="anthropic:NAME").name
    'assistant'
    """

    name: str
    _: KW_ONLY
    instructions: str | Callable[[Any], str] = ""
    model: Chain | Callable[[Any], Chain] = ()
    tools: Tools | Callable[[Any], Tools] = ()
    capabilities: Sequence[Capability] = ()
    settings: ModelSettings = DEFAULT_SETTINGS
    base_prompt: str = ""


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of working, layered on an agent. None leaves what the agent has.

    `tools` are used instead of the agent's, `additional_tools` beside them; capabilities keep
    theirs. Of all these the model sees only `visible`, by name, if that is given. `rules` hold in
    this mode beside all others. `transitions_to` is the mode that an approved plan leads to.
    The mode with `default`, or else the first, is that of a new thread; `name` and `metadata` are
    for the application.

    >>> from longrein import Mode, Rule
    >>> Mode("plan", instructions="Only plan.", rules=[Rule("deny", category="edit")]).id
    'plan'
    """

    id: str
    _: KW_ONLY
    name: str = ""
    instructions: str = ""
    tools: Tools | None = None
    additional_tools: Tools | None = None
    visible: Sequence[str] | None = None
    model: Chain | None = None
    rules: Sequence[Rule] = ()
    transitions_to: str = ""
    default: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
