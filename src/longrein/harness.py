"""The harness: the host of sessions, and the only place that names implementations."""

import importlib
import os
import random
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from longrein.core.errors import NotFound, UsageError
from longrein.core.ids import Clock, Ids, SystemClock, TimeOrderedIds
from longrein.core.records import Rule
from longrein.core.redact import Redactor
from longrein.core.usage import Limits
from longrein.loop.advance import Loop
from longrein.loop.agent import Agent, Mode
from longrein.loop.assemble import assemble
from longrein.loop.retry import Retry
from longrein.models.catalog import ProviderSettings
from longrein.models.keys import secrets
from longrein.models.price import Price
from longrein.models.shelf import Models
from longrein.session.host import Host
from longrein.session.services import Services
from longrein.session.session import Session
from longrein.session.sessions import Sessions
from longrein.storage.base import Store, ThreadRow

_LATE = {
    "memory": "longrein.storage.memory:MemoryStore",
    "sqlite": "longrein.storage.sqlite:SqliteStore",
    "anthropic": "longrein.models.anthropic:AnthropicModel",
    "openai_chat": "longrein.models.openai_chat:OpenAIChatModel",
    "openai_responses": "longrein.models.openai_responses:OpenAIResponsesModel",
    "pydantic-ai": "longrein.models.pydantic_ai:PydanticAIModel",
    "prices": "longrein.models.prices:cost",
}


