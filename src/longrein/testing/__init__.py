"""The testing kit: scripted and broken models, a scripted provider, clocks, conformance suites."""

from longrein.testing.broken import BROKEN, gone_wrong
from longrein.testing.chaos import FAULTS, ChaosModel, Fault
from longrein.testing.clock import CountingIds, ManualClock
from longrein.testing.filesystems import FileSystemCase, filesystem_cases
from longrein.testing.models import MODEL_CHECKS
from longrein.testing.replies import (
    Reply,
    broken,
    call,
    calls,
    fail,
    noise,
    pause,
    raw_call,
    reply,
    say,
    think,
)
from longrein.testing.scripted import Script, ScriptedModel, When, when
from longrein.testing.server import ScriptedServer
from longrein.testing.stores import StoreCase, store_cases

__all__ = [
    "BROKEN",
    "FAULTS",
    "MODEL_CHECKS",
    "ChaosModel",
    "CountingIds",
    "Fault",
    "FileSystemCase",
    "ManualClock",
    "Reply",
    "Script",
    "ScriptedModel",
    "ScriptedServer",
    "StoreCase",
    "When",
    "broken",
    "call",
    "calls",
    "fail",
    "filesystem_cases",
    "gone_wrong",
    "noise",
    "pause",
    "raw_call",
    "reply",
    "say",
    "store_cases",
    "think",
    "when",
]
