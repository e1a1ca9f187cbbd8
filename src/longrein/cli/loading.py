"""Code that the user brings by a flag: tools, and agents with their modes."""

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from longrein.core.errors import UsageError
from longrein.loop.agent import Agent, Mode
from longrein.tools.define import Tool, as_tool


def load_tools(name: str) -> list[Tool]:
    """The tools that `FILE.py`, `module`, or either with `:OBJECT`, holds. Raises `UsageError`.

    Without an object these are the module's list `tools`, or everything made with `@tool` in it; a
    bare function has to be named, so that a helper never becomes a tool by accident.
    """
    module, attribute = _load(name)
    if attribute:
        return _as_tools(_get(module, attribute, name), name)
    if hasattr(module, "tools"):
        return _as_tools(module.tools, name)
    found = [value for value in vars(module).values() if isinstance(value, Tool)]
    if not found:
        raise UsageError(
            f"{name} has no tools: decorate functions with @tool, put them into a list called "
            f"tools, or name one as {name}:FUNCTION."
        )
    return list({tool.name: tool for tool in found}.values())


def load_agent(name: str) -> tuple[Agent, Sequence[Mode]]:
    """The agent that `FILE.py[:OBJECT]` or `module[:OBJECT]` holds, and the module's `modes`.

    The object is `agent` where none is named. Raises `UsageError`.
    """
    module, attribute = _load(name)
    agent = _get(module, attribute or "agent", name)
    if not isinstance(agent, Agent):
        raise UsageError(f"{name} is a {type(agent).__name__}, not an Agent.")
    modes = getattr(module, "modes", ())
    if not isinstance(modes, list | tuple) or not all(
        isinstance(mode, Mode) for mode in cast("Sequence[object]", modes)
    ):
        raise UsageError(f"{name}: `modes` must be a list of Mode.")
    return agent, cast("Sequence[Mode]", modes)


def _load(name: str) -> tuple[ModuleType, str]:
    where, colon, attribute = name.rpartition(":")
    if not colon or Path(name).exists():
        where, attribute = name, ""
    try:
        if where.endswith(".py"):
            return _from_file(Path(where)), attribute
        # The command, unlike `python -m`, does not look into the current folder by itself.
        sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(where), attribute
    except UsageError:
        raise
    except Exception as error:  # protects the user from a traceback of ours around their error
        raise UsageError(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"There is no file {path}.")
    name = f"longrein_loaded_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    # Annotations are looked up by the module's name, while it is being loaded and later.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _get(module: ModuleType, attribute: str, name: str) -> object:
    if not hasattr(module, attribute):
        raise UsageError(f"{name}: there is no {attribute!r} in it.")
    return getattr(module, attribute)


def _as_tools(found: object, name: str) -> list[Tool]:
    if isinstance(found, list | tuple):
        several = cast("Sequence[object]", found)
        return [tool for one in several for tool in _as_tools(one, name)]
    if isinstance(found, Tool) or (callable(found) and not isinstance(found, type)):
        return [as_tool(cast("Any", found))]
    raise UsageError(f"{name}: {found!r} is not a tool or a function.")
