"""From arguments and settings to what the app works with; what has to be asked, it asks."""

import asyncio
import os
from argparse import Namespace
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from longrein.cli.config_set import change
from longrein.cli.demo import RESOURCE, demo_harness, demo_project
from longrein.cli.demo_script import lay_out, suggestion
from longrein.cli.doctor.command import checks
from longrein.cli.run import configure
from longrein.cli.teller import Teller
from longrein.cli.terminal import PLAIN
from longrein.cli.workplace import Workplace, find_workplace
from longrein.client.local import LocalClient
from longrein.client.port import About, ModeInfo
from longrein.core.errors import UsageError
from longrein.core.preferences import Preferences
from longrein.harness import Harness
from longrein.loop.agent import Chain, Mode
from longrein.models.catalog import PROVIDERS, known
from longrein.models.local import local_servers
from longrein.session.session import Session
from longrein.settings.layer import read_user
from longrein.settings.places import Places, find_places
from longrein.tui.opening import Choice, Dialogs, Opened

NO_FLAGS = Namespace(trust=None, mode="", model="", effort="")
DEMO = "DEMO · the model is a script"
DEMO_NOTICE = "This is a demo."
DEMO_WORKS = (
    "The model is a script, nothing leaves this machine, all else is real. "
    "Tab takes what is suggested below, Enter says it."
)
DEMO_ANEW = "The last one was over: this is a new one, in a fresh folder."
NO_KEY = (
    "There is no model yet, so this is the demo. For one of your own: `longrein login PROVIDER`, "
    "then `longrein`."
)


async def open_place(
    arguments: Namespace, dialogs: Dialogs, stack: AsyncExitStack
) -> Opened | None:
    """The app in the project, with its settings; where no model can be had, the demo."""
    asking = AskingDialogs(dialogs)
    place = await asyncio.to_thread(find_workplace, arguments, asking)
    if not place.model and not arguments.agent:
        chosen = await _first_model(place, dialogs, asking)
        if chosen is None:
            return await open_demo(stack, NO_KEY, again=arguments.again)
        arguments.model = chosen
        place = place.led_by(chosen) if chosen else place
    elif not await _can_use(place, arguments.model, dialogs):
        return None

    def chosen_by_now(deps: object) -> Chain:
        return place.models

    begun = place
    if not place.models:
        # Once one is chosen, what is opened has it, and nothing is written to a thread for that.
        begun = replace(place, agent=replace(place.agent, model=chosen_by_now))
    harness = await stack.enter_async_context(begun.harness())
    flags = [arguments]

    async def prepare(session: Session) -> None:
        if session.folded.run is not None:
            await place.can_take_over(harness, session, arguments.model)
        # Flags are for the thread that the app begins with, and for new ones.
        first = flags.pop() if flags else NO_FLAGS
        given = first if session.folded.messages else arguments
        await configure(session, place, given)

    def keep(setting: str, value: str) -> None:
        nonlocal place
        _keep(place.places, asking, setting, value)
        if setting == "model":
            place = place.led_by(value)

    client = LocalClient(
        harness,
        place.resource,
        About(place.folder, _modes(place.modes), notices=tuple(asking.said)),
        prepare=prepare,
        look=lambda: checks(place),
        keeping=keep,
    )
    stack.push_async_callback(client.close)
    thread = await _thread(harness, place, arguments)
    return Opened(
        client,
        place.settings.app,
        thread,
        pick=arguments.thread == "",
        draft=" ".join(arguments.prompt),
        choose_model=not place.model,
    )


async def _can_use(place: Workplace, model: str, dialogs: Dialogs) -> bool:
    """Whether to go on, where the model may lack its key: another can be chosen in the app."""
    try:
        # A keyring may take its time.
        await asyncio.to_thread(place.check_model, model)
    except UsageError as error:
        choices = [Choice("on", "Open anyway, to choose another with /model"), Choice("", "Leave")]
        return bool(await dialogs.choose("The model cannot be used yet", str(error), choices))
    return True


