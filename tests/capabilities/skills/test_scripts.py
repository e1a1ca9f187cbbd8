"""Scripts of skills run through the sandbox, by the path that the model was told."""

import re
from pathlib import Path

from longrein import Rule, Skills, Workspace
from longrein.models.base import Request
from longrein.testing import Reply, call, say
from tests.capabilities.skills.kit import at_work, heard, put
from tests.support import run

ALLOWED = (Rule("allow", tool="execute"),)


def test_a_script_is_run_by_the_path_that_the_skill_names(tmp_path: Path) -> None:
    skill = put(tmp_path / "skills", "adding", "Run scripts/add.sh with two numbers.")
    (skill / "scripts").mkdir()
    script = skill / "scripts" / "add.sh"
    script.write_text('#!/bin/sh\necho $(($1 + $2))\ntouch made\ntouch "$(dirname $0)/x" || true\n')
    script.chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()

    def reply(request: Request) -> Reply:
        texts = heard(request)
        if not texts:
            return call("skill", name="adding")
        found = re.search(r"commands in (\S+):", texts[0])
        assert found
        line = f"{found[1]}/scripts/add.sh 2 3"
        return call("execute", command=line) if len(texts) < 2 else say("done")

    async def main() -> None:
        place = Workspace(folder)
        async with at_work(Skills([tmp_path / "skills"]), reply, place, rules=ALLOWED) as work:
            _, text = await work.hear()
            assert text.startswith("ok: 5\n")
            assert (folder / "made").exists()
            assert not (skill / "scripts" / "x").exists()

    run(main())


def test_a_link_out_of_a_skill_leads_nowhere_in_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret")
    skill = put(tmp_path / "skills", "linked")
    (skill / "secret").symlink_to(tmp_path / "secret")
    folder = tmp_path / "work"
    folder.mkdir()

    async def main() -> None:
        replies = [call("execute", command=f"cat {skill}/secret; cat {skill}/SKILL.md")]
        place = Workspace(folder)
        async with at_work(Skills([tmp_path / "skills"]), replies, place, rules=ALLOWED) as work:
            (text,) = await work.hear()
            assert "name: linked" in text
            assert "the secret" not in text

    run(main())


def test_a_skill_of_the_project_is_mended_by_an_approved_edit_and_by_no_command(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "project"
    skill = put(folder / ".agents" / "skills", "own", "The old text.")
    file = skill / "SKILL.md"

    async def main() -> None:
        replies = [
            call("skill", name="own"),
            call("execute", command=f"sed -i s/old/worse/ {file}"),
            call("read_file", path=str(file)),
            call("edit_file", path=str(file), edits=[{"old_string": "old", "new_string": "new"}]),
            call("skill", name="own"),
        ]
        place = Workspace(folder)
        async with at_work(
            Skills([folder / ".agents" / "skills"]), replies, place, rules=ALLOWED
        ) as work:
            _, command, _, edit, text = await work.hear()
            assert "Read-only file system" in command
            assert edit.startswith("ok: ")
            assert "The new text." in text

    run(main())
