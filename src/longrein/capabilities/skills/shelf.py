"""One folder of skills: what is in it, and whether it counts.

Whether anything changed is told by one `stat` for the folder and one for the SKILL.md of each
skill; where somebody has to vouch for the skills, by one for each of their files. Only what changed
is read again.
"""

import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path

from longrein.capabilities.brought import Counts, place_of
from longrein.capabilities.skills.contents import (
    BEYOND,
    TOO_MUCH,
    Content,
    Sign,
    content_of,
    sign_of,
    survey,
)
from longrein.capabilities.skills.standard import FILE, Origin, Skill, read_skill
from longrein.core.errors import UsageError
from longrein.core.outcomes import Problem
from longrein.core.words import counted
from longrein.workspace.confined import Confined
from longrein.workspace.folders import opened, settled
from longrein.workspace.paths import is_name
from longrein.workspace.problems import FileProblem, Linked, NotAFile

LARGEST = 1024 * 1024
"""Bytes of a SKILL.md; more of them would fill any window."""

MOST_SKILLS = 200
"""Folders that are looked into below one folder of skills."""

KIND = "skill"
"""The kind of a problem with a skill."""


@dataclass(frozen=True, slots=True)
class SkillFolder:
    """A folder with skills in it, one folder each. It need not be there yet.

    `counts` is asked about a folder that others may have written, with a line for each skill that
    has a digest of all its files, again whenever one of them has changed; without it the folder
    counts. No link may lead out of `root` on the way to it, or out of the folder above it.

    >>> from longrein import SkillFolder
    >>> SkillFolder("/project/.agents/skills", "project").origin
    'project'
    """

    path: str | os.PathLike[str]
    origin: Origin = "code"
    root: str = ""
    counts: Counts | None = None

    @property
    def real(self) -> str:
        """Where it really is."""
        return settled(self.path)


class Shelf:
    """A folder of skills as it was when it was looked at last."""

    def __init__(self, folder: SkillFolder) -> None:
        self._folder = folder
        # Settled once: where a link is put in its place, or above it, what is opened is elsewhere.
        self._path, self._away = _placed(folder)
        self._sign: Sign = ()
        self._signs: dict[str, Sign] = {}
        self._read: dict[str, Skill | Problem | None] = {}
        self._contents: dict[str, Content] = {}
        self._general: list[Problem] = []
        self._why = ""
        self.content = b""
        """What a verdict is about: each skill, what it is for, and a digest of all that it is."""

    @property
    def skills(self) -> list[Skill]:
        """The skills that count."""
        return [] if self._why else self._valid

    @property
    def problems(self) -> list[Problem]:
        """What is wrong; of a folder that does not count, just that."""
        if self._why:
            return [Problem(KIND, f"{os.fspath(self._folder.path)}: {self._why}")]
        return [*self._general, *(one for one in self._read.values() if isinstance(one, Problem))]

    @property
    def readable(self) -> list[str]:
        """The folders that commands may read: all of it, but of others only skills that count."""
        if self._folder.counts is None:
            return [self._path]
        return [skill.folder for skill in self.skills]

    @property
    def _valid(self) -> list[Skill]:
        return [one for one in self._read.values() if isinstance(one, Skill)]

    def is_same(self) -> bool:
        """Whether all is as it was when it was looked at last."""
        return (
            _sign(self._path) == self._sign
            and self._signed(self._signs) == self._signs
            and self._judged() == self._why
        )

    def look(self) -> bool:
        """Read what has changed; whether anything has."""
        changed = self._read_changes()
        before, self._why = self._why, self._judged()
        return changed or self._why != before

    def _judged(self) -> str:
        if self._folder.counts is None or not self.content:
            return ""
        return self._folder.counts(Path(self._folder.path), self.content)

    def _read_changes(self) -> bool:
        sign = _sign(self._path)
        listed = sign != self._sign
        names: Iterable[str] = self._signs
        if listed:
            names, self._general = self._names(sign)
            self._sign = sign
        # Taken before anything is read: what changes meanwhile is read again next time.
        signs = self._signed(names)
        changed = [n for n, now in signs.items() if n not in self._signs or now != self._signs[n]]
        if not listed and not changed:
            return False
        kept = {name: one for name, one in self._read.items() if name in signs}
        self._read = {**kept, **{name: self._skill(name, signs[name]) for name in changed}}
        self._signs = signs
        lines = (_line(skill, self._contents.get(skill.folder)) for skill in self._valid)
        self.content = "\n".join(sorted(lines)).encode(errors="replace")
        return True

    def _signed(self, names: Iterable[str]) -> dict[str, Sign]:
        if self._folder.counts is not None:
            return survey(self._path, names)
        return {name: _sign(f"{self._path}/{name}/{FILE}") for name in names}

    def _names(self, sign: Sign) -> tuple[list[str], list[Problem]]:
        """The folders that may be skills, and what is wrong with others."""
        given = os.fspath(self._folder.path)
        if self._away:
            return [], [Problem(KIND, f"{given} does not count: {self._away}")]
        if sign is None:
            missing = Problem(KIND, f"{given}: there is no such folder.")
            return [], [missing] if self._folder.origin == "code" else []
        try:
            found = _folders(opened(self._path))
        except (OSError, UsageError) as error:
            return [], [Problem(KIND, f"{self._path} cannot be read: {error}")]
        problems = [self._bad(name, why) for name, why in found.items() if why]
        if len(found) > MOST_SKILLS:
            told = f"{self._path} has more than {MOST_SKILLS} folders: the others do not count."
            problems.append(Problem(KIND, told))
        return [name for name, why in found.items() if not why][:MOST_SKILLS], problems

    def _skill(self, name: str, sign: Sign) -> Skill | Problem | None:
        folder = f"{self._path}/{name}"
        try:
            files = opened(self._path)
            if (text := read_text(files, name)) is None:
                return None
            if sign == TOO_MUCH:
                raise UsageError(BEYOND)
            skill = read_skill(text, name, folder, self._folder.origin)
            if self._folder.counts is not None:
                self._contents[folder] = content_of(files, name)
            return skill
        except UsageError as error:
            return self._bad(name, str(error))
        except OSError as error:  # gone while it was looked at
            return self._bad(name, f"{error.strerror or error}.")

    def _bad(self, name: str, why: str) -> Problem:
        shown = name if is_name(name) else name.encode("unicode_escape").decode()
        return Problem(KIND, f"{self._path}/{shown} does not count: {why}")


