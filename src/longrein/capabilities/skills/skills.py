"""`Skills`: knowledge for kinds of work, listed for the model and loaded when it is needed."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import CommandContext, SlashCommand
from longrein.capabilities.opening import Opening, Places
from longrein.capabilities.skills.active import ACTIVE, LEFT, LOADED, ActiveSkill, active_in
from longrein.capabilities.skills.allowed import refusal
from longrein.capabilities.skills.library import BUILT_IN, Found, Library, where
from longrein.capabilities.skills.listing import listed
from longrein.capabilities.skills.resources import Mounted, resources_of
from longrein.capabilities.skills.shelf import KIND, SkillFolder
from longrein.capabilities.skills.standard import Skill
from longrein.capabilities.skills.telling import (
    PLACE,
    catalogue,
    kept,
    loaded,
    news,
    section,
    unknown,
)
from longrein.core.errors import ToolError, UsageError
from longrein.core.outcomes import Problem
from longrein.core.slices import Slice
from longrein.core.state import Kept
from longrein.permissions.matching import Action
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool

BUDGET = 2_000
"""Tokens of the list of skills that is always before the model."""

Given: TypeAlias = str | os.PathLike[str] | SkillFolder


class Skills(Capability):
    """Skills after the Agent Skills standard, from folders and from code.

    Each of `folders` has a folder for each skill, with its SKILL.md; whoever names a folder trusts
    what is in it. Where two skills have the same name, the one from the later folder counts, and
    one of `skills` before all. `built_in`: whether those that come with Longrein are there too,
    which give way to all others. `budget`: tokens of the list that the model always sees.

    >>> from longrein import Agent, Skill, Skills
    >>> notes = Skill("release-notes", "Write release notes. Use before a release.", "Be brief.")
    >>> agent = Agent("assistant", capabilities=[Skills(skills=[notes])])
    >>> [tool.name for tool in Skills().tools()]
    ['skill']
    """

    live = True

    def __init__(
        self,
        folders: Sequence[Given] = (),
        *,
        skills: Sequence[Skill] = (),
        built_in: bool = True,
        budget: int = BUDGET,
    ) -> None:
        self.folders = _folders(folders, built_in)
        if budget < 1:
            raise UsageError(f"budget is {budget!r}; give the tokens that the list may take.")
        self.budget = budget
        self.library = Library(self.folders, _skills(skills))
        self._mounts = {PLACE: Mounted(self.library)}

    @property
    def name(self) -> str:
        return "skills"

    def slices(self) -> Sequence[Slice[Any]]:
        return (ACTIVE,)

    def commands(self) -> Sequence[SlashCommand]:
        return (SlashCommand("skills", "List the skills, and what is wrong with any.", self._list),)

    async def _list(self, ctx: CommandContext, arguments: str) -> str:
        return listed(await asyncio.to_thread(self.library.find))

    def places(self, opening: Opening) -> Places:
        there = tuple(path for path in self.library.readable if os.path.isdir(path))
        return Places(self._mounts, there)

    async def open(self, opening: Opening) -> "OpenSkills":
        return OpenSkills(self)

    def tools(self) -> list[Tool]:
        return OpenSkills(self).tools()

    def refuses(self, slices: Mapping[str, Kept], action: Action) -> str:
        active = active_in(slices)
        return refusal(active.name, active.allowed, action) if active else ""


class OpenSkills(Capability):
    """Skills as one session has them."""

    live = True

    def __init__(self, made: Skills) -> None:
        self._made = made
        self._found = Found({})
        self._loaded: dict[str, Skill] = {}
        self._out: dict[str, Problem] = {}

    @property
    def name(self) -> str:
        return self._made.name

    def slices(self) -> Sequence[Slice[Any]]:
        return self._made.slices()

    def tools(self) -> list[Tool]:
        # One after the other, as they were asked for: the last one is the active one.
        @tool(category="read", idempotent=True, exclusive=lambda arguments: "skills")
        async def skill(ctx: Context, name: str = "", done: bool = False) -> str:
            """Load a skill: its instructions, and where its files are.

            Without a name you see all skills.

            Args:
                done: You are done with the skill that you loaded last: it is not active any more.
            """
            if done and ctx.read(ACTIVE) is None:
                return "You have no active skill: there is nothing to be done with."
            if done:
                ctx.record(LEFT)
                return "No skill of yours is active now."
            return await self._load(ctx, name)

        return [skill]

    async def context(self, opening: Opening) -> str:
        found = await self._find()
        changed = [
            name
            for name, skill in self._loaded.items()
            if name in found.skills and found.skills[name].body != skill.body
        ]
        return section(_weighed(found), self._made.budget, changed)

    def news(self, before: str, after: str) -> str:
        return news(before, after)

    def problems(self) -> Sequence[Problem]:
        return (*self._found.problems, *self._out.values())

    def refuses(self, slices: Mapping[str, Kept], action: Action) -> str:
        return self._made.refuses(slices, action)

    def keeps(self, slices: Mapping[str, Kept]) -> str:
        active = active_in(slices)
        if active is None:
            return ""
        skill = self._loaded.get(active.name) or self._found.skills.get(active.name)
        return kept(active.name, active.allowed, skill.body if skill else "")

    async def _load(self, ctx: Context, name: str) -> str:
        found = await self._find()
        if not name.strip():
            return catalogue(found.skills.values())
        chosen = found.skills.get(name.strip())
        if chosen is None:
            raise ToolError(unknown(name, found.skills))
        resources = await asyncio.to_thread(resources_of, chosen)
        self._loaded[chosen.name] = chosen
        self._out.pop(chosen.name, None)
        if resources.out:
            told = f"{where(chosen)} has links that lead out of it and are not followed: "
            self._out[chosen.name] = Problem(KIND, told + ", ".join(resources.out))
        ctx.record(LOADED, ActiveSkill(chosen.name, tuple(chosen.allowed_tools)))
        return loaded(chosen, resources)

    async def _find(self) -> Found:
        library = self._made.library
        self._found = library.same() or await asyncio.to_thread(library.find)
        return self._found


def _weighed(found: Found) -> list[Skill]:
    """The skills that most likely matter first."""
    weights = {"code": 0, "project": 1, "user": 2, "built-in": 3}
    return sorted(found.skills.values(), key=lambda one: (weights[one.origin], one.name))


def _folders(given: object, built_in: bool) -> tuple[SkillFolder, ...]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        raise UsageError(f"folders is a list of folders, not {given!r}.")
    folders = [SkillFolder(BUILT_IN, "built-in")] if built_in else []
    for one in cast("Sequence[Any]", given):
        if not isinstance(one, str | os.PathLike | SkillFolder):
            raise UsageError(f"{one!r} is no folder: give a path, or a SkillFolder.")
        path = cast("str | os.PathLike[str] | SkillFolder", one)
        folders.append(path if isinstance(path, SkillFolder) else SkillFolder(path))
    # The same folder twice would hide itself: where it is named last is its place.
    last: dict[str, SkillFolder] = {}
    for folder in folders:
        last.pop(folder.real, None)
        last[folder.real] = folder
    return tuple(last.values())


def _skills(given: object) -> tuple[Skill, ...]:
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        raise UsageError(f"skills is a list of Skill, not {given!r}.")
    skills = cast("Sequence[Any]", given)
    if other := [one for one in skills if not isinstance(one, Skill)]:
        raise UsageError(f"skills is a list of Skill; {other[0]!r} is none.")
    return tuple(skills)
