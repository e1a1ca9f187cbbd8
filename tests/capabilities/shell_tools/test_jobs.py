"""Background jobs: they outlive the step and the run, and not the session."""

from dataclasses import replace
from pathlib import Path

from longrein.capabilities.shell_tools.records import JOBS
from longrein.capabilities.shell_tools.shell import Shell
from longrein.session.session import Session
from longrein.testing import Reply, call, calls, say
from tests.capabilities.kit import results, words
from tests.capabilities.shell_tools.kit import (
    Making,
    gone,
    hosting,
    mark,
    running,
    runs,
    told,
    trusting,
)
from tests.session.kit import said, until
from tests.support import run


def begin(line: str) -> Reply:
    return call("execute", command=line, background=True)


def job(id: int, action: str = "read", **more: object) -> Reply:
    return call("job", id=id, action=action, **more)


def heard_out(make: Making) -> Making:
    """A shell that waits for the first words of its jobs, however long they take."""
    return lambda: replace(make(), moment=20)


async def ask(session: Session, text: str = "go") -> list[str]:
    """What the model heard of its calls so far, after one more run."""
    await (await session.send(text))
    return results(session)


def test_a_job_is_begun_and_its_first_words_are_heard(shell: Making) -> None:
    made = hosting(heard_out(shell), begin("echo ready; sleep 60"), say("ok"))
    assert run(told(made)) == ["ok: ready\n[job 1 runs]"]


def test_a_job_that_ends_at_once_says_how(shell: Making) -> None:
    made = hosting(heard_out(shell), begin("exit 3"), say("ok"))
    assert run(told(made)) == ["ok: [job 1 ended: exit code 3]"]


def test_a_job_that_speaks_and_ends_at_once_shows_both(shell: Making) -> None:
    made = hosting(
        lambda: replace(shell(), moment=20, silence=20), begin("echo no; exit 3"), say("ok")
    )
    assert run(told(made)) == ["ok: no\n[job 1 ended: exit code 3]"]


def test_a_job_goes_on_over_two_runs_and_only_new_output_is_read(
    shell: Making, tmp_path: Path
) -> None:
    async def body() -> None:
        line = "echo one; until [ -e go ]; do sleep 0.01; done; echo two; sleep 60"
        shells: list[Shell] = []
        make = heard_out(shell)
        made = hosting(lambda: kept(shells, make()), begin(line), say("ok"), job(1), say("ok"))
        async with trusting(made) as session:
            assert await ask(session) == ["ok: one\n[job 1 runs]"]
            (tmp_path / "go").touch()
            (begun,) = shells[-1].jobs.all
            await until(lambda: begun.log.size > begun.heard)
            assert (await ask(session))[1:] == ["ok: two\n[job 1 runs]"]
            assert [one.ended for one in session.read(JOBS)] == [None]

    run(body())


def test_a_job_reads_what_is_written_to_it(shell: Making) -> None:
    line = 'read -r a; echo "<$a>"; read -r b; read -r c; echo "<$b>" "<$c>"; cat; exit 3'
    made = hosting(
        heard_out(shell),
        begin(f"echo ready; {line}"),
        job(1, "write", input="a b"),
        job(1, "write", input="c\nd\n"),
        job(1, "write"),
        job(1, "write", input="late"),
        job(1),
        say("ok"),
    )
    assert run(told(made))[1:] == [
        "ok: <a b>\n[job 1 runs]",
        "ok: <c> <d>\n[job 1 runs]",
        "ok: [job 1 ended: exit code 3]",
        "ok: [job 1 ended: exit code 3]",
        "error: Job 1 ended with exit code 3; there is nothing new to read.",
    ]


def test_a_job_that_is_stopped_ends_with_all_that_it_started(shell: Making, tmp_path: Path) -> None:
    async def body() -> None:
        seconds = mark()
        line = f"sleep {seconds} & wait"
        made = hosting(shell, begin(line), job(1, "stop"), say("ok"))
        async with trusting(made) as session:
            assert (await ask(session))[1] == "ok: [job 1 ended: ended by signal 9, exit code 137]"
            assert gone(seconds)
            (record,) = session.read(JOBS)
            assert record.exit == 137
            assert record.ended
            assert record.ended >= record.started

    run(body())


def test_the_end_of_a_job_is_told_with_the_next_result_of_a_command(
    shell: Making, tmp_path: Path
) -> None:
    shells: list[Shell] = []

    async def end() -> str:
        """Let the job end."""
        (tmp_path / "go").touch()
        await until(lambda: not shells[-1].jobs.running)
        return "over"

    line = "until [ -e go ]; do sleep 0.01; done; echo bye; exit 4"
    made = hosting(
        lambda: kept(shells, shell()),
        begin(line),
        call("end"),
        call("execute", command="true"),
        call("execute", command="true"),
        job(1),
        say("ok"),
        tools=[end],
    )
    assert run(told(made))[1:] == [
        "ok: over",
        f"ok: [exit code 0]\nJob 1 (`{line}`) has ended: exit code 4; 4 bytes to read.",
        "ok: [exit code 0]",
        "ok: bye\n[job 1 ended: exit code 4]",
    ]


