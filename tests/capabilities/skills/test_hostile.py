"""Skills that want out: links, sizes, bytes, races. Nobody is hurt, and people are told."""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from longrein import Context, InThread, Skill, Skills, Workspace
from longrein.capabilities.skills.library import Library
from longrein.capabilities.skills.resources import MOST_FILES, Mounted, resources_of
from longrein.capabilities.skills.shelf import LARGEST, MOST_SKILLS, SkillFolder
from longrein.testing import call
from longrein.workspace.problems import FileProblem
from tests.capabilities.skills.kit import at_work, put
from tests.support import cpu, run

SECRET = "the secret"
CTX: Context = Context()


def problems(folder: Path) -> list[str]:
    """What is wrong with the skills of a folder, none of which counts."""
    found = Library([SkillFolder(folder)]).find()
    assert not found.skills
    return [problem.message for problem in found.problems]


def test_a_skill_that_is_a_link_does_not_count(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere", "pdf")
    folder = tmp_path / "skills"
    folder.mkdir()
    (folder / "pdf").symlink_to(tmp_path / "elsewhere" / "pdf")
    (problem,) = problems(folder)
    assert "it is a link" in problem


def test_a_skill_file_that_is_a_link_does_not_count(tmp_path: Path) -> None:
    other = put(tmp_path / "elsewhere", "pdf")
    folder = tmp_path / "skills" / "pdf"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").symlink_to(other / "SKILL.md")
    (problem,) = problems(tmp_path / "skills")
    assert "SKILL.md is a link" in problem


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"---\nname: pdf\ndescription: Not \xff UTF-8.\n---\n", "not UTF-8"),
        (b"", "does not begin"),
        (b"---\n" + b"x" * LARGEST, "more than"),
        (b"\xff\xfe-\x00-\x00-\x00", "not UTF-8"),
        (b"---\nname: pdf\n" + b"- " * 2_000 + b"\n---\n", "no 'key: value'"),
        (b"---\nname: pdf\nmetadata:\n  " + b"- " * 200_000 + b"\n---\n", "levels"),
    ],
)
def test_bytes_that_are_no_skill_are_reported(data: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "pdf").mkdir()
    (tmp_path / "pdf" / "SKILL.md").write_bytes(data)
    (problem,) = problems(tmp_path)
    assert told in problem


