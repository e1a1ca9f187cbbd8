"""The editor: where a person writes, with all that helps them to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import DescendantBlur, Key, Resize
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static, TextArea

from longrein.client.port import CommandInfo, Verb
from longrein.core.visible import visible
from longrein.tui.around import app_of
from longrein.tui.look import CURSOR, LOW
from longrein.tui.outside import EditOutside
from longrein.tui.view.completing import part_at
from longrein.tui.widgets.area import Area
from longrein.tui.widgets.completions import Completions
from longrein.tui.widgets.history_search import HistorySearch
from longrein.tui.widgets.squeezed import Squeezing
from longrein.tui.writing.completer import Completer
from longrein.tui.writing.draft import Draft, joined, recalled
from longrein.tui.writing.given import CommandLine, ShellLine, meant
from longrein.tui.writing.inserting import Inserter
from longrein.tui.writing.past import EditorHistory
from longrein.tui.writing.sources import NOTHING, Sources

REVISING = "Enter changes it · Esc leaves it"
OWN_COMMAND = "your own command, on this machine"


class Editor(Squeezing, Widget):
    """Several lines to write in, with history, completion and what is pasted as marks.

    What was written is lost in no case: whoever cannot take what was sent gives it to `restore`.
    `above` goes up from an empty editor, and says whether there was anywhere to go.
    """

    DEFAULT_CSS = """
    Editor {
        height: auto;
        border-top: solid $panel;
        border-bottom: solid $panel;
        border-title-color: $text-muted;
        border-title-align: right;
        &:focus-within { border-top: solid $foreground 35%; border-bottom: solid $foreground 35%; }
        & > .editor--row { height: auto; min-height: 1; max-height: 40vh; }
        & .editor--prompt { width: 2; height: 1; color: $text-accent; text-style: bold; }
        &.-shell { border-top: solid $warning; border-bottom: solid $warning; }
        &.-shell .editor--prompt { color: $text-warning; }
        &.-searching > .editor--row { display: none; }
        &.-low { border-top: none; border-bottom: none; }
    }
    """

    @dataclass
    class Submitted(Message):
        """Something was said."""

        verb: Verb
        draft: Draft

    @dataclass
    class Revised(Message):
        """What `revise` gave to the editor was changed."""

        input: str
        draft: Draft

    @dataclass
    class Command(Message):
        """A command was given; `draft` is what was written, to be restored if there is no such."""

        name: str
        arguments: str
        draft: Draft

    @dataclass
    class Shell(Message):
        """The person wants to run a command themselves."""

        line: str

    class Changed(Message):
        """Something else is written now."""

    class Nothing(Message):
        """Enter was pressed where nothing is written."""

    class Tabbed(Message):
        """Tab was pressed where there was nothing to complete."""

    class Escaped(Message):
        """Esc was pressed where nothing was open in the editor."""

    def __init__(self, above: Callable[[], bool]) -> None:
        super().__init__()
        self._above = above
        self._area = Area(self._pressed, lambda text: self._inserter.paste(text))
        self._offered = Completions()
        self._completer = Completer(self._offered)
        self._inserter = Inserter(self._area)
        self._search = HistorySearch(self._offered)
        self._sources = NOTHING
        self._suggestion = ""
        self._past = EditorHistory()
        self._kept = Draft()
        self._revising = ""
        self._keys: dict[str, Callable[[], bool]] = {
            "enter": self._enter,
            "alt+enter": lambda: self._submit("queue"),
            "shift+enter": self._new_line,
            "ctrl+j": self._new_line,
            "tab": self._tab,
            "up": self._up,
            "down": self._down,
            "end": lambda: self.is_empty and app_of(self).post_message(Key("ctrl+end", None)),
            "ctrl+p": lambda: self._completer.move(-1) or self.older(),
            "ctrl+n": lambda: self._completer.move(1) or self.newer(),
            "ctrl+r": self._open_search,
            "ctrl+g": self.edit_outside,
            "escape": self._escape,
        }

    def compose(self) -> ComposeResult:
        yield self._offered
        yield self._search
        with Horizontal(classes="editor--row"):
            yield Static(CURSOR, classes="editor--prompt", markup=False)
            yield self._area

    @property
    def draft(self) -> Draft:
        """What is written now."""
        return self._area.draft

    @property
    def unsent(self) -> Draft:
        """What somebody began to say here; not what was only suggested, or is said already."""
        written = Draft() if self._revising else self._past.draft(self.draft)
        draft = joined(written, self._kept)
        return Draft() if draft.text == self._suggestion else draft

    @property
    def is_empty(self) -> bool:
        """Whether nobody is writing here."""
        return not self._area.text and not self._search.is_open

    @property
    def revising(self) -> str:
        """The input that is being changed; empty: none."""
        return self._revising

    def use(self, sources: Sources) -> None:
        """Offer what these have, from now on."""
        self._sources = sources
        self._completer.use(sources)
        self._inserter.use(sources)

    def set_commands(self, commands: Sequence[CommandInfo]) -> None:
        """Offer these commands behind a slash."""
        self._completer.set_commands(commands)

    def suggest(self, text: str) -> None:
        """Show this where nothing is written; Tab takes it."""
        if text != self._suggestion:
            self._suggestion = text
            self._area.suggest(text)

    def load(self, draft: Draft | str) -> None:
        """Write this instead of what is there, which undoing brings back."""
        self._area.load(recalled(draft) if isinstance(draft, str) else draft)

    def put(self, text: str) -> None:
        """Write at the cursor, as if it had come to the editor, and go on here."""
        self._inserter.paste(text)
        self.focus()

    async def with_pictures(self, draft: Draft) -> Draft:
        """A draft that was sent, with the pictures that it names.

        Raises `UsageError` for one that cannot be sent along.
        """
        return await self._inserter.with_pictures(draft)

    def restore(self, draft: Draft | str) -> None:
        """Put back what could not be sent, above what was written meanwhile."""
        draft = recalled(draft) if isinstance(draft, str) else draft
        if self._revising:  # which is about something else
            self._kept = joined(draft, self._kept)
        else:
            self._area.load(joined(draft, self.draft))

    def clear(self) -> bool:
        """Copy what is selected, close what is open, or empty the editor; False: nothing to do."""
        if self._area.selected_text:
            self._area.action_copy()
        elif self._search.is_open:
            self._search.close()
        elif self._revising:
            self.give_up()
        elif self.is_empty:
            return False
        else:
            self._bring_back()
        return True

    def revise(self, input: str, draft: Draft) -> None:
        """Let a waiting input be changed; what was being written comes back afterwards."""
        if not self._revising:
            self._kept = joined(self.draft, self._kept)
        self._revising = input
        self._area.load(draft)
        self._area.focus()
        self._turn()

    def give_up(self) -> None:
        """Leave the input that is being changed as it is."""
        self._revising = ""
        self._bring_back()
        self._turn()

    def _bring_back(self) -> None:
        self._area.load(self._kept)
        self._kept = Draft()

    def no_longer_waits(self) -> None:
        """The input that is being changed went on its way: what is written is said as new."""
        self._revising = ""
        self._turn()

    def edit_outside(self) -> bool:
        """Let the person go on in an editor of their own."""
        self.post_message(EditOutside(self._area.text, "message.md", self._edited_outside))
        return True

    def remember(self, text: str) -> None:
        """Have this in the history."""
        self._past.add(text)

    def older(self) -> bool:
        """Go back in what was said before."""
        return self._walk(1)

    def newer(self) -> bool:
        """Go on to what was said later, and to what was being written at last."""
        return self._walk(-1)

    def focus(self, scroll_visible: bool = True) -> "Editor":
        if self._search.is_open:
            self._search.refocus()
        else:
            self._area.focus(scroll_visible)
        return self

    def _pressed(self, key: Key) -> bool:
        if self._search.is_open:
            # It was under way when the search was opened, and is meant for that.
            return self.screen.post_message(Key(key.key, key.character))
        act = self._keys.get(key.key)
        return act is not None and act()

    def _enter(self) -> bool:
        before = self._area.before_cursor
        offered = self._completer.chosen(before)
        if offered is not None:
            part, chosen = offered
            if before[part.start :] != chosen.insert.rstrip():
                self._inserter.complete(chosen, len(before) - part.start)
                if not chosen.goes:
                    return True
        elif before.endswith("\\"):
            self._area.write("\n", instead_of=1)
            return True
        return self._submit("send")

    def _new_line(self) -> bool:
        self._area.write("\n")
        return True

    def _tab(self) -> bool:
        before = self._area.before_cursor
        offered = self._completer.chosen(before)
        if offered is not None:
            self._inserter.complete(offered[1], len(before) - offered[0].start)
        elif self.is_empty and self._suggestion:
            self._area.write(self._suggestion)
        elif part_at(before) is None:
            self.post_message(self.Tabbed())
        return True

    def _up(self) -> bool:
        if self._completer.move(-1):
            return True
        if self.is_empty and not self._past.walking and self._above():
            return True
        return self._area.at_top and self.older()

    def _down(self) -> bool:
        return self._completer.move(1) or (self._area.at_bottom and self.newer())

    def _escape(self) -> bool:
        if self._completer.close():
            return True
        if self._revising:
            self.give_up()
        else:
            self.post_message(self.Escaped())
        return True

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._completer.follow(self._area.before_cursor)
        self._turn()
        self.post_message(self.Changed())

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        self._completer.follow(self._area.before_cursor)

    def on_descendant_blur(self, event: DescendantBlur) -> None:
        if event.widget is self._area:
            self._completer.close()

    def on_completions_chosen(self, event: Completions.Chosen) -> None:
        event.stop()
        if self._search.is_open:
            self._search.take(event.at)
            return
        self._completer.choose(event.at)
        self._enter()
        self._area.focus()

    def _submit(self, verb: Verb) -> bool:
        draft = self._inserter.naming(self.draft)
        if not draft.text.strip():
            if verb == "send":
                self.post_message(self.Nothing())
        elif self._revising:
            input = self._revising
            self.give_up()
            self._area.forget()
            self.post_message(self.Revised(input, draft))
        elif draft.text.strip() != "!":
            self._past.add(draft.said)
            self._bring_back()
            self._area.forget()
            self._give(verb, draft)
        return True

    def _give(self, verb: Verb, draft: Draft) -> None:
        match meant(draft):
            case ShellLine(line):
                self.post_message(self.Shell(line))
            case CommandLine(name, arguments):
                self.post_message(self.Command(name, arguments, draft))
            case None:
                self.post_message(self.Submitted(verb, draft))

    def _walk(self, by: int) -> bool:
        draft = self._past.step(by, self.draft, self._sources.past())
        if draft is not None:
            self._area.load(draft)
            self._completer.pass_over(draft.text)
        return draft is not None

    def _open_search(self) -> bool:
        self._completer.close()
        self.add_class("-searching")
        self._search.open(self._past.all(self._sources.past()))
        return True

    def on_history_search_closed(self, event: HistorySearch.Closed) -> None:
        event.stop()
        self.remove_class("-searching")
        if event.text is not None:
            self._area.load(recalled(event.text))
        self._area.focus()

    def _edited_outside(self, text: str) -> None:
        draft = replace(self.draft, text=text)
        self._area.load(draft if visible(text) == text else recalled(draft.said))

    def _turn(self) -> None:
        """Show what would become of what is written."""
        shell = self._area.text.startswith("!")
        self.set_class(shell, "-shell")
        title = REVISING if self._revising else OWN_COMMAND if shell else ""
        self.border_title = f" {title} " if title else ""

    def on_resize(self, event: Resize) -> None:
        self.set_class(self.screen.size.height < LOW, "-low")
