"""One case: start processes, kill them as planned, let the last one come to the end."""

import asyncio
import os
import shutil
import tempfile
import time

from longrein.core import points
from longrein.testing.crash.acts import Scenario
from longrein.testing.crash.client import Orders, work
from longrein.testing.crash.effects import Effect, Effects
from longrein.testing.crash.folders import fill
from longrein.testing.crash.plans import Measure, Plan, Role
from longrein.testing.crash.points import Kill, Stand
from longrein.testing.crash.process import Process, Say, hear, inherit, outlived, start
from longrein.testing.crash.wire import Began, Broke, Done, Message
from longrein.testing.crash.working import START

LEASE = {1: 0.2, 2: 0.5}
"""Seconds of a lease, by the number of processes: of two, one that lives must not lose its own."""

PATIENCE = 25.0
"""Seconds after which a case is given up."""

AFTERLIFE = 3.0
"""Seconds after which nothing may run any more that a process started which is gone."""

NEVER = Kill()


class Life:
    """What one process said, and how it ended: in `killed` the time, None if it was not killed."""

    def __init__(self, role: Role, kill: Kill, process: Process) -> None:
        self.role: Role = role
        self.kill = kill
        self.process = process
        self.said: list[Message] = []
        self.killed: int | None = None
        self.ended = False

    @property
    def done(self) -> Done | None:
        return next((message for message in self.said if isinstance(message, Done)), None)

    @property
    def broke(self) -> str:
        return next((message.trace for message in self.said if isinstance(message, Broke)), "")

    @property
    def measure(self) -> Measure:
        """What an undisturbed life amounts to."""
        if self.done is None:
            raise RuntimeError(f"an undisturbed run failed: {self.broke or self.said}")
        return Measure(self.done.counts, self.done.seconds)


class Case:
    """The lives of one case on one database, and what happened outside of them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.lives: list[Life] = []
        self.effects: list[Effect] = []
        self.asked: list[Effect] = []
        """What hooks were asked about, in the order of asking."""
        self.orphans: list[str] = []
        """The commands that outlived all lives."""
        self._running: list[Process] = []
        self._give_up = time.monotonic() + PATIENCE
        self._folder = ""

    @property
    def project(self) -> str:
        """The folder that a workspace works in; "" if there is none."""
        return self._path("project") if "workspace" in self.plan.scenario.brings else ""

    def run(self) -> "Case":
        """Run it to its end."""
        inherit()
        self._folder = tempfile.mkdtemp(prefix="longrein-crash-")
        try:
            if self.project:
                fill(self.project, START)
            if self.plan.scenario.processes == 1:
                self._alone()
            else:
                self._pair()
            self.effects = Effects(self._path("effects")).read()
            self.asked = Effects(self._path("asked")).read()
        finally:
            for process in self._running:
                process.kill()
                process.end()
            self.orphans = outlived(AFTERLIFE)
            shutil.rmtree(self._folder)
        return self

    def _alone(self) -> None:
        """One process after the other, until one is not killed."""
        for kill in (*self.plan.kills, NEVER):
            life = self._start("alone", kill)
            self._watch()
            if life.killed is None:
                return
            if self.plan.waits:
                time.sleep(LEASE[1])

    def _pair(self) -> None:
        """A host and a client on one thread; whoever the plan kills, the next client goes on."""
        kills = iter(self.plan.kills)
        host = self._start("host", next(kills) if self.plan.victim == "host" else NEVER)
        for life, _ in self._listen():
            opened = len(self.lives) == 1 and (host.ended or _has_written(host))
            if opened or (life.role == "client" and life.killed is not None):
                self._start("client", next(kills, NEVER))

    def _watch(self) -> None:
        for _ in self._listen():
            pass

    def _listen(self):
        """Each thing that a process said, or None at its end, with whose it is."""
        for process, message in hear(self._running, self._give_up):
            life = next(life for life in self.lives if life.process is process)
            if message is None:
                process.end()
                life.ended, life.killed = True, process.killed
            else:
                life.said.append(message)
                if isinstance(message, Began) and life.kill.after and not life.kill.act:
                    process.kill_at = time.monotonic() + life.kill.after
            yield life, message

    def _start(self, role: Role, kill: Kill) -> Life:
        orders = Orders(
            self.plan.scenario,
            self._path("threads.db"),
            self._path("effects"),
            self._path("asked"),
            self.project,
            LEASE[self.plan.scenario.processes],
            resume=self.plan.resume and bool(self.lives),
            hosts=role == "host",
        )
        process = start(lambda say: _live(orders, kill, say))
        if self.plan.first_start and kill.after and not self.lives:
            process.kill_at = time.monotonic() + kill.after
        life = Life(role, kill, process)
        self.lives.append(life)
        self._running.append(process)
        return life

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)


def undisturbed(scenario: Scenario) -> Case:
    """A case in which nobody is killed."""
    return Case(Plan(0, scenario, (), "client" if scenario.processes == 2 else "alone")).run()


def _has_written(life: Life) -> bool:
    return len(life.said) > 1


def _live(orders: Orders, kill: Kill, say: Say) -> None:
    stand = Stand(kill)
    points.on_reach = stand
    # What is left among temporary files by whoever is killed goes with the case.
    tempfile.tempdir = os.path.dirname(orders.database)
    asyncio.run(work(orders, say, stand))
