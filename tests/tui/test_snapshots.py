"""Pictures of the conversation and the editor in their states."""

import asyncio
from pathlib import Path

import pytest

from longrein.capabilities.subagents.capability import Subagents
from longrein.capabilities.subagents.spec import Subagent
from longrein.core import commands as c
from longrein.core.errors import BadRequest
from longrein.core.preferences import Preferences
from longrein.models.base import Request
from longrein.testing import Reply, call, calls, fail, pause, reply, say, think
from longrein.tools.define import tool
from tests.support import run
from tests.tui.kit import client
from tests.tui.scenes import FOLDER, gallery, scene
from tests.tui.working import settled

SIZES = {"40x12": (40, 12), "80x24": (80, 24), "120x35": (120, 35)}

ANSWER = """\
## What I found

The parser reads the file *twice*: once in `load()` and once in **check()**.

- `load()` keeps the text
- `check()` throws it away

| where | time |
|---|---:|
| load | 1.2 s |
| check | 1.1 s |

```python
def check(path: str) -> bool:
    return parse(read(path)).valid
```

I would hand the text on."""

TODOS = [
    {"text": "Read the parser", "status": "completed"},
    {"text": "Hand the text on", "status": "in_progress", "doing": "Handing the text on"},
    {"text": "Run the tests"},
]
BEFORE = "def check(path):\n    text = read(path)\n    return parse(text).valid\n"
EDITS = [
    {"old_string": "def check(path):\n    text = read(path)\n", "new_string": "def check(text):\n"}
]


@tool(category="read")
async def measure(what: str) -> str:
    """Measure something for as long as it takes."""
    await asyncio.sleep(60)
    return what


@pytest.mark.parametrize("size", SIZES)
def test_a_new_thread(size: str) -> None:
    async def take() -> None:
        with gallery() as pictures:
            async with scene([], pictures, size=SIZES[size]) as shown:
                await shown.picture(f"welcome-{size}", "Shift+Tab")

    run(take())


def test_a_demo_is_labelled() -> None:
    async def take() -> None:
        with gallery() as pictures:
            label = "DEMO · the model is a script"
            async with scene([say("Hello.")], pictures, label=label) as shown:
                await shown.picture("demo-80x24", "Shift+Tab")
                await shown.says("Hi", "Hello.")
                await shown.picture("demo-said-80x24")

    run(take())


@pytest.mark.parametrize("size", SIZES)
def test_an_answer_while_it_is_written_and_when_it_is_there(size: str) -> None:
    begun = reply(think("The parser may read the file twice.\nLook."), say(ANSWER[:250]), pause(60))

    async def take() -> None:
        with gallery() as pictures:
            async with scene([begun, say(ANSWER)], pictures, size=SIZES[size]) as shown:
                await shown.says("Why is it slow?", "writing")
                shown.advance(3)
                await shown.picture(f"streaming-{size}", "writing")
                await shown.user.presses("escape")
                await shown.picture(f"interrupted-{size}", "interrupted")
                await shown.says("Go on", "I would hand the text on.")
                await shown.picture(f"answered-{size}")

    run(take())


def test_a_model_that_thinks_and_one_that_calls() -> None:
    says = [reply(pause(60))]

    async def take() -> None:
        with gallery() as pictures:
            async with scene(says, pictures) as shown:
                await shown.says("Why is it slow?", "thinking")
                shown.advance(75)
                await shown.picture("thinking-80x24", "1m 15s")

    run(take())


def test_calls_that_are_opened_and_closed() -> None:
    says = [
        call("write_todos", todos=TODOS),
        call("read_file", path="check.py"),
        call("edit_file", path="check.py", edits=EDITS),
        call("execute", command="seq 1 40; exit 3"),
        say("Done, but for the tests."),
    ]

    async def take() -> None:
        with gallery() as pictures:
            async with scene(says, pictures, size=(80, 40)) as shown:
                (shown.folder / "check.py").write_text(BEFORE)
                await shown.thread.submit(c.SetTrust("yolo"))
                await shown.says("Make it quick", "Done, but for the tests.")
                await shown.picture("calls-80x40")
                await shown.user.presses("ctrl+o")
                shown.user.app.main.conversation.focus()
                await shown.user.presses("up", "up", "enter")
                await shown.picture("calls-other-ones-opened-80x40", "return parse(text)")

    run(take())


