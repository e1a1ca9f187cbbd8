"""What listeners are told of slices that have come to stand still."""

from collections.abc import Callable, Mapping

from longrein.core.live import Signalled
from longrein.core.slices import Folding, standing_still
from longrein.core.state import Kept, State
from longrein.session.bus import Bus


class SliceNews:
    """Tells of each slice whose fold has raised, once."""

    __slots__ = ("_bus", "_folded", "_folding", "_known")

    def __init__(self, folding: Folding, bus: Bus, folded: Callable[[], State]) -> None:
        self._folding = folding
        self._bus = bus
        self._folded = folded
        self._known: Mapping[str, Kept] = {}

    def failed(self) -> list[Signalled]:
        """The slices that stand still, for whoever begins to listen."""
        state = self._folded()
        found = standing_still(self._folding.installed(state))
        return [
            Signalled("slice_failed", text, after=state.seq, stream="", offset=0) for text in found
        ]

    def tell(self) -> None:
        """Tell of those that have come to stand still since."""
        slices = self._folded().slices
        if slices is self._known:
            return
        before = standing_still(self._known)
        self._known = slices
        for signal in self.failed():
            if signal.message not in before:
                self._bus.publish(signal)
