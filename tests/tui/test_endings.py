"""A run that ended before it was done says so, and what can be done; also when it is long past."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.display import display
from longrein.core.errors import BadRequest
from longrein.core.messages import Text
from longrein.core.outcomes import Aborted, Ending, Finished, LimitReached, Problem
from longrein.core.records import Input
from longrein.core.usage import Limits
from longrein.testing import call, calls, fail, say
from longrein.tui.view.entries import Told
from longrein.tui.view.notes import troubled
from longrein.tui.view.transcript import transcript
from longrein.tui.widgets.offer import offered
from tests.capabilities.hooks.kit import Shell
from tests.core.logs import folded
from tests.support import run
from tests.tui.apps import using
from tests.tui.kit import client
from tests.tui.working import talked

MORE = "Enter goes on from here"
FORBIDDEN = "case $told in *secret*) echo forbidden word >&2; exit 2;; esac"


def ended(*ends: e.Event) -> list[e.Event]:
    """A log in which each of these ended a run, all of them before any answer."""
    log: list[e.Event] = [e.ThreadCreated("thr_1", "ada")]
    for n, end in enumerate(ends):
        asked = Input(f"cmd_{n}", "send", f"run_{n}", (Text(f"Say {n}"),))
        started = e.RunStarted((asked.id,), run=f"run_{n}")
        log += [e.InputAdmitted(asked), started, replace(end, run=f"run_{n}")]
    return [replace(event, seq=seq) for seq, event in enumerate(log, 1)]


def at_limit(n: int) -> e.Event:
    return e.RunEnded(LimitReached("steps", f"The run took {n} steps, its limit."))


def told(log: list[e.Event]) -> list[tuple[str, str]]:
    shown = transcript(display(folded(log), model="a:b")).entries
    return [(one.tone, one.text) if isinstance(one, Told) else ("", one.key) for one in shown]


def test_a_limit_is_told_at_the_end_and_later_as_a_quiet_line_where_it_was() -> None:
    assert told(ended(at_limit(2))) == [
        ("", "cmd_0"),
        ("warn", "The run took 2 steps, its limit. The setting limits.steps allows more."),
    ]
    assert told(ended(at_limit(2), e.RunEnded(Finished("")))) == [
        ("", "cmd_0"),
        ("quiet", "The run ended here: The run took 2 steps, its limit."),
        ("", "cmd_1"),
    ]


def test_a_transcript_that_goes_on_shows_the_same_endings_as_one_made_anew() -> None:
    log = ended(at_limit(2), at_limit(3), e.RunEnded(Finished("")))
    made = None
    for length in range(1, len(log) + 1):
        shown = display(folded(log[:length]))
        made = transcript(shown, made)
        assert list(made.entries) == list(transcript(shown).entries)


def test_a_rewind_takes_the_endings_behind_it_along_and_its_undo_brings_them_back() -> None:
    log = ended(at_limit(2), at_limit(3), e.RunEnded(Finished("")))
    (started,) = (one for one in log if isinstance(one, e.RunStarted) and "cmd_1" in one.inputs)
    back = [*log, e.Rewound("cmd_1", started.seq, seq=len(log) + 1)]
    again = [*back, e.Rewound("cmd_1", back[-1].seq, undo=True, seq=len(back) + 1)]
    first, second = folded(log).endings
    assert (first.at, second.at) == (1, 2)
    assert folded(back).endings == (first,)
    assert folded(again).endings == (first, second)


def test_what_a_person_stopped_leaves_no_mark_though_an_attempt_had_failed() -> None:
    busy = Problem("rate_limited", "429, once more soon")
    log: list[e.Event] = [
        *ended(e.StepStarted("stp_1", 1, "a:b")),
        e.StepFailed("stp_1", busy, retry_at=10**9, run="run_0"),
        e.Interrupted(run="run_0"),
        e.RunEnded(Aborted(""), run="run_0"),
    ]
    stopped = folded([replace(event, seq=seq) for seq, event in enumerate(log, 1)])
    assert stopped.problem is None


def test_many_endings_are_no_burden() -> None:
    log = ended(*(at_limit(n) for n in range(150)))
    endings = folded(log).endings
    assert len(endings) == 100
    assert endings[-1] == Ending(149, Problem("limit_steps", "The run took 148 steps, its limit."))


@pytest.mark.parametrize("limit", ["steps", "tokens", "cost", "seconds"])
def test_each_limit_names_the_setting_that_allows_more(limit: str) -> None:
    entry = troubled("problem", Problem(f"limit_{limit}", "Enough."), "a:b", retries=False)
    assert f"limits.{limit}" in entry.text


def test_nothing_is_offered_after_a_hook_took_back_what_was_said() -> None:
    shown = display(folded([]))
    limited = replace(shown, problem=Problem("limit_cost", "Enough."))
    refused = replace(shown, problem=Problem("refused", "no"))
    assert (offered(limited, "here"), offered(refused, "here")) == ("proceed", "")


def test_enter_goes_on_after_a_limit(tmp_path: Path) -> None:
    says = [calls(call("write_todos", todos=[])), say("All done.")]

    async def main() -> None:
        async with (
            client(says, tmp_path, limits=Limits(steps=1)) as made,
            using(made) as person,
        ):
            await person.types("Go", "enter")
            screen = await person.sees(MORE)
            assert "! The run took 1 step, its limit." in screen
            await person.presses("enter")
            screen = await person.sees("All done.")
            assert "· The run ended here: The run took 1 step, its limit." in screen
            assert MORE not in screen

    run(main())


def test_what_a_hook_refuses_is_in_the_editor_again_with_the_reason_above_it(
    tmp_path: Path,
) -> None:
    hooks = Shell(tmp_path).on("UserPromptSubmit", FORBIDDEN)

    async def main() -> None:
        able = [hooks.capability()]
        async with (
            client([say("Hello.")], tmp_path, capabilities=able) as made,
            using(made) as person,
        ):
            await person.types("Tell me the secret", "enter")
            await person.sees("! A hook stopped it: forbidden word.")
            await person.until(lambda: person.app.main.editor.draft.text == "Tell me the secret")
            assert MORE not in person.screen
            await person.presses("ctrl+c")
            await person.types("Hi", "enter")
            screen = await person.sees("Hello.")
            assert "· The run ended here: A hook stopped it: forbidden word." in screen
            assert person.app.main.editor.is_empty

    run(main())


def test_what_is_being_written_stays_when_a_hook_refuses_what_was_sent(tmp_path: Path) -> None:
    waits = f"while [ ! -e go ]; do sleep 0.02; done; {FORBIDDEN}"
    hooks = Shell(tmp_path).on("UserPromptSubmit", waits)

    async def main() -> None:
        able = [hooks.capability()]
        async with client([], tmp_path, capabilities=able) as made, using(made) as person:
            await person.types("Tell me the secret", "enter")
            await person.types("Next")
            await person.until(lambda: person.app.main.editor.draft.text == "Next")
            (tmp_path / "go").touch()
            await person.sees("forbidden word")
            assert person.app.main.editor.draft.text == "Next"

    run(main())


def test_a_failure_leaves_a_mark_when_something_else_is_said(tmp_path: Path) -> None:
    says = iter([fail(BadRequest("No such thing.")), say("Fine now.")])

    async def main() -> None:
        async with client(lambda _: next(says), tmp_path) as made, using(made) as person:
            await person.types("First", "enter")
            await person.sees(MORE)
            assert "✗ " in person.screen
            await person.types("Second", "enter")
            screen = await person.sees("Fine now.")
            assert (
                screen.index("First") < screen.index("The run ended here") < screen.index("Second")
            )
            assert "✗ " not in screen

    run(main())


def test_what_a_hook_refuses_of_another_process_is_not_in_this_editor(tmp_path: Path) -> None:
    able = [Shell(tmp_path).on("UserPromptSubmit", FORBIDDEN).capability()]
    store = f"sqlite:{tmp_path / 'longrein.db'}"

    async def main() -> None:
        async with (
            client([say("Hello.")], tmp_path, capabilities=able, store=store) as theirs,
            client([], tmp_path, store=store) as ours,
        ):
            thread = await talked(theirs, "Hi")
            async with using(ours, thread=thread.thread) as person:
                await person.sees("Hello.")
                await thread.say("send", "Tell me the secret")
                await person.sees("! A hook stopped it: forbidden word.")
                assert person.app.main.editor.is_empty

    run(main())
