"""Where subagents, skills and commands of the user and of the project are looked for."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, TypeAlias, TypeVar

from longrein.capabilities.brought import Counts
from longrein.capabilities.custom_commands import files as commands
from longrein.capabilities.skills import shelf as skills
from longrein.capabilities.subagents import files as agents
from longrein.settings.places import Places
from longrein.settings.project import Gate, ask_about, counting

F = TypeVar("F")
Whose: TypeAlias = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class Brought(Generic[F]):
    """What the user and a project bring in folders of one name.

    `make` is given a path, whose it is, the root and who says if it counts; `whole` is what a
    verdict on a folder is about. `rooted`: paths in the user's own begin at the project too.
    """

    name: str
    make: Callable[[Path, Whose, str, Counts | None], F]
    whole: Callable[[F], bytes]
    rooted: bool = False

    def folders(self, places: Places, home: Path, gate: Gate) -> tuple[F, ...]:
        """The folders, the weakest first.

        Those of the project count only where `gate` lets them, which is asked about them as they
        are now. As they are later, they count where the user has said so meanwhile: nobody can be
        asked while an agent works.
        """
        users = (home / ".agents" / self.name, places.user_file.parent / self.name)
        projects = [one for one in self.of_project(places) if one not in users]
        for path in projects:
            ask_about(path, self.content(places, path), gate)
        root, counts = str(places.project), counting(gate)
        return (
            *(self.make(path, "user", root if self.rooted else "", None) for path in users),
            *(self.make(path, "project", root, counts) for path in projects),
        )

    def of_project(self, places: Places) -> tuple[Path, Path]:
        """The folders of the project, the weaker first."""
        return places.project / ".agents" / self.name, places.project / ".longrein" / self.name

    def content(self, places: Places, folder: Path) -> bytes:
        """What a verdict on a folder of the project is about, for whoever gives it; empty: there
        is nothing in it."""
        # Nobody is asked here: whatever is in it, it does not count.
        return self.whole(
            self.make(folder, "project", str(places.project), lambda path, data: "no")
        )


AGENTS = Brought("agents", agents.AgentFolder, agents.whole, rooted=True)
SKILLS = Brought("skills", skills.SkillFolder, skills.whole)
COMMANDS = Brought("commands", commands.CommandFolder, commands.whole)
EVERY = (AGENTS, SKILLS, COMMANDS)
