"""Sessions with shell hooks, which are real commands."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longrein.capabilities.hooks.capability import ShellHooks
from longrein.capabilities.hooks.spec import HookEvent, ShellHook
from longrein.harness import Harness
from longrein.testing import Reply, ScriptedModel
from longrein.tools.define import Function, Tool
from tests.capabilities.kit import hosting
from tests.session.tools import deploy, read


class Shell:
    """A folder for hooks, and what they were told: each writes its input to a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hooks: list[ShellHook] = []

    def on(
        self, event: HookEvent, script: str = "", matcher: str = "", timeout: float = 40.0
    ) -> "Shell":
        """A hook that keeps what it is told, also in $told, then goes on with a script."""
        keep = f"told=$(cat); printf '%s\\n' \"$told\" >> told.{event}"
        self.hooks.append(ShellHook(event, f"{keep}; {script}", matcher, timeout))
        return self

    def told(self, event: HookEvent) -> list[dict[str, Any]]:
        """What the hooks of an event were told, each time."""
        path = self.folder / f"told.{event}"
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def capability(self) -> ShellHooks:
        environ = {"PATH": os.environ["PATH"]}
        return ShellHooks(self.hooks, folder=self.folder, environ=environ)

    def harness(
        self,
        model: ScriptedModel | Sequence[Reply],
        *tools: Tool | Function,
        **more: Any,
    ) -> Harness:
        return hosting(model, self.capability(), tools=tools or [read, deploy], **more)


def answer(**fields: Any) -> str:
    """A script that writes this as its answer."""
    return f"cat <<'END'\n{json.dumps(fields)}\nEND"


def decided(decision: str, reason: str = "", **more: Any) -> str:
    """A script that decides on a call."""
    specific: dict[str, Any] = {"hookEventName": "PreToolUse", "permissionDecision": decision}
    if reason:
        specific["permissionDecisionReason"] = reason
    return answer(hookSpecificOutput=specific | more)
