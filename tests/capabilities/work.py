"""A session at work, for tests of what an agent is told."""

from dataclasses import dataclass
from typing import Any

from longrein import Harness, Note, Session, Waiting
from longrein.models.base import Request
from longrein.testing import ScriptedModel


@dataclass(frozen=True)
class Work:
    """A session, and the requests that its model was sent."""

    harness: Harness
    session: Session[Any]
    model: ScriptedModel

    async def do(self, text: str = "go") -> list[Request]:
        """Say something, say yes to everything, and give the requests of this run."""
        before = len(self.model.requests)
        handle = await self.session.send(text)
        while isinstance(await handle, Waiting):
            for approval in self.session.display.approvals:
                await self.session.approve(approval)
        return list(self.model.requests)[before:]


def notes(request: Request) -> list[str]:
    """What the model was told that no person said."""
    return [one.text for one in request.messages if isinstance(one, Note)]
