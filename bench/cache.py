"""`uncached_percent`: what a provider could not take from its cache of the prompts of long work.

A session of 100 steps with real files, over a real wire: a list of things to do that changes, two
switches of mode, of which one offers other tools, instructions in AGENTS.md that change, and a
skill that is new. Of each request the part counts that no request before it begins with.
"""

import asyncio
import json
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from bench.ratios import Numbers
from bench.subject import directory
from longrein import (
    Agent,
    Harness,
    Memory,
    Mode,
    ProviderSettings,
    Session,
    Skills,
    Todos,
    Workspace,
)
from longrein.core.messages import Assistant
from longrein.models.base import Request
from longrein.testing import Reply, ScriptedServer, call, say

STEPS = 100
PER_INPUT = 10
NOTES = "The release is on Friday. " * 60


def cache() -> Numbers:
    """The share of the bytes of all prompts, in percent."""
    with directory() as root:
        prompts = asyncio.run(long_work(Path(root)))
    return {"uncached_percent": 100 * uncached(prompts)}


def uncached(prompts: Sequence[bytes]) -> float:
    """The share of the bytes that no prompt before begins with."""
    fresh = [len(prompts[0])]
    for n, prompt in enumerate(prompts[1:], 1):
        fresh.append(len(prompt) - max(_common(prompt, before) for before in prompts[:n]))
    return sum(fresh) / sum(map(len, prompts))


def _common(one: bytes, other: bytes) -> int:
    if one.startswith(other):
        return len(other)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


async def long_work(root: Path) -> list[bytes]:
    """The prompts of a session of 100 steps: tools, system text and messages, in that order."""
    work, skills = root / "work", root / "skills"
    work.mkdir()
    skills.mkdir()
    (work / "AGENTS.md").write_text("Say what you did.\n")
    (work / "notes.txt").write_text(NOTES)
    server = ScriptedServer(_answer, bodies=True)
    async with server:
        house = ProviderSettings(base_url=server.url + "/v1", key="sk-house", wire="openai_chat")
        capabilities = [Workspace(work, shell=None), Todos(), Memory(work), Skills([skills])]
        agent = Agent(
            "worker", model="house:large", instructions="Work.", capabilities=capabilities
        )
        modes = [
            Mode("plan", visible=["read_file", "write_todos"]),
            Mode("review", instructions="Look twice.", visible=["read_file", "write_todos"]),
            Mode("build", instructions="Do it."),
        ]
        async with Harness(agent, modes=modes, providers={"house": house}) as host:
            session = await host.session("user")
            for turn in range(STEPS // PER_INPUT):
                await _meanwhile(session, turn, work, skills)
                await (await session.send(f"Go on with part {turn}."))
    return [_prompt(json.loads(posted.body)) for posted in server.requests]


async def _meanwhile(session: Session[Any], turn: int, work: Path, skills: Path) -> None:
    """What changes between two inputs."""
    match turn:
        case 2:
            await session.switch_mode("review")
        case 4:
            (work / "AGENTS.md").write_text("Say what you did, in one line.\n")
        case 6:
            folder = skills / "release-notes"
            folder.mkdir()
            (folder / "SKILL.md").write_text(
                "---\nname: release-notes\ndescription: Write release notes.\n---\nBe brief.\n"
            )
        case 8:
            await session.switch_mode("build")
        case _:
            pass


def _answer(request: Request) -> Reply:
    done = sum(isinstance(message, Assistant) for message in request.messages)
    if done % PER_INPUT == PER_INPUT - 1:
        return say("That part is done.")
    if done == 12:
        return call("write_todos", todos=[{"text": "Read the notes", "status": "in_progress"}])
    return call("read_file", path="notes.txt")


def _prompt(body: dict[str, Any]) -> bytes:
    said = [json.dumps(message, sort_keys=True) for message in body["messages"]]
    return "\n".join([json.dumps(body.get("tools", [])), *said]).encode()
