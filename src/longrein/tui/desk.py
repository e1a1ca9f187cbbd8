"""What a person does in a thread, as commands: nothing of it knows how it is drawn."""

from collections.abc import Sequence
from typing import get_args

from msgspec.structs import replace

from longrein.client.port import Attachment, Client, ThreadClient, Verb
from longrein.core import commands as c
from longrein.core.display import Display
from longrein.core.errors import UsageError
from longrein.core.ids import Ids, SystemClock, TimeOrderedIds
from longrein.core.policy import Trust
from longrein.tui.view.history import each_once, said_in
from longrein.tui.view.queue import Waiting, edited, refused

CYCLE: tuple[Trust, ...] = ("ask", "edits", "plan")
"""What the key for trust goes through. `yolo` is never reached by pressing a key once too often."""

NO_MODEL = "There is no model to say it to yet: /model chooses one."
TOO_LATE = "That message is before the agent already: it cannot be removed any more."
NO_MODES = "This agent has no modes."

TRUSTS: tuple[Trust, ...] = get_args(Trust)


class Desk:
    """A thread that somebody works on."""

    def __init__(self, client: Client, thread: ThreadClient, ids: Ids | None = None) -> None:
        self.client = client
        self.thread = thread
        self._ids = ids or TimeOrderedIds(SystemClock())
        self._sent: set[str] = set()
        self._mode = ""
        self._trust: Trust | None = None
        self._said: Sequence[str] = ()

    @property
    def past(self) -> Sequence[str]:
        """What was said before: here, the newest first, then in the project's other threads."""
        return each_once(said_in(self.thread.display.messages), self._said)

    async def recall(self) -> None:
        """Find out what was said in the project's other threads."""
        self._said = await self.client.said()

    @property
    def waiting(self) -> frozenset[str]:
        """The other threads that wait for the person."""
        return self.client.waiting - {self.thread.thread}

    async def say(self, verb: Verb, text: str, files: Sequence[Attachment] = ()) -> None:
        """Say something to the agent. Raises `UsageError` where no model could hear it."""
        if not self.thread.display.model:
            raise UsageError(NO_MODEL)
        id = self._ids.new("cmd")
        self._sent.add(id)  # before it can be refused
        await self.thread.say(verb, text, files, id)

    def refused(self, before: Display, after: Display) -> Sequence[Waiting]:
        """What was said here and a hook has kept from the model since then; not what others said in
        this thread."""
        return [one for one in refused(before, after) if one.input in self._sent]

    async def use(self, switch: c.SwitchModel) -> bool:
        """Use another model in this thread; whether it is kept for new ones as well, which begin
        without one so far."""
        first = bool(switch.model) and not self.thread.display.model
        await self.thread.submit(switch)
        if first:
            await self.client.keep("model", switch.model)
        return first

    async def interrupt(self) -> None:
        """Stop what is under way; the queue is kept and held."""
        await self.thread.submit(c.Interrupt("interrupted at the terminal"))

    async def release(self) -> None:
        """Let the queue that an interrupt held go on."""
        await self.thread.submit(c.Release())

    def turn_mode(self) -> None:
        """Turn to the mode that follows, which `take_turn` puts in force."""
        ids = [mode.id for mode in self.client.about.modes]
        if not ids:
            raise UsageError(NO_MODES)
        now = self._mode or self.thread.display.mode
        self._mode = ids[(ids.index(now) + 1) % len(ids)] if now in ids else ids[0]

    def turn_trust(self) -> None:
        """Turn to the trust that follows, which `take_turn` puts in force."""
        now = self._trust or self.thread.display.trust
        self._trust = CYCLE[(CYCLE.index(now) + 1) % len(CYCLE)] if now in CYCLE else CYCLE[0]

    def turned(self, shown: Display) -> Display:
        """A display with what was turned to."""
        return replace(shown, mode=self._mode or shown.mode, trust=self._trust or shown.trust)

    async def take_turn(self) -> None:
        """Put in force what was turned to."""
        shown = self.thread.display
        mode, trust, self._mode, self._trust = self._mode, self._trust, "", None
        if mode and mode != shown.mode:
            await self.thread.submit(c.SwitchMode(mode))
        if trust and trust != shown.trust:
            await self.thread.submit(c.SetTrust(trust))

    async def edit_queued(self, input: str, text: str, files: Sequence[Attachment]) -> bool:
        """Whether it was still there to be changed: its text, and the files that go along."""
        kept = [await self.thread.keep_file(file) for file in files]
        command = edited(self.thread.display, input, text, kept)
        if command is None:
            return False
        return (await self.thread.submit(command)).status not in ("stale", "missing")

    async def remove_queued(self, input: str) -> None:
        """Take something out of the queue. Raises `UsageError` where it is too late for that."""
        if (await self.thread.submit(c.WithdrawInput(input))).status in ("stale", "missing"):
            raise UsageError(TOO_LATE)

    async def reorder_queue(self, inputs: Sequence[str]) -> None:
        await self.thread.submit(c.ReorderQueue(tuple(inputs)))
