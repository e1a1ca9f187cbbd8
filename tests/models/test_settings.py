"""Settings for each model."""

from longrein.models.base import ModelSettings
from longrein.models.settings import merged, settings_for

BASE = ModelSettings(100, 0.5, "low", {"seed": 1, "user": "a"})


def test_what_is_set_wins() -> None:
    over = ModelSettings(200, 0.0, "max", {"seed": 2})
    assert merged(BASE, over) == ModelSettings(200, 0.0, "max", {"seed": 2, "user": "a"})


def test_what_is_not_set_stays() -> None:
    assert merged(BASE, ModelSettings()) == BASE
    assert merged(ModelSettings(), BASE) == BASE


def test_taking_no_media_is_not_the_same_as_saying_nothing() -> None:
    by_model = {"house": ModelSettings(media=("image",)), "house:blind": ModelSettings(media=())}
    assert settings_for("house:blind", BASE, by_model).media == ()
    assert settings_for("house:other", BASE, by_model).media == ("image",)
    assert settings_for("other:one", BASE, by_model).media is None


def test_a_model_comes_after_its_provider() -> None:
    by_model = {
        "house:large": ModelSettings(effort="high"),
        "house": ModelSettings(effort="none", max_output=9),
    }
    assert settings_for("house:large", BASE, by_model) == ModelSettings(
        9, 0.5, "high", {"seed": 1, "user": "a"}
    )
    assert settings_for("house:small", BASE, by_model).effort == "none"


def test_other_models_keep_what_is_for_all() -> None:
    assert settings_for("house:large", BASE, {"other": ModelSettings(1)}) is BASE


def test_a_name_with_colons_is_one_name() -> None:
    by_model = {"openrouter:meta/llama:free": ModelSettings(7)}
    assert settings_for("openrouter:meta/llama:free", BASE, by_model).max_output == 7


def test_extra_of_all_three_is_merged() -> None:
    by_model = {"a": ModelSettings(extra={"x": 1, "y": 1}), "a:b": ModelSettings(extra={"y": 2})}
    assert settings_for("a:b", BASE, by_model).extra == {"seed": 1, "user": "a", "x": 1, "y": 2}
