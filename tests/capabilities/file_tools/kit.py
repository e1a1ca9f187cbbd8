"""File tools without a session: calls are looked at, judged and run as a session does it."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from longrein.capabilities.file_tools.place import Call, Checkpoint, Place
from longrein.capabilities.file_tools.seen import SEEN
from longrein.capabilities.file_tools.tools import file_tools
from longrein.core.errors import ToolError
from longrein.core.events import Recorded
from longrein.core.messages import Text
from longrein.core.policy import Touches, Trust
from longrein.core.slices import Folding
from longrein.core.state import State
from longrein.permissions.evaluate import Action, Deny, Verdict, evaluate
from longrein.tools.call import Output, call
from longrein.tools.context import Context
from longrein.tools.define import Tool
from longrein.tools.reach import Fact, Reach
from longrein.workspace.base import FileSystem
from longrein.workspace.carrying import put_files
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.rules import FileRule
from longrein.workspace.thread import THREAD_FILES
from tests.support import run


class Bench:
    """A thread with file tools; `files` may be a file system, or a function of a call."""

    def __init__(
        self,
        files: FileSystem | Callable[[Call], FileSystem] | None = None,
        *,
        base: str = "/",
        rules: Sequence[FileRule] = (),
        checkpoint: Checkpoint | None = None,
        trust: Trust = "yolo",
    ) -> None:
        given = files if files is not None else MemoryFiles()
        self._files: Callable[[Call], FileSystem] = given if callable(given) else lambda _: given
        # A busy machine may look for names longer than a model is to wait for a hint.
        place = Place(self._files, base, tuple(rules), checkpoint, patience=30.0)
        self.tools: dict[str, Tool] = {tool.name: tool for tool in file_tools(place)}
        self.blobs: dict[str, bytes] = {}
        self._trust: Trust = trust
        self._folding = Folding((SEEN, THREAD_FILES))
        self._state = self._folding.begun(State())
        self._reach = Reach(folded=lambda: self._state, keep=self._keep, load=self._load)
        self._calls = 0

    def context(self, tool: str) -> Context:
        self._calls += 1
        return Context(call=f"call-{self._calls}", tool=tool, reach=self._reach)

    async def touches(self, name: str, **arguments: Any) -> Touches:
        return await self.tools[name].touched(json.dumps(arguments), self.context(name))

    async def preview(self, name: str, **arguments: Any) -> str:
        return await self.tools[name].previewed(json.dumps(arguments), self.context(name))

    async def verdict(self, name: str, **arguments: Any) -> Verdict:
        return self._judge(self.tools[name], await self.touches(name, **arguments))

    async def call(self, name: str, **arguments: Any) -> Output:
        """How a call ends that is looked at and judged first."""
        ctx, tool = self.context(name), self.tools[name]
        text = json.dumps(arguments)
        if problem := tool.check(text):
            return Output("error", (Text(problem),))
        try:
            verdict = self._judge(tool, await tool.touched(text, ctx))
        except ToolError as error:
            return Output("error", (Text(str(error)),))
        if isinstance(verdict, Deny):
            return Output("refused", (Text(verdict.reason),))
        return await self.run(ctx, name, **arguments)

    async def run(self, ctx: Context, name: str, **arguments: Any) -> Output:
        """How a call ends, whatever anybody says about it."""
        ended = await call(self.tools[name], json.dumps(arguments), ctx)
        assert isinstance(ended, Output)
        if ended.status == "ok":
            self.write(ctx)
        return ended

    def write(self, ctx: Context) -> None:
        """Fold what a call brought about."""
        for effect in ctx.effects:
            assert isinstance(effect, Fact)
            data = json.loads(json.dumps(effect.data))
            event = Recorded(effect.kind, data, seq=self._state.seq + 1)
            self._state = self._folding(self._state, event)

    def use(self, name: str, **arguments: Any) -> str:
        """What the model hears of a call that ends well."""
        ended = run(self.call(name, **arguments))
        assert ended.status == "ok", ended
        return text_of(ended)

    def fail(self, name: str, **arguments: Any) -> str:
        """What the model hears of a call that does not."""
        ended = run(self.call(name, **arguments))
        assert ended.status in ("error", "refused"), ended
        return text_of(ended)

    def files(self, ctx: Context | None = None) -> FileSystem:
        """The files, beneath all rules."""
        return self._files(ctx or self.context(""))

    def put(self, **contents: bytes) -> None:
        """Put files there by name, as somebody else; `__` is a slash and `_` a dot."""
        named = {_path(name): data for name, data in contents.items()}
        ctx = self.context("")
        run(put_files(self._files(ctx), named))
        self.write(ctx)

    def get(self, path: str) -> bytes | None:
        """What is in a file; None if it is not there."""
        files = self.files()

        async def read() -> bytes | None:
            found = await files.stat(path)
            return (await files.read(path)).data if found and found.kind == "file" else None

        return run(read())

    def judged(self, tool: Tool, touches: Touches) -> bool:
        """Whether a call may run."""
        return not isinstance(self._judge(tool, touches), Deny)

    def _judge(self, tool: Tool, touches: Touches) -> Verdict:
        return evaluate(Action(tool.name, tool.category, touches=touches), (), (), self._trust)

    async def _keep(self, data: bytes) -> str:
        digest = sha256(data).hexdigest()
        self.blobs[digest] = data
        return digest

    async def _load(self, digest: str) -> bytes | None:
        return self.blobs.get(digest)


def text_of(output: Output) -> str:
    return "\n".join(part.text for part in output.parts if isinstance(part, Text))


def _path(name: str) -> str:
    return "/" + name.replace("__", "/").replace("_", ".")
