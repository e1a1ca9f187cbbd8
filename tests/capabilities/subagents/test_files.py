"""Subagents from files: who wins, and that no file is ever fatal."""

import os
from pathlib import Path

import pytest

from longrein import AgentFolder, FileRule, Limits, Rule, Subagent, Subagents, UsageError
from longrein.capabilities.brought import MOST_BYTES
from longrein.capabilities.subagents.files import whole
from longrein.capabilities.subagents.parsing import parse_agent
from longrein.workspace.frontmatter import FrontmatterError

READER = "---\nname: reader\ndescription: {}\n---\nRead.\n"


def put(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def described(capability: Subagents) -> dict[str, str]:
    return {one.agent.name: one.agent.description for one in capability.found}


def problems(capability: Subagents) -> str:
    return "\n".join(one.message for one in capability.problems())


def test_a_file_says_everything_that_code_can_say_in_text() -> None:
    text = """---
name: code-reader
description: "Answers questions: about the code."
tools:
  - read_file
  - grep
model: local:small
mode: plan
permissions:
  - effect: deny
    category: edit
  - effect: deny
    paths:
      - secrets/**
      - "**/.env"
    operations:
      - read
limits:
  steps: 20
  cost: 0.5
color: blue
---

Be thorough.
Then be brief.
"""
    assert parse_agent(text, "file", "/project") == Subagent(
        "code-reader",
        "Answers questions: about the code.",
        "Be thorough.\nThen be brief.",
        tools=["read_file", "grep"],
        model="local:small",
        mode="plan",
        permissions=[
            Rule("deny", category="edit"),
            FileRule("deny", ("/project/secrets/**", "**/.env"), ("read",)),
        ],
        limits=Limits(steps=20, cost=500_000_000),
    )


def test_the_name_of_the_file_is_its_name_and_tools_may_be_in_a_line() -> None:
    text = "---\ndescription: Reads.\ntools: read_file, grep\nmodel: inherit\n---\n"
    expected = Subagent("reader", "Reads.", tools=["read_file", "grep"])
    assert parse_agent(text, "reader") == expected


def test_a_file_can_describe_a_forked_child() -> None:
    assert parse_agent("---\ndescription: Thinks.\nforked: true\n---\n", "thinker").forked


BAD = [
    ("no head", "does not begin with a line '---'"),
    (
        "---\nname: reader\n---\n",
        "'description' is missing: write a line 'description: ...' into the head.",
    ),
    ("---\ndescription: Reads.\nname: Code Reader\n---\n", "cannot be the name of a subagent"),
    ("---\ndescription: Reads.\npermision:\n  - effect: deny\n---\n", "did you mean 'permissions'"),
    ("---\ndescription: Reads.\npermissions:\n  - effect: never\n---\n", "permissions (1)"),
    ("---\ndescription: Reads.\npermissions:\n  - efect: deny\n---\n", "'efect' is not a field"),
    ("---\ndescription: Reads.\npermissions: deny\n---\n", "permissions"),
    ("---\ndescription: R.\npermissions:\n  - effect: deny\n    paths: a/b\n---\n", "'a/b' begins"),
    ("---\ndescription: Reads.\nlimits:\n  steps: many\n---\n", "limits.steps"),
    ("---\ndescription: Reads.\nlimits:\n  steps: -1\n---\n", "limits.steps: -1 is not"),
    ("---\ndescription: R.\nlimits:\n  cost: inf\n---\n", "limits.cost: inf is not a number above"),
    ("---\ndescription: R.\nlimits:\n  cost: nan\n---\n", "limits.cost: nan is not a number above"),
    ("---\ndescription: R.\nlimits:\n  cost: 1e300\n---\n", "limits.cost: 1e+300 is too much"),
    ("---\ndescription: R.\nlimits:\n  seconds: 1e300\n---\n", "limits.seconds: 1e+300 is too"),
    ("---\ndescription: R.\nlimits:\n  tokens: 99999999999999999999\n---\n", "limits.tokens"),
    ("---\ndescription: Reads.\nforked: perhaps\n---\n", "forked"),
    ("---\ndescription: Reads.\nforked: true\ntools: grep\n---\n", "is forked and has tools"),
]


@pytest.mark.parametrize(("text", "why"), BAD)
def test_what_a_file_says_wrong_is_named(text: str, why: str) -> None:
    with pytest.raises((UsageError, FrontmatterError)) as refused:
        parse_agent(text, "reader")
    assert why in str(refused.value)


def test_a_bad_file_is_a_problem_and_the_others_count(tmp_path: Path) -> None:
    put(tmp_path, "bad.md", "nothing")
    put(tmp_path, "latin.md", "")
    (tmp_path / "latin.md").write_bytes(b"---\ndescription: \xff\n---\n")
    put(tmp_path, "long.md", "x" * (MOST_BYTES + 1))
    os.mkfifo(tmp_path / "fifo.md")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "gone.md").symlink_to("nowhere")
    put(tmp_path, "good.md", READER.format("Good."))
    put(tmp_path, ".hidden.md", READER.format("Hidden."))
    put(tmp_path, "notes.txt", "no agent")
    agents = Subagents(default=False, files=[tmp_path])
    assert described(agents) == {"reader": "Good."}
    said = problems(agents)
    for name in ("bad", "latin", "long", "fifo", "folder", "gone"):
        assert f"{tmp_path / name}.md: " in said
    assert len(agents.problems()) == 6


