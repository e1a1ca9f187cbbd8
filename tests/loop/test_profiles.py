"""Profiles: keys, merging, and what they come to for a model."""

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.capabilities.ask_user import AskUser
from longrein.capabilities.base import Capability
from longrein.capabilities.plans import Plans
from longrein.capabilities.todos import Todos
from longrein.core.errors import UsageError
from longrein.loop.profiles.builtin import BUILT_IN
from longrein.loop.profiles.profile import Added, Excluded, Profile, merged
from longrein.loop.profiles.registry import Profiles, check_key, register_profile, standing
from longrein.models.base import ModelSettings

TEXTS = st.sampled_from(("", "One.", "Two.\n", " Three."))
NAMES = st.sampled_from(("ls", "grep", "task"))
ADDED: st.SearchStrategy[Added] = st.sampled_from((Todos(), Plans(), AskUser, lambda: Todos()))
EXCLUDED: st.SearchStrategy[Excluded] = st.sampled_from((Todos, Plans, "ask_user", "Todos", "x"))

some_profile = st.builds(
    Profile,
    prompt=TEXTS,
    base_prompt=st.none() | TEXTS,
    tool_descriptions=st.dictionaries(NAMES, TEXTS, max_size=2),
    excluded_tools=st.frozensets(NAMES),
    capabilities=st.lists(ADDED, max_size=3),
    excluded_capabilities=st.frozensets(EXCLUDED, max_size=2),
    settings=st.builds(
        ModelSettings,
        max_output=st.none() | st.just(100),
        effort=st.none() | st.sampled_from(("low", "high")),
        extra=st.dictionaries(NAMES, st.integers(0, 3), max_size=2),
    ),
    alone=st.booleans(),
    reason=TEXTS,
)


@settings(deadline=None)
@given(some_profile, some_profile, some_profile)
def test_merging_is_associative(one: Profile, two: Profile, three: Profile) -> None:
    assert merged(merged(one, two), three) == merged(one, merged(two, three))


@settings(deadline=None)
@given(some_profile)
def test_merging_with_an_empty_profile_changes_nothing(one: Profile) -> None:
    whole = merged(Profile(), one)
    assert merged(whole, Profile()) == whole


@settings(deadline=None)
@given(some_profile, some_profile)
def test_a_models_own_profile_is_merged_over_that_of_its_provider(
    provider: Profile, model: Profile
) -> None:
    # Given the other way round: how near a key is counts before the order.
    found = Profiles({"house:large": model, "house": provider})
    assert found.of("house:large") == merged(merged(Profile(), provider), model)
    assert found.of("house:other") == merged(Profile(), provider)


def test_prompts_and_exclusions_add_up_and_the_rest_is_replaced() -> None:
    below = Profile(
        prompt="One.",
        base_prompt="Old.",
        tool_descriptions={"ls": "Old.", "grep": "Kept."},
        excluded_tools=frozenset(("ls",)),
        settings=ModelSettings(max_output=5, effort="low"),
    )
    above = Profile(
        prompt="Two.",
        base_prompt="New.",
        tool_descriptions={"ls": "New."},
        excluded_tools=frozenset(("grep",)),
        settings=ModelSettings(effort="high"),
    )
    both = merged(below, above)
    assert both.prompt == "One.\n\nTwo."
    assert both.base_prompt == "New."
    assert both.tool_descriptions == {"ls": "New.", "grep": "Kept."}
    assert both.excluded_tools == {"ls", "grep"}
    assert both.settings == ModelSettings(max_output=5, effort="high")


def test_a_profile_that_stands_alone_is_all_that_holds() -> None:
    found = Profiles({"house": Profile(prompt="One."), "house:a": Profile(alone=True)})
    assert found.of("house:a") == Profile(alone=True)


def test_longer_beginnings_are_nearer_than_shorter_ones_and_the_whole_name_is_nearest() -> None:
    found = Profiles(
        {
            "house:large-2": Profile(prompt="4"),
            "house:large*": Profile(prompt="3"),
            "house": Profile(prompt="1"),
            "house:l*": Profile(prompt="2"),
            "house:x*": Profile(prompt="never"),
            "hous": Profile(prompt="never"),
        }
    )
    assert found.of("house:large-2").prompt.split() == ["1", "2", "3", "4"]


def test_what_is_given_later_is_stronger_for_the_same_key() -> None:
    first = Profiles({"house": Profile(base_prompt="First.", prompt="1")})
    both = first.adding("given", {"house": Profile(base_prompt="Second.", prompt="2")})
    assert both.of("house:a").base_prompt == "Second."
    assert both.of("house:a").prompt == "1\n\n2"
    assert first.of("house:a").base_prompt == "First."


def test_a_stronger_profile_takes_away_what_a_weaker_one_adds() -> None:
    below = Profile(capabilities=(Todos, Plans()))
    above = Profile(excluded_capabilities=frozenset((Todos, "plans")), capabilities=(AskUser,))
    assert merged(below, above).capabilities == (AskUser,)


def test_what_is_registered_is_stronger_than_settings_and_packages() -> None:
    register_profile("test-registered", Profile(base_prompt="Registered."))
    settings = {"test-registered": Profile(base_prompt="Of a file.", prompt="Both.")}
    found = standing((), settings).of("test-registered:a")
    assert (found.base_prompt, found.prompt) == ("Registered.", "Both.")


@pytest.mark.parametrize("key", ["", ":", "house:", ":large", "ho use", "*", "ho*:a", "house:a*b"])
def test_a_key_that_no_model_could_have_is_refused(key: str) -> None:
    with pytest.raises(UsageError, match="no key of a profile"):
        check_key(key)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"prompt": 3}, "prompt of a profile is a text"),
        ({"excluded_tools": "ls"}, "excluded_tools of a profile is a list of names"),
        ({"excluded_capabilities": [3]}, "classes or names; 3 is neither"),
        ({"capabilities": ["todos"]}, "capabilities, or functions that make one"),
        ({"tool_descriptions": {"ls": 3}}, "tool_descriptions of a profile is a dict"),
        ({"settings": {"effort": "low"}}, "settings of a profile is an object of ModelSettings"),
    ],
)
def test_what_cannot_be_in_a_profile_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Profile(**fields)


def test_every_built_in_profile_says_what_it_is_there_for() -> None:
    for key, profile in BUILT_IN.items():
        check_key(key)
        assert profile.reason, key


def test_what_is_no_profile_is_refused() -> None:
    with pytest.raises(UsageError, match="profiles is a dict from names to Profile"):
        Profiles(cast("Any", {"house": {"prompt": "One."}}))


def test_a_capability_can_be_excluded_by_its_class_its_name_or_a_class_above_it() -> None:
    todos = Todos()
    for one in (Todos, "todos", "Todos", Capability):
        assert Profile(excluded_capabilities=frozenset((one,))).excludes(todos)
