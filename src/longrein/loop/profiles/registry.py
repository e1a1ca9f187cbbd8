"""`Profiles`: every profile under its key, and what they come to for a model."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from longrein.context.tuning import Tuning
from longrein.core.errors import UsageError
from longrein.loop.checks import by_name
from longrein.loop.profiles.builtin import BUILT_IN
from longrein.loop.profiles.profile import Profile, merged

EXACT = 1_000_000
"""How near a whole name is: nearer than any beginning of one."""


Source: TypeAlias = Literal["built in", "package", "settings", "registered", "given"]
"""Where a profile comes from, the weakest first."""


class Entry(Struct, frozen=True):
    """A profile under its key, and where it comes from; `package` is its name, if one brings it."""

    key: str
    profile: Profile
    source: Source
    package: str = ""

    @property
    def origin(self) -> str:
        """Key and source, for people."""
        return f"{self.key} ({self.source}{self.package and f' {self.package}'})"


class Packaged(Struct, frozen=True):
    """The profiles of installed packages, and what was wrong with others."""

    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()


class Profiles:
    """Profiles by key: a provider (`openai`), a model (`openai:NAME`), or the beginning of one
    (`openai:gpt*`).

    What is about a model is merged field by field: first of its provider, then of beginnings, the
    shorter first, then of the model; for one key in the order given here.

    >>> from longrein import Profile, Profiles
    >>> found = Profiles({"openai": Profile(prompt="One."), "openai:a*": Profile(prompt="Two.")})
    >>> found.of("openai:a-1").prompt
    'One.\\n\\nTwo.'
    >>> found.of("anthropic:b").prompt
    ''
    """

    def __init__(self, profiles: Mapping[str, Profile] | Sequence[Entry] = ()) -> None:
        given = profiles
        if isinstance(given, Mapping):
            given = entries("given", given)
        self.entries = tuple(given)
        self._merged: dict[str, Profile] = {}
        self._tunings: dict[str, Tuning] = {}

    def adding(self, source: Source, profiles: Mapping[str, Profile]) -> "Profiles":
        """These, and stronger ones from another source. Raises `UsageError` for a bad key."""
        return Profiles((*self.entries, *entries(source, profiles)))

    def about(self, model: str) -> tuple[Entry, ...]:
        """What is about a model, the weakest first."""
        found = [one for one in self.entries if _nearness(one.key, model) >= 0]
        return tuple(sorted(found, key=lambda one: _nearness(one.key, model)))

    def of(self, model: str) -> Profile:
        """Everything that is about a model, merged."""
        if model not in self._merged:
            profile = Profile()
            for one in self.about(model):
                profile = merged(profile, one.profile)
            self._merged[model] = profile
        return self._merged[model]

    def tuning(self, model: str) -> Tuning:
        """What changes with the model while a thread goes on."""
        if model not in self._tunings:
            self._tunings[model] = self.of(model).tuning
        return self._tunings[model]


def entries(source: Source, profiles: Any, package: str = "") -> tuple[Entry, ...]:
    """Profiles by key as entries. Raises `UsageError` for what is none, and for a bad key."""
    found = by_name("profiles", profiles, Profile)
    return tuple(Entry(check_key(key), one, source, package) for key, one in found.items())


def check_key(key: str) -> str:
    """The key itself. Raises `UsageError` for one that no model could have."""
    who, colon, model = key.partition(":")
    bad = not who or (colon and not model) or any(letter.isspace() for letter in key)
    if bad or "*" in who or "*" in model[:-1]:
        raise UsageError(
            f"{key!r} is no key of a profile: write 'provider', 'provider:model', or "
            "'provider:beginning*'."
        )
    return key


def _nearness(key: str, model: str) -> int:
    """How nearly a key names a model; below 0: not at all."""
    who, colon, name = key.partition(":")
    if not colon:
        return 0 if model.partition(":")[0] == who else -1
    if not name.endswith("*"):
        return EXACT if key == model else -1
    return len(name) if model.startswith(key[:-1]) else -1


_registered: list[Entry] = []


def register_profile(key: str, profile: Profile) -> None:
    """Have every harness of this process that is made from now on know a profile.

    It is stronger than what packages and settings files say of the same key, and weaker than
    `Harness(profiles=...)`. Of two for one key the later is the stronger. Raises `UsageError`.

    >>> from longrein import Profile, register_profile
    >>> register_profile("example:small*", Profile(prompt="Answer in one sentence."))
    """
    _registered.extend(entries("registered", {key: profile}))


def standing(
    packages: Sequence[Entry] = (), settings: Mapping[str, Profile] | None = None
) -> Profiles:
    """What holds in every harness: built in, of packages, of settings files, and registered."""
    built_in = entries("built in", BUILT_IN)
    return Profiles((*built_in, *packages, *entries("settings", settings or {}), *_registered))
