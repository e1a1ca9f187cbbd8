"""Where the tokens of a request go."""

from collections.abc import Sequence

from msgspec.structs import replace

from longrein import Agent, Harness, InThread, Workspace
from longrein.context.report import ContextReport, report_context
from longrein.core.growing import Trail
from longrein.core.messages import Assistant, Message, Note, Text, ToolCall, ToolResult, User
from longrein.core.records import Source
from longrein.core.state import Call, Prefix, State, Step
from longrein.core.usage import Usage
from longrein.core.window import Window
from longrein.testing import Script, ScriptedModel, call, say
from tests.support import run

SAID: Sequence[Message] = (
    User((Text("Where is the configuration of the server?"),)),
    Assistant((Text("Let me look."), ToolCall("call_1", "ls", "{}"))),
    ToolResult("call_1", "ls", (Text("server.toml\n" * 50),)),
    Assistant((Text("It is in server.toml."),)),
    Note("The mode is build now.", "mode:build"),
)
AGENT, WORKSPACE = "You are an agent.", "Your working folder is /project."
PREFIX = Prefix(
    "pre_1",
    "scripted",
    f"{AGENT}\n\n{WORKSPACE}",
    (),
    "",
    (
        Source("agent", len(AGENT), ""),
        Source("empty", 0, ""),
        Source("workspace", len(WORKSPACE), ""),
    ),
)


def state(messages: Sequence[Message] = SAID, **more: object) -> State:
    return State(messages=Trail(messages), prefix=PREFIX, **more)  # pyright: ignore[reportArgumentType]


def test_without_a_count_everything_is_estimated() -> None:
    report = report_context(state(), {}, (), 1_000)
    assert report.counted == 0
    assert report.estimated == report.total
    assert list(report.sections) == ["agent", "empty", "workspace"]
    assert report.sections["workspace"] > report.sections["agent"] > report.sections["empty"] == 0
    assert report.results > report.assistant > report.user > report.notes > 0
    assert report.free == 1_000 - report.total


def test_what_was_counted_is_shared_out_to_the_token() -> None:
    report = report_context(state(last=Usage(901, 98), heard=4), {}, (), None)
    assert report.counted == 999
    assert report.total == 999 + report.notes
    assert report.estimated == report.notes
    assert report.free is None


def test_what_a_compaction_estimated_does_not_pass_for_counted() -> None:
    report = report_context(state(last=Usage(input=500), heard=5), {}, (), None)
    assert report.counted == 0


def test_what_stands_for_what_was_left_out_is_told_apart() -> None:
    window = Window(1, 3, 3, "A summary of what was said.")
    report = report_context(state(windows=(window,), last=Usage(90, 9), heard=4), {}, (), None)
    assert report.lead > 0
    assert report.user == report.results == 0
    assert report.total == 99 + report.notes


def test_results_of_the_open_step_count_as_results() -> None:
    result = ToolResult("call_2", "ls", (Text("a.py\n" * 100),))
    step = Step("step_1", 1, "m", "tools", (Call("call_2", "ls", "{}", result=result),))
    closed = state(last=Usage(900, 100), heard=5)
    before = report_context(closed, {}, (), None)
    after = report_context(replace(closed, step=step), {}, (), None)
    assert after.results > before.results
    assert after.total - before.total == after.estimated


def test_a_system_text_that_cannot_be_told_apart_is_one_section() -> None:
    prefix = Prefix("pre_1", "m", "[erased]", (), "", PREFIX.sources)
    report = report_context(State(prefix=prefix), {}, (), None)
    assert list(report.sections) == ["system"]


def test_before_the_first_request_it_is_what_that_would_begin_with() -> None:
    report = report_context(State(), {"agent": "Be brief.", "memory": "Tea."}, (), None)
    assert list(report.sections) == ["agent", "memory"]
    assert report.history == 0


def test_the_table_is_aligned() -> None:
    text = str(ContextReport({"agent": 1_234}, 50, 10, 20, 30, 0, 4_000, 1_000, 20_000))
    lines = text.splitlines()
    assert lines[0] == "system         1,234    6 %  ███████"
    assert lines[1] == "  agent        1,234"
    assert "left out          10    0 %" in lines
    assert "notes" not in text
    assert lines[-2:] == [
        "total          5,344   27 %  of 20,000, 14,656 free",
        "1,000 counted by the provider, 4,344 estimated",
    ]


def test_long_names_of_sections_do_not_break_the_columns() -> None:
    report = ContextReport({"observational_memory": 7, "agent": 7}, 1, 0, 1, 1, 1, 1, 0, None)
    first, *parts = str(report).splitlines()[:3]
    assert {len(line) for line in parts} == {len(first.partition(" %")[0]) - 5}


def test_a_session_tells_it_and_so_does_the_slash_command() -> None:
    async def body() -> None:
        model = ScriptedModel(Script([call("ls", path="/"), say("It is empty.")]))
        agent = Agent(
            "a", model=model, instructions="Be brief.", capabilities=[Workspace(InThread())]
        )
        async with Harness(agent) as harness:
            session = await harness.session()
            before = await session.context()
            assert before.sections["agent"] > 0
            assert before.history == 0
            await (await session.send("What is there?"))
            report = await session.context()
            assert {"agent", "workspace"} <= report.sections.keys()
            assert report.tools > 0
            assert report.user > 0
            assert report.results > 0
            assert report.total == report.counted + report.estimated
            assert (await session.invoke("/context")) == str(report)

    run(body())
