"""Keys in the keyring of the user's desktop. Needs the extra `keyring`."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

import keyring
from keyring.errors import PasswordDeleteError

from longrein.core.errors import UsageError

T = TypeVar("T")

SERVICE = "longrein"
SECONDS = 15.0
LEAST_PRIORITY = 1
"""What keeps nothing, or keeps it in the open, ranks lower."""


class SystemKeyring:
    """The keyring. Whatever it does, it is waited for no longer than `seconds`: it may ask the user
    to unlock it where nobody sees that, or speak to a service that has gone.

    All of it raises `UsageError` where the keyring fails.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds

    def name(self) -> str:
        """What it is; empty where there is none that keeps anything."""

        def look() -> str:
            found = keyring.get_keyring()
            return found.name if found.priority >= LEAST_PRIORITY else ""

        return self._bounded(look)

    def get(self, provider: str) -> str:
        """The key of a provider; empty where it has none."""
        return self._bounded(lambda: keyring.get_password(SERVICE, provider)) or ""

    def put(self, provider: str, key: str) -> None:
        """Keep the key of a provider."""
        self._bounded(lambda: keyring.set_password(SERVICE, provider, key))

    def remove(self, provider: str) -> None:
        """Forget the key of a provider, if there is one."""

        def forget() -> None:
            try:
                keyring.delete_password(SERVICE, provider)
            except PasswordDeleteError:
                if keyring.get_password(SERVICE, provider):
                    raise

        self._bounded(forget)

    def _bounded(self, work: Callable[[], T]) -> T:
        done: SimpleQueue[tuple[T] | Exception] = SimpleQueue()

        def attempt() -> None:
            try:
                done.put((work(),))
            except Exception as error:  # protects the user from what backends of others raise
                done.put(error)

        # A daemon: one that never comes back does not keep the process from ending.
        Thread(target=attempt, daemon=True, name="keyring").start()
        try:
            outcome = done.get(timeout=self._seconds)
        except Empty:
            raise UsageError(
                f"The keyring did not answer within {self._seconds:g} seconds. Unlock it and try "
                "again, or set the key in the environment."
            ) from None
        if isinstance(outcome, tuple):
            return outcome[0]
        said = f"{type(outcome).__name__}: {outcome}".removesuffix(": ")
        raise UsageError(f"The keyring could not be used ({said}).") from outcome
