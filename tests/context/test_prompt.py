"""The tools on offer: those of the mode, without those that a rule denies."""

from longrein.core.policy import Rule
from tests.loop.tools import kit

PROMPT = kit().prompt


def test_a_mode_offers_its_own_tools_in_their_order() -> None:
    assert PROMPT.offer("plan", ()).names == ("look", "write", "confirm")


def test_a_tool_that_a_rule_denies_is_not_offered() -> None:
    assert PROMPT.offer("plan", (Rule("deny", category="edit"),)).names == ("look", "confirm")


def test_a_tool_that_a_rule_only_asks_about_is_offered() -> None:
    assert "write" in PROMPT.offer("build", (Rule("ask", tool="write"),)).names


def test_a_mode_without_tools_offers_none() -> None:
    assert PROMPT.offer("bare", ()).specs == ()


def test_the_same_tools_have_the_same_digest_in_every_process() -> None:
    assert kit().prompt.offer("build", ()).digest == PROMPT.offer("build", ()).digest


def test_other_tools_have_another_digest() -> None:
    digests = {PROMPT.offer(mode, ()).digest for mode in ("build", "plan", "bare")}
    assert len(digests) == 3


def test_the_order_of_rules_does_not_change_what_is_offered() -> None:
    one, two = Rule("deny", tool="look"), Rule("ask", tool="write")
    assert PROMPT.offer("build", (one, two)).digest == PROMPT.offer("build", (two, one)).digest
