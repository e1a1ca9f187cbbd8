"""`open_10000_ms`, `scroll_page_ms`, `frame_ms`: what a long conversation costs the terminal app.

The conversation stands alone on a screen of 100x30 that goes nowhere. Everything is counted: the
entries, their drawing, and what Textual does to put them on the screen.
"""

import argparse
import asyncio
from collections.abc import Iterator
from statistics import median

import msgspec
from msgspec.structs import replace
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from bench.cpu import cpu_seconds
from bench.processes import run
from bench.ratios import Numbers
from longrein.core.display import Display, Writing, display
from longrein.core.growing import Trail
from longrein.core.messages import (
    Assistant,
    Message,
    Note,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.core.state import State
from longrein.tui.view.transcript import Transcript, transcript
from longrein.tui.widgets.conversation import Conversation

SIZE = (100, 30)
PLACES, PAGES, FRAMES = 10, 5, 100
CHUNK = "and a few more words, "
ANSWER = """\
The function `parse` reads **one** line at a time, so that nothing of the file is kept:

- a blank line ends a block, and
- a line of dashes ends the whole.

```python
def parse(lines: Iterable[str]) -> Iterator[Block]:
    return map(Block, split_at(lines, "---"))
```

"""
EDITED = """\
Edited /project/src/parse.py (1 place, +2 -1).
@@ -10,3 +10,4 @@
 def parse(lines):
-    return list(lines)
+    for line in lines:
+        yield Block(line)
"""


def app(messages: int) -> Numbers:
    """CPU milliseconds of opening so many messages, of a page down in them, and of a frame while an
    answer of 100 KB grows."""
    measured: dict[str, list[float]] = run("app", "--messages", str(messages))
    middles = {name: median(figures) * 1000 for name, figures in measured.items()}
    spreads = {
        f"{name}_spread": (max(figures) - min(figures)) * 1000
        for name, figures in measured.items()
        if len(figures) > 1
    }
    return middles | spreads


class Alone(App[None]):
    """Nothing but a conversation."""

    def compose(self) -> ComposeResult:
        yield Conversation()


async def _measure(messages: int) -> dict[str, list[float]]:
    shown = replace(display(State(thread="thr_1")), messages=Trail(_messages(messages)))
    async with Alone().run_test(size=SIZE) as pilot:
        conversation = pilot.app.query_one(Conversation)
        await pilot.pause()
        before = cpu_seconds()
        made = transcript(shown)
        conversation.show(made)
        await pilot.pause()
        opened = cpu_seconds() - before
        pages = [page for place in range(PLACES) for page in await _pages(pilot, place / PLACES)]
        frames = await _frames(pilot, shown, made, 100_000)
        largest = await _frames(pilot, shown, made, 1_000_000)
    return {
        "open_10000_ms": [opened],
        "scroll_page_ms": pages,
        "frame_ms": frames,
        "frame_1mb_ms": largest,
    }


async def _pages(pilot: Pilot[None], place: float) -> list[float]:
    """What each of some pages down costs, from a place that was not seen yet."""
    conversation = pilot.app.query_one(Conversation)
    conversation.scroll_to(y=round(conversation.max_scroll_y * place))
    await pilot.pause()
    return [await _page(pilot, conversation) for _ in range(PAGES)]


async def _page(pilot: Pilot[None], conversation: Conversation) -> float:
    before = cpu_seconds()
    conversation.page(1)
    await pilot.pause()
    return cpu_seconds() - before


async def _frames(pilot: Pilot[None], shown: Display, made: Transcript, length: int) -> list[float]:
    """What each frame costs while an answer grows that is so long already."""
    conversation = pilot.app.query_one(Conversation)
    conversation.to_end()
    text = (ANSWER * (length // len(ANSWER) + 1))[:length]
    spent: list[float] = []
    for _ in range(FRAMES):
        before = cpu_seconds()
        made = transcript(replace(shown, writing=Writing(text)), made)
        conversation.show(made)
        await pilot.pause()
        spent.append(cpu_seconds() - before)
        text += CHUNK
    return spent


def _messages(count: int) -> Iterator[Message]:
    """Rounds of questions, thoughts, calls and answers, up to so many messages."""
    rounds = (message for number in range(count) for message in _round(number))
    return (message for _, message in zip(range(count), rounds, strict=False))


def _round(number: int) -> Iterator[Message]:
    read, edit, test = (f"call_{number}_{n}" for n in range(3))
    yield User((Text(f"Please make part {number} of the parser lazy."),), f"cmd_{number}")
    yield Assistant(
        (
            Reasoning("The parser reads everything first. " * 10),
            Text("I look at the parser first."),
            _call(read, "read_file", path=f"src/parse_{number}.py"),
        )
    )
    yield _result(read, "read_file", "src/parse.py: 60 lines\n" + "1\tdef parse(): ...\n" * 60)
    yield Assistant(
        (
            _call(edit, "edit_file", path="src/parse.py", edits=[{"old_string": "a"}]),
            _call(test, "execute", command="make test"),
        )
    )
    yield _result(edit, "edit_file", EDITED)
    yield _result(test, "execute", "test passed\n" * 30 + "[exit code 0]")
    yield Note("The build is green.", "ci")
    yield Assistant((Text(ANSWER * (number % 3 + 1)),))


def _call(id: str, name: str, **arguments: object) -> ToolCall:
    return ToolCall(id, name, msgspec.json.encode(arguments).decode())


def _result(id: str, name: str, text: str) -> ToolResult:
    return ToolResult(id, name, (Text(text),), took=400_000)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, required=True)
    print(msgspec.json.encode(asyncio.run(_measure(parser.parse_args().messages))).decode())


if __name__ == "__main__":
    main()
