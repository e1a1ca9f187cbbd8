"""From a key as a person types it to the setting that it names."""

from collections.abc import Iterator
from difflib import get_close_matches

from msgspec import Struct

from longrein.core.errors import UsageError
from longrein.settings.described import GROUPS
from longrein.settings.setting import Group, Setting
from longrein.settings.toml import quoted


class Named(Struct, frozen=True):
    """A setting, the table that it stands in, and its key in a file, part by part."""

    group: Group
    setting: Setting
    path: tuple[str, ...]

    @property
    def key(self) -> str:
        """The key as TOML writes it; in lists, as it is described."""
        return self.setting.key if "[]" in self.setting.key else ".".join(map(quoted, self.path))


def named(key: str) -> Named:
    """The setting that a key names; names with dots or colons need no quotes.

    Raises `UsageError` with the nearest key that there is.

    >>> named("models.openai:gpt-4.1.effort").path
    ('models', 'openai:gpt-4.1', 'effort')
    """
    for group in GROUPS:
        for setting in group.settings:
            if path := _path(key, group, setting):
                return Named(group, setting, path)
    raise UsageError(f"{key} is not a setting; {_hint(key)}")


def group_of(key: str) -> Group | None:
    """The table that a key names, if it names one."""
    return next((group for group in GROUPS if group.key and group.key == key), None)


def _path(key: str, group: Group, setting: Setting) -> tuple[str, ...]:
    """The parts of the key, if it names this setting; empty if not."""
    if group.shape != "named":
        same = key in (setting.key, setting.key.replace("[]", ""))
        return tuple(setting.key.split(".")) if same else ()
    before, after = f"{group.key}.", setting.key.removeprefix(f"{group.key}.*")
    name = key.removeprefix(before).removesuffix(after).strip("\"'")
    if not key.startswith(before) or not key.endswith(after) or not name:
        return ()
    return (group.key, name, *after.removeprefix(".").split("."))


def _hint(key: str) -> str:
    known = list(_keys(key))
    # Who forgets the table knows the name.
    near = [one for one in known if one.rpartition(".")[2] == key.rpartition(".")[2]]
    near = near or get_close_matches(key, known, n=1, cutoff=0.7)
    return f"did you mean {near[0]}?" if near else "`longrein config` lists them."


def _keys(typed: str) -> Iterator[str]:
    """Every key; where there is one for each name, with the name that was typed."""
    name = typed.partition(".")[2].rpartition(".")[0] or "NAME"
    for group in GROUPS:
        if group.key:
            yield group.key
        yield from (one.key.replace("*", name) for one in group.settings)
