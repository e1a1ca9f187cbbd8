"""What a conformance suite is made of: the functions in its modules."""

from collections.abc import Awaitable, Callable, Iterator
from inspect import iscoroutinefunction
from types import ModuleType


def cases_in(*topics: ModuleType) -> Iterator[tuple[str, Callable[..., Awaitable[None]]]]:
    """Every coroutine function that these modules define, by name; what begins with `_` helps."""
    for topic in topics:
        for name, body in vars(topic).items():
            own = iscoroutinefunction(body) and body.__module__ == topic.__name__
            if own and not name.startswith("_"):
                yield name, body
