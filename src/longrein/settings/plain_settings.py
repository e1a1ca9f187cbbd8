"""The settings that stand once in a file."""

from longrein.settings.setting import Group, Setting

PLAIN = (
    Group(
        "",
        "The model, and how much it may do",
        (
            Setting(
                "model",
                "The model that the agent uses. `longrein models` lists those that you can use.",
                '"anthropic:claude-sonnet-4-5"',
                otherwise="none",
                variable="LONGREIN_MODEL",
            ),
            Setting(
                "fallback",
                "Models that take over, one after the other, where the one before cannot answer.",
                '["openai:gpt-5", "ollama:qwen3"]',
                (),
                variable="LONGREIN_FALLBACK",
            ),
            Setting(
                "trust",
                "How much happens unasked in new threads: nothing that changes anything (ask), "
                "edits of files too (edits), no changes at all (plan), all that no rule denies "
                "(yolo).",
                default="ask",
                variable="LONGREIN_TRUST",
                own=("yolo",),
            ),
            Setting(
                "titles",
                "The model that gives threads their titles; a small one will do.",
                '"anthropic:claude-haiku-4-5"',
                otherwise="the first words of a thread",
            ),
            Setting(
                "store",
                'Where threads are kept: the path of an SQLite file, or "memory" for nowhere.',
                '"~/threads.db"',
                otherwise="longrein.db in your data folder",
                variable="LONGREIN_STORE",
            ),
            Setting(
                "synchronous",
                "When a write counts: when it is surely on the disk (full), or sooner (normal): "
                "then a loss of power may take the last moments with it.",
                default="full",
                variable="LONGREIN_SYNCHRONOUS",
            ),
            Setting(
                "shell",
                "Where commands of the agent run: isolated (sandbox), as you yourself (host), or "
                "not at all (off).",
                default="sandbox",
                variable="LONGREIN_SHELL",
                own=("host",),
            ),
            Setting(
                "readable",
                "Folders beside the project that isolated commands may read.",
                '["~/.cargo"]',
                (),
                own=True,
                adds=True,
            ),
            Setting(
                "writable",
                "Folders beside the project that isolated commands may read and change.",
                '["~/.cache/uv"]',
                (),
                own=True,
                adds=True,
            ),
        ),
    ),
    Group(
        "limits",
        "Where each run stops",
        (
            Setting(
                "limits.steps",
                "How many model calls a run may make.",
                default=250,
                variable="LONGREIN_MAX_STEPS",
            ),
            Setting(
                "limits.tokens",
                "How many tokens a run may use, in and out together.",
                "2000000",
                otherwise="no limit",
                variable="LONGREIN_MAX_TOKENS",
            ),
            Setting(
                "limits.cost",
                "How many dollars a run may cost; prices of all models in use have to be known.",
                "5.0",
                otherwise="no limit",
                variable="LONGREIN_MAX_COST",
            ),
            Setting(
                "limits.seconds",
                "How many seconds a run may work; waiting for you does not count.",
                "3600.0",
                otherwise="no limit",
                variable="LONGREIN_MAX_SECONDS",
            ),
        ),
    ),
    Group(
        "budget",
        "What may be spent, in dollars; prices of all models in use have to be known",
        (
            Setting("budget.thread", "How much one thread may cost.", "20.0", otherwise="no limit"),
            Setting(
                "budget.project",
                "How much all threads of a project may cost together.",
                "100.0",
                otherwise="no limit",
            ),
        ),
    ),
    Group(
        "app",
        "The terminal app",
        (
            Setting(
                "app.theme", "The colours of the app; /theme lists them.", default="longrein-dark"
            ),
            Setting(
                "app.notify",
                "What the app does when it waits for you: ring the terminal's bell (bell), show a "
                "notification of the desktop (desktop), or nothing (off).",
                default="bell",
            ),
            Setting(
                "app.mouse",
                "Whether the app takes the mouse; if not, the terminal selects text itself.",
                default=True,
                own=True,
            ),
            Setting("app.animations", "Whether anything in the app moves by itself.", default=True),
            Setting("app.timestamps", "Whether messages show when they were said.", default=False),
            Setting(
                "app.editor",
                "The command that edits long texts.",
                '"vim"',
                otherwise="that of VISUAL or EDITOR",
                own=True,
            ),
            Setting(
                "app.reasoning",
                "How the model's reasoning is shown: as a line that opens (folded), not at all "
                "(hidden), or whole (open).",
                default="folded",
            ),
        ),
    ),
    Group(
        "compaction",
        "When a conversation becomes too long for its model",
        (
            Setting(
                "compaction.enabled",
                "Whether something is left out of requests then; if not, only when you ask for it.",
                default=True,
            ),
            Setting(
                "compaction.share",
                "How full the model's window may be before something is left out; 1 is full.",
                default=0.85,
            ),
            Setting(
                "compaction.keep",
                "How much of the window is for the newest steps, which stay whole.",
                default=0.25,
            ),
            Setting(
                "compaction.model",
                "The model that writes summaries of what is left out.",
                '"anthropic:claude-haiku-4-5"',
                otherwise="the model in use",
            ),
            Setting("compaction.timeout", "Seconds that a summary may take.", default=120.0),
        ),
    ),
    Group(
        "observing",
        "Notes on long conversations, taken beside the work",
        (
            Setting(
                "observing.enabled",
                "Whether notes are taken. They cost model calls of their own.",
                "true",
                False,
            ),
            Setting(
                "observing.model",
                "The model that takes notes.",
                '"anthropic:claude-haiku-4-5"',
                otherwise="the model in use",
            ),
            Setting(
                "observing.reflector_model",
                "The model that condenses the notes when they become long.",
                '"anthropic:claude-haiku-4-5"',
                otherwise="the one that takes them",
            ),
            Setting(
                "observing.observe_at",
                "Tokens of conversation after which notes are taken.",
                default=30_000,
            ),
            Setting(
                "observing.reflect_at",
                "Tokens of notes after which they are condensed.",
                default=20_000,
            ),
        ),
    ),
    Group(
        "subagents",
        "Others that the agent gives work to",
        (
            Setting("subagents.enabled", "Whether the agent delegates work.", default=True),
            Setting(
                "subagents.default",
                "Whether there is a subagent for all kinds of work, beside those that you write.",
                default=True,
            ),
            Setting(
                "subagents.depth", "How deep subagents may have subagents of their own.", default=2
            ),
        ),
    ),
    Group(
        "skills",
        "Instructions for kinds of work, in folders with a SKILL.md",
        (Setting("skills.enabled", "Whether skills are listed and loaded.", default=True),),
    ),
    Group(
        "memory",
        "Instructions in AGENTS.md files",
        (
            Setting(
                "memory.enabled",
                "Whether the agent is given the instructions in AGENTS.md files.",
                default=True,
            ),
        ),
    ),
)
