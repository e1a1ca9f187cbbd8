"""Durable events: the facts that a thread is made of. They are never changed.

A durable event has a sequence number (from 1, without gaps in its thread), a time, the run that it
belongs to, the lease epoch that wrote it (`Opened` says which session that was) and, as `cause`,
the id of the command that led to it. The journal fills these in.

Events are for ever: a new field has a default; a removed one gets an upcaster in `codec`.
"""

from typing import TypeAlias

from longrein.core.child_events import ChildChanged as ChildChanged
from longrein.core.child_events import ChildEnded as ChildEnded
from longrein.core.child_events import ChildSpent as ChildSpent
from longrein.core.child_events import ChildStarted as ChildStarted
from longrein.core.compaction_events import Compacted as Compacted
from longrein.core.compaction_events import CompactionAsked as CompactionAsked
from longrein.core.compaction_events import CompactionFailed as CompactionFailed
from longrein.core.compaction_events import CompactionStarted as CompactionStarted
from longrein.core.compaction_events import InputPinned as InputPinned
from longrein.core.compaction_events import InputUnpinned as InputUnpinned
from longrein.core.durable import Durable as Durable
from longrein.core.run_events import ApprovalAnswered as ApprovalAnswered
from longrein.core.run_events import ApprovalRequested as ApprovalRequested
from longrein.core.run_events import CallReexamined as CallReexamined
from longrein.core.run_events import ContextChanged as ContextChanged
from longrein.core.run_events import HookEnded as HookEnded
from longrein.core.run_events import HookFailed as HookFailed
from longrein.core.run_events import HookStarted as HookStarted
from longrein.core.run_events import InputPromoted as InputPromoted
from longrein.core.run_events import Interrupted as Interrupted
from longrein.core.run_events import NoteAdded as NoteAdded
from longrein.core.run_events import Parked as Parked
from longrein.core.run_events import PrefixStarted as PrefixStarted
from longrein.core.run_events import QuestionAnswered as QuestionAnswered
from longrein.core.run_events import QuestionAsked as QuestionAsked
from longrein.core.run_events import RunEnded as RunEnded
from longrein.core.run_events import RunStarted as RunStarted
from longrein.core.run_events import SideCallEnded as SideCallEnded
from longrein.core.run_events import SideCallStarted as SideCallStarted
from longrein.core.run_events import StepEnded as StepEnded
from longrein.core.run_events import StepFailed as StepFailed
from longrein.core.run_events import StepInterrupted as StepInterrupted
from longrein.core.run_events import StepStarted as StepStarted
from longrein.core.run_events import TimerDue as TimerDue
from longrein.core.run_events import ToolEnded as ToolEnded
from longrein.core.run_events import ToolStarted as ToolStarted
from longrein.core.run_events import Warned as Warned
from longrein.core.thread_events import CommandNoted as CommandNoted
from longrein.core.thread_events import Forked as Forked
from longrein.core.thread_events import GrantAdded as GrantAdded
from longrein.core.thread_events import GrantRevoked as GrantRevoked
from longrein.core.thread_events import InputAdmitted as InputAdmitted
from longrein.core.thread_events import InputEdited as InputEdited
from longrein.core.thread_events import InputWithdrawn as InputWithdrawn
from longrein.core.thread_events import ModeChanged as ModeChanged
from longrein.core.thread_events import ModelChanged as ModelChanged
from longrein.core.thread_events import Opened as Opened
from longrein.core.thread_events import QueueReleased as QueueReleased
from longrein.core.thread_events import QueueReordered as QueueReordered
from longrein.core.thread_events import Recorded as Recorded
from longrein.core.thread_events import Rewound as Rewound
from longrein.core.thread_events import RuleAdded as RuleAdded
from longrein.core.thread_events import RuleRemoved as RuleRemoved
from longrein.core.thread_events import SettingsChanged as SettingsChanged
from longrein.core.thread_events import StateChanged as StateChanged
from longrein.core.thread_events import StateInvalid as StateInvalid
from longrein.core.thread_events import ThreadCreated as ThreadCreated
from longrein.core.thread_events import ThreadRenamed as ThreadRenamed
from longrein.core.thread_events import ThreadTagged as ThreadTagged
from longrein.core.thread_events import TrustChanged as TrustChanged
from longrein.core.thread_events import Unknown as Unknown

Event: TypeAlias = (
    ThreadCreated
    | Opened
    | Forked
    | ThreadRenamed
    | ThreadTagged
    | SettingsChanged
    | StateChanged
    | StateInvalid
    | Recorded
    | Rewound
    | CommandNoted
    | InputAdmitted
    | InputEdited
    | InputWithdrawn
    | QueueReordered
    | QueueReleased
    | RunStarted
    | InputPromoted
    | RunEnded
    | InputPinned
    | InputUnpinned
    | CompactionAsked
    | CompactionStarted
    | Compacted
    | CompactionFailed
    | PrefixStarted
    | ContextChanged
    | Warned
    | StepStarted
    | StepEnded
    | StepFailed
    | StepInterrupted
    | NoteAdded
    | ApprovalRequested
    | ApprovalAnswered
    | GrantAdded
    | GrantRevoked
    | RuleAdded
    | RuleRemoved
    | ToolStarted
    | CallReexamined
    | ToolEnded
    | QuestionAsked
    | QuestionAnswered
    | ChildStarted
    | ChildChanged
    | ChildEnded
    | ChildSpent
    | Interrupted
    | ModeChanged
    | ModelChanged
    | TrustChanged
    | HookStarted
    | HookEnded
    | HookFailed
    | SideCallStarted
    | SideCallEnded
    | Parked
    | TimerDue
    | Unknown
)
"""Every durable event, closed: a type checker can tell whether a match is complete."""
