"""What was said before, without a screen: which texts there are, and how one walks through them."""

from longrein.core.messages import Assistant, File, Note, Text, User
from longrein.tui.view.history import MOST, matching, said_in
from longrein.tui.writing.draft import Draft
from longrein.tui.writing.past import EditorHistory


def user(text: str, whole: str = "") -> User:
    return User((Text(text),), whole=whole)


def test_only_what_the_person_said_counts_the_newest_first() -> None:
    messages = [
        user("one"),
        Assistant((Text("hello"),)),
        Note("mode changed"),
        User((File("image/png", blob="b"),)),
        user("head … tail", whole="hash"),
        user("two"),
    ]
    assert said_in(messages) == ("two", "one")


def test_however_long_a_thread_is_only_the_newest_are_looked_at() -> None:
    said = said_in([user(str(n)) for n in range(MOST * 3)])
    assert (len(said), said[0]) == (MOST, str(MOST * 3 - 1))


def test_a_text_that_was_said_often_is_met_once() -> None:
    past = EditorHistory()
    for text in ("a", "b", "a"):
        past.add(text)
    assert past.all(["b", "c"]) == ("a", "b", "c")


def test_a_text_that_cannot_be_shown_is_walked_past_like_any_other() -> None:
    past, said = EditorHistory(), ["x\x1b[31m\x00", "older"]
    first = past.step(1, Draft("draft"), said)
    assert first is not None
    assert first.text == "[pasted #1, 1 line]"
    second = past.step(1, first, said)
    assert second == Draft("older")
    assert past.step(-2, Draft("older"), said) == Draft("draft")


def test_words_are_found_in_any_order_and_case() -> None:
    assert matching(["Fix the Tests", "fix docs"], "TEST fix") == ("Fix the Tests",)
    assert matching(["a", "b"], "  ") == ("a", "b")
