"""What a model is told by systems, in few words for people."""

import re

from longrein.client.own_words import SOURCE, read_told
from longrein.client.words import brief, first_line
from longrein.core.display import Display
from longrein.core.messages import Note
from longrein.core.outcomes import Problem
from longrein.tui.view.calls import own_command
from longrein.tui.view.entries import Called, Told

LONGEST = 160

HINTS = {
    "auth": "{model} does not take the key: `longrein login {provider}`, or /model for another.",
    "rate_limited": "{model} takes no more for now: go on later, or /model for another.",
    "overloaded": "{model} has too much to do: go on later, or /model for another.",
    "bad_request": "{model} does not take this request: /model for another, or /rewind.",
    "filtered": "{model} does not answer this: say it otherwise, or /model for another.",
    "network": "{model} cannot be reached: go on once it can, or /model for another.",
    "limit_steps": "The setting limits.steps allows more.",
    "limit_tokens": "The setting limits.tokens allows more.",
    "limit_cost": "The settings limits.cost and budget allow more.",
    "limit_seconds": "The setting limits.seconds allows more.",
    "refused": "Say it otherwise, or see /hooks.",
}
"""What a person can do about a failure, by its kind."""

NO_MODEL = "/model chooses one."

_TASK = re.compile(r", task \S+,")


def noted(key: str, note: Note) -> Told | Called:
    """A note as an entry: a command that the person ran, or one line about what happened."""
    ran = read_told(note.text) if note.source == SOURCE else None
    if ran is not None:
        return own_command(key, ran)
    words, whole = brief(_words(note), LONGEST), note.text.strip()
    return Told(key, words, source=note.source, whole="" if whole in words else whole)


def troubled(key: str, problem: Problem, model: str, retries: bool) -> Told:
    """What went wrong, at the end of the conversation, and what to do about it."""
    text = _what_happened(problem)
    if retries:
        return Told(key, f"{text} Trying again soon.", "warn", problem.kind)
    hint = HINTS.get(problem.kind, "")
    hint = hint if model or "{model}" not in hint else NO_MODEL
    hint = hint.format(model=model, provider=model.partition(":")[0])
    tone = "warn" if _is_meant(problem) else "bad"
    return Told(key, f"{text} {hint}".rstrip(), tone, problem.kind)


def _what_happened(problem: Problem) -> str:
    text = (problem.message or problem.kind).strip()
    text = f"A hook stopped it: {text}" if problem.kind == "refused" else text
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def _is_meant(problem: Problem) -> bool:
    """Whether a run ended because somebody had set it so."""
    return problem.kind == "refused" or problem.kind.startswith("limit_")


def warned(shown: Display) -> dict[int, list[Told]]:
    """What went wrong without hurting a run, and how earlier runs ended that were not done, by the
    number of messages before it; what is wrong still comes after all of them."""
    found: dict[int, list[Told]] = {}
    still = (len(shown.messages),) * (len(shown.warnings) - len(shown.warned))
    for problem, at in zip(shown.warnings, (*shown.warned, *still), strict=False):
        if at >= 0:
            said = found.setdefault(at, [])
            text = problem.message or problem.kind
            said.append(Told(f"w{at}.{len(said)}", text, "warn", problem.kind))
    for at, problem in ((one.at, one.problem) for one in shown.endings):
        said = found.setdefault(at, [])
        text = brief(f"The run ended here: {_what_happened(problem)}", LONGEST)
        said.append(Told(f"e{at}.{len(said)}", text, source=problem.kind))
    return found


def _words(note: Note) -> str:
    kind, _, name = note.source.partition(":")
    match kind:
        case "mode":
            return f"Mode {name}"
        case "context":
            return f"The model was told what changed in its instructions: {name}"
        case "rewind":
            first, *rest = note.text.strip().split("\n")
            return f"Rewound. {'; '.join(rest) if rest else f'The model was told: {first}'}"
        case "subagent":
            return _TASK.sub("", note.text, count=1)
        case "output":
            return "The answer was asked for in a given form"
        case "proceed":
            return "Asked to go on"
        case "capability":
            return f"{name.replace('_', ' ')}: {first_line(note.text).rstrip(':')}"
        case "":
            return note.text
        case _:
            return f"{note.source}: {first_line(note.text)}"
