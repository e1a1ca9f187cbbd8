"""Observational memory for the agent of the command line, by settings."""

from pathlib import Path

import pytest

from longrein.capabilities.observing.memory import ObservationalMemory
from longrein.cli.agent import own_agent
from longrein.cli.ground import Ground
from longrein.core.errors import UsageError
from longrein.settings.layer import Layer, parse
from longrein.settings.merge import merge

FILE = Path("settings.toml")


def layer(text: str) -> Layer:
    return parse(text.encode(), FILE)


def observed(*layers: Layer) -> bool:
    agent, _ = own_agent(merge(layers), Ground(None), ())
    return any(isinstance(one, ObservationalMemory) for one in agent.capabilities)


def test_nobody_is_observed_unless_that_is_asked_for() -> None:
    assert not observed(Layer())
    assert not observed(layer("[observing]\nobserve_at = 5000"))
    assert observed(layer("[observing]\nenabled = true"))


def test_the_later_layer_wins_key_by_key() -> None:
    first = layer('[observing]\nenabled = true\nmodel = "a:1"\nobserve_at = 5000')
    second = layer('[observing]\nmodel = "b:1"')
    said = merge([first, second]).observing
    assert (said.enabled, said.model, said.observe_at) == (True, "b:1", 5000)
    assert not observed(first, layer("[observing]\nenabled = false"))


@pytest.mark.parametrize(
    "line", ["observe_at = 0", "reflect_at = -1", "modle = 'a:1'", "model = 1"]
)
def test_what_cannot_be_meant_names_the_key(line: str) -> None:
    with pytest.raises(UsageError, match="observing"):
        layer(f"[observing]\n{line}")
