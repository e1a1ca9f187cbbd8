"""The transcript says who said what, whatever it was that they said."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core import events as e
from longrein.core.markdown import LONGEST, markdown
from longrein.core.messages import File, Text, ToolCall
from longrein.core.outcomes import Failed, Finished, Problem
from longrein.core.records import Approval, Input, Question
from longrein.core.usage import Usage
from tests.core.logs import numbered
from tests.core.samples import EVENTS
from tests.loop.simulate import World

NASTY = st.text(st.sampled_from("`~<>!/[]()|\\#-* \t\nab&;\x1b\x00\r\u202e"), max_size=60)


def conversation(*parts: Text | File, answer: str = "Done.") -> list[e.Event]:
    """A run with one answer."""
    return numbered(
        e.InputAdmitted(Input("cmd_1", "send", "run_1", parts)),
        e.RunStarted(("cmd_1",)),
        e.StepStarted("step_1", 1, "test:model"),
        e.StepEnded("step_1", (Text(answer),), "end", Usage(1200, 30, 1000), 5_000_000),
        e.RunEnded(Finished(answer)),
    )


def test_a_transcript_says_who_said_what_and_what_it_took() -> None:
    log = conversation(Text("Hello\nthere"), File("image/png", "0a", name="cat.png"))
    assert markdown(log, "Greeting").split("\n\n") == [
        "# Greeting",
        "## User, 1970-01-01 00:00 UTC",
        "> Hello\n> there",
        "*A file: `cat.png`, `image/png`*",
        "## Assistant (test:model), 1970-01-01 00:00 UTC",
        "> Done.",
        "---",
        "*In all: 1 model calls, 1,200 tokens in (1,000 cached), 30 out, $0.0050.*\n",
    ]


def test_the_title_of_the_log_counts_before_the_one_given() -> None:
    text = markdown(numbered(e.ThreadRenamed("A *bold* `title`")), "Other")
    assert text == "# A \\*bold\\* \\`title\\`\n"


def test_calls_stand_with_arguments_answers_and_results() -> None:
    world = World()
    world.send()
    world.reply("I write.", ("write", '{"path":"/a"}'))
    world.approve(arguments='{"path":"/b"}')
    world.end(world.flying[0], text="wrote it")
    world.settle()
    text = markdown(world.log)
    assert "Calls `write`:\n\n```json\n" + '{"path":"/a"}\n```' in text
    assert "**Approval** of `write`: approved.\n\nWith these arguments:" in text
    result = "<details>\n<summary>write: ok</summary>\n\n```\nwrote it\n```\n\n</details>"
    assert result in text
    assert text.index("approved") < text.index("wrote it") < text.rindex("## Assistant")


def test_questions_and_plans_stand_with_their_answers() -> None:
    plan = Question("qst_1", "call_1", "1. Build", kind="plan", title="Ship it")
    which = Question("qst_2", "call_2", "Which?", ("red", "blue"))
    log = numbered(
        e.QuestionAsked(plan),
        e.QuestionAnswered("qst_1", None, reason="Too short."),
        e.QuestionAsked(which),
        e.QuestionAnswered("qst_2", ("red", "blue")),
    )
    text = markdown(log)
    assert "**Plan**: Ship it\n\n> 1. Build\n\n**Declined**\n\n> Too short." in text
    assert "> Which?\n\n- red\n- blue\n\n**Answer**\n\n> red\n> blue" in text


def test_what_still_waits_is_at_the_end() -> None:
    log = numbered(
        e.ApprovalRequested(Approval("apr_1", "call_1", "write", "edit", "{}", "rule", "why")),
        e.QuestionAsked(Question("qst_1", "call_2", "Which?")),
        e.InputAdmitted(Input("cmd_1", "queue", "run_2", (Text("And then?"),))),
    )
    text = markdown(log)
    assert "**Approval** of `write`: not answered yet." in text
    assert "> Which?\n\n*Not answered yet.*" in text
    assert text.endswith("**Waiting in the queue**\n\n> And then?\n")


def test_errors_are_told() -> None:
    log = numbered(e.RunEnded(Failed(Problem("auth", "The key is wrong."))))
    assert "**The run failed**\n\n> The key is wrong." in markdown(log)


def test_a_long_result_is_cut_in_the_middle() -> None:
    log = numbered(
        e.RunStarted(()),
        e.StepStarted("step_1", 1, "test:model"),
        e.StepEnded("step_1", (ToolCall("call_1", "look", "{}"),), "tools"),
        e.ToolEnded("call_1", "ok", (Text("a" * LONGEST + "b" * LONGEST),)),
    )
    text = markdown(log)
    assert f"a\n[{LONGEST:,} characters left out]\nb" in text
    assert len(text) < LONGEST + 1000


def test_fences_in_a_result_end_nothing() -> None:
    log = numbered(
        e.RunStarted(()),
        e.StepStarted("step_1", 1, "test:model"),
        e.StepEnded("step_1", (ToolCall("call_1", "a_b<i>", "{}"),), "tools"),
        e.ToolEnded("call_1", "ok", (Text("````\n</details>"),)),
    )
    text = markdown(log)
    assert "<summary>a_b&lt;i&gt;: ok</summary>\n\n`````\n````\n</details>\n`````\n" in text


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("<script>x</script>", "> &#60;script>x&#60;/script>"),
        ("1 < 2 and a<1", "> 1 < 2 and a<1"),
        ("a `Vec<T>` b <b>", "> a `Vec<T>` b &#60;b>"),
        ("```html\n<b>\n```\n<b>", "> ```html\n> <b>\n> ```\n> &#60;b>"),
        ("```\n<b>", "> ```\n> <b>"),
        ("- ```\n<b>", "> - ```\n> &#60;b>"),
        ("a ` b\n` <b> `", "> a ` b\n> ` &#60;b> `"),
        ("`a|<b>|c`", "> `a|&#60;b>|c`"),
        ("![x](http://example.org/x.png)", "> &#33;[x](http://example.org/x.png)"),
        ("## Assistant", "> ## Assistant"),
        ("\x1b[31mred\x1b[0m \x07\u202eevil", "> red \ufffd\ufffdevil"),
        ("a\r\nb\rc", "> a\n> b\n> c"),
    ],
)
def test_what_was_said_stays_a_quotation_without_html(said: str, shown: str) -> None:
    assert f"\n\n{shown}\n\n" in markdown(conversation(Text("hi"), answer=said))


def _outside(text: str) -> list[str]:
    """The lines of a transcript that stand neither in a quotation nor between fences."""
    lines: list[str] = []
    closing = ""
    for line in text.split("\n"):
        if closing:
            closing = "" if line == closing else closing
        elif opened := re.match("`{3,}", line):
            closing = opened[0]
        elif not line.startswith(">"):
            lines.append(line)
    assert not closing
    return lines


@settings(deadline=None, derandomize=True)
@given(NASTY, NASTY, NASTY)
def test_whatever_is_said_the_transcript_around_it_is_the_same(
    said: str, given: str, result: str
) -> None:
    def lines(text: str, arguments: str, output: str) -> list[str]:
        log = numbered(
            e.InputAdmitted(Input("cmd_1", "send", "run_1", (Text(text),))),
            e.RunStarted(("cmd_1",)),
            e.StepStarted("step_1", 1, "test:model"),
            e.StepEnded("step_1", (Text("x"), ToolCall("call_1", "look", arguments)), "tools"),
            e.ToolEnded("call_1", "ok", (Text(output),)),
        )
        return _outside(markdown(log))

    assert lines(said, given, result or "x") == lines("a", "{}", "b")


def test_every_kind_of_event_can_be_in_a_transcript() -> None:
    assert markdown(numbered(*EVENTS)).startswith("# A title\n")
