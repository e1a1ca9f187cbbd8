"""What a model is told of a path at which there is nothing, and of arguments in another form."""

import json
from pathlib import Path
from typing import Any

import pytest

from longrein.capabilities.file_tools.place import Place
from longrein.capabilities.file_tools.tools import file_tools
from longrein.capabilities.workspace.workspace import Workspace
from longrein.workspace.base import FileSystem
from longrein.workspace.disk import DiskFiles
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.rules import FileRule
from tests.capabilities.file_tools.kit import Bench, text_of
from tests.support import run

TOOLS = {tool.name: tool for tool in file_tools(Place(lambda ctx: MemoryFiles()))}
EDIT = {"old_string": "a", "new_string": "b"}
FITTING = {"path": "a.py", "edits": [EDIT]}


def project(tmp_path: Path, *rules: FileRule) -> Bench:
    (tmp_path / "src/lib").mkdir(parents=True)
    (tmp_path / "src/lib/a.py").write_bytes(b"x = 1\n")
    files = Mounts({"/project": DiskFiles(tmp_path), "/memories": MemoryFiles()})
    return Bench(files, base="/project", rules=rules)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_file", {"path": "/etc/passwd"}),
        ("read_file", {"path": "../x"}),
        ("ls", {"path": "/etc"}),
        ("grep", {"pattern": "x", "path": "/etc"}),
        ("delete", {"path": "/etc/passwd"}),
        ("write_file", {"path": "/etc/new", "content": ""}),
        ("edit_file", {"path": "../x", "edits": [EDIT]}),
        ("move", {"source": "src/lib/a.py", "target": "/etc/a.py"}),
    ],
)
def test_a_path_outside_of_the_workspace_is_called_that(
    name: str, arguments: dict[str, Any], tmp_path: Path
) -> None:
    told = project(tmp_path).fail(name, **arguments)
    assert "outside of the workspace '/project'" in told
    assert "such as '/project/src/main.py'" in told
    assert "execute" not in told


def with_shell(files: FileSystem) -> Bench:
    """A bench on what is mounted at /project, for a model that has a shell as well."""
    mounted = Mounts({"/project": files})
    place = Place(lambda ctx: mounted, "/project", shell=True)
    bench = Bench()
    bench.tools = {tool.name: tool for tool in file_tools(place)}
    return bench


def test_where_there_is_a_shell_it_is_named_to_look_at_what_is_outside() -> None:
    assert "To look elsewhere use execute." in with_shell(MemoryFiles()).fail("ls", path="/etc")


def test_the_shell_is_not_named_to_change_what_is_outside() -> None:
    told = with_shell(MemoryFiles()).fail("write_file", path="/etc/new", content="x")
    assert "outside of the workspace" in told
    assert "execute" not in told


def test_the_shell_is_not_named_where_a_link_leads_out(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc/passwd")
    told = with_shell(DiskFiles(tmp_path)).fail("read_file", path="out")
    assert "A link here leads out of the workspace" in told
    assert "execute" not in told


@pytest.mark.parametrize("path", ["~/x", "https://a.example/b", "../../x", "", "C:\\a"])
def test_what_can_be_no_path_is_told_with_one_in_the_working_folder(path: str) -> None:
    told = Bench(base="/project").fail("read_file", path=path)
    assert told.endswith("Give a path in the workspace, such as '/project/notes.md'.")


def test_a_mount_beside_the_working_folder_is_not_outside(tmp_path: Path) -> None:
    assert "outside" not in project(tmp_path).fail("read_file", path="/memories/none.md")


@pytest.mark.parametrize(
    "path", ["a.py", "lib/a.py", "src/lib/a.py ", '"src/lib/a.py"', "`src/lib/a.py`"]
)
def test_what_was_meant_by_a_path_is_proposed(path: str, tmp_path: Path) -> None:
    told = project(tmp_path).fail("read_file", path=path)
    assert told.endswith(": There is nothing here. Did you mean 'src/lib/a.py'?")


def test_a_folder_elsewhere_is_proposed_too(tmp_path: Path) -> None:
    assert "Did you mean 'src/lib'?" in project(tmp_path).fail("ls", path="lib")


def test_what_rules_hide_is_not_proposed(tmp_path: Path) -> None:
    bench = project(tmp_path, FileRule("deny", ("/project/src/**",)))
    for path in ("a.py", "'src'/lib/a.py"):
        assert "lib" not in bench.fail("read_file", path=path).partition(": ")[2]


def test_nothing_elsewhere_is_proposed_to_be_deleted(tmp_path: Path) -> None:
    assert "Did you mean" not in project(tmp_path).fail("delete", path="a.py")


def test_a_folder_that_is_there_is_named_where_that_of_the_path_is_not(tmp_path: Path) -> None:
    told = project(tmp_path).fail("read_file", path="src/none/deep/b.py")
    assert told.endswith("nor a folder for it. List 'src' first.")


def test_an_edit_of_a_missing_file_names_what_makes_one(tmp_path: Path) -> None:
    told = project(tmp_path).fail("edit_file", path="src/new.py", edits=[EDIT])
    assert told.endswith("To make a new file use write_file.")


@pytest.mark.parametrize(
    ("name", "given", "mended"),
    [
        ("edit_file", {"file_path": "a.py", **EDIT}, FITTING),
        ("edit_file", {"path": "a.py", "edits": EDIT}, FITTING),
        (
            "edit_file",
            {"path": "a.py", **EDIT, "replace_all": True},
            {"path": "a.py", "edits": [{**EDIT, "replace_all": True}]},
        ),
        ("read_file", {"file_path": "a.py", "limit": 5}, {"path": "a.py", "limit": 5}),
        ("write_file", {"file_path": "a", "content": ""}, {"path": "a", "content": ""}),
    ],
)
def test_forms_that_models_know_from_elsewhere_become_those_of_the_schema(
    name: str, given: dict[str, Any], mended: dict[str, Any]
) -> None:
    assert json.loads(TOOLS[name].arguments.mended(json.dumps(given))) == mended


def test_execute_knows_other_names_for_its_folder_and_needs_no_description(tmp_path: Path) -> None:
    execute = next(tool for tool in Workspace(tmp_path).tools() if tool.name == "execute")
    for other in ("cwd", "workdir"):
        given = json.dumps({"command": "ls", other: "src", "description": "List."})
        assert json.loads(execute.arguments.mended(given)) == {"command": "ls", "folder": "src"}


def test_another_form_does_not_run_unless_it_was_mended_where_it_came_in() -> None:
    # Rules read the arguments of a call by their names: nothing may be judged and run differently.
    told = text_of(run(Bench().call("edit_file", file_path="a.py", **EDIT)))
    assert "`file_path`, `old_string`, `new_string` are not arguments of it" in told
    assert told.endswith("It takes `path`, `edits`=[{old_string, new_string, replace_all?}].")
    assert len(told) < 250
