"""What there is to say about a setting that its type cannot say."""

from typing import Literal, TypeAlias

from msgspec import Struct

from longrein.settings.toml import as_toml

Shape: TypeAlias = Literal["table", "named", "list"]
"""`[limits]`; `[providers.NAME]`, one for each name; `[[rules]]`, one for each entry."""

Value: TypeAlias = str | int | float | bool | tuple[str, ...] | None


class Setting(Struct, frozen=True):
    """One setting: its key, what it does, an example, and what holds where nobody says anything.

    `sample` is a value as TOML writes it, where the default is not to be the example. `default`
    None: nothing, or what `otherwise` says. `variable` is the environment variable that sets it
    too. `own` is True where only the user may set it, not a project, or the values for which that
    is so. Values of `secret` settings are not shown. What several layers say of one that `adds`
    holds together.
    """

    key: str
    help: str
    sample: str = ""
    default: Value = None
    otherwise: str = ""
    variable: str = ""
    own: bool | tuple[str, ...] = False
    secret: bool = False
    adds: bool = False

    @property
    def example(self) -> str:
        """A value as TOML writes it."""
        return self.sample or as_toml(self.default)


class Group(Struct, frozen=True):
    """Settings that stand in one table of a file. `key` is empty for those at its top, `named` an
    example of a name where each name has a table of its own. `brief`: as the one before it."""

    key: str
    title: str
    settings: tuple[Setting, ...]
    shape: Shape = "table"
    named: str = ""
    brief: bool = False
