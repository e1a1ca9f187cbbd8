"""Keys that are kept elsewhere than in the settings and the environment."""

from collections.abc import Callable, Mapping

from msgspec import Struct


class KeptKey(Struct, frozen=True):
    """A key that is kept: `where`, in words for people, and what gives it.

    `reveal` is called when the key is first needed, and raises `UsageError` where it cannot be had.
    `at_hand`: it costs next to nothing and disturbs nobody, so that the key can be hidden wherever
    it might show up even before it is used.

    >>> from longrein import KeptKey
    >>> KeptKey("the vault", lambda: "sk-123").where
    'the vault'
    """

    where: str
    reveal: Callable[[], str]
    at_hand: bool = False


class KeptKeys(Struct, frozen=True):
    """The keys that are kept, by provider; `problem` says why they cannot be looked at, if so.

    >>> from longrein import Agent, Harness, KeptKey, KeptKeys
    >>> vault = KeptKeys({"anthropic": KeptKey("the vault", lambda: "sk-123")})
    >>> harness = Harness(Agent("assistant", model="anthropic:NAME"), keys=vault)
    """

    entries: Mapping[str, KeptKey] = {}
    problem: str = ""

    @property
    def unasked(self) -> "KeptKeys":
        """The same with empty keys: what is there can be seen, and nobody is asked for it."""
        empty = {who: KeptKey(one.where, str, at_hand=True) for who, one in self.entries.items()}
        return KeptKeys(empty, self.problem)
