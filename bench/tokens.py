"""`default_tokens`: what tools and prompt cost in every request, as a model gets them.

`agent_tokens` is the same for all that the command line's own agent has.
"""

import asyncio
from collections.abc import Sequence

import msgspec
from rs_bpe.bpe import openai  # pyright: ignore[reportUnknownVariableType]

from bench.ratios import Numbers
from bench.subject import directory
from longrein import Agent, AskUser, Capability, Harness, Memory, Plans, Skills, Subagents, Todos
from longrein.capabilities.workspace.workspace import Workspace
from longrein.models.base import Request
from longrein.testing import Script, ScriptedModel, say


def tokens() -> Numbers:
    """Tokens (o200k) of the prompt and the tools: of files, shell, todos, questions and plans, and
    with subagents, skills and memory beside these."""
    with directory() as root:
        default = [Workspace(root), Todos(), Plans(), AskUser()]
        whole = [*default, Subagents(), Skills(), Memory(root)]
        return {
            **_numbers("default_tokens", asyncio.run(_request(default))),
            **_numbers("agent_tokens", asyncio.run(_request(whole))),
        }


def _numbers(name: str, asked: Request) -> Numbers:
    tools = [
        {"name": one.name, "description": one.description, "parameters": msgspec.Raw(one.schema)}
        for one in asked.tools
    ]
    of_tools = _count(msgspec.json.encode(tools).decode())
    return {
        name: of_tools + _count(asked.system),
        f"{name}_tools": of_tools,
        f"{name}_count": len(tools),
    }


async def _request(capabilities: Sequence[Capability]) -> Request:
    """What the model is asked first, by an agent that has nothing but these."""
    model = ScriptedModel(Script([say("Done.")]))
    agent = Agent("assistant", model=model, capabilities=capabilities)
    async with Harness(agent, store="memory") as host:
        await (await (await host.session("user")).send("Hello"))
    return model.requests[0]


def _count(text: str) -> int:
    return openai.o200k_base().count(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
