"""From a key as a person types it to a setting."""

import pytest

from longrein.core.errors import UsageError
from longrein.settings.naming import named


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("trust", ("trust",)),
        ("limits.steps", ("limits", "steps")),
        ("models.openai:gpt-4.1.effort", ("models", "openai:gpt-4.1", "effort")),
        ('models."openai:gpt-4.1".effort', ("models", "openai:gpt-4.1", "effort")),
        ("profiles.ollama.settings.effort", ("profiles", "ollama", "settings", "effort")),
    ],
)
def test_names_may_hold_dots_and_need_no_quotes(key: str, path: tuple[str, ...]) -> None:
    assert named(key).path == path


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("steps", "limits.steps"),
        ("modle", "model"),
        ("providers.local.base_ur", "providers.local.base_url"),
        ("models.openai:gpt-4.1.efort", "models.openai:gpt-4.1.effort"),
        ("providers.x", "providers"),
        ("", "`longrein config` lists them"),
        ("get", "`longrein config` lists them"),
        ("\x1b[31m", "`longrein config` lists them"),
        ("models..effort", "models"),
    ],
)
def test_a_slip_is_told_with_the_nearest_key(key: str, near: str) -> None:
    with pytest.raises(UsageError) as told:
        named(key)
    assert near in str(told.value)
