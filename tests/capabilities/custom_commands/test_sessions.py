"""Custom commands in a session: what is said, in which mode, and what counts by then."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from longrein.capabilities.base import Capability
from longrein.capabilities.contexts import SlashCommand
from longrein.capabilities.custom_commands.capability import CustomCommands
from longrein.core.errors import UsageError
from longrein.loop.agent import Mode
from longrein.session.session import Session
from longrein.testing import say
from tests.capabilities.custom_commands.test_files import put
from tests.capabilities.kit import hosting, words
from tests.session.kit import said, until, with_session


async def give(session: Session, name: str, arguments: str = "") -> list[str]:
    await session.invoke(name, arguments)
    await until(lambda: bool(session.folded.outcomes) and session.folded.run is None)
    return words(said(session))


def test_a_command_is_listed_and_says_what_is_in_its_file(tmp_path: Path) -> None:
    put(tmp_path, "fix.md", "---\ndescription: Fix it\nargument-hint: <n>\n---\nFix issue $1.")

    async def body(session: Session) -> None:
        (one,) = [one for one in session.commands if one.name == "fix"]
        assert (one.description, one.hint) == ("Fix it", "<n>")
        assert await give(session, "/fix", "42 now") == ["user: Fix issue 42.", "model: ok"]

    with_session(hosting([say("ok")], CustomCommands([tmp_path])), body)


def test_an_edit_counts_the_next_time_and_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    path = put(tmp_path, "fix.md", "Old.")

    async def body(session: Session) -> None:
        path.write_text("New.")
        assert (await give(session, "fix"))[0] == "user: New."
        path.unlink()
        with pytest.raises(UsageError, match="There is no command /fix any more"):
            await session.invoke("fix")

    with_session(hosting([say("ok")], CustomCommands([tmp_path])), body)


def test_a_command_switches_to_its_mode(tmp_path: Path) -> None:
    put(tmp_path, "think.md", "---\nmode: plan\n---\nThink.")
    put(tmp_path, "wrong.md", "---\nmode: plam\n---\nThink.")
    modes = [Mode("build", default=True), Mode("plan")]

    async def body(session: Session) -> None:
        await give(session, "think")
        assert session.folded.mode == "plan"
        with pytest.raises(UsageError, match="no mode 'plam'; known: build, plan"):
            await session.invoke("wrong")

    with_session(hosting([say("ok")], CustomCommands([tmp_path]), modes=modes), body)


class Desk(Capability):
    """Brings a command of its own."""

    def commands(self) -> Sequence[SlashCommand]:
        return [SlashCommand("fix", "The desk's.", lambda ctx, arguments: "by the desk")]


@pytest.mark.parametrize("first", [True, False])
def test_a_command_of_a_capability_or_a_session_wins(tmp_path: Path, first: bool) -> None:
    put(tmp_path, "fix.md")
    put(tmp_path, "context.md")
    custom = CustomCommands([tmp_path])
    capabilities = [custom, Desk()] if first else [Desk(), custom]

    async def body(session: Session) -> None:
        assert await session.invoke("fix") == "by the desk"
        assert "counted by the provider" in await session.invoke("context")
        assert [one.name for one in session.commands].count("fix") == 1

    with_session(hosting([say("ok")], *capabilities), body)
