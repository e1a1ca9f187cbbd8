"""A run as text for people."""

import json
import time
from collections.abc import Sequence
from typing import assert_never

from longrein.capabilities.todos import TODOS
from longrein.cli.left import changed_line, children_lines, jobs_line
from longrein.cli.planning import TodoLog, plan_line
from longrein.cli.results import Result
from longrein.cli.telling import tell_question
from longrein.cli.terminal import DIM, Screen
from longrein.client.words import brief
from longrein.core import events as e
from longrein.core import live
from longrein.core.messages import ToolCall, text_in
from longrein.core.outcomes import Aborted, Failed, Finished, LimitReached
from longrein.core.results import exit_in
from longrein.core.state import State
from longrein.session.bus import Anything

SHORT = 60
"""Characters of arguments, and of a result, on the line of their call."""

EXECUTE = "execute"

SAID_OTHERWISE = ("ask_user", "submit_plan", "write_todos", "update_todos")
"""Tools whose start need not be told: their question or their list says it all."""

SHOWN_OTHERWISE = SAID_OTHERWISE[1:]
"""Tools whose success need not be told either."""


class TextView:
    """The model's text on standard output, everything else as short lines on standard error.

    `state` is where the thread stands when this begins. Files are named as seen from `folder`.
    `follows`: somebody else drives the run; then what people said is shown as well.
    """

    def __init__(
        self, screen: Screen, state: State, folder: str = "", *, follows: bool = False
    ) -> None:
        self.screen = screen
        self._folder = folder
        self._follows = follows
        self._heard: set[str] = set()
        self._output_ends = True
        self._told: dict[str, int] = {}
        self._last = "\n"
        calls = state.step.calls if state.step else ()
        self._names = {call.id: call.name for call in calls}
        self._children = {child.thread: child.agent for child in state.children}
        self._beside = {child.thread for child in state.children if child.background}
        kept = state.slices.get(TODOS.name)
        self._todos = TodoLog(kept.value if kept else ())

    def show(self, event: Anything) -> None:
        match event:
            case live.TextFragment(stream=step, offset=0, text=text):
                # All of it so far, which comes again when this follows anew.
                self._text(step, text[self._told.get(step, 0) :])
            case live.TextFragment(stream=step, text=text):
                self._text(step, text)
            case live.ToolOutputFragment():
                self._output(event)
            case live.Signalled(kind=kind, message=message):
                if kind != "dropped":
                    self._line(message)
            case e.StepEnded() | e.StepInterrupted():
                self._step_over(event)
            case e.StepFailed():
                self._step_failed(event)
            case e.ToolStarted(answers=0):
                self._names[event.call] = event.name
                if event.name not in SAID_OTHERWISE:
                    self._line(f"→ {event.name} {brief(event.arguments, SHORT)}")
            case e.ToolEnded():
                self._tool_ended(event)
            case live.FromChild(path=path, event=inner):
                self._below(path, inner)
            case e.ChildStarted(child=child, agent=agent, background=background):
                self._children[child] = agent
                if background:
                    self._beside.add(child)
            case e.ChildEnded(child=child, status=status) if child in self._beside:
                mark = "✓" if status == "finished" else "✗"
                self._line(f"{mark} {self._children[child]}: {status}")
            case e.Recorded():
                for line in (*self._todos.after(event), *plan_line(event)):
                    self._line(line)
            case e.ModeChanged(mode=mode):
                self._line(f"mode: {mode}")
            case e.TrustChanged(trust=trust):
                self._line(f"trust: {trust}")
            case e.HookFailed(capability=name, problem=problem):
                self._line(f"! {name}: {problem.message}")
            case e.Compacted(before=before, after=after):
                self._line(f"compacted: {before:,} tokens became {after:,}")
            case e.CompactionFailed(problem=problem) | e.Warned(problem=problem):
                self._line(f"! {problem.message}")
            case e.Parked():
                self._line("nobody answered in time: the run is left waiting")
            case e.SideCallEnded(problem=problem) if problem is not None:
                self._line(f"! {problem.message}")
            case _:
                if self._follows:
                    self._said(event)

    def pause(self, why: str, lines: Sequence[str]) -> None:
        self._end_line()
        tell_pause(self.screen, why, lines)

    def finish(self, result: Result) -> None:
        self._end_line()
        if result.message:
            self.screen.say(f"longrein: {result.message}", hang=2)
        for line in result.how:
            self.screen.say(line, strict=True)
        for line in (
            *children_lines(result.subagents),
            changed_line(result.changed, self._folder),
            jobs_line(result.jobs),
        ):
            if line:
                self.screen.say(line, DIM, hang=2)

    def _text(self, step: str, text: str) -> None:
        if text:
            self._told[step] = self._told.get(step, 0) + len(text)
            self._put(text)
            self._last = text[-1]

    def _put(self, text: str) -> None:
        self.screen.out(text)

    def _output(self, event: live.ToolOutputFragment) -> None:
        if event.text:
            self._heard.add(event.stream)
            self._output_ends = event.text.endswith("\n")
            self.screen.say(event.text, DIM, end="")

    def _end_line(self) -> None:
        if not self._output_ends:
            self.screen.say("")
            self._output_ends = True
        if self._last != "\n":
            self._put("\n")
            self._last = "\n"

    def _line(self, text: str) -> None:
        self._end_line()
        self.screen.say(text, DIM)

    def _step_over(self, event: e.StepEnded | e.StepInterrupted) -> None:
        if event.step not in self._told:
            # Another process ran it: fragments are heard only where they are made.
            self._text(event.step, text_in(event.parts))
        self._end_line()
        for part in event.parts:
            if isinstance(part, ToolCall):
                self._names[part.id] = part.name
        if isinstance(event, e.StepEnded) and event.misfit:
            self._line(f"! the answer does not fit: {event.misfit}")

    def _step_failed(self, event: e.StepFailed) -> None:
        if event.problem.kind == "lost":
            # Its message says all of it, what comes next included.
            self._line(f"! {event.problem.message}")
            return
        if event.retry_at:
            seconds = max(event.retry_at / 1_000_000 - time.time(), 0)
            then = f"trying again in {seconds:.0f} s"
        elif event.next_model:
            then = "going on with the next model"
        else:
            return
        dropped = "; what it said so far does not count" if event.dropped else ""
        self._line(f"! {event.problem.message} ({event.problem.kind}){dropped}; {then}")

    def _tool_ended(self, event: e.ToolEnded) -> None:
        name = self._names.get(event.call, "tool")
        if name in SHOWN_OTHERWISE and event.status == "ok":
            return
        text = text_in(event.parts)
        ended = exit_in(text) if name == EXECUTE and event.status == "ok" else None
        mark = "✓" if event.status == "ok" and (ended is None or ended.good) else "✗"
        if ended is not None:
            # What it put out was on the screen just now.
            said = "" if event.call in self._heard else brief(ended.before, SHORT)
            self._line(f"{mark} {name}: {ended.words}{f': {said}' if said else ''}")
            return
        how = "" if event.status == "ok" else f" {event.status.replace('_', ' ')}:"
        self._line(f"{mark} {name}{how} {brief(text, SHORT)}")

    def _below(self, path: tuple[str, ...], event: Anything) -> None:
        """What a child does, in a line that says who it is."""
        who = " > ".join(self._children.get(thread, thread) for thread in path)
        match event:
            case e.ChildStarted(child=child, agent=agent):
                self._children[child] = agent
            case e.ToolStarted(answers=0, name=name):
                self._names[event.call] = name
                if name not in SAID_OTHERWISE:
                    self._line(f"  {who} → {name} {brief(event.arguments, SHORT)}")
            case e.ToolEnded(status=status) if status != "ok":
                name = self._names.get(event.call, "tool")
                text = text_in(event.parts)
                self._line(f"  {who} ✗ {name} {status.replace('_', ' ')}: {brief(text, SHORT)}")
            case _:
                pass

    def _said(self, event: Anything) -> None:
        """What people and the thread itself did."""
        match event:
            case e.InputAdmitted(input=input) if input.text:
                self._line(f"> {input.text}")
            case e.ApprovalRequested(approval=approval):
                arguments = brief(approval.arguments, SHORT)
                self._line(
                    f"? {approval.tool} {arguments} needs a yes (longrein approve {approval.id})"
                )
            case e.ApprovalAnswered(decision=decision, reason=reason, rule=rule):
                by = f" by {rule}" if rule else ""
                self._line(f"  {decision}{by}{f': {reason}' if reason else ''}")
            case e.QuestionAsked(question=question):
                self._end_line()
                tell_question(self.screen, question)
                self._line(f"    longrein answer {question.id} ...")
            case e.QuestionAnswered(value=value):
                shown = value if isinstance(value, str) else ", ".join(value or ("(declined)",))
                self._line(f"  answered: {shown}")
            case e.RunEnded(outcome=outcome):
                self._ended(outcome)
            case _:
                pass

    def _ended(self, outcome: Finished | Aborted | Failed | LimitReached) -> None:
        match outcome:
            case Finished():
                self._line("")
            case Aborted(reason=reason):
                self._line(f"stopped{f': {reason}' if reason else ''}")
            case Failed(problem=problem):
                self._line(f"failed: {problem.message}")
            case LimitReached(message=message):
                self._line(f"limit reached: {message}")
            case _:
                assert_never(outcome)


class ShapedView(TextView):
    """For an answer that has to fit a schema: standard output gets the answer and nothing else."""

    def finish(self, result: Result) -> None:
        super().finish(result)
        if result.outcome == Finished.__struct_config__.tag:
            self.screen.out(f"{json.dumps(result.value, indent=2, ensure_ascii=False)}\n")

    def _put(self, text: str) -> None:
        self.screen.say(text, DIM, end="")


def tell_pause(screen: Screen, why: str, lines: Sequence[str]) -> None:
    """Say that somebody is waited for, and how to answer from elsewhere."""
    screen.say(f"longrein: {why}", hang=2)
    for line in lines:
        screen.say(line, strict=True)
