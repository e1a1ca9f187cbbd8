"""What all sessions of a harness share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from longrein.core.ids import Clock, Ids
from longrein.core.redact import Redactor
from longrein.core.usage import Usage
from longrein.loop.advance import Loop
from longrein.loop.retry import Retry
from longrein.models.base import Model, ModelSettings
from longrein.session.host import Host
from longrein.storage.base import Store
from longrein.tools.registry import Registry


@dataclass(frozen=True, slots=True)
class Services:
    """The store, the models, the tools and the rules of a harness.

    `model` gives the model of a name, or raises `UsageError`; `price` what a call cost, in
    billionths of a dollar, None where nobody knows; `chance` a random number in [0, 1).
    """

    store: Store
    host: Host
    loop: Loop
    registries: Mapping[str, Registry]
    model: Callable[[str], Model]
    settings: ModelSettings
    price: Callable[[str, Usage], Awaitable[int | None]]
    clock: Clock
    ids: Ids
    redactor: Redactor
    retry: Retry
    chance: Callable[[], float]
