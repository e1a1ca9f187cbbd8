"""Nothing that a model, a file, a command or a person says controls the terminal."""

import re
from collections.abc import Callable, Sequence

import pytest
from rich.cells import cell_len
from rich.segment import ControlType, Segment
from rich.style import Style
from textual.color import Color
from textual.content import Content
from textual.strip import Strip
from textual.widgets import Static

from longrein.core.planning import Todo
from longrein.tui.draw.entry import draw
from longrein.tui.look import DARK, look_of
from longrein.tui.safe import Harmless
from longrein.tui.view.entries import (
    Body,
    Called,
    ChildBody,
    DiffBody,
    Entry,
    FieldsBody,
    MarkdownBody,
    OutputBody,
    Said,
    Spoke,
    Thought,
    TodosBody,
    Told,
)
from tests.support import run
from tests.tui.corpus.hostile import HOSTILE
from tests.tui.host import Host, before

LOOK = look_of(DARK)
STEERS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def _call(body: Body) -> Called:
    return Called("k", "tool", "Run", "it", "ok", bodies=(body,))


ENTRIES: dict[str, Callable[[str], Entry]] = {
    "said": lambda text: Said("k", text),
    "file": lambda text: Said("k", "", files=(text,)),
    "spoke": lambda text: Spoke("k", text),
    "code": lambda text: Spoke("k", f"```python\n{text}\n```\n"),
    "item": lambda text: Spoke("k", f"- {text}"),
    "cell": lambda text: Spoke("k", f"| a | b |\n|---|---|\n| {text} | c |"),
    "quote": lambda text: Spoke("k", f"> {text}"),
    "thought": lambda text: Thought("k", text),
    "told": lambda text: Told("k", text, "warn"),
    "verb": lambda text: Called("k", text, text, "", "ok"),
    "object": lambda text: Called("k", "t", "Run", text, "failed", gist=text),
    "diff": lambda text: _call(DiffBody(f"@@ -1 +1 @@\n-{text}\n+{text}")),
    "new file": lambda text: _call(DiffBody(text, path=text, whole=True)),
    "output": lambda text: _call(OutputBody(text)),
    "todos": lambda text: _call(TodosBody((Todo(text), Todo(text, "in_progress", text)))),
    "plan": lambda text: _call(MarkdownBody(text)),
    "child": lambda text: _call(ChildBody("t", text, text, text)),
    "fields": lambda text: _call(FieldsBody(((text, text),))),
}


@pytest.mark.parametrize("kind", ENTRIES)
def test_nothing_that_is_drawn_steers_a_terminal(kind: str) -> None:
    for case in HOSTILE.values():
        for width, opened in ((8, True), (80, True), (80, False)):
            lines = draw(ENTRIES[kind](case.text), width, LOOK, opened, 0)
            assert all(line.cell_length <= width for line in lines), case
            for segment in (segment for line in lines for segment in line):
                assert not STEERS.search(segment.text)
                assert segment.control is None
                style = segment.style
                # What is cut off is marked so; nothing that was said has a say in that.
                assert style is None or not (style.link or style.meta.keys() - {"cut"})


@pytest.mark.parametrize("kind", ["said", "spoke", "told", "output", "code"])
def test_what_was_tried_is_shown_as_what_it_is(kind: str) -> None:
    for case in HOSTILE.values():
        assert case.shown in _text(draw(ENTRIES[kind](case.text), 200, LOOK, True, 0))


def test_a_change_of_a_file_hides_not_even_joiners() -> None:
    for case in HOSTILE.values():
        drawn = _text(draw(ENTRIES["new file"](case.text), 200, LOOK, True, 0))
        assert not re.search("[\u00ad\u200c\u200d\ufe00-\ufe0f]", drawn)


def test_a_link_never_looks_like_it_led_elsewhere() -> None:
    lie = Spoke("k", "[https://bank.example](https://evil.example)")
    assert "https://bank.example (https://evil.example)" in _text(draw(lie, 80, LOOK, False, 0))


def test_an_address_in_foreign_letters_is_told_by_its_real_name() -> None:
    drawn = _text(draw(Spoke("k", "[apple](https://\u0430pple.example/)"), 80, LOOK, False, 0))
    assert "https://xn--pple-43d.example/" in drawn


def test_the_last_line_before_the_terminal_catches_what_widgets_let_through() -> None:
    async def body() -> None:
        texts = (case.text[:60].replace("\n", " ") for case in HOSTILE.values())
        app = Host(*(Static(Content(text), markup=False) for text in texts))
        async with before(app, (80, 100)) as person:
            assert not STEERS.search(person.screen.replace("\n", ""))
            assert r"\x1b]52;c;" in person.screen

    run(body())


def test_a_line_that_was_made_harmless_keeps_its_width() -> None:
    segments = [Segment("ab\x1b[31m", Style(bold=True)), Segment("cd   ")]
    [first, *_] = made = Harmless().apply(segments, Color(0, 0, 0))
    assert first.text.startswith(r"ab\x1b[31m"[:8])
    assert sum(cell_len(one.text) for one in made) == Segment.get_line_length(segments)


def test_links_are_dropped_before_the_terminal() -> None:
    link = Segment("x", Style(link="http://evil.example", bold=True))
    click = Segment("y", Style(meta={"@click": "app.open_url('http://evil.example')"}))
    fold = Segment("z", Style(meta={"@click": "fold"}))
    one, two, three = Harmless().apply([link, click, fold], Color(0, 0, 0))
    assert one.style == Style(bold=True)
    assert two.style == Style()
    assert three is fold


def test_what_the_terminal_is_told_by_the_app_itself_stays() -> None:
    own = Segment("\x1b[1A", None, [(ControlType.CURSOR_UP, 1)])
    assert Harmless().apply([own], Color(0, 0, 0)) == [own]


def _text(lines: Sequence[Strip]) -> str:
    return "\n".join(line.text for line in lines)
