"""A client on a scripted model in a folder of its own, in a few words."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from longrein.capabilities.ask_user import AskUser
from longrein.capabilities.base import Capability
from longrein.capabilities.plans import Plans
from longrein.capabilities.todos import Todos
from longrein.capabilities.workspace.workspace import Workspace
from longrein.cli.agent import BUILD, EXPLORE, PLAN
from longrein.client.local import LocalClient
from longrein.client.port import About, Check, ModeInfo
from longrein.core.ids import Clock, Ids
from longrein.core.usage import Limits
from longrein.harness import Harness
from longrein.loop.agent import Agent
from longrein.models.base import Request
from longrein.models.price import Price
from longrein.storage.base import Store
from longrein.testing import Reply, Script, ScriptedModel
from longrein.tools.define import Function, Tool

RESOURCE = "tester"
MODES = (BUILD, PLAN, EXPLORE)
MODEL = "custom:ScriptedModel"
NOBODY = {"OLLAMA_BASE_URL": "http://127.0.0.1:1/v1", "LMSTUDIO_BASE_URL": "http://127.0.0.1:1/v1"}
"""No server of models is on this machine, whoever runs the tests."""


@asynccontextmanager
async def client(
    says: Sequence[Reply] | Callable[[Request], Reply] | ScriptedModel,
    folder: Path,
    *,
    tools: Sequence[Tool | Function] = (),
    capabilities: Sequence[Capability] = (),
    store: str | Store = "memory",
    label: str = "",
    place: str = "",
    checks: Sequence[Check] = (),
    workspace: Workspace | None = None,
    limits: Limits | None = None,
    price: Price | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
) -> AsyncGenerator[LocalClient, None]:
    """A local client of an agent that plans, asks, keeps todos and works in the folder.

    Commands run on the machine itself: what isolates them is tested elsewhere. `place` is another
    name for the folder, at the top of the screen.
    """
    model = says if isinstance(says, ScriptedModel) else ScriptedModel(_script(says))
    works = workspace or Workspace(folder, shell="host")
    able = (works, Todos(), Plans(), AskUser(), *capabilities)
    agent = Agent("assistant", model=model, tools=tools, capabilities=able)
    modes = tuple(ModeInfo(mode.id, mode.name) for mode in MODES)
    about = About(place or str(folder), modes, label)
    async with Harness(
        agent,
        modes=MODES,
        store=store,
        environ=NOBODY,
        limits=limits,
        prices={MODEL: price} if price else None,
        clock=clock,
        ids=ids,
    ) as harness:

        async def look() -> Sequence[Check]:
            return checks

        made = LocalClient(harness, RESOURCE, about, look=look if checks else None)
        try:
            yield made
        finally:
            await made.close()


def _script(says: Sequence[Reply] | Callable[[Request], Reply]) -> Callable[[Request], Reply]:
    return says if callable(says) else Script(list(says))
