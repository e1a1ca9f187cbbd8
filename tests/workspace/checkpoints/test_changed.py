"""What changed, by run and by thread: asked of the store, and folded from what was recorded."""

from pathlib import Path

from longrein.core.events import Recorded, Rewound
from longrein.workspace.checkpoints.facts import (
    CHANGED,
    MOST_IN_THREAD,
    MOST_NOTED,
    MOST_RUNS,
    ChangedFiles,
)
from longrein.workspace.checkpoints.values import FileChange, Listed
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


def test_a_rewind_of_many_files_takes_all_of_them_off_the_list(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            moments: list[At] = []
            for seq, names in ((5, range(150)), (7, range(150, 300)), (9, range(300, 310))):
                at = At(seq)
                await thread.kept.before_command(at)
                put(thread.root, {f"{name:03}": "one" for name in names})
                await thread.kept.after_command(at)
                moments.append(at)
            assert len(folded(*moments).files) == 310
            back = At(20, "", "")
            await thread.kept.restore(await thread.kept.plan(7), back, folded(*moments))
            known = folded(*moments, back)
            assert (len(known.files), known.more) == (150, 0)

    run(scenario())


def test_files_that_are_not_listed_are_not_counted_again_with_each_change(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with working(tmp_path) as thread:
            moments: list[At] = []
            for seq in (5, 7, 9):
                at = At(seq)
                await thread.kept.before_command(at)
                put(thread.root, {f"{name:03}": f"{seq}" for name in range(MOST_NOTED + 20)})
                await thread.kept.after_command(at)
                moments.append(at)
            known = folded(*moments)
            assert (len(known.files), known.more) == (MOST_NOTED, 20)

    run(scenario())


def test_the_list_knows_the_last_rewind_of_files() -> None:
    rewound = [Rewound("in", 4, files, since=30, seq=31) for files in (False, True)]
    assert [CHANGED.fold(CHANGED.initial, one).rewound for one in rewound] == [0, 30]


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


def test_a_fact_with_fields_that_are_not_known_is_read() -> None:
    change = {"path": "/a", "status": "added", "denied": "", "undone": False}
    known = folded(At(1, facts=[{"files": [{"path": "/a", "thread": change}], "run": "run_1"}]))
    assert known.files == (Listed("/a", "added", first=1, last=1),)


def test_a_fact_that_cannot_be_read_changes_nothing() -> None:
    assert folded(At(1, facts=[{"files": 7}])) is CHANGED.initial
