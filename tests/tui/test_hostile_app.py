"""The whole app in a real terminal, with hostile texts wherever others can put them."""

import re
import time
from pathlib import Path

import pytest

from longrein.testing import call, reply, say, think
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider
from tests.tui.corpus.hostile import HOSTILE

SIZE = (160, 50)
GRACE = 0.4
"""Seconds: a card takes no answer in its first moment."""

OWN = re.compile(
    r"\x1b\[[0-9;?>=<]*[A-Za-z~]"  # colours, places, modes, and what terminals are asked
    r"|\x1b\[\?[0-9;]*\$p"
    r"|\x1b[78=>]"
    r"|\x1b\]22;[a-z]+\x07"  # the shape of the pointer
    r"|\x1b(\[[0-9;?>=<]*)?\Z"  # one of them that was not read to its end
)
"""The sequences that the app itself sends. None of them carries text."""

MODES = re.compile(r"\x1b\[\?(\d+)[hl]")
ALLOWED = {
    "7",
    "25",
    "1000",
    "1003",
    "1004",
    "1006",
    "1015",
    "1016",
    "1049",
    "2004",
    "2026",
    "2031",
    "2048",
}


@pytest.mark.timeout(120)
def test_no_text_of_others_reaches_the_terminal_as_a_control(tmp_path: Path) -> None:
    world = World(tmp_path)
    all_of_it = "\n\n".join(one.text for one in HOSTILE.values())
    clean = all_of_it.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    (world.project / "evil.txt").write_text(clean)
    says = [
        reply(think(clean), say(clean), call("read_file", path="evil.txt")),
        call("execute", command=f"printf '%s' '{_quoted(clean)}'"),
        say("That was all of it."),
    ]
    with provider(world, says), Terminal(world, size=SIZE, TERM="xterm-256color") as person:
        person.sees("asks first")
        person.types("Show me\r")
        person.sees("Run this command?")
        _declines(person)
        person.sees("That was all of it.")
        sent = person.screen
    rest = OWN.sub("", sent)
    assert "\x1b" not in rest
    assert not re.search("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f-\x9f]", rest)
    assert set(MODES.findall(sent)) <= ALLOWED
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]", sent)
    assert "\\x1b]52;c;cm0gLXJm\\x07" in rest.replace("\n", "")


def _declines(person: Terminal) -> None:
    """Say no. A key that comes too soon goes into the editor, and the card waits, folded."""
    for _ in range(9):
        time.sleep(GRACE)
        person.types("n")
        if person.shows("Why not?", seconds=10):
            person.types("\r")
            return
        person.types("\x7f\t")
    raise AssertionError(person.screen)


def _quoted(text: str) -> str:
    return text.replace("'", "'\\''").replace("\x00", "")
