"""The ratios: Longrein against a bare client, in fresh processes, in turn."""

from statistics import median

from bench.processes import Provider, Received, provider, run
from bench.workload import Workload

Numbers = dict[str, float]


def ratio(workload: Workload, pairs: int) -> Numbers:
    """The median ratio of so many pairs, its spread, and the raw numbers of both sides."""
    check_bodies(workload._replace(steps=min(workload.steps, 50)))
    with provider(workload.steps, workload.chunks) as server:
        measured = [_pair(server, workload) for _ in range(pairs)]
    ratios = [ours / bare for (ours, _), (bare, _) in measured]
    numbers: Numbers = {
        workload.name: median(ratios),
        f"{workload.name}_low": min(ratios),
        f"{workload.name}_high": max(ratios),
        f"{workload.name}_spread": max(ratios) - min(ratios),
    }
    for place, side in enumerate(("ours", "bare")):
        received = measured[-1][place][1]
        numbers[f"{workload.name}_{side}_seconds"] = median(pair[place][0] for pair in measured)
        numbers[f"{workload.name}_{side}_requests"] = received.requests
        numbers[f"{workload.name}_{side}_bytes"] = received.bytes
    return numbers


def check_bodies(workload: Workload) -> None:
    """Raise unless both sides send the same bodies, but for the random ids of calls."""
    with provider(workload.steps, workload.chunks, bodies=True) as server:
        (_, ours), (_, bare) = _pair(server, workload)
    if ours.digest != bare.digest:
        raise RuntimeError(f"{workload.name}: the two sides do not send the same bodies")


def _pair(
    server: Provider, workload: Workload
) -> tuple[tuple[float, Received], tuple[float, Received]]:
    arguments = ("--url", server.url, "--sessions", str(workload.sessions))
    bare: float = run("bare", *arguments)
    bare_received = server.received()
    ours: float = run("ours", *arguments)
    ours_received = server.received()
    if _size(ours_received) != _size(bare_received):
        sides = f"{_size(ours_received)}, the bare client {_size(bare_received)}"
        raise RuntimeError(f"{workload.name}: Longrein sent {sides}")
    return (ours, ours_received), (bare, bare_received)


def _size(received: Received) -> str:
    return f"{received.requests} requests of {received.bytes} bytes"
