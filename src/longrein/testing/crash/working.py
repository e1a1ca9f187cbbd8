"""The workload of a workspace: files that tools and commands change, and the way back from that."""

from collections.abc import Mapping

from longrein.core.policy import Rule
from longrein.testing.crash.acts import Act, Scenario
from longrein.testing.crash.folders import brief
from longrein.testing.replies import call, calls, say
from longrein.testing.scripted import Script, when

_PAGES = "".join(f"line {n} of an essay that takes more than one write\n" for n in range(1500))
_ESSAY = f"the old beginning\n{_PAGES}"
_EDITED = f"the new beginning\n{_PAGES}"

START: Mapping[str, str] = {
    "essay.txt": _ESSAY,
    "notes.txt": "some notes\n",
    "draft.txt": "better notes\n",
    "spare.txt": "of no use\n",
    "deep/kept.txt": "nobody touches this\n",
}
"""The files of the folder before anything happens, by path."""

_RAN = ("ran\n", "more\n", "ran\nmore\n")

_LATER: Mapping[str, tuple[str | None, ...]] = {
    "essay.txt": (_EDITED,),
    "notes.txt": ("better notes\n",),
    "draft.txt": (None,),
    "spare.txt": (None,),
    "new/page.txt": (None, "a page\n"),
    # A shell makes the file before it writes to it.
    "ran.txt": (None, "", *_RAN),
    "last.txt": (None, "the last\n"),
}
"""What else may be at a path, whole; None is nothing."""

PIECES: Mapping[str, frozenset[str | None]] = {
    path: frozenset(
        None if text is None else brief(text.encode())
        for text in (*_LATER.get(path, ()), *([START[path]] if path in START else []))
    )
    for path in (*START, *_LATER)
}
"""All that may ever be at a path, as `folders.found` tells of it."""

ON_FILES = frozenset({"edit_file", "write_file", "delete", "execute"})
"""The tools whose effect is what lies in the folder."""

RULES = (Rule("allow", category="edit"),)

# What the first leaves in the background has to end with the process that started it.
_FIRST = "mv draft.txt notes.txt && echo ran >> ran.txt; sleep 1000 &"
_SECOND = "echo more >> ran.txt"

_BACK: Mapping[str, list[str]] = {"said": []}
_THERE: Mapping[str, list[str]] = {"said": ["work"]}

WORKING = Scenario(
    "working",
    Script(
        rules=[
            when(
                "work",
                calls(
                    call(
                        "edit_file",
                        path="essay.txt",
                        edits=[{"old_string": "the old", "new_string": "the new"}],
                    ),
                    call("write_file", path="new/page.txt", content="a page\n"),
                    call("delete", path="spare.txt"),
                ),
                call("execute", command=_FIRST),
                call("execute", command=_SECOND),
                say("Worked."),
            ),
            when(
                "last", call("write_file", path="last.txt", content="the last\n"), say("The last.")
            ),
        ]
    ),
    (
        Act("c1", "send", "work"),
        Act("c2", "see", when="asked", shows={**_THERE, "approvals": [_FIRST]}),
        Act("c3", "approve", about=_FIRST, shows={"approvals": []}),
        Act("c4", "see", when="asked", shows={"approvals": [_SECOND]}),
        Act("c5", "approve", about=_SECOND, shows={"approvals": []}),
        Act("c6", "see", when="idle"),
        Act("c7", "rewind", inputs=("c1",), shows=_BACK),
        Act("c8", "undo", shows=_THERE),
        Act("c9", "rewind", inputs=("c1",), value="overwrite", shows=_BACK),
        Act("c10", "undo", shows=_THERE),
        Act("c11", "send", "last"),
        Act("c12", "see", when="idle", shows={"said": ["work", "last"]}),
    ),
    brings=("workspace",),
    share=5,
)
