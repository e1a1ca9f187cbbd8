"""Where skills of the user and of the project are looked for."""

from pathlib import Path

from longrein.capabilities.skills.shelf import Shelf, SkillFolder
from longrein.settings.places import Places
from longrein.settings.project import Gate, ask_about, counting


def skill_folders(places: Places, home: Path, gate: Gate) -> tuple[SkillFolder, ...]:
    """The folders, the weakest first.

    Those of the project count only where `gate` lets them, which is asked about them as they are
    now. As they are later, they count where the user has said so meanwhile: nobody can be asked
    while an agent works.
    """
    users = (home / ".agents" / "skills", places.user_file.parent / "skills")
    projects = [one for one in project_skills(places) if one not in users]
    for path in projects:
        ask_about(path, content(places, path), gate)
    root, counts = str(places.project), counting(gate)
    return (
        *(SkillFolder(path, "user") for path in users),
        *(SkillFolder(path, "project", root, counts) for path in projects),
    )


def project_skills(places: Places) -> tuple[Path, Path]:
    """The folders of the project, the weaker first."""
    return places.project / ".agents" / "skills", places.project / ".longrein" / "skills"


def content(places: Places, folder: Path) -> bytes:
    """What a verdict on a folder of the project is about, for whoever gives it: each skill with
    what it is for, and a digest of its files; empty: there are none."""
    # Nobody is asked here: whatever is in it, it does not count.
    shelf = Shelf(SkillFolder(folder, "project", str(places.project), lambda path, data: "no"))
    shelf.look()
    return shelf.content
