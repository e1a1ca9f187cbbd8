"""Keeps what is written and not sent, answers among it, so that no crash takes it."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import reduce
from itertools import accumulate
from typing import Protocol, TypeVar

import msgspec
from textual.message_pump import MessagePump

from longrein.client.port import ThreadClient
from longrein.tui.attempt import attempt
from longrein.tui.writing.begun import Begun
from longrein.tui.writing.draft import Draft, joined, without

PAUSE = 1.0
"""Seconds between two times that it is kept."""

LARGEST = 1_000_000
"""How much of pastes and files is kept with the words of a draft."""

D = TypeVar("D", bound=Draft)


class _Kept(Draft, frozen=True):
    """A draft with the answers that somebody began to write."""

    answers: Mapping[str, str] = {}


class Written(Protocol):
    """Where somebody writes: `widgets.editor.Editor`."""

    @property
    def unsent(self) -> Draft: ...

    def restore(self, draft: Draft) -> None: ...


class Keeper:
    """Has the thread keep what is written, at most once a second and never in the way of a key."""

    def __init__(self, node: MessagePump, editor: Written, begun: Begun) -> None:
        self._node = node
        self._editor = editor
        self._begun = begun
        self._sending: list[Draft] = []
        self._thread: ThreadClient | None = None
        self._kept = b""
        self._due = self._failed = False
        self._turn = asyncio.Lock()

    def go_to(self, thread: ThreadClient) -> None:
        """Keep it for another thread from now on, and go on with what was written in that.

        Who goes there gave a command in the editor: what is written now was typed since, for there.
        """
        attempt(self._node, self._take_up(thread))

    @property
    def sending(self) -> tuple[Draft, ...]:
        """What is on its way, the oldest first."""
        return tuple(self._sending)

    def sends(self, draft: Draft) -> None:
        """A draft is on its way. It is kept until it is there."""
        self._sending.append(draft)

    def sent(self, draft: Draft) -> None:
        """A draft is on its way no more."""
        self._sending.remove(draft)

    def follow(self) -> None:
        """Something else is written now."""
        if not self._due:
            self._due = True
            attempt(self._node, self._keep_soon())

    async def keep(self) -> None:
        """Keep what is written now."""
        async with self._turn:
            try:
                await self._keep(self._unsent)
            except OSError:
                if not self._failed:  # who writes on is told once, not every second
                    self._failed = True
                    raise

    @property
    def _unsent(self) -> Draft:
        return reduce(joined, (*self._sending, self._editor.unsent))

    async def _take_up(self, thread: ThreadClient) -> None:
        async with self._turn:
            with suppress(OSError):  # it is told when something is kept next
                await self._keep(Draft())
            # Before it is read, which may fail: what is typed from now on is for there.
            self._thread, self._kept = thread, b""
            self.follow()
            self._kept = await thread.draft()
            self._begun.know(answers_in(self._kept))
            if (draft := decoded(self._kept)).text:
                self._editor.restore(draft)

    async def _keep_soon(self) -> None:
        await asyncio.sleep(PAUSE)
        self._due = False
        await self.keep()

    async def _keep(self, draft: Draft) -> None:
        if self._thread is None:
            return
        shown = self._thread.display
        waiting = {one.id for one in (*shown.approvals, *shown.questions)}
        data = encoded(draft, self._begun.among(waiting))
        if data == self._kept:
            return
        await self._thread.keep_draft(data)
        self._kept = data


def encoded(draft: Draft, answers: Mapping[str, str] | None = None) -> bytes:
    """A draft and answers that were begun, as they are kept: without what is largest of pastes and
    files where that is too much; empty where they are.

    >>> decoded(encoded(Draft("Hello"))).text
    'Hello'
    """
    if not draft.text.strip():
        return msgspec.json.encode(_Kept(answers=answers)) if answers else b""
    draft = draft.trimmed
    sizes = {one.mark: len(one.text) for one in draft.pasted}
    sizes |= {one.mark: len(one.file.data) for one in draft.attached}
    ordered = sorted(sizes, key=sizes.__getitem__)
    together = accumulate(sizes[mark] for mark in ordered)
    large = [mark for mark, size in zip(ordered, together, strict=True) if size > LARGEST]
    kept = without(draft, large)
    return msgspec.json.encode(_Kept(kept.text, kept.pasted, kept.attached, answers=answers or {}))


def decoded(data: bytes) -> Draft:
    """The draft that was kept; an empty one where nobody can read it any more."""
    return _read(data, Draft)


def answers_in(data: bytes) -> Mapping[str, str]:
    """The answers that were kept, as far as anybody can read them."""
    return _read(data, _Kept).answers


def _read(data: bytes, kind: type[D]) -> D:
    try:
        return msgspec.json.decode(data, type=kind) if data else kind()
    except (msgspec.DecodeError, UnicodeDecodeError):
        return kind()
