"""Long answers in pieces: the same ones however the text comes, and together the whole text."""

from itertools import accumulate

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from longrein.core.display import Writing, display
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, Text
from longrein.core.state import State
from longrein.tui.draw.markdown import markdown
from longrein.tui.look import DARK, look_of
from longrein.tui.view.entries import Spoke
from longrein.tui.view.pieces import LEAST, Pieces, cut
from longrein.tui.view.transcript import NOTHING, transcript

PARAGRAPH = "Some words of a paragraph, one line after the other.\n" * 20
BLOCKS = st.sampled_from(
    [
        f"{PARAGRAPH}\n",
        "- one\n- two\n\n" * 30,
        "1. first\n\n2. second\n\n" * 30,
        "# Title\n\n",
        "```python\n" + "x = 1\n\ny = 2\n" * 60 + "```\n\n",
        "~~~\n```\n\nno end\n~~~\n\n",
        "> said\n> so\n\n" * 20,
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
        "    indented\n\n    code\n\n",
    ]
)
TEXTS = st.lists(BLOCKS, max_size=14).map("".join)


def test_a_short_text_is_one_piece() -> None:
    assert cut(PARAGRAPH).texts == [PARAGRAPH]


def test_a_long_text_is_cut_between_its_blocks() -> None:
    text = f"{PARAGRAPH}\n" * 30
    pieces = cut(text).texts
    assert len(pieces) > 3
    assert all(piece.startswith("Some words") and len(piece) >= LEAST for piece in pieces[:-1])


def test_code_is_not_cut() -> None:
    code = "```\n" + "line\n\nafter a blank one\n" * 1_000 + "```\n\n"
    assert len(cut(f"{code}The end.\n").texts) == 2
    assert len(cut(code).texts) == 1


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.lists(st.integers(1, 3_000), max_size=20))
def test_pieces_of_a_text_that_grows_are_those_of_the_whole(text: str, steps: list[int]) -> None:
    grown = Pieces()
    for length in accumulate(steps):
        grown = cut(text[:length], grown)
    assert cut(text, grown) == cut(text)
    assert "".join(cut(text).texts) == text


@settings(max_examples=12, deadline=None)
@given(TEXTS)
def test_pieces_drawn_one_by_one_look_like_the_whole(text: str) -> None:
    look = look_of(DARK)

    def drawn(part: str) -> list[str]:
        return [line.text.rstrip() for line in markdown(part, 60, look)]

    apart: list[str] = []
    for piece in cut(text).texts:
        lines = drawn(piece)
        apart += ["", *lines] if apart and lines else lines
    assert apart == drawn(text)


def test_what_is_being_written_is_open_only_in_its_last_piece() -> None:
    empty = display(State(thread="thr_1"))
    text = f"{PARAGRAPH}\n" * 10
    writing = transcript(replace(empty, writing=Writing(text)), NOTHING)
    assert [one.open for one in writing.entries if isinstance(one, Spoke)] == [False, False, True]
    said = Assistant((Text(f"{text}The end."),), interrupted=True)
    settled = transcript(replace(empty, messages=Trail([said])), writing)
    spoken = [one for one in settled.entries if isinstance(one, Spoke)]
    assert [one.mark for one in spoken] == ["", "", "interrupted"]
    assert [one.key for one in spoken] == [one.key for one in writing.entries]
    assert settled.since == 2
