"""AGENTS.md files on the command line: whether they count."""

from pathlib import Path

from longrein.capabilities.memory.memory import Memory
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
    found = Memory(folder, working=working, trusted=False).sources()
    whole = places.project if folder.is_relative_to(places.project) else folder
    trusted = TrustBook(places.state).verdict(whole, INSTRUCTIONS)
    if trusted is None and ask and found and screen.interactive:
        trusted = _asked(places, whole, found, screen)
    if ask and not trusted:
        for one in found:
            screen.say(f"Ignored: {one.path}: {UNTRUSTED}", DIM)
    return Memory(folder, working=working, user=user, expected=False, trusted=bool(trusted))


def _asked(places: Places, folder: Path, found: list[Source], screen: Teller) -> bool:
    lines = [f"{one.path} ({one.bytes:,} bytes)" for one in found]
    risk = "The agent would follow them, also when they change, and those of folders below."
    trusted = screen.confirms("This project brings instructions for agents:", lines, risk)
    TrustBook(places.state).write(folder, INSTRUCTIONS, trusted)
    return trusted
