"""`glob` and `grep`."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Annotated, Any, Literal

from msgspec import Meta

from longrein.capabilities.file_tools.gate import Gate, Job, Use
from longrein.core.errors import ToolError
from longrein.tools.context import Context
from longrein.tools.define import Tool, tool
from longrein.workspace.base import Found, FoundFile, FoundLine, Grep
from longrein.workspace.globs import beginning
from longrein.workspace.paths import canonical, is_below
from longrein.workspace.previews import CUT
from longrein.workspace.problems import BadPath, BadPattern, FileProblem

MOST_FILES = 200
MOST_FOUND = 1_000
MOST_CONTEXT = 20
MOST_CHARACTERS = 30_000
LONGEST_LINE = 300
IGNORED = "What .gitignore names is left out, unless path is inside it."

PLAIN = "If the pattern is meant as it stands, set literal."


def searching_tools(gate: Gate) -> list[Tool]:
    """The tools to find files."""

    def reads(arguments: Mapping[str, Any]) -> list[Use]:
        return [Use(arguments["path"], ("read",))]

    def begins(arguments: Mapping[str, Any]) -> list[Use]:
        return [Use(_searched(arguments["pattern"], arguments["path"], gate.place.base), ("read",))]

    @tool(category="read", idempotent=True, touches=gate.looking("glob", begins))
    async def glob(ctx: Context, pattern: str, path: str = ".") -> str:
        """Find files by name: *.py (in any folder below path), src/**/*.{ts,tsx}."""
        searched = _searched(pattern, path, gate.place.base)
        async with gate.job(ctx, Use(searched, ("read",))) as job:
            paths: list[str] = []
            async with aclosing(job.files.glob(pattern, job.paths[0])) as found:
                async for one in found:
                    paths.append(job.shown(one))
                    if len(paths) > MOST_FILES:
                        break
            if not paths:
                return await _no_files(job, pattern)
        if len(paths) > MOST_FILES:
            paths[MOST_FILES:] = [f"(the first {MOST_FILES}; narrow pattern or path to see others)"]
        return "\n".join(paths)

    @tool(category="read", idempotent=True, touches=gate.looking("grep", reads))
    async def grep(
        ctx: Context,
        pattern: str,
        path: str = ".",
        include: Annotated[str, Meta(description="Glob for files.")] = "",
        literal: bool = False,
        ignore_case: bool = False,
        context: Annotated[int, Meta(description="Lines around each.")] = 0,
        show: Literal["lines", "files", "counts"] = "lines",
        limit: int = 100,
    ) -> str:
        """Search files for lines that fit a regular expression (no lookaround)."""
        if not pattern or limit < 1 or context < 0:
            raise ToolError("Give a pattern, a limit of at least 1, and no negative context.")
        around = min(context, MOST_CONTEXT)
        async with gate.job(ctx, Use(path, ("read",))) as job:
            query = Grep(pattern, job.paths[0], include, literal, ignore_case, around, around, show)
            try:
                async with aclosing(job.files.grep(query)) as found:
                    return await _result(job, found, query, min(limit, MOST_FOUND))
            except BadPattern as problem:
                if literal:
                    raise
                raise BadPattern("", f"{problem.says.rstrip()}\n{PLAIN}") from None

    return [glob, grep]


def _searched(pattern: str, path: str, base: str) -> str:
    """The folder to search: where the pattern begins, if nothing else could fit it."""
    try:
        under, begins = canonical(path, base), beginning(pattern, canonical(path, base))
    except BadPath:  # said when it is looked for
        return path
    return path if is_below(begins, under) or is_below(under, begins) else begins


async def _no_files(job: Job, pattern: str) -> str:
    """That nothing fits a glob, and why, where that can be told."""
    under = job.paths[0]
    found = await job.files.stat(under)
    if found is not None and found.kind == "file":
        return f"No files fit: {job.shown(under)} is a file. Give the folder to search as path."
    name = pattern.strip("/")
    try:
        inner = await job.files.stat(canonical(name, under)) if name else None
    except FileProblem:
        inner = None
    if inner is not None and inner.kind == "folder":
        return f"{name} is a folder; only files are found. Use the pattern {name}/**, or ls."
    return f"No files fit. {IGNORED}"


async def _result(job: Job, found: AsyncGenerator[Found, None], query: Grep, limit: int) -> str:
    """What was found, by file, as much of it as is wanted and fits."""
    lines: list[str] = []
    path, hits, until, left = "", 0, 0, MOST_CHARACTERS
    async for one in found:
        new_file = one.path != path
        if hits == limit and (new_file or not _belongs(one, until)):
            return _cut(lines, f"the first {limit}; narrow the search or raise limit")
        new = _lines(job, one, query, new_file=new_file)
        left -= sum(len(line) + 1 for line in new)
        if left < 0:
            return _cut(lines, "cut here; narrow the search, or show files or counts")
        lines += new
        path = one.path
        if not (isinstance(one, FoundLine) and one.context):
            hits += 1
            until = one.number + query.after if isinstance(one, FoundLine) else 0
    return "\n".join(lines) or f"Nothing found. {IGNORED}"


def _belongs(one: Found, until: int) -> bool:
    """Whether it is context of the hit before it."""
    return isinstance(one, FoundLine) and one.context and one.number <= until


def _lines(job: Job, one: Found, query: Grep, *, new_file: bool) -> list[str]:
    path = job.shown(one.path)
    match one:
        case FoundFile(lines=lines):
            return [path if query.show == "files" else f"{path}: {lines:,}"]
        case FoundLine(number=number, text=text, context=context):
            short = text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}{CUT}"
            line = f"{number}{'-' if context else ':'}{short}"
            return [path, line] if new_file else [line]


def _cut(lines: list[str], why: str) -> str:
    return "\n".join((*lines, f"({why})"))
