"""The way out of a sandbox: to hosts that rules allow, and to no others."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Self

from longrein.tools.context import Context
from longrein.workspace.network.hosts import canonical_host
from longrein.workspace.network.proxy import Proxy

MOST_NAMED = 5


class Door:
    """A proxy that lets the commands of one session connect to hosts.

    A host may be reached while a command runs that named it and was allowed to, and where a rule
    allows it. Addresses of this machine and of networks nearby must be named.
    Commands of a session share their sandbox: what one may reach, those beside it reach, too.
    """

    def __init__(self, ports: Sequence[int]) -> None:
        self._ports = frozenset(ports)
        self._named = Counter[str]()
        self._ctx: Context | None = None
        self._opened = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._opened:
            await self._proxy.close()
            shutil.rmtree(os.path.dirname(self.socket), ignore_errors=True)

    @cached_property
    def socket(self) -> str:
        """Where the proxy listens."""
        return os.path.join(tempfile.mkdtemp(prefix="longrein-"), "proxy")

    @cached_property
    def _proxy(self) -> Proxy:
        return Proxy(self._allowed, self.socket, private=self._is_named, ports=self._ports)

    async def open(self, ctx: Context, hosts: Sequence[str]) -> int:
        """Let hosts be reached, until `shut`; returns how many were refused so far."""
        if not self._opened:
            self._opened = True
            await self._proxy.start()
        self._ctx = ctx
        self._named.update(canonical_host(host) for host in hosts)
        return self._proxy.refusals

    def shut(self, hosts: Sequence[str]) -> None:
        """The command that named these hosts is over."""
        self._named.subtract(canonical_host(host) for host in hosts)

    def refused(self, since: int) -> list[str]:
        """A line about the hosts that were refused since there were so many, or none."""
        hosts = list(dict.fromkeys(one.host for one in self._proxy.refused(since)))
        if not hosts:
            return []
        more = f", +{len(hosts) - MOST_NAMED} more" if len(hosts) > MOST_NAMED else ""
        return [f"[not allowed to connect to: {', '.join(hosts[:MOST_NAMED])}{more}]"]

    def _is_named(self, host: str) -> bool:
        return self._named[host] > 0

    def _allowed(self, host: str) -> bool:
        return self._is_named(host) or (self._ctx is not None and self._ctx.may_connect(host))