def test_a_folder_that_is_not_there_is_no_problem(tmp_path: Path) -> None:
    agents = Subagents(files=[tmp_path / "none", str(tmp_path / "none" / "inside")])
    assert (len(agents.found), agents.problems()) == (1, ())


def test_the_last_folder_wins_and_the_other_file_is_reported(tmp_path: Path) -> None:
    users = put(tmp_path / "user", "reader.md", READER.format("User's."))
    own = put(tmp_path / "project", "reader.md", READER.format("Project's."))
    agents = Subagents(default=False, files=[users, own])
    assert described(agents) == {"reader": "Project's."}
    assert f"{users}/reader.md: not used: there is another 'reader' ({own}" in problems(agents)


def test_code_wins_over_files_and_files_over_the_default(tmp_path: Path) -> None:
    put(tmp_path, "reader.md", READER.format("File's."))
    put(tmp_path, "general.md", READER.format("Mine.").replace("reader", "general-purpose"))
    agents = Subagents([Subagent("reader", "Code's.")], files=[tmp_path])
    assert described(agents) == {"general-purpose": "Mine.", "reader": "Code's."}
    assert [one.source for one in agents.found] == ["files", "code"]
    assert problems(agents) == f"{tmp_path}/reader.md: not used: there is another 'reader' (code)."


def test_a_folder_that_does_not_count_is_a_problem_and_its_agents_are_not_there(
    tmp_path: Path,
) -> None:
    put(tmp_path, "reader.md", READER.format("Theirs."))
    folder = AgentFolder(tmp_path, "project", counts=lambda path, data: "not trusted.")
    agents = Subagents(default=False, files=[folder])
    assert (agents.found, agents.tools()) == ((), ())
    assert problems(agents) == f"{tmp_path}: not trusted."


def test_whoever_trusts_a_folder_sees_all_of_it_and_no_link_of_it_is_followed(
    tmp_path: Path,
) -> None:
    put(tmp_path / "agents", "reader.md", READER.format("Theirs."))
    put(tmp_path, "secret", "a secret")
    (tmp_path / "agents" / "other.md").symlink_to(tmp_path / "secret")
    seen: list[bytes] = []

    def counts(path: Path, data: bytes) -> str:
        seen.append(data)
        return ""

    folder = AgentFolder(tmp_path / "agents", "project", counts=counts)
    agents = Subagents(default=False, files=[folder])
    assert seen == [whole(folder)]
    assert b"Theirs." in seen[0]
    assert b"secret" not in seen[0]
    assert described(agents) == {"reader": "Theirs."}
    assert "other.md: this is a link" in problems(agents)


def test_other_files_are_another_content(tmp_path: Path) -> None:
    put(tmp_path, "reader.md", READER.format("Theirs."))
    before = whole(AgentFolder(tmp_path))
    put(tmp_path, "writer.md", READER.format("Theirs."))
    assert whole(AgentFolder(tmp_path)) != before
    assert whole(AgentFolder(tmp_path / "none")) == b""


def test_a_tool_that_is_not_there_is_a_problem_of_its_file_and_nothing_more(tmp_path: Path) -> None:
    put(tmp_path, "reader.md", "---\ndescription: Reads.\ntools: Read, grep\nmode: x\n---\n")
    agents = Subagents(default=False, files=[tmp_path])
    agents.equipped(["grep"], ["build"])
    agents.equipped(["grep"], ["build"])
    first, second = (one.message for one in agents.problems())
    assert "has the tool 'Read', which the agent does not have" in first
    assert "has the mode 'x', which there is not" in second


@pytest.mark.parametrize("link", [".agents", ".agents/agents"])
def test_a_folder_of_others_that_is_a_link_out_does_not_count(link: str, tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    put(home / "agents", "reader.md", READER.format("Not theirs."))
    put(home, "reader.md", READER.format("Not theirs."))
    (project / link).parent.mkdir(parents=True)
    (project / link).symlink_to(home)
    path = project / ".agents" / "agents"
    folder = AgentFolder(path, "project", str(project), lambda path, data: "")
    agents = Subagents(default=False, files=[folder])
    assert agents.found == ()
    assert problems(agents) == (
        f"{path}: a link leads out of {project}. Put the folder itself there."
    )
    assert whole(folder) == b""


def test_the_users_own_folder_may_be_a_link_and_one_of_others_inside_the_project(
    tmp_path: Path,
) -> None:
    put(tmp_path / "real", "reader.md", READER.format("Mine."))
    (tmp_path / "agents").symlink_to(tmp_path / "real")
    own = AgentFolder(tmp_path / "agents")
    theirs = AgentFolder(tmp_path / "agents", "project", str(tmp_path), lambda path, data: "")
    for folder in (own, theirs):
        assert described(Subagents(default=False, files=[folder])) == {"reader": "Mine."}


def test_what_can_be_chosen_instead_is_listed_in_order(tmp_path: Path) -> None:
    put(tmp_path, "reader.md", "---\ndescription: Reads.\ntools: zzz\n---\n")
    agents = Subagents(default=False, files=[tmp_path])
    agents.equipped({"move", "delete", "grep"}, ["build"])
    assert problems(agents).endswith("There are: delete, grep, move.")