class Harness:
    """The host of many sessions: one agent, its modes, a store.

    `store` is a store, `"memory"`, or `"sqlite:PATH"`. `providers` adds to the known ones or
    changes them; `prices` overrides what models cost.

    >>> import asyncio
    >>> from longrein import Agent, Harness
    >>> from longrein.testing import Script, ScriptedModel, say
    >>> async def main():
    ...     agent = Agent("assistant", model=ScriptedModel(Script([say("Hello!")])))
    ...     async with Harness(agent) as harness:
    ...         session = await harness.session(resource="user-1")
    ...         return await (await session.send("Hi"))
    >>> asyncio.run(main())
    Finished(text='Hello!')
    """

    def __init__(
        self,
        agent: Agent,
        *,
        modes: Sequence[Mode] = (),
        store: str | Store = "memory",
        rules: Sequence[Rule] = (),
        limits: Limits | None = None,
        parallel: int = 8,
        providers: Mapping[str, ProviderSettings] | None = None,
        prices: Mapping[str, Price] | None = None,
        retry: Retry | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        lease_seconds: float = 15.0,
    ) -> None:
        clock = clock or SystemClock()
        ids = ids or TimeOrderedIds(clock)
        environ = os.environ if environ is None else environ
        assembled = assemble(agent, modes, rules, limits or Limits(), parallel)
        self.store = open_store(store) if isinstance(store, str) else store
        self._own_store = isinstance(store, str)
        self._models = Models(assembled.given, providers or {}, environ, prices or {}, load)
        host = Host(
            self.store,
            ids.new("ses"),
            clock,
            every=lease_seconds / 5,
            expires=lease_seconds,
        )
        self._services = Services(
            store=self.store,
            host=host,
            loop=Loop(assembled.setup, assembled.prompt, ids),
            registries=assembled.registries,
            model=self._models.get,
            settings=agent.settings,
            price=self._models.price,
            clock=clock,
            ids=ids,
            redactor=Redactor(secrets(providers or {}, environ)),
            retry=retry or Retry(),
            chance=random.random,
        )
        self._sessions = Sessions(self._services)
        self._ids = ids
        self._clock = clock

    async def session(
        self,
        resource: str = "default",
        scope: str = "default",
        *,
        thread: str = "",
        new: bool = False,
        resume: bool = False,
    ) -> Session:
        """The session of a thread: the one named, or the current one of (resource, scope).

        Where there is no current thread, or with `new`, one is made and becomes current. `resume`
        goes on at once with what an earlier process left open; otherwise the first command does.
        Raises `NotFound` for a thread that the resource does not have.
        """
        if thread:
            row = await self._row(resource, thread)
        else:
            row = await self._current(resource, scope, new)
        session = await self._sessions.open(row)
        if resume and session.state.seq:
            await session.resume()
        return session

    async def _current(self, resource: str, scope: str, new: bool) -> ThreadRow:
        now = self._clock.now()
        fresh = ThreadRow(self._ids.new("thr"), resource, created=now, updated=now)
        if new:
            await self.store.create(fresh)
            await self.store.set_current(resource, scope, fresh.id)
            return fresh
        id = await self.store.current(resource, scope)
        if id is None:
            id = await self.store.claim_current(resource, scope, fresh)
        return fresh if id == fresh.id else await self._row(resource, id)

    async def _row(self, resource: str, thread: str) -> ThreadRow:
        row = await self.store.thread(thread)
        if row is None or row.resource != resource:
            raise NotFound(f"There is no thread {thread!r} for {resource!r}.")
        return row

    async def switch(
        self, resource: str, scope: str, thread: str, *, stop: bool = False
    ) -> Session:
        """Make another thread current. What runs in the old one goes on, unless `stop`."""
        row = await self._row(resource, thread)
        before = await self.store.current(resource, scope)
        await self.store.set_current(resource, scope, thread)
        session = await self._sessions.open(row)
        for old in self._sessions:
            if old.thread == before and before != thread:
                text = f"{resource}/{scope} is at thread {thread} now."
                old.conductor.tell("thread_switched", text)
                if stop:
                    await old.interrupt("switched to another thread")
        return session

    async def threads(
        self, resource: str = "default", *, after: ThreadRow | None = None, limit: int = 50
    ) -> list[ThreadRow]:
        """A page of the resource's threads, the last used first; `after` is the last row before."""
        before = (after.updated, after.id) if after else None
        return await self.store.threads(resource, before=before, limit=limit)

    async def fork(
        self, resource: str, thread: str, *, at: int | None = None, title: str = ""
    ) -> Session:
        """A thread that goes its own way from event `at` (default: the last). Nothing is copied."""
        row = await self._row(resource, thread)
        head = await self.store.head(thread)
        if at is None:
            at = head
        if not 1 <= at <= head:
            raise UsageError(f"The thread has the events 1 to {head}; it cannot be forked at {at}.")
        now = self._clock.now()
        forked = ThreadRow(
            self._ids.new("thr"),
            resource,
            title or row.title,
            created=now,
            updated=now,
            parent=thread,
            fork_at=at,
        )
        await self.store.create(forked)
        session = await self._sessions.open(forked)
        await session.resume()
        if title:
            await session.rename(title)
        return session

    async def delete(self, resource: str, thread: str) -> None:
        """Remove a thread and everything that only it refers to. Raises `NotFound`."""
        await self._row(resource, thread)
        await self._sessions.close(thread)
        await self.store.delete(thread)

    @property
    def sessions(self) -> list[Session]:
        """Every live session."""
        return list(self._sessions)

    async def close(self) -> None:
        """End everything in order: sessions, leases, models, and the store if it is ours."""
        await self._sessions.close_all()
        await self._services.host.close()
        await self._models.close()
        if self._own_store:
            await self.store.close()

    async def __aenter__(self) -> "Harness":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def open_store(name: str) -> Store:
    """The store that a name such as `sqlite:app.db` stands for."""
    kind, _, path = name.partition(":")
    if kind not in ("memory", "sqlite") or (kind == "sqlite") != bool(path):
        raise UsageError(f"{name!r} is not a store; write 'memory' or 'sqlite:PATH'.")
    return load(kind)(path) if path else load(kind)()


def load(name: str) -> Any:
    """The object that a name in the table of implementations stands for."""
    module, _, attribute = _LATE[name].partition(":")
    return getattr(importlib.import_module(module), attribute)
