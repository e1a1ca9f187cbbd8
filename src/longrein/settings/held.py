"""What holds of each setting, and who said so."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from longrein.settings.described import GROUPS
from longrein.settings.said import said
from longrein.settings.setting import Group, Setting
from longrein.settings.sources import Source
from longrein.settings.toml import as_toml

HIDDEN = "(set, not shown)"
DEFAULT = "default"

_USER_INFO = re.compile(r'(?<=//)[^/\s"]*@')
_QUERY = re.compile(r'(//(?:\(not shown\)@)?[^\s"?]*\?)(?:[^\s"\\]|\\.)+')


class Said(Struct, frozen=True):
    """What one source says, as TOML writes it."""

    origin: str
    value: str


class Held(Struct, frozen=True):
    """A setting with its full key, and all that is said of it, the weakest first.

    The last holds; of a setting that adds up, all do. Nothing is said where only the default is.
    """

    key: str
    group: Group
    setting: Setting | None
    said: tuple[Said, ...]

    @property
    def adds(self) -> bool:
        return self.setting is None or self.setting.adds

    @property
    def origin(self) -> str:
        """Who said what holds."""
        origins = [one.origin for one in self.said] or [DEFAULT]
        return ", ".join(dict.fromkeys(origins)) if self.adds else origins[-1]

    @property
    def value(self) -> str:
        """What holds, as TOML writes it; empty where there is nothing."""
        if not self.said:
            return default_of(self.setting)
        if self.adds and self.setting:
            inner = (one.value[1:-1] for one in self.said)
            return f"[{', '.join(inner)}]"
        return self.said[-1].value


def held(sources: Sequence[Source]) -> Iterator[Held]:
    """Every setting that stands once, and all that is said of the others, in the order of files."""
    for group in GROUPS:
        match group.shape:
            case "list":
                yield from _entries(group, sources)
            case "table" | "named":
                for setting in group.settings:
                    yield from _settings(group, setting, sources)


def default_of(setting: Setting | None) -> str:
    """What holds where nobody says anything, as TOML writes it."""
    return as_toml(setting.default) if setting and setting.default is not None else ""


def _settings(group: Group, setting: Setting, sources: Sequence[Source]) -> Iterator[Held]:
    found: dict[str, list[Said]] = {} if group.shape == "named" else {setting.key: []}
    for source in sources:
        for key, value in said(source.layer, setting.key):
            text = HIDDEN if setting.secret else shown(value)
            found.setdefault(key, []).append(Said(_origin(source, setting), text))
    for key, several in found.items():
        yield Held(key, group, setting, tuple(several))


def _entries(group: Group, sources: Sequence[Source]) -> Iterator[Held]:
    several = [
        Said(source.name, shown(entry))
        for source in sources
        for _, entries in said(source.layer, group.key)
        for entry in entries
    ]
    for number, one in enumerate(several, 1):
        yield Held(f"{group.key}[{number}]", group, None, (one,))


def _origin(source: Source, setting: Setting) -> str:
    return f"environment {setting.variable}" if source.kind == "environment" else source.name


def shown(value: Any) -> str:
    """A value as TOML writes it and as it may be shown: addresses without the passwords and keys
    that may stand before their host and behind their question mark.

    >>> print(shown("https://me:secret@host/v1?key=sk-1"))
    "https://(not shown)@host/v1?(not shown)"
    """
    return _QUERY.sub(r"\1(not shown)", _USER_INFO.sub("(not shown)@", as_toml(value)))
