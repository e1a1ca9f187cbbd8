"""Until when a thread is seen through: its run, children in the background, and what they wake."""

from collections.abc import Sequence

from msgspec.structs import replace

from longrein.cli.results import last_text, pending_lines, pending_of
from longrein.cli.seat import Seat
from longrein.cli.watch import Mark, open_children
from longrein.core import commands as c
from longrein.core.display import Display, activity
from longrein.core.outcomes import Finished, LimitReached, Outcome, Waiting
from longrein.core.state import Run as OpenRun
from longrein.core.state import State
from longrein.core.usage import Spent
from longrein.loop.deadlines import UNANSWERED
from longrein.loop.decide import presses
from longrein.loop.limits import reached
from longrein.loop.setup import Budgets
from longrein.session.children.nursery import Nursery
from longrein.session.handle import Run

MEANWHILE = "Subagents are still at work. Meanwhile this can be answered from elsewhere."
ENOUGH = "the limits of the command are reached"


class Resting:
    """Sees a thread through from one seat, until nothing of it works any more."""

    def __init__(self, seat: Seat, since: Mark) -> None:
        self._seat = seat
        self._session = seat.session
        self._since = since
        self._told: set[str] = set()
        self.runs: list[str] = []
        """The runs that got their turn so far."""

    @property
    def run(self) -> str:
        """The run that got its turn last; where none did yet, the last of the thread."""
        known = self.runs or list(self._session.folded.outcomes)
        return known[-1] if known else ""

    async def outcome(self, runs: Sequence[Run]) -> Outcome:
        """How the last run came to rest that got its turn, with all that works for it."""
        outcome: Outcome = Finished(last_text(self._session.folded))
        for run in runs:
            outcome = await self._rest(run)
            if not isinstance(outcome, Finished):
                break
        now = await self._beyond(outcome)
        if self._seat.shaped and isinstance(now, Finished):
            # The answer in its shape is said; the runs that children wake only add to it.
            return outcome
        return now

    async def _rest(self, run: Run) -> Outcome:
        """How a run ended, or on what people it waits while nobody is there."""
        id, session = run.id, self._session
        if id not in self.runs:
            self.runs.append(id)
        while isinstance(outcome := await run, Waiting):
            if self._stays(outcome):
                return outcome
            if not await self._declined(outcome) and _works(session.nursery):
                await session.conductor.moved()
                # Asked anew, it tells again on whom it waits.
                run = session.run(id)
        return outcome

    async def _beyond(self, outcome: Outcome) -> Outcome:
        """Wait for children that work in the background, and for the runs that their ends wake."""
        session = self._session
        while self._concerned and isinstance(outcome, Finished | Waiting):
            state = session.folded
            run, standing = state.run, activity(state)
            if run is not None and (run.id != self.run or standing == "running"):
                if run.id != self.run and (limit := self._over(run.id)):
                    await session.interrupt(ENOUGH)
                    return limit
                outcome = await self._rest(session.run(run.id))
            elif standing == "idle" and not _wakes(state):
                return outcome
            elif (asked := self._asked) and self._stays(asked):
                return asked
            elif not asked or not await self._declined(asked):
                await session.conductor.moved()
        return outcome

    @property
    def _concerned(self) -> bool:
        """Whether children work, or worked, in the background of what is seen through here."""
        return any(
            child.background and (child.thread in self._since.open or child.seq > self._since.seq)
            for child in self._session.folded.children
        )

    @property
    def _asked(self) -> Waiting | None:
        """All that people are asked; None while that is not known yet."""
        shown = self._session.display
        if not shown.asked:
            return None
        return waiting_for(shown, parked=all(one.due for one in shown.asked))

    def _stays(self, asked: Waiting) -> bool:
        """Whether what is asked is left open: nobody is there, nothing else works, and there is no
        time left. Where there is, it is told how to answer from elsewhere."""
        seat, works = self._seat, _works(self._session.nursery) or _wakes(self._session.folded)
        if seat.asker is None and not asked.parked and seat.deadline is not None:
            self._tell(_within(seat.deadline, seat.unattended))
        elif seat.asker is None and works and seat.unattended == "park":
            self._tell(MEANWHILE)
        if works:
            return False
        alone = seat.asker is None and seat.deadline is None and seat.unattended == "park"
        return asked.parked or alone

    async def _declined(self, asked: Waiting) -> bool:
        """Decline what an unattended run does not wait for; whether it was."""
        seat = self._seat
        if seat.asker is not None or seat.deadline is not None or seat.unattended == "park":
            return False
        for id in (*asked.approvals, *asked.questions):
            await self._session.submit(c.Decline(id, UNANSWERED, by="deadline"))
        return True

    def _tell(self, why: str) -> None:
        seat = self._seat
        pending = pending_of(self._session.display, seat.brought)
        fresh = [one for one in pending if one.id not in self._told]
        self._told |= {one.id for one in fresh}
        if fresh:
            lines = [line for one in fresh for line in pending_lines(one, seat.brought)]
            seat.view.pause(why, lines)

    def _over(self, run: str) -> LimitReached | None:
        """The limit that forbids another run, of all that the command brought about."""
        used = self._since.spent_since(self._session)
        steps = self._since.steps_since(self._session)
        whole = OpenRun(run, self._seat.limits, 0, replace(used, steps=steps))
        return reached(whole, Spent(), Budgets())


def waiting_for(shown: Display, *, parked: bool = False) -> Waiting:
    """The outcome of what waits for all that people are asked."""
    approvals, questions = (one.id for one in shown.approvals), (one.id for one in shown.questions)
    return Waiting(tuple(approvals), tuple(questions), parked)


def _works(nursery: Nursery) -> bool:
    """Whether a child, or one below it, does not wait for people alone.

    Its own session knows that sooner than the log of its parent.
    """
    return any(
        activity(kin.folded) != "waiting" or _works(kin.nursery) for _, kin in nursery.kin
    ) or any(child.state == "running" for child in open_children(nursery.folded()))


def _wakes(state: State) -> bool:
    """Whether what a child said is about to begin a run."""
    return not state.held and state.run is None and any(map(presses, state.queue))


def _within(deadline: float, then: str) -> str:
    end = "it is declined" if then == "deny" else "the run is left waiting"
    return f"Waiting for an answer, from anywhere, for {deadline:g} s; then {end}."
