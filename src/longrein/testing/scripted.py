"""A model that says what a script tells it to, chosen by the request and by nothing else.

    script = Script([call("deploy", target="prod"), say("Deployed.")])
    model = ScriptedModel(script)

The same request always gets the same reply. So a process that was killed goes on at the right
place when it is started again, and many sessions share one model.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from longrein.core.errors import BadRequest
from longrein.core.messages import Assistant, Message, Note, Text, User
from longrein.models.base import Delta, Model, Request
from longrein.testing.replies import PausePiece, Reply, deltas


class When(Struct, frozen=True, omit_defaults=True):
    """Replies for requests whose last user text, or system prompt, contains `contains`.

    The rule's first reply answers the user's message, the next one what follows it, and so on;
    after its last reply the rule does not apply. With `where="system"` it counts from the start.
    To a server a note reads as the user's words.

    >>> from longrein.testing.replies import say
    >>> When("weather", (say("Sunny."),)).where
    'user'
    """

    contains: str
    replies: tuple[Reply, ...]
    where: Literal["user", "system"] = "user"


class Script(Struct, frozen=True, omit_defaults=True):
    """The replies of one conversation, in order, and rules that come first.

    Without a rule that applies, reply number n answers the request in which the model has spoken
    n times already. Interrupted messages count, unless `count_interrupted` is False; a server
    cannot tell them apart and always counts them. A compacted conversation counts from what is
    left of it: write rules or a function for those. Past the end stands `otherwise`; where that is
    None the request is refused with `BadRequest`.

    >>> from longrein.testing.replies import call, say
    >>> script = Script([call("deploy", target="prod"), say("Deployed.")])
    >>> Script.from_json(script.to_json()) == script
    True
    """

    replies: Sequence[Reply] = ()
    rules: Sequence[When] = ()
    otherwise: Reply | None = None
    count_interrupted: bool = True

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "replies", tuple(self.replies))
        msgspec.structs.force_setattr(self, "rules", tuple(self.rules))

    def __call__(self, request: Request) -> Reply:
        """The reply to this request."""
        for rule in self.rules:
            chosen = _by_rule(rule, request)
            if chosen is not None:
                return chosen
        return self.number(spoken(request.messages, interrupted=self.count_interrupted))

    def number(self, n: int) -> Reply:
        """Reply number n, rules aside; raises `BadRequest` past the end."""
        if n < len(self.replies):
            return self.replies[n]
        if self.otherwise is not None:
            return self.otherwise
        raise BadRequest(f"The script has {len(self.replies)} replies; this asks for {n + 1}.")

    def to_json(self) -> str:
        """The script as text for a file."""
        # Not msgspec's encoder: a script may say what UTF-8 cannot hold, a lone surrogate.
        return json.dumps(msgspec.to_builtins(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> "Script":
        """The script that `to_json` wrote; raises `msgspec.ValidationError` for anything else."""
        return msgspec.convert(json.loads(text), cls)


Replies: TypeAlias = Callable[[Request], Reply]
"""Where replies come from: a `Script`, or any pure function of the request."""


def when(contains: str, *replies: Reply, where: Literal["user", "system"] = "user") -> When:
    """A rule: these replies, once the last user text (or the system prompt) contains this.

    >>> from longrein.testing.replies import say
    >>> Script(rules=[when("weather", say("Sunny."))], otherwise=say("What?")).rules[0].contains
    'weather'
    """
    return When(contains, replies, where)


def spoken(messages: Sequence[Message], *, interrupted: bool = True) -> int:
    """How often the model has spoken in these messages."""
    return sum(
        isinstance(message, Assistant) and (interrupted or not message.interrupted)
        for message in messages
    )


class ScriptedModel:
    """A model in this process that answers by `replies`.

    `requests` holds the newest `keep` requests, `open` counts the streams that are under way.
    `delay` is the pause before each chunk where the reply names none.

    >>> from longrein.testing.replies import say
    >>> ScriptedModel(Script([say("Hello")])).wire
    'scripted'
    """

    def __init__(self, replies: Replies, *, delay: float | None = None, keep: int = 1000) -> None:
        self.requests: deque[Request] = deque(maxlen=keep)
        self.open = 0
        self._replies = replies
        self._delay = delay
        self._released = asyncio.Event()

    @property
    def wire(self) -> str:
        return "scripted"

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        self.requests.append(request)
        chosen = self._replies(request)
        delay = self._delay if chosen.delay is None else chosen.delay
        self.open += 1
        try:
            for delta in deltas(chosen, spoken(request.messages)):
                if isinstance(delta, PausePiece):
                    await rest(delta, self._released)
                    continue
                if delay is not None:
                    await asyncio.sleep(delay)
                yield delta
        finally:
            self.open -= 1

    def release(self) -> None:
        """End every pause without a length, those under way and those still to come."""
        self._released.set()

    async def close(self) -> None:
        self.release()


async def rest(pause: PausePiece, released: asyncio.Event) -> None:
    """Wait as long as the piece says."""
    if pause.seconds is None:
        await released.wait()
    else:
        await asyncio.sleep(pause.seconds)


def _by_rule(rule: When, request: Request) -> Reply | None:
    if rule.where == "system":
        if rule.contains not in request.system:
            return None
        n = spoken(request.messages)
    else:
        start = _last_input(request.messages)
        if start is None or rule.contains not in _user_text(request.messages[start:]):
            return None
        n = spoken(request.messages[start:])
    return rule.replies[n] if n < len(rule.replies) else None


def _last_input(messages: Sequence[Message]) -> int | None:
    """Where the last words of the user begin, with the notes among them."""
    start = None
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], User):
            start = index
        elif start is not None and not isinstance(messages[index], Note):
            break
    return start


def _user_text(messages: Sequence[Message]) -> str:
    said = (message.parts for message in messages if isinstance(message, User))
    return "\n".join(part.text for parts in said for part in parts if isinstance(part, Text))


_FITS: type[Model] = ScriptedModel
