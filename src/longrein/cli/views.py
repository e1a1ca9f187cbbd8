"""A run as it is shown: as text for people, as one object, or as one object per event."""

import json
import time
from typing import Literal, Protocol, assert_never

import msgspec

from longrein.cli.results import Result
from longrein.cli.terminal import DIM, Screen
from longrein.core import events as e
from longrein.core import live
from longrein.core.codec import encode_event
from longrein.core.messages import Text, ToolCall
from longrein.core.outcomes import Aborted, Failed, Finished, LimitReached
from longrein.core.state import State
from longrein.session.bus import Anything

SHORT = 56
ASK_USER = "ask_user"


class View(Protocol):
    """What becomes of events and, at the end, of the result."""

    def show(self, event: Anything) -> None: ...
    def finish(self, result: Result) -> None: ...


class TextView:
    """The model's text on standard output, everything else as short lines on standard error.

    `state` is where the thread stands when this begins. `follows`: somebody else drives the run;
    then what people said is shown as well.
    """

    def __init__(self, screen: Screen, state: State, *, follows: bool = False) -> None:
        self.screen = screen
        self._follows = follows
        self._told: dict[str, int] = {}
        self._last = "\n"
        calls = state.step.calls if state.step else ()
        self._names = {call.id: call.name for call in calls}

    def show(self, event: Anything) -> None:
        match event:
            case live.TextFragment(stream=step, offset=0, text=text):
                # All of it so far, which comes again when this follows anew.
                self._text(step, text[self._told.get(step, 0) :])
            case live.TextFragment(stream=step, text=text):
                self._text(step, text)
            case live.ToolOutputFragment(text=text):
                self.screen.say(text, DIM, end="")
            case live.Signalled(kind=kind, message=message):
                if kind != "dropped":
                    self._line(message)
            case e.StepEnded() | e.StepInterrupted():
                self._step_over(event)
            case e.StepFailed():
                self._step_failed(event)
            case e.ToolStarted(answers=0):
                self._names[event.call] = event.name
                if event.name != ASK_USER:  # its question says it all
                    self._line(f"→ {event.name} {_short(event.arguments)}")
            case e.ToolEnded():
                self._tool_ended(event)
            case _:
                if self._follows:
                    self._said(event)

    def finish(self, result: Result) -> None:
        self._end_line()
        if result.message:
            self.screen.say(f"longrein: {result.message}")
        for line in result.how:
            self.screen.say(line)

    def _text(self, step: str, text: str) -> None:
        if text:
            self._told[step] = self._told.get(step, 0) + len(text)
            self.screen.out(text)
            self._last = text[-1]

    def _end_line(self) -> None:
        if self._last != "\n":
            self.screen.out("\n")
            self._last = "\n"

    def _line(self, text: str) -> None:
        self._end_line()
        self.screen.say(text, DIM)

    def _step_over(self, event: e.StepEnded | e.StepInterrupted) -> None:
        if event.step not in self._told:
            # Another process ran it: fragments are heard only where they are made.
            text = "".join(part.text for part in event.parts if isinstance(part, Text))
            self._text(event.step, text)
        self._end_line()
        for part in event.parts:
            if isinstance(part, ToolCall):
                self._names[part.id] = part.name

    def _step_failed(self, event: e.StepFailed) -> None:
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
        text = "".join(part.text for part in event.parts if isinstance(part, Text))
        mark = "✓" if event.status == "ok" else "✗"
        how = "" if event.status == "ok" else f" {event.status.replace('_', ' ')}:"
        self._line(f"{mark} {name}{how} {_short(text)}")

    def _said(self, event: Anything) -> None:
        """What people and the thread itself did."""
        match event:
            case e.InputAdmitted(input=input) if input.text:
                self._line(f"> {input.text}")
            case e.ApprovalRequested(approval=approval):
                arguments = _short(approval.arguments)
                self._line(
                    f"? {approval.tool} {arguments} needs a yes (longrein approve {approval.id})"
                )
            case e.ApprovalAnswered(decision=decision, reason=reason):
                self._line(f"  {decision}{f': {reason}' if reason else ''}")
            case e.QuestionAsked(question=question):
                self._line(f"? {question.text}")
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


class JsonView:
    """One object at the end; with `stream` also one per event, each on a line of its own."""

    def __init__(self, screen: Screen, *, stream: bool) -> None:
        self.screen = screen
        self._stream = stream

    def show(self, event: Anything) -> None:
        if self._stream:
            self.screen.out(f"{event_json(event)}\n")

    def finish(self, result: Result) -> None:
        self.screen.out(f"{_encode(result)}\n")


def view_for(output: Literal["text", "json", "stream-json"], screen: Screen, state: State) -> View:
    """The view that `--output` names."""
    return (
        TextView(screen, state) if output == "text" else JsonView(screen, stream=output != "json")
    )


def event_json(event: Anything) -> str:
    """An event, durable or live, as one line of JSON."""
    if isinstance(event, e.Durable):
        return encode_event(event).decode()
    return _encode(event)


def _encode(value: msgspec.Struct) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # a lone surrogate, which a model may well say
        return json.dumps(msgspec.to_builtins(value))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHORT else f"{line[:SHORT]}..."
