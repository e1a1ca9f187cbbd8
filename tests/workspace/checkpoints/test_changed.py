"""What changed, by run and by thread: asked of the store, and folded from what was recorded."""

from pathlib import Path

from longrein.core.events import Recorded
from longrein.workspace.checkpoints.facts import CHANGED, MOST_IN_THREAD, MOST_RUNS, ChangedFiles
from longrein.workspace.checkpoints.values import FileChange
from tests.support import run
from tests.workspace.checkpoints.setting import At, put, working


def folded(*moments: At) -> ChangedFiles:
    known = CHANGED.initial
    for at in moments:
        for data in at.facts:
            event = Recorded(seq=at.seq, run=at.run, kind="files_changed", data=data)
            known = CHANGED.fold(known, event)
    return known


def names(found: tuple[FileChange, ...], root: Path) -> dict[str, tuple[str, int, int]]:
    return {
        one.path.removeprefix(f"{root}/"): (one.status, one.added, one.removed) for one in found
    }


def test_changes_are_told_all_in_all_by_run_and_by_thread(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "1\n2\n3\n"})
            moments = [
                await thread.edit(5, "a.txt", "1\ntwo\n3\n"),
                await thread.edit(7, "a.txt", "1\ntwo\n3\n4\n"),
                await thread.edit(8, "gone.txt", "x\n"),
                await thread.edit(15, "a.txt", "1\n2\n3\n", run="run_2"),
                await thread.edit(17, "b.txt", "b\n", run="run_2"),
            ]
            first = {"a.txt": ("modified", 2, 1), "gone.txt": ("added", 1, 0)}
            second = {"a.txt": ("modified", 1, 2), "b.txt": ("added", 1, 0)}
            whole = {"b.txt": ("added", 1, 0), "gone.txt": ("added", 1, 0)}
            store, root = thread.checkpoints, thread.root
            assert names(await store.changed("thr_1", run="run_1"), root) == first
            assert names(await store.changed("thr_1", run="run_2"), root) == second
            assert names(await store.changed("thr_1"), root) == whole
            assert names(await store.changed("thr_1", since=15), root) == second
            known = folded(*moments)
            assert names(known.files, root) == whole
            assert {run: names(files, root) for run, files in known.runs.items()} == {
                "run_1": first,
                "run_2": second,
            }

    run(scenario())


def test_a_change_is_shown_as_a_diff(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "1\n2\n"})
            await thread.edit(5, "a.txt", "1\ntwo\n")
            (change,) = await thread.checkpoints.changed("thr_1")
            assert (await thread.checkpoints.diff(change)).splitlines()[2:] == [
                *("@@ -1,2 +1,2 @@", " 1", "-2", "+two")
            ]

    run(scenario())


def test_a_plan_shows_what_it_would_do(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one\n"})
            await thread.edit(5, "a.txt", "two\n")
            await thread.edit(7, "b.txt", "two\n")
            shown = await thread.kept.changes_of(await thread.kept.plan(5))
            assert [(one.status, one.added, one.removed) for one in shown] == [
                *(("modified", 1, 1), ("deleted", 0, 1))
            ]
            assert "-two\n+one" in await thread.checkpoints.diff(shown[0])

    run(scenario())


def test_a_rewind_takes_its_files_off_the_list_of_the_thread(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            first = await thread.edit(5, "a.txt", "one")
            back = At(20, "", "")
            await thread.kept.restore(await thread.kept.plan(5), back)
            known = folded(first, back)
            assert known.files == ()
            assert [one.path for one in known.runs["run_1"]] == [thread.path("a.txt")]

    run(scenario())


def test_what_others_did_is_not_among_the_changes(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            put(thread.root, {"a.txt": "one"})
            await thread.shell(5, lambda: None)
            put(thread.root, {"a.txt": "by hand"})
            await thread.shell(7, lambda: put(thread.root, {"b.txt": "b"}))
            assert await thread.changed() == {"b.txt": "added"}

    run(scenario())


def test_the_list_is_bounded() -> None:
    def fact(run: str, count: int) -> At:
        files = [
            {"path": f"/{n:05}", "thread": {"path": f"/{n:05}", "status": "added"}}
            for n in range(count)
        ]
        return At(1, run, facts=[{"files": files, "run": run}])

    known = folded(fact("run_0", MOST_IN_THREAD + 7))
    assert (len(known.files), known.more) == (MOST_IN_THREAD, 7)
    known = folded(*(fact(f"run_{n}", 1) for n in range(MOST_RUNS + 5)))
    assert len(known.runs) == MOST_RUNS


def test_a_fact_that_cannot_be_read_changes_nothing() -> None:
    assert folded(At(1, facts=[{"files": 7}])) is CHANGED.initial
