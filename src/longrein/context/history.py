"""From the log to the messages of a request."""

from collections.abc import Sequence

from longrein.core.messages import Message, Text, ToolResult
from longrein.core.state import State

UNFINISHED = "This call has not ended yet."


def conversation(state: State) -> Sequence[Message]:
    """The messages for a request: every call with exactly one result, right after its message.

    While no step is open, which is when the model is called, this is the thread's own trail and
    costs nothing. Otherwise the calls that have not ended get a result that says so.
    """
    step = state.step
    if step is None or not step.calls:
        return state.messages
    results = [
        call.result or ToolResult(call.id, call.name, (Text(UNFINISHED),), "not_run")
        for call in step.calls
    ]
    return state.messages.append(*results)
