"""What runs, or rules, outside of a workspace: file tools change it only if a person says yes."""

from pathlib import Path
from typing import Any

import pytest

from longrein import (
    Agent,
    Disk,
    FileRule,
    Harness,
    InThread,
    Mounted,
    Rule,
    UsageError,
    Waiting,
    Workspace,
)
from longrein.capabilities.workspace.sources import Source
from longrein.core.policy import Trust
from longrein.testing import Script, ScriptedModel, call, calls, say
from tests.support import run

PROTECTED = (
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/config.worktree",
    ".git/commondir",
    ".git/modules/m/hooks/post-checkout",
    ".GIT/hooks/x",
    "sub/.git",
    "deep/sub2/.git/hooks/x",
    ".longrein/settings.toml",
    ".agents/skill.md",
)
ALLOW_EDITS = (Rule("allow", category="edit"),)


async def asked(
    source: Source,
    *paths: str,
    rules: tuple[Rule, ...] = (),
    files: tuple[FileRule, ...] = (),
    trust: Trust = "ask",
    remember: Any = None,
) -> list[str]:
    """The paths that somebody is asked about where a model writes all of these at once."""
    writes = calls(*(call("write_file", path=path, content="x") for path in paths))
    workspace = Workspace(source, rules=files, shell=None)
    agent = Agent("a", model=ScriptedModel(Script([writes, say("done")])), capabilities=[workspace])
    async with Harness(agent, rules=rules) as harness:
        session = await harness.session()
        await session.set_trust(trust)
        if not isinstance(await (await session.send("go")), Waiting):
            return []
        approvals = session.display.approvals
        if remember:
            await session.approve(approvals[0], remember=remember)
        return sorted(path for one in approvals for path in one.touches.paths)


def below(folder: Path | str, *paths: str) -> list[str]:
    return sorted(f"{folder}/{path}" for path in paths)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "project"
    made.mkdir()
    return made


@pytest.mark.parametrize("trust", ["edits", "yolo"])
def test_no_mode_of_trust_answers_for_what_is_protected(trust: Trust, folder: Path) -> None:
    found = run(asked(Disk(folder), "src/a", ".github/x", *PROTECTED, trust=trust))
    assert found == below(folder, *PROTECTED)


def test_no_rule_about_edits_answers_for_what_is_protected(folder: Path) -> None:
    found = run(asked(Disk(folder), "src/a", *PROTECTED, rules=ALLOW_EDITS))
    assert found == below(folder, *PROTECTED)


def test_no_yes_is_remembered_for_what_is_protected(folder: Path) -> None:
    with pytest.raises(UsageError, match="always asks"):
        run(asked(Disk(folder), ".git/config", remember="tool"))


def test_a_file_rule_of_the_user_comes_first(folder: Path) -> None:
    files = (FileRule("allow", (f"{folder}/.agents/**",)),)
    assert run(asked(Disk(folder), ".agents/a", ".git/a", files=files)) == below(folder, ".git/a")


def test_a_repository_behind_a_link_is_protected_by_both_names(folder: Path) -> None:
    (folder / "repository/hooks").mkdir(parents=True)
    (folder / ".git").symlink_to("repository")
    found = run(asked(Disk(folder), ".git/hooks/a", "repository/config", "b", rules=ALLOW_EDITS))
    assert found == below(folder, "repository/config", "repository/hooks/a")


def test_every_folder_of_the_disk_that_is_mounted_is_protected(folder: Path) -> None:
    (folder / "repository").mkdir()
    (folder / ".git").symlink_to("repository")
    source = Mounted(InThread(), {"/a": Disk(folder), "/b/": Mounted(Disk(folder), {})})
    paths = ["/a/.git/config", "/a/repository/config", f"/b{folder}/repository/config"]
    found = run(asked(source, *paths, "/a/b", "/.git/config", rules=ALLOW_EDITS))
    assert found == ["/a/repository/config", "/a/repository/config", paths[2]]


def test_a_folder_whose_name_looks_like_a_pattern_is_protected(folder: Path) -> None:
    odd = folder / "[a]*"
    odd.mkdir()
    assert run(asked(Disk(odd), "b", ".git/a", rules=ALLOW_EDITS)) == below(odd, ".git/a")


def test_rules_may_name_the_link_by_which_a_workspace_is_given(folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to("project")
    files = (
        FileRule("allow", (f"{link}/free/**",)),
        FileRule("deny", (f"{link}/.env",)),
        FileRule("ask", (f"{link}/deploy/*",)),
    )
    found = run(asked(Disk(link), ".env", "deploy/a", "free/a", files=files, trust="ask"))
    assert found == below(folder, "deploy/a")
    assert not (folder / ".env").exists()
    assert (folder / "free/a").exists()
