"""The page on which the arguments of a call are changed before it runs."""

import json

from longrein.client.arguments import laid_out
from longrein.tui.pages.writing import Taken, WritingPage
from longrein.tui.view.asks import ApprovalAsk


def arguments_page(ask: ApprovalAsk, take: Taken) -> WritingPage:
    """A page with the arguments as JSON; what is no object is not taken."""
    return WritingPage(
        f"Arguments of {ask.told.what}",
        laid_out(ask.arguments),
        take,
        does="runs it with these",
        file="arguments.json",
        check=problem_of,
    )


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
