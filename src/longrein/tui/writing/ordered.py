"""Keys that act in the order in which they were typed.

Textual does what a key is bound to when the key has gone through all widgets, and puts letters into
a field at once: of keys that arrive together, as over a slow line, letters would overtake others.
A field that looks up its own bindings keeps them in order.
"""

from collections.abc import Collection, Iterable

from textual.binding import Binding, BindingType


def actions(bindings: Iterable[BindingType], *, but: Collection[str] = ()) -> dict[str, str]:
    """What each key does, without the keys that are left to others."""
    bound = [one for one in bindings if isinstance(one, Binding)]
    return {key: one.action for one in bound for key in one.key.split(",") if key not in but}
