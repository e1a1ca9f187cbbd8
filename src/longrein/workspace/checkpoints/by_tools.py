"""Before a file tool changes a file, the file is kept; afterwards, what it became."""

import os
from collections.abc import Iterable, Sequence

from longrein.core.points import reached
from longrein.storage.tables.database import Database
from longrein.workspace.base import FileSystem
from longrein.workspace.checkpoints import changes, objects
from longrein.workspace.checkpoints.looking import BATCH
from longrein.workspace.checkpoints.objects import Piece, packed
from longrein.workspace.checkpoints.site import Site
from longrein.workspace.checkpoints.values import Calling, Version


class ByTools:
    """Keeps what file tools change, for one thread."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def before(self, ctx: Calling, files: FileSystem, paths: Sequence[str]) -> None:
        """Keep what is at these paths; it is durable when this returns."""
        versions, pieces = await self._keep(files, await self._all_below(files, paths))

        def write(db: Database) -> None:
            thread = self._site.owner(db)
            objects.put(db, thread.key, pieces)
            changes.begin(db, thread, self._site.when(ctx, ctx.call), "tool", versions)

        await self._site.writer.write(write)
        reached("files.kept")

    async def after(self, ctx: Calling, files: FileSystem, paths: Sequence[str]) -> None:
        """Write down what became of the paths that the call began with, and of all in them."""
        begun = await self._site.writer.read(
            lambda db: changes.of_call(db, self._site.known(db), ctx.call)
        )
        there = await self._all_below(files, paths)
        versions, pieces = await self._keep(files, [*there, *(row.path for row in begun)])

        def write(db: Database) -> list[bytes]:
            thread = self._site.owner(db)
            objects.put(db, thread.key, pieces)
            return changes.finish(db, thread, self._site.when(ctx, ctx.call), versions)

        changed = await self._site.writer.write(write)
        await self._site.note(ctx, changed, ctx.run)

    async def _all_below(self, files: FileSystem, paths: Sequence[str]) -> list[bytes]:
        raw = map(os.fsencode, paths)
        found = [one for path in raw for one in await self._site.place(path, files).all_below(path)]
        return [path for path in found if not self._site.is_beside(path)]

    async def _keep(
        self, files: FileSystem, paths: Iterable[bytes]
    ) -> tuple[dict[bytes, Version], list[Piece]]:
        """What is at each path, and the bytes that are not in the store yet."""
        versions: dict[bytes, Version] = {}
        pieces: list[Piece] = []
        size, room = 0, self._site.checkpoints.keeping.total
        for path in dict.fromkeys(paths):
            found = await self._site.place(path, files).find(path)
            versions[path] = found.version
            if found.data is None:
                continue
            room -= len(found.data)
            if room < 0:
                full = Version("unkept", found.stamp, found.version.mode, len(found.data), "full")
                versions[path] = full
                continue
            pieces.append(await packed(found.data, found.version.digest))
            size += len(found.data)
            if size > BATCH:
                batch, pieces, size = pieces, [], 0
                await self._site.writer.write(
                    lambda db, batch=batch: objects.put(db, self._site.owner(db).key, batch)
                )
        return versions, pieces
