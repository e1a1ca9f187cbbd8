"""The display: everything a user interface needs, coalesced."""

import asyncio

from longrein.core.display import Display
from longrein.core.redact import Redacting, Redactor
from longrein.session.session import Session
from longrein.testing import call, pause, reply, say, think
from tests.session.kit import harness, until, waiting, with_session
from tests.session.tools import deploy


def test_it_shows_what_is_being_written() -> None:
    script = [reply(think("hm, "), say("Let me see"), call("deploy", target="x"), pause(0.2))]

    async def body(session: Session) -> None:
        await session.send("go")
        await until(lambda: bool((w := session.display.writing) and w.calls and w.calls[0][1]))
        writing = session.display.writing
        assert writing is not None
        assert (writing.text, writing.reasoning) == ("Let me see", "hm, ")
        assert writing.calls == (("deploy", '{"target": "x"}'),)
        assert session.display.activity == "running"

    with_session(harness(script, deploy), body)


def test_it_shows_what_waits_for_a_person() -> None:
    async def body(session: Session) -> None:
        await waiting(await session.send("go"))
        await session.queue("later")
        shown = session.display
        assert shown.activity == "waiting"
        assert [a.tool for a in shown.approvals] == ["deploy"]
        assert [(view.name, view.state) for view in shown.calls] == [("deploy", "approval")]
        assert [i.text for i in shown.queue] == ["later"]

    with_session(harness([call("deploy", target="x")], deploy), body)


def test_displays_come_at_most_once_per_frame_while_text_streams() -> None:
    text = "word " * 2000

    async def body(session: Session) -> None:
        seen: list[Display] = []

        async def draw() -> None:
            async for shown in session.displays():
                seen.append(shown)
                if shown.activity == "idle" and shown.messages:
                    return

        drawing = asyncio.create_task(draw())
        await asyncio.sleep(0)
        await (await session.send("go"))
        await drawing
        assert len(seen) < 50
        assert seen[-1].messages[-1].parts[0].text == text  # pyright: ignore

    with_session(harness([say(text, size=5)]), body)


def test_a_secret_in_pieces_is_never_shown_in_part() -> None:
    redactor = Redactor({"KEY": "sk-secret-123", "OTHER": "sk-other-4567"})
    for size in range(1, 20):
        stream = Redacting(redactor)
        text = "a sk-secret-123 b sk-other-4567 c sk-secre d"
        pieces = [text[i : i + size] for i in range(0, len(text), size)]
        shown = "".join(stream.feed(piece) for piece in pieces)
        assert shown == "a [secret:KEY] b [secret:OTHER] c sk-secre d"
