"""The app: its client comes behind the first frame, its pages over the main screen."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from time import monotonic
from typing import Any, ClassVar, TypeAlias

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.events import Event, Key, Unmount
from textual.filter import LineFilter
from textual.theme import Theme
from textual.worker import WorkerFailed

from longrein.core.errors import LongreinError, UsageError
from longrein.core.ids import Clock, SystemClock
from longrein.core.preferences import Preferences
from longrein.tui.attempt import attempt, tell
from longrein.tui.calling import Calling
from longrein.tui.commands import find
from longrein.tui.grace import Grace
from longrein.tui.keyboard import Keyboard
from longrein.tui.look import THEMES, look_of, of_terminal
from longrein.tui.main import TICK, Main
from longrein.tui.opening import Opened, Opener
from longrein.tui.outside import NO_SHELL, EditOutside, edit_outside, has_shell_behind
from longrein.tui.safe import Harmless
from longrein.tui.stage import Stage
from longrein.tui.view.compacting import compacted
from longrein.tui.widgets.conversation import Conversation
from longrein.tui.widgets.editor import Editor
from longrein.tui.widgets.offer import Offer
from longrein.tui.widgets.status import Status
from longrein.tui.writing.draft import Draft

MOST_NOTES = 2
"""Notes that are shown at a time: more would hide the conversation."""

AGAIN = 2.0
"""Seconds in which a second Ctrl+C means it."""

Perform: TypeAlias = Callable[[Stage, str, str], Coroutine[Any, Any, None]]
"""Carries out a command: on which stage, its name, its arguments."""


class LongreinApp(App[int]):
    """The terminal app on whatever client `opener` brings.

    `perform` is handed in so that the pages that commands show are loaded behind the first frame.
    `failure` is what ended it, if it did not end as it should.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "Longrein"
    CSS = """
    ToastRack { dock: top; align: right top; margin: 1 1 0 0; }
    Toast { padding: 0 1; margin: 0; background: $panel; }
    Toast.-information { border-left: outer $accent; }
    Main.-asking > ToastRack { layer: default; dock: none; min-height: 0; margin: 0; }
    Main.-asking Toast { max-width: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "cancel", "Clear, or leave", priority=True),
        Binding("ctrl+d", "end_of_input", "Leave", priority=True),
        Binding("ctrl+z", "suspend_process", "To the shell", show=False, priority=True),
        Binding("ctrl+q", "leave", "Leave", show=False, priority=True),
    ]

    def __init__(
        self,
        opener: Opener,
        perform: Perform,
        preferences: Preferences | None = None,
        clock: Clock | None = None,
        grace: Grace | None = None,
    ) -> None:
        # Who wants no colours gets none, not shades of grey.
        plain = bool(os.environ.get("NO_COLOR"))
        super().__init__(driver_class=Keyboard, ansi_color=plain or None)
        self.failure: Exception | None = None
        self._clock = clock or SystemClock()
        self._perform = perform
        grace = grace or Grace(self._clock.monotonic)
        self.main = Main(self._clock, grace, self._perform_written)
        self.stage = Stage(self, self.main, self._clock.now, grace)
        self._preferences = preferences or Preferences()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self._known_theme()
        self._opener = opener
        self._harmless = Harmless()
        self._calling = Calling(os.environ)
        self._pressed = -AGAIN
        self._lent = False

    def get_default_screen(self) -> Main:
        return self.main

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Whatever is drawn is made harmless first, wherever it came from."""
        return [self._harmless, *super().get_line_filters()]

    @property
    def is_open(self) -> bool:
        """Whether a thread is on the screen."""
        return self.main.shown is not None

    def on_mount(self) -> None:
        # Textual has tasks begin at once where Python can; what others run on this loop may not
        # expect that.
        asyncio.get_running_loop().set_task_factory(None)
        self.theme_changed_signal.subscribe(self, self._wear)
        self._wear(self.current_theme)
        # The first frame is drawn before anything else is begun.
        self.call_after_refresh(lambda: self.run_worker(self._open()))
        self.set_interval(TICK, self._look_around)

    async def _open(self) -> None:
        try:
            opened = await self._opener(self.stage)
            if opened is None:
                self.exit(0)
            else:
                await self._start(opened)
        except (LongreinError, OSError) as error:
            # Told where the person is then: on the command line.
            self.failure = error
            self.exit()

    async def _start(self, opened: Opened) -> None:
        self._prefer(opened.preferences)
        client = opened.client
        thread = await client.open(opened.thread, new=not opened.thread)
        await self.stage.begin(client, thread)
        if client.about.notices and thread.display.messages:
            self.stage.tell("\n".join(client.about.notices))
        attempt(self, self._first(opened))

    async def _first(self, opened: Opened) -> None:
        """What is done at once in the thread that the app begins with."""
        first = self.stage.desk
        if opened.pick:
            await self._perform(self.stage, "threads", "")
        if self.stage.desk is first:  # nothing was chosen instead
            self.main.take_up()
        if opened.choose_model:
            await self._perform(self.stage, "model", "")
        if opened.draft:
            await self.stage.desk.say("send", opened.draft)

    def _prefer(self, preferences: Preferences) -> None:
        self._preferences = preferences
        self.animation_level = "full" if preferences.animations else "none"
        self.main.prefer(preferences)
        self.theme = self._known_theme()
        self._wear(self.current_theme)

    def _known_theme(self) -> str:
        liked = self.available_themes.get(self._preferences.theme, THEMES[0])
        # Of mixed colours, a terminal that has sixteen makes black and white.
        few = not self.is_headless and self.console.color_system == "standard"
        return of_terminal(liked).name if few else liked.name

    def _wear(self, theme: Theme) -> None:
        look = look_of(theme, colours=not self.no_color)
        likes = self._preferences
        self.main.conversation.redraw(look, timestamps=likes.timestamps, still=not likes.animations)

    async def _perform_written(self, event: Editor.Command) -> None:
        try:
            await self._perform(self.stage, event.name, event.arguments)
        except UsageError:
            if event.draft.text:
                self.main.editor.restore(event.draft)
            raise

    def on_main_look_in(self, event: Main.LookIn) -> None:
        attempt(self, self.stage.look_in(event.thread))

    def on_conversation_read_chosen(self, event: Conversation.ReadChosen) -> None:
        attempt(self, self.stage.read(event.entry))

    def on_offer_taken(self, event: Offer.Taken) -> None:
        self._give("new" if event.what == "new" else "proceed")

    def on_status_pressed(self, event: Status.Pressed) -> None:
        if find(event.part):
            self._give(event.part)

    def _give(self, command: str) -> None:
        """Give a command as if it was written: after all that was asked for before."""
        self.main.post_message(Editor.Command(command, "", Draft()))

    def on_edit_outside(self, event: EditOutside) -> None:
        if not self._lent:
            self._lent = True
            attempt(self, self._lend(event))

    async def _lend(self, event: EditOutside) -> None:
        """Lend the terminal to an editor; to one at a time."""
        try:
            await edit_outside(self, event, self._preferences.editor)
        finally:
            self._lent = False

    def on_main_drawn(self, event: Main.Drawn) -> None:
        if words := compacted(event.before, event.after):
            tell(self, words)
        if self._driver is not None:
            way = self._preferences.notify
            self._calling.call(event.before, event.after, self._clock.now(), way, self._driver)

    def _look_around(self) -> None:
        """Call for threads that are not shown and wait for the person."""
        if self._driver is not None and self.is_open:
            desk, way = self.stage.desk, self._preferences.notify
            self._calling.look(desk.client.waiting, desk.thread.thread, way, self._driver)

    async def on_event(self, event: Event) -> None:
        """Every event on its way to whoever it is for."""
        self._calling.notice(event)
        if isinstance(event, Key) and event.key != "ctrl+c":
            self._pressed = -AGAIN
        await super().on_event(event)

    def on_unmount(self, event: Unmount) -> None:
        self.stage.close()

    def _handle_exception(self, error: Exception) -> None:
        """A bug of ours ends the app, and is told on the command line."""
        cause = error.error if isinstance(error, WorkerFailed) else error
        self.failure = self.failure or (cause if isinstance(cause, Exception) else error)
        super()._handle_exception(error)

    def _refresh_notifications(self) -> None:
        for old in list(self._notifications)[:-MOST_NOTES]:
            self._unnotify(old, refresh=False)
        super()._refresh_notifications()
        # Textual leaves the holder of a note that is dropped: an empty row, for good.
        shown = {f"--textual-toast-{one.identity}" for one in self._notifications}
        for holder in self.screen.query("ToastHolder") if self.screen_stack else ():
            if holder.id not in shown:
                holder.remove()

    def _fatal_error(self) -> None:
        # Textual would lay out every local variable: that takes long, and may show what nobody
        # should see.
        self._close_messages_no_wait()

    def action_cancel(self) -> None:
        """Copy what is selected, or clear what is written; else leave on the second press."""
        if selected := self.screen.get_selected_text():
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
            self.stage.tell("Copied.")
        elif self.screen is self.main and self.main.editor.clear():
            return
        elif monotonic() - self._pressed < AGAIN:
            self.action_leave()
        elif not self.stage.leaving:
            self._pressed = monotonic()
            self.notify("Ctrl+C again leaves.", timeout=AGAIN, markup=False)

    def action_end_of_input(self) -> None:
        if self.screen is self.main and self.main.editor.is_empty:
            self.action_leave()

    def action_suspend_process(self) -> None:
        """Go to the shell that the app was started from; `fg` there comes back."""
        if has_shell_behind():
            super().action_suspend_process()
        else:
            self.stage.tell(NO_SHELL)

    @on(Driver.SignalResume)
    def _come_back(self) -> None:
        self.refresh(layout=True)

    def action_leave(self) -> None:
        attempt(self, self.stage.leave())
