"""The status line and the header: what they say, and what they leave out where it is narrow."""

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from longrein.client.figures import SECOND
from longrein.client.port import About
from longrein.core.children import ChildView
from longrein.core.display import CallView, Display, Writing, display
from longrein.core.messages import Text, User
from longrein.core.records import Approval, Input
from longrein.core.state import State
from longrein.core.usage import Spent
from longrein.tui.view.header import header, short_place
from longrein.tui.view.status import HOW_TO_STOP, STOPPED, StatusView, fitted, status
from longrein.tui.widgets.header import Header
from longrein.tui.widgets.status import Status
from tests.support import run
from tests.tui.host import Host, before
from tests.tui.screens import lines

NOW = 1_000_000 * SECOND
IDLE = replace(
    display(State(mode="build", title="Fix the parser"), model="anthropic:claude-opus-4-5"),
    context_used=68_000,
    context_window=200_000,
    spent=Spent(cost=420_000_000, steps=3),
)
RUNNING = replace(
    IDLE,
    activity="running",
    run="run_1",
    busy=60 * SECOND,
    since=NOW - 24 * SECOND,
    messages=(User((Text("hi"),), time=NOW - 12 * SECOND),),
)
ASKED = Approval("apr_1", "call_1", "execute", "execute", "{}", "default:execute", "")


def said(shown: Display, width: int = 200) -> str:
    return " · ".join(part.text for part in fitted(status(shown, NOW), width).parts)


def doing(shown: Display) -> str:
    parts = {part.name: part.text for part in status(shown, NOW).parts}
    return parts.get("doing", "")


def test_an_idle_thread_says_mode_trust_model_context_and_cost() -> None:
    words = "build · asks first · claude-opus-4-5 · ━━━───── 34% of 200k · $0.42"
    assert said(IDLE) == words


def test_what_costs_nothing_is_not_said() -> None:
    assert "$" not in said(replace(IDLE, spent=Spent(unpriced=2)))


def test_a_plus_says_that_some_calls_have_no_price() -> None:
    assert said(replace(IDLE, spent=Spent(cost=420_000_000, unpriced=1))).endswith("$0.42+")


def test_without_a_window_only_tokens_are_said() -> None:
    assert "68k tokens" in said(replace(IDLE, context_window=None))


def test_yolo_is_said_in_words_that_stay_where_it_is_narrow() -> None:
    yolo = replace(IDLE, trust="yolo")
    assert "yolo: never asks" in said(yolo)
    assert "yolo" in said(yolo, 40)
    assert next(p for p in status(yolo, NOW).parts if p.name == "trust").tone == "warn"


def test_the_effort_stands_beside_the_model() -> None:
    assert "claude-opus-4-5 high" in said(replace(IDLE, effort="high"))


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("", IDLE),
        ("thinking 12s", RUNNING),
        ("thinking 12s", replace(RUNNING, writing=Writing(reasoning="hm"))),
        ("writing", replace(RUNNING, writing=Writing(text="So"))),
        ("calling edit_file", replace(RUNNING, writing=Writing(calls=(("edit_file", "{"),)))),
        ("retry in 8s", replace(RUNNING, retry_at=NOW + 8 * SECOND)),
        ("compacting", replace(RUNNING, compacting=True)),
        (
            "execute 3s",
            replace(
                RUNNING,
                calls=(CallView("1", "execute", "{}", "started", began=NOW - 3 * SECOND),),
            ),
        ),
        (
            "1 child",
            replace(
                RUNNING,
                calls=(CallView("1", "task", "{}", "started", began=NOW - 3 * SECOND),),
                children=(ChildView("thr_2", "reviewer", "Read", "running"),),
            ),
        ),
        (
            "2 tools 5s",
            replace(
                RUNNING,
                calls=(
                    CallView("1", "grep", "{}", "started", began=NOW - 3 * SECOND),
                    CallView("2", "ls", "{}", "started", began=NOW - 5 * SECOND),
                    CallView("3", "ls", "{}", "ok"),
                ),
            ),
        ),
    ],
)
def test_what_goes_on_is_said_in_a_word(words: str, shown: Display) -> None:
    assert doing(shown) == words


def test_the_time_of_a_run_leaves_out_what_it_waited_for_people() -> None:
    assert "thinking 12s · 1m 24s" in said(RUNNING)
    assert "thinking 12s · 1m 00s" in said(replace(RUNNING, since=0))


def test_what_works_here_says_how_to_stop_it_where_there_is_room() -> None:
    assert said(RUNNING).endswith(HOW_TO_STOP)
    parts = fitted(status(RUNNING, NOW), 80).parts
    assert "stop" not in [part.name for part in parts]
    for other in (status(RUNNING, NOW, left=True), status(RUNNING, NOW, away=True)):
        assert "stop" not in [part.name for part in other.parts]


def test_hooks_that_take_long_are_named() -> None:
    assert doing(replace(RUNNING, hooks=True)) == "hooks 12s"


def test_a_run_that_nobody_works_on_is_not_said_to_run() -> None:
    words = [part.text for part in status(RUNNING, NOW, left=True).parts if part.right]
    assert words == [STOPPED]


