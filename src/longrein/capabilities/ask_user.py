"""A tool with which the model asks the person it works for."""

from longrein.tools.context import Context
from longrein.tools.define import tool


@tool(category="other", idempotent=True, asks=True)
async def ask_user(
    ctx: Context, question: str, choices: tuple[str, ...] = (), several: bool = False
) -> str | tuple[str, ...]:
    """Ask the person you work for and wait for the answer.

    Ask only what you cannot find out yourself.

    Args:
        question: What you want to know, in one or two sentences.
        choices: Answers to choose from, best first. Leave it out for a free answer.
        several: Whether more than one of the choices may be taken.
    """
    if several and choices:
        return await ctx.ask(question, choices, several=True)
    return await ctx.ask(question, choices)
