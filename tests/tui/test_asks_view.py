"""What waits for the person, from the display to rows, without an app."""

import json
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from longrein.core.children import ChildView
from longrein.core.commands import Answer
from longrein.core.display import Display, display
from longrein.core.policy import Grant, Rule, Touches
from longrein.core.records import Approval, Question
from longrein.core.state import State
from longrein.testing import call
from longrein.tui.draw.asks import ApprovalDrawing, text_rows
from longrein.tui.look import DARK, look_of
from longrein.tui.view.asks import ApprovalAsk, PlanAsk, QuestionAsk, answered, asks, summary
from longrein.workspace.shell.commands import touching
from longrein.workspace.shell.judging import judged
from tests.support import run
from tests.tui.kit import client
from tests.tui.working import settled

LOOK = look_of(DARK)
HOSTILE = "\x1b[2J\x1b]52;c;x\x07 \u202egnp.exe \u200bhid\u200dden\ufe0f \x9b31m \U000e0041"


def approval(id: str = "apr_1", time: int = 1, **more: object) -> Approval:
    plain = Approval(
        id,
        "c",
        "execute",
        "execute",
        json.dumps({"command": "make"}),
        "default:execute",
        "",
        time=time,
        proposal=Grant("", "default:execute", "execute", commands=("make *",)),
        touches=Touches(commands=("make",)),
        preview="make\nin /project",
    )
    return replace(plain, **more)


def shows(*waiting: Approval | Question, children: tuple[ChildView, ...] = ()) -> Display:
    empty = display(State(thread="thr_1"))
    return replace(
        empty,
        approvals=tuple(one for one in waiting if isinstance(one, Approval)),
        questions=tuple(one for one in waiting if isinstance(one, Question)),
        children=children,
    )


def drawn(ask: object, width: int = 60) -> list[str]:
    assert isinstance(ask, ApprovalAsk)
    return [row.text for row in ApprovalDrawing(ask)(width, LOOK)]


def test_what_was_asked_first_comes_first_whatever_it_is() -> None:
    question = Question("qst_1", "c", "Really?", time=2)
    waiting = asks(shows(approval("apr_3", 3), approval("apr_1", 1), question))
    assert [one.id for one in waiting] == ["apr_1", "qst_1", "apr_3"]
    assert summary(waiting) == "2 approvals and 1 question wait"


def test_a_plan_is_told_from_a_question() -> None:
    plan = Question("qst_1", "c", "# Plan", kind="plan", title="Do it", time=1)
    question = Question("qst_2", "c", "Which?", ("a", "b"), several=True, other=True, time=2)
    assert asks(shows(plan, question)) == (
        PlanAsk("qst_1", "", 0, "Do it", "# Plan"),
        QuestionAsk("qst_2", "", 0, "Which?", ("a", "b"), several=True, other=True),
    )


def test_what_a_child_asks_names_the_subagents_down_to_it() -> None:
    children = (ChildView("thr_2", "reviewer", "", "waiting"),)
    (ask,) = asks(shows(approval(path=("thr_2", "thr_9")), children=children))
    assert ask.by == "reviewer > thr_9"


def test_one_of_several_subagents_of_a_kind_is_named_with_its_task() -> None:
    children = tuple(ChildView(f"thr_{n}", "helper", f"Task {n}", "waiting") for n in range(2))
    (ask,) = asks(shows(approval(path=("thr_1",)), children=children))
    assert ask.by == "helper (Task 1)"


def test_a_rule_that_always_asks_leaves_no_way_to_remember() -> None:
    always = Touches(judged=(Rule("ask", tool="execute", always=True),))
    usual, each_time = asks(shows(approval("apr_1"), approval("apr_2", touches=always)))
    assert isinstance(usual, ApprovalAsk)
    assert isinstance(each_time, ApprovalAsk)
    assert [way for _, way in usual.ways] == ["call", "rule", "tool", "category"]
    assert each_time.ways == ()


def test_a_danger_stands_above_all_else() -> None:
    preview = "rm -rf /\nin /project\ndangerous (deletes): it deletes what nobody can bring back"
    (ask,) = asks(shows(approval(preview=preview)))
    assert isinstance(ask, ApprovalAsk)
    assert ask.told.danger
    assert drawn(ask)[0].startswith("dangerous (deletes)")


def test_a_danger_is_known_where_the_line_that_tells_it_was_cut_off() -> None:
    found = touching("rm -rf / " + "x" * 99, "/project")
    touches = Touches(judged=judged(found, "execute"))
    (ask,) = asks(shows(approval(preview="rm -rf / xxx\n... (cut)", touches=touches)))
    assert isinstance(ask, ApprovalAsk)
    assert ask.told.danger