def test_a_pipe_and_a_folder_in_its_place_are_reported_at_once(tmp_path: Path) -> None:
    for name in ("pipe", "folder"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    (tmp_path / "folder" / "SKILL.md").mkdir()
    assert [message.rpartition(": ")[2] for message in problems(tmp_path)] == [
        "SKILL.md is no file.",
        "SKILL.md is no file.",
    ]


def test_a_file_in_small_letters_is_reported_and_other_folders_are_not(tmp_path: Path) -> None:
    (tmp_path / "pdf").mkdir()
    (tmp_path / "pdf" / "skill.md").write_text("---\nname: pdf\ndescription: x\n---\n")
    (tmp_path / "assets").mkdir()
    (tmp_path / "README.md").write_text("hello")
    (problem,) = problems(tmp_path)
    assert "small letters" in problem


def test_more_skills_than_anybody_has_are_cut_and_reported(tmp_path: Path) -> None:
    for number in range(MOST_SKILLS + 5):
        put(tmp_path, f"s{number:04}")
    found = Library([SkillFolder(tmp_path)]).find()
    assert len(found.skills) == MOST_SKILLS
    assert "the others do not count" in found.problems[0].message


def test_a_look_at_two_hundred_skills_costs_little(tmp_path: Path) -> None:
    for number in range(MOST_SKILLS):
        put(tmp_path, f"s{number:04}")
    library = Library([SkillFolder(tmp_path)])
    library.find()
    assert library.same()
    assert cpu(library.same) < 0.02


def test_links_that_lead_out_are_not_listed_not_read_and_reported(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    folder = tmp_path / "skills"
    skill, other = put(folder, "pdf"), put(folder, "other")
    (other / "own.md").write_text(SECRET)
    (skill / "fine.md").write_text("fine")
    (skill / "inside").symlink_to("fine.md")
    (skill / "absolute").symlink_to(tmp_path / "secret")
    (skill / "relative").symlink_to("../../secret")
    (skill / "neighbour").symlink_to("../other/own.md")
    (skill / "up").symlink_to("..")

    async def main() -> None:
        read = [
            call("read_file", path=f"/skills/pdf/{name}")
            for name in ("absolute", "relative", "neighbour", "up/other/own.md", "../../secret")
        ]
        write = call("write_file", path="/skills/pdf/fine.md", content="x")
        replies = [call("skill", name="pdf"), call("read_file", path="/skills/pdf/inside"), *read]
        async with at_work(Skills([folder]), [*replies, write], Workspace(InThread())) as work:
            loaded, inside, *others, written = await work.hear()
            assert "- fine.md (4 bytes)" in loaded
            assert not [
                name for name in ("absolute", "relative", "neighbour", "- up") if name in loaded
            ]
            assert "fine" in inside
            assert all(text.startswith("error: ") and SECRET not in text for text in others)
            assert not written.startswith("ok")
            assert (skill / "fine.md").read_text() == "fine"
            (warning,) = work.session.display.warnings
            assert "links that lead out of it and are not followed: " in warning.message

    run(main())


def test_a_skill_that_becomes_a_link_while_it_is_used_lets_nobody_out(tmp_path: Path) -> None:
    folder, private = tmp_path / "skills", tmp_path / "private"
    skill = put(folder, "pdf")
    (skill / "a.md").write_text("fine")
    private.mkdir()
    (private / "a.md").write_text(SECRET)

    def swap() -> None:
        skill.rename(tmp_path / "away")
        skill.symlink_to(private)

    async def main() -> None:
        replies = [call("skill", name="pdf"), call("read_file", path="/skills/pdf/a.md")]
        async with at_work(Skills([folder]), replies, Workspace(InThread())) as work:
            library = Library([SkillFolder(folder)])
            chosen = library.find().skills["pdf"]
            swap()
            texts = await work.hear()
            assert not [text for text in texts if SECRET in text]
            assert resources_of(chosen).files == ()

    run(main())


def test_swapping_links_all_the_while_lets_nobody_out(tmp_path: Path) -> None:
    skill = put(tmp_path / "skills", "pdf")
    private = put(tmp_path / "private", "pdf", SECRET)
    for folder in (skill, private):
        (folder / "a.md").write_text(SECRET if folder is private else "fine")
    over = Event()

    def swap() -> None:
        while not over.is_set():
            skill.rename(tmp_path / "away")
            skill.symlink_to(private)
            skill.unlink()
            (tmp_path / "away").rename(skill)

    async def main() -> None:
        read = 0
        until = time.monotonic() + 1
        while not read or time.monotonic() < until:
            for found in Library([SkillFolder(tmp_path / "skills")]).find().skills.values():
                assert SECRET not in found.body
            shown = Mounted(Library([], [Skill("pdf", "Reads.", folder=str(skill))]))
            with suppress(FileProblem):
                content = await shown(CTX).read("/pdf/a.md")
                assert content.data == b"fine"
                read += 1

    with ThreadPoolExecutor(1) as threads:
        swapping = threads.submit(swap)
        try:
            run(main())
        finally:
            over.set()
        swapping.result(timeout=20)


def test_a_huge_skill_is_listed_only_in_part(tmp_path: Path) -> None:
    skill = put(tmp_path, "pdf")
    for number in range(MOST_FILES + 20):
        (skill / f"{number:04}.md").write_text("x")
    (skill / "node_modules").mkdir()
    (skill / "node_modules" / "x.js").write_text("x")
    found = resources_of(Library([SkillFolder(tmp_path)]).find().skills["pdf"])
    assert len(found.files) == MOST_FILES
    assert found.more
