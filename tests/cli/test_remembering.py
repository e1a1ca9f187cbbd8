"""What the terminal offers to remember of a yes."""

from msgspec.structs import replace

from longrein.client.remembering import is_asked_each_time, ways_to_remember
from longrein.core.policy import Grant, Rule, Touches
from longrein.core.records import Approval
from longrein.permissions.matching import Action
from longrein.permissions.remember import propose
from longrein.testing import call, say
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider

PROMPT = "e edit > "
PUBLISHING = """
from longrein import Rule, Touches, tool

def touched(arguments, ctx):
    found = Rule("ask", tool=ctx.tool, id="publishes", always=True)
    return Touches(commands=("npm publish",), judged=(found,))

@tool(category="execute", touches=touched)
def publish() -> str:
    "Publish the package."
    return "published"
"""


def test_what_is_asked_each_time_is_not_offered_to_be_remembered(world: World) -> None:
    (world.project / "publishing.py").write_text(PUBLISHING)
    script = [call("publish"), say("Done.")]
    with (
        provider(world, script),
        Terminal(world, "run", "Go", "--tools", "publishing.py") as person,
    ):
        person.sees(PROMPT)
        person.types("a\n")
        person.sees("asked each time")
        person.sees(PROMPT)
        person.types("x\n")
        person.sees("Please type y, n or e;")
        person.sees(PROMPT)
        person.types("y\n")
        person.sees("Done.")
        assert person.ends() == 0
    assert "a always" not in person.screen


def test_a_yes_that_is_only_too_long_to_be_read_can_be_remembered() -> None:
    always = Rule("ask", always=True)
    assert is_asked_each_time(_approval(Touches(commands=("rm x",)), None))
    assert is_asked_each_time(_approval(Touches(commands=("x" * 3_000,), judged=(always,)), None))
    assert not is_asked_each_time(_approval(Touches(commands=("x" * 3_000,)), None))
    assert not is_asked_each_time(_approval(Touches(commands=("rm x",)), Grant("", "r", "execute")))


def test_what_is_offered_for_a_sure_line_is_its_kind_of_work() -> None:
    assert list(_ways("python3 -m pytest -x", "tail -5")) == [
        "exactly this call",
        "execute running python3 -m pytest *, tail -5",
        "any call of execute, where no rule asks",
        "any tool that runs commands, where no rule asks",
    ]


def test_nothing_between_the_call_and_the_tool_is_offered_for_an_unsure_line() -> None:
    ways = _ways("? python3 greeting.py", "? cat .env", "? line: python3 greeting.py $(cat .env)")
    assert list(ways.values()) == ["call", "tool", "category"]
    assert not any("?" in text or "line:" in text for text in ways)


def test_a_yes_to_a_tool_names_the_rules_that_it_answers() -> None:
    asked = replace(_approval(Touches(), None), rules=("deploys", "late"))
    assert "any call of execute, where the rules deploys, late ask" in ways_to_remember(asked)


def _ways(*commands: str) -> dict[str, str]:
    touches = Touches(commands=commands)
    proposal = propose(Action("execute", "execute", {}, touches), "default:execute")
    return {**ways_to_remember(_approval(touches, proposal))}


def _approval(touches: Touches, proposal: Grant | None) -> Approval:
    rule = "default:execute"
    return Approval(
        "apr_1", "c", "execute", "execute", "{}", rule, "", touches=touches, proposal=proposal
    )
