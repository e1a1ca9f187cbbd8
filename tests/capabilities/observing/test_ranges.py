"""Which messages can be observed, and how many tokens they take."""

from typing import Any, cast

import pytest

from longrein.capabilities.observing.ranges import Meter, closed, portion, tokens_of
from longrein.context.estimate import PICTURE, estimate_tokens
from longrein.core.messages import Assistant, File, Message, Note, Text, ToolResult, User
from tests.capabilities.observing.kit import WORDS, talk

ASK = User((Text("And now?"),))
ANSWER = Assistant((Text("Done."),))


class Counting(list[Message]):
    """Messages that know how many of them were looked at in slices."""

    looked = 0

    def __getitem__(self, index: Any) -> Any:
        found = cast(Any, super().__getitem__(index))
        if isinstance(index, slice):
            self.looked += len(cast("list[Message]", found))
        return found


def test_each_message_is_counted_once() -> None:
    meter, messages = Meter(), Counting(talk(3))
    meter.count(messages, 0)
    meter.count(messages, 0)
    messages += talk(1)
    meter.count(messages, 0)
    assert messages.looked == 10
    assert meter.between(0, 10) == sum(map(tokens_of, messages))
    assert meter.between(3, 5) == tokens_of(messages[3]) + tokens_of(messages[4])


def test_what_was_observed_is_let_go_of() -> None:
    meter, messages = Meter(), Counting(talk(3))
    meter.count(messages, 0)
    meter.count(messages, 4)
    assert messages.looked == 7
    assert meter.between(4, 7) == sum(map(tokens_of, messages[4:]))


@pytest.mark.parametrize("start", [0, 3])
def test_another_conversation_is_counted_anew(start: int) -> None:
    meter, messages = Meter(), talk(4)
    meter.count(messages, 0)
    other = [*messages[:5], ASK, ANSWER, ASK, ANSWER]
    meter.count(other, start)
    assert meter.between(start, 9) == sum(map(tokens_of, other[start:]))


def test_going_back_is_counted_anew() -> None:
    meter, messages = Meter(), talk(4)
    meter.count(messages, 5)
    meter.count(messages, 2)
    assert meter.between(2, 9) == sum(map(tokens_of, messages[2:]))


def test_the_newest_step_is_never_observed() -> None:
    messages = talk(3)
    assert closed(messages, 0) == 5
    assert closed(messages[:-1], 0) == 5


def test_what_the_newest_step_answers_stays_with_it() -> None:
    messages = [*talk(2), ANSWER, ASK, Note("a note"), ANSWER]
    assert closed(messages, 0) == 6


@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_first_step_is_not_over(count: int) -> None:
    assert closed(talk(1)[:count], 0) == 0


def test_nothing_is_observed_behind_the_start() -> None:
    messages = talk(2)
    assert [closed(messages, start) for start in range(6)] == [3, 3, 3, 3, 4, 5]


def test_a_portion_ends_before_a_step() -> None:
    messages, meter = talk(6), Meter()
    meter.count(messages, 0)
    for most in range(1, meter.between(0, 11), 40):
        end = portion(messages, meter, 0, 11, most)
        assert not isinstance(messages[end], ToolResult)
        assert meter.between(0, end) <= most or end == 1


def test_a_step_that_is_too_long_alone_is_a_portion() -> None:
    messages, meter = talk(6), Meter()
    meter.count(messages, 0)
    assert portion(messages, meter, 1, 11, 5) == 3


def test_a_portion_may_be_all_there_is() -> None:
    messages, meter = talk(6), Meter()
    meter.count(messages, 0)
    assert portion(messages, meter, 0, 11, 1_000_000) == 11


@pytest.mark.parametrize("text", [WORDS * 20, "x = f(1, 2)\n" * 900, "\u6f22\u5b57" * 2_000])
def test_a_long_text_is_judged_by_a_sample(text: str) -> None:
    counted = tokens_of(Note(text))
    assert abs(counted - estimate_tokens(text)) < 0.1 * estimate_tokens(text)


def test_a_picture_takes_what_a_picture_takes() -> None:
    assert tokens_of(User((File("image/png", blob="b"),))) >= PICTURE
