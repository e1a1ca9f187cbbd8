"""What the app's own slash commands do."""

from collections.abc import Sequence
from typing import cast

from longrein.client.words import seen_from
from longrein.core import commands as c
from longrein.core.errors import UsageError
from longrein.core.policy import Trust
from longrein.tui.commands import BROUGHT, did_you_mean, known_commands, unknown
from longrein.tui.desk import NO_MODES, TRUSTS
from longrein.tui.opening import Choice
from longrein.tui.pages.brought import BroughtPage
from longrein.tui.pages.children import ChildrenPage
from longrein.tui.pages.context import ContextPage
from longrein.tui.pages.cost import CostPage
from longrein.tui.pages.dialog import Dialog, LineDialog
from longrein.tui.pages.doctor import DoctorPage
from longrein.tui.pages.export import ExportPage
from longrein.tui.pages.help import HelpPage
from longrein.tui.pages.jobs import JobsPage
from longrein.tui.pages.models import ModelsPage
from longrein.tui.pages.page import Page
from longrein.tui.pages.permissions import PermissionsPage
from longrein.tui.pages.rewind import RewindPage
from longrein.tui.pages.text import TextPage, plain
from longrein.tui.pages.theme import ThemePage
from longrein.tui.pages.threads import ThreadsPage
from longrein.tui.saving import FORMATS
from longrein.tui.stage import Stage
from longrein.tui.view.header import title_of
from longrein.tui.view.rewinding import undone_words
from longrein.tui.view.status import TRUST_WORDS
from longrein.tui.view.tones import Line

YOLO = (
    "Everything that no rule denies would happen unasked: edits, commands, whatever they reach. "
    "What the rules deny stays denied."
)

NO_FORMAT = "There is no format {0!r}; known: {1}. Is it a file? Then: /export markdown {2}"


async def perform(stage: Stage, name: str, arguments: str) -> None:
    """Carry out a command, of the app or of the agent. Raises `UsageError` for one that is not."""
    thread = stage.desk.thread
    match name:
        case "help" | "context" | "cost" | "permissions" | "doctor":
            await stage.visit(_page(stage, name))
        case "new":
            await stage.enter(await stage.desk.client.open(new=True))
        case "threads":
            await pick_thread(stage)
        case "fork":
            await _fork(stage)
        case "rename":
            await _rename(stage, arguments)
        case "export":
            await _export(stage, arguments)
        case "rewind":
            await _rewind(stage)
        case "undo":
            stage.tell(undone_words(await thread.undo()))
        case "compact":
            await thread.submit(c.Compact(arguments))
        case "proceed":
            await go_on(stage)
        case "queue":
            if not stage.main.composer.queue.enter():
                stage.tell("Nothing waits in the queue. Alt+Enter puts something into it.")
        case "release":
            await stage.desk.release()
        case "mode" | "trust" | "model" | "theme":
            await _choose(stage, name, arguments)
        case "children":
            child: str | None = ""
            while child := await stage.visit(ChildrenPage(thread, child)):
                await stage.look_in(child)
        case "jobs":
            await stage.visit(JobsPage(thread, stage.clock))
        case "editor":
            stage.main.editor.edit_outside()
        case "quit" | "exit":
            await stage.leave()
        case _ if name in BROUGHT:
            await stage.visit(BroughtPage(thread, name, arguments))
        case _:
            await _invoke(stage, name, arguments)


def _page(stage: Stage, name: str) -> Page[None]:
    thread = stage.desk.thread
    match name:
        case "context":
            return ContextPage(thread)
        case "cost":
            return CostPage(thread)
        case "permissions":
            return PermissionsPage(thread, stage.desk.client.about.place)
        case "doctor":
            return DoctorPage(stage.desk.client)
        case _:
            return HelpPage(thread)


async def pick_thread(stage: Stage) -> None:
    """Let the person choose a thread, and go there."""
    client, here = stage.desk.client, stage.desk.thread.thread
    chosen = await stage.visit(ThreadsPage(client, here, stage.clock))
    if chosen and chosen != here:
        await stage.enter(await client.open(chosen))


async def choose_model(stage: Stage) -> None:
    """Let the person choose a model for this thread."""
    shown = stage.desk.thread.display
    page = ModelsPage(stage.desk.client, shown.model, shown.effort)
    if switch := await stage.visit(page):
        await _use_model(stage, switch)


async def _use_model(stage: Stage, switch: c.SwitchModel) -> None:
    if await stage.desk.use(switch):
        stage.tell(f"{switch.model} is kept in your settings: new threads begin with it.")


