"""Somebody who answers approvals and questions while a run goes on."""

import asyncio
import json
from typing import Protocol, TypeAlias, cast

from longrein.cli.terminal import BOLD, DIM, Screen, read_line
from longrein.cli.watch import Watcher
from longrein.core import commands as c
from longrein.core.errors import UsageError
from longrein.core.ids import SystemClock, TimeOrderedIds
from longrein.core.records import Approval, Question
from longrein.session.session import Session

Decision: TypeAlias = c.Approve | c.Decline | c.AnswerQuestion

_ids = TimeOrderedIds(SystemClock())


def command_id() -> str:
    """A fresh id for a command."""
    return _ids.new("cmd")


class Asker(Protocol):
    """Gets a decision from somewhere; None leaves it open."""

    async def approval(self, approval: Approval) -> Decision | None: ...
    async def question(self, question: Question) -> Decision | None: ...


async def attend(session: Session, watcher: Watcher, asker: Asker, screen: Screen) -> None:
    """Answer whatever waits, as soon as it does; returns when it is to be left open."""
    while True:
        state = session.state
        waiting = next(iter((*state.approvals, *state.questions)), None)
        if waiting is None:
            await watcher.moved()
            continue
        await watcher.caught_up()
        decision = await _unless_settled(session, watcher, asker, waiting, screen)
        if decision is None:
            if _is_open(session, waiting.id):
                return
            continue
        try:
            await session.submit(decision)
        except UsageError as error:
            screen.say(str(error))


async def _unless_settled(
    session: Session, watcher: Watcher, asker: Asker, waiting: Approval | Question, screen: Screen
) -> Decision | None:
    """What the asker says, or None once somebody else has answered."""
    ask = asker.approval(waiting) if isinstance(waiting, Approval) else asker.question(waiting)
    asking = asyncio.ensure_future(ask)
    try:
        while not asking.done():
            moving = asyncio.ensure_future(watcher.moved())
            try:
                await asyncio.wait({asking, moving}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                moving.cancel()
            if not asking.done() and not _is_open(session, waiting.id):
                screen.say("\n(settled meanwhile)", DIM)
                return None
        return asking.result()
    finally:
        asking.cancel()


def _is_open(session: Session, id: str) -> bool:
    state = session.state
    return any(one.id == id for one in (*state.approvals, *state.questions))


class TerminalAsker:
    """Asks the person at the terminal; Ctrl-D leaves it open."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    async def approval(self, approval: Approval) -> Decision | None:
        tell_approval(self.screen, approval)
        while True:
            match await self._line("  y yes · n no · e edit · a always for this tool > "):
                case None:
                    return None
                case "y" | "yes":
                    return c.Approve(approval.id, id=command_id())
                case "a" | "always":
                    return c.Approve(approval.id, remember="tool", id=command_id())
                case "n" | "no":
                    reason = await self._line("  why not? (the model is told; may be empty) > ")
                    return (
                        None if reason is None else c.Decline(approval.id, reason, id=command_id())
                    )
                case "e" | "edit":
                    self.screen.say(f"  as JSON: {approval.arguments}", strict=True)
                    edited = await self._line("  the arguments instead > ")
                    if edited is None:
                        return None
                    if edited:
                        return c.Approve(approval.id, edited, id=command_id())
                case _:
                    self.screen.say("  Please type y, n, e or a; Ctrl-D leaves it for later.", DIM)

    async def question(self, question: Question) -> Decision | None:
        tell_question(self.screen, question)
        hint = "  your answer > "
        if question.choices:
            hint = "  number(s), with commas > " if question.several else "  number > "
        while (line := await self._line(hint)) is not None:
            chosen = choose(question, line)
            if chosen:
                value = chosen if question.several else chosen[0]
                return c.AnswerQuestion(question.id, value, id=command_id())
            count = len(question.choices)
            what = f"type a number from 1 to {count}" if count else "answer"
            self.screen.say(f"  Please {what}; Ctrl-D leaves it for later.", DIM)
        return None

    async def _line(self, prompt: str) -> str | None:
        self.screen.say(prompt, BOLD, end="")
        line = await read_line()
        if line is None:
            self.screen.say("")
        return line


def choose(question: Question, line: str) -> tuple[str, ...]:
    """The choices that a line names, by number or by text; empty where it names none."""
    if not question.choices:
        return (line,) if line else ()
    words = [word.strip() for word in line.split(",")] if question.several else [line]
    chosen: list[str] = []
    for word in words:
        if word in question.choices:
            chosen.append(word)
        elif word.isdecimal() and 1 <= int(word) <= len(question.choices):
            chosen.append(question.choices[int(word) - 1])
        else:
            return ()
    return tuple(dict.fromkeys(chosen))


def tell_approval(screen: Screen, approval: Approval) -> None:
    """Say what is asked for, with nothing left out and nothing hidden."""
    screen.say(f"? {approval.tool} ({approval.category}) wants to run:", BOLD, strict=True)
    for line in _laid_out(approval.arguments):
        screen.say(f"    {line}", strict=True)


def tell_question(screen: Screen, question: Question) -> None:
    """Say what is asked, with its choices."""
    screen.say(f"? {question.text}", BOLD)
    for number, choice in enumerate(question.choices, 1):
        screen.say(f"    {number} {choice}")


def _laid_out(arguments: str) -> list[str]:
    try:
        values = json.loads(arguments or "{}")
    except ValueError:
        return arguments.splitlines()
    if not isinstance(values, dict):
        return arguments.splitlines()
    lines: list[str] = []
    for key, value in cast("dict[str, object]", values).items():
        if isinstance(value, str) and "\n" in value:
            lines += [f"{key}:", *(f"  | {line}" for line in value.split("\n"))]
        else:
            lines.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return lines or ["(no arguments)"]
