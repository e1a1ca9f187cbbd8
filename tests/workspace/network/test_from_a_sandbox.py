"""Commands in a real sandbox get out through the proxy, and no other way."""

from pathlib import Path

import pytest

from longrein.workspace.sandbox.base import Bounds, Command
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from tests.support import run
from tests.workspace.network.kit import Origin, proxied

FETCH = """
import sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=15).read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
except OSError as error:
    print("cut off")
"""
TUNNEL = """
import http.client, os, sys
host, port = sys.argv[1].split(":")
client = http.client.HTTPConnection("127.0.0.1", 3128, timeout=15)
client.set_tunnel(host, int(port))
try:
    client.request("GET", "/")
    print(client.getresponse().read().decode())
except OSError as error:
    print(error)
"""
DIRECT = """
import socket, sys
host, port = sys.argv[1].split(":")
try:
    socket.create_connection((host, int(port)), 15)
    print("connected")
except OSError as error:
    print("cut off")
"""


async def said(folder: Path, program: str, place: str, *, through: bool = True) -> str:
    """What a program says in a sandbox about a place, whose port is that of a server."""
    root = folder / "root"
    root.mkdir()
    (root / "program.py").write_text(program)
    async with Origin() as origin, proxied(folder, origin) as proxy:
        sandbox = Bubblewrap(root, proxy=proxy.socket_path if through else None)
        try:
            line = f"python3 program.py {place.replace('PORT', str(origin.port))}"
            process = await sandbox.start(Command(line, str(root), Bounds(seconds=20)))
            pieces = [piece async for piece in process.output()]
        finally:
            await sandbox.close()
    return b"".join(pieces).decode().strip()


@pytest.mark.parametrize(
    ("program", "place", "says"),
    [
        (FETCH, "http://good.example:PORT/", "hello"),
        (FETCH, "http://evil.example:PORT/", "403 Connections to evil.example are not allowed"),
        (TUNNEL, "good.example:PORT", "hello"),
        (TUNNEL, "evil.example:PORT", "Tunnel connection failed: 403"),
        (DIRECT, "127.0.0.1:PORT", "cut off"),
    ],
)
def test_hosts_are_reached_as_the_proxy_decides(
    program: str, place: str, says: str, tmp_path: Path
) -> None:
    assert says in run(said(tmp_path, program, place))


def test_without_the_proxy_nothing_is_reached(tmp_path: Path) -> None:
    assert run(said(tmp_path, FETCH, "http://good.example:PORT/", through=False)) == "cut off"
