"""The workloads of what a thread keeps: modes, state, policy, plans, outputs, hooks, money."""

from longrein.core.policy import Rule
from longrein.testing.crash.acts import Act, Scenario, Verdict
from longrein.testing.crash.equip import OTHER, SCRIPTED
from longrein.testing.replies import call, calls, say
from longrein.testing.scripted import Script, when

_ONE, _TWO = {"text": "one"}, {"text": "two"}
_DONE = {"number": 1, "status": "completed"}
NO_ALONE = Rule("deny", tool="alone", id="no-alone")

FEATURES = (
    Scenario(
        "switching",
        Script(
            rules=[
                when("first", call("write", key="m1"), say("The first.")),
                when("second", call("write", key="m2"), say("The second.")),
                when("third", call("write", key="m3"), say("The third.")),
            ]
        ),
        (
            Act("c1", "send", "the first", shows={"mode": "work", "model": SCRIPTED}),
            Act("c2", "see", when="idle"),
            Act("c3", "model", OTHER, shows={"model": OTHER, "models": {"work": f"{OTHER} low"}}),
            Act("c4", "mode", "plan", shows={"mode": "plan", "model": SCRIPTED}),
            Act("c5", "send", "the second"),
            Act("c6", "see", when="idle"),
            Act("c7", "mode", "work", shows={"mode": "work", "model": OTHER}),
            Act("c8", "send", "the third"),
            Act("c9", "see", when="idle"),
        ),
        brings=("modes",),
    ),
    Scenario(
        "keeping",
        Script(
            rules=[
                when(
                    "begin", calls(call("tally", key="n1"), call("write", key="n2")), say("Begun.")
                ),
                when("end", calls(call("alone", key="n3"), call("write", key="n4")), say("Ended.")),
            ]
        ),
        (
            Act("c1", "send", "begin", shows={"listed": ["begin"]}),
            Act("c2", "see", when="idle", shows={"data": {"count": 1, "note": ""}}),
            Act(
                "c3", "update", value={"note": "kept"}, shows={"data": {"count": 1, "note": "kept"}}
            ),
            Act("c4", "count_up", shows={"data": {"count": 2, "note": "kept"}}),
            Act("c5", "add_rule", value=NO_ALONE, shows={"rules": ["no-alone"]}),
            Act(
                "c6",
                "tag",
                value=["red", "blue"],
                shows={"tags": ["red", "blue"], "listed": ["begin", "red", "blue"]},
            ),
            Act("c7", "configure", value={"theme": "dark"}, shows={"settings": {"theme": "dark"}}),
            Act(
                "c8",
                "rename",
                "Title",
                shows={"title": "Title", "listed": ["Title", "red", "blue"]},
            ),
            Act("c9", "trust", value="edits", shows={"trust": "edits"}),
            Act("c10", "send", "end"),
            Act("c11", "see", when="idle"),
        ),
    ),
    Scenario(
        "remote",
        Script([calls(call("write", key="r1"), call("deploy", key="r2")), say("Heard of it all.")]),
        (
            Act("c1", "send", "begin"),
            Act("c2", "see", when="asked", shows={"mode": "work", "approvals": ["r2"]}),
            Act(
                "c3", "update", value={"note": "kept"}, shows={"data": {"count": 0, "note": "kept"}}
            ),
            Act("c4", "count_up", shows={"data": {"count": 1, "note": "kept"}}),
            Act("c5", "add_rule", value=NO_ALONE, shows={"rules": ["no-alone"]}),
            Act("c6", "tag", value=["red"], shows={"tags": ["red"]}),
            Act("c7", "model", OTHER, shows={"models": {"work": f"{OTHER} low"}}),
            Act("c8", "mode", "plan", shows={"mode": "plan"}),
            Act(
                "c9",
                "approve",
                about="r2",
                value=("tool", "resource"),
                shows={"approvals": [], "shared": ["deploy"]},
            ),
            Act("c10", "see", when="idle"),
        ),
        processes=2,
        share=2,
        brings=("modes",),
    ),
    Scenario(
        "grants",
        Script(
            rules=[
                when(
                    "first",
                    calls(call("deploy", key="g1"), call("deploy", key="g8")),
                    call("deploy", key="g2"),
                    say("The first."),
                ),
                when("second", call("deploy", key="g3"), say("The second.")),
                when("third", call("deploy", key="g4"), call("fetch", key="g5"), say("The third.")),
                when("elsewhere", call("fetch", key="g6"), say("Elsewhere.")),
                when("last", call("fetch", key="g7"), say("The last.")),
            ]
        ),
        (
            Act("c1", "send", "the first"),
            Act("c2", "see", when="asked", shows={"approvals": ["g1", "g8"]}),
            Act(
                "c3",
                "approve",
                about="g1",
                value=("tool", "run"),
                shows={"approvals": [], "grants": ["deploy in the run"]},
            ),
            Act("c4", "see", when="idle", shows={"grants": []}),
            Act("c5", "send", "the second"),
            Act("c6", "see", when="asked", shows={"approvals": ["g3"]}),
            Act(
                "c7",
                "approve",
                about="g3",
                value=("tool", "thread"),
                shows={"approvals": [], "grants": ["deploy in the thread"]},
            ),
            Act("c8", "see", when="idle"),
            Act("c9", "send", "the third"),
            Act("c10", "see", when="asked", shows={"approvals": ["g5"]}),
            Act(
                "c11",
                "approve",
                about="g5",
                value=("tool", "resource"),
                shows={"approvals": [], "shared": ["fetch"]},
            ),
            Act("c12", "beside", "elsewhere"),
            Act("c13", "see", when="idle"),
            Act("c14", "revoke", about="fetch", shows={"shared": []}),
            Act("c15", "send", "the last"),
            Act("c16", "see", when="asked", shows={"approvals": ["g7"]}),
            Act("c17", "decline", about="g7", shows={"approvals": []}),
            Act("c18", "see", when="idle"),
        ),
        share=4,
    ),
    Scenario(
        "pending",
        Script(
            [
                calls(call("deploy", key="e1"), call("deploy", key="e2"), call("deploy", key="e3")),
                say("One of three."),
            ]
        ),
        (
            Act("c1", "send", "three at once"),
            Act("c2", "see", when="asked", shows={"approvals": ["e1", "e2", "e3"]}),
            Act("c3", "approve", about="e2", shows={"approvals": ["e1", "e3"]}),
            Act("c4", "tag", value=["halfway"], shows={"tags": ["halfway"]}),
            Act("c5", "decline", about="e1", shows={"approvals": ["e3"]}),
            Act("c6", "decline", about="e3", shows={"approvals": []}),
            Act("c7", "see", when="idle"),
        ),
    ),
    Scenario(
        "planning",
        Script(
            [
                call("submit_plan", title="Too long", plan="1. Much"),
                call("submit_plan", title="Short", plan="1. Little"),
                calls(call("write_todos", todos=[_ONE, _TWO])),
                call("deploy", key="l1"),
                call("update_todos", changes=[_DONE]),
                say("Carried out."),
            ]
        ),
        (
            Act("c1", "mode", "plan", shows={"mode": "plan"}),
            Act("c2", "send", "plan it"),
            Act("c3", "see", when="asked", shows={"questions": ["Too long"]}),
            Act("c4", "decline", about="Too long", shows={"questions": []}),
            Act(
                "c5",
                "see",
                when="asked",
                shows={"questions": ["Short"], "plan": "Too long rejected"},
            ),
            Act("c6", "trust", value="plan", shows={"trust": "plan"}),
            Act(
                "c7",
                "approve_plan",
                "1. Less",
                about="Short",
                shows={"questions": [], "trust": "ask"},
            ),
            Act(
                "c8",
                "see",
                when="asked",
                shows={
                    "mode": "work",
                    "plan": "Short approved: 1. Less",
                    "todos": ["one pending", "two pending"],
                    "approvals": ["l1"],
                },
                together=("mode", "plan"),
            ),
            Act("c9", "approve", about="l1", shows={"approvals": []}),
            Act("c10", "see", when="idle", shows={"todos": ["one completed", "two pending"]}),
        ),
        brings=("modes", "planning"),
        share=4,
    ),
    Scenario(
        "output",
        Script(
            rules=[
                when("begin", call("deploy", key="o1"), say("Begun.")),
                when(
                    "count",
                    say("There are three."),
                    call("deploy", key="o2"),
                    say('{"ok": true, "count": "many"}'),
                    say('{"ok": true, "count": 3}'),
                ),
            ]
        ),
        (
            Act("c1", "send", "begin"),
            Act("c2", "see", when="asked", shows={"approvals": ["o1"]}),
            Act(
                "c3",
                "queue",
                "count",
                output=Verdict(ok=True, count=3),
                shows={"queue": ["count: output"]},
            ),
            Act("c4", "approve", about="o1", shows={"approvals": []}),
            Act("c5", "see", when="asked", shows={"queue": [], "approvals": ["o2"]}),
            Act("c6", "tag", value=["waits"], shows={"tags": ["waits"]}),
            Act("c7", "approve", about="o2", shows={"approvals": []}),
            Act("c8", "see", when="idle"),
        ),
    ),
    Scenario(
        "hooks",
        Script(
            [
                calls(
                    call("write", key="change"),
                    call("write", key="refuse"),
                    call("deploy", key="pass"),
                ),
                say("Not yet."),
                say("Now it is done."),
            ]
        ),
        (
            Act("c1", "send", "go on"),
            Act(
                "c2",
                "see",
                when="asked",
                shows={"approvals": ["pass"], "data": {"count": 1, "note": ""}},
            ),
            Act("c3", "tag", value=["waits"], shows={"tags": ["waits"]}),
            Act("c4", "approve", about="pass", shows={"approvals": []}),
            Act("c5", "see", when="idle"),
        ),
        share=4,
        brings=("guard",),
    ),
    Scenario(
        "money",
        Script(
            rules=[
                when("first", call("write", key="s1"), say("The first.")),
                when("elsewhere", say("Elsewhere.")),
                when("second", call("write", key="s2"), say("The second.")),
            ]
        ),
        (
            Act("c1", "send", "the first"),
            Act("c2", "see", when="idle"),
            Act("c3", "beside", "elsewhere"),
            Act("c4", "send", "the second"),
            Act("c5", "see", when="idle"),
        ),
        share=5,
        brings=("money",),
    ),
)
