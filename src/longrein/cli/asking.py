"""The person at the terminal, asked about approvals, questions and plans."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from longrein.cli.attend import command_id
from longrein.cli.telling import tell_approval, tell_question
from longrein.cli.terminal import DIM, Screen, read_line
from longrein.client.arguments import laid_out
from longrein.client.editing import edit, editor_of
from longrein.client.remembering import SCOPES, is_asked_each_time, ways_to_remember
from longrein.client.telling import APPROVE, PLAN
from longrein.core import commands as c
from longrein.core.commands import Decision
from longrein.core.errors import UsageError
from longrein.core.records import Approval, Question

T = TypeVar("T")

LATER = "Ctrl-D leaves it for later."
END = "."


class _LeftOpen(Exception):
    """The person typed Ctrl-D."""


class TerminalAsker:
    """Asks the person at the terminal; Ctrl-D leaves it open. `editor` is the one that they like;
    empty: that of the environment."""

    def __init__(self, screen: Screen, editor: str = "") -> None:
        self.screen = screen
        self._editor = editor_of(editor, os.environ)

    async def approval(self, approval: Approval) -> Decision | None:
        tell_approval(self.screen, approval)
        with suppress(_LeftOpen):
            return await self._approval(approval)
        return None

    async def question(self, question: Question) -> Decision | None:
        tell_question(self.screen, question)
        with suppress(_LeftOpen):
            if question.kind == PLAN:
                return await self._plan(question)
            return await self._question(question)
        return None

    async def _approval(self, approval: Approval) -> Decision:
        each_time = is_asked_each_time(approval)
        always = "" if each_time else " · a always"
        while True:
            decision = None
            match await self._line(f"  y yes · n no · e edit{always} > "):
                case "y" | "yes":
                    return c.Approve(approval.id, id=command_id())
                case "n" | "no":
                    return await self._decline(approval.id, "why not? (the model is told)")
                case "e" | "edit":
                    decision = await self._other_arguments(approval)
                case "a" | "always" if each_time:
                    self._say("This is asked each time: a yes to it cannot be remembered.")
                case "a" | "always":
                    decision = await self._always(approval)
                case _:
                    self._say(f"Please type y, n{' or e' if each_time else ', e or a'}; {LATER}")
            if decision is not None:
                return decision

    async def _decline(self, id: str, prompt: str) -> Decision:
        reason = await self._line(f"  {prompt}; may be empty > ")
        return c.Decline(id, reason, id=command_id())

    async def _other_arguments(self, approval: Approval) -> Decision | None:
        if self._editor:
            edited = await self._in_editor(f"{laid_out(approval.arguments)}\n", "arguments.json")
        else:
            self.screen.say(f"  as JSON: {approval.arguments}", strict=True)
            edited = await self._line("  the arguments instead > ")
        return c.Approve(approval.id, edited, id=command_id()) if edited else None

    async def _always(self, approval: Approval) -> Decision | None:
        ways = ways_to_remember(approval)
        self.screen.say("  Do not ask again for:")
        for number, text in enumerate(ways, 1):
            self.screen.say(f"    {number} {text}", strict=True)
        what = await self._pick("number", ways)
        if what is None:
            return None
        where = "where? " + " · ".join(f"{n} {text}" for n, text in enumerate(SCOPES, 1))
        scope = await self._pick(where, SCOPES)
        if scope is None:
            return None
        return c.Approve(approval.id, remember=what, scope=scope, id=command_id())

    async def _pick(self, prompt: str, options: Mapping[str, T]) -> T | None:
        """What is behind the number that the person types; None for an empty line."""
        values = list(options.values())
        while line := await self._line(f"  {prompt} > "):
            if line.isdecimal() and 1 <= int(line) <= len(values):
                return values[int(line) - 1]
            self._say(f"Please type a number from 1 to {len(values)}; an empty line goes back.")
        return None

    async def _question(self, question: Question) -> Decision:
        while True:
            chosen = choose(question, await self._line(_hint(question)))
            if chosen:
                value = chosen if question.several else chosen[0]
                return c.AnswerQuestion(question.id, value, id=command_id())
            count = len(question.choices)
            what = f"type a number from 1 to {count}" if count else "answer"
            self._say(f"Please {what}; {LATER}")

    async def _plan(self, question: Question) -> Decision:
        while True:
            match await self._line("  y approve · e edit · n reject > "):
                case "y" | "yes" | "a" | "approve":
                    return c.AnswerQuestion(question.id, APPROVE, plan=True, id=command_id())
                case "n" | "no" | "r" | "reject":
                    return await self._decline(question.id, "what should be different?")
                case "e" | "edit":
                    if edited := await self._other_plan(question):
                        return c.AnswerQuestion(question.id, edited, plan=True, id=command_id())
                case _:
                    self._say(f"Please type y, e or n; {LATER}")

    async def _other_plan(self, question: Question) -> str:
        if self._editor:
            return await self._in_editor(question.text, "plan.md")
        self._say(f"Type the whole plan as it should be; a line with only {END} ends it.")
        lines: list[str] = []
        while (line := await self._line("  | ", fresh=not lines, strip=False)) != END:
            lines.append(line)
        return "\n".join(lines).strip()

    async def _in_editor(self, text: str, name: str) -> str:
        """The text as it was changed; empty where it was not."""
        try:
            with self.screen.lent():
                edited = (await edit(text, name, self._editor)).strip()
        except UsageError as error:
            self._say(str(error))
            return ""
        if edited == text.strip():
            self._say("Nothing was changed.")
            return ""
        return edited

    async def _line(self, prompt: str, *, fresh: bool = True, strip: bool = True) -> str:
        with self.screen.prompting(prompt, fresh=fresh):
            line = await read_line()
        if line is None:
            self.screen.say("")
            raise _LeftOpen
        return line.strip() if strip else line.rstrip(os.linesep)

    def _say(self, text: str) -> None:
        self.screen.say(f"  {text}", DIM)


def choose(question: Question, line: str) -> tuple[str, ...]:
    """The answers that a line gives, by number or by text; empty where it gives none."""
    if not question.choices:
        return (line,) if line else ()
    words = [word.strip() for word in line.split(",")] if question.several else [line]
    chosen = [_chosen(question.choices, word, other=question.other) for word in words]
    return tuple(dict.fromkeys(chosen)) if all(chosen) else ()


def _chosen(choices: Sequence[str], word: str, *, other: bool) -> str:
    if word in choices:
        return word
    if word.isdecimal() and 1 <= int(word) <= len(choices):
        return choices[int(word) - 1]
    # A number beyond the last is a slip, and an answer cannot be taken back.
    return word if other and not word.isdecimal() else ""


def _hint(question: Question) -> str:
    if not question.choices:
        return "  your answer > "
    numbers = "number(s), with commas" if question.several else "number"
    return f"  {numbers}, or your own answer > " if question.other else f"  {numbers} > "
