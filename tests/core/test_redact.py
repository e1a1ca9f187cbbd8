"""Known secrets never get through, in text or in JSON."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core import events as e
from longrein.core.codec import decode_event, encode_event
from longrein.core.messages import ToolCall
from longrein.core.redact import Redacting, Redactor

KEY = 'sk-"quoted"\\and\nbroken'
ordinary = st.text(st.characters(exclude_categories=["Cs"]), min_size=8)


@settings(deadline=None, derandomize=True)
@given(ordinary, st.text(st.characters(exclude_categories=["Cs"])))
def test_no_secret_is_left_in_json(secret: str, around: str) -> None:
    event = e.ThreadRenamed(f"{around}{secret}{around}")
    clean = Redactor({"KEY": secret}).data(encode_event(event))
    title = msgspec.json.decode(clean)["title"]
    assert secret not in title.replace("[secret:KEY]", "")


@settings(deadline=None, derandomize=True)
@given(st.text("ab", min_size=8, max_size=10), st.lists(st.text("ab", max_size=6), max_size=12))
def test_no_piece_of_a_stream_shows_the_beginning_of_a_secret(
    secret: str, pieces: list[str]
) -> None:
    redactor = Redactor({"KEY": secret})
    stream = Redacting(redactor)
    shown = "".join(stream.feed(piece) for piece in [*pieces, secret, "."])
    assert shown == redactor.text("".join([*pieces, secret, "."]))


def test_a_secret_inside_the_json_text_of_a_call_is_replaced() -> None:
    arguments = msgspec.json.encode({"header": KEY}).decode()
    event = e.StepEnded("step_1", (ToolCall("call_1", "fetch", arguments),), "tools")
    clean = decode_event(Redactor({"KEY": KEY}).data(encode_event(event)))
    assert isinstance(clean, e.StepEnded)
    (call,) = clean.parts
    assert isinstance(call, ToolCall)
    assert call.arguments == '{"header":"[secret:KEY]"}'


def test_a_name_with_a_quote_keeps_the_json_valid() -> None:
    clean = Redactor({'my "key"': "sk-123456789"}).data(b'{"title":"sk-123456789"}')
    assert msgspec.json.decode(clean) == {"title": '[secret:my "key"]'}


def test_the_longer_of_two_secrets_is_replaced_first() -> None:
    redactor = Redactor({"SHORT": "abcdefgh", "LONG": "abcdefghijkl"})
    assert redactor.text("abcdefghijkl abcdefgh") == "[secret:LONG] [secret:SHORT]"


@settings(deadline=None, derandomize=True)
@given(
    st.text("ab", min_size=8, max_size=10),
    st.lists(st.sampled_from(["x", "yy", ""]), min_size=1),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_a_part_of_a_text_shows_all_but_any_part_of_a_secret(
    secret: str, between: list[str], start: int, end: int
) -> None:
    text = secret.join(between)
    start, end = min(start, len(text)), min(end, len(text))
    shown = Redactor({"K": secret}).part(text, start, end, growing=False)
    assert shown.replace("[secret:K]", "") == "".join(one for one in text[start:end] if one in "xy")


def test_of_a_growing_text_nothing_is_shown_that_may_become_a_secret() -> None:
    redactor = Redactor({"SHORT": "token123", "LONG": "my-token123-long"})
    text = "it is my-token123-lo"
    assert redactor.part(text, 0, len(text), growing=True) == "it is "
    assert redactor.part(text, 0, len(text), growing=False) == "it is my-[secret:SHORT]-lo"


def test_what_is_too_short_is_not_taken_for_a_secret() -> None:
    assert Redactor({"KEY": "yes"}).text("yes, of course") == "yes, of course"


def test_text_and_data_without_secrets_come_back_as_the_same_object() -> None:
    redactor = Redactor({"KEY": "sk-123456789"})
    text, data = "nothing here", b'{"title":"nothing here"}'
    assert redactor.text(text) is text
    assert redactor.data(data) is data
