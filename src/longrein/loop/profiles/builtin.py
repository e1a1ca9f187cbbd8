"""The profiles that are built in, each with the reason that it is there for."""

from collections.abc import Mapping

from longrein.loop.profiles.profile import Profile

SIDE_BY_SIDE = "Make calls that do not depend on each other in one step: they run side by side."
TO_THE_END = (
    "Go on until what was asked for is done and checked; come back earlier only with what nobody "
    "but the person can decide."
)

CLAUDE = Profile(
    prompt=SIDE_BY_SIDE,
    reason="Anthropic's guides to tools and prompts say that Claude makes more of its calls side "
    "by side when the system prompt asks for it.",
)
GPT_5 = Profile(
    prompt=TO_THE_END,
    reason="OpenAI's prompting guides for GPT-5 and later have agents told to go on until the task "
    "is resolved, and when to hand it back.",
)
BUILT_IN: Mapping[str, Profile] = {
    "anthropic:claude-*": CLAUDE,
    "openai:gpt-5*": GPT_5,
    "openai-chat:gpt-5*": GPT_5,
}