async def go_on(stage: Stage) -> None:
    """Go on with what was left open, or else after what ended the last run."""
    thread = stage.desk.thread
    shown = thread.display
    if shown.run or shown.queue:
        await thread.resume()
    else:
        await thread.proceed()


async def _rename(stage: Stage, title: str) -> None:
    thread = stage.desk.thread
    if not title:
        now = thread.display.title or (title_of(thread.display) if thread.display.messages else "")
        asked = LineDialog("Rename", "What is this thread about?", value=now)
        title = await stage.visit(asked) or ""
    if title:
        await thread.submit(c.Rename(title))


async def _export(stage: Stage, arguments: str) -> None:
    format, _, path = arguments.partition(" ")
    if format not in FORMATS:
        if path and format.isalnum():
            raise UsageError(NO_FORMAT.format(format, ", ".join(FORMATS), arguments))
        format, path = "markdown", arguments
    thread = stage.desk.thread
    page = ExportPage(
        stage.desk.client,
        thread.thread,
        title_of(thread.display),
        format,
        path.strip(),
    )
    if written := await stage.visit(page):
        stage.tell(f"Written to {seen_from(stage.desk.client.about.place, written)}.")


async def _rewind(stage: Stage) -> None:
    if rewound := await stage.visit(
        RewindPage(stage.desk.thread, stage.clock, stage.desk.client.about.place)
    ):
        if rewound.fork:
            await _fork(stage, rewound.fork)
        else:
            stage.tell(rewound.words)
        if rewound.text:
            stage.main.editor.load(rewound.text)


async def _fork(stage: Stage, point: str = "") -> None:
    """Go another way in a thread of its own: from here, or from before an input."""
    thread = stage.desk.thread
    if point and thread.display.activity == "running":
        raise UsageError("Something is running in this thread. Stop it with Esc first, then fork.")
    fork = await stage.desk.client.fork(thread.thread)
    if point:
        await fork.rewind(point, files=False, conversation=True)
    await stage.enter(fork)
    stage.tell("This is the fork; the thread that it comes from is unchanged.")


async def _choose(stage: Stage, name: str, chosen: str) -> None:
    thread = stage.desk.thread
    match name:
        case "mode":
            modes = [Choice(mode.id, mode.name) for mode in stage.desk.client.about.modes]
            if not modes:
                raise UsageError(NO_MODES)
            if chosen := await _one_of(stage, "Mode", modes, chosen, thread.display.mode):
                await thread.submit(c.SwitchMode(chosen))
        case "trust":
            trusts = [
                Choice(trust, f"{trust}: {TRUST_WORDS[trust].removeprefix('yolo: ')}")
                for trust in TRUSTS
            ]
            chosen = await _one_of(stage, "Trust", trusts, chosen, thread.display.trust)
            if chosen and (chosen != "yolo" or await _is_sure(stage)):
                await thread.submit(c.SetTrust(cast("Trust", chosen)))
        case "model" if chosen:
            await _use_model(stage, c.SwitchModel(chosen))
        case "model":
            await choose_model(stage)
        case _:
            if theme := chosen or await stage.visit(ThemePage(stage.theme)):
                await stage.wear(theme)


async def _one_of(
    stage: Stage, title: str, choices: list[Choice], chosen: str, current: str
) -> str:
    if not chosen:
        return await stage.visit(Dialog(title, "", choices, current)) or ""
    known = [choice.value for choice in choices]
    if chosen not in known:
        hint = did_you_mean(chosen, known) or f"Known: {', '.join(known)}. "
        raise UsageError(
            f"There is no {title.lower()} {chosen!r}. {hint}/{title.lower()} lists them."
        )
    return chosen


async def _is_sure(stage: Stage) -> bool:
    choices = [Choice("no", "No, keep asking", "n"), Choice("yes", "Yes, never ask", "y")]
    return await stage.choose("Never ask in this thread?", YOLO, choices) == "yes"


async def _invoke(stage: Stage, name: str, arguments: str) -> None:
    thread = stage.desk.thread
    brought = await thread.commands()
    if all(one.name != name for one in brought):
        raise UsageError(unknown(name, known_commands(brought)))
    said = await thread.invoke(name, arguments)
    if not said:
        return
    if "\n" not in said.strip():
        stage.tell(said)
        return

    async def make() -> Sequence[Line]:
        return plain(said)

    await stage.visit(TextPage(f"/{name}", make))
