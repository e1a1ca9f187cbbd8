"""What counts as a skill, with the reference library of the standard as the judge."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longrein import Skill, UsageError
from longrein.capabilities.skills.library import BUILT_IN, Library
from longrein.capabilities.skills.shelf import SkillFolder
from longrein.capabilities.skills.standard import FIELDS, read_skill
from tests.capabilities.skills.judge import against

GOOD = {
    "pdf": "name: pdf\ndescription: Reads PDF files.",
    "a": "name: a\ndescription: One letter.",
    "x" * 64: f"name: {'x' * 64}\ndescription: As long as can be.",
    "2-columns-3": "description: Digits.\nname: 2-columns-3",
    "日本語": "name: 日本語\ndescription: Any script.",
    "größe": "name: größe\ndescription: Marks.",
    "long": f"name: long\ndescription: {'d' * 1024}",
    "quoted": 'name: \'quoted\'\ndescription: "With: a colon, and \\"quotes\\"."',
    "folded": "name: folded\ndescription: >-\n  Over several\n  lines.",
    "all": (
        "name: all\ndescription: Has all.\nlicense: MIT\ncompatibility: Needs git\n"
        'metadata:\n  author: somebody\n  version: "1.0"\nallowed-tools: Bash(git:*) Read'
    ),
    "list": "name: list\ndescription: Tools in a list.\nallowed-tools:\n  - Bash(jq:*)\n  - Read",
    "commented": "# A head\nname: commented # so\ndescription: Has comments.",
}
BAD = {
    "no-name": "description: No name.",
    "no-description": "name: no-description",
    "empty-name": "name: ''\ndescription: Empty.",
    "blank": "name: blank\ndescription: '  '",
    "Upper": "name: Upper\ndescription: Capital.",
    "under_score": "name: under_score\ndescription: Underscore.",
    "-first": "name: -first\ndescription: Hyphen.",
    "last-": "name: last-\ndescription: Hyphen.",
    "two--hyphens": "name: two--hyphens\ndescription: Hyphens.",
    "dots.in": "name: dots.in\ndescription: Dot.",
    "other-folder": "name: another\ndescription: Elsewhere.",
    "x" * 65: f"name: {'x' * 65}\ndescription: Too long.",
    "long": f"name: long\ndescription: {'d' * 1025}",
    "needs": f"name: needs\ndescription: Needs.\ncompatibility: {'c' * 501}",
    "unknown": "name: unknown\ndescription: Unknown field.\nmodel: fast",
    "needs-list": "name: needs-list\ndescription: A list.\ncompatibility:\n  - git",
    "list-name": "name:\n  - list-name\ndescription: A list.",
    "flow": "name: flow\ndescription: Flow.\nallowed-tools: [Read]",
    "colon": "name: colon\ndescription: Use it: now",
}
STRICTER = {
    "no-value": "name: no-value\ndescription: Nothing needed.\ncompatibility: ''",
    "nested": "name: nested\ndescription: Nested.\nmetadata:\n  a:\n    b: c",
    "listed": "name: listed\ndescription: A list.\nmetadata:\n  - a",
    "no-tools": "name: no-tools\ndescription: No tools.\nallowed-tools: ''",
    "odd-tools": "name: odd-tools\ndescription: Tools.\nallowed-tools: Bash(git",
    "mapped-tools": "name: mapped-tools\ndescription: Tools.\nallowed-tools:\n  a: b",
    "licence-list": "name: licence-list\ndescription: Licence.\nlicense:\n  - MIT",
}


def written(folder: Path, name: str, head: str) -> Path:
    skill = folder / name
    skill.mkdir()
    (skill / "SKILL.md").write_text(f"---\n{head}\n---\nDo it.", encoding="utf-8")
    return skill


@pytest.mark.parametrize("name", GOOD)
def test_what_the_judge_accepts_counts(name: str, tmp_path: Path) -> None:
    skill = written(tmp_path, name, GOOD[name])
    assert against(skill) == []
    found = Library([SkillFolder(tmp_path)]).find()
    assert list(found.skills) == [name]
    assert not found.problems


@pytest.mark.parametrize("name", BAD)
def test_what_the_judge_refuses_is_a_problem_and_no_skill(name: str, tmp_path: Path) -> None:
    skill = written(tmp_path, name, BAD[name])
    assert against(skill)
    found = Library([SkillFolder(tmp_path)]).find()
    assert not found.skills
    (problem,) = found.problems
    assert problem.message.startswith(f"{skill} does not count: ")


@pytest.mark.parametrize("name", STRICTER)
def test_what_only_the_text_of_the_standard_refuses_is_refused_too(
    name: str, tmp_path: Path
) -> None:
    skill = written(tmp_path, name, STRICTER[name])
    assert against(skill) == []
    found = Library([SkillFolder(tmp_path)]).find()
    assert not found.skills
    assert len(found.problems) == 1


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(UsageError, match=r"(?s)no field 'model'.*folder.*description is missing"):
        read_skill("---\nname: a\nmodel: b\n---\n", "c")


def test_every_field_is_read(tmp_path: Path) -> None:
    written(tmp_path, "all", GOOD["all"])
    skill = Library([SkillFolder(tmp_path, "user")]).find().skills["all"]
    assert (skill.license, skill.compatibility) == ("MIT", "Needs git")
    assert skill.metadata == {"author": "somebody", "version": "1.0"}
    assert skill.allowed_tools == ("Bash(git:*)", "Read")
    assert (skill.body, skill.folder, skill.origin) == ("Do it.", str(tmp_path / "all"), "user")


def test_a_skill_from_code_is_held_to_the_standard() -> None:
    for name, about in (("Not So", "Fine."), ("fine", " "), ("fine", "x" * 1025)):
        with pytest.raises(UsageError, match="cannot be a skill"):
            Skill(name, about)
    with pytest.raises(UsageError, match="allowed-tools"):
        Skill("fine", "Fine.", allowed_tools=["Bash(git"])


def test_the_built_in_skills_are_good(tmp_path: Path) -> None:
    found = Library([SkillFolder(BUILT_IN, "built-in")]).find()
    assert not found.problems
    assert found.skills
    for skill in found.skills.values():
        assert against(Path(skill.folder)) == []
        assert len(skill.body.splitlines()) < 500


TEXTS = st.text(st.sampled_from("ab-A9é #:'\"|>[{&*!%@,?~_\n"), max_size=12)
NAMES = st.one_of(st.sampled_from(["pdf", "a-b", "x1"]), TEXTS)
VALUES = st.one_of(
    TEXTS,
    st.lists(TEXTS, max_size=2).map(lambda items: "".join(f"\n  - {item}" for item in items)),
    st.tuples(TEXTS, TEXTS).map(lambda pair: f"\n  {pair[0]}: {pair[1]}"),
)
OTHERS = st.dictionaries(st.sampled_from([*FIELDS[2:], "model"]), VALUES, max_size=3)


@settings(max_examples=300, deadline=None)
@given(NAMES, TEXTS, OTHERS)
def test_the_judge_accepts_whatever_counts(name: str, about: str, others: dict[str, str]) -> None:
    lines = [f"name: {name}", f"description: {about}"]
    lines += [f"{field}: {value}" for field, value in others.items()]
    with tempfile.TemporaryDirectory() as folder:
        called = name if name and "/" not in name and len(name) < 65 else "pdf"
        try:
            skill = written(Path(folder), called, "\n".join(lines))
        except OSError:
            return
        for found in Library([SkillFolder(folder)]).find().skills.values():
            assert against(skill) == []
            assert found.name == called
