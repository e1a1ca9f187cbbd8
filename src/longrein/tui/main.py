"""The main screen: a thread as it stands, and where a person writes."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Paste
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker

from longrein.client.port import Owner
from longrein.core.display import Display
from longrein.core.errors import LongreinError, StoreError
from longrein.core.ids import Clock
from longrein.core.preferences import Preferences
from longrein.tui.around import app_of
from longrein.tui.attempt import attempt, tell
from longrein.tui.desk import Desk
from longrein.tui.grace import Grace
from longrein.tui.sending import Sending, attached, tell_unreadable
from longrein.tui.turning import Turning
from longrein.tui.view.asks import asks
from longrein.tui.view.calls import left_alone
from longrein.tui.view.completing import Completion
from longrein.tui.view.header import header
from longrein.tui.view.queue import queue, removed
from longrein.tui.view.status import running_jobs, status
from longrein.tui.view.transcript import Transcript, transcript
from longrein.tui.widgets.asks import Asks, settle
from longrein.tui.widgets.composer import Composer
from longrein.tui.widgets.conversation import FRAME, Conversation
from longrein.tui.widgets.editor import Editor
from longrein.tui.widgets.header import Header
from longrein.tui.widgets.offer import Offer, offered
from longrein.tui.widgets.own_command import OwnCommand
from longrein.tui.widgets.queue import Queue
from longrein.tui.widgets.squeezed import Squeezing
from longrein.tui.widgets.status import Status
from longrein.tui.widgets.welcome import Welcome
from longrein.tui.writing.begun import Begun
from longrein.tui.writing.draft import files_named
from longrein.tui.writing.keeping import Keeper
from longrein.tui.writing.sources import Sources

TICK = 1.0
HEIGHTS = [(28, "-high")]

ALL = 1_000_000
"""Pages: as far as there is anything."""


class Main(Squeezing, Screen[None]):
    """Draws displays, and turns what its widgets tell into commands."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+tab", "next_mode", "Mode", priority=True),
        Binding("ctrl+t", "next_trust", "Trust", priority=True),
        Binding("ctrl+o", "toggle_newest", "Open the newest call", priority=True),
        Binding("alt+up", "read", "Into the conversation", show=False),
        Binding("pageup", "page(-1)", "Scroll up", priority=True),
        Binding("pagedown", "page(1)", "Scroll down", priority=True),
        Binding("ctrl+home", f"page(-{ALL})", "To the beginning", priority=True),
        Binding("ctrl+end", f"page({ALL})", "To the newest", priority=True),
        Binding("escape", "escape", "Stop, or close", show=False),
    ]
    VERTICAL_BREAKPOINTS = HEIGHTS
    AUTO_FOCUS = "Area"
    DEFAULT_CSS = """
    Main > Header { min-height: 0; }
    Main > Conversation { height: 1fr; min-height: 0; }
    Main.-high > Header { margin-bottom: 1; }
    Main.-high > Welcome { padding: 0 2; }
    Main.-high Queue, Main.-high Unsent { margin-top: 1; }
    Main.-asking Queue:blur { height: 1; }
    Main.-asking.-high Queue:blur { height: auto; }
    Main.-asking > OwnCommand { max-height: 1; }
    Main > Conversation.-empty { display: none; }
    """

    class Drawn(Message):
        """The display changed."""

        def __init__(self, before: Display, after: Display) -> None:
            super().__init__()
            self.before = before
            self.after = after

    class LookIn(Message):
        """Somebody wants to see the conversation of a child."""

        def __init__(self, thread: str) -> None:
            super().__init__()
            self.thread = thread

    def __init__(
        self,
        clock: Clock,
        grace: Grace,
        perform: Callable[[Editor.Command], Coroutine[Any, Any, None]],
    ) -> None:
        super().__init__()
        self._clock = clock.now
        self._perform = perform
        self._turn = asyncio.Lock()
        self._open = asyncio.Event()
        self._preferences = Preferences()
        self._desk: Desk | None = None
        self.shown: Display | None = None
        """What is drawn; None before there is anything, and of a thread that is gone."""
        self._transcript: Transcript | None = None
        self._following: Worker[None] | None = None
        self._own: Worker[None] | None = None
        self._given: Worker[None] | None = None
        self._owner: Owner = "nobody"
        self._turning = Turning(self, self._in_turn)
        self.conversation = Conversation(clock.now, lambda text: self.editor.put(text))
        self.welcome = Welcome()
        self._begun = Begun(lambda: self._keeper.follow())
        self.asks = Asks(grace, clock, self._begun)
        self.own_command = OwnCommand()
        self.offer = Offer()
        self.composer = Composer()
        self._keeper = Keeper(self, self.editor, self._begun)
        self._sending = Sending(self.composer, self._keeper)
        self.status = Status()

    @property
    def editor(self) -> Editor:
        return self.composer.editor

    def compose(self) -> ComposeResult:
        yield Header()
        yield self.conversation
        yield self.welcome
        yield self.asks
        yield self.own_command
        yield self.offer
        yield self.composer
        yield self.status

    def on_mount(self) -> None:
        # While something is asked, notes stand above it, and never over it.
        for rack in self.query("ToastRack"):
            self.move_child(rack, before=self.asks)
        self.set_interval(TICK, self._tick)

    def prefer(self, preferences: Preferences) -> None:
        """Show things as the person likes them, from the next thread on."""
        self._preferences = preferences

    def follow(
        self, desk: Desk, arguments: Callable[[str], Awaitable[Sequence[Completion]]]
    ) -> None:
        """Show a thread from now on, in the place of the one before."""
        if self._following is not None:
            self._following.cancel()
        self._desk, self.shown, self._transcript = desk, None, None
        client = desk.client
        attach = partial(attached, self, desk)
        barred = desk.thread.unreadable
        self.editor.use(Sources(client.files, attach, arguments, self._past, barred))
        self.asks.leave()
        self._following = attempt(self, self._follow(desk))
        self._open.set()

    def take_up(self) -> None:
        """Go on with what was written in this thread before."""
        if self._desk is not None:
            self._keeper.go_to(self._desk.thread)

    def on_editor_changed(self, event: Editor.Changed) -> None:
        event.stop()
        self._keeper.follow()

    async def on_unmount(self) -> None:
        with suppress(LongreinError, OSError):  # there is nobody any more who could be told
            await self._keeper.keep()

    async def _follow(self, desk: Desk) -> None:
        """Draw what is shown of a thread until it ends; a store that fails is asked again."""
        while True:
            try:
                async with aclosing(desk.thread.displays()) as displays:
                    async for shown in displays:
                        await self._look_who(desk)
                        # Its widgets go one by one while the app closes.
                        if not app_of(self).is_running:
                            return
                        self._draw(desk, shown)
                        await asyncio.sleep(FRAME)
                if desk is self._desk:  # whoever leaves a thread ends this first: it was deleted
                    self.shown = None
                    self.offer.show("new")
                return
            except StoreError as error:
                tell(self, str(error), "error")
                await asyncio.sleep(TICK)

    def _draw(self, desk: Desk, shown: Display) -> None:
        before, self.shown = self.shown, shown
        seen = left_alone(shown) if self._owner == "nobody" else shown
        self._transcript = transcript(seen, self._transcript, self._preferences.reasoning)
        with app_of(self).batch_update():
            empty = not self._transcript.entries
            self.conversation.set_class(empty, "-empty")
            self.welcome.greet(desk.client.about if empty else None)
            self.conversation.show(self._transcript)
            self.asks.show(asks(shown), typing=not self.editor.is_empty)
            self.set_class(self.asks.waiting, "-asking")
            self.composer.show(queue(shown))
            self.query_one(Header).show(header(desk.client.about, shown, str(Path.home())))
            self.offer.show(offered(shown, self._owner))
            self._draw_status()
            self.editor.suggest(desk.client.suggestion(shown))
        if before is not None and before is not shown:
            self.composer.take_back(desk.refused(before, shown))
            self.post_message(self.Drawn(before, shown))

    def _draw_status(self) -> None:
        if self.shown is not None and self._desk is not None:
            left, others = self.offer.what == "resume", len(self._desk.waiting)
            now, away = self._clock(), self._owner == "elsewhere"
            shown = self._desk.turned(self.shown)
            jobs = running_jobs(shown) if self._owner != "nobody" else 0
            self.status.show(status(shown, now, left=left, away=away, others=others, jobs=jobs))

    async def _look_who(self, desk: Desk) -> None:
        owner = await desk.thread.owner()
        if desk is self._desk:
            self._owner = owner

    def _tick(self) -> None:
        self._draw_status()
        if self._desk is not None:
            attempt(self, self._tick_owner(self._desk))

    async def _tick_owner(self, desk: Desk) -> None:
        before = self._owner
        await self._look_who(desk)
        if self.shown is not None and self._owner != before:
            self._draw(desk, self.shown)

    def _past(self) -> Sequence[str]:
        """What was said before, the newest first."""
        return self._desk.past if self._desk else ()

    def _in_turn(self, work: Coroutine[Any, Any, None]) -> Worker[None]:
        """Do the work once all is done that was asked for before it; what was told then is old."""
        app_of(self).clear_notifications()

        async def turn() -> None:
            with closing(work):  # the app may end before its turn comes
                async with self._turn:
                    await work

        return attempt(self, turn())

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        event.stop()
        self._sending.begin(event.draft)
        # It is for the thread that it was written in; after a command, for where that leads.
        led = self._given is not None and not self._given.is_finished
        self._in_turn(self._say(event, None if led else self._desk))

    async def _say(self, event: Editor.Submitted, desk: Desk | None) -> None:
        await self._open.wait()
        if desk := desk or self._desk:
            await self._sending.send(desk, event)
            self.conversation.to_end()
            await self._keeper.keep()
            await tell_unreadable(self, desk, files_named(event.draft.text))

    def on_editor_command(self, event: Editor.Command) -> None:
        event.stop()
        self._given = self._in_turn(self._perform_open(event))

    async def _perform_open(self, event: Editor.Command) -> None:
        await self._open.wait()
        await self._perform(event)

    def on_editor_shell(self, event: Editor.Shell) -> None:
        event.stop()
        if self._own is not None and self._own.is_running:
            tell(self, "One command at a time: Esc ends the one that runs.")
            self.editor.restore(f"!{event.line}")
            return
        self._own = attempt(self, self._run_own(event.line))

    async def _run_own(self, line: str) -> None:
        await self._open.wait()
        self.own_command.begin(line)
        try:
            if self._desk is not None:
                await self._desk.thread.shell(line, self.own_command.hear)
        except LongreinError:
            self.editor.restore(f"!{line}")
            raise
        finally:
            self.own_command.end()

    def on_editor_nothing(self, event: Editor.Nothing) -> None:
        event.stop()
        if self.offer.what:
            self.post_message(Offer.Taken(self.offer.what))

    def on_editor_escaped(self, event: Editor.Escaped) -> None:
        event.stop()
        self.action_escape()

    def action_escape(self) -> None:
        """Stop what runs; from the conversation, go back to the editor."""
        if self.focused is self.conversation:
            self.editor.focus()
        elif self._own is not None and self._own.is_running:
            self._own.cancel()
        elif self._desk and (shown := self.shown) and (shown.run or shown.compacting):
            attempt(self, self._desk.interrupt())

    def on_asks_decided(self, event: Asks.Decided) -> None:
        event.stop()
        if self._desk is not None:
            attempt(self, settle(self.asks, self._desk.thread, event))

    def on_editor_tabbed(self, event: Editor.Tabbed) -> None:
        event.stop()
        if self.asks.waiting:
            self.asks.attend()
        else:
            self.action_read()

    def on_asks_typed(self, event: Asks.Typed) -> None:
        event.stop()
        self.editor.put(event.text)

    def on_paste(self, event: Paste) -> None:
        """What is pasted where nothing can be written is for the editor."""
        event.stop()
        self.editor.put(event.text)

    def on_asks_left(self, event: Asks.Left) -> None:
        event.stop()
        self.editor.focus()

    def on_editor_revised(self, event: Editor.Revised) -> None:
        event.stop()
        if self._desk is not None:
            self._in_turn(self._sending.revise(self._desk, event))

    def on_queue_removed(self, event: Queue.Removed) -> None:
        event.stop()
        if self._desk is not None:
            attempt(self, self._remove_queued(self._desk, event))

    async def _remove_queued(self, desk: Desk, event: Queue.Removed) -> None:
        await desk.remove_queued(event.input)
        tell(self, removed(event.text))

    def on_queue_reordered(self, event: Queue.Reordered) -> None:
        event.stop()
        if self._desk is not None:
            attempt(self, self._desk.reorder_queue(event.inputs))

    def on_queue_released(self, event: Queue.Released) -> None:
        event.stop()
        if self._desk is not None:
            attempt(self, self._desk.release())

    def on_conversation_child_chosen(self, event: Conversation.ChildChosen) -> None:
        event.stop()
        self.post_message(self.LookIn(event.thread))

    def action_next_mode(self) -> None:
        self._turn_by(Desk.turn_mode)

    def action_next_trust(self) -> None:
        self._turn_by(Desk.turn_trust)

    def _turn_by(self, turn: Callable[[Desk], None]) -> None:
        if self._desk is not None:
            self._turning.turn(self._desk, turn, waits=self.asks.waiting)
            self._draw_status()

    def action_read(self) -> None:
        if self.conversation.display:
            self.conversation.focus()

    def action_toggle_newest(self) -> None:
        self.conversation.toggle_newest()

    def action_page(self, by: int) -> None:
        if not self.asks.page(by) and not self.welcome.page(by):
            self.conversation.page(by)
