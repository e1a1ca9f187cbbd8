"""What commands in the sandbox can connect to: nothing, but for hosts that were allowed."""

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from longrein import Rule, ShellSettings, Workspace
from longrein.testing import Reply, call
from tests.capabilities.workspace.kit import finish, working
from tests.support import run

FETCH = "import urllib.request as r; print(r.urlopen('http://{host}:{port}/').read().decode())"


@asynccontextmanager
async def serving() -> AsyncGenerator[int]:
    """A web server on loopback; gives its port."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text="hello from outside")

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _fetch(port: int, hosts: list[str] | None = None) -> Reply:
    # Loopback is the sandbox's own unless a program is told to ask the proxy for it, too.
    python, code = os.path.realpath(sys.executable), FETCH.format(host="127.0.0.1", port=port)
    line = f'no_proxy= NO_PROXY= {python} -c "{code}"'
    return call("execute", command=line, hosts=hosts or [])


def test_a_host_that_nobody_named_cannot_be_reached(tmp_path: Path) -> None:
    async def body() -> None:
        async with serving() as port, working(Workspace(tmp_path), _fetch(port)) as (_, session):
            (said,) = await finish(session)
            assert "hello" not in said
            assert "[not allowed to connect to: 127.0.0.1. Name hosts in `hosts`.]" in said

    run(body())


def test_a_person_is_asked_about_hosts_and_then_they_can_be_reached(tmp_path: Path) -> None:
    async def body() -> None:
        async with serving() as port:
            workspace = Workspace(tmp_path, shell=ShellSettings(ports=[port]))
            allow = [Rule("allow", tool="execute")]
            fetch = _fetch(port, ["127.0.0.1"])
            async with working(workspace, fetch, _fetch(port), rules=allow) as (_, session):
                await (await session.send("go"))
                (approval,) = session.display.approvals
                assert approval.touches.hosts == ("127.0.0.1",)
                assert "connects to 127.0.0.1" in approval.preview
                await session.approve(approval)
                first, second = await finish(session)
                assert "hello from outside" in first
                assert "not allowed to connect" in second

    run(body())


def test_a_rule_allows_a_host(tmp_path: Path) -> None:
    async def body() -> None:
        async with serving() as port:
            workspace = Workspace(tmp_path, shell=ShellSettings(ports=[port]))
            rules = [Rule("allow", tool="execute"), Rule("allow", host="127.0.0.1")]
            fetch = _fetch(port, ["127.0.0.1"])
            async with working(workspace, fetch, rules=rules) as (_, session):
                (said,) = await finish(session)
                assert "hello from outside" in said

    run(body())


def test_without_a_network_hosts_cannot_be_named(tmp_path: Path) -> None:
    async def body() -> None:
        async with serving() as port:
            workspace = Workspace(tmp_path, shell=ShellSettings(network="off"))
            async with working(workspace, _fetch(port, ["127.0.0.1"]), _fetch(port)) as (
                _,
                session,
            ):
                first, second = await finish(session)
                assert "leave `hosts` out" in first
                assert "hello" not in second

    run(body())


def test_the_whole_network_has_to_be_asked_for_by_name(tmp_path: Path) -> None:
    async def body() -> None:
        async with serving() as port:
            workspace = Workspace(tmp_path, shell=ShellSettings(network="on"))
            async with working(workspace, _fetch(port)) as (_, session):
                assert "hello from outside" in (await finish(session))[0]

    run(body())


def test_a_wildcard_does_not_reach_this_machine(tmp_path: Path) -> None:
    async def body() -> None:
        async with serving() as port:
            workspace = Workspace(tmp_path, shell=ShellSettings(ports=[port]))
            rules = [Rule("allow", tool="execute"), Rule("allow", host="*")]
            fetch = _fetch(port, ["127.0.0.1"])
            async with working(workspace, fetch, rules=rules) as (_, session):
                (said,) = await finish(session)
                assert "hello" not in said
                assert "not named as such" in said

    run(body())