def test_the_end_of_a_job_is_told_once_at_the_start_of_a_run(shell: Making, tmp_path: Path) -> None:
    async def body() -> None:
        line = "until [ -e go ]; do sleep 0.01; done"
        shells: list[Shell] = []
        made = hosting(lambda: kept(shells, shell()), begin(line), *[say("ok")] * 3)
        async with trusting(made) as session:
            await ask(session)
            (tmp_path / "go").touch()
            await until(lambda: not shells[-1].jobs.running)
            await ask(session)
            await ask(session)
            notes = [text for text in words(said(session)) if text.startswith("shell: ")]
            assert notes == [f"shell: Job 1 (`{line}`) has ended: exit code 0."]

    run(body())


def kept(shells: list[Shell], shell: Shell) -> Shell:
    shells.append(shell)
    return shell


def test_jobs_are_listed_and_counted_on(shell: Making) -> None:
    made = hosting(
        heard_out(shell),
        begin("echo a; sleep 60"),
        begin("echo b; sleep 60"),
        call("job"),
        job(7),
        say("ok"),
    )
    listed = (
        "Jobs:\n1: `echo a; sleep 60`, runs, 0 bytes to read"
        "\n2: `echo b; sleep 60`, runs, 0 bytes to read"
    )
    assert run(told(made))[2:] == [f"ok: {listed}", f"error: There is no job 7. {listed}"]


def test_jobs_end_with_the_session_and_the_next_one_says_so(shell: Making, tmp_path: Path) -> None:
    seconds = mark()
    line = f"echo begun; sleep {seconds}"
    replies = begin(line), say("ok"), begin("true"), say("ok")
    make = heard_out(shell)

    async def body() -> None:
        store = f"sqlite:{tmp_path / 'a.db'}"
        async with trusting(hosting(make, *replies, store=store)) as session:
            await ask(session)
            assert runs(seconds)
        assert gone(seconds)
        async with trusting(hosting(make, *replies, store=store)) as session:
            await ask(session)
            notes = [text for text in words(said(session)) if text.startswith("shell: ")]
            assert notes == [f"shell: Job 1 (`{line}`) is gone: it ended with its session."]
            assert [(one.id, one.exit) for one in session.read(JOBS)] == [(1, None), (2, 0)]
            assert session.display.slices["jobs"] == session.read(JOBS)

    run(body())


def test_calls_of_one_step_go_one_after_the_other(shell: Making) -> None:
    made = hosting(
        heard_out(shell),
        calls(
            call("execute", command="sleep 0.1; echo 3 > f"),
            begin("exit $(cat f)"),
            job(1),
        ),
        say("ok"),
    )
    assert run(told(made)) == [
        "ok: [exit code 0]",
        "ok: [job 1 ended: exit code 3]",
        "ok: [job 1 ended: exit code 3]",
    ]


def notes_of(session: Session) -> list[str]:
    return [text for text in words(said(session)) if text.startswith("shell: ")]


def test_a_job_that_was_taken_back_with_the_conversation_is_spoken_of_no_more(
    shell: Making,
) -> None:
    async def body() -> None:
        seconds = mark()
        shells: list[Shell] = []
        replies = begin(f"echo hi; sleep {seconds}"), say("ok")
        make = heard_out(shell)
        async with trusting(hosting(lambda: kept(shells, make()), *replies)) as session:
            await ask(session)
            assert runs(seconds)
            await session.rewind(session.points()[0], files=False)
            assert gone(seconds)
            (record,) = session.read(JOBS)
            assert (bool(record.ended), record.exit) == (True, None)
            assert await ask(session) == ["ok: hi\n[job 2 runs]"]
            assert notes_of(session) == []
            assert [one.id for one in shells[-1].jobs.all] == [2]

    run(body())


def test_a_job_from_before_the_point_goes_on(shell: Making) -> None:
    async def body() -> None:
        seconds = mark()
        made = hosting(shell, begin(f"sleep {seconds}"), say("ok"), say("ok"))
        async with trusting(made) as session:
            await ask(session)
            await ask(session)
            await session.rewind(session.points()[0], files=False)
            assert runs(seconds)
            assert [one.ended for one in session.read(JOBS)] == [None]

    run(body())


def test_a_job_does_not_outlive_the_lease_of_its_thread(shell: Making, tmp_path: Path) -> None:
    async def body() -> None:
        seconds = mark()
        store = f"sqlite:{tmp_path / 'a.db'}"
        made = hosting(shell, begin(f"sleep {seconds}"), say("ok"), store=store)
        async with trusting(made) as session:
            await ask(session)
            owner = await made.store.owner(session.thread)
            assert owner is not None
            await made.store.retire(owner)
            await session.conductor.recheck()
            await until(lambda: not running(seconds))

    run(body())


def test_a_fork_is_not_told_of_jobs_that_go_on_elsewhere(shell: Making) -> None:
    async def body() -> None:
        seconds = mark()
        made = hosting(shell, begin(f"sleep {seconds}"), say("ok"), say("ok"))
        async with trusting(made) as session:
            await ask(session)
            fork = await made.fork("ada", session.thread)
            await ask(fork)
            assert notes_of(fork) == []
            assert [bool(one.ended) for one in fork.read(JOBS)] == [True]
            assert [one.ended for one in session.read(JOBS)] == [None]
            assert runs(seconds)

    run(body())