def test_of_what_runs_elsewhere_only_that_is_said_which_is_known() -> None:
    began = CallView("1", "execute", "{}", "started", began=NOW - 3 * SECOND)
    for shown, words in ((RUNNING, "running elsewhere"), (replace(RUNNING, calls=(began,)), "ex")):
        parts = {part.name: part.text for part in status(shown, NOW, away=True).parts}
        assert parts["doing"].startswith(words)


@pytest.mark.parametrize(
    ("others", "width", "words"),
    [
        (1, 120, "1 other thread waits · /threads"),
        (2, 120, "2 other threads wait · /threads"),
        (2, 45, "others wait: 2"),
    ],
)
def test_other_threads_that_wait_are_counted(others: int, width: int, words: str) -> None:
    parts = {part.name: part.text for part in fitted(status(IDLE, NOW, others=others), width).parts}
    assert parts["threads"] == words


def test_what_waits_for_the_person_is_counted() -> None:
    assert "waits for you: 2" in said(replace(IDLE, activity="waiting", approvals=(ASKED, ASKED)))


def test_the_queue_is_counted_and_said_to_be_held() -> None:
    queue = (Input("cmd_1", "queue", "run_2"), Input("cmd_2", "queue", "run_3"))
    assert said(replace(IDLE, queue=queue)).endswith("queued 2")
    assert said(replace(IDLE, queue=queue, held=True)).endswith("queue held: 2")


@pytest.mark.parametrize("width", [200, 80, 60, 40, 20])
def test_whatever_the_width_the_line_fits_and_keeps_what_matters_most(width: int) -> None:
    busy = replace(RUNNING, approvals=(ASKED,), queue=(Input("cmd_1", "queue", "run_2"),))
    view = fitted(status(busy, NOW), width)
    assert view.width <= width
    assert {"asks", "trust"} <= {part.name for part in view.parts}


def test_the_words_of_what_waits_go_before_the_trust() -> None:
    asked = replace(IDLE, activity="waiting", approvals=(ASKED,) * 4)
    assert said(asked, 40) == "build · asks first · waits: 4"
    assert said(asked, 20) == "asks · waits: 4"


def test_the_bar_of_the_context_goes_before_its_figures() -> None:
    words = "build · asks first · claude-opus-4-5 · 34% of 200k · $0.42 · thinking 12s · 1m 24s"
    assert said(RUNNING, 86) == words


def test_the_line_is_drawn_on_one_row_and_a_click_names_the_part() -> None:
    async def main() -> None:
        bar, top = Status(), Header()
        app = Host(top, bar)
        async with before(app, (80, 4)) as person:
            bar.show(status(RUNNING, NOW))
            top.show(header(About("/project", (), "demo"), RUNNING, ""))
            await person.until(lambda: "build" in lines(app)[1])
            assert lines(app)[0] == f"  /project · Fix the parser{'demo':>51}"
            assert lines(app)[1].startswith(
                "  build · asks first · claude-opus-4-5 · 34% of 200k · $0.42"
            )
            assert lines(app)[1].endswith("   thinking 12s")
            assert len(lines(app)[1]) == 78
            await person.pilot.click(bar, offset=(26, 0))
            await person.until(lambda: person.told(Status.Pressed))
            assert [one.part for one in person.told(Status.Pressed)] == ["model"]

    run(main())


def test_a_view_that_is_shown_already_is_not_drawn_again() -> None:
    bar = Status()
    bar.show(StatusView(()))
    assert not bar._repaint_required  # pyright: ignore[reportPrivateUsage]


def test_a_hostile_title_is_shown_as_what_it_is() -> None:
    async def main() -> None:
        top = Header()
        app = Host(top)
        async with before(app, (60, 3)) as person:
            evil = replace(IDLE, title="a\x1b]0;x\x07\u202eb\nc" + "w" * 200)
            top.show(header(About("/project", ()), evil, ""))
            await person.until(lambda: "\\x1b]0;x\\x07\\u202eb" in lines(app)[0])
            assert cell_len(lines(app)[0]) <= 60

    run(main())


def test_a_long_folder_keeps_its_ends() -> None:
    assert short_place("/home/ada/a", "/home/ada") == "~/a"
    assert short_place("/home/adam/a", "/home/ada") == "/home/adam/a"
    long = "/home/ada/" + "deep/" * 10 + "src/engine"
    assert short_place(long, "/home/ada") == "~/…/src/engine"


def test_a_few_words_stay_of_what_goes_on_where_it_is_narrow() -> None:
    calls = tuple(CallView(name, name, "{}", "started", began=NOW) for name in ("ls", "grep"))
    assert "2 tools" in said(replace(RUNNING, calls=calls), 30)


def test_jobs_are_counted() -> None:
    assert [part.text for part in status(IDLE, NOW, jobs=2).parts if part.name == "jobs"] == [
        "2 jobs"
    ]


def test_a_long_title_leaves_room_for_where_it_is() -> None:
    async def main() -> None:
        top = Header()
        async with before(Host(top), (60, 5)) as person:
            told = replace(RUNNING, title="a title made of many words " * 8)
            top.show(header(About("/project", ()), told, ""))
            assert "  /project · a title made of" in await person.sees("a title")

    run(main())
