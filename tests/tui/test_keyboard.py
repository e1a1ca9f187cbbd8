"""What a terminal sends, as keys and pastes, however it is cut into pieces."""

import pytest
from textual.events import Key, Paste
from textual.message import Message

from longrein.tui.keyboard import Typed


def heard(*pieces: str) -> list[str]:
    typed = Typed()
    return [_named(one) for piece in pieces for one in typed.heard(piece)]


def _named(message: Message) -> str:
    match message:
        case Key():
            return message.key
        case Paste():
            return f"paste {message.text!r}"
        case _:
            return type(message).__name__


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ("\r", "enter"),
        ("\n", "ctrl+j"),
        ("\x1b\r", "alt+enter"),
        ("\x1b\n", "alt+enter"),
        ("\x1b[13;3u", "alt+enter"),
        ("\x1b[27;3;13~", "alt+enter"),
        ("\x1b[13;2u", "shift+enter"),
        ("\x1b[27;2;13~", "shift+enter"),
        ("\x1b[27;5;103~", "ctrl+g"),
        ("\x1b[1;3A", "alt+up"),
        ("\x1b[A", "up"),
        ("\x1b[Z", "shift+tab"),
    ],
)
def test_keys_are_known_however_terminals_send_them(sent: str, key: str) -> None:
    assert heard(sent) == [key]


def test_a_paste_is_one_thing_with_everything_in_it() -> None:
    text = "a\r\x1b[31mb\x1b\r!x\r\x1b[A\t"
    assert heard(f"x\x1b[200~{text}\x1b[201~y") == ["x", f"paste {text!r}", "y"]


def test_a_paste_may_come_in_pieces_of_any_size() -> None:
    text = "ab\x1b[20" * 3
    sent = f"x\x1b[200~{text}\x1b[201~\r"
    expected = ["x", f"paste {text!r}", "enter"]
    for size in range(2, len(sent)):
        pieces = [sent[n : n + size] for n in range(0, len(sent), size)]
        if not any(piece.endswith("\x1b") for piece in pieces):
            assert heard(*pieces) == expected, size


def test_the_beginning_of_a_paste_that_does_not_come_is_keys() -> None:
    typed = Typed()
    assert list(typed.heard("\x1b[20")) == []
    list(typed.silence())
    assert [_named(one) for one in typed.heard("~")] == ["f9"]
