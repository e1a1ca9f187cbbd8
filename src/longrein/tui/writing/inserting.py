"""What comes into the editor other than by typing: pastes, completions, pictures."""

from msgspec.structs import replace

from longrein.client.port import Attachment
from longrein.core.errors import NotFound
from longrein.tui.attempt import attempt
from longrein.tui.view.completing import Completion
from longrein.tui.widgets.area import Area
from longrein.tui.writing.draft import Draft, Named, image_paths, images_named
from longrein.tui.writing.sources import NOTHING, Sources


class Inserter:
    """Writes at the cursor what was not typed: pastes, completions, marks for pictures.

    A picture is sent along in the place of its name. What is no file stays a word: somebody may
    just speak of it.
    """

    def __init__(self, area: Area) -> None:
        self._area = area
        self._sources = NOTHING
        self._reading: list[Named] = []

    def use(self, sources: Sources) -> None:
        """Read pictures from here."""
        self._sources = sources

    def paste(self, text: str) -> None:
        """Write what was pasted, or a mark for it."""
        draft, written = self._area.draft.with_paste(text)
        self._area.know(draft)
        self._area.write(written)
        if paths := image_paths(text):
            self._send_along(Named(written, paths))

    def complete(self, chosen: Completion, typed: int) -> None:
        """Write what was chosen, in the place of so many characters."""
        self._area.write(chosen.insert, instead_of=typed)
        for named in images_named(chosen.insert):
            self._send_along(named)

    def naming(self, draft: Draft) -> Draft:
        """The draft with which pictures it names: those by `@`, and those that are being read."""
        by_name = images_named(draft.text)
        said = {one.said for one in by_name}
        reading = (one for one in self._reading if one.said in draft.text)
        return replace(draft, named=(*by_name, *(one for one in reading if one.said not in said)))

    async def with_pictures(self, draft: Draft) -> Draft:
        """The draft with the pictures that it names, each in the place of its words.

        Raises `UsageError` for one that cannot be sent along.
        """
        for named in draft.named:
            known, marks = _knowing(draft, await self._read(named), named.said)
            draft = replace(known, text=known.text.replace(named.said, marks, 1))
        return draft

    def _send_along(self, named: Named) -> None:
        self._reading.append(named)
        attempt(self._area, self._read_and_mark(named))

    async def _read_and_mark(self, named: Named) -> None:
        try:
            files = await self._read(named)
        finally:
            self._reading.remove(named)
        known, marks = _knowing(self._area.draft, files, named.said)
        self._area.know(known)
        self._area.swap(named.said, marks)

    async def _read(self, named: Named) -> list[Attachment]:
        try:
            return [await self._sources.attachment(path) for path in named.paths]
        except NotFound:
            return []


def _knowing(draft: Draft, files: list[Attachment], said: str) -> tuple[Draft, str]:
    """The draft that knows of the files, and their marks; without any, what was said for them."""
    marks: list[str] = []
    for file in files:
        draft, mark = draft.with_file(file)
        marks.append(mark)
    return draft, " ".join(marks) or said
