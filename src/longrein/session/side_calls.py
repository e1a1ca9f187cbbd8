"""Model calls beside the conversation: for a title, for an observation, to judge a goal."""

import asyncio
from collections.abc import Callable

from msgspec import Struct

from longrein.context.estimate import estimate_input
from longrein.core import events as e
from longrein.core.errors import BadRequest, ModelError, Network, NotFound, UsageError
from longrein.core.outcomes import Problem
from longrein.core.state import State
from longrein.core.usage import Usage
from longrein.loop.limits import dollars, limited
from longrein.models.base import ModelSettings, Request
from longrein.models.whole import whole_answer
from longrein.session.recorder import Recorder
from longrein.session.services import Services
from longrein.tools.reach import SideCall


class _Told(Struct):
    """What is known of the cost of a call."""

    usage: Usage = Usage()
    reserved: int = 0
    call: str = ""


class SideCalls:
    """The model calls of one session that no run waits for."""

    def __init__(self, services: Services, recorder: Recorder, folded: Callable[[], State]) -> None:
        self._services = services
        self._recorder = recorder
        self._folded = folded

    async def ask(self, asked: SideCall) -> str:
        """What a model answers; what that cost is written down, whatever comes of it.

        Raises `ModelError`, `TimeoutError`, or `UsageError` where nobody pays for it.
        """
        said, ended = await self.answer(asked)
        await self._recorder.record(lambda _: [ended])
        if isinstance(said, BaseException):
            raise said
        return said

    async def answer(self, asked: SideCall) -> tuple[str | Exception, e.SideCallEnded]:
        """What a model answers, or why it did not, and the event that says what it cost."""
        name, told = asked.model or self._in_use(), _Told()
        try:
            async with asyncio.timeout(asked.timeout):
                said: str | Exception = await self._paid(name, asked, told)
        except TimeoutError:
            said = TimeoutError(f"{name} took longer than {asked.timeout:g} s.")
        except (ModelError, NotFound, UsageError) as error:
            # What was refused costs nothing; what broke off may have been paid for.
            told.reserved = told.reserved if isinstance(error, Network) else 0
            said = error
        except asyncio.CancelledError:
            if told.call:
                # Nobody else would say that it is over; what is set aside would stay so.
                cost = told.reserved or None
                ended = e.SideCallEnded(asked.purpose, name, cost=cost, call=told.call)
                await asyncio.shield(self._recorder.record(lambda _: [ended]))
            raise
        except Exception as error:  # protects the session from a model that breaks its contract
            said = BadRequest(f"{name} failed with {type(error).__name__}: {error}")
        # A call of which nobody said what it used counts as it was reserved.
        cost = await self._services.price(name, told.usage) if told.usage.total else told.reserved
        problem = None
        if isinstance(said, Exception):
            problem = Problem(asked.purpose, self._services.redactor.text(str(said)))
        ended = e.SideCallEnded(asked.purpose, name, told.usage, cost or None, problem, told.call)
        return said, ended

    def _in_use(self) -> str:
        chain = self._services.loop.setup.chain(self._folded())
        if not chain:
            raise UsageError("There is no model to ask: give the agent one.")
        return chain[0]

    async def _paid(self, name: str, asked: SideCall, told: "_Told") -> str:
        model = await self._services.model(name)
        await self._reserve(name, asked, told)
        request = Request(
            model=name,
            system=asked.system,
            tools=(),
            messages=asked.messages,
            load=self._services.load_blob,
            settings=ModelSettings(max_output=asked.max_output),
        )
        said, stopped = await whole_answer(model, request)
        told.usage = stopped.usage or Usage()
        return "" if stopped.reason == "filtered" else said

    async def _reserve(self, model: str, asked: SideCall, told: "_Told") -> None:
        """Set aside what the call costs at worst, where money is limited.

        Raises `UsageError` where nobody pays for it.
        """
        loop = self._services.loop
        if not limited(self._folded(), loop.setup):
            return
        tokens = estimate_input(asked.messages, asked.system, (), Usage(), 0)
        cost = await self._services.price(model, Usage(tokens, asked.max_output))
        if cost is None:
            raise UsageError(f"money is limited, but nobody knows what {model} costs.")
        if not cost:
            return
        told.call = self._services.ids.new("side")
        started = e.SideCallStarted(told.call, asked.purpose, model, cost)
        short: list[int] = []

        def build(state: State) -> list[e.Event]:
            # Only here is it known what all others have set aside: nobody writes in between.
            left = loop.left(state, state.run)
            short[:] = [left] if left is not None and cost > left else []
            return [] if short else [started]

        await self._recorder.record(build)
        if short:
            told.call = ""
            text = f"what is left of the budget, {dollars(short[0])}, does not pay for it."
            raise UsageError(text)
        if told.call not in self._folded().side_calls:
            raise UsageError("another process writes the thread, and pays for what it asks.")
        told.reserved = cost
