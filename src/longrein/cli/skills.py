"""`longrein skills`: the skills that are there, where they are from, and what is wrong."""

from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

from longrein.capabilities.skills.library import Found, check_skill
from longrein.capabilities.skills.resources import resources_of
from longrein.capabilities.skills.skills import Skills
from longrein.capabilities.skills.standard import FILE, Skill
from longrein.cli import exits
from longrein.cli.listing import Listed, tell
from longrein.cli.terminal import DIM, Screen
from longrein.cli.workplace import Workplace, find_quiet_workplace
from longrein.core.errors import UsageError


class ListedSkill(Listed, frozen=True, omit_defaults=True):
    """A skill as it is listed. `shadowed`: it does not count, as another has its name."""

    allowed_tools: tuple[str, ...] = ()
    shadowed: bool = False


def skills(arguments: Namespace, screen: Screen) -> int:
    """List the skills, then what is wrong; or check some that are not there yet."""
    if arguments.action == "check":
        return _check(Path(arguments.path or "."), screen)
    found = found_in(find_quiet_workplace(arguments, screen))
    listed = [_listed(one) for one in sorted(found.skills.values(), key=lambda one: one.name)]
    listed += [_listed(one.skill, shadowed=True) for one in found.shadowed]
    told = [one for one in listed if arguments.json or not one.shadowed]
    tell(told, screen, json=arguments.json)
    if not listed:
        screen.say("There are no skills here.")
    for problem in found.problems:
        screen.say(problem.message, DIM, hang=2)
    return exits.FINISHED


def found_in(place: Workplace) -> Found:
    """The skills of the agent; none where it has nothing for them."""
    for one in place.agent.capabilities:
        if isinstance(one, Skills):
            return one.library.find()
    return Found({})


def _listed(skill: Skill, *, shadowed: bool = False) -> ListedSkill:
    about = " ".join(skill.description.split())
    tools = tuple(skill.allowed_tools)
    return ListedSkill(skill.name, skill.origin, about, skill.folder, tools, shadowed)


def _check(path: Path, screen: Screen) -> int:
    """Say what is wrong with a skill, or with all skills in a folder."""
    folders = list(_folders(path))
    if not folders:
        raise UsageError(f"There is no {FILE} in {path}, nor in a folder of it.")
    wrong = list(_problems(folders, screen))
    return exits.FAILED if wrong else exits.FINISHED


def _folders(path: Path) -> Iterator[Path]:
    path = path.parent if path.name == FILE else path
    inner = sorted(one.parent for one in path.glob(f"*/{FILE}")) if path.is_dir() else []
    yield from [path] if (path / FILE).exists() or not inner else inner


def _problems(folders: Iterable[Path], screen: Screen) -> Iterator[str]:
    for folder in folders:
        try:
            skill = check_skill(folder)
        except UsageError as error:
            wrong = [str(error)]
        else:
            wrong = [f"{path} is a link that leads out of it." for path in resources_of(skill).out]
        for one in wrong:
            screen.say(f"{folder}: {one}", hang=2)
        if not wrong:
            screen.say(f"{folder}: as it should be.")
        yield from wrong
