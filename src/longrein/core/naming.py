"""How a struct's name becomes its tag."""

import re


def snake_case(name: str) -> str:
    """`ToolStarted` gives `tool_started`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
