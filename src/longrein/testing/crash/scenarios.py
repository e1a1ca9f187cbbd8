"""The workloads: what the model says, what the client does, and what may come out differently."""

from collections.abc import Mapping

from longrein.testing.crash.acts import Act, Scenario
from longrein.testing.crash.equip import OTHER
from longrein.testing.crash.families import FAMILY
from longrein.testing.crash.features import FEATURES, NO_ALONE
from longrein.testing.crash.working import WORKING
from longrein.testing.replies import Reply, call, calls, reply, say
from longrein.testing.scripted import Script, when


def _slowly(text: str) -> Reply:
    return say(text, size=8, delay=0.001)


_LONG = "This is what the model would have said if nobody had told it otherwise. " * 3

_LARGE = "a large input " * 20_000
"""Enough for a snapshot, and for events that do not lie in the log itself."""

_ALL = (
    Scenario(
        "parallel",
        Script(
            [
                calls(
                    call("write", key="p1"),
                    call("look", key="p2"),
                    call("fails", key="p3"),
                    call("in_lane", key="p4", lane="one"),
                    call("in_lane", key="p5", lane="one"),
                    call("alone", key="p6"),
                    call("in_thread", key="p7"),
                ),
                reply(_slowly("Two more."), call("look", key="p8"), call("write", key="p9")),
                _slowly("All of that is done."),
            ]
        ),
        (Act("c1", "send", "do it"),),
        share=5,
    ),
    Scenario(
        "approval",
        Script(
            [
                calls(
                    call("deploy", key="yes"),
                    call("write", key="a1"),
                    call("deploy", key="no"),
                    call("deploy", key="edit"),
                    call("deploy", key="replace"),
                ),
                calls(call("deploy", key="again")),
                _slowly("Deployed."),
            ]
        ),
        (Act("c1", "send", "deploy"),),
        share=5,
    ),
    Scenario(
        "question",
        Script(
            [
                calls(call("confirm", key="q1"), call("look", key="q2"), call("confirm", key="q3")),
                _slowly("Asked and done."),
            ]
        ),
        (Act("c1", "send", "ask me"),),
    ),
    Scenario(
        "queue",
        Script(
            rules=[
                when("first", call("deploy", key="k1"), _slowly("The first.")),
                when("second", call("write", key="k2"), _slowly("The second.")),
                when("changed", call("deploy", key="k3"), _slowly("The third.")),
            ]
        ),
        (
            Act("c1", "send", "the first"),
            Act("c2", "queue", "the second", when="asked", shows={"queue": ["the second"]}),
            Act("c3", "queue", "the third", shows={"queue": ["the second", "the third"]}),
            Act("c4", "queue", "4", shows={"queue": ["the second", "the third", "4"]}),
            Act(
                "c5",
                "edit",
                "the changed one",
                inputs=("c3",),
                shows={"queue": ["the second", "the changed one", "4"]},
            ),
            Act(
                "c6", "withdraw", inputs=("c4",), shows={"queue": ["the second", "the changed one"]}
            ),
            Act(
                "c7",
                "reorder",
                inputs=("c3", "c2"),
                shows={"queue": ["the changed one", "the second"]},
            ),
            Act("c8", "approve", about="k1"),
            Act("c9", "see", when="asked", shows={"queue": ["the second"]}),
            Act("c10", "approve", about="k3"),
            Act("c11", "see", when="idle", shows={"queue": []}),
        ),
    ),
    Scenario(
        "join",
        Script([calls(call("deploy", key="j1"), call("write", key="j2")), _slowly("Heard both.")]),
        (Act("c1", "send", "begin"), Act("c2", "send", "and this", when="asked")),
    ),
    Scenario(
        "steer",
        Script(
            rules=[
                when("instead", call("write", key="s1"), _slowly("Done instead.")),
                when("talk", _slowly(_LONG)),
            ]
        ),
        (Act("c1", "send", "talk"), Act("c2", "steer", "do this instead", when="writing")),
        loose=_LONG,
    ),
    Scenario(
        "supersede",
        Script(
            rules=[
                when("instead", call("write", key="u3"), _slowly("Done instead.")),
                when("begin", calls(call("write", key="u1"), call("deploy", key="u2"))),
            ]
        ),
        (Act("c1", "send", "begin"), Act("c2", "steer", "do this instead", when="asked")),
        settles_started=True,
    ),
    Scenario(
        "interrupt",
        Script(
            rules=[
                when("after", call("write", key="i2"), _slowly("Done after it.")),
                when("begin", call("hang", key="i1"), _slowly(_LONG)),
            ]
        ),
        (
            Act("c1", "send", "begin"),
            Act("c2", "interrupt", when="working", may_be_late=True),
            Act("c3", "send", "and after that this"),
        ),
        loose=_LONG,
    ),
    Scenario(
        "snapshot",
        Script(
            [
                call("write_todos", todos=[{"text": "one"}]),
                _slowly("Written down."),
                calls(call("pour", key="n1"), call("pour", key="n2")),
                call("deploy", key="n3"),
                _slowly("That was much."),
            ]
        ),
        (
            Act("c1", "send", "begin"),
            Act("c2", "see", when="idle", shows={"todos": ["one pending"]}),
            Act("c3", "model", OTHER, shows={"models": {"work": f"{OTHER} low"}}),
            Act(
                "c4", "update", value={"note": "kept"}, shows={"data": {"count": 0, "note": "kept"}}
            ),
            Act("c5", "add_rule", value=NO_ALONE, shows={"rules": ["no-alone"]}),
            Act("c6", "send", _LARGE),
            Act("c7", "see", when="asked", shows={"approvals": ["n3"]}),
            Act(
                "c8",
                "approve",
                about="n3",
                value=("tool", "thread"),
                shows={"approvals": [], "grants": ["deploy in the thread"]},
            ),
            Act("c9", "see", when="idle"),
        ),
        brings=("modes", "planning"),
        share=3,
    ),
    Scenario(
        "pair",
        Script(
            rules=[
                when(
                    "first",
                    calls(call("write", key="t1"), call("deploy", key="yes")),
                    call("confirm", key="t2"),
                    _slowly("The first."),
                ),
                when("second", call("write", key="t3"), _slowly("The second.")),
            ]
        ),
        (Act("c1", "send", "the first"), Act("c2", "queue", "the second", when="asked")),
        processes=2,
        share=4,
    ),
    *FEATURES,
    WORKING,
    FAMILY,
)

SCENARIOS: Mapping[str, Scenario] = {scenario.name: scenario for scenario in _ALL}
"""Every workload by its name. The first start of a database is killed in `join`."""

FIRST_START = "join"
