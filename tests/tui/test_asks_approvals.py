"""The card of a call that waits: each way to answer it, on a real session."""

import json
from pathlib import Path

from textual.widgets import TextArea

from longrein.core import commands as c
from longrein.core.policy import Rule
from longrein.testing import call, calls, say
from longrein.tools.define import tool
from tests.support import run
from tests.tui.asking import Desk, asking

DONE = say("Done.")


@tool(category="edit")
def note(text: str) -> str:
    """Write something down."""
    return f"noted {text}"


@tool(category="execute")
def deploy(target: str) -> str:
    """Deploy."""
    return f"deployed to {target}"


def test_yes_runs_the_call(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("write_file", path="a.txt", content="hello"), DONE], tmp_path) as d:
            seen = await d.sees("y yes")
            assert "1 + hello" in seen
            await d.press("y")
            await d.idle()
            assert (tmp_path / "a.txt").read_text() == "hello"
            assert "Write this file?" not in d.screen
            assert d.writes

    run(body())


def test_enter_takes_the_choice_that_the_arrows_point_at(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("right", "right", "left", "left", "enter")
            await d.idle()
            assert d.results() == ["noted x"]

    run(body())


def test_no_has_a_reason_that_the_model_hears(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("n", *"not now", "enter")
            await d.idle()
            assert "not now" in d.results()[0]

    run(body())


def test_esc_goes_back_from_the_reason_and_then_leaves_it_for_later(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("n")
            await d.sees("Why not?")
            await d.press("escape")
            assert "y yes" in d.screen
            await d.press("escape")
            assert "1 approval waits" in d.screen
            assert d.writes
            assert len(d.display.approvals) == 1

    run(body())


def test_no_and_stop_ends_the_run(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("s")
            await d.idle()
            assert "Done." not in str(d.display.messages)

    run(body())


def test_arguments_are_changed_and_kept_until_they_are_right(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("e")
            await d.sees('"text": "x"')
            await d.press("[", "ctrl+s")
            await d.sees("This is not JSON")
            area = d.app.screen.query_one(TextArea)
            area.text = '{"texd": "y"}'
            await d.press("ctrl+s")
            await d.sees("It cannot run with these")
            assert area.text == '{"texd": "y"}'
            area.text = '{"text": "y"}'
            await d.press("ctrl+s")
            await d.idle()
            assert d.results() == ["noted y"]

    run(body())


def test_what_was_changed_is_not_thrown_away_by_one_esc(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("e")
            await d.sees('"text": "x"')
            await d.press("z", "escape")
            await d.sees("Esc again throws away")
            await d.press("escape")
            assert "Ctrl+S" not in d.screen
            assert len(d.display.approvals) == 1

    run(body())


def test_a_text_is_answered_in_the_place_of_the_tool(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("r")
            await d.sees("Reply instead of running note x")
            await d.press(*"two", "enter", *"lines", "ctrl+s")
            await d.idle()
            assert d.results() == ["two\nlines"]

    run(body())


def test_always_remembers_what_and_where(tmp_path: Path) -> None:
    async def body() -> None:
        says = [call("note", text="x"), call("note", text="y"), DONE]
        async with asking(says, tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("a")
            seen = await d.sees("do not ask again for")
            assert "any call of note" in seen
            await d.press("down", "right", "enter")
            await d.idle()
            (grant,) = await d.thread.grants()
            assert (grant.tool, grant.scope) == ("note", "resource")
            assert d.results() == ["noted x", "noted y"]

    run(body())


def test_always_for_a_tool_settles_all_calls_of_it_that_wait(tmp_path: Path) -> None:
    async def body() -> None:
        names = [f"{number}.txt" for number in range(12)]
        says = [calls(*(call("write_file", path=name, content="x") for name in names)), DONE]
        async with asking(says, tmp_path) as d:
            await d.sees("y yes")
            await d.press("a")
            await d.sees("any call of write_file")
            await d.press("down", "down", "enter")
            await d.idle()
            assert all((tmp_path / name).read_text() == "x" for name in names)

    run(body())


def test_always_is_not_offered_where_a_rule_asks_each_time(tmp_path: Path) -> None:
    async def body() -> None:
        rules = [Rule("ask", tool="deploy", always=True, id="deploys")]
        says = [call("deploy", target="x"), DONE]
        async with asking(says, tmp_path, tools=[deploy], rules=rules) as d:
            seen = await d.sees("y yes")
            assert "asked by the rule deploys" in seen
            assert "always" not in seen.splitlines()[-2]
            await d.press("a")
            assert "do not ask again" not in d.screen

    run(body())


def test_what_is_typed_when_a_card_comes_up_goes_to_the_editor(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.presses(*"yes", "space", *"as")
            await d.sees("1 approval waits")
            assert d.written == "yes as"
            assert len(d.display.approvals) == 1

    run(body())


def test_a_key_pressed_once_too_often_does_not_answer_the_next_one(tmp_path: Path) -> None:
    async def body() -> None:
        says = [calls(call("note", text="x"), call("note", text="y")), DONE]
        async with asking(says, tmp_path, tools=[note]) as d:
            await d.sees("1/2")
            await d.press("y")
            await d.until(lambda: len(d.display.approvals) == 1)
            await d.presses("y")
            await d.settles()
            assert len(d.display.approvals) == 1
            await d.press("y")
            await d.idle()
            assert d.results() == ["noted x", "noted y"]

    run(body())


def test_somebody_who_types_is_not_disturbed(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note], typed="ye") as d:
            await d.sees("1 approval waits")
            await d.press("y")
            assert d.written == "yey"
            d.app.asks.attend()
            await d.sees("y yes")
            await d.press("y")
            await d.idle()
            assert d.results() == ["noted x"]

    run(body())


def test_several_are_answered_in_any_order(tmp_path: Path) -> None:
    async def body() -> None:
        says = [calls(call("note", text="x"), call("deploy", target="y")), DONE]
        async with asking(says, tmp_path, tools=[note, deploy]) as d:
            assert "note (edit)" in await d.sees("1/2")
            await d.press("tab")
            assert "deploy (execute)" in await d.sees("2/2")
            await d.press("y")
            await d.until(lambda: [one.tool for one in d.display.approvals] == ["note"])
            assert "note (edit)" in d.screen
            await d.press("n", "enter")
            await d.idle()
            assert d.results()[1] == "deployed to y"

    run(body())


def test_one_that_somebody_else_settled_vanishes_and_the_other_stays(tmp_path: Path) -> None:
    async def body() -> None:
        says = [calls(call("note", text="x"), call("deploy", target="y")), DONE]
        async with asking(says, tmp_path, tools=[note, deploy]) as d:
            await d.sees("1/2")
            await d.press("tab")
            await d.sees("2/2")
            await approve(d, "note")
            await d.until(lambda: "2/2" not in d.screen)
            assert "deploy (execute)" in d.screen

    run(body())


def test_an_answer_that_came_too_late_is_told(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("e")
            await d.sees('"text": "x"')
            await approve(d, "note")
            await d.idle()
            await d.press("ctrl+s")
            await d.sees("This was settled before")
            assert d.results() == ["noted x"]

    run(body())


def test_a_reason_that_is_half_written_when_it_is_settled_is_not_lost_silently(
    tmp_path: Path,
) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.press("n", *"beca")
            await approve(d, "note")
            await d.sees("This is settled already")
            await d.until(lambda: d.written == "beca", "it in the editor")
            assert d.writes

    run(body())


def test_a_long_call_is_read_to_its_end(tmp_path: Path) -> None:
    async def body() -> None:
        text = "\n".join(f"line {n}" for n in range(40))
        async with asking([call("note", text=text), DONE], tmp_path, tools=[note]) as d:
            await d.sees("33 more lines, PageDown")
            for _ in range(6):
                await d.press("pagedown")
            assert "| line 39" in d.screen
            assert "all seen, PageUp" in d.screen
            await d.press("pageup", "up")
            assert "more lines, PageDown" in d.screen

    run(body())


def test_a_choice_is_clicked(tmp_path: Path) -> None:
    async def body() -> None:
        async with asking([call("note", text="x"), DONE], tmp_path, tools=[note]) as d:
            await d.sees("y yes")
            await d.reads()
            await d.pilot.click("Choices", offset=(2, 0))
            await d.idle()
            assert d.results() == ["noted x"]

    run(body())


def test_hostile_arguments_are_shown_as_what_they_are(tmp_path: Path) -> None:
    async def body() -> None:
        text = "\x1b]52;c;aGk=\x07 \u202etxt.exe \u200b\u200d\n\x9b2J"
        async with asking([call("note", text=text), DONE], tmp_path, tools=[note]) as d:
            seen = await d.sees("y yes")
            assert "\\x1b]52;c;aGk=\\x07 \\u202etxt.exe \\u200b\\u200d" in seen
            assert "\\x9b2J" in seen
            assert seen.replace("\n", "").isprintable()
            await d.press("e")
            assert json.dumps(text)[1:30] in await d.sees("Ctrl+S")

    run(body())


def test_a_small_screen_has_room_for_the_card(tmp_path: Path) -> None:
    async def body() -> None:
        text = "\n".join(f"line {n}" for n in range(40))
        says = [call("note", text=text), DONE]
        async with asking(says, tmp_path, size=(40, 10), tools=[note]) as d:
            await d.sees("more lines, PageDown")
            assert "y yes" in d.screen
            assert "a always" in d.screen
            await d.press("a")
            await d.sees("do not ask again")
            await d.press("escape", "y")
            await d.idle()

    run(body())


async def approve(desk: Desk, tool: str) -> None:
    """Somebody else says yes."""
    thread = desk.thread
    id = next(one.id for one in thread.display.approvals if one.tool == tool)
    await thread.submit(c.Approve(id, id=f"cmd_{id}"))
