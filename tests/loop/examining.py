"""What a session finds out about a call before it runs, without one."""

from collections.abc import Callable

from longrein.core import commands as c
from longrein.core.messages import ToolCall
from longrein.core.records import CallFacts
from longrein.core.state import State
from longrein.tools.registry import Registry


def examine(tools: Registry, call: ToolCall) -> CallFacts:
    """What is found out about a call."""
    tool = tools.get(call.name)
    if tool is None:
        return CallFacts(call.id, problem=tools.unknown(call.name))
    if problem := tool.check(call.arguments):
        return CallFacts(call.id, problem=problem)
    alone, lane = tool.lane(call.arguments)
    return CallFacts(call.id, alone=alone, lane=lane)


def edited(
    state: State, command: c.Command, look: Callable[[State, ToolCall], CallFacts]
) -> CallFacts | None:
    """What is found out about a call that is approved with other arguments."""
    if not isinstance(command, c.Approve) or command.arguments is None:
        return None
    approval = next((one for one in state.approvals if one.id == command.approval), None)
    if approval is None:
        return None
    return look(state, ToolCall(approval.call, approval.tool, command.arguments))
