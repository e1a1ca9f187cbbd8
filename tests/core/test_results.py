"""How a command ended, as it is written in results and read from them."""

import pytest

from longrein.core.results import exit_in, exit_words


@pytest.mark.parametrize(
    ("words", "good"),
    [
        (exit_words(0), True),
        (exit_words(1), False),
        (exit_words(-9), False),
        # Whatever its exit code says: it was not done.
        (exit_words(0, "ended after 5 seconds"), False),
        (exit_words(-9, "ended after 5 seconds"), False),
    ],
)
def test_a_command_ended_well_if_it_ended_by_itself_and_says_so(words: str, good: bool) -> None:
    found = exit_in(f"some output\n[{words}]\n")
    assert found is not None
    assert (found.words, found.good) == (words, good)
