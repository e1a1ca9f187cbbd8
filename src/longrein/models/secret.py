"""A provider's key, which shows itself only where it is asked to."""


class Secret:
    """A value that is used and never shown: neither `repr` nor `str` has it.

    `name` says where it came from (the environment variable, as a rule) and stands in its place.
    """

    __slots__ = ("_value", "name")

    def __init__(self, value: str, name: str) -> None:
        self._value = value
        self.name = name

    def reveal(self) -> str:
        """The value itself, for the one header that needs it."""
        return self._value

    def hide(self, text: str) -> str:
        """`text` with every occurrence of the value replaced by `[secret:NAME]`."""
        return text.replace(self._value, f"[secret:{self.name}]") if self._value else text

    def __repr__(self) -> str:
        return f"Secret({self.name})"
