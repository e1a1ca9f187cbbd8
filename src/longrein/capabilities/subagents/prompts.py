"""What is said about delegating, to whoever delegates and to the child."""

from longrein.capabilities.subagents.spec import Subagent

MOST_LISTED = 4_000
"""Characters of the list of subagents that every request carries."""
SHORTEST = 80
"""Characters of a description that are left where the list has to be cut."""

TASK = """\
Delegate a task to a subagent. It works by itself and gives back one result.

For work of several steps whose details you need not see, and for parts that can be done side by \
side: calls in one step run at once. What a call or two does, do yourself.
{It} knows nothing of this conversation: put all it needs into the prompt (the goal, paths, what \
is known, what to give back). Only you see its result: tell the user what matters."""

CHILD = """\
You are the subagent {name}. Another agent gave you the task below. It sees nothing of what you \
do, only your last message. Work until the task is done, then make that message the result: \
complete, with what was asked for and no more, and with what you could not do or had to assume."""

GENERAL = Subagent(
    "general-purpose",
    "Any task of several steps: searching, reading much, research, a change by itself. Has your "
    "tools.",
)
"""Who is there to delegate to where nobody else is."""


def system_of(agent: Subagent, parents: str, parent: str) -> str:
    """What a child is told about itself: its instructions, or else its parent's, and what a child
    is. `parent` is what that is called, who may be a child too."""
    said = agent.instructions.strip() or parents.removesuffix(CHILD.format(name=parent)).strip()
    return "\n\n".join(part for part in (said, CHILD.format(name=agent.name)) if part)


def task_description(agents: tuple[Subagent, ...]) -> str:
    """What the model is told of `task`, with everybody who can be delegated to."""
    it = "Unless it is forked it" if any(one.forked for one in agents) else "It"
    return f"{TASK.format(It=it)}\n\nSubagents:\n{listed(agents)}"


def listed(agents: tuple[Subagent, ...], limit: int = MOST_LISTED) -> str:
    """Every subagent in a line, in at most about `limit` characters; what is cut says so.

    >>> from longrein import Subagent
    >>> print(listed((Subagent("a", "Does this."), Subagent("b", "Does that.", forked=True))))
    - a: Does this.
    - b (forked): Does that.
    """
    lines = [_line(agent) for agent in agents]
    if sum(map(len, lines)) <= limit:
        return "\n".join(lines)
    each = max(SHORTEST, limit // len(lines))
    lines = [line if len(line) <= each else f"{line[:each].rstrip()}..." for line in lines]
    shown = lines[: max(1, limit // each)]
    if more := [agent.name for agent in agents[len(shown) :]]:
        shown.append(f"- and, not described here: {', '.join(more)}")
    return "\n".join(shown)


def _line(agent: Subagent) -> str:
    forked = " (forked)" if agent.forked else ""
    return f"- {agent.name}{forked}: {' '.join(agent.description.split())}"
