"""`default_tokens`: what the default tools cost in every request, as a model gets them."""

import asyncio

import msgspec
from rs_bpe.bpe import openai  # pyright: ignore[reportUnknownVariableType]

from bench.ratios import Numbers
from bench.subject import directory
from longrein import Agent, AskUser, Harness, Plans, Todos
from longrein.capabilities.workspace.workspace import Workspace
from longrein.models.base import Request
from longrein.testing import Script, ScriptedModel, say


def tokens() -> Numbers:
    """Tokens (o200k) of the prompt and the tools of files, shell, todos, questions and plans."""
    with directory() as root:
        asked = asyncio.run(_request(root))
    tools = [
        {"name": one.name, "description": one.description, "parameters": msgspec.Raw(one.schema)}
        for one in asked.tools
    ]
    of_tools = _count(msgspec.json.encode(tools).decode())
    return {
        "default_tokens": of_tools + _count(asked.system),
        "default_tokens_tools": of_tools,
        "default_tokens_count": len(tools),
    }


async def _request(root: str) -> Request:
    """What the model is asked first, by an agent that has nothing but the default tools."""
    model = ScriptedModel(Script([say("Done.")]))
    capabilities = [Workspace(root), Todos(), AskUser(), Plans()]
    agent = Agent("assistant", model=model, capabilities=capabilities)
    async with Harness(agent, store="memory") as host:
        await (await (await host.session("user")).send("Hello"))
    return model.requests[0]


def _count(text: str) -> int:
    return openai.o200k_base().count(text)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
