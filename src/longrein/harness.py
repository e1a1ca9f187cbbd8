"""The harness: the host of sessions, and the only place that names implementations."""

import importlib
import os
import random
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from functools import cache
from types import TracebackType
from typing import Any, Generic, Literal

from longrein.context.summary import Compaction
from longrein.core.errors import NotFound, UsageError
from longrein.core.ids import Clock, Ids, SystemClock, TimeOrderedIds
from longrein.core.policy import Grant, Rule
from longrein.core.redact import Redactor
from longrein.core.searchable import text_of
from longrein.core.typevars import S
from longrein.core.usage import Limits, Spent
from longrein.loop.agent import Agent, Mode, ModelChoice
from longrein.loop.assemble import Blueprint, terms_of
from longrein.loop.checks import check_compaction, check_others
from longrein.loop.deadlines import Unattended
from longrein.loop.profiles.packages import GivenProfiles, known_profiles
from longrein.loop.retry import Retry
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings
from longrein.models.catalog import ProviderSettings
from longrein.models.kept import KeptKeys
from longrein.models.keys import secrets
from longrein.models.listing import ModelInfo
from longrein.models.price import Price
from longrein.models.shelf import Models
from longrein.session.equip import SUMMARIES, Deps, Equipment
from longrein.session.given import check_choice, check_page
from longrein.session.host import Host
from longrein.session.library import Library
from longrein.session.resources import Resources
from longrein.session.session import Session
from longrein.session.sessions import ActiveRun, Listener, Sessions
from longrein.session.user_state import UserState
from longrein.storage.base import Hit, Status, Store, ThreadRow
from longrein.storage.drafts import forget_draft

_LATE = {
    "memory": "longrein.storage.memory:MemoryStore",
    "sqlite": "longrein.storage.sqlite:SqliteStore",
    "anthropic": "longrein.models.anthropic:AnthropicModel",
    "openai_chat": "longrein.models.openai_chat:OpenAIChatModel",
    "openai_responses": "longrein.models.openai_responses:OpenAIResponsesModel",
    "pydantic-ai": "longrein.models.pydantic_ai:PydanticAIModel",
    "prices": "longrein.models.prices:cost",
    "windows": "longrein.models.prices:window",
    "listed": "longrein.models.prices:listed",
    "offered": "longrein.models.asking:offered",
    "export_json": "longrein.session.archive:export_json",
    "export_markdown": "longrein.session.archive:export_markdown",
    "import_thread": "longrein.session.archive:import_thread",
    "erase": "longrein.session.forgetting:erase",
    "retain": "longrein.session.forgetting:retain",
    "json_schema": "jsonschema:Draft202012Validator",
    "packaged_profiles": "longrein.loop.profiles.plugins:installed",
}


TITLES = "custom:titles"


