"""Whatever is done to them, the store in memory and the one in SQLite answer the same."""

import tempfile
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from longrein.core.errors import LongreinError
from longrein.core.usage import Spent, Usage
from longrein.storage.base import Append, Facts, Lease, Snapshot, Store, ThreadRow
from longrein.storage.memory import MemoryStore
from longrein.storage.sqlite import SqliteStore
from tests.support import run

Step: TypeAlias = tuple[str, int, int]

THREADS = 6
OTHERS = ("delete", "snapshot", "rewrite", "search")
TAGS = ("a", "b")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["create", "fork", "append", "append", "append", "say", *OTHERS]),
        st.integers(0, THREADS - 1),
        st.integers(0, THREADS - 1),
    ),
    max_size=40,
)


async def _do(store: Store, step: Step, number: int) -> object:
    """Take one step; what came of it."""
    kind, first, second = step
    thread, other = f"thr_{first}", f"thr_{second}"
    match kind:
        case "create":
            return await store.create(ThreadRow(thread, "res", updated=number))
        case "fork":
            at = await store.head(other) * second // THREADS
            row = ThreadRow(thread, "res", updated=number, parent=other, fork_at=at)
            return await store.create(row)
        case "append":
            lease = await store.take(thread, "me")
            assert isinstance(lease, Lease)
            blob = await store.put_blob(b"%d" % second)
            events = [b"%d.%d %s" % (number, each, blob.encode()) for each in range(second)]
            return await store.append(
                Append(lease, await store.head(thread), events, blobs=[blob] * (second % 2))
            )
        case "say":
            lease = await store.take(thread, "me")
            assert isinstance(lease, Lease)
            tags, spent = TAGS[: second % 3], Spent(Usage(number), second)
            facts = Facts(f"title {second}", "idle", number, tags, spent)
            pairs = [(other, b"%d" % number if second % 2 else None)]
            head = await store.head(thread)
            return await store.append(Append(lease, head, [b"said"], facts, pairs=pairs))
        case "rewrite":
            lease = await store.take(thread, "me")
            assert isinstance(lease, Lease)
            return await store.rewrite(lease, {second: b"new %d" % number, second + 1: b"new"})
        case "search":
            return await store.search("res", str(second), bytes.decode)
        case "snapshot":
            return await store.save_snapshot(
                thread, Snapshot(await store.head(thread), "v", b"%d" % number, 0)
            )
        case _:
            return await store.delete(thread)


async def _seen(store: Store) -> list[object]:
    """All that can be read."""
    seen: list[object] = [await store.threads("res"), await store.spent("res")]
    seen += [await store.threads("res", tag="b"), await store.idle_since("res", 20)]
    seen += [await store.get(key) for key in await store.keys("")]
    seen += [await store.blob(sha256(b"%d" % number).hexdigest()) for number in range(THREADS)]
    for row in await store.threads("res"):
        seen += [await store.read(row.id), await store.snapshot(row.id, "v")]
        seen += [await store.read(row.id, after=2, limit=3), await store.head(row.id)]
    return seen


async def _outcome(store: Store, step: Step, number: int) -> object:
    try:
        return await _do(store, step, number)
    except LongreinError as error:
        return type(error)


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_both_stores_answer_the_same(steps: list[Step]) -> None:
    async def check(path: Path) -> None:
        memory, sqlite = MemoryStore(), SqliteStore(path, "NORMAL")
        try:
            for store in (memory, sqlite):
                await store.beat("me", 600)
            for number, step in enumerate(steps):
                outcome = await _outcome(memory, step, number)
                assert await _outcome(sqlite, step, number) == outcome
                assert await _seen(sqlite) == await _seen(memory)
        finally:
            await sqlite.close()

    with tempfile.TemporaryDirectory() as directory:
        run(check(Path(directory) / "test.db"))
