"""The page on which the arguments of a call are changed before it runs."""

import json

from longrein.core.visible import visible
from longrein.tui.pages.writing import Taken, Writing
from longrein.tui.view.asks import ApprovalAsk


def arguments_page(ask: ApprovalAsk, take: Taken) -> Writing:
    """A page with the arguments as JSON; what is no object is not taken."""
    return Writing(
        f"Arguments of {ask.told.what}",
        laid_out(ask.arguments),
        take,
        does="runs it with these",
        file="arguments.json",
        check=problem_of,
    )


def laid_out(arguments: str) -> str:
    """The arguments in lines, what could hide in them as escapes; as they are if they are no JSON.

    >>> print(laid_out('{"command":"ls\\u200b"}'))
    {
      "command": "ls\\u200b"
    }
    """
    try:
        text = json.dumps(json.loads(arguments or "{}"), indent=2, ensure_ascii=False)
    except ValueError:
        return arguments
    hides = visible(text, strict=True) != text
    return "".join(map(_escaped, text)) if hides else text


def problem_of(text: str) -> str:
    """What is wrong with arguments, in words; empty where they are a JSON object.

    >>> problem_of('{"a": 1}'), problem_of('[]')
    ('', 'Arguments are a JSON object: {"name": value, ...}.')
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"This is not JSON: {error}."
    return "" if isinstance(value, dict) else 'Arguments are a JSON object: {"name": value, ...}.'


def _escaped(letter: str) -> str:
    return letter if visible(letter, strict=True) == letter else json.dumps(letter)[1:-1]
