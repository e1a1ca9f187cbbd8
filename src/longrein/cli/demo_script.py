"""What the demo's model says and what its tools do. The model is a script; the tools are real."""

from collections.abc import Sequence
from pathlib import Path

from longrein.capabilities.ask_user import ask_user
from longrein.core.errors import ToolError
from longrein.core.messages import Assistant, Message, ToolResult, User
from longrein.models.base import Request
from longrein.testing.replies import Reply, call, reply, say
from longrein.testing.scripted import ScriptedModel
from longrein.tools.define import Tool, tool

FIRST = "Write a haiku about long reins, sign it, and save it."
SECOND = "How many words does it have?"

PACE = 0.03
HAIKU = "Slack in the long rein:\nthe horse stumbles and is up,\nstill on the same road."
SIGNATURES = ("the horse", "the rider", "nobody")


def tools(scratch: Path) -> Sequence[Tool]:
    """The demo's tools, which work in the folder `scratch`."""

    @tool(category="read", idempotent=True)
    def list_files() -> str:
        """The files in the scratch folder."""
        names = sorted(path.name for path in scratch.iterdir())
        return ", ".join(names) or "(no files)"

    @tool(category="edit", idempotent=True)
    def write_file(name: str, text: str) -> str:
        """Write a file in the scratch folder."""
        _inside(scratch, name).write_text(text, encoding="utf-8")
        return f"wrote {len(text.encode())} bytes to {name}"

    @tool(category="read", idempotent=True)
    def count_words(name: str) -> int:
        """How many words a file in the scratch folder has."""
        return len(_inside(scratch, name).read_text(encoding="utf-8").split())

    return [list_files, write_file, count_words, ask_user]


def model() -> ScriptedModel:
    """The demo's model. What it says follows from the conversation alone, also after a restart."""
    return ScriptedModel(_answer, delay=PACE)


def _answer(request: Request) -> Reply:
    said = _since_user(request.messages)
    results = [message for message in said if isinstance(message, ToolResult)]
    turn = sum(isinstance(message, Assistant) and not message.interrupted for message in said)
    last = results[-1] if results else None
    if _asked(request.messages) == SECOND:
        return _counting(last)
    return _writing(turn, last)


def _writing(turn: int, last: ToolResult | None) -> Reply:
    if turn == 0 or last is None:
        return reply(say("I'll look at what is in the folder first."), call("list_files"))
    if last.name == "list_files":
        ask = call("ask_user", question="Who should sign the haiku?", choices=list(SIGNATURES))
        return reply(say(f"There: {last.text}. One thing I cannot know:"), ask)
    if last.name == "ask_user":
        name = last.text if last.text in SIGNATURES else "nobody"
        signed = HAIKU + ("" if name == "nobody" else f"\n  ({name})") + "\n"
        save = call("write_file", name="haiku.txt", text=signed)
        return reply(say(f"Here it is:\n\n{signed}\nMay I save it?"), save)
    if last.status == "ok":
        return say("Saved as haiku.txt.")
    return say("Then it stays unsaved. Nothing was written.")


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
