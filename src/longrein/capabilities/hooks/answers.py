"""What a hook said, from its exit code and its output, and what several of them come to."""

import json
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from longrein.capabilities.hooks.running import MOST_BYTES, Ran
from longrein.capabilities.hooks.spec import HookEvent, ShellHook

BLOCKING: tuple[HookEvent, ...] = (
    "PreToolUse",
    "PostToolUse",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
)
"""Where a hook can say no. Elsewhere its words are only shown to people."""

TELLING: tuple[HookEvent, ...] = ("UserPromptSubmit", "SessionStart")
"""Where what a hook writes is told to the model."""

LONGEST_CONTEXT = 10_000
LONGEST_MESSAGE = 500
NO_REASON = "A shell hook said no, and gave no reason."
STOPPED = "A shell hook stopped the run."

Outcome: TypeAlias = Literal["passed", "blocked", "asked", "stopped", "failed"]


class Specific(Struct, frozen=True, rename="camel"):
    """What goes with the kind of event, as hooks write it."""

    permission_decision: Literal["allow", "deny", "ask"] | None = None
    permission_decision_reason: str | None = None
    updated_input: dict[str, Any] | None = None
    additional_context: str | None = None


class Written(Struct, frozen=True, rename="camel"):
    """The JSON that a hook may write."""

    goes_on: bool = msgspec.field(default=True, name="continue")
    stop_reason: str | None = None
    system_message: str | None = None
    decision: Literal["block", "approve"] | None = None
    reason: str | None = None
    hook_specific_output: Specific | None = None


class Said(Struct, frozen=True):
    """What one hook said. None of `block`, `ask` and `stop` says nothing about it.

    `context` is for the model, `message` for people, `arguments` are those that a call should have.
    """

    hook: ShellHook
    outcome: Outcome = "passed"
    block: str | None = None
    ask: str | None = None
    stop: str | None = None
    context: str = ""
    message: str = ""
    arguments: dict[str, Any] | None = None
    milliseconds: int = 0


def heard(hook: ShellHook, ran: Ran) -> Said:
    """What a hook said that ran."""
    said = replace(_said(hook, ran), milliseconds=ran.milliseconds)
    return replace(
        said,
        context=_cut(said.context, LONGEST_CONTEXT),
        message=_cut(said.message, LONGEST_MESSAGE),
    )


def failed(hook: ShellHook, why: str) -> Said:
    """A hook that did not come to say anything: a call that it was to look at does not run."""
    message = f"The hook `{_cut(hook.command, 200)}` for {hook.event} failed: {why}."
    if hook.event != "PreToolUse":
        return Said(hook, "failed", message=message)
    block = f"{message} Calls that it looks at do not run until the person has mended it."
    return Said(hook, "failed", block=block, message=message)


def _said(hook: ShellHook, ran: Ran) -> Said:
    if ran.failure:
        return failed(hook, ran.failure.rstrip("."))
    words = ran.err.strip()
    if ran.code == 2:
        if hook.event in BLOCKING:
            return Said(hook, "blocked", block=_cut(words, LONGEST_CONTEXT) or NO_REASON)
        return Said(hook, "failed", message=words or f"A hook for {hook.event} said no.")
    if ran.code:
        reason = f"it ended with code {ran.code}{f': {words}' if words else ''}"
        return replace(failed(hook, reason.rstrip(".")), block=None)
    return _written(hook, ran.out.lstrip("\ufeff").strip(), ran.cut)


def _written(hook: ShellHook, out: str, cut: bool) -> Said:
    if not out.startswith("{") and (out or not cut):
        return Said(hook, context=out if hook.event in TELLING else "")
    try:
        written = msgspec.convert(json.loads(out), Written)
    except (ValueError, RecursionError) as error:
        if hook.event in TELLING and not isinstance(error, msgspec.ValidationError):
            return Said(hook, context=out)  # text that happens to begin like JSON
        why = f"it is longer than {MOST_BYTES:,} bytes" if cut else str(error).rstrip(".")
        return failed(hook, f"its answer is not understood: {why}")
    return _meant(hook, written)


def _meant(hook: ShellHook, written: Written) -> Said:
    specific = written.hook_specific_output or Specific()
    context, message = specific.additional_context or "", written.system_message or ""
    said = Said(hook, context=context, message=message, arguments=specific.updated_input)
    reason = specific.permission_decision_reason or written.reason
    if not written.goes_on:
        return replace(said, outcome="stopped", stop=written.stop_reason or STOPPED)
    denied = specific.permission_decision == "deny" or written.decision == "block"
    if denied and hook.event in BLOCKING:
        return replace(said, outcome="blocked", block=reason or NO_REASON)
    if specific.permission_decision == "ask" and hook.event == "PreToolUse":
        return replace(said, outcome="asked", ask=reason or "A hook wants you to look at this.")
    return said


class Together(Struct, frozen=True):
    """What the hooks for one event come to: the first that blocks, asks or stops counts, and the
    last that has other arguments."""

    said: tuple[Said, ...] = ()

    @property
    def block(self) -> str | None:
        return _first(one.block for one in self.said)

    @property
    def ask(self) -> str | None:
        return _first(one.ask for one in self.said)

    @property
    def stop(self) -> str | None:
        return _first(one.stop for one in self.said)

    @property
    def context(self) -> str:
        return "\n\n".join(one.context for one in self.said if one.context.strip())

    @property
    def messages(self) -> tuple[str, ...]:
        """What people should hear of it."""
        return tuple(one.message for one in self.said if one.message)

    @property
    def arguments(self) -> dict[str, Any] | None:
        return next((one.arguments for one in reversed(self.said) if one.arguments), None)


def _first(words: Iterable[str | None]) -> str | None:
    return next((one.strip() or NO_REASON for one in words if one is not None), None)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
