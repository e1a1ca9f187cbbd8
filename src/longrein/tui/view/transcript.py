"""From a display to the entries of its conversation, at the cost of what is new.

What is settled does not change while the thread goes on: it is kept from one transcript to the
next. What is open is made anew each time: the calls of the open step, what the model is writing,
and what waits. Children may work on after their call is settled; their calls are looked at again.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import overload

from msgspec import Struct
from msgspec.structs import replace

from longrein.core.children import ChildView
from longrein.core.display import Display
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, Message, ToolResult
from longrein.core.preferences import Reasoning
from longrein.tui.view.calls import Standing, standing_of_result, standing_of_view
from longrein.tui.view.children import children_of, with_children
from longrein.tui.view.entries import Called, Entry
from longrein.tui.view.messages import Around, being_written, entries_of, waiting
from longrein.tui.view.notes import troubled, warned
from longrein.tui.view.pieces import Pieces, cut

NONE: Trail[Entry] = Trail()


class Entries(Sequence[Entry]):
    """All entries: those that are settled, some of them replaced by newer ones, then the open."""

    __slots__ = ("_open", "_replaced", "_settled")

    def __init__(
        self,
        settled: Trail[Entry] = NONE,
        replaced: Mapping[int, Entry] | None = None,
        open: Sequence[Entry] = (),
    ) -> None:
        self._settled, self._replaced, self._open = settled, replaced or {}, open

    def __len__(self) -> int:
        return len(self._settled) + len(self._open)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        settled = len(self._settled)
        index = index + len(self) if index < 0 else index
        if index >= settled:
            return self._open[index - settled]
        return self._replaced.get(index) or self._settled[index]

    def __iter__(self) -> Iterator[Entry]:
        if not self._replaced:
            return chain(self._settled, self._open)
        return (self[n] for n in range(len(self)))


class Past(Struct, frozen=True, eq=False):
    """What a transcript leaves to the next one.

    `messages` are those of its display, of which the first are settled: `starts` says where the
    entries of each of these begin. `delegated` is where the settled calls with children are, by
    their ids, `replaced` what became of these, and `children` what it is told from. `written` is
    what was last being written, in pieces.
    """

    messages: Sequence[Message] = ()
    settled: Trail[Entry] = Trail()
    starts: Trail[int] = Trail()
    delegated: Mapping[str, int] = {}
    replaced: Mapping[int, Entry] = {}
    children: tuple[ChildView, ...] = ()
    written: Pieces = Pieces()


class Transcript(Struct, frozen=True, eq=False):
    """The entries of a conversation, and how they differ from those of the transcript before.

    All before `since` are the same objects, but for those at the places in `touched`. `mark` is
    this transcript's own, and `after` that of the one before.
    """

    entries: Sequence[Entry] = Entries()
    since: int = 0
    touched: tuple[int, ...] = ()
    mark: object = None
    after: object = None
    past: Past = Past()


NOTHING = Transcript()
"""Before anything is shown."""


def transcript(
    shown: Display, before: Transcript | None = None, thoughts: Reasoning = "folded"
) -> Transcript:
    """The entries of a display; `before` is what an earlier one of the same thread came to.

    It costs what was said since then, and what is open.
    """
    before = before or NOTHING
    kept = _still(before.past, shown.messages)
    past = _settled(shown, kept, before.entries, thoughts)
    past, touched = _looked_after(shown, kept, past)
    place = len(past.settled)
    open = tuple(
        _same(before.entries, place + n, one) for n, one in enumerate(_open(shown, past, thoughts))
    )
    entries = Entries(past.settled, past.replaced, open)
    since = _alike(before.entries, entries, len(kept.settled))
    return Transcript(entries, since, touched, object(), before.mark, past)


def _still(past: Past, messages: Sequence[Message]) -> Past:
    """What of the past still holds: all of it, unless the thread was rewound."""
    count = len(past.starts)
    if count <= len(messages) and (not count or messages[count - 1] is past.messages[count - 1]):
        return past
    pairs = zip(islice(past.messages, count), messages, strict=False)
    upto = next((n for n, (old, new) in enumerate(pairs) if old is not new), len(messages))
    # Calls and their results are one piece.
    while upto and isinstance(past.messages[upto], ToolResult):
        upto -= 1
    length = past.starts[upto]
    return replace(
        past,
        settled=past.settled.first(length),
        starts=past.starts.first(upto),
        delegated={call: place for call, place in past.delegated.items() if place < length},
        replaced={place: entry for place, entry in past.replaced.items() if place < length},
    )


def _settled(shown: Display, kept: Past, old: Sequence[Entry], thoughts: Reasoning) -> Past:
    """The past with what was settled since."""
    messages = shown.messages
    entries, starts = list[Entry](), list[int]()
    length = len(kept.settled)
    around = Around({}, children=shown.children, thoughts=thoughts, written=kept.written)
    warnings = warned(shown)
    for number in range(len(kept.starts), _settled_upto(messages)):
        message = messages[number]
        starts.append(length + len(entries))
        if isinstance(message, Assistant):
            around = replace(around, standing=_results(messages, number))
        for entry in (*warnings.get(number, ()), *entries_of(number, message, around)):
            entries.append(_same(old, length + len(entries), entry))
    parents = {child.call for child in shown.children}
    new = {one.key: length + n for n, one in enumerate(entries) if one.key in parents}
    return replace(
        kept,
        messages=messages,
        settled=kept.settled.append(*entries),
        starts=kept.starts.append(*starts),
        delegated={**kept.delegated, **new} if new else kept.delegated,
        children=shown.children,
        written=cut(shown.writing.text, kept.written) if shown.writing else kept.written,
    )


def _settled_upto(messages: Sequence[Message]) -> int:
    """How many messages will not change any more: calls that have no results yet will."""
    last = len(messages) - 1
    while last >= 0 and isinstance(messages[last], ToolResult):
        last -= 1
    said = messages[last] if last >= 0 else None
    open = isinstance(said, Assistant) and len(said.calls) > len(messages) - 1 - last
    return last if open else len(messages)


def _results(messages: Sequence[Message], number: int) -> dict[str, Standing]:
    """Where the calls of a message stand that have ended, by their ids."""
    found: dict[str, Standing] = {}
    for place in range(number + 1, len(messages)):
        message = messages[place]
        if not isinstance(message, ToolResult):
            break
        found[message.call] = standing_of_result(message)
    return found


def _looked_after(shown: Display, kept: Past, past: Past) -> tuple[Past, tuple[int, ...]]:
    """The past with the children of settled calls as they stand now, and where these calls are."""
    if shown.children is kept.children or shown.children == kept.children:
        return past, ()
    changed: dict[int, Entry] = {}
    for call, place in kept.delegated.items():
        entry = past.replaced.get(place) or past.settled[place]
        if isinstance(entry, Called):
            now = with_children(entry, children_of(call, shown.children))
            changed |= {place: now} if now is not entry else {}
    if not changed:
        return past, ()
    return replace(past, replaced={**past.replaced, **changed}), tuple(changed)


def _open(shown: Display, past: Past, thoughts: Reasoning) -> Iterator[Entry]:
    """What is not settled: calls of the open step, what is being written, waits, or went wrong."""
    views = {view.id: view for view in shown.calls}
    previews = {one.call: one.preview for one in shown.approvals if not one.path}
    standing = {id: standing_of_view(view, previews.get(id, "")) for id, view in views.items()}
    warnings = warned(shown)
    for number in range(len(past.starts), len(shown.messages)):
        yield from warnings.get(number, ())
        known = {**standing, **_results(shown.messages, number)}
        around = Around(known, views, shown.children, shown.todos, thoughts, past.written)
        yield from entries_of(number, shown.messages[number], around)
    for at in range(len(shown.messages), max(warnings, default=-1) + 1):
        yield from warnings.get(at, ())
    if shown.writing is not None:
        yield from being_written(len(shown.messages), shown.writing, past.written, thoughts)
    for input in shown.queue:
        yield from waiting(input)
    if shown.problem is not None:
        yield troubled("problem", shown.problem, shown.model, bool(shown.retry_at))


def _same(old: Sequence[Entry], place: int, entry: Entry) -> Entry:
    """The old entry where the new one equals it: what was drawn of it still holds."""
    was = old[place] if place < len(old) else None
    return was if was is not None and was == entry else entry


def _alike(old: Sequence[Entry], new: Sequence[Entry], since: int) -> int:
    """Up to where both have the same entries, which they do up to `since`."""
    shorter = min(len(old), len(new))
    while since < shorter and old[since] is new[since]:
        since += 1
    return since
