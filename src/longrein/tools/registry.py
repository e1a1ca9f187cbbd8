"""The tools of an agent or a mode, by name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

from msgspec import Raw

from longrein.core.errors import UsageError
from longrein.models.base import ToolSpec
from longrein.tools.define import Function, Tool, as_tool


class Registry(Mapping[str, Tool]):
    """Tools by name, in the order in which they were given.

    Takes tools and bare functions. Raises `UsageError` where two have one name.
    """

    __slots__ = ("_specs", "_tools")

    def __init__(self, tools: Iterable[Tool | Function] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in map(as_tool, tools):
            other = self._tools.setdefault(tool.name, tool)
            if other is not tool:
                raise UsageError(
                    f"two tools are called {tool.name!r}: {_origin(other)} and {_origin(tool)}; "
                    "rename one with @tool(name=...)"
                )
        self._specs = tuple(
            ToolSpec(tool.name, tool.description, Raw(tool.schema)) for tool in self._tools.values()
        )

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as the model is told of them."""
        return self._specs

    def unknown(self, name: str, offered: Sequence[str] | None = None) -> str:
        """What to tell a model that called a tool which is not here.

        `offered` are those that it may hear of; None: all.
        """
        known = tuple(self._tools) if offered is None else offered
        if not known:
            return f"There is no tool `{name}`: no tools are offered. Answer without one."
        near = get_close_matches(name, known, n=1)
        hint = f" Did you mean `{near[0]}`?" if near else ""
        listed = ", ".join(f"`{one}`" for one in known)
        return f"There is no tool `{name}`.{hint} There are: {listed}."

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)


def _origin(tool: Tool) -> str:
    function = tool.function
    module = getattr(function, "__module__", "?")
    return f"{module}.{getattr(function, '__qualname__', repr(function))}"
