"""AGENTS.md files on the command line: whether they count."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from longrein.capabilities.memory.memory import Memory
from longrein.capabilities.memory.reading import Reader
from longrein.capabilities.memory.sources import Source
from longrein.cli.ground import Ground
from longrein.cli.teller import Teller
from longrein.cli.terminal import DIM
from longrein.cli.trust import INSTRUCTIONS
from longrein.settings.places import Places
from longrein.settings.project import UNTRUSTED
from longrein.settings.trusted import TrustBook


def own_memory(places: Places, ground: Ground, screen: Teller, *, ask: bool) -> Memory:
    """What the agent knows from files: the user's own, and those of a project that is trusted.

    A project that brings instructions is asked about once, where `ask` and there is a terminal.
    """
    folder = ground.folder
    user = (Path.home() / ".agents" / "AGENTS.md", places.user_file.parent / "AGENTS.md")
    if folder is None:
        return Memory(user=user, expected=False)
    here = Path.cwd().resolve()
    working = here if here.is_relative_to(folder) else folder
    untrusted = Memory(folder, working=working, trusted=False)
    found = untrusted.sources()
    whole = places.project if folder.is_relative_to(places.project) else folder
    trusted = TrustBook(places.state).verdict(whole, INSTRUCTIONS)
    if trusted is None and ask and found and screen.interactive:
        trusted = _asked(places, whole, list(_told(found, untrusted.reader)), screen)
    if ask and not trusted:
        for one in found:
            screen.say(f"Ignored: {one.path}: {UNTRUSTED}", DIM)
    return Memory(folder, working=working, user=user, expected=False, trusted=bool(trusted))


def _told(found: Sequence[Source], reader: Reader) -> Iterator[str]:
    """Each file with what is in it."""
    for one in found:
        yield f"{one.path} ({one.bytes:,} bytes)"
        read = reader.read(one.path, one.origin)
        if read and read.problem:
            yield f"  {read.problem}"
        if read and read.text:
            yield from (f"  {line}" for line in read.text.split("\n"))


def _asked(places: Places, folder: Path, lines: Sequence[str], screen: Teller) -> bool:
    risk = "The agent would follow them, also once they change, and those of the folders below."
    trusted = screen.confirms("This project has instructions for agents:", lines, risk)
    TrustBook(places.state).write(folder, INSTRUCTIONS, trusted)
    return trusted
