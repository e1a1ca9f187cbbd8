"""Where subagents of the user and of the project are looked for."""

from pathlib import Path

from longrein.capabilities.subagents.files import AgentFolder, whole
from longrein.settings.places import Places
from longrein.settings.project import Gate, ask_about, counting


def agent_folders(places: Places, home: Path, gate: Gate) -> tuple[AgentFolder, ...]:
    """The folders, the weakest first. Those of the project count only where `gate` lets them, which
    is asked about them now."""
    root, counts = str(places.project), counting(gate)
    users = (home / ".agents" / "agents", places.user_file.parent / "agents")
    projects = [one for one in project_folders(places) if one not in users]
    for path in projects:
        ask_about(path, content(places, path), gate)
    return (
        *(AgentFolder(path, "user", root) for path in users),
        *(AgentFolder(path, "project", root, counts) for path in projects),
    )


def project_folders(places: Places) -> tuple[Path, Path]:
    """The folders of the project, the weaker first."""
    return places.project / ".agents" / "agents", places.project / ".longrein" / "agents"


def content(places: Places, folder: Path) -> bytes:
    """What a verdict on a folder of the project is about, for whoever gives it: all its files;
    empty: there are none."""
    # Nobody is asked here: whatever is in it, it does not count.
    return whole(AgentFolder(folder, "project", str(places.project), lambda path, data: "no"))
