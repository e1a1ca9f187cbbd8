"""Whether the files of a workspace are what they may be, whatever was killed when. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from longrein.core import events as e
from longrein.testing.crash.case import Case
from longrein.testing.crash.folders import brief, is_temporary
from longrein.testing.crash.wire import Folder
from longrein.testing.crash.working import PIECES, START

_START = {path: brief(text.encode()) for path, text in START.items()}

Files = Mapping[str, str]


def misplaced(case: Case, events: Sequence[e.Event]) -> Iterator[str]:
    """Files that are torn, not brought back by a rewind, or not by its undoing."""
    looks = [message for life in case.lives for message in life.said if isinstance(message, Folder)]
    for look in looks:
        yield from _torn(look)
    acts, stages = case.plan.scenario.acts, _stages(case)
    for place, act in enumerate(acts, 1):
        if act.do not in ("rewind", "undo") or place not in stages:
            continue
        left = [path.removeprefix(f"{case.project}/") for path in _reported(events, act.id)]
        back = _kept(_START, stages[place - 1], left)
        wanted = stages[place - 2] if act.do == "undo" else back
        yield from _differences(act.id, stages[place], wanted)
        allowed = _cut_off(events) if act.do == "rewind" and not act.value else ""
        for path in left:
            if path not in allowed:
                yield f"{act.id} left {path} as it was, and nothing of it was cut off"


def reported(events: Sequence[e.Event]) -> int:
    """How many files rewinds left as they were, and said so."""
    return sum(len(event.report.foreign) for event in events if isinstance(event, e.Rewound))


def left_behind(case: Case) -> Iterator[str]:
    """What should have gone with the processes that were killed."""
    yield from (f"a process that runs on: {command}" for command in case.orphans)
    last = next((one for one in reversed(case.lives[-1].said) if isinstance(one, Folder)), None)
    for path in last.files if last else ():
        if is_temporary(path):
            yield f"a file that was being written: {path}"


def _stages(case: Case) -> dict[int, Files]:
    """What lay in the folder after each number of acts, when nobody had begun with the next one."""
    places = {act.id: place for place, act in enumerate(case.plan.scenario.acts, 1)}
    stages: dict[int, Files] = {}
    before = 0
    for life in case.lives:
        looks = {places[m.after]: m.files for m in life.said if isinstance(m, Folder) and m.after}
        stages.update((place, _named(files)) for place, files in looks.items() if place > before)
        before = max(before, *looks, 0)
    return stages


def _named(files: Files) -> Files:
    return {path: content for path, content in files.items() if not is_temporary(path)}


def _kept(start: Files, before: Files, left: Sequence[str]) -> Files:
    """What a rewind leads to that left some files as they were before it."""
    back = {path: content for path, content in start.items() if path not in left}
    return back | {path: before[path] for path in left if path in before}


def _torn(look: Folder) -> Iterator[str]:
    for path in (*PIECES, *(path for path in _named(look.files) if path not in PIECES)):
        if look.files.get(path) not in PIECES.get(path, ()):
            yield f"after {look.after or 'opening'} {path} is {look.files.get(path)!r}"


def _reported(events: Sequence[e.Event], command: str) -> list[str]:
    rewinds = (one for one in events if isinstance(one, e.Rewound) and one.cause == command)
    return [
        left.path for one in rewinds for left in (*one.report.foreign, *one.report.unrestorable)
    ]


def _cut_off(events: Sequence[e.Event]) -> str:
    """What was said to tools of which nobody knows whether they ran."""
    unknown = {
        event.call
        for event in events
        if isinstance(event, e.ToolEnded) and event.status == "unknown"
    }
    started = (event for event in events if isinstance(event, e.ToolStarted))
    return "\n".join(event.arguments for event in started if event.call in unknown)


def _differences(act: str, got: Files, wanted: Files) -> Iterator[str]:
    for path in sorted({*got, *wanted}):
        if got.get(path) != wanted.get(path):
            yield f"after {act} {path} is {got.get(path)!r}, not {wanted.get(path)!r}"
