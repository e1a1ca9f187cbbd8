"""What is said of a summary that was made."""

from longrein.client.figures import short_tokens
from longrein.core.display import Display


def compacted(before: Display, after: Display) -> str:
    """The words once a summary stands for older messages; empty: none was made just now."""
    if not before.compacting or after.compacting or after.context_used == before.context_used:
        return ""
    held = f"about {short_tokens(after.context_used)} tokens"
    return f"Requests hold {held} now: a summary replaces what is older. The thread keeps it all."
