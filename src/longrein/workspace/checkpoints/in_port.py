"""Files put back in any file system, through its port."""

import os
from hashlib import sha256

from longrein.workspace.base import FileSystem
from longrein.workspace.checkpoints.places import OTHER_NOW, UNREADABLE, Found, Place, check_count
from longrein.workspace.checkpoints.values import ABSENT, FOLDER, Keeping, Version
from longrein.workspace.paths import folders_above, join
from longrein.workspace.problems import Changed, FileProblem, Refused
from longrein.workspace.searching import EVERYTHING


class PortPlace:
    """Any file system. It has no links to make and no empty folders."""

    def __init__(self, files: FileSystem, keeping: Keeping) -> None:
        self._files = files
        self._keeping = keeping

    async def all_below(self, path: bytes) -> list[bytes]:
        top = os.fsdecode(path)
        found = [one for one in folders_above(top)[1:] if await self._files.stat(one) is None]
        found.append(top)
        there = await self._files.stat(top)
        waiting = [top] if there is not None and there.kind == "folder" else []
        while waiting:
            check_count(top, len(found), self._keeping.files)
            folder = waiting.pop()
            for entry in (await self._files.entries(folder, EVERYTHING)).entries:
                found.append(join(folder, entry.name))
                if entry.kind == "folder":
                    waiting.append(found[-1])
        return [os.fsencode(one) for one in found]

    async def find(self, path: bytes) -> Found:
        at = os.fsdecode(path)
        try:
            now = await self._files.stat(at)
        except FileProblem:
            return UNREADABLE
        if now is None:
            return Found(ABSENT)
        if now.kind == "folder":
            return Found(FOLDER, b"folder")
        mark = now.revision.encode()
        if now.kind == "link":
            target = now.target.encode()
            return Found(Version("link", sha256(target).digest(), 0, len(target)), b"link", target)
        if now.kind == "other" or now.size > self._keeping.largest_by_tool:
            reason = "special" if now.kind == "other" else "large"
            return Found(Version("unkept", mark, now.mode & 0o777, now.size, reason), mark)
        try:
            content = await self._files.read(at)
        except FileProblem:
            return Found(Version("unkept", mark, now.mode & 0o777, now.size, "unreadable"), mark)
        mode, data = content.stat.mode & 0o777, content.data
        version = Version("file", sha256(data).digest(), mode, len(data))
        return Found(version, content.stat.revision.encode(), data)

    async def put(self, path: bytes, target: Version, data: bytes, found: Found) -> None:
        at = os.fsdecode(path)
        if target.kind == "link":
            raise Refused(at, "Links cannot be made here.")
        if target.kind == "file":
            expected = found.stamp.decode()
            await self._files.write(at, data, expected=expected, mode=target.mode)

    async def remove(self, path: bytes, found: Found) -> None:
        at = os.fsdecode(path)
        now = await self._files.stat(at)
        if now is None:
            return
        if now.kind == "file" and now.revision.encode() != found.stamp:
            raise Changed(at, OTHER_NOW)
        await self._files.remove(at)

    async def sweep(self, path: bytes) -> None:
        """Whoever writes the files behind the port sees to that."""


_fits: type[Place] = PortPlace
