"""What capabilities have to say where the beginning of a conversation is left out."""

from collections.abc import Callable, Sequence

from longrein.capabilities.base import Capability
from longrein.core.state import State
from longrein.core.window import Digest

MOST_KEPT = 4_000
"""Characters that one capability can keep in requests."""


def keeps_of(capabilities: Sequence[Capability]) -> Callable[[State], str]:
    """What capabilities want to be said again."""
    keeping = [one for one in capabilities if type(one).keeps is not Capability.keeps]

    def keeps(state: State) -> str:
        texts: list[str] = []
        for one in keeping:
            try:
                texts.append(one.keeps(state.slices)[:MOST_KEPT])
            except Exception:  # the code of a capability: requests become shorter without it
                continue
        return "\n\n".join(text for text in texts if text.strip())

    return keeps


def digest_of(capabilities: Sequence[Capability]) -> Callable[[State], Digest | None]:
    """The notes that reach furthest into a thread, of those that a capability has of it."""
    noting = [one for one in capabilities if type(one).digest is not Capability.digest]

    def digest(state: State) -> Digest | None:
        found: list[Digest] = []
        for one in noting:
            try:
                notes = one.digest(state.slices)
            except Exception:  # the code of a capability: there are other means
                continue
            found += [notes] if notes is not None else []
        return max(found, key=lambda notes: notes.upto, default=None)

    return digest