def test_what_a_real_command_is_judged_to_be_is_shown_as_a_danger(tmp_path: Path) -> None:
    async def main() -> ApprovalAsk:
        async with client([call("execute", command="git push -f")], tmp_path) as made:
            thread = await made.open(new=True)
            await thread.say("send", "Push it")
            shown = await settled(thread, lambda shown: shown.approvals)
            (ask,) = asks(shown)
            assert isinstance(ask, ApprovalAsk)
            return ask

    ask = run(main())
    assert ask.told.danger
    assert drawn(ask, 200)[0].startswith("dangerous (git-overwrites)")


def test_nothing_is_hidden_in_what_is_said_yes_to() -> None:
    arguments = json.dumps({"command": HOSTILE, "text": f"one\n{HOSTILE}"}, ensure_ascii=False)
    touches = Touches(paths=("/project/\u202ex",))
    (ask,) = asks(shows(approval(arguments=arguments, preview="", touches=touches)))
    text = "".join(drawn(ask, 400))
    assert text.isprintable()
    for written in ("\\x1b[2J", "\\x07", "\\u202e", "\\u200b", "\\u200d", "\\ufe0f", "\\x9b"):
        assert written in text
    assert "touches /project/\\u202ex" in text


DIFF = "--- /project/a.py\n+++ /project/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+++ \u200bthree"


def edit(preview: str, content: str) -> list[str]:
    arguments = json.dumps({"path": "a.py", "content": content})
    touches = Touches(paths=("/project/a.py",))
    asked = approval(category="edit", arguments=arguments, preview=preview, touches=touches)
    (ask,) = asks(shows(asked))
    return drawn(ask)


def test_an_edit_is_its_file_and_its_diff() -> None:
    assert edit(DIFF, "one\nthree") == [
        "/project/a.py",
        "1   one",
        "2 - two",
        "2 + ++ \\u200bthree",
    ]


def test_a_diff_that_was_cut_is_followed_by_all_that_was_given() -> None:
    cut = f"{DIFF}\n... (cut; 2 lines added and 0 removed in all)"
    rows = edit(cut, "three\nand the end")
    assert rows[-3:] == ["content:", "  | three", "  | and the end"]


def test_a_long_card_is_counted_at_once_and_drawn_where_it_is_looked_at() -> None:
    long = {"command": "x" * 1_000_000, "input": "x y\n" * 250_000, "wide": "\u6f22" * 10_000}
    (ask,) = asks(shows(approval(arguments=json.dumps(long), preview="")))
    begun = time.process_time()
    assert isinstance(ask, ApprovalAsk)
    rows = ApprovalDrawing(ask)(60, LOOK)
    last = rows[len(rows) - 1 - len(ask.told.touched)]
    # Drawing each row takes ten times as long.
    assert time.process_time() - begun < 2
    assert len(rows) > 1_000_000 // 60 + 250_000 + 10_000 // 30
    assert last.text.endswith('\u6f22"')
    assert rows[17_000].text == "\u2026 " + "x" * 58


@pytest.mark.parametrize("text", ["x" * 500, "\u6f22x" * 3_000, "\u6f22x" * 200, "", "a\rb\r"])
def test_rows_of_a_long_line_hold_all_of_it(text: str) -> None:
    rows = [row.text for row in text_rows(text, 20, LOOK.text, LOOK.dim)]
    assert "".join(row.removeprefix("\u2026 ") for row in rows) == text.replace("\r", "\\x0d")
    assert max(map(cell_len, rows), default=0) <= 20


def test_what_breaks_inside_of_a_line_cannot_be_taken_for_another_line() -> None:
    asked = approval(touches=Touches(commands=("make", "x\nasked by the rule y")))
    assert "\u2026 asked by the rule y" in drawn(asks(shows(asked))[0])


@pytest.mark.parametrize("width", [8, 20, 79])
def test_no_row_is_wider_than_the_card(width: int) -> None:
    wide = {"command": "\u6f22\u5b57 \U0001f600\t" * 30 + HOSTILE * 3}
    (ask,) = asks(shows(approval(arguments=json.dumps(wide), preview="x" * 300)))
    rows = drawn(ask, width)
    assert max(map(cell_len, rows)) <= width
    assert "".join(row.removeprefix("\u2026 ") for row in rows).count("x") >= 300


@pytest.mark.parametrize("status", ["stale", "missing", "accepted", "refused"])
def test_an_answer_that_changed_nothing_is_told_in_words(status: str) -> None:
    assert answered(Answer(status)).endswith((".", "it."))  # pyright: ignore[reportArgumentType]


def test_an_answer_that_was_applied_needs_no_words() -> None:
    assert answered(Answer("applied")) == answered(Answer("already")) == ""
