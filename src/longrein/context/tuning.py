"""What a profile changes of what a model sees: words, and which tools there are."""

from collections.abc import Mapping

from msgspec import Struct


class Tuning(Struct, frozen=True):
    """The texts and tools of one model, where they are not those of all.

    `base_prompt` stands instead of the agent's own (None: that one stays), `prompt` behind all
    other sections. `tool_descriptions` are by the names of tools, `excluded_tools` are neither
    offered nor callable.
    """

    prompt: str = ""
    base_prompt: str | None = None
    tool_descriptions: Mapping[str, str] = {}
    excluded_tools: frozenset[str] = frozenset()


UNTUNED = Tuning()


def untuned(model: str) -> Tuning:
    """What is changed for a model where there are no profiles: nothing."""
    return UNTUNED
