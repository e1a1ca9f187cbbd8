"""An app with nothing but the queue and the editor in it, which keeps what they tell."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import Static

from longrein.client.files import FileIndex
from longrein.client.port import CommandInfo
from longrein.tui.outside import EditOutside
from longrein.tui.view.completing import Completion
from longrein.tui.view.queue import QueueView
from longrein.tui.widgets.area import Area
from longrein.tui.widgets.composer import Composer
from longrein.tui.widgets.editor import Editor
from longrein.tui.widgets.queue import Queue
from longrein.tui.writing.draft import Draft
from longrein.tui.writing.sources import Sources
from tests.tui.host import Host, Person, before

COMMANDS = (
    CommandInfo("model", "Change the model", "[MODEL]"),
    CommandInfo("mode", "Change the mode", "[MODE]"),
    CommandInfo("help", "Keys and commands"),
    CommandInfo("compact", "Make it shorter", "[FOCUS]"),
)


class Typing(Host):
    """Offers files of a folder and modes; `told` is what was told, in short."""

    CSS = "Screen { layout: vertical; } #above { height: 1fr; }"

    def __init__(self, folder: Path, past: Sequence[str] = ()) -> None:
        super().__init__(Static("the conversation", id="above"), Composer())
        self.told: list[tuple[str, ...]] = []
        self.drafts: list[Draft] = []
        self.outside: list[EditOutside] = []
        self._files = FileIndex(str(folder))
        self._past = past

    def on_mount(self) -> None:
        self.editor.set_commands(COMMANDS)
        self.editor.use(
            Sources(
                lambda part: self._files.find(part, 20),
                self._files.read,
                self._arguments,
                lambda: self._past,
            )
        )
        self.editor.focus()

    async def on_unmount(self) -> None:
        await self._files.close()

    @property
    def editor(self) -> Editor:
        return self.query_one(Editor)

    @property
    def queue(self) -> Queue:
        return self.query_one(Queue)

    @property
    def text(self) -> str:
        """What stands in the editor."""
        return self.query_one(Area).text

    def show(self, view: QueueView) -> None:
        self.query_one(Composer).show(view)

    async def _arguments(self, command: str) -> Sequence[Completion]:
        modes = ("build", "plan", "explore")
        return [Completion(one, one, goes=True) for one in modes if command == "mode"]

    def on_editor_submitted(self, event: Editor.Submitted) -> None:
        self.told.append((event.verb, event.draft.said))
        self.drafts.append(event.draft)

    def on_editor_command(self, event: Editor.Command) -> None:
        self.told.append(("command", event.name, event.arguments))

    def on_editor_shell(self, event: Editor.Shell) -> None:
        self.told.append(("shell", event.line))

    def on_editor_escaped(self, event: Editor.Escaped) -> None:
        self.told.append(("escaped",))

    def on_edit_outside(self, event: EditOutside) -> None:
        self.outside.append(event)

    def on_editor_revised(self, event: Editor.Revised) -> None:
        self.told.append(("edited", event.input, event.draft.said))

    def on_queue_removed(self, event: Queue.Removed) -> None:
        self.told.append(("removed", event.input, event.text))

    def on_queue_reordered(self, event: Queue.Reordered) -> None:
        self.told.append(("reordered", *event.inputs))

    def on_queue_released(self, event: Queue.Released) -> None:
        self.told.append(("released",))


@asynccontextmanager
async def typing(
    folder: Path, *, past: Sequence[str] = (), size: tuple[int, int] = (80, 24)
) -> AsyncGenerator[tuple[Typing, Person[Typing]], None]:
    """The app on a screen of this size, and somebody before it."""
    app = Typing(folder, past)
    async with before(app, size) as person:
        yield app, person
