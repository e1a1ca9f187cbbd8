"""Bounds: head and tail for the model, the whole kept."""

import hypothesis.strategies as st
from hypothesis import given

from longrein.core.messages import File, Text
from longrein.tools.bounds import LIMIT, Bounded, bound

PICTURE = File("image/png", blob="00")


def test_what_fits_stays_as_it_is() -> None:
    parts = (Text("a" * LIMIT), PICTURE)
    assert bound(parts) == Bounded(parts)


def test_what_does_not_fit_keeps_head_and_tail_and_says_how_much_is_missing() -> None:
    text = "h" * 50 + "m" * 1234 + "t" * 50
    shown = bound((Text(text),), limit=100)
    assert shown.parts == (
        Text("h" * 50 + "\n[... 1,234 of 1,334 characters left out ...]\n" + "t" * 50),
    )
    assert shown.whole == text


def test_several_texts_become_one_and_files_stay() -> None:
    shown = bound((Text("a" * 60), PICTURE, Text("b" * 60)), limit=100)
    assert shown.whole == "a" * 60 + "\n" + "b" * 60
    assert shown.parts[1:] == (PICTURE,)


@given(st.text(), st.integers(min_value=0, max_value=50))
def test_what_is_shown_is_never_much_longer_than_the_limit(text: str, limit: int) -> None:
    shown = bound((Text(text),), limit)
    (part,) = shown.parts
    assert isinstance(part, Text)
    assert len(part.text) <= limit + 80
    assert (shown.whole or part.text) == text
