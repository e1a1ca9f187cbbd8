"""What the model is told of skills: the list, what changed in it, and a skill that was loaded."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches

from longrein.capabilities.skills.resources import Resources
from longrein.capabilities.skills.standard import Skill
from longrein.context.estimate import estimate_tokens

PLACE = "/skills"
"""Where the file tools find the files of skills."""

MOST_KEPT = 3_000
"""Characters of the instructions of the active skill that stay in requests in any case."""

HEAD = (
    "Skills are instructions for certain kinds of work. Where one fits what you are asked to do, "
    "load it with skill before you begin, and follow it."
)
CHANGED = "Changed since you loaded them; load them again before you go on with them: "
NEW = "There are new skills:"
THERE = "These skills are there now:"
MORE = "And {count} more that do not fit here: call skill without a name to see all."

_LINE = re.compile(r"^- (\S+): (.*)$", re.MULTILINE)
_MORE = re.compile(r"^And \d+ more .*$", re.MULTILINE)


def section(skills: Iterable[Skill], budget: int, changed: Collection[str] = ()) -> str:
    """The list of skills for the system text, in about `budget` tokens. Those that come first are
    sooner in it; what is left out is said."""
    lines, left = list[str](), 0
    spent = estimate_tokens(HEAD)
    for skill in skills:
        line = line_of(skill)
        spent += estimate_tokens(line) + 1
        if spent > budget and (lines or left):
            left += 1
        else:
            lines.append(line)
    if not lines:
        return ""
    lines = sorted(lines)
    lines += [MORE.format(count=left)] if left else []
    lines += [f"{CHANGED}{', '.join(sorted(changed))}."] if changed else []
    return "\n".join((HEAD, *lines))


def line_of(skill: Skill) -> str:
    """A skill in one line of a list."""
    return f"- {skill.name}: {' '.join(skill.description.split())}"


def news(before: str, after: str) -> str:
    """What is different in the list, and nothing else; empty: nothing that need be said."""
    was, now = _listed(before), _listed(after)
    new = [f"- {name}: {about}" for name, about in now.items() if name not in was]
    other = [f"- {n}: {about}" for n, about in now.items() if n in was and was[n] != about]
    gone = [name for name in was if name not in now]
    told = [NEW if before else THERE, *new] if new else []
    told += ["These skills are described differently now:", *other] if other else []
    told += [f"These skills are not there any more: {', '.join(gone)}."] if gone else []
    for line in after.splitlines():
        if line.startswith(CHANGED) and line not in before:
            told.append(line)
    if _MORE.findall(before) != (more := _MORE.findall(after)):
        told += more
    return "\n".join(told)


def _listed(text: str) -> dict[str, str]:
    return {found[1]: found[2] for found in _LINE.finditer(text)}


def loaded(skill: Skill, resources: Resources) -> str:
    """A skill as the model reads it."""
    parts = [f"# Skill {skill.name}", skill.body or "(It has no further instructions.)"]
    if skill.compatibility:
        parts.append(f"It needs: {skill.compatibility}")
    if skill.folder:
        parts.append(_files(skill.name, skill.folder, resources))
    if skill.allowed_tools:
        parts.append(_only(skill.allowed_tools))
    return "\n\n".join(parts)


def kept(name: str, allowed: Sequence[str], body: str) -> str:
    """The active skill as it is said again where its instructions were left out."""
    if len(body) > MOST_KEPT:
        body = f"{body[:MOST_KEPT]}\n[... The rest is cut: load the skill again to read it. ...]"
    head = f"The skill {name} is active."
    return "\n\n".join((head, *((_only(allowed),) if allowed else ()), body)).strip()


def _only(tools: Sequence[str]) -> str:
    told = f"Until you are done with it you can use only: {', '.join(tools)}."
    return f"{told} Call skill(done=true) then."


def _files(name: str, folder: str, resources: Resources) -> str:
    if not resources.files:
        return "It has no further files."
    told = f"Its files, which file tools find below {PLACE}/{name} and commands in {folder}:"
    lines = [f"- {one.path} ({one.size:,} bytes)" for one in resources.files]
    lines += ["- and more: list the folder."] if resources.more else []
    return "\n".join((told, *lines))


def unknown(name: str, skills: Mapping[str, Skill]) -> str:
    """What is said where no skill has this name."""
    near = get_close_matches(name.strip().lower(), skills, n=3, cutoff=0.5)
    if near:
        return f"There is no skill {name!r}. Did you mean {' or '.join(near)}?"
    return f"There is no skill {name!r}. Call skill without a name to see all."


def catalogue(skills: Iterable[Skill]) -> str:
    """All skills, as a list."""
    return "\n".join(sorted(map(line_of, skills))) or "There are no skills."
