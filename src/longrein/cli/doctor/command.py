"""`longrein doctor`: every check, what isolates commands, and what to do."""

import asyncio
import os
from argparse import Namespace
from collections.abc import Sequence

from msgspec import Struct

from longrein.cli import exits
from longrein.cli.doctor.isolation import COMMANDS, SANDBOX, isolation_checks
from longrein.cli.doctor.models import model_checks
from longrein.cli.doctor.packages import package_checks
from longrein.cli.doctor.project import SETTINGS, project_checks
from longrein.cli.doctor.store import store_checks
from longrein.cli.doctor.terminal import terminal_checks
from longrein.cli.placed import in_plain_place
from longrein.cli.terminal import Screen
from longrein.cli.workplace import Workplace
from longrein.client.port import Check, CheckState
from longrein.settings.layer import Shell
from longrein.workspace.sandbox.base import Isolation


class Report(Struct, frozen=True):
    """What holds here.

    `isolated`: commands can be isolated, which was tried. `shell` is what the settings say,
    `isolation` what commands then have.
    """

    isolated: bool
    shell: Shell
    isolation: Isolation
    checks: tuple[Check, ...]


@in_plain_place
async def doctor(place: Workplace, arguments: Namespace, screen: Screen) -> int:
    """Say what is here and what is missing; exit code 1 where commands cannot be isolated, or the
    settings cannot hold."""
    report = await examine(place, online=arguments.online)
    if arguments.json:
        screen.out_json(report)
    else:
        _show(report, screen)
    works = report.isolated and all(one.name != SETTINGS for one in report.checks)
    return exits.FINISHED if works else exits.FAILED


async def checks(place: Workplace) -> Sequence[Check]:
    """Everything that was looked at, for whoever shows it. Nobody outside is asked."""
    return (await examine(place)).checks


async def examine(place: Workplace, *, online: bool = False) -> Report:
    """The whole report; `online`: the providers of the models in use are asked too."""
    active, isolating = await isolation_checks(place)
    tried = next(one for one in reversed(isolating) if one.name in (COMMANDS, SANDBOX))
    store = place.settings.store or place.places.store
    return Report(
        isolated=tried.state == "ok",
        shell=place.settings.shell,
        isolation=active,
        checks=(
            *isolating,
            *package_checks(),
            *await asyncio.to_thread(store_checks, store),
            *await model_checks(place, online=online),
            *terminal_checks(os.environ),
            *await project_checks(place),
        ),
    )


def _show(report: Report, screen: Screen) -> None:
    marks: dict[CheckState, str] = {"ok": "ok", "missing": "NO", "note": "-"}
    for check in report.checks:
        screen.out(f"{marks[check.state]:2} {check.name:16} {check.found}\n", hang=20)
    name = report.isolation.name
    screen.out(f"\nCommands of the agent (shell = {report.shell!r}) run under: {name}\n")
    _list("What that promises:", report.isolation.promises, screen)
    _list("What it does not:", report.isolation.gaps, screen)
    _list("To do:", [f"{one.name}: {one.fix}" for one in report.checks if one.fix], screen)


def _list(title: str, lines: Sequence[str], screen: Screen) -> None:
    if lines:
        screen.out(f"\n{title}\n")
    for line in lines:
        screen.out(f"  - {line}\n", hang=2)
