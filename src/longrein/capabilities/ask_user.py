"""A tool with which the model asks the person it works for."""

from collections.abc import Sequence

from longrein.capabilities.base import Capability
from longrein.capabilities.opening import Opening
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool

GUIDE = (
    "When only the person you work for can decide or know something, ask with ask_user instead of "
    "guessing or ending with a question."
)


# To read, for the rules: it changes nothing, and asking whether to ask would help nobody.
@tool(category="read", idempotent=True, asks=True)
async def ask_user(
    ctx: Context, question: str, choices: tuple[str, ...] = (), several: bool = False
) -> str | tuple[str, ...]:
    """Ask the person you work for and wait for the answer.

    Ask only what you cannot find out yourself.

    Args:
        question: What you want to know, in one or two sentences.
        choices: Answers to choose from, best first; another may be given.
        several: Whether more than one of the choices may be taken.
    """
    other = bool(choices)  # nobody is held to the answers that a model could think of
    if several and choices:
        return await ctx.ask(question, choices, several=True, other=other)
    return await ctx.ask(question, choices, other=other)


class AskUser(Capability):
    """The tool `ask_user`, with a word to the model on when to use it.

    >>> from longrein import AskUser
    >>> [tool.name for tool in AskUser().tools()]
    ['ask_user']
    """

    def tools(self) -> Sequence[Tool]:
        return (ask_user,)

    def context(self, opening: Opening) -> str:
        return GUIDE
