"""The threads of a store, as a harness gives them to their owners: found, made, forked, deleted."""

from typing import cast, get_args

from longrein.core.errors import NotFound, UsageError
from longrein.core.ids import Clock, Ids
from longrein.session.given import check_choice, check_page
from longrein.storage.base import Status, Store, ThreadRow
from longrein.storage.trees import tree_of


class Library:
    """Threads by resource. What another resource has is as if it were not there."""

    def __init__(self, store: Store, clock: Clock, ids: Ids) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids

    async def row(self, resource: str, thread: str) -> ThreadRow:
        """The index row of a thread. Raises `NotFound`."""
        row = await self._store.thread(thread)
        if row is None or row.resource != resource:
            raise NotFound(f"There is no thread {thread!r} for {resource!r}.")
        return row

    async def tree(self, resource: str, thread: str) -> list[ThreadRow]:
        """The index rows of a thread and of all children below it. Raises `NotFound`."""
        return await tree_of(self._store, await self.row(resource, thread))

    async def chosen(self, resource: str, scope: str, thread: str, *, new: bool) -> ThreadRow:
        """The thread that is named, or else the current one. Raises `NotFound`."""
        if thread and new:
            raise UsageError("Either name a thread or ask for a new one, not both.")
        if thread:
            return await self.row(resource, thread)
        return await self.current(resource, scope, new=new)

    async def page(
        self, resource: str, after: ThreadRow | None, limit: int, tag: str, status: str
    ) -> list[ThreadRow]:
        """A page of the resource's threads, the last used first."""
        check_page(limit)
        check_choice("status", status, ("", *get_args(Status)))
        before = (after.updated, after.id) if after else None
        chosen = cast("Status", status)
        return await self._store.threads(
            resource, before=before, limit=limit, tag=tag, status=chosen
        )

    async def current(self, resource: str, scope: str, *, new: bool) -> ThreadRow:
        """The current thread of (resource, scope); one is made where there is none, or if `new`."""
        fresh = self._fresh(resource)
        if new:
            await self._store.create(fresh)
            await self._store.set_current(resource, scope, fresh.id)
            return fresh
        id = await self._store.current(resource, scope)
        if id is None:
            id = await self._store.claim_current(resource, scope, fresh)
        return fresh if id == fresh.id else await self.row(resource, id)

    async def fork(self, resource: str, thread: str, at: int | None, title: str) -> ThreadRow:
        """A thread that reads another up to an event and itself from there on."""
        row = await self.row(resource, thread)
        if row.under:
            # What binds it is looked up above it, so the fork would be bound by nothing.
            raise UsageError(
                f"The thread {thread} is a child and cannot be forked. Fork the thread that it "
                f"works for, {row.under}."
            )
        head = await self._store.head(thread)
        at = head if at is None else at
        if not 1 <= at <= head:
            raise UsageError(f"The thread has the events 1 to {head}; it cannot be forked at {at}.")
        forked = self._fresh(resource, title or row.title, row.tags, parent=thread, at=at)
        await self._store.create(forked)
        return forked

    def _fresh(
        self,
        resource: str,
        title: str = "",
        tags: tuple[str, ...] = (),
        parent: str = "",
        at: int = 0,
    ) -> ThreadRow:
        now = self._clock.now()
        return ThreadRow(
            self._ids.new("thr"),
            resource,
            title,
            created=now,
            updated=now,
            parent=parent,
            fork_at=at,
            tags=tags,
        )
