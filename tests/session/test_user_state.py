"""The application's state: what is read, what an update writes, and what opening finds out."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, TypedDict

import msgspec
import pydantic
import pytest
from msgspec.structs import replace
from pydantic.alias_generators import to_camel

from longrein.core.errors import UsageError
from longrein.core.events import Event, StateChanged, StateInvalid
from longrein.core.evolve import evolve
from longrein.core.state import State
from longrein.session.user_state import UserState


class Address(pydantic.BaseModel):
    city: str = "Bonn"
    lines: list[str] = []


class Profile(pydantic.BaseModel):
    name: str = ""
    visits: Annotated[int, pydantic.Field(ge=0)] = 0
    address: Address = Address()
    tags: set[str] = set()

    @pydantic.field_validator("name")
    @classmethod
    def _strip(cls, name: str) -> str:
        return name.strip()


class Exact(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    name: str = ""


class Open(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")

    name: str = ""


class Required(pydantic.BaseModel):
    name: str


class Camel(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(alias_generator=to_camel, populate_by_name=True)

    user_name: str = ""


class Totals(pydantic.BaseModel):
    parts: list[int] = []
    total: int = 0

    def model_post_init(self, context: Any) -> None:
        self.total = sum(self.parts)


@dataclass
class DataProfile:
    name: str = ""
    visits: int = 0
    seen: list[str] = field(default_factory=list[str])


class StructProfile(msgspec.Struct, omit_defaults=True):
    name: str = ""
    visits: int = 0
    seen: list[str] = []


class DictProfile(TypedDict, total=False):
    name: str
    visits: int


def fold(state: State, events: list[Event]) -> State:
    for event in events:
        state = evolve(state, replace(event, seq=state.seq + 1))
    return state


def only(events: list[Event]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The changes and the removed keys of the one event."""
    (event,) = events
    assert isinstance(event, StateChanged)
    return event.changes, event.removed


def complaint(events: list[Event]) -> StateInvalid:
    return next(event for event in events if isinstance(event, StateInvalid))


def kept(**data: Any) -> State:
    return State(data=data)


def broken(old: Any) -> dict[str, Any]:
    raise LookupError("not there")


@pytest.mark.parametrize("model", [Profile, DataProfile, StructProfile])
def test_a_new_thread_has_the_defaults_of_the_type(model: Any) -> None:
    assert UserState(model).read(State()) == model()


def test_a_new_thread_has_the_instance_that_was_given() -> None:
    assert UserState(Required(name="Ada")).read(State()) == Required(name="Ada")
    assert UserState(Required(name="Ada")).read(kept(name="Bob")) == Required(name="Bob")


def test_without_a_model_any_object_is_kept() -> None:
    assert UserState().read(State()) == {}
    assert UserState({"a": 1}).read(kept(b=2)) == {"a": 1, "b": 2}
    assert only(UserState().update(State(), {"a": {"b": [None]}})) == ({"a": {"b": [None]}}, ())


def test_a_typed_dict_is_a_model() -> None:
    assert UserState(DictProfile).read(kept(visits=1)) == {"visits": 1}
    assert "`visits`" in UserState(DictProfile).problem(kept(visits="many"))


def test_what_is_kept_stands_over_the_start() -> None:
    read = UserState(Profile).read(kept(name="Ada", address={"city": "Rome"}))
    assert read == Profile(name="Ada", address=Address(city="Rome"))


def test_changing_what_was_read_changes_nothing_for_others() -> None:
    state, thread = UserState(Profile), kept(tags=["a"])
    mine = state.read(thread)
    mine.tags.add("b")
    mine.address.lines.append("b")
    assert state.read(thread) == Profile(tags={"a"})
    assert thread.data == {"tags": ["a"]}


def test_changing_a_plain_object_that_was_read_changes_nothing_for_others() -> None:
    start: dict[str, Any] = {"seen": ["a"]}
    state, thread = UserState(start), kept(tags=["a"])
    mine = state.read(thread)
    mine["seen"].append("b")
    mine["tags"].append("b")
    assert state.read(thread) == {"seen": ["a"], "tags": ["a"]}
    assert start == {"seen": ["a"]}


def test_what_does_not_fit_is_not_read_and_the_fields_are_named() -> None:
    with pytest.raises(UsageError, match=r"`visits`.*`address\.city`.*migrate="):
        UserState(Profile).read(kept(visits="many", address={"city": 3}))
    assert UserState(Profile).problem(kept(visits=-1)).startswith("`visits`: ")


def test_a_type_with_a_field_without_a_default_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Required.*`name`.*an instance"):
        UserState(Required)


@pytest.mark.parametrize("model", [int, list[int], [1, 2], 3, object, object(), {"a": object()}])
def test_what_cannot_be_kept_as_a_json_object_is_refused(model: Any) -> None:
    with pytest.raises(UsageError):
        UserState(model)


def test_a_start_that_its_own_model_refuses_is_refused() -> None:
    with pytest.raises(UsageError, match="visits"):
        UserState(Profile.model_construct(visits=-1))


