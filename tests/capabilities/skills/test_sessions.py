"""Skills in a session: listed, loaded, changed while it runs."""

from itertools import pairwise
from pathlib import Path

from longrein import InThread, Skill, SkillFolder, Skills, Workspace
from longrein.core import events as e
from longrein.models.base import Request
from longrein.testing import Reply, call, say
from tests.capabilities.skills.kit import at_work, heard, notes, put
from tests.session.kit import of
from tests.support import run


def test_the_system_text_lists_names_and_descriptions(tmp_path: Path) -> None:
    put(tmp_path, "pdf", "The body.", about="Reads PDF files.")

    async def main() -> None:
        async with at_work(Skills([tmp_path]), [say("hi")]) as work:
            (request,) = await work.do()
            assert "- pdf: Reads PDF files." in request.system
            assert "- skill-writing: " in request.system
            assert "The body." not in request.system
            assert "skill" in [tool.name for tool in request.tools]

    run(main())


def test_a_skill_is_loaded_with_its_body_and_its_files(tmp_path: Path) -> None:
    skill = put(tmp_path, "pdf", "Read references/forms.md first.")
    (skill / "references").mkdir()
    (skill / "references" / "forms.md").write_text("x" * 1234)

    async def main() -> None:
        async with at_work(Skills([tmp_path]), [call("skill", name="pdf")]) as work:
            (text,) = await work.hear()
            assert "Read references/forms.md first." in text
            assert "- references/forms.md (1,234 bytes)" in text
            assert "SKILL.md" not in text
            assert f"below /skills/pdf and commands in {skill}" in text

    run(main())


def test_a_skill_from_code_is_loaded_and_wins(tmp_path: Path) -> None:
    put(tmp_path, "pdf", "From the folder.")
    own = Skill("pdf", "Reads PDF files.", "From code.")

    async def main() -> None:
        async with at_work(Skills([tmp_path], skills=[own]), [call("skill", name="pdf")]) as work:
            (text,) = await work.hear()
            assert "From code." in text
            (warning,) = work.session.display.warnings
            assert "the skill 'pdf' from code has the same name and wins" in warning.message

    run(main())


def test_a_skill_from_code_may_have_files(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("Some notes.")
    own = Skill("own", "Has files.", "Read notes.md.", folder=str(tmp_path))

    async def main() -> None:
        replies = [call("skill", name="own"), call("read_file", path="/skills/own/notes.md")]
        async with at_work(Skills(skills=[own]), replies, Workspace(InThread())) as work:
            loaded, read = await work.hear()
            assert "- notes.md (11 bytes)" in loaded
            assert "Some notes." in read

    run(main())


def test_a_folder_that_is_named_twice_does_not_hide_itself(tmp_path: Path) -> None:
    put(tmp_path, "pdf")
    twice = Skills([SkillFolder(tmp_path, "user"), SkillFolder(tmp_path, "project")])
    found = twice.library.find()
    assert found.skills["pdf"].origin == "project"
    assert not found.shadowed


def test_a_name_that_is_not_there_says_which_was_meant(tmp_path: Path) -> None:
    put(tmp_path, "pdf-forms")

    async def main() -> None:
        replies = [call("skill", name="pdf-form"), call("skill", name="zzz"), call("skill")]
        async with at_work(Skills([tmp_path]), replies) as work:
            near, far, every = await work.hear()
            assert near == "error: There is no skill 'pdf-form'. Did you mean pdf-forms?"
            assert far.endswith("Call skill without a name to see all.")
            assert "- pdf-forms: Does it. Use for it." in every

    run(main())


def test_what_does_not_fit_the_budget_is_said_and_can_be_listed(tmp_path: Path) -> None:
    for number in range(50):
        put(tmp_path, f"skill-{number:02}", about="Does something that takes words to describe.")

    async def main() -> None:
        replies = [call("skill"), call("skill", name="skill-49")]
        async with at_work(Skills([tmp_path], budget=300), replies) as work:
            requests = await work.do()
            assert "more that do not fit here" in requests[0].system
            assert 5 < requests[0].system.count("\n- ") < 30
            every, loaded = heard(requests[-1])
            assert every.count("Does something") == 50
            assert "# Skill skill-49" in loaded

    run(main())


def changing(folder: Path) -> list[Request]:
    """The requests of a run in which skills are changed between steps."""
    changes = [
        lambda: put(folder, "new", about="Came later."),
        lambda: put(folder, "pdf", about="Reads all files."),
        lambda: put(folder, "pdf", "Another body.", about="Reads all files."),
        lambda: (folder / "new").rename(folder.parent / "away"),
    ]
    steps = iter(range(9))

    def reply(request: Request) -> Reply:
        step = next(steps)
        if 0 < step <= len(changes):
            changes[step - 1]()
        return (
            call("skill", name="other" if step else "pdf") if step <= len(changes) else say("done")
        )

    async def main() -> list[Request]:
        async with at_work(Skills([folder], built_in=False), reply) as work:
            return await work.do()

    return run(main())


def test_what_changes_is_told_at_the_next_step_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    put(folder, "pdf", about="Reads PDF files.")
    put(folder, "other")
    requests = changing(folder)
    told = notes(requests[-1])
    assert told == [
        "There are new skills:\n- new: Came later.",
        "These skills are described differently now:\n- pdf: Reads all files.",
        "Changed since you loaded them; load them again before you go on with them: pdf.",
        "These skills are not there any more: new.",
    ]
    assert [len(notes(request)) for request in requests] == [0, 0, 1, 2, 3, 4]


def test_a_change_leaves_the_prefix_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    put(folder, "pdf")
    put(folder, "other")
    requests = changing(folder)
    for before, after in pairwise(requests):
        assert (before.system, before.tools) == (after.system, after.tools)
        assert list(after.messages)[: len(before.messages)] == list(before.messages)


def test_a_bad_skill_is_an_event_and_hurts_nobody(tmp_path: Path) -> None:
    put(tmp_path, "good")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "SKILL.md").write_text("no head")

    async def main() -> None:
        async with at_work(Skills([tmp_path]), [call("skill", name="good")]) as work:
            (text,) = await work.hear()
            assert text.startswith("ok: # Skill good")
            await work.do()
            (warned,) = await of(work.session, e.Warned)
            assert str(tmp_path / "bad") in warned.problem.message
            assert work.session.display.warnings == (warned.problem,)

    run(main())


def test_a_folder_that_comes_and_goes_is_followed(tmp_path: Path) -> None:
    folder = tmp_path / "skills"

    async def main() -> None:
        skills = Skills([SkillFolder(folder, "user")], built_in=False)
        async with at_work(skills, [say("a"), say("b"), say("c"), call("skill", name="x")]) as work:
            assert notes((await work.do())[0]) == []
            put(folder, "x")
            assert notes((await work.do())[0]) == [
                "These skills are there now:\n- x: Does it. Use for it."
            ]
            folder.rename(tmp_path / "gone")
            told = notes((await work.do())[0])
            assert told[-1] == "These skills are not there any more: x."
            put(folder, "x", "Another one.")
            (text,) = await work.hear()
            assert "Another one." in text

    run(main())
