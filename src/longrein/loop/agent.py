"""`Agent` and `Mode`: what an application says about who works, and how."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from longrein.core.records import Rule
from longrein.models.base import Model, ModelSettings
from longrein.tools.define import Function, Tool

ModelChoice: TypeAlias = str | Model
"""A name such as `"anthropic:NAME"`, or a model object."""


DEFAULT_SETTINGS = ModelSettings()


@dataclass(frozen=True, slots=True)
class Agent:
    """Who works: instructions, a model and tools.

    `model` is one model, or several of which each takes over when the one before cannot answer.

    >>> from longrein import Agent
    >>> Agent("assistant", instructions="Be brief.", model="anthropic:NAME").name
    'assistant'
    """

    name: str
    _: KW_ONLY
    instructions: str = ""
    model: ModelChoice | Sequence[ModelChoice] = ()
    tools: Sequence[Tool | Function] = ()
    settings: ModelSettings = DEFAULT_SETTINGS


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of working, layered on an agent. None leaves what the agent has.

    `tools` are used instead of the agent's. `rules` hold in this mode beside all others.

    >>> from longrein import Mode, Rule
    >>> Mode("plan", instructions="Only plan.", rules=[Rule("deny", category="edit")]).id
    'plan'
    """

    id: str
    _: KW_ONLY
    instructions: str = ""
    tools: Sequence[Tool | Function] | None = None
    model: ModelChoice | Sequence[ModelChoice] | None = None
    rules: Sequence[Rule] = ()