@pytest.mark.parametrize("model", [Profile, DataProfile, StructProfile])
def test_an_update_writes_only_what_really_changes(model: Any) -> None:
    state, thread = UserState(model), kept(name="Ada")
    assert only(state.update(thread, {"name": "Ada", "visits": 2})) == ({"visits": 2}, ())
    assert state.update(thread, {"name": "Ada", "visits": 0}) == []


@pytest.mark.parametrize("model", [Profile, DataProfile, StructProfile])
def test_a_value_goes_back_to_the_default_and_is_read_so(model: Any) -> None:
    state, thread = UserState(model), kept(visits=2)
    events = state.update(thread, {"visits": 0})
    assert only(events) == ({"visits": 0}, ())
    assert state.read(fold(thread, events)).visits == 0


@pytest.mark.parametrize("model", [Profile, DataProfile, StructProfile])
def test_an_update_that_does_not_fit_is_refused_and_names_the_field(model: Any) -> None:
    with pytest.raises(UsageError, match="not changed: `visits`: "):
        UserState(model).update(State(), {"visits": "many", "name": "Ada"})


def test_a_value_is_kept_as_the_model_makes_it() -> None:
    assert only(UserState(Profile).update(State(), {"name": "  Ada "})) == ({"name": "Ada"}, ())
    assert UserState(Profile).update(kept(name="Ada"), {"name": " Ada"}) == []


def test_what_the_model_changes_along_with_it_is_kept_too() -> None:
    changes, _ = only(UserState(Totals).update(State(), {"parts": [1, 2]}))
    assert changes == {"parts": [1, 2], "total": 3}


def test_a_nested_model_may_be_given_as_itself_or_as_values() -> None:
    state = UserState(Profile)
    as_itself = only(state.update(State(), {"address": Address(city="Rome")}))
    assert as_itself == ({"address": {"city": "Rome", "lines": []}}, ())
    assert as_itself == only(state.update(State(), {"address": {"city": "Rome"}}))


def test_attributes_may_be_named_as_in_python_or_as_in_json() -> None:
    state = UserState(Camel)
    thread = fold(State(), state.update(State(), {"user_name": "Ada"}))
    assert thread.data == {"userName": "Ada"}
    assert state.update(thread, {"userName": "Ada"}) == []
    assert state.read(fold(thread, state.update(thread, {"user_name": "Bob"}))).user_name == "Bob"
    assert only(state.update(thread, {}, removed=["user_name"])) == ({}, ("userName",))


def test_keys_that_the_model_does_not_know_follow_its_own_policy() -> None:
    with pytest.raises(UsageError, match=r"`vists`: no such field\. Did you mean 'visits'"):
        UserState(Profile).update(State(), {"vists": 1})
    assert only(UserState(Open).update(State(), {"other": 1})) == ({"other": 1}, ())
    with pytest.raises(UsageError, match="`other`"):
        UserState(Exact).update(State(), {"other": 1})


def test_a_removed_key_has_the_value_of_the_start_again() -> None:
    state, thread = UserState(Profile(name="Ada")), kept(name="Bob", visits=1)
    events = state.update(thread, {}, removed=["name"])
    assert only(events) == ({}, ("name",))
    assert state.read(fold(thread, events)) == Profile(name="Ada", visits=1)
    assert state.update(thread, {}, removed=["tags", "nothing"]) == []


@pytest.mark.parametrize(
    ("value", "stored"), [(True, True), (datetime(2026, 1, 2), "2026-01-02T00:00:00"), ((1,), [1])]
)
def test_what_is_kept_is_what_json_gives_back(value: Any, stored: Any) -> None:
    assert only(UserState().update(kept(a=1), {"a": value})) == ({"a": stored}, ())


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="`visits`"):
        UserState(Profile).update(State(), {"visits": float("inf")})


@pytest.mark.parametrize("changes", [{"name": object()}, [1], "name"])
def test_what_is_no_change_is_refused(changes: Any) -> None:
    with pytest.raises(UsageError, match="not changed"):
        UserState(Profile).update(State(), changes)


def test_a_set_that_is_kept_in_another_order_has_not_changed() -> None:
    words = [f"w{n}" for n in range(30)]
    events = UserState(Profile).update(kept(tags=words[::-1]), {"visits": 1})
    assert only(events) == ({"visits": 1}, ())


def test_a_mapping_is_applied_as_an_update() -> None:
    assert only(UserState(Profile).apply(State(), {"visits": 1})) == ({"visits": 1}, ())


def test_a_function_may_return_the_new_state() -> None:
    events = UserState(Profile).apply(kept(visits=1), lambda old: Profile(visits=old.visits + 1))
    assert only(events) == ({"visits": 2}, ())


@pytest.mark.parametrize("model", [Profile, DataProfile, StructProfile])
def test_a_function_may_change_the_state_that_it_is_given(model: Any) -> None:
    def visit(profile: Any) -> None:
        profile.visits += 1

    thread = kept(visits=1)
    assert only(UserState(model).apply(thread, visit)) == ({"visits": 2}, ())
    assert thread.data == {"visits": 1}


