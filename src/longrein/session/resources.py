"""What the sessions of a resource share, in this process and with all others on the store."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from longrein.core.ids import Ids
from longrein.core.policy import Grant
from longrein.loop.setup import Shared
from longrein.storage.base import Store

CHANGED = "shared/changed"
"""Holds another value whenever grants or models of any resource have changed."""

Pairs: TypeAlias = Sequence[tuple[str, bytes | None]]


class Resources:
    """The shared facts of every resource that has a live session here.

    They are in the store's key-value part: written in one piece with the events that say so, seen
    by other processes at their next look, and before they let a call run on such a yes.
    """

    def __init__(self, store: Store, ids: Ids, *, counting: bool) -> None:
        self._store = store
        self._ids = ids
        self._counting = counting
        self._known: dict[str, Shared] = {}
        self._users: Counter[str] = Counter()
        self._seen: bytes | None = None
        self._turn = asyncio.Lock()

    async def get(self, resource: str) -> Shared:
        """The shared facts of a resource, the same for all, until the last one releases them."""
        if not self._counting and await self._store.get(CHANGED) is None:
            # Nobody ever shared anything. Should somebody now, a refresh sees to it.
            self._known.setdefault(resource, Shared())
            return self._used(resource)
        # One after the other: what is read must not be older than what a refresh has seen.
        async with self._turn:
            if resource not in self._known:
                shared = Shared()
                await self._load(resource, shared)
                # Somebody who found nothing shared may have been quicker: there is one for all.
                known = self._known.setdefault(resource, shared)
                known.know(shared.grants)
                known.model = shared.model
            return self._used(resource)

    def _used(self, resource: str) -> Shared:
        self._users[resource] += 1
        return self._known[resource]

    def release(self, resource: str) -> None:
        """A session of the resource is closed."""
        self._users[resource] -= 1
        if not self._users[resource]:
            del self._users[resource], self._known[resource]

    async def enter(self, shared: Shared, thread: str) -> None:
        """A thread of the resource is written here from now on: its costs are known at once."""
        if self._counting:
            row = await self._store.thread(thread)
            shared.enter(thread, row.spent.cost if row else 0)

    async def refresh(self, *, costs: bool = True) -> None:
        """See what other processes changed; what threads cost only where `costs` is true."""
        due = self._counting and costs
        async with self._turn:
            # Until nothing changed meanwhile: what is read is old where a grant was revoked since.
            while (seen := await self._store.get(CHANGED)) != self._seen or due:
                for resource, shared in list(self._known.items()):
                    await self._load(resource, shared)
                # Not before: what could not be read has not been seen.
                self._seen, due = seen, False

    async def grants(self, resource: str) -> tuple[Grant, ...]:
        """Every yes that is remembered for the whole resource, as the store has it."""
        keys = await self._store.keys(_prefix("grant", resource))
        found = [await self._store.get(key) for key in keys]
        return tuple(msgspec.json.decode(data, type=Grant) for data in found if data)

    async def _load(self, resource: str, shared: Shared) -> None:
        shared.know(await self.grants(resource))
        model = await self._store.get(_prefix("model", resource))
        shared.model = model.decode() if model else ""
        if self._counting:
            await self._count(resource, shared)

    async def _count(self, resource: str, shared: Shared) -> None:
        """Know what all threads cost that are not written here: all that the store has but those.

        The store is read piece by piece. Where a thread of ours was written meanwhile the pieces do
        not fit together; what was known before then holds until the next look.
        """
        here = dict(shared.costs)
        before = await self._stored(here)
        total = await self._store.spent(resource)
        if before == await self._stored(here) == here == shared.costs:
            shared.elsewhere = total.cost - sum(here.values())

    async def _stored(self, threads: Iterable[str]) -> dict[str, int]:
        rows = {thread: await self._store.thread(thread) for thread in threads}
        return {thread: row.spent.cost for thread, row in rows.items() if row}

    def granting(self, resource: str, grant: Grant) -> Pairs:
        """What to write to remember a yes for the whole resource."""
        data = msgspec.json.encode(grant)
        return [(_prefix("grant", resource) + grant.id, data), self._change()]

    def revoking(self, resource: str, grant: str) -> Pairs:
        """What to write to forget it."""
        return [(_prefix("grant", resource) + grant, None), self._change()]

    async def revoke(self, resource: str, grant: str) -> bool:
        """Forget a yes that is remembered for the whole resource. False: there is none."""
        found = await self._store.get(_prefix("grant", resource) + grant) is not None
        await self._put(self.revoking(resource, grant) if found else ())
        return found

    async def use_model(self, resource: str, model: str) -> None:
        """Use a model in every thread of the resource that has not chosen one; empty: none."""
        await self._put([(_prefix("model", resource), model.encode() or None), self._change()])

    async def _put(self, pairs: Pairs) -> None:
        await self._store.change(pairs)
        await self.refresh()

    def _change(self) -> tuple[str, bytes]:
        return CHANGED, self._ids.new("chg").encode()


def _prefix(what: str, resource: str) -> str:
    # The length tells where a name ends that may hold anything.
    return f"{what}/{len(resource)}:{resource}/"
