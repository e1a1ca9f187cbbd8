"""Whatever happens in a thread and on the screen, what is seen is what is there."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from textual.strip import Strip

from longrein.core.children import ChildView
from longrein.core.display import CallView, Display, Writing, display
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, Message, Note, Text, ToolCall, ToolResult, User
from longrein.core.state import State
from longrein.tui.scroll.column import Column
from longrein.tui.view.transcript import NOTHING, transcript
from tests.tui.test_conversation_column import plainly

OPS = ("say", "answer", "call", "run", "settle", "write", "note", "child", "rewind", "back", "skip",
       "resize", "toggle", "move", "jump", "end")  # fmt: skip


class Thread:
    """A thread to which things happen, as displays tell of it."""

    def __init__(self) -> None:
        self.shown: Display = display(State(thread="thr_1"))
        self._longest: Trail[Message] = Trail()
        self._count = 0

    @property
    def messages(self) -> Trail[Message]:
        assert isinstance(self.shown.messages, Trail)
        return self.shown.messages

    def happen(self, op: str, by: int) -> None:
        self._count += 1
        match op:
            case "say":
                self._add(User((Text("say " * by),), f"cmd_{self._count}"))
            case "answer":
                self._add(Assistant((Text("answer\n" * by),)))
            case "note":
                self._add(Note("note " * by, "ci"))
            case "call" if not self.shown.calls:
                calls = tuple(
                    ToolCall(f"call_{self._count}_{n}", "task", "{}") for n in range(by % 3 + 1)
                )
                self._add(Assistant(calls))
                views = tuple(CallView(one.id, one.name, "{}", "new") for one in calls)
                self.shown = replace(self.shown, calls=views)
            case "run":
                views = (replace(one, state="started", output="o" * by) for one in self.shown.calls)
                self.shown = replace(self.shown, calls=tuple(views))
            case "settle" if self.shown.calls:
                said = (ToolResult(one.id, "task", (Text("r" * by),)) for one in self.shown.calls)
                self.shown = replace(self.shown, calls=(), messages=self.messages.append(*said))
            case "write":
                self.shown = replace(self.shown, writing=Writing("w" * by) if by else None)
            case "child":
                self._child(by)
            case "rewind" if not self.shown.calls:
                self._longest = self.messages
                self.shown = replace(self.shown, messages=self.messages.first(by))
            case "back" if not self.shown.calls and self._longest:
                self.shown = replace(self.shown, messages=self._longest)
            case _:
                pass

    def _add(self, message: Message) -> None:
        if not self.shown.calls:
            self.shown = replace(self.shown, messages=self.messages.append(message))

    def _child(self, by: int) -> None:
        calls = [
            call.id for one in self.messages if isinstance(one, Assistant) for call in one.calls
        ]
        if calls:
            call = calls[by % len(calls)]
            child = ChildView(f"thr_{call}", "x", "", "running", call=call, text="c" * by)
            others = tuple(one for one in self.shown.children if one.call != call)
            self.shown = replace(self.shown, children=(*others, child))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(OPS), st.integers(0, 30)), max_size=40))
def test_what_is_seen_is_what_is_there(ops: list[tuple[str, int]]) -> None:
    thread, made, column = Thread(), NOTHING, Column(plainly)
    column.resize(12, 7)
    for op, by in ops:
        thread.happen(op, by)
        made = transcript(thread.shown, made)
        match op:
            case "skip":
                continue  # a frame that was not drawn
            case "resize":
                column.resize(by + 1, by % 9 + 1)
            case "toggle" if column.entries:
                column.toggle(by % len(column.entries))
            case "move":
                column.move(by - 15)
            case "jump":
                column.jump(by * 3)
            case "end":
                column.end()
            case _:
                pass
        column.show(made)
        _check(thread.shown, column)


def _check(shown: Display, column: Column) -> None:
    assert list(column.entries) == list(transcript(shown).entries)
    every = [line for n, _ in enumerate(column.entries) for line in _drawn(column, n)]
    page = [(line.index, line.number, line.strip.text) for line in column.page()]
    width, height = column.size
    assert len(page) == min(height, len(every))
    assert not page or page == every[(at := every.index(page[0])) : at + height]
    assert not column.at_end or page == every[-height:]
    assert all(len(text) <= width for _, number, text in page if number == 0)


def _drawn(column: Column, index: int) -> Sequence[tuple[int, int, str]]:
    """The lines of an entry as if nothing had ever been drawn, with the gap before it."""
    gap = [line for line in column.rows(index) if line.number < 0]
    fresh: Sequence[Strip] = plainly(
        column.entries[index], column.size[0], column.opening(index), column.now
    )
    lines = [(index, line.number, "") for line in gap]
    return [*lines, *((index, n, strip.text) for n, strip in enumerate(fresh))]
