"""The settings of hooks."""

from longrein.settings.setting import Group, Setting

_WHEN = {
    "PreToolUse": "Before a tool is called; can refuse it",
    "PostToolUse": "After a tool was called",
    "UserPromptSubmit": "When you say something; can refuse it, or add to it",
    "Notification": "When the agent waits for you",
    "Stop": "When a run would end; can have it go on",
    "SubagentStop": "When a subagent would end; can have it go on",
    "PreCompact": "Before requests are made shorter",
    "SessionStart": "When work on a thread begins; can add to what the model is told",
    "SessionEnd": "When work on a thread ends",
}


def _event(event: str, when: str) -> Group:
    return Group(
        f"hooks.{event}",
        when,
        (
            Setting(
                f"hooks.{event}[].matcher", "For which tools, or causes; empty: for all.", '"*"'
            ),
            Setting(
                f"hooks.{event}[].command",
                "The command, which is run as you, not isolated.",
                '"true"',
            ),
            Setting(f"hooks.{event}[].timeout", "Seconds that the command may take.", default=60.0),
        ),
        shape="list",
        brief=event != "PreToolUse",
    )


HOOKS = (
    Group(
        "hooks",
        "Commands of yours that are run when something happens",
        (
            Setting("hooks.enabled", "Whether any are run.", default=True, own=True),
            Setting(
                "hooks.claude",
                "Whether those in .claude/settings.json are run too, yours and the project's.",
                "true",
                False,
                own=True,
            ),
        ),
    ),
    *(_event(event, when) for event, when in _WHEN.items()),
)
