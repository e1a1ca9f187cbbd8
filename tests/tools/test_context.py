"""The context: who calls, answers in their order, and questions that unwind the tool."""

import pytest

from longrein.core.errors import UsageError
from longrein.tools.context import Asked, Asking, Context, Declined, Reply
from tests.support import run


def test_a_question_without_an_answer_unwinds_past_except_exception() -> None:
    async def body(ctx: Context) -> str:
        try:
            return await ctx.ask("Sure?", ["yes", "no"])
        except Exception:
            return "swallowed"

    with pytest.raises(Asking) as caught:
        run(body(Context(asks=True)))
    assert caught.value.asked == Asked("Sure?", ("yes", "no"))


def test_answers_come_in_the_order_in_which_they_were_given() -> None:
    async def body(ctx: Context) -> tuple[str, tuple[str, ...]]:
        return await ctx.ask("One?"), await ctx.ask("Some?", ["a", "b"], several=True)

    answers = (Reply("One?", "1"), Reply("Some?", ("a", "b")))
    assert run(body(Context(asks=True, answers=answers))) == ("1", ("a", "b"))


def test_an_answer_in_another_shape_is_fitted() -> None:
    answers = (Reply("One?", ("a", "b")), Reply("Some?", "a"))
    ctx = Context(asks=True, answers=answers)
    assert ctx.ask_now("One?") == "a, b"
    assert ctx.ask_now("Some?", ["a"], several=True) == ("a",)


def test_an_answer_never_counts_for_another_question() -> None:
    ctx = Context(asks=True, answers=(Reply("Delete a?", "yes"),))
    with pytest.raises(UsageError, match="asked 'Delete b\\?' where it had asked 'Delete a\\?'"):
        ctx.ask_now("Delete b?")


def test_a_question_is_known_again_as_it_was_written() -> None:
    def without_key(text: str) -> str:
        return text.replace("hunter22", "[secret:KEY]")

    with pytest.raises(Asking) as caught:
        Context(asks=True, redact=without_key).ask_now("Use hunter22\ud800?", ["hunter22"])
    assert caught.value.asked == Asked("Use [secret:KEY]\ufffd?", ("[secret:KEY]",))
    answers = (Reply("Use [secret:KEY]\ufffd?", "yes"),)
    ctx = Context(asks=True, answers=answers, redact=without_key)
    assert ctx.ask_now("Use hunter22\ud800?") == "yes"


def test_a_declined_question_says_so_to_the_model() -> None:
    ctx = Context(asks=True, answers=(Reply("Sure?", None, "not today"),))
    with pytest.raises(Declined, match="declined to answer 'Sure\\?': not today"):
        ctx.ask_now("Sure?")


def test_a_tool_that_is_not_declared_so_cannot_ask() -> None:
    with pytest.raises(UsageError, match="declare @tool\\(asks=True\\) on 'rm'"):
        Context(tool="rm").ask_now("Sure?")


def test_output_goes_where_it_was_told() -> None:
    shown: list[str] = []
    Context(output=shown.append).output("half")
    assert shown == ["half"]
