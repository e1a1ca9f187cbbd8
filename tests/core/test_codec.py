"""Events, states, commands and answers survive being written and read."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core import commands as c
from longrein.core import events as e
from longrein.core.codec import decode_event, decode_state, encode_event, encode_state
from longrein.core.evolve import evolve
from longrein.core.messages import Text
from longrein.core.policy import Grant, Rule
from longrein.core.records import Input
from longrein.core.state import State
from longrein.core.text import clean
from longrein.core.usage import Limits, Spent
from tests.core.samples import EVENTS, PARTS

quick = settings(deadline=None, derandomize=True)
NEWER = b'{"seq":1,  "type":"moon_rose","time":7,"run":"run_1","epoch":3,"phase":{"full":[1,2.50]}}'

COMMANDS: tuple[c.Command, ...] = (
    c.Say("signal", "run_1", PARTS, "app", False, Limits(3), "{}", id="cmd_1"),
    c.Interrupt("enough", id="cmd_1"),
    c.Release(id="cmd_1"),
    c.Tag(("urgent",), id="cmd_1"),
    c.Configure({"colour": "red", "size": None}, id="cmd_1"),
    c.UpdateState({"done": [1, {"a": None}]}, ("left",), 7, id="cmd_1"),
    c.Together(
        (c.Record("todo", [1]), c.SwitchMode("plan"), c.UpdateState({"a": 1})), 7, id="cmd_1"
    ),
    c.Record("todos", {"todos": []}, id="cmd_1"),
    c.Rewind("cmd_0", True, False, True, id="cmd_1"),
    c.Compact("the API", id="cmd_1"),
    c.Pin("cmd_0", False, id="cmd_1"),
    c.EditInput("cmd_0", PARTS, id="cmd_1"),
    c.WithdrawInput("cmd_0", id="cmd_1"),
    c.ReorderQueue(("cmd_0",), id="cmd_1"),
    c.Approve("apr_1", "{}", "tool", "run", id="cmd_1"),
    c.Decline("apr_1", "no", True, id="cmd_1"),
    c.Replace("apr_1", "instead", id="cmd_1"),
    c.AnswerQuestion("qst_1", ("a", "b"), id="cmd_1"),
    c.AnswerQuestion("qst_1", "a", id="cmd_1"),
    c.Rename("title", id="cmd_1"),
    c.SwitchMode("plan", id="cmd_1"),
    c.SwitchModel("test:model", id="cmd_1"),
    c.SetTrust("yolo", id="cmd_1"),
    c.AddRule(Rule("deny", "write"), id="cmd_1"),
    c.RemoveRule("rule_1", id="cmd_1"),
    c.RevokeGrant("grant_1", id="cmd_1"),
    c.Remember((Grant("grant_1", "default:edit", "write"),), id="cmd_1"),
    c.CountChild("thr_3", Spent(cost=7), id="cmd_1"),
    c.Resume(c.Answer("applied", "run_1"), id="cmd_1"),
    c.Resume(id="cmd_1"),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_event_comes_back_as_it_was(event: e.Event) -> None:
    assert decode_event(encode_event(event)) == event


def test_there_is_a_sample_of_every_kind_of_event() -> None:
    assert {type(event) for event in EVENTS} | {e.Unknown} == set(e.Durable.__subclasses__())


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_every_command_comes_back_as_it_was(command: c.Command) -> None:
    assert c.decode_command(c.encode(command)) == command


def test_there_is_a_sample_of_every_kind_of_command() -> None:
    assert {type(command) for command in COMMANDS} == set(c.Base.__subclasses__())


def test_an_answer_comes_back_as_it_was() -> None:
    answer = c.Answer("stale", "run_1", "It was settled already.")
    assert c.decode_answer(c.encode(answer)) == answer


def test_an_event_of_a_newer_version_is_kept_byte_for_byte() -> None:
    event = decode_event(NEWER)
    assert isinstance(event, e.Unknown)
    assert (event.kind, event.seq, event.time, event.run, event.epoch) == (
        "moon_rose", 1, 7, "run_1", 3
    )  # fmt: skip
    assert encode_event(event) == NEWER


def test_an_event_of_a_newer_version_only_counts() -> None:
    state = evolve(State(thread="thr_1"), decode_event(NEWER))
    assert state == State(seq=1, thread="thr_1")


def test_an_event_that_calls_itself_unknown_is_kept_byte_for_byte() -> None:
    data = b'{"type":"unknown","kind":"x","data":"","more":1}'
    assert encode_event(decode_event(data)) == data


def test_a_new_field_in_a_known_event_is_passed_over() -> None:
    data = b'{"type":"thread_renamed","title":"t","colour":"red"}'
    assert decode_event(data) == e.ThreadRenamed("t")


def test_a_known_event_that_is_broken_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_event(b'{"type":"thread_renamed","title":7}')


@quick
@given(st.text(st.characters(categories=["Cs", "L", "Nd"])))
def test_lone_surrogates_are_mended_and_the_rest_is_kept(text: str) -> None:
    event = decode_event(encode_event(e.ThreadRenamed(text)))
    assert isinstance(event, e.ThreadRenamed)
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    mended = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in joined)
    assert event.title == mended == clean(text)


@quick
@given(st.text())
def test_text_without_surrogates_is_not_touched(text: str) -> None:
    assert clean(text) == text


def test_a_state_that_holds_a_lone_surrogate_has_a_snapshot() -> None:
    admitted = e.InputAdmitted(Input("cmd_1", "queue", "run_1", (Text("a\ud800b"),)), seq=1)
    state = evolve(State(held=True), admitted)
    read = decode_state(encode_state(state))
    assert read.queue[0].text == "a\ufffdb"


def test_a_snapshot_without_new_fields_loads() -> None:
    state = decode_state(b'{"seq":4,"thread":"thr_1","run":{"id":"run_1","limits":{},"started":3}}')
    assert state.seq == 4
    assert state.run is not None
    assert (state.run.limits, list(state.messages)) == (Limits(), [])
