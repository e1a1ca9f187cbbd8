"""The fixed words in what people are shown of a call, for whoever writes or finds them."""

DANGER = "dangerous ("
"""Begins a line that tells a danger."""

FOUND = "shell: "
"""Before the name of a danger, in the rule that asks because of it."""

CUT_DIFF = "... (cut;"
"""Begins the last line of a diff that shows only a part of the change."""

CUT = "... (cut)"
"""Ends a line, or a text, of which only the beginning is shown."""


def danger(id: str, reason: str) -> str:
    """The line that tells a danger.

    >>> danger("removes-root", "removes all there is")
    'dangerous (removes-root): removes all there is'
    """
    return f"{DANGER}{id}): {reason}"
