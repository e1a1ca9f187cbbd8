"""The settings that stand in a file for each name, or for each entry of a list."""

from longrein.settings.setting import Group, Setting

REPEATED = (
    Group(
        "rules",
        "What is allowed, asked about or denied; every deny holds",
        (
            Setting("rules[].effect", "What happens to calls that the rule is about.", '"ask"'),
            Setting(
                "rules[].tool",
                "The tool that the rule is about; without any of these it is about all calls.",
                '"execute"',
            ),
            Setting(
                "rules[].category", "The category of tools that the rule is about.", '"execute"'
            ),
            Setting(
                "rules[].always",
                "Whether to ask even where you said always: a yes counts once.",
                "true",
                False,
            ),
            Setting(
                "rules[].arguments",
                "Only calls whose arguments fit these patterns.",
                '{ target = "prod*" }',
            ),
            Setting("rules[].path", "Only calls that touch such paths.", '"**/.env"'),
            Setting("rules[].command", "Only such commands.", '"git push*"'),
            Setting("rules[].host", "Only calls that reach such hosts.", '"*.example.com"'),
        ),
        shape="list",
    ),
    Group(
        "files",
        "What the agent may do with files; the first that is about a path decides",
        (
            Setting("files[].effect", "What happens to such uses of files.", '"deny"'),
            Setting(
                "files[].paths",
                "Which files; a path that begins with neither / nor ** is one of the project.",
                '["**/.env", "secrets/**"]',
            ),
            Setting("files[].operations", "Which uses of the files.", default=("read", "write")),
        ),
        shape="list",
    ),
    Group(
        "models",
        'What is asked of a "provider:model", or of all models of a provider',
        (
            Setting("models.*.effort", "How hard the model thinks.", '"high"'),
            Setting("models.*.max_output", "Tokens that an answer may have.", "16000"),
            Setting(
                "models.*.temperature", "How freely the model chooses words, from 0 to 2.", "0.2"
            ),
            Setting(
                "models.*.media",
                "What the model takes beside text; [] for text alone.",
                '["image", "pdf"]',
                otherwise="images and PDFs",
            ),
        ),
        shape="named",
        named="anthropic",
    ),
    Group(
        "profiles",
        "What goes with a model, or with all models of a provider",
        (
            Setting("profiles.*.prompt", "What is added to the instructions.", '"Answer briefly."'),
            Setting(
                "profiles.*.base_prompt", "What stands in place of the instructions.", '"You help."'
            ),
            Setting(
                "profiles.*.tool_descriptions",
                "Other descriptions for tools.",
                '{ glob = "Find files by name." }',
            ),
            Setting("profiles.*.excluded_tools", "Tools that the model does not see.", '["move"]'),
            Setting(
                "profiles.*.excluded_capabilities",
                "Capabilities that the agent does not have.",
                '["todos"]',
            ),
            Setting("profiles.*.alone", "Whether nothing of weaker profiles holds.", "true", False),
            Setting("profiles.*.settings.effort", "As in models.", '"low"'),
            Setting("profiles.*.settings.max_output", "As in models.", "8000"),
            Setting("profiles.*.settings.temperature", "As in models.", "0.2"),
            Setting("profiles.*.settings.media", "As in models.", '["image"]'),
        ),
        shape="named",
        named="ollama",
    ),
    Group(
        "providers",
        "Who offers models: others than the known ones, or changes of these",
        (
            Setting(
                "providers.*.base_url", "The address of the provider.", '"http://127.0.0.1:8000/v1"'
            ),
            Setting(
                "providers.*.key_env",
                "The environment variable that holds the key.",
                '"LOCAL_KEY"',
                otherwise="the provider's own",
            ),
            Setting(
                "providers.*.key",
                "The key itself. `longrein login` keeps it in a better place.",
                '"KEY"',
                own=True,
                secret=True,
            ),
            Setting(
                "providers.*.wire", "The wire that the provider speaks.", default="openai_chat"
            ),
            Setting(
                "providers.*.headers",
                "Further headers of each request.",
                '{ X-Team = "blue" }',
                secret=True,
            ),
            Setting(
                "providers.*.output_field",
                "The field of a request that bounds the answer.",
                '"max_tokens"',
            ),
            Setting(
                "providers.*.reasoning_field",
                "The field in which reasoning is sent back.",
                '"reasoning_content"',
            ),
            Setting("providers.*.reasoning_details", "Whether reasoning comes signed.", "false"),
            Setting("providers.*.stream_usage", "Whether usage has to be asked for.", "true"),
            Setting("providers.*.short_call_ids", "Whether call ids have nine letters.", "false"),
            Setting(
                "providers.*.answer_before_user",
                "Whether an answer has to stand between results and your words.",
                "false",
            ),
        ),
        shape="named",
        named="local",
    ),
    Group(
        "prices",
        "What a model costs, in dollars per million tokens",
        (
            Setting(
                "prices.*.input",
                "What the model is shown. Prices here come before those of the price list.",
                "0.5",
            ),
            Setting("prices.*.output", "What the model writes.", "2.0"),
            Setting(
                "prices.*.cached", "What is read from the cache.", "0.05", otherwise="as input"
            ),
            Setting(
                "prices.*.cache_written",
                "What is written to the cache.",
                "0.6",
                otherwise="as input",
            ),
            Setting("prices.*.window", "Tokens that the model can hold.", "128000"),
        ),
        shape="named",
        named='"local:NAME"',
    ),
)
