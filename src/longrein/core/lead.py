"""What stands at the beginning of a request for the messages that it does not hold."""

from collections.abc import Iterator, Sequence

from longrein.core.messages import Content, Message, Note, Text, User
from longrein.core.offload import HISTORY, input_path, left_out
from longrein.core.window import Window

SOURCE = "compaction"
"""The source of the notes that stand for what was left out."""

SUMMARISED = (
    "The conversation before this point does not fit any more. This is a summary of it, written "
    "for you to go on with."
)
LEFT_OUT = "The conversation before this point does not fit any more and was left out."
GAP = "What came between that summary and this point was left out, too."
WHERE = f" It can be read and searched in {HISTORY}."


def lead_of(messages: Sequence[Message], window: Window) -> tuple[Message, ...]:
    """What a request begins with: what the user asked for first and last and what is pinned, a
    summary, and what capabilities keep."""
    notes = (Note(text, SOURCE) for text in _notes(window) if text.strip())
    return (*_asked(messages, window), *notes)


def _notes(window: Window) -> Iterator[str]:
    if window.start:
        where = WHERE if window.readable else ""
        if window.summary.strip():
            yield f"{SUMMARISED}{where}\n\n{window.summary}"
            yield f"{GAP}{where}" if window.gap else ""
        else:
            yield f"{LEFT_OUT}{where}"
    yield window.kept


def _asked(messages: Sequence[Message], window: Window) -> Iterator[User]:
    for place in sorted((*window.pinned, *window.asked)):
        message = messages[place]
        if isinstance(message, User):
            yield message if place in window.pinned else _short(message, window)


def _short(message: User, window: Window) -> User:
    """What was said, bounded, and without files."""
    text, most = "\n".join(map(_named, message.parts)), window.most
    if text == message.text and len(text) <= most:
        return message
    if len(text) > most:
        path = input_path(message.input) if window.readable else ""
        gap = left_out(len(text) - most, "characters", path)
        text = f"{text[: most // 2]}\n{gap}\n{text[len(text) - most // 2 :]}"
    return User((Text(text),), message.input, message.time)


def _named(part: Content) -> str:
    return part.text if isinstance(part, Text) else f"[a file: {part.name or part.media_type}]"
