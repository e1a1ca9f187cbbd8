"""The thread that owns the database, and the group commit that its writers share.

Whatever waits when the thread looks is written in one transaction with one sync, and each of the
waiting fails alone: by refusing before it changed anything, or, where the whole transaction
failed, by being tried again in a transaction of its own.

A test can stand at `append.before`, `append.inserted` and `append.committed` of every group.
"""

import sqlite3
from asyncio import AbstractEventLoop, Future, get_running_loop, shield
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from longrein.core.errors import UsageError
from longrein.core.points import reached
from longrein.storage.tables.database import Database
from longrein.storage.tables.failures import translate

T = TypeVar("T")

TICK = 0.05
"""How often, in seconds, an idle writer looks whether somebody else wrote."""


Kind: TypeAlias = Literal["write", "read", "apart"]


class Job(NamedTuple):
    """Work to do on the database, and who waits for what comes of it."""

    future: Future[Any]
    work: Callable[[Database], Any]
    kind: Kind


class Done(NamedTuple):
    """What came of a job: an error, or else a result."""

    job: Job
    result: Any
    error: Exception | None


Call: TypeAlias = tuple[AbstractEventLoop, Callable[[], None]]


class Writer:
    """Does jobs on a thread of its own, which starts with the first and opens the database.

    A database that cannot be opened fails the jobs that wait, and the next ones try again.
    """

    def __init__(self, path: str, open: Callable[[], Database]) -> None:
        self._path = path
        self._open = open
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._watchers: list[Call] = []
        self._database: Database | None = None
        self._thread: Thread | None = None
        self._closed: Future[None] | None = None

    def write(self, work: Callable[[Database], T]) -> Future[T]:
        """Do `work` in a transaction; the result is durable when it is there.

        `work` may be done again if the transaction fails. Who stops waiting does not stop it.
        """
        return self._submit(work, "write")

    def read(self, work: Callable[[Database], T]) -> Future[T]:
        """Do `work` on one state of the database, in which everything acknowledged is."""
        return self._submit(work, "read")

    def apart(self, work: Callable[[Database], T]) -> Future[T]:
        """Do `work` that cannot be done in a transaction."""
        return self._submit(work, "apart")

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` on this event loop after another connection wrote, until told to end."""
        watcher = (get_running_loop(), changed)
        self._watchers.append(watcher)
        self._start()
        self._jobs.put(None)

        def end() -> None:
            if watcher in self._watchers:
                self._watchers.remove(watcher)

        return end

    async def close(self) -> None:
        """Finish what waits and close the database."""
        if self._closed is None:
            self._closed = get_running_loop().create_future()
            if self._thread is None:
                self._closed.set_result(None)
            self._jobs.put(None)
        await shield(self._closed)

    def _submit(self, work: Callable[[Database], T], kind: Kind) -> Future[T]:
        if self._closed is not None:
            raise UsageError(f"The store {self._path} is closed.")
        future: Future[T] = get_running_loop().create_future()
        self._jobs.put(Job(future, work, kind))
        if self._thread is None:
            self._start()
        return future

    def _start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="longrein-store", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        """The life of the thread; everything below runs on it."""
        while True:
            jobs = self._waiting()
            writes = [job for job in jobs if job.kind == "write"]
            if writes:
                _settle(self._commit(writes))
            reads = [job for job in jobs if job.kind == "read"]
            if reads:
                _settle(self._answer(reads))
            for job in jobs:
                if job.kind == "apart":
                    _settle([self._do_apart(job)])
            if self._watchers and not writes:
                self._look()
            if self._closed is not None and self._jobs.empty():
                break
        self._end(self._closed)

    def _waiting(self) -> list[Job]:
        """All the jobs that wait; sleeps until there are some, or it is time to look around."""
        try:
            jobs = [self._jobs.get(timeout=TICK if self._watchers else None)]
        except Empty:
            return []
        while not self._jobs.empty():
            jobs.append(self._jobs.get())
        return [job for job in jobs if job is not None]

    def _commit(self, jobs: list[Job]) -> list[Done]:
        reached("append.before")
        try:
            database = self._opened()
            database.execute("BEGIN IMMEDIATE")
        except Exception as error:
            # Whatever it is, those who wait must hear of it, and the thread must go on.
            return self._failed(jobs, error)
        try:
            self._notice(database)
            done = [self._attempt(database, job) for job in jobs]
            reached("append.inserted")
            database.execute("COMMIT")
        except Exception as error:
            self._undo(database)
            if len(jobs) == 1:
                return self._failed(jobs, error)
            return [done for job in jobs for done in self._commit([job])]
        reached("append.committed")
        return done

    def _attempt(self, database: Database, job: Job) -> Done:
        before = database.connection.total_changes
        try:
            return Done(job, job.work(database), None)
        except Exception as error:
            # A refusal is this job's alone. What may have changed something is everybody's.
            if isinstance(error, sqlite3.Error) or database.connection.total_changes != before:
                raise
            return Done(job, None, error)

    def _answer(self, jobs: list[Job]) -> list[Done]:
        try:
            database = self._opened()
            database.execute("BEGIN")
        except Exception as error:
            return self._failed(jobs, error)
        done = [self._try(database, job) for job in jobs]
        try:
            database.execute("COMMIT")
        except sqlite3.Error:
            self._undo(database)
        return done

    def _try(self, database: Database, job: Job) -> Done:
        try:
            return Done(job, job.work(database), None)
        except Exception as error:
            return Done(job, None, translate(error, self._path))

    def _do_apart(self, job: Job) -> Done:
        try:
            return self._try(self._opened(), job)
        except Exception as error:
            return Done(job, None, translate(error, self._path))

    def _undo(self, database: Database) -> None:
        try:
            database.roll_back()
        except sqlite3.Error:
            # What cannot even be undone is left to a new connection.
            self._database = None
            self._shut(database)

    def _failed(self, jobs: Iterable[Job], error: Exception) -> list[Done]:
        return [Done(job, None, translate(error, self._path)) for job in jobs]

    def _opened(self) -> Database:
        if self._database is None:
            self._database = self._open()
        return self._database

    def _look(self) -> None:
        try:
            self._notice(self._opened())
        except Exception:
            # Nobody waits for this one; what is wrong shows with the next job.
            return

    def _notice(self, database: Database) -> None:
        if database.look():
            for loop, changed in list(self._watchers):
                _call_on(loop, changed)

    def _end(self, closed: Future[None]) -> None:
        if self._database is not None:
            self._shut(self._database)
        _call_on(closed.get_loop(), lambda: closed.cancelled() or closed.set_result(None))

    def _shut(self, database: Database) -> None:
        try:
            database.close()
        except sqlite3.Error:
            # Everything acknowledged is in the WAL; the next to open goes on from there.
            pass


def _settle(done: list[Done]) -> None:
    """Hand out results, waking each event loop once."""
    loops: dict[AbstractEventLoop, list[Done]] = {}
    for each in done:
        loops.setdefault(each.job.future.get_loop(), []).append(each)
    for loop, its in loops.items():
        _call_on(loop, lambda its=its: _hand_out(its))


def _hand_out(done: list[Done]) -> None:
    for (future, _, _), result, error in done:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)


def _call_on(loop: AbstractEventLoop, call: Callable[[], object]) -> None:
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        # The loop is closed: nobody waits there any more.
        pass
