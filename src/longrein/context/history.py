"""From the log to the messages of a request."""

from collections.abc import Sequence

from longrein.context.clearing import cleared
from longrein.context.estimate import estimate_messages
from longrein.core.lead import lead_of
from longrein.core.messages import Assistant, Message, Reasoning, Text, ToolResult
from longrein.core.state import State

UNFINISHED = "This call has not ended yet."


def conversation(state: State) -> Sequence[Message]:
    """The messages for a request: every call with exactly one result, right after its message.

    While all of the thread fits and no step is open this is the thread's own trail and costs
    nothing; otherwise it costs what the request holds. Calls that have not ended get a result that
    says so.
    """
    step, window = state.step, state.window
    results = [
        call.result or ToolResult(call.id, call.name, (Text(UNFINISHED),), "not_run")
        for call in (step.calls if step else ())
    ]
    if window is None:
        return state.messages.append(*results)
    older = cleared(state.messages[window.start : window.whole])
    lead = lead_of(state.messages, window)
    return [*lead, *older, *state.messages[window.whole :], *results]


def carried(state: State) -> int:
    """The tokens that the next request takes over of what a provider counted last: all, but for
    thoughts that are not kept in the thread and so are not sent again."""
    last, heard = state.last, state.heard
    said = state.messages[heard - 1] if 0 < heard <= len(state.messages) else None
    parts = said.parts if isinstance(said, Assistant) else ()
    thoughts = tuple(part for part in parts if isinstance(part, Reasoning))
    kept = estimate_messages((Assistant(thoughts),)) if thoughts else 0
    return last.total - last.reasoning + min(last.reasoning, kept)
