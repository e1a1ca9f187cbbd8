"""ask_user: free text, one choice, several choices."""

from longrein.capabilities.ask_user import ask_user
from longrein.core.messages import Text
from longrein.tools.call import Output, call
from longrein.tools.context import Asked, Context, Reply
from tests.support import run


def ask(arguments: str, *answers: Reply) -> Output | Asked:
    return run(call(ask_user, arguments, Context(tool="ask_user", asks=True, answers=answers)))


def test_a_free_answer() -> None:
    assert ask('{"question": "Name?"}') == Asked("Name?")
    assert ask('{"question": "Name?"}', Reply("Name?", "Ada")) == Output("ok", (Text("Ada"),))


def test_one_choice_or_an_answer_of_ones_own() -> None:
    arguments = '{"question": "Which?", "choices": ["a", "b"]}'
    assert ask(arguments) == Asked("Which?", ("a", "b"), other=True)
    assert ask(arguments, Reply("Which?", "neither")) == Output("ok", (Text("neither"),))


def test_several_choices() -> None:
    arguments = '{"question": "Which?", "choices": ["a", "b"], "several": true}'
    assert ask(arguments) == Asked("Which?", ("a", "b"), several=True, other=True)
    answer = Reply("Which?", ("a", "b"))
    assert ask(arguments, answer) == Output("ok", (Text('["a","b"]'),))


def test_a_decline_is_heard_by_the_model() -> None:
    output = ask('{"question": "Name?"}', Reply("Name?", None, "private"))
    assert isinstance(output, Output)
    assert output.status == "declined"


def test_it_may_run_again_after_a_crash() -> None:
    assert ask_user.idempotent
    assert ask_user.asks
