"""What hooks are told, and what people are told of hooks."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from longrein.capabilities.base import AskedCall, CallResult
from longrein.capabilities.hooks.naming import known_name, told_arguments
from longrein.capabilities.hooks.seen import HooksSeen, LastRun
from longrein.capabilities.hooks.spec import HookEvent, ShellHook
from longrein.core import events as e
from longrein.core.messages import text_in
from longrein.core.policy import Trust

NONE = "There are no hooks here. Write [[hooks.PreToolUse]] and the like into your settings."

_MODES: Mapping[Trust, str] = {
    "ask": "default",
    "edits": "acceptEdits",
    "plan": "plan",
    "yolo": "bypassPermissions",
}


class ListedHook(Struct, frozen=True, omit_defaults=True):
    """A hook as it is listed; `last` is how it ended in this thread, None: it was not run yet."""

    event: HookEvent
    matcher: str
    command: str
    origin: str
    timeout: float
    last: LastRun | None = None


def listed(hooks: Sequence[ShellHook], seen: HooksSeen) -> tuple[ListedHook, ...]:
    """The hooks, each with how it ended last."""
    return tuple(
        ListedHook(
            one.event, one.matcher, one.command, one.origin, one.timeout, seen.last.get(one.key)
        )
        for one in hooks
    )


def shown(hooks: Sequence[ListedHook]) -> str:
    """The hooks, a line each, and a second one for how it ended."""
    return "\n".join(line for one in hooks for line in _lines(one)) or NONE


def _lines(one: ListedHook) -> list[str]:
    matcher = f" {one.matcher}" if one.matcher else ""
    line = f"{one.event}{matcher}: {one.command} ({one.origin})"
    if one.last is None:
        return [line]
    message = f": {' '.join(one.last.message.split())}" if one.last.message else ""
    return [line, f"  last: {one.last.outcome} in {one.last.milliseconds / 1000:.1f} s{message}"]


def permission_mode(mode: str, trust: Trust) -> str:
    """What the mode and the trust come to, by the names that hooks know."""
    return "plan" if mode == "plan" else _MODES[trust]


def about_call(call: AskedCall) -> dict[str, Any]:
    """A call as hooks are told of it."""
    return {
        "tool_name": known_name(call.tool),
        "longrein_tool_name": call.tool,
        "tool_use_id": call.id,
        "tool_input": told_arguments(call.tool, call.arguments),
    }


def about_result(result: CallResult) -> dict[str, Any]:
    """How a call ended as hooks are told of it."""
    ok = result.status == "ok"
    return {"status": result.status, "success": ok, "output": text_in(result.parts)}


def notification(event: e.Event) -> dict[str, Any] | None:
    """What people are notified of; None: nothing."""
    match event:
        case e.ApprovalRequested(approval=approval):
            text = f"Longrein needs your permission to use {known_name(approval.tool)}"
            return _noted("permission_prompt", text)
        case e.QuestionAsked(question=question):
            what = "has a plan for you" if question.kind == "plan" else "has a question for you"
            return _noted(
                "elicitation_dialog", f"Longrein {what}: {question.title or question.text}"
            )
        case e.RunEnded():
            return _noted("idle_prompt", "Longrein is waiting for your input")
        case _:
            return None


def _noted(kind: str, message: str) -> dict[str, Any]:
    return {"notification_type": kind, "title": "Longrein", "message": message}
