"""The application's own state in whole sessions: typed, durable, and never lost to a race."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pydantic
import pytest

from longrein.core import events as e
from longrein.core.errors import ToolError, UsageError
from longrein.core.messages import Text, ToolResult
from longrein.core.outcomes import Finished
from longrein.harness import Harness
from longrein.session.session import Session
from longrein.testing import call, calls, say
from longrein.tools.context import Context
from longrein.tools.define import tool
from tests.session.kit import harness, log, of, said, with_session
from tests.support import run


class Shop(pydantic.BaseModel):
    """The state of these tests."""

    sold: Annotated[int, pydantic.Field(ge=0)] = 0
    open: bool = True
    names: list[str] = []


def sell(shop: Shop) -> None:
    shop.sold += 1


def spoil(shop: Shop) -> None:
    shop.sold = -1


@tool
async def sell_one(ctx: Context[None, Shop], pause: float = 0) -> str:
    """Sell something."""
    before = ctx.state.sold
    await asyncio.sleep(pause)
    ctx.update(sell)
    return f"{before} sold before"


@tool
async def sell_at(ctx: Context[None, Shop], count: int) -> str:
    """Say how much was sold, which may be nonsense."""
    ctx.record("sale", count)
    ctx.update({"open": False})
    ctx.update({"sold": count})
    return "noted"


@tool
async def sell_and_fail(ctx: Context[None, Shop]) -> str:
    """Sell something and fail."""
    ctx.update(sell)
    raise ToolError("out of stock")


@tool
async def sell_wrongly(ctx: Context[None, Shop]) -> str:
    """Change the state with a function that raises."""

    def change(shop: Shop) -> None:
        raise KeyError("till")

    ctx.update(change)
    return "sold"


def shop(script: list[Any], *tools: Any, store: str = "memory", **more: Any) -> Harness[Shop]:
    return harness(script or [say("ok")], *tools, store=store, state=Shop, **more)


def sqlite(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'state.db'}"


async def changes(session: Session) -> list[dict[str, Any]]:
    return [event.changes for event in await of(session, e.StateChanged)]


def results(session: Session) -> list[tuple[str, str]]:
    return [(m.status, m.text) for m in said(session) if isinstance(m, ToolResult)]


def test_the_state_is_an_object_of_the_model_and_starts_with_its_defaults() -> None:
    async def body(session: Session[Shop]) -> None:
        assert session.state == Shop()
        assert session.folded.seq == 0

    with_session(shop([]), body)


def test_an_update_with_keys_changes_these_and_the_event_says_only_what_is_new() -> None:
    async def body(session: Session[Shop]) -> None:
        assert (await session.update({"sold": 3, "open": True})).status == "applied"
        assert session.state == Shop(sold=3)
        await session.update({"sold": 3, "names": ["ada"]})
        assert await changes(session) == [{"sold": 3}, {"names": ["ada"]}]

    with_session(shop([]), body)


def test_a_function_changes_the_state_it_is_given_or_returns_another() -> None:
    async def body(session: Session[Shop]) -> None:
        await session.update(sell)
        await session.update(lambda now: now.model_copy(update={"names": ["bob"]}))
        assert session.state == Shop(sold=1, names=["bob"])
        assert await changes(session) == [{"sold": 1}, {"names": ["bob"]}]

    with_session(shop([]), body)


def test_what_was_read_can_be_changed_without_harm() -> None:
    async def body(session: Session[Shop]) -> None:
        session.state.names.append("nobody")
        assert session.state == Shop()

    with_session(shop([]), body)


def test_an_update_that_changes_nothing_writes_nothing() -> None:
    async def body(session: Session[Shop]) -> None:
        await session.update({"sold": 1})
        seq = session.folded.seq
        assert (await session.update({"sold": 1})).status == "applied"
        assert (await session.update(lambda now: now)).status == "applied"
        assert session.folded.seq == seq

    with_session(shop([]), body)


@pytest.mark.parametrize("change", [{"sold": -1, "open": False}, spoil])
def test_an_invalid_update_is_refused_with_the_field_named_and_changes_nothing(change: Any) -> None:
    async def body(session: Session[Shop]) -> None:
        await session.update({"sold": 5})
        events = await log(session)
        with pytest.raises(UsageError, match="`sold`"):
            await session.update(change)
        assert session.state == Shop(sold=5)
        assert await log(session) == events

    with_session(shop([]), body)


def test_fifty_functions_at_once_lose_nothing() -> None:
    async def body(session: Session[Shop]) -> None:
        await asyncio.gather(*(session.update(sell) for _ in range(50)))
        assert session.state.sold == 50
        assert await changes(session) == [{"sold": n} for n in range(1, 51)]

    with_session(shop([]), body)


def test_two_harnesses_on_one_store_lose_nothing_between_them(tmp_path: Path) -> None:
    async def test() -> None:
        async with shop([], store=sqlite(tmp_path)) as one, shop([], store=sqlite(tmp_path)) as two:
            owner = await one.session("ada")
            await owner.update({"names": ["owner"]})
            other = await two.session("ada", thread=owner.thread)
            both = [(owner, 50), (other, 15)]
            await asyncio.gather(*(s.update(sell) for s, times in both for _ in range(times)))
            assert owner.state.sold == 65
            assert owner.conductor.owns
            assert not other.conductor.owns
            await other.conductor.refresh()
            assert other.state == owner.state

    run(test(), seconds=150)


def test_a_reader_that_lags_behind_does_not_take_its_update_for_done(tmp_path: Path) -> None:
    async def test() -> None:
        async with shop([], store=sqlite(tmp_path)) as one, shop([], store=sqlite(tmp_path)) as two:
            owner = await one.session("ada")
            await owner.update({"sold": 1})
            other = await two.session("ada", thread=owner.thread)
            await owner.update({"sold": 2})
            await other.update({"sold": 1})
            assert owner.state.sold == 1

    run(test())


def test_the_same_command_is_carried_out_once_also_if_its_first_attempt_came_too_late() -> None:
    async def body(session: Session[Shop]) -> None:
        await session.update({"names": ["ada"]})
        quick, late = await asyncio.gather(
            session.update({"open": False}), session.update(sell, command="cmd_mine")
        )
        assert (quick.status, late.status) == ("applied", "applied")
        (noted,) = await of(session, e.CommandNoted)
        assert noted.answer.status == "stale"
        assert (await session.update(sell, command="cmd_mine")).status == "already"
        assert session.state == Shop(sold=1, open=False, names=["ada"])

    with_session(shop([]), body)


def test_parallel_tools_of_a_step_each_change_the_state_as_it_is_when_they_end() -> None:
    script = [calls(call("sell_one", pause=0.02), *[call("sell_one")] * 7), say("ok")]

    async def body(session: Session[Shop]) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert session.state.sold == 8
        assert results(session)[0] == ("ok", "0 sold before")

    with_session(shop(script, sell_one), body)


def test_what_a_tool_changes_is_written_with_its_result() -> None:
    async def body(session: Session[Shop]) -> None:
        await (await session.send("go"))
        ended, changed = [
            event.seq
            for event in await log(session)
            if isinstance(event, e.ToolEnded | e.StateChanged)
        ]
        assert changed == ended + 1

    with_session(shop([call("sell_one"), say("ok")], sell_one), body)


def test_a_tools_update_that_does_not_fit_fails_the_call_and_writes_nothing_else() -> None:
    async def body(session: Session[Shop]) -> None:
        assert await (await session.send("go")) == Finished("ok")
        ((status, text),) = results(session)
        assert status == "error"
        assert "`sold`" in text
        assert session.state == Shop()
        assert await of(session, e.Recorded) == []
        assert await of(session, e.StateChanged) == []

    with_session(shop([call("sell_at", count=-5), say("ok")], sell_at), body)


def test_a_tools_function_that_raises_fails_the_call_in_its_own_words() -> None:
    async def body(session: Session[Shop]) -> None:
        assert await (await session.send("go")) == Finished("ok")
        ((status, text),) = results(session)
        assert status == "error"
        assert "KeyError: 'till'" in text

    with_session(shop([call("sell_wrongly"), say("ok")], sell_wrongly), body)


def test_a_tool_that_fails_changes_nothing() -> None:
    async def body(session: Session[Shop]) -> None:
        assert await (await session.send("go")) == Finished("ok")
        assert results(session) == [("error", "out of stock")]
        assert session.state == Shop()

    with_session(shop([call("sell_and_fail"), say("ok")], sell_and_fail), body)


def test_the_state_is_there_when_the_thread_is_opened_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with shop([call("sell_one"), say("ok")], sell_one, store=sqlite(tmp_path)) as first:
            session = await first.session("ada")
            await session.update({"names": ["ada"]})
            await (await session.send("go"))
        async with shop([], store=sqlite(tmp_path)) as second:
            assert (await second.session("ada")).state == Shop(sold=1, names=["ada"])

    run(test())


@dataclass
class Stall:
    """The next version of the shop: `sold` has another name, `open` another type."""

    sales: int = 0
    open: int = 1


def mend(old: dict[str, Any]) -> dict[str, Any]:
    return {"sales": old.get("sold", 0), "open": int(old.get("open", True))}


async def _left_behind(store: str) -> None:
    async with shop([], store=store) as old:
        await (await old.session("ada")).update({"sold": 4, "open": False})


def test_a_state_that_no_longer_fits_is_named_and_the_session_opens(tmp_path: Path) -> None:
    async def test() -> None:
        await _left_behind(sqlite(tmp_path))
        new = harness([say("ok")], store=sqlite(tmp_path), state=Strict)
        async with new as second:
            session = await second.session("ada")
            assert await (await session.send("hello")) == Finished("ok")
            (invalid,) = await of(session, e.StateInvalid)
            assert invalid.fields == ("open",)
            with pytest.raises(UsageError, match="`open`"):
                _ = session.state
            await session.update({"open": "no"})
            assert session.state == Strict(sold=4, open="no")
            assert session.folded.invalid == ""
        async with harness([say("ok")], store=sqlite(tmp_path), state=Strict) as third:
            session = await third.session("ada")
            await session.resume()
            assert len(await of(session, e.StateInvalid)) == 1

    run(test())


class Strict(pydantic.BaseModel):
    """Another version of the shop, which wants words."""

    sold: int = 0
    open: Annotated[str, pydantic.Strict()] = "yes"


def test_migrate_mends_what_an_older_version_left(tmp_path: Path) -> None:
    async def test() -> None:
        await _left_behind(sqlite(tmp_path))
        new = harness([say("ok")], store=sqlite(tmp_path), state=Stall, migrate=mend)
        async with new as second:
            session = await second.session("ada")
            await session.resume()
            assert session.state == Stall(sales=4, open=0)
            assert await of(session, e.StateInvalid) == []

    run(test())


def test_a_migration_that_raises_does_not_keep_the_thread_closed(tmp_path: Path) -> None:
    def broken(old: dict[str, Any]) -> dict[str, Any]:
        raise RuntimeError("no idea")

    async def test() -> None:
        await _left_behind(sqlite(tmp_path))
        new = harness([say("ok")], store=sqlite(tmp_path), state=Strict, migrate=broken)
        async with new as second:
            session = await second.session("ada")
            assert await (await session.send("hello")) == Finished("ok")
            (invalid,) = await of(session, e.StateInvalid)
            assert "RuntimeError: no idea" in invalid.message

    run(test())


def test_a_fork_keeps_the_state_and_goes_its_own_way() -> None:
    async def test() -> None:
        async with shop([]) as host:
            session = await host.session("ada")
            await session.update({"sold": 2})
            fork = await host.fork("ada", session.thread)
            assert fork.state == Shop(sold=2)
            await asyncio.gather(fork.update(sell), session.update({"open": False}))
            assert (fork.state, session.state) == (Shop(sold=3), Shop(sold=2, open=False))

    run(test())


def test_a_tool_that_ran_is_told_so_though_its_update_does_not_fit() -> None:
    @tool
    async def charge(ctx: Context) -> str:
        """Charge the card."""
        ctx.update({"sold": -1})
        return "receipt 77"

    async def body(session: Session) -> None:
        await (await session.send("go"))
        (ended,) = await of(session, e.ToolEnded)
        assert ended.status == "error"
        receipt, unkept = (part.text for part in ended.parts if isinstance(part, Text))
        assert receipt == "receipt 77"
        assert "The tool ran" in unkept
        assert "sold" in unkept

    with_session(harness([call("charge"), say("ok")], charge, state=Shop), body)


def test_a_function_that_changed_nothing_is_not_called_again_for_its_command() -> None:
    def close(shop: Shop) -> None:
        shop.open = False

    async def body(session: Session) -> None:
        await session.update({"open": False})
        assert (await session.update(close, command="c1")).status == "applied"
        await session.update({"open": True})
        assert (await session.update(close, command="c1")).status == "already"
        assert session.state.open

    with_session(harness([], state=Shop), body)
