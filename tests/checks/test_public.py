"""The public names: one sorted list, each with a docstring and an example that runs."""

import ast
import doctest
import importlib
import re
from itertools import pairwise
from pathlib import Path

import pytest

import longrein
from tests.checks.examples import pages, python_blocks

PINNED = """
Aborted ActiveRun Agent AgentFolder Answer Approval AskPerson AskUser AskedCall Assistant Auth
BadRequest Bounds Budgets CHANGED CallResult Capability ChildEnd ChildView Children
CommandContext CommandFolder Compaction Context ContextOverflow ContextReport CustomCommands
Declined Digest Disk Display Explanation Failed File FileChange FileRule FileSystem Filtered
Finished GoOn Grant Harness Hit HookContext InStore InThread InternalError Keeping KeptKey
KeptKeys LeaseLost LimitReached Limits LongreinError Memory MemoryStore Mode Model ModelError
ModelInfo ModelSettings Mounted Network NewArguments NotFound Note Noted OBSERVATIONS
Observation ObservationalMemory Observations OpenWorkspace Opening Order Outcome Overloaded PLAN
Places Plan Plans Price Problem Profile Profiles ProviderSettings Question RateLimited Reasoning
Refuse RestoreReport Retry RewindPoint RewindPreview Rule Run Sandbox Session SessionClosed
ShellHook ShellHooks ShellSettings Skill SkillFolder Skills SlashCommand Slice Spent SqliteStore
Store StoreError StoreFull StoreNewer Subagent Subagents Summariser SummaryTask TODOS Text
ThreadRow Todo Todos Tool ToolCall ToolError ToolResult Touches Unattended Usage UsageError User
Waiting Workspace ask_user deep_agent register_profile run_sync tool
""".split()

TABLE: dict[str, str] = vars(longrein)["_PUBLIC"]


def test_the_public_names_are_these() -> None:
    assert list(TABLE) == sorted(TABLE)
    assert list(TABLE) == PINNED
    assert longrein.__all__ == PINNED


def test_type_checkers_see_the_same_names_as_the_table() -> None:
    tree = ast.parse(Path(longrein.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.asname: f"{node.module}:{alias.name}"
        for branch in tree.body
        if isinstance(branch, ast.If)
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == TABLE


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        getattr(longrein, "Nothing")  # noqa: B009


@pytest.mark.parametrize("name", PINNED)
def test_a_public_name_has_a_docstring_and_an_example(name: str) -> None:
    module, _, attribute = TABLE[name].partition(":")
    found = getattr(importlib.import_module(module), attribute)
    docstring = found.__doc__ or _written_below(module, attribute)
    assert docstring.strip(), f"{name} has no docstring"
    assert not docstring.startswith(f"{name}("), f"{name} has only the docstring that was made up"
    assert re.search(rf"\b{name}\b", _examples(docstring) + _examples_beside(module)), (
        f"{name} has no example: put one, as >>> lines, into its docstring or its module's, or use "
        "it in a ```python block of README.md or docs/"
    )


@pytest.mark.parametrize("name", PINNED)
def test_the_examples_of_a_public_name_run(name: str) -> None:
    module = importlib.import_module(TABLE[name].partition(":")[0])
    _run(getattr(longrein, name), name)
    _run(module, module.__name__)


def _written_below(module: str, name: str) -> str:
    """The string that stands below the assignment of a value that cannot hold one itself."""
    body = ast.parse(Path(importlib.import_module(module).__file__ or "").read_text("utf-8")).body
    for assigned, below in pairwise(body):
        named = isinstance(assigned, ast.AnnAssign) and ast.unparse(assigned.target) == name
        if named and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return str(below.value.value)
    return ""


def _examples(docstring: str) -> str:
    return "\n".join(one.source for one in doctest.DocTestParser().get_examples(docstring))


def _examples_beside(module: str) -> str:
    blocks = "\n".join(block for page in pages() for block in python_blocks(page))
    return _examples(importlib.import_module(module).__doc__ or "") + blocks


def _run(documented: object, name: str) -> None:
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    said: list[str] = []
    for test in finder.find(documented, name, globs={}):
        runner.run(test, out=said.append)
    assert not said, "".join(said)
