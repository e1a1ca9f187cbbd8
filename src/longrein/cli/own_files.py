"""Settings files that Longrein writes for the user: theirs, or the project's."""

import os
from contextlib import AbstractContextManager

from longrein.core.errors import UsageError
from longrein.settings.locking import locked
from longrein.settings.places import Places, make_private
from longrein.settings.project import read_bounded
from longrein.settings.replacing import replace_file
from longrein.settings.trusted import TrustBook


class OwnFile:
    """One of them, before and after a change, of which there is one at a time: see `alone`."""

    def __init__(self, places: Places, *, project: bool) -> None:
        self._places = places
        self._project = project
        self.path = places.project_file if project else places.user_file
        if project and not self.path.resolve().is_relative_to(places.project):
            raise UsageError(f"{self.path} leads out of the project: nothing is written there.")

    def read(self) -> bytes | None:
        """What is in it; None where there is none. Raises `UsageError`."""
        try:
            return read_bounded(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read: {error.strerror or error}.") from None

    def alone(self) -> AbstractContextManager[None]:
        """Keep other commands from changing it between `read` and `write`. Raises `UsageError`."""
        # Beside the user's file for both: nothing of it should show up in a project.
        return locked(self._places.user_file)

    def write(self, data: bytes, *, before: bytes | None) -> bool:
        """Put `data` in it; whether that counts: the project's does if what was there `before`, as
        it was read, did.

        Raises `UsageError`, and nothing has changed; so where an editor has written it meanwhile.
        """
        if self.read() != before:
            raise UsageError(f"{self.path} was just changed by somebody else: try again.")
        book = TrustBook(self._places.state)
        counts = before is None or not self._project or bool(book.verdict(self.path, before))
        try:
            if self._project:
                self.path.parent.mkdir(exist_ok=True)
            else:
                make_private(self.path.parent)
            replace_file(
                self.path, data, mode=_shared() if before is None and self._project else None
            )
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {error.strerror or error}.") from None
        if self._project and counts:
            book.write(self.path, data, True)
        return counts


def _shared() -> int:
    """What a file of a project may be used for: others have it too."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
