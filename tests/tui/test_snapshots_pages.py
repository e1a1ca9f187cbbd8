"""Pictures of the pages."""

import pytest

from longrein.capabilities.workspace.sources import InThread
from longrein.capabilities.workspace.workspace import Workspace
from longrein.client.port import Check
from longrein.core.commands import AddRule, Rename
from longrein.core.policy import Rule
from longrein.testing import Script, call, say
from longrein.testing.scripted import when
from tests.support import run
from tests.tui.scenes import Scene, gallery, scene

SIZES = {"40x12": (40, 12), "80x24": (80, 24)}
PLACES = {"40x12": "/project", "80x24": ""}
"""The real folder where there is room for its name."""

CHECKS = (
    Check("models", "ok", "anthropic has a key in the environment"),
    Check("ripgrep", "missing", "it is not installed", "Install ripgrep to search quickly."),
    Check("terminal", "note", "256 colours, no keyboard protocol"),
)
WRITE = call("write_file", path="notes.txt", content="one\ntwo\n")


def says() -> Script:
    rules = [when("Write", WRITE, say("It is written.")), when("Why", say("It reads twice."))]
    return Script([], rules=rules, otherwise=say("Hm."))


async def worked(shown: Scene) -> None:
    """Two things were said, a file was written, and a rule was made."""
    await shown.thread.submit(AddRule(Rule("allow", category="edit", path="/project/src/**")))
    await shown.thread.submit(Rename("The slow parser"))
    await shown.says("Why is it slow?", "It reads twice.")
    shown.advance(600)
    await shown.says("Write it down", "Write this file?")
    await shown.answers("y")
    await shown.user.sees("It is written.")
    shown.advance(60)


@pytest.mark.parametrize("size", SIZES)
def test_pages_about_a_thread(size: str) -> None:
    async def take() -> None:
        with gallery() as pictures:
            # The folder stands in what the model is told, and its name has its tokens.
            inside = Workspace(InThread(), shell=None)
            opened = scene(says(), pictures, size=SIZES[size], checks=CHECKS, workspace=inside)
            async with opened as shown:
                await worked(shown)
                for page, sees in (
                    ("context", "System"),
                    ("cost", "Tokens in"),
                    ("permissions", "Rules"),
                    ("help", "Enter"),
                    ("theme", "longrein-light"),
                    ("doctor", "ripgrep"),
                    ("trust", "yolo"),
                ):
                    await shown.visits(page)
                    await shown.picture(f"page-{page}-{size}", sees)
                    await shown.leaves()

    run(take(), seconds=50)


@pytest.mark.parametrize("size", SIZES)
def test_pages_to_choose_on(size: str) -> None:
    async def take() -> None:
        with gallery() as pictures:
            async with scene(says(), pictures, size=SIZES[size], place=PLACES[size]) as shown:
                await worked(shown)
                await shown.visits("export")
                await shown.picture(f"page-export-{size}", "Esc")
                await shown.leaves()
                await shown.visits("rewind")
                await shown.picture(f"page-rewind-{size}", "4 messages would go")
                await shown.user.presses("enter")
                await shown.picture(f"page-rewind-how-{size}", "both")
                await shown.user.presses("escape")
                await shown.leaves()
                await shown.visits("model")
                await shown.user.sees("Esc")
                await shown.user.types("scripted")
                await shown.picture(
                    f"page-models-{size}", "ScriptedModel", hides=r"(?<=1 of )[\d,]+"
                )
                await shown.leaves()
                await shown.visits("new")
                await shown.visits("threads")
                await shown.picture(f"page-threads-{size}", "The slow parser")

    run(take(), seconds=50)


@pytest.mark.parametrize("size", SIZES)
def test_the_page_with_all_of_a_call(size: str) -> None:
    said = "\n".join(f"{n:04} GET /items/{n} 200" for n in range(600))

    def access() -> str:
        return said

    async def take() -> None:
        with gallery() as pictures:
            made = scene([call("access"), say("Done.")], pictures, size=SIZES[size], tools=[access])
            async with made as shown:
                await shown.says("Who was here?", "Done.")
                await shown.user.presses("ctrl+o")
                await shown.user.sees("· Ctrl+O")
                await shown.user.presses("ctrl+o")
                await shown.picture(f"page-call-{size}", "0001 GET")
                await shown.user.types("/items/300\r")
                await shown.picture(f"page-call-found-{size}", "0300 GET")

    run(take())
