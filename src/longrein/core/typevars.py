"""Type variables with defaults: whoever does not name a type is not asked to by a type checker."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Type checkers bring this module with them; nothing needs it at run time.
    from typing_extensions import TypeVar

    D = TypeVar("D", default=Any)
    S = TypeVar("S", default=Any)
    T = TypeVar("T", default=Any)
else:
    from typing import TypeVar

    D, S, T = TypeVar("D"), TypeVar("S"), TypeVar("T")
