"""What the settings and the project bring, and what is wrong with it."""

from longrein.capabilities.hooks.capability import ShellHooks
from longrein.cli.agents import agent_problems
from longrein.cli.memory import memory_of, told
from longrein.cli.profiles import applied
from longrein.cli.skills import found_in
from longrein.cli.workplace import Workplace
from longrein.client.port import Check
from longrein.core.errors import LongreinError
from longrein.harness import open_store

SETTINGS = "settings"
CHANGE = "Change it there; until then commands that need it refuse to work."
MEND = "Mend or remove that package; its other profiles and all else work without it."


async def project_checks(place: Workplace) -> list[Check]:
    """The settings, profiles, subagents, instructions, skills and hooks that are here."""
    return [
        *await settings_checks(place),
        *profile_checks(place),
        *subagent_checks(place),
        *memory_checks(place),
        *skill_checks(place),
        *hook_checks(place),
    ]


async def settings_checks(place: Workplace) -> list[Check]:
    """What keeps the agent from working as the settings have it; nothing where nothing does."""
    problems = list(place.helper_problems)
    try:
        async with place.harness_on(open_store("memory")):
            pass
    except LongreinError as error:
        problems.append(str(error))
    return [Check(SETTINGS, "missing", one, CHANGE) for one in problems]


def profile_checks(place: Workplace) -> list[Check]:
    """The profiles that hold for the model in use, and the packages whose profiles are broken."""
    found = f"{place.model}: {applied(place)}" if applied(place) else "none for the model in use"
    problems = [Check("profiles", "missing", one, MEND) for one in place.profile_problems]
    return [Check("profiles", "note", found), *problems]


def subagent_checks(place: Workplace) -> list[Check]:
    """Who can be delegated to, and the files that should be somebody and are not."""
    names = [one.name for by in place.agent.capabilities for one in by.subagents()]
    there = Check("subagents", "ok", ", ".join(names))
    if not names:
        there = Check("subagents", "note", "nobody can be delegated to")
    return [there, *(Check("subagents", "note", one) for one in agent_problems(place))]


def skill_checks(place: Workplace) -> list[Check]:
    """The skills that can be loaded, and those that do not count."""
    found = found_in(place)
    names = Check("skills", "note", ", ".join(sorted(found.skills)) or "there are none")
    return [names, *(Check("skills", "note", one.message) for one in found.problems)]


def memory_checks(place: Workplace) -> list[Check]:
    """The files that the agent has instructions from."""
    memory = memory_of(place)
    found = told(memory) if memory else ["switched off: AGENTS.md files do not count"]
    return [Check("instructions", "note", one) for one in found or ["there is no AGENTS.md"]]


def hook_checks(place: Workplace) -> list[Check]:
    """The shell hooks that are run, and those that do not count."""
    own = [one for one in place.agent.capabilities if isinstance(one, ShellHooks)]
    events = [hook.event for one in own for hook in one.listing()]
    found = ", ".join(f"{event} ({events.count(event)})" for event in dict.fromkeys(events))
    problems = [problem.message for one in own for problem in one.problems()]
    there = Check("hooks", "note", found or "there are none")
    return [there, *(Check("hooks", "note", one) for one in problems)]