class Harness(Generic[S]):
    """The host of many sessions: one agent, its modes, a store.

    `store` is a store, `"memory"`, or `"sqlite:PATH"`. `rules`, `limits` (of each run) and
    `budgets` (of whole threads and resources) hold for all sessions. `state` is a Pydantic model,
    dataclass or struct, or an object of one to begin with: the application's own state in each
    thread; `migrate` mends what an older version of it left behind. `deps` is called with resource,
    scope and thread whenever a session is opened; what it returns is there for tools, hooks,
    instructions and models, and never stored. `titles` is the model that gives threads their
    titles; without one they are the first words. `compaction` is what happens when a conversation
    becomes too long, `unattended` where nobody answers. `model_settings` are by provider or model.
    `providers` adds to the known ones or changes them; `keys` are used where neither they nor
    `environ` have one. `prices` overrides what models cost, and `unpriced` are models that may be
    used under a limit of money although nobody knows their price. `profiles`, by provider or model,
    are merged with those that stand anyway (docs/profiles.md).

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
        modes: Sequence[Mode] | None = None,
        store: str | Store = "memory",
        rules: Sequence[Rule] = (),
        limits: Limits | None = None,
        budgets: Budgets | None = None,
        parallel: int = 8,
        unattended: Unattended | None = None,
        state: type[S] | S | None = None,
        migrate: Callable[[dict[str, Any]], Mapping[str, Any]] | None = None,
        deps: Deps | None = None,
        titles: ModelChoice | None = None,
        compaction: Compaction | None = None,
        model_settings: Mapping[str, ModelSettings] | None = None,
        providers: Mapping[str, ProviderSettings] | None = None,
        prices: Mapping[str, Price] | None = None,
        unpriced: Sequence[str] = (),
        profiles: GivenProfiles = None,
        retry: Retry | None = None,
        environ: Mapping[str, str] | None = None,
        keys: KeptKeys | None = None,
        clock: Clock | None = None,
        ids: Ids | None = None,
        lease_seconds: float = 15.0,
    ) -> None:
        self._clock = clock = clock or SystemClock()
        self._ids = ids = ids or TimeOrderedIds(clock)
        environ = os.environ if environ is None else environ
        bounds = (rules, limits, budgets, parallel)
        terms = terms_of(*bounds, providers, known_profiles(profiles, load), unattended)
        self._blueprint = Blueprint(agent, modes, terms)
        named = (titles, model_settings, prices, unpriced)
        check_others(terms.providers, *named, retry, deps, migrate, lease_seconds)
        compact = check_compaction(terms.providers, compaction)
        kept = UserState(state, migrate)
        given = {
            **self._blueprint.given,
            **({} if isinstance(titles, str | None) else {TITLES: titles}),
            **({} if isinstance(compact.model, str) else {SUMMARIES: compact.model}),
        }
        redactor = Redactor(secrets(providers or {}, environ, keys))
        self._models = Models(
            given, providers or {}, environ, prices or {}, load, unpriced, keys, redactor.add
        )
        self.store = open_store(store) if isinstance(store, str) else store
        self._own_store = isinstance(store, str)
        every = lease_seconds / 5
        self._host = Host(self.store, ids.new("ses"), clock, every=every, expires=lease_seconds)
        counting = terms.budgets.resource is not None
        self._resources = Resources(self.store, ids, counting=counting)
        self._library = Library(self.store, clock, ids)
        equipment = Equipment(
            blueprint=self._blueprint,
            models=self._models,
            model_settings=dict(model_settings or {}),
            titles=titles if isinstance(titles, str) else TITLES if titles else "",
            compaction=compact,
            kept=kept,
            deps=deps,
            json_schema=lambda: load("json_schema"),
            store=self.store,
            host=self._host,
            resources=self._resources,
            clock=clock,
            ids=ids,
            redactor=redactor,
            retry=retry or Retry(),
            chance=random.random,
        )
        self._sessions = Sessions(self.store, self._host, self._resources, equipment.equip)

    @property
    def agent(self) -> Agent:
        return self._blueprint.agent

    @property
    def modes(self) -> tuple[Mode, ...]:
        """Every mode, in the order given."""
        return self._blueprint.modes

    async def session(
        self,
        resource: str = "default",
        scope: str = "default",
        *,
        thread: str = "",
        new: bool = False,
        resume: bool = False,
    ) -> Session[S]:
        """The session of a thread: the one named, or the current one of (resource, scope).

        Where there is no current thread, or with `new`, one is made and becomes current. `resume`
        goes on at once with what an earlier process left open; otherwise the first command does.
        Raises `NotFound` for a thread that the resource does not have.
        """
        row = await self._library.chosen(resource, scope, thread, new=new)
        session = await self._sessions.open(row, scope)
        session.held = True
        if resume and session.folded.seq:
            await session.resume()
        return session

    async def switch(
        self, resource: str, scope: str, thread: str, *, stop: bool = False
    ) -> Session[S]:
        """Make another thread current. What runs in the old one goes on, unless `stop`."""
        row = await self._library.row(resource, thread)
        before = await self.store.current(resource, scope)
        session = await self._sessions.open(row, scope)
        await self.store.set_current(resource, scope, thread)
        for old in self._sessions:
            if old.thread == before and before != thread:
                text = f"{resource}/{scope} is at thread {thread} now."
                old.conductor.tell("thread_switched", text)
        left = await self.store.thread(before) if stop and before and before != thread else None
        if left is not None and left.status != "idle":
            # It may run in another process, or wait where nobody has it open.
            old = await self._sessions.open(left, scope)
            await old.interrupt("switched to another thread")
        return session

    async def threads(
        self,
        resource: str = "default",
        *,
        after: ThreadRow | None = None,
        limit: int = 50,
        tag: str = "",
        status: Status | Literal[""] = "",
    ) -> list[ThreadRow]:
        """A page of the resource's threads, the last used first; `after` is the last row before."""
        return await self._library.page(resource, after, limit, tag, status)

    async def search(
        self, resource: str, text: str, *, limit: int = 20, offset: int = 0
    ) -> list[Hit]:
        """The threads in whose titles or words all these words are found, the best first."""
        check_page(limit, offset)
        return await self.store.search(resource, text, text_of, limit=limit, offset=offset)

    async def fork(
        self, resource: str, thread: str, *, at: int | None = None, title: str = ""
    ) -> Session[S]:
        """A thread that goes its own way from event `at` (default: the last). Nothing is copied.

        Raises `UsageError` for a child: it is bound by the thread that it works for.
        """
        forked = await self._library.fork(resource, thread, at, title)
        session = await self._sessions.open(forked)
        await session.resume()
        if title:
            await session.rename(title)
        return session

    async def clone(self, resource: str, thread: str, *, title: str = "") -> Session[S]:
        """A second thread with the same conversation, which goes its own way from here."""
        row = await self._library.row(resource, thread)
        return await self.fork(resource, thread, title=title or f"{row.title} (copy)".strip())

    async def delete(self, resource: str, thread: str) -> None:
        """Remove a thread, its children and everything that only they refer to. Raises
        `NotFound`."""
        tree = [row.id for row in await self._library.tree(resource, thread)]
        async with self._sessions.shut(tree, "thread_deleted", "This thread was deleted."):
            await self.store.delete(thread)
            await self._forget(tree)

    async def _forget(self, threads: Sequence[str]) -> None:
        """Have capabilities remove what they keep of threads, with drafts. What one raises keeps no
        other from doing so."""
        async with AsyncExitStack() as every:
            for thread in threads:
                forget_draft(self.store, thread)
                for capability in self._blueprint.capabilities:
                    every.push_async_callback(capability.forget, self.store, thread)

    async def export(
        self, resource: str, thread: str, *, format: Literal["json", "markdown"] = "json"
    ) -> AsyncGenerator[bytes, None]:
        """A thread in pieces: all of it as JSON to import again, or as a transcript for people."""
        row = await self._library.row(resource, thread)
        check_choice("format", format, ("json", "markdown"))
        if format == "markdown":
            transcript: str = await load("export_markdown")(self.store, row)
            yield transcript.encode()
            return
        exported: AsyncGenerator[bytes, None] = load("export_json")(self.store, row)
        async with aclosing(exported) as pieces:
            async for piece in pieces:
                yield piece

    async def import_thread(self, resource: str, data: bytes, *, copy: bool = False) -> ThreadRow:
        """A thread from its JSON; `copy` gives it a new id. Raises `UsageError` if it is not whole
        or its id is taken."""
        import_thread = load("import_thread")
        return await import_thread(self.store, self._host, self._ids, data, resource, copy=copy)

    async def erase(self, resource: str, thread: str, seq: int) -> tuple[int, ...]:
        """Take the content out of an event, and out of those that repeat it; returns their numbers.

        Raises `UsageError` where it is in use, or where a thread that shares it is at work.
        """
        row = await self._library.row(resource, thread)
        shut, kept = self._sessions.shut, self._blueprint.capabilities
        erased = await load("erase")(self.store, self._host, row, seq, shut, kept)
        for grant in erased.grants:
            await self._resources.revoke(resource, grant)
        await self.store.vacuum()
        return erased.events

    async def retain(self, older_than: Mapping[str, float]) -> list[str]:
        """Delete threads that were not used for so many seconds, by resource; returns their ids.

        Names may hold `*`; the empty one is for whoever has no other.
        """
        now, shut = self._clock.now(), self._sessions.shut
        gone: list[str] = await load("retain")(self.store, self._host, older_than, now, shut)
        await self._forget(gone)
        return gone

    async def grants(self, resource: str = "default") -> list[Grant]:
        """Every yes that is remembered for the whole resource."""
        return list(await self._resources.grants(resource))

    async def revoke(self, resource: str, grant: str) -> None:
        """Forget a yes that is remembered for the whole resource. Raises `NotFound`."""
        if not await self._resources.revoke(resource, grant):
            raise NotFound(f"There is no grant {grant!r} for {resource!r}.")

    async def models(
        self, *, provider: str = "", usable_only: bool = False, ask: bool = False
    ) -> list[ModelInfo]:
        """Every model that can be named, with whether it can be used as things are. `ask`: own
        providers, and servers on this machine, are asked for theirs."""
        named, only = self._blueprint.named, usable_only
        return await self._models.known(named, provider=provider, usable_only=only, ask=ask)

    async def use_model(self, resource: str, model: str) -> None:
        """Use a model in every thread of the resource that chose none; empty: as configured."""
        if model:
            await self._models.get(model)
        await self._resources.use_model(resource, model)

    async def spent(self, resource: str = "default") -> Spent:
        """What all threads of a resource have used, deleted ones too, as of their last rest."""
        return await self.store.spent(resource)

    @property
    def sessions(self) -> list[Session[S]]:
        """Every live session, but for those of children."""
        return self._sessions.roots

    def runs(self) -> list[ActiveRun]:
        """Every run under way in the live sessions, waiting ones included."""
        return self._sessions.runs()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have `listener("opened" | "closed", session)` called; returns what ends it."""
        return self._sessions.listen(listener)

    async def close(self) -> None:
        """End everything in order: sessions, leases, models, and the store if it is ours.

        What dependencies raise when they are left is raised here, after all else has ended.
        """
        async with AsyncExitStack() as ending:
            if self._own_store:
                ending.push_async_callback(self.store.close)
            ending.push_async_callback(self._models.close)
            ending.push_async_callback(self._host.close)
            await self._sessions.close_all()

    async def __aenter__(self) -> "Harness[S]":
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


@cache
def load(name: str) -> Any:
    """The object that a name in the table of implementations stands for."""
    module, _, attribute = _LATE[name].partition(":")
    return getattr(importlib.import_module(module), attribute)