def test_a_function_may_take_a_key_of_a_plain_object_away() -> None:
    def tidy(data: dict[str, Any]) -> None:
        del data["a"]
        data["b"].append(1)

    thread = kept(a=1, b=[])
    assert fold(thread, UserState().apply(thread, tidy)).data == {"b": [1]}
    assert thread.data == {"a": 1, "b": []}


def test_a_function_that_changes_nothing_writes_nothing() -> None:
    assert UserState(Profile).apply(kept(name="Ada", old=1), lambda profile: profile) == []


def test_what_a_function_makes_is_held_against_the_model() -> None:
    with pytest.raises(UsageError, match="`visits`"):
        UserState(Profile).apply(State(), lambda profile: setattr(profile, "visits", -1))


@pytest.mark.parametrize("returned", [{"visits": 1}, 3, DataProfile()])
def test_a_function_that_returns_something_else_is_refused(returned: Any) -> None:
    with pytest.raises(UsageError, match="return Profile"):
        UserState(Profile).apply(State(), lambda profile: returned)


def test_what_a_function_raises_reaches_its_caller() -> None:
    with pytest.raises(LookupError, match="not there"):
        UserState(Profile).apply(State(), broken)


def test_opening_what_fits_writes_nothing_and_new_fields_have_their_defaults() -> None:
    assert UserState(Profile, broken).opening(State()) == []
    assert UserState(Profile, broken).opening(kept(name="Ada")) == []
    assert UserState(Profile).read(kept(name="Ada")).address == Address()


def test_a_type_that_changed_is_named_and_nothing_is_lost() -> None:
    thread = kept(visits="many", name="Ada")
    event = complaint(UserState(Profile).opening(thread))
    assert event.fields == ("visits",)
    after = fold(thread, [event])
    assert after.invalid == event.message
    assert after.data == thread.data


def test_the_same_complaint_is_not_written_at_every_opening() -> None:
    state, thread = UserState(Profile), kept(visits="many")
    thread = fold(thread, state.opening(thread))
    assert state.opening(thread) == []
    other = replace(thread, data={"visits": "many", "name": 3})
    assert complaint(state.opening(other)).fields == ("name", "visits")


def test_an_update_that_makes_it_fit_mends_it() -> None:
    state, thread = UserState(Profile), kept(visits="many", name="Ada")
    thread = fold(thread, state.opening(thread))
    with pytest.raises(UsageError, match="`visits`"):
        state.update(thread, {"name": "Bob"})
    thread = fold(thread, state.update(thread, {"visits": 3}))
    assert thread.invalid == ""
    assert state.read(thread) == Profile(name="Ada", visits=3)


def test_a_field_that_the_model_forbids_now_is_mended_by_removing_it() -> None:
    state, thread = UserState(Exact), kept(name="Ada", old=1)
    assert complaint(state.opening(thread)).fields == ("old",)
    assert only(state.update(thread, {}, removed=["old"])) == ({}, ("old",))


@pytest.mark.parametrize("state", [UserState(), UserState(Profile, lambda old: {})])
def test_a_model_or_a_migration_that_fits_takes_the_complaint_back(state: UserState) -> None:
    thread = kept(visits="many")
    thread = fold(thread, UserState(Profile).opening(thread))
    assert fold(thread, state.opening(thread)).invalid == ""


def test_migrate_changes_and_removes_keys() -> None:
    state = UserState(Profile, lambda old: {"visits": len(old["visits"]), "name": old["called"]})
    thread = kept(visits=["a", "b"], called=" Ada")
    events = state.opening(thread)
    assert only(events) == ({"name": "Ada", "visits": 2}, ("called",))
    assert state.opening(fold(thread, events)) == []


def test_migrate_is_asked_about_a_renamed_field_that_the_model_ignores() -> None:
    state = UserState(Profile, lambda old: {"name": old.pop("called"), **old})
    assert only(state.opening(kept(called="Ada", visits=1))) == ({"name": "Ada"}, ("called",))


def test_a_key_that_migrate_leaves_and_the_model_ignores_is_let_go() -> None:
    assert only(UserState(Profile, lambda old: old).opening(kept(old=1))) == ({}, ("old",))


def test_migrate_cannot_change_what_is_kept() -> None:
    def migrate(old: dict[str, Any]) -> dict[str, Any]:
        old["address"]["city"] = "Rome"
        return old

    thread = kept(address={"city": 3})
    assert only(UserState(Profile, migrate).opening(thread))[0]["address"]["city"] == "Rome"
    assert thread.data == {"address": {"city": 3}}


def test_migrate_that_raises_does_not_keep_the_thread_from_opening() -> None:
    thread = kept(visits="many")
    event = complaint(UserState(Profile, broken).opening(thread))
    assert event.fields == ("visits",)
    assert "LookupError: not there" in event.message
    assert UserState(Profile, broken).opening(fold(thread, [event])) == []


@pytest.mark.parametrize("given", [{"visits": "still"}, {"visits": object()}, None, [1]])
def test_migrate_that_gives_what_does_not_fit_is_told(given: Any) -> None:
    event = complaint(UserState(Profile, lambda old: given).opening(kept(visits="many")))
    assert "migrate=" in event.message
