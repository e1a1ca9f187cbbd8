"""Looking at a tool call before it runs."""

import asyncio

from msgspec.structs import replace

from longrein.core.errors import ToolError
from longrein.core.messages import ToolCall
from longrein.core.policy import Rule, Touches
from longrein.core.records import CallFacts
from longrein.core.state import Call, State
from longrein.loop.calls import judge
from longrein.permissions.evaluate import Allow
from longrein.session.services import Services
from longrein.tools.context import Context
from longrein.tools.define import Tool

LONGEST = 30.0
"""Seconds that a tool may take to look at what a call would touch, and to show it."""

LONGEST_REASON = 300
_HOOK = "hook:"


async def examine(
    services: Services, state: State, call: ToolCall, asks: tuple[Rule, ...] = ()
) -> CallFacts:
    """What can be said of a call before it runs: whether it can, beside which others, what it
    would touch, and, if a person will be asked, what would really happen. `asks` are what hooks
    say of it."""
    tools = services.registry(state)
    tool = tools.get(call.name)
    if tool is None or call.name in services.loop.setup.excluded(state):
        offered = services.loop.offer(state).names
        return CallFacts(call.id, problem=tools.unknown(call.name, offered))
    if problem := tool.check(call.arguments):
        return CallFacts(call.id, problem=problem)
    alone, lane = tool.lane(call.arguments)
    facts = CallFacts(call.id, alone=alone, lane=lane, touches=Touches(judged=asks))
    if tool.touches is None and tool.preview is None:
        return facts
    ctx = Context(call=call.id, tool=call.name, reach=services.reach(state, lambda: state))
    try:
        async with asyncio.timeout(LONGEST):
            touches = await tool.touched(call.arguments, ctx)
    except ToolError as error:
        return CallFacts(call.id, problem=str(error))
    except TimeoutError:
        return CallFacts(call.id, problem=f"It took over {LONGEST:g} s to see what this touches.")
    touches = replace(touches, judged=(*touches.judged, *asks)) if asks else touches
    asked = Call(call.id, call.name, call.arguments, touches=touches)
    if isinstance(judge(state, services.loop.setup, asked), Allow):
        return replace(facts, touches=touches)
    return replace(facts, touches=touches, preview=await _shown(tool, call, ctx))


def hook_rule(by: str, call: str, reason: str) -> Rule:
    """What makes a person be asked about a call, on the word of a hook."""
    words = " ".join(reason.split())
    return Rule("ask", tool=call, always=True, id=f"{_HOOK}{by}: {words[:LONGEST_REASON]}")


def hook_rules(call: Call) -> tuple[Rule, ...]:
    """What hooks have said of a call, which holds whatever it touches by now."""
    return tuple(rule for rule in call.touches.judged if rule.id.startswith(_HOOK))


async def _shown(tool: Tool, call: ToolCall, ctx: Context) -> str:
    try:
        async with asyncio.timeout(LONGEST):
            return await tool.previewed(call.arguments, ctx)
    except TimeoutError:  # a person is asked all the same, and sees the arguments
        return f"It takes over {LONGEST:g} s to show what this would do."
