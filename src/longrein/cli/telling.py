"""What is asked of a person, laid out in lines: with nothing left out and nothing hidden."""

from longrein.cli.terminal import BOLD, DIM, PLAIN, Screen
from longrein.cli.wrapping import rows
from longrein.client.telling import NOT_ALL, PLAN, Asked, LaidOut, asking, headline, lay_out
from longrein.core.display import Display
from longrein.core.records import Approval, Question

_PROMPT_ROWS = 3


def asked_by(shown: Display, asked: Approval | Question) -> str:
    """Which subagent asks something; empty: the agent itself does."""
    who = asking(shown, asked)
    return f"The subagent {who} asks:" if who else ""


def tell_approval(screen: Screen, asked: Asked) -> None:
    """Say what wants to run; where that is longer than the screen, what it is once more."""
    # The lines of a diff stay as they are: a break in them would be taken for one of the file.
    told = lay_out(asked)
    hang = None if told.diff else 2
    first, *rest = _lines(told)
    screen.say(first, BOLD, strict=True, hang=hang)
    for line in rest:
        style = DIM if line.startswith("  asked by ") else PLAIN
        screen.say(line, style, strict=True, hang=hang)
    if screen.size and _taken([first, *rest], screen.size[0]) > screen.size[1] - _PROMPT_ROWS:
        screen.say(f"? {headline(asked)}", BOLD, strict=True, hang=2)


def approval_lines(asked: Asked) -> list[str]:
    """What wants to run: its arguments, what it would do, what it touches, what rule asks."""
    return _lines(lay_out(asked))


def _lines(told: LaidOut) -> list[str]:
    lines = [f"? {told.what} wants to run:"]
    lines += (f"    {line}" for line in (*told.given, *told.preview))
    lines += (f"  {NOT_ALL}",) if told.cut else ()
    lines += (f"    {line}" for line in told.uncut)
    lines += (f"  {line}" for line in told.touched)
    if told.rule:
        lines.append(f"  asked by the rule {told.rule}")
    return lines


def tell_question(screen: Screen, question: Question) -> None:
    """Say what is asked, with its choices; a plan with its title."""
    if question.kind == PLAN:
        screen.say(f"? Plan: {question.title}", BOLD, strict=True, hang=2)
        for line in question.text.strip("\n").split("\n"):
            screen.say(f"    {line}", strict=True, hang=2)
        return
    screen.say(f"? {question.text}", BOLD, hang=2)
    for number, choice in enumerate(question.choices, 1):
        screen.say(f"    {number} {choice}", hang=2)


def _taken(lines: list[str], width: int) -> int:
    return sum(rows(line, width) for line in lines)