async def _thread(harness: Harness, place: Workplace, arguments: Namespace) -> str:
    if arguments.again:
        return await harness.store.current(place.resource, "default") or ""
    return arguments.thread or ""


async def _first_model(place: Workplace, dialogs: Dialogs, asking: "AskingDialogs") -> str | None:
    """A model for who has configured none: of a server on this machine, or (empty) one to be chosen
    in the app, for whoever has a key. None: there is none to be had."""
    providers = known(place.settings.providers, os.environ, place.keys)
    if any(who.origin or (who.ready and who.name not in PROVIDERS) for who in providers):
        return ""
    servers = await local_servers(providers=place.settings.providers, environ=os.environ)
    models = [model for server in servers for model in server.models]
    if not models:
        return None
    title = "Models on this machine"
    text = "No model is configured, but these run here. Which one should Longrein use?"
    choices = [*(Choice(model, model) for model in models), Choice("", "None: show me the demo")]
    chosen = await dialogs.choose(title, text, choices)
    if not chosen:
        return None
    await asyncio.to_thread(_keep, place.places, asking, "model", chosen)
    return chosen


async def open_demo(
    stack: AsyncExitStack, notice: str = DEMO_NOTICE, *, again: bool = False
) -> Opened:
    """The app on the demo's script; where an earlier one was left open, that one. `again`: somebody
    wants to go on with it, and is told where it was over."""
    harness = await stack.enter_async_context(demo_harness(fresh=False))
    places = find_places(Path.cwd(), os.environ)
    project = demo_project(places.data)
    session = await harness.session(RESOURCE)
    over = session.folded.run is None and not session.folded.queue
    notices = (
        notice,
        *((DEMO_ANEW,) if over and again and session.folded.messages else ()),
        DEMO_WORKS,
    )
    if over:
        lay_out(project)
        session = await harness.session(RESOURCE, new=True)
    about = About(str(project), _modes(harness.modes), DEMO, notices)
    client = LocalClient(
        harness,
        RESOURCE,
        about,
        suggest=suggestion,
        keeping=lambda setting, value: _keep(places, Silent(), setting, value),
    )
    stack.push_async_callback(client.close)
    return Opened(client, _liked(places), session.thread)


def _liked(places: Places) -> Preferences:
    """What the user's own file says of the app. A demo opens whatever else is in it."""
    try:
        return read_user(places.user_file).app.preferences()
    except UsageError:
        return Preferences()


def _keep(places: Places, teller: Teller, setting: str, value: str) -> None:
    """Write a setting into the user's own file."""
    change(Namespace(key=setting, value=value, unset=False, project=False), places, teller)


def _modes(modes: Sequence[Mode]) -> tuple[ModeInfo, ...]:
    return tuple(ModeInfo(mode.id, mode.name or mode.id) for mode in modes)


class Silent:
    """Nobody who could be told or asked anything."""

    interactive = False

    def say(self, text: str, style: str = PLAIN, *, hang: int | None = None) -> None:
        pass

    def confirms(self, headline: str, lines: Sequence[str], risk: str) -> bool:
        return False


class AskingDialogs:
    """What commands tell and ask on their way, from a thread beside the app's."""

    interactive = True

    def __init__(self, dialogs: Dialogs) -> None:
        self._dialogs = dialogs
        self._loop = asyncio.get_running_loop()
        self.said: list[str] = []

    def say(self, text: str, style: str = PLAIN, *, hang: int | None = None) -> None:
        self.said.append(text)

    def confirms(self, headline: str, lines: Sequence[str], risk: str) -> bool:
        # What could go wrong stands first: the end of a long file is out of sight.
        text = f"{headline.removesuffix(':')}.\n\n{risk}"
        choices = [Choice("no", "Ignore them", "n"), Choice("yes", "Use them", "y")]
        asked = self._dialogs.choose("Use them?", text, choices, shown="\n".join(lines))
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result() == "yes"
