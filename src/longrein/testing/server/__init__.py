"""A scripted provider as a real HTTP server that speaks every wire.

In process, or as a program: `python -m longrein.testing.server --script FILE`.
"""

from longrein.testing.server.http import Posted, ScriptedServer

__all__ = ["Posted", "ScriptedServer"]
