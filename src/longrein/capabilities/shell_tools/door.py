"""The way out of a sandbox: to hosts that rules allow, and to no others."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Self

from longrein.tools.context import Context
from longrein.workspace.network.proxy import Proxy

MOST_NAMED = 5


class Door:
    """A proxy that lets the commands of one session connect to hosts.

    A host may be reached while a command runs that named it and was allowed to, and where a rule
    allows it. This machine and networks nearby can be reached by a name that a person said yes to,
    or that a rule has without wildcards.
    Commands of a session share their sandbox: what one may reach, those beside it reach, too.
    """

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = frozenset(ports)
        self._named = Counter[str]()
        self._near: set[str] = set()
        self._ctx: Context | None = None
        self._opened = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._opened:
            await self._proxy.close()
        if "socket" in self.__dict__:
            shutil.rmtree(os.path.dirname(self.socket), ignore_errors=True)

    @cached_property
    def socket(self) -> str:
        """Where the proxy listens."""
        return os.path.join(tempfile.mkdtemp(prefix="longrein-"), "proxy")

    @cached_property
    def _proxy(self) -> Proxy:
        return Proxy(self._allowed, self.socket, private=self._near.__contains__, ports=self._ports)

    async def open(self, ctx: Context, hosts: Sequence[str]) -> int:
        """Let hosts, in canonical form, be reached until `shut`; returns how many were refused."""
        if not self._opened:
            self._opened = True
            await self._proxy.start()
        self._ctx = ctx
        self._named.update(hosts)
        # What no rule allows, a person did: this call would not run otherwise.
        self._near |= {
            host
            for host in hosts
            if ctx.may_connect(host, exactly=True) or not ctx.may_connect(host)
        }
        return self._proxy.refusals

    def shut(self, hosts: Sequence[str]) -> None:
        """The command that named these hosts is over."""
        self._named.subtract(hosts)
        for host in hosts:
            if not self._named[host]:
                self._near.discard(host)
                if not self._allowed(host):
                    self._proxy.end(host)

    def refused(self, since: int, named: Sequence[str]) -> list[str]:
        """What to say to a command that named hosts about those refused since; or nothing."""
        refused = self._proxy.refused(since)
        hosts = list(dict.fromkeys(one.host for one in refused if one.host not in named))
        lines = [f"[{one.says}]" for one in refused if one.host in named][:MOST_NAMED]
        if hosts:
            more = f", +{len(hosts) - MOST_NAMED} more" if len(hosts) > MOST_NAMED else ""
            shown = f"{', '.join(hosts[:MOST_NAMED])}{more}"
            lines.append(f"[not allowed to connect to: {shown}. Name hosts in `hosts`.]")
        return lines

    def _allowed(self, host: str) -> bool:
        return self._named[host] > 0 or (self._ctx is not None and self._ctx.may_connect(host))
