"""What comes into the editor other than by typing: pastes, completions, pictures."""

from collections.abc import Sequence

from msgspec.structs import replace

from longrein.core.errors import NotFound
from longrein.tui.attempt import attempt
from longrein.tui.view.completing import Completion
from longrein.tui.widgets.area import Area
from longrein.tui.writing.draft import Draft, image_paths, images_named
from longrein.tui.writing.sources import NOTHING, Sources


class Inserter:
    """Writes at the cursor what was not typed: pastes, completions, marks for pictures.

    A picture is sent along in the place of its name. What is no file stays a word: somebody may
    just speak of it.
    """

    def __init__(self, area: Area) -> None:
        self._area = area
        self._sources = NOTHING

    def use(self, sources: Sources) -> None:
        """Read pictures from here."""
        self._sources = sources

    def paste(self, text: str) -> None:
        """Write what was pasted, or a mark for it."""
        draft, written = self._area.draft.with_paste(text)
        self._area.know(draft)
        self._area.write(written)
        if paths := image_paths(text):
            self._send_along(written, paths)

    def complete(self, chosen: Completion, typed: int) -> None:
        """Write what was chosen, in the place of so many characters."""
        self._area.write(chosen.insert, instead_of=typed)
        for said, path in images_named(chosen.insert):
            self._send_along(said, (path,))

    async def all_named_in(self, draft: Draft) -> Draft:
        """The draft with every picture that it names by `@`.

        Raises `UsageError` for one that cannot be sent along.
        """
        for said, path in images_named(draft.text):
            try:
                file = await self._sources.attachment(path)
            except NotFound:
                continue
            draft, mark = draft.with_file(file)
            draft = replace(draft, text=draft.text.replace(said, mark, 1))
        return draft

    def _send_along(self, said: str, paths: Sequence[str]) -> None:
        attempt(self._area, self._read_and_mark(said, paths))

    async def _read_and_mark(self, said: str, paths: Sequence[str]) -> None:
        try:
            files = [await self._sources.attachment(path) for path in paths]
        except NotFound:
            return
        draft, marks = self._area.draft, list[str]()
        for file in files:
            draft, mark = draft.with_file(file)
            marks.append(mark)
        self._area.know(draft)
        self._area.swap(said, " ".join(marks))
