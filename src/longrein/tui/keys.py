"""The keys of the app, in words: what the help shows and the docs list."""

from msgspec import Struct


class Keys(Struct, frozen=True):
    """Some keys that do one thing."""

    keys: str
    what: str


class KeyGroup(Struct, frozen=True):
    """Keys that belong together."""

    title: str
    keys: tuple[Keys, ...]


KEYS: tuple[KeyGroup, ...] = (
    KeyGroup(
        "Writing",
        (
            Keys("Enter", "send, into the work under way"),
            Keys("Alt+Enter", "queue: it is said when the work is done"),
            Keys("Shift+Enter, Ctrl+J", "new line"),
            Keys("Tab", "complete; in an empty editor, take the suggestion"),
            Keys("Up, Down", "what you said before; from an empty editor, into the queue"),
            Keys("Ctrl+P, Ctrl+N", "what you said before, also while something is queued"),
            Keys("Ctrl+R", "search what you said before"),
            Keys("Ctrl+_", "undo; Ctrl+Y, redo"),
            Keys("Ctrl+G", "write in your own editor"),
            Keys("@", "name a file"),
            Keys("!", "run a command yourself"),
            Keys("/", "give a command"),
        ),
    ),
    KeyGroup(
        "While it works",
        (
            Keys("Esc", "stop it, and keep the queue; or close what is open"),
            Keys("Ctrl+C", "clear the editor; twice, leave"),
            Keys("Ctrl+D", "leave, from an empty editor"),
            Keys("Ctrl+Z", "to the shell; fg comes back"),
            Keys("Shift+Tab", "next mode"),
            Keys("Ctrl+T", "next trust"),
        ),
    ),
    KeyGroup(
        "Reading",
        (
            Keys("PageUp, PageDown", "scroll, as the mouse wheel does"),
            Keys("Ctrl+Home, Ctrl+End", "to the beginning, to the newest; End in an empty editor"),
            Keys("Ctrl+O", "open or close the newest tool call; of a long one, read all"),
            Keys("Tab, Alt+Up", "into the conversation: Enter opens, Esc goes back"),
        ),
    ),
    KeyGroup(
        "When it asks",
        (
            Keys("y", "yes"),
            Keys("n", "no, with a reason if you like"),
            Keys("s", "no, and stop the work"),
            Keys("e", "yes, with other arguments"),
            Keys("r", "answer in its place: it is not run, the model hears you"),
            Keys("a", "yes, and always: choose for what, and for how long"),
            Keys("Tab", "the next of several that wait"),
            Keys("Esc", "later; Tab in the editor comes back"),
        ),
    ),
    KeyGroup(
        "In the queue",
        (
            Keys("Up, Down", "choose"),
            Keys("Enter, e", "edit: Enter keeps the change, Esc gives it up"),
            Keys("Alt+Up, Alt+Down, K, J", "move"),
            Keys("d, Delete", "remove"),
            Keys("Esc", "back to the editor"),
        ),
    ),
    KeyGroup(
        "In lists",
        (
            Keys("letters", "filter"),
            Keys("Up, Down, Enter", "choose"),
            Keys("Tab", "to the list, where letters are keys, and back"),
            Keys("Esc", "close"),
        ),
    ),
)
