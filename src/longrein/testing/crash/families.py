"""The workload of a family: three children at once, which are in different states when it dies.

One waits for a yes, one is in a tool, one is done; a fourth works in the background.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from longrein.core import events as e
from longrein.core.outcomes import Finished
from longrein.core.usage import Spent
from longrein.testing.crash.accounts import count
from longrein.testing.crash.acts import Act, Scenario
from longrein.testing.replies import Reply, call, calls, say
from longrein.testing.scripted import Script, when


def _task(text: str, *, background: bool = False) -> Reply:
    return call(
        "task", agent="general-purpose", description=text, prompt=text, background=background
    )


HEARD = "I have heard."

FAMILY = Scenario(
    "family",
    Script(
        rules=[
            when(
                "delegate",
                calls(_task("the one that asks"), _task("the one that works"), _task("the quick")),
                say("All three are back."),
            ),
            when("send off", _task("the one behind", background=True), say("It is off.")),
            when("one that asks", call("deploy", key="f1"), say("Deployed.")),
            when(
                "one that works",
                calls(call("write", key="f2"), call("look", key="f3")),
                _task("the one below"),
                say("Worked."),
            ),
            when("the quick", say("Quick.", size=2, delay=0.001)),
            when("one below", call("write", key="f4"), say("From below.")),
            when("one behind", call("write", key="f5"), say("From behind.")),
        ],
        # What wakes the root is no input of a person.
        otherwise=say(HEARD),
    ),
    (
        Act("c1", "send", "delegate"),
        Act("c2", "see", when="asked"),
        Act("c3", "approve", about="f1"),
        Act("c4", "see", when="idle"),
        Act("c5", "send", "send off"),
        Act("c6", "see", when="alone"),
    ),
    heard=HEARD,
    brings=("family",),
    share=5,
)


def strayed(logs: Sequence[Sequence[e.Event]], root: Sequence[e.Event]) -> Iterator[str]:
    """What is wrong with children: begun, ended, counted or told of other than once."""
    every = [event for log in (root, *logs) for event in log]
    begun = Counter(event.child for event in every if isinstance(event, e.ChildStarted))
    ended = Counter(event.child for event in every if isinstance(event, e.ChildEnded))
    if len(begun) != len(logs):
        yield f"{len(begun)} children were begun, and there are {len(logs)} threads of them"
    for child in begun:
        if (begun[child], ended[child]) != (1, 1):
            yield f"child {child} began {begun[child]} times and ended {ended[child]} times"
    for event in every:
        if isinstance(event, e.ChildEnded) and event.status != "finished":
            yield f"child {event.child} ended {event.status}"
    for log in logs:
        outcomes = [event.outcome for event in log if isinstance(event, e.RunEnded)]
        if len(outcomes) != 1 or not isinstance(outcomes[0], Finished):
            yield f"a child came to {outcomes}"
    told = Counter(one.input.id for one in every if _is_news(one))
    behind = [one.child for one in every if isinstance(one, e.ChildStarted) and one.background]
    if told != Counter(f"{child}/ended" for child in behind):
        yield f"the parents of {behind} were told of {told}"
    yield from _uncounted(logs, root)


def _is_news(event: e.Event) -> TypeGuard[e.InputAdmitted]:
    return isinstance(event, e.InputAdmitted) and event.input.source.startswith("subagent:")


def _uncounted(logs: Sequence[Sequence[e.Event]], root: Sequence[e.Event]) -> Iterator[str]:
    ends = (one for one in root if isinstance(one, e.ChildEnded | e.ChildSpent))
    told = sum({one.child: one.spent for one in ends}.values(), Spent())
    used = sum((count(log).thread for log in logs), Spent())
    if told != used:
        yield f"the children have used {used}, and the root was told of {told}"
