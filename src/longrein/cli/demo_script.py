"""What the demo's model says and what its tools do. The model is a script; the tools are real."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from longrein.capabilities.ask_user import AskUser
from longrein.capabilities.plans import Plans
from longrein.capabilities.todos import Todos
from longrein.cli.agent import BUILD, PLAN
from longrein.core.errors import ToolError
from longrein.core.messages import Message, ToolResult, User
from longrein.loop.agent import Agent, Mode
from longrein.models.base import Request
from longrein.testing.replies import Reply, call, reply, say
from longrein.testing.scripted import ScriptedModel
from longrein.tools.define import Tool, tool

FIRST = "Plan a haiku about long reins, then write it and save it."
SECOND = "How many words does it have?"

PACE = 0.03
TITLE = "A haiku about long reins"
THE_PLAN = "1. Ask who signs it\n2. Write it, and save it as haiku.txt"
HAIKU = "Slack in the long rein:\nthe horse stumbles and is up,\nstill on the same road."
SIGNATURES = ("the horse", "the rider", "nobody")


def agent(scratch: Path) -> tuple[Agent, Sequence[Mode]]:
    """The demo's agent, whose tools work in the folder `scratch`, and its modes: it plans first."""
    capabilities = (Todos(), Plans(), AskUser())
    who = Agent("demo", model=model(), tools=tools(scratch), capabilities=capabilities)
    return who, (replace(PLAN, default=True), replace(BUILD, default=False))


def tools(scratch: Path) -> Sequence[Tool]:
    """Tools of the demo alone."""

    @tool(category="edit", idempotent=True)
    def write_file(name: str, text: str) -> str:
        """Write a file in the scratch folder."""
        _inside(scratch, name).write_text(text, encoding="utf-8")
        return f"wrote {len(text.encode())} bytes to {name}"

    @tool(category="read", idempotent=True)
    def count_words(name: str) -> int:
        """How many words a file in the scratch folder has."""
        return len(_inside(scratch, name).read_text(encoding="utf-8").split())

    return [write_file, count_words]


def model() -> ScriptedModel:
    """The demo's model. What it says follows from the conversation alone, also after a restart."""
    return ScriptedModel(_answer, delay=PACE)


def _answer(request: Request) -> Reply:
    said = _since_user(request.messages)
    results = [message for message in said if isinstance(message, ToolResult)]
    if _asked(request.messages) == SECOND:
        return _counting(results[-1] if results else None)
    return _writing(results)


def _writing(results: Sequence[ToolResult]) -> Reply:
    if not results:
        return reply(say("A plan first:"), call("submit_plan", title=TITLE, plan=THE_PLAN))
    match (last := results[-1]).name:
        case "submit_plan":
            return _begin() if "is approved" in last.text else say("Then I leave it at that.")
        case "write_todos":
            ask = call("ask_user", question="Who should sign it?", choices=list(SIGNATURES))
            return reply(say("One thing I cannot know:"), ask)
        case "ask_user":
            return _done(1) if last.status == "ok" else say("Then there is no haiku.")
        case "update_todos" if "[ ]" in last.text:
            return _write(next(done.text for done in results if done.name == "ask_user"))
        case "update_todos":
            return say("Saved as haiku.txt.")
        case _:
            if last.status == "ok":
                return _done(2)
            return say("Then it stays unsaved. Nothing was written.")


def _begin() -> Reply:
    todos = [{"text": "Ask who signs it", "status": "in_progress"}, {"text": "Write and save it"}]
    return call("write_todos", todos=todos)


def _done(number: int) -> Reply:
    return call("update_todos", changes=[{"number": number, "status": "completed"}])


def _write(name: str) -> Reply:
    signed = HAIKU + ("" if name == "nobody" else f"\n  ({name})") + "\n"
    save = call("write_file", name="haiku.txt", text=signed)
    return reply(say(f"Here it is:\n\n{signed}\nMay I save it?"), save)


def _counting(last: ToolResult | None) -> Reply:
    if last is None:
        return call("count_words", name="haiku.txt")
    if last.status == "ok":
        return say(f"It has {last.text} words, signature included.")
    return say("There is no file to count, so I cannot tell.")


def _since_user(messages: Sequence[Message]) -> Sequence[Message]:
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], User):
            return messages[index + 1 :]
    return messages


def _asked(messages: Sequence[Message]) -> str:
    users = [message for message in messages if isinstance(message, User)]
    parts = users[-1].parts if users else ()
    return "".join(getattr(part, "text", "") for part in parts)


def _inside(scratch: Path, name: str) -> Path:
    if Path(name).name != name or name in ("", ".", ".."):
        raise ToolError("Give the plain name of a file, without a folder.")
    return scratch / name
