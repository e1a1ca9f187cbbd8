"""What both sides are asked to do: the words, the tool and the sizes. Imports nothing of ours."""

from typing import NamedTuple

MODEL = "scripted"
SYSTEM = "You are a careful assistant. Look at every file that you are asked about."
PROMPT = "Look at all the files and tell me what is in them."
THOUGHT = "I look at the next file and then go on with the one after it."
FOUND = "It holds a list of names, one on each line, in the order in which they came. " * 3

TOOL = {
    "type": "function",
    "function": {
        "name": "look",
        "description": "Look at a file.",
        "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "line": {"type": "integer"},
            },
            "required": ["path", "line"],
            "additionalProperties": False,
        },
    },
}
"""The tool as it is offered to the model; Longrein makes the same from the function."""


def found(path: str, line: int) -> str:
    """What the tool says."""
    return f"{path}:{line}: {FOUND}"


class Workload(NamedTuple):
    """So many sessions at once, each of so many tool steps and a last reply in so many chunks."""

    name: str
    steps: int
    chunks: int = 4
    sessions: int = 1


WORKLOADS = (
    Workload("step_ratio_50", 50),
    Workload("step_ratio_200", 200),
    Workload("step_ratio_800", 800),
    Workload("chunk_ratio", 0, chunks=5000),
    Workload("sessions_ratio", 10, sessions=200),
)
