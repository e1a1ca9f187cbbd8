"""The skills that there are, from several folders and from code."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from msgspec import Struct

from longrein.capabilities.skills.shelf import KIND, Shelf, SkillFolder, read_text
from longrein.capabilities.skills.standard import FILE, Skill, read_skill
from longrein.core.errors import UsageError
from longrein.core.outcomes import Problem
from longrein.workspace.folders import opened

BUILT_IN = Path(__file__).parent / "builtin"


class Shadowed(Struct, frozen=True):
    """A skill that does not count, because `by` has the same name."""

    skill: Skill
    by: Skill


class Found(Struct, frozen=True):
    """Everything that was found: skills by name, what is wrong, and who is hidden by whom."""

    skills: Mapping[str, Skill]
    problems: tuple[Problem, ...] = ()
    shadowed: tuple[Shadowed, ...] = ()


class Library:
    """Skills of several folders, and some from code. The later folder wins, code over all."""

    def __init__(self, folders: Sequence[SkillFolder], given: Sequence[Skill] = ()) -> None:
        self._shelves = [Shelf(folder) for folder in folders]
        self._given = tuple(given)
        self._lock = Lock()
        self._found: Found | None = None

    def find(self) -> Found:
        """What there is now. Reads what has changed since it was asked last, which may take a
        while: it belongs into a thread, unless `same` tells that nothing has."""
        with self._lock:
            changed = [shelf.look() for shelf in self._shelves]
            if self._found is None or any(changed):
                self._found = self._gathered()
            return self._found

    @property
    def found(self) -> Found:
        """What was found last."""
        return self._found or self.find()

    @property
    def readable(self) -> tuple[str, ...]:
        """Folders of the disk that commands may read, by what there is now."""
        self.find()
        given = (os.path.realpath(one.folder) for one in self._given if one.folder)
        return (*(path for shelf in self._shelves for path in shelf.readable), *given)

    def same(self) -> Found | None:
        """What was found last, if it is still so; else None. Costs a `stat` for each skill,
        or for each of its files where somebody has to vouch for it."""
        return self._found if all(shelf.is_same() for shelf in self._shelves) else None

    def _gathered(self) -> Found:
        every = [skill for shelf in self._shelves for skill in shelf.skills]
        skills: dict[str, Skill] = {}
        shadowed: list[Shadowed] = []
        for skill in reversed((*every, *self._given)):
            if by := skills.get(skill.name):
                shadowed.append(Shadowed(skill, by))
            else:
                skills[skill.name] = skill
        problems = [problem for shelf in self._shelves for problem in shelf.problems]
        problems += [Problem(KIND, _collision(one)) for one in shadowed]
        return Found(skills, tuple(problems), tuple(shadowed))


def _collision(one: Shadowed) -> str:
    return f"{where(one.skill)} does not count: {where(one.by)} has the same name and wins."


def where(skill: Skill) -> str:
    """Where a skill is, for people."""
    return skill.folder or f"the skill {skill.name!r} from code"


def check_skill(folder: str | os.PathLike[str]) -> Skill:
    """The skill in a folder. Raises `UsageError` with all that is wrong with it."""
    above, name = os.path.split(os.path.realpath(folder))
    text = read_text(opened(above), name)
    if text is None:
        raise UsageError(f"There is no {FILE}.")
    return read_skill(text, name, os.path.join(above, name))