def test_calls_that_run_and_that_wait() -> None:
    says = [
        calls(call("measure", what="load()"), call("execute", command="make test")),
        say("Measured."),
    ]

    async def take() -> None:
        with gallery() as pictures:
            async with scene(says, pictures, tools=[measure]) as shown:
                await shown.says("How long?", "Run this command?")
                shown.advance(12)
                await shown.picture("calls-running-80x24", "load()  12s")
                await shown.answers("n", "enter")
                await shown.picture("calls-declined-80x24", "declined", "load()  13s")
                await shown.user.presses("escape")
                await shown.picture("calls-stopped-80x24", "stopped")

    run(take())


def test_a_child_at_work_and_done() -> None:
    def model(request: Request) -> Reply:
        last = request.messages[-1].text
        if "Look at it" in last:
            return say("I looked: **all is fine**.")
        return say("Reviewed.") if "fine" in last else task

    task = call("task", agent="reviewer", description="Check the parser", prompt="Look at it")

    async def take() -> None:
        with gallery() as pictures:
            able = [Subagents([Subagent("reviewer", "Reviews.", instructions="Review.")])]
            async with scene(model, pictures, capabilities=able) as shown:
                await shown.says("Have it reviewed", "Reviewed.")
                await shown.user.presses("ctrl+o")
                await shown.picture("opened-child-80x24", "all is fine")
                await shown.visits("children", "reviewer")
                await shown.picture("page-children-80x24")

    run(take())


def test_a_problem_and_the_offer_to_go_on() -> None:
    says = [fail(BadRequest("The request has 3 messages too many."))]

    async def take() -> None:
        with gallery() as pictures:
            async with scene(says, pictures) as shown:
                await shown.says("Why is it slow?", "too many")
                await shown.picture("problem-80x24")

    run(take())


def test_a_run_that_was_left_in_the_middle(tmp_path: Path) -> None:
    async def take() -> None:
        store = f"sqlite:{tmp_path / 'left.db'}"
        async with client([reply(say("Hmm"), pause(60))], tmp_path, store=store) as made:
            left = await made.open(new=True)
            await left.say("send", "Why is it slow?")
            await settled(left, lambda shown: shown.writing)
        with gallery() as pictures:
            async with scene([], pictures, store=store, thread=left.thread) as shown:
                await shown.picture("offer-80x24", "left in the middle")

    run(take())


def test_the_queue() -> None:
    async def take() -> None:
        with gallery() as pictures:
            async with scene([reply(say("Hmm"), pause(60))], pictures) as shown:
                await shown.says("Why is it slow?", "Hmm")
                for text in ("And the tests?", "Then write\nit down"):
                    await shown.user.pastes(text)
                    await shown.user.presses("alt+enter")
                await shown.picture("queue-80x24", "2 Then write")
                await shown.user.presses("up")
                await shown.picture("queue-focused-80x24", "K J")
                await shown.user.presses("escape", "escape")
                await shown.picture("queue-held-80x24", "held")

    run(take())


def test_the_editor() -> None:
    async def take() -> None:
        with gallery() as pictures:
            async with scene([], pictures, place="") as shown:
                for name in ("check.py", "chess.md"):
                    (shown.folder / name).write_text("")
                await shown.user.pastes("One line\nand another\nand a third")
                await shown.picture("editor-lines-80x24", "a third")
                await shown.user.presses("ctrl+c")
                await shown.user.types("!make test")
                await shown.picture("editor-shell-80x24", "make test")
                await shown.user.presses("ctrl+c")
                await shown.user.types("/re")
                await shown.picture("editor-commands-80x24", "/rewind")
                await shown.user.presses("escape", "ctrl+c")
                await shown.user.types("Look at @che")
                await shown.picture("editor-files-80x24", "chess.md")

    run(take())


def test_colours_of_a_light_theme_and_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    says = [call("execute", command="make test"), say(ANSWER)]

    async def take(name: str, theme: str) -> None:
        with gallery() as pictures:
            liked = Preferences(theme=theme)
            async with scene(says, pictures, size=(60, 30), preferences=liked) as shown:
                await shown.says("Why is it slow?", "Run this command?")
                await shown.picture(f"styles-card-{name}", "y yes", styles=True)

    run(take("light", "longrein-light"))
    monkeypatch.setenv("NO_COLOR", "1")
    run(take("none", "longrein-dark"))


def test_every_picture_is_taken_by_a_test() -> None:
    """Files that no test draws any more tell of something that is not so."""
    source = "".join(path.read_text("utf-8") for path in FOLDER.parent.glob("test_snapshots*.py"))
    for path in FOLDER.glob("*.txt"):
        name = path.stem
        where = (f'"{name}"', f"{name.rpartition('-')[0]}-{{", f"{name.partition('-')[0]}-{{")
        assert any(one in source for one in where), name
