"""Looking at a tool call before it runs."""

from longrein.core.errors import ToolError
from longrein.core.messages import ToolCall
from longrein.core.records import CallFacts
from longrein.core.state import State
from longrein.session.services import Services
from longrein.tools.context import Context


def examine(services: Services, state: State, call: ToolCall) -> CallFacts:
    """What can be said of a call before it runs: whether it can, beside which others, and what it
    would touch."""
    tools = services.registry(state)
    tool = tools.get(call.name)
    if tool is None:
        offered = services.loop.offer(state).names
        return CallFacts(call.id, problem=tools.unknown(call.name, offered))
    if problem := tool.check(call.arguments):
        return CallFacts(call.id, problem=problem)
    alone, lane = tool.lane(call.arguments)
    if tool.touches is None:
        return CallFacts(call.id, alone=alone, lane=lane)
    ctx = Context(call=call.id, tool=call.name, reach=services.reach(state, lambda: state))
    try:
        return CallFacts(call.id, "", alone, lane, tool.touched(call.arguments, ctx))
    except ToolError as error:
        return CallFacts(call.id, problem=str(error))
