"""The import graph of the package against the table of layers in docs/architecture.md."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

ROWS = (
    ("cli", "testing"),
    ("tui", "web", "server", "acp", "observe"),
    ("client", "sync"),
    ("harness", "deep", "settings"),
    ("session",),
    ("loop",),
    ("capabilities",),
    ("context",),
    ("tools",),
    ("workspace",),
    ("permissions", "models", "storage"),
    ("events",),
    ("core",),
    ("_version",),
)
"""Highest first: a folder imports itself and the rows below it."""

SEES_ONLY = {
    name: {"core", "client", "_version"} for name in ("tui", "web", "server", "acp", "observe")
}
MAY_USE_TESTING = {"cli"}
MAY_IMPORT_LATE = {"cli", "harness.py", "__init__.py"}
ROOT = {"__init__", "__main__"}
"""Above every row: nothing imports it, it imports everything but `testing`."""

_TABLE_ENTRY = re.compile(r"longrein(\.\w+)+:\w+")
_DYNAMIC = {"import_module", "__import__"}

Naming: TypeAlias = ast.Import | ast.ImportFrom | ast.Constant | ast.Name | ast.Attribute
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Arrow(NamedTuple):
    """One import: from a file to a module of the package (or, if late, to any module)."""

    file: str
    line: int
    target: str
    late: bool


def problems(package: Path) -> list[str]:
    """What is wrong with the imports of the package in this folder; empty if nothing is."""
    return [
        f"{arrow.file}:{arrow.line}: {problem}"
        for path in sorted(package.rglob("*.py"))
        for arrow in _arrows(path, package)
        if (problem := _problem(arrow))
    ]


def _problem(arrow: Arrow) -> str:
    source = arrow.file.split("/")[0].removesuffix(".py")
    if arrow.late and not {source, arrow.file} & MAY_IMPORT_LATE:
        return f"late import of {arrow.target}: move it to the top of the file"
    if not (arrow.target == "longrein" or arrow.target.startswith("longrein.")):
        return ""
    target = [*arrow.target.split("."), "__init__"][1]
    return _direction(source, target)


def _direction(source: str, target: str) -> str:
    ranks = {name: rank for rank, row in enumerate(ROWS) for name in row}
    if source == target:
        return ""
    if target in ROOT:
        return "imports the package itself: import the module that holds the name"
    if target == "testing" and source not in MAY_USE_TESTING:
        return f"{source} imports testing, which only cli and tests may"
    if source in ROOT or (target == "testing" and source in MAY_USE_TESTING):
        return ""
    if unknown := {source, target} - ranks.keys():
        return f"{unknown.pop()} is not in the table of layers"
    if target not in SEES_ONLY.get(source, {target}):
        return f"{source} imports {target}, but sees core and client only"
    if ranks[target] < ranks[source]:
        return f"{source} imports {target}, which is above it"
    if ranks[target] == ranks[source]:
        return f"{source} imports {target}, which is beside it"
    return ""


def _arrows(path: Path, package: Path) -> Iterator[Arrow]:
    file = path.relative_to(package).as_posix()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node, late in _naming(tree):
        for target, always_late in _targets(node, file):
            yield Arrow(file, node.lineno, target, always_late or late)


def _naming(tree: ast.Module) -> Iterator[tuple[Naming, bool]]:
    """The nodes that may name a module, and whether they stand in a function."""
    todo: list[tuple[ast.AST, bool]] = [(tree, False)]
    for node, late in todo:
        if isinstance(node, Naming):
            yield node, late
        late = late or isinstance(node, Function)
        todo += [(child, late) for child in ast.iter_child_nodes(node)]


def _targets(node: Naming, file: str) -> Iterator[tuple[str, bool]]:
    """The modules that a node names, and whether it names them for a late import."""
    match node:
        case ast.Import(names=names):
            yield from ((alias.name, False) for alias in names)
        case ast.ImportFrom(module="longrein", level=0, names=names):
            yield from ((f"longrein.{alias.name}", False) for alias in names)
        case ast.ImportFrom(module=str() as module, level=0):
            yield module, False
        case ast.ImportFrom():
            yield "longrein", False  # relative: nobody can tell where it points
        case ast.Constant(value=str() as text) if _TABLE_ENTRY.fullmatch(text):
            yield text.partition(":")[0], True
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _DYNAMIC:
            if file not in MAY_IMPORT_LATE:
                yield name, True
        case _:
            pass
