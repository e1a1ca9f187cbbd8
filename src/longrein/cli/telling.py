"""What is asked of a person, laid out on the screen: with nothing left out and nothing hidden."""

import json
from collections.abc import Iterator
from typing import cast

from longrein.cli.terminal import BOLD, DIM, Screen
from longrein.core.policy import Touches
from longrein.core.records import Approval, Question
from longrein.permissions.matching import for_people

PLAN = "plan"
"""The kind of a question that shows a plan in Markdown."""

APPROVE = "approve"
"""The yes to a plan."""

_DEFAULT = "default:"


def tell_approval(screen: Screen, approval: Approval) -> None:
    """Say what wants to run: its arguments, what it would do, what it touches, what rule asks."""
    screen.say(f"? {approval.tool} ({approval.category}) wants to run:", BOLD, strict=True)
    # A diff holds every line that an edit was given: they need not be read twice.
    in_diff = approval.category == "edit" and bool(approval.preview)
    for line in _laid_out(approval.arguments, in_diff=in_diff):
        screen.say(f"    {line}", strict=True)
    for line in approval.preview.splitlines():
        screen.say(f"    {line}", strict=True)
    for line in touched(approval.touches):
        if line.partition(" ")[2] not in approval.preview:
            screen.say(f"  {line}", strict=True)
    if not approval.rule.startswith(_DEFAULT):
        screen.say(f"  asked by the rule {approval.rule}", DIM, strict=True)


def tell_question(screen: Screen, question: Question) -> None:
    """Say what is asked, with its choices; a plan with its title."""
    if question.kind == PLAN:
        screen.say(f"? Plan: {question.title}", BOLD, strict=True)
        for line in question.text.strip("\n").split("\n"):
            screen.say(f"    {line}", strict=True)
        return
    screen.say(f"? {question.text}", BOLD)
    for number, choice in enumerate(question.choices, 1):
        screen.say(f"    {number} {choice}")


def touched(touches: Touches) -> Iterator[str]:
    """One line for each thing that a call would touch."""
    yield from (f"touches {path}" for path in touches.paths)
    yield from (f"runs {command}" for command in for_people(touches.commands))
    yield from (f"connects to {host}" for host in touches.hosts)


def _laid_out(arguments: str, *, in_diff: bool) -> list[str]:
    try:
        values = json.loads(arguments or "{}")
    except ValueError:
        return arguments.splitlines()
    if not isinstance(values, dict):
        return arguments.splitlines()
    lines: list[str] = []
    for key, value in cast("dict[str, object]", values).items():
        if in_diff and (isinstance(value, list) or "\n" in str(value)):
            lines.append(f"{key}: as below")
        elif isinstance(value, str) and "\n" in value:
            lines += [f"{key}:", *(f"  | {line}" for line in value.split("\n"))]
        else:
            lines.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return lines or ["(no arguments)"]
