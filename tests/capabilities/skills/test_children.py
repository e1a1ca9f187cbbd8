"""A child of an agent that has loaded a skill."""

from longrein import Skill, Skills, Subagents
from longrein.testing import Script, call, say, when
from tests.capabilities.skills.kit import at_work, heard
from tests.support import run

HEARD = [
    "ok: You have no active skill: there is nothing to be done with.",
    "refused: This holds for the agent that you work for, and so for you, whatever you do: The "
    "skill 'narrow' is active and allows only: Task. Use these; whoever loaded it and is done with "
    "it calls skill(done=true).",
]


def change() -> str:
    """Change something."""
    return "changed"


def test_a_child_is_told_that_the_skill_is_its_parents() -> None:
    async def main() -> None:
        delegate = call("task", agent="general-purpose", description="d", prompt="KID")
        narrow = Skill("narrow", "Delegates.", "Do.", allowed_tools=["Task"])
        child = when("KID", call("skill", done=True), call("change"), say("done"))
        script = Script([call("skill", name="narrow"), delegate, say("end")], rules=[child])
        async with at_work(Skills(skills=[narrow]), script, Subagents(), tools=[change]) as work:
            requests = await work.do()
            assert HEARD in list(map(heard, requests))

    run(main())
