"""What waits to be said and the editor below it, which go hand in hand."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.widget import Widget

from longrein.tui.attempt import tell
from longrein.tui.view.queue import QueueView, Waiting
from longrein.tui.widgets.editor import Editor
from longrein.tui.widgets.queue import Queue
from longrein.tui.widgets.squeezed import Squeezing
from longrein.tui.widgets.unsent import Unsent
from longrein.tui.writing.draft import sent_before

WENT_ON = "That message is before the agent already. Enter sends what you wrote as a new one."


class Composer(Squeezing, Widget):
    """Leads from the editor into the queue and back; all else they tell goes on to the app."""

    DEFAULT_CSS = """
    Composer { height: auto; min-height: 1; }
    Composer > Unsent, Composer > Queue, Composer > Editor { min-height: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.unsent = Unsent()
        self.queue = Queue()
        self.editor = Editor(self.queue.enter)

    def compose(self) -> ComposeResult:
        yield self.unsent
        yield self.queue
        yield self.editor

    def show(self, view: QueueView) -> None:
        """Show what waits now."""
        self.queue.show(view)
        if self.editor.revising and self.editor.revising not in view:
            self.editor.no_longer_waits()
            tell(self, WENT_ON, "warning")

    def take_back(self, said: Sequence[Waiting]) -> None:
        """Have what nobody heard in the editor again, unless somebody writes there."""
        if self.editor.is_empty:
            for one in reversed(said):
                self.editor.restore(sent_before(one.text, one.files))

    def on_editor_nothing(self, event: Editor.Nothing) -> None:
        if self.queue.view.held:
            event.stop()
            self.post_message(Queue.Released())

    def on_queue_editing(self, event: Queue.Editing) -> None:
        event.stop()
        one = event.waiting
        self.editor.revise(one.input, sent_before(one.text, one.files))

    def on_queue_left(self, event: Queue.Left) -> None:
        event.stop()
        self.editor.focus()

    def on_queue_removed(self, event: Queue.Removed) -> None:
        self.editor.remember(event.text)
