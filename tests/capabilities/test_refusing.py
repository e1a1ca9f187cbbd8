"""`refuses`: a capability that lets calls pass or not by what its slice holds."""

from collections.abc import Mapping

from longrein import Capability, Session, Slice, events
from longrein.core.state import Kept
from longrein.permissions.matching import Action
from longrein.testing import call, say
from tests.capabilities.kit import hosting, results, scripted
from tests.session.kit import log, with_session


def counted(so_far: int, event: events.Event) -> int:
    return so_far + 1 if isinstance(event, events.ToolEnded) else so_far


CALLS: Slice[int] = Slice("calls", int, 0, counted)


def look() -> str:
    """Look."""
    return "seen"


class Twice(Capability):
    """Lets two calls pass."""

    slice = CALLS

    def refuses(self, slices: Mapping[str, Kept], action: Action) -> str:
        return "Twice is enough." if slices["calls"].value >= 2 else ""


class Broken(Capability):
    def refuses(self, slices: Mapping[str, Kept], action: Action) -> str:
        raise KeyError(action.tool)


def test_what_a_slice_holds_decides_and_no_hook_is_asked() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session) == ["ok: seen", "ok: seen", "refused: Twice is enough."]
        assert not [one for one in await log(session) if isinstance(one, events.HookStarted)]

    model = scripted(call("look"), call("look"), call("look"), say("done"))
    with_session(hosting(model, Twice(), tools=[look]), body)


def test_one_that_fails_refuses_the_call_and_the_run_goes_on() -> None:
    async def body(session: Session) -> None:
        await (await session.send("go"))
        assert results(session) == ["refused: This call was not run: broken failed with KeyError."]

    with_session(hosting(scripted(call("look"), say("done")), Broken(), tools=[look]), body)
