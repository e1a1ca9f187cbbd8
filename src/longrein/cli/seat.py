"""From where a run is driven."""

from dataclasses import dataclass
from typing import Literal

from longrein.cli.attend import Asker
from longrein.cli.terminal import Screen
from longrein.cli.views import View
from longrein.core.usage import Limits
from longrein.session.session import Session
from longrein.storage.base import Store

UNLIMITED = Limits(steps=None)


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sees to a thread, with what, and on which terms.

    `asker` answers what waits; without one it is parked or declined, at once or, where there is a
    `deadline` in seconds, by the harness when that has passed. `takes_over`: go on with the run
    here should the process that owns it die. `shaped`: the answer has to fit a schema. `limits` are
    for all that the command brings about, runs that children wake included. `titled`: a model gives
    threads their titles, and is waited for.
    """

    session: Session
    store: Store
    screen: Screen
    view: View
    asker: Asker | None = None
    unattended: Literal["park", "deny"] = "park"
    deadline: float | None = None
    takes_over: bool = True
    brought: str = ""
    shaped: bool = False
    limits: Limits = UNLIMITED
    titled: bool = False
