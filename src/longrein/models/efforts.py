"""How deeply a model can be asked to think, and the nearest to what was asked that it accepts."""

from collections.abc import Sequence
from typing import get_args

from longrein.models.base import Effort

LEVELS: tuple[Effort, ...] = get_args(Effort)
"""From none at all to the most."""


def accepted(model: str, otherwise: Sequence[Effort]) -> Sequence[Effort]:
    """The levels that a model is known to accept, else those of its server.

    Nothing at all: it does not think, and refuses a request that mentions it.
    """
    for beginning, levels in _ACCEPTED:
        if model.startswith(beginning):
            return levels
    return otherwise


def nearest(asked: Effort, levels: Sequence[Effort]) -> Effort | None:
    """The level closest to what was asked, the lower of two; None where there are no levels.

    Who asks for any thinking gets some, and who asks for none the least that there is.

    >>> nearest("max", ("low", "medium", "high"))
    'high'
    >>> nearest("minimal", ("none", "low", "medium"))
    'low'
    """
    if asked in levels:
        return asked
    rising: Sequence[Effort] = [x for x in LEVELS if x in levels and x != "none"] or levels
    place = LEVELS.index(asked)
    return min(rising, key=lambda level: abs(LEVELS.index(level) - place), default=None)


def _levels(names: str) -> tuple[Effort, ...]:
    return tuple(level for level in LEVELS if level in names.split())


_ACCEPTED: tuple[tuple[str, tuple[Effort, ...]], ...] = (
    ("gpt-3", ()),
    ("gpt-4", ()),
    ("ft:gpt-3", ()),
    ("ft:gpt-4", ()),
    ("chatgpt-4o", ()),
    ("gpt-5-chat", ()),
    ("gpt-5-codex", _levels("low medium high")),
    ("gpt-5-pro", _levels("high")),
    ("gpt-5.1-chat", _levels("medium")),
    ("gpt-5.1-codex-max", _levels("low medium high xhigh")),
    ("gpt-5.1-codex", _levels("low medium high")),
    ("gpt-5.1", _levels("none low medium high")),
    ("gpt-5.2-chat", _levels("medium")),
    ("gpt-5.2-pro", _levels("medium high xhigh")),
    ("gpt-5.3-chat", _levels("medium")),
    ("gpt-5.4-pro", _levels("medium high xhigh")),
    ("gpt-5.5-pro", _levels("medium high xhigh")),
    ("gpt-5.6", _levels("none low medium high xhigh max")),
    ("gpt-5.", _levels("none low medium high xhigh")),
    ("gpt-5", _levels("minimal low medium high")),
    ("gpt-6-astra", _levels("low medium high xhigh max")),
    ("gpt-6.1-sol", _levels("low medium high xhigh max")),
    ("gpt-6", _levels("none low medium high xhigh max")),
    ("gpt-oss", _levels("low medium high")),
    ("openai/gpt-oss", _levels("low medium high")),
    ("o1", _levels("low medium high")),
    ("o3", _levels("low medium high")),
    ("o4", _levels("low medium high")),
    ("grok-3-mini", _levels("none low high")),
    ("grok-4.5", _levels("low medium high")),
    ("grok-4.6", _levels("low medium high")),
    ("grok-4.7", _levels("low medium high xhigh")),
)
"""By the beginning of a model's name; the first that fits counts."""
