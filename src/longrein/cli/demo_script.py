"""What the demo's model says, and the little project that it works on. All else is real."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from longrein.capabilities.ask_user import AskUser
from longrein.capabilities.plans import Plans
from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.capabilities.todos import Todos
from longrein.capabilities.workspace.shelling import ShellSettings
from longrein.capabilities.workspace.workspace import Workspace
from longrein.cli.agent import BUILD, PLAN
from longrein.core.display import Display
from longrein.core.messages import Message, ToolResult, User
from longrein.loop.agent import Agent, Mode
from longrein.models.base import Request
from longrein.testing.replies import Reply, call, calls, reply, say, think
from longrein.testing.scripted import ScriptedModel

FIRST = "greet.sh forgets the name. Plan a fix, then make it."
SECOND = "What did you change?"

PACE = 0.02
BEFORE = 'echo "Hello!"'
AFTER = 'echo "Hello, ${1:-world}!"'
PROJECT = {
    "greet.sh": f"#!/bin/sh\n# Greets somebody by name.\n{BEFORE}\n",
    "test.sh": """\
said=$(sh greet.sh Ada)
if [ "$said" = "Hello, Ada!" ]; then
    echo "ok: greets by name"
else
    echo "FAILED: said '$said' instead of 'Hello, Ada!'"
    exit 1
fi
""",
}

TITLE = "Greet people by name"
THE_PLAN = """\
1. Run `test.sh`, to see it fail
2. Have `greet.sh` use its first argument, and `world` where there is none
3. Run `test.sh` again
4. Ask a reviewer to look at it"""
TODOS = ("See the test fail", "Mend greet.sh and run the test again", "Have it reviewed")
TEST = "sh test.sh"
REVIEW = "Review greet.sh. Does it greet by name, and the world where no name is given?"

REVIEWER = Subagent(
    "reviewer",
    "Reads code and says what is wrong with it.",
    "You review code. Read it, then say in two sentences what you think.",
    tools=["read_file", "grep"],
)

DONE = f"""\
Done. `greet.sh` greets by name now:

```sh
{AFTER}
```

| what | came to |
|---|---|
| the test | passes |
| the review | no complaints |

All of it really happened, in a scratch folder. Now take it back: type `/rewind` and choose your \
first message. Files and conversation both go back to where they were."""

LOST = f"""\
I am a script and know only one task:

> {FIRST}

With a model of your own I can do anything: `longrein login PROVIDER`, then `longrein`."""


def agent(project: Path, *, isolated: bool) -> tuple[Agent, Sequence[Mode]]:
    """The demo's agent, which works in the folder `project`, and its modes: it plans first."""
    shell = ShellSettings("sandbox" if isolated else "host", network="off")
    workspace = Workspace(project, shell=shell)
    subagents = Subagents([REVIEWER], default=False)
    capabilities = (workspace, Todos(), Plans(), AskUser(), subagents)
    who = Agent("demo", model=model(), capabilities=capabilities)
    return who, (replace(PLAN, default=True), replace(BUILD, default=False))


def lay_out(project: Path) -> None:
    """Write the little project anew."""
    for name, text in PROJECT.items():
        (project / name).write_text(text, encoding="utf-8")


def suggestion(shown: Display) -> str:
    """What a person might say next in the demo."""
    if shown.activity != "idle":
        return ""
    if not any(isinstance(message, User) for message in shown.messages):
        return FIRST
    last = next((m for m in reversed(shown.messages) if isinstance(m, User)), None)
    return "/rewind" if last is not None and last.text == FIRST else SECOND


def model() -> ScriptedModel:
    """The demo's model. What it says follows from the conversation alone, also after a restart."""
    return ScriptedModel(_answer, delay=PACE)


def _answer(request: Request) -> Reply:
    said = _since_user(request.messages)
    results = [message for message in said if isinstance(message, ToolResult)]
    asked = _asked(request.messages)
    if REVIEW in asked:
        return _review(results)
    if asked == SECOND:
        return say(f"One line of `greet.sh`: `{BEFORE}` became `{AFTER}`.")
    return _mend(results) if asked == FIRST else say(LOST)


def _review(results: Sequence[ToolResult]) -> Reply:
    if not results:
        return reply(think("Let me see what it does."), call("read_file", path="greet.sh"))
    if AFTER in results[-1].text:
        return say("It greets by name, and the world where none is given. I would ship it.")
    return say("It does not use its argument at all.")


def _mend(results: Sequence[ToolResult]) -> Reply:
    """The next step of the one task that there is, by what has come of the last one."""
    last = results[-1] if results else None
    ran = sum(one.name == "execute" for one in results)
    match last.name if last else "":
        case "":
            thought = think("The name is lost somewhere. I should read both files first.")
            both = (call("read_file", path="greet.sh"), call("read_file", path="test.sh"))
            return reply(thought, say("I read the code first."), *both)
        case "read_file":
            return reply(
                say("It prints the same whatever it is given. Here is what I would do:"),
                call("submit_plan", title=TITLE, plan=THE_PLAN),
            )
        case "submit_plan":
            return _begin() if last and "is approved" in last.text else say("Then I leave it.")
        case "write_todos":
            return reply(say("First, to see it fail:"), call("execute", command=TEST))
        case "execute" if last and last.status == "declined":
            return say("Then I stop here. Nothing was run, and nothing has changed.")
        case "execute" if ran == 1:
            return calls(_done(1, 2), _edit())
        case "edit_file" if last and last.status != "ok":
            return say("Then the file stays as it is.")
        case "edit_file":
            return reply(say("Now the test again:"), call("execute", command=TEST))
        case "execute":
            review = call("task", agent="reviewer", description="Review greet.sh", prompt=REVIEW)
            return calls(_done(2, 3), review)
        case "task":
            return _done(3)
        case _:
            return say(DONE)


def _begin() -> Reply:
    first, *rest = TODOS
    todos = [{"text": first, "status": "in_progress"}, *({"text": text} for text in rest)]
    return call("write_todos", todos=todos)


def _done(number: int, next: int = 0) -> Reply:
    changes = [{"number": number, "status": "completed"}]
    if next:
        changes.append({"number": next, "status": "in_progress"})
    return call("update_todos", changes=changes)


def _edit() -> Reply:
    change = {"old_string": BEFORE, "new_string": AFTER}
    return call("edit_file", path="greet.sh", edits=[change])


def _since_user(messages: Sequence[Message]) -> Sequence[Message]:
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], User):
            return messages[index + 1 :]
    return messages


def _asked(messages: Sequence[Message]) -> str:
    users = [message for message in messages if isinstance(message, User)]
    parts = users[-1].parts if users else ()
    return "".join(getattr(part, "text", "") for part in parts)
