"""Threads that leave the store and come back: exports as JSON and Markdown, and imports."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from msgspec.structs import replace

from longrein.core import events as e
from longrein.core.blobs import referred
from longrein.core.codec import decode_event, encode_event
from longrein.core.display import activity
from longrein.core.errors import StoreError, UsageError
from longrein.core.export import About, Export, ExportWriter, Line, read
from longrein.core.ids import Ids
from longrein.core.markdown import markdown
from longrein.session.host import Host
from longrein.storage.base import Append, Lease, Store, Stored, ThreadRow

PAGE = 500


async def export_json(store: Store, row: ThreadRow) -> AsyncGenerator[bytes, None]:
    """A thread as JSON, in pieces: all its events, those of a fork's parents included, and blobs.

    It ends with the event that is the last one now. Raises `StoreError` where a blob is gone.
    """
    writing, blobs = ExportWriter(), dict[str, None]()
    yield writing.begin(About(row.id, row.resource, row.title, row.tags, row.created, row.updated))
    async for stored in log(store, row.id):
        yield writing.event(stored.data)
        event = decode_event(stored.data)
        for digest in referred(event):
            if isinstance(event, e.Unknown) and await store.blob(digest) is None:
                continue
            blobs[digest] = None
    for digest in blobs:
        data = await store.blob(digest)
        if data is None:
            raise StoreError(f"Blob {digest} of thread {row.id} is not in the store any more.")
        yield writing.blob(data)
    yield writing.end()


async def export_markdown(store: Store, row: ThreadRow) -> str:
    """A thread as a transcript for people."""
    return markdown([decode_event(stored.data) async for stored in log(store, row.id)], row.title)


async def log(store: Store, thread: str) -> AsyncIterator[Stored]:
    """The events of a thread, up to the one that is the last when this begins."""
    head, after = await store.head(thread), 0
    while after < head and (page := await store.read(thread, after, min(PAGE, head - after))):
        after = page[-1].seq
        for stored in page:
            yield stored


async def import_thread(
    store: Store, host: Host, ids: Ids, data: bytes, resource: str, *, copy: bool = False
) -> ThreadRow:
    """The thread of a JSON export, in this store: the same events, title, tags and times.

    It belongs to `resource`: where that is another one than before, `thread_created` says so too,
    since grants and spending go by it. A fork comes as a thread of its own. With `copy` it gets a
    new id, which then stands in `thread_created` or `forked`. Raises `UsageError` for an export
    that is not whole, and for an id that is taken; then nothing was changed.
    """
    export = read(data)
    row = ThreadRow(
        id=ids.new("thr") if copy else export.about.id,
        resource=resource,
        title=export.about.title,
        status=activity(export.state),
        created=export.about.created,
        updated=export.about.updated,
        tags=export.about.tags,
        spent=export.state.spent,
    )
    try:
        await store.create(row)
    except UsageError:
        text = f"There is a thread {row.id} in this store already, or was one with forks that live."
        raise UsageError(f"{text} Import it with copy=True to give it a new id.") from None
    try:
        await _fill(store, host, row, export)
    except BaseException:
        # Whoever looks later must find all of it, or nothing.
        await asyncio.shield(store.delete(row.id))
        raise
    return row


async def _fill(store: Store, host: Host, row: ThreadRow, export: Export) -> None:
    for blob in export.blobs.values():
        await store.put_blob(blob)
    lease = await host.take(row.id)
    if lease is None:
        raise UsageError(f"Another process took thread {row.id} while it was imported; try again.")
    try:
        after = 0
        while after < len(export.lines):
            lines = export.lines[after : after + PAGE]
            after = await store.append(_append(lease, after, lines, row, export))
    finally:
        await asyncio.shield(store.release(lease))


def _append(
    lease: Lease, after: int, lines: Sequence[Line], row: ThreadRow, export: Export
) -> Append:
    blobs = {digest for line in lines for digest in referred(line.event)}
    events = [_adopted(line, row, export.about) for line in lines]
    return Append(lease, after, events, blobs=sorted(blobs & export.blobs.keys()))


def _adopted(line: Line, row: ThreadRow, about: About) -> bytes:
    """An event byte for byte, but for those that say which thread this is, and whose."""
    event = line.event
    changed = event
    if isinstance(changed, e.ThreadCreated | e.Forked) and changed.thread == about.id:
        changed = replace(changed, thread=row.id)
    if isinstance(changed, e.ThreadCreated):
        changed = replace(changed, resource=row.resource)
    return line.data if changed == event else encode_event(changed)
