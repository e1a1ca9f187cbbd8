"""Threads with the children that work under them."""

from longrein.storage.base import Store, ThreadRow

PAGE = 200


async def tree_of(store: Store, row: ThreadRow) -> list[ThreadRow]:
    """The row of a thread and those of all children below it, each after its parent."""
    found = [row]
    for above in found:
        before = None
        while page := await store.threads(row.resource, before=before, limit=PAGE, under=above.id):
            found += page
            before = (page[-1].updated, page[-1].id)
    return found