def whole(folder: SkillFolder) -> bytes:
    """What a verdict on a folder is about; empty: there are no skills."""
    shelf = Shelf(folder)
    shelf.look()
    return shelf.content


def _placed(folder: SkillFolder) -> tuple[str, str]:
    """Where a folder is, and why it cannot count."""
    try:
        return place_of(folder), ""
    except UsageError as error:
        return folder.real, str(error)


def _folders(files: Confined) -> dict[str, str]:
    """The names of folders that may be skills, each with what is wrong with it."""
    top = files.root.folder(())
    try:
        with os.scandir(top) as found:
            folders = (one.name for one in found if one.name[0] != "." and one.is_dir())
            names = nsmallest(MOST_SKILLS + 1, folders)
        return {name: wrong for name in names if (wrong := _wrong(name, top)) is not None}
    finally:
        os.close(top)


def _wrong(name: str, above: int) -> str | None:
    """Why a folder cannot be a skill; None: it is not meant to be one."""
    try:
        is_link = stat.S_ISLNK(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode)
        if not is_link and is_name(name):
            return ""
        os.stat(f"{name}/{FILE}", dir_fd=above)
    except OSError:  # without that file, or gone by now
        return None
    if is_link:
        return "it is a link. Put the skill itself there, or name the folder it is in."
    return "its name has characters that cannot be shown. Rename it."


def _line(skill: Skill, content: Content | None) -> str:
    told = hashlib.sha256(f"{skill!r} {content!r}".encode(errors="replace")).hexdigest()[:32]
    files = counted(content.files if content else 0, "file")
    return f"{skill.name}: {' '.join(skill.description.split())} ({files}) [{told}]"


def _is_there(files: Confined, path: str) -> bool:
    try:
        return files.stat(path) is not None
    except OSError:  # not to be reached, or a link by now
        return False


def read_text(files: Confined, name: str) -> str | None:
    """The SKILL.md of one of the folders in `files`; None where it has none.

    No link is followed on the way, whatever anybody swaps meanwhile. Raises `UsageError` for one
    that cannot be read.
    """
    try:
        found = files.read(f"/{name}/{FILE}", 0, LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        if not _is_there(files, f"/{name}/{FILE.lower()}"):
            return None
        raise UsageError(f"{FILE} is written in small letters: rename it.") from None
    except Linked:
        raise UsageError(f"{FILE} is a link: put the file itself there.") from None
    except NotAFile:
        raise UsageError(f"{FILE} is no file.") from None
    except OSError as error:
        raise UsageError(f"{FILE} cannot be read: {error.strerror or error}.") from None
    except FileProblem as problem:
        raise UsageError(f"{FILE} cannot be read: {problem}") from None
    if len(found.data) > LARGEST:
        raise UsageError(f"{FILE} has more than {LARGEST:,} bytes: move a part into other files.")
    try:
        return found.data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{FILE} is not UTF-8: byte {error.start + 1:,}.") from None


def _sign(path: str) -> Sign:
    try:
        return sign_of(os.stat(path))
    except (OSError, ValueError):
        return None
