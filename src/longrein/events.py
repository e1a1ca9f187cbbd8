"""Every event by name, to match on.

>>> from longrein import events
>>> def line(event: events.AnyEvent) -> str:
...     match event:
...         case events.TextFragment(text=text):
...             return text
...         case events.ToolStarted(name=name):
...             return f"[{name}]"
...         case _:
...             return ""
>>> line(events.ToolStarted("call_1", "deploy", "{}"))
'[deploy]'
"""

from typing import TypeAlias

from longrein.core.events import (
    ApprovalAnswered,
    ApprovalRequested,
    CallReexamined,
    CommandNoted,
    Durable,
    Event,
    Forked,
    GrantAdded,
    GrantRevoked,
    HookEnded,
    HookFailed,
    HookStarted,
    InputAdmitted,
    InputEdited,
    InputPromoted,
    InputWithdrawn,
    Interrupted,
    ModeChanged,
    ModelChanged,
    NoteAdded,
    Opened,
    PrefixStarted,
    QuestionAnswered,
    QuestionAsked,
    QueueReleased,
    QueueReordered,
    Recorded,
    Rewound,
    RuleAdded,
    RuleRemoved,
    RunEnded,
    RunStarted,
    SettingsChanged,
    SideCallEnded,
    StateChanged,
    StateInvalid,
    StepEnded,
    StepFailed,
    StepInterrupted,
    StepStarted,
    ThreadCreated,
    ThreadRenamed,
    ThreadTagged,
    TimerDue,
    ToolEnded,
    ToolStarted,
    TrustChanged,
    Unknown,
)
from longrein.core.live import (
    Live,
    LiveEvent,
    ReasoningFragment,
    Signalled,
    TextFragment,
    ToolInputFragment,
    ToolOutputFragment,
)

AnyEvent: TypeAlias = Event | LiveEvent
"""What following a session gives: durable events, and the live fragments between them."""

__all__ = [
    "AnyEvent",
    "ApprovalAnswered",
    "ApprovalRequested",
    "CallReexamined",
    "CommandNoted",
    "Durable",
    "Event",
    "Forked",
    "GrantAdded",
    "GrantRevoked",
    "HookEnded",
    "HookFailed",
    "HookStarted",
    "InputAdmitted",
    "InputEdited",
    "InputPromoted",
    "InputWithdrawn",
    "Interrupted",
    "Live",
    "LiveEvent",
    "ModeChanged",
    "ModelChanged",
    "NoteAdded",
    "Opened",
    "PrefixStarted",
    "QuestionAnswered",
    "QuestionAsked",
    "QueueReleased",
    "QueueReordered",
    "ReasoningFragment",
    "Recorded",
    "Rewound",
    "RuleAdded",
    "RuleRemoved",
    "RunEnded",
    "RunStarted",
    "SettingsChanged",
    "SideCallEnded",
    "Signalled",
    "StateChanged",
    "StateInvalid",
    "StepEnded",
    "StepFailed",
    "StepInterrupted",
    "StepStarted",
    "TextFragment",
    "ThreadCreated",
    "ThreadRenamed",
    "ThreadTagged",
    "TimerDue",
    "ToolEnded",
    "ToolInputFragment",
    "ToolOutputFragment",
    "ToolStarted",
    "TrustChanged",
    "Unknown",
]
