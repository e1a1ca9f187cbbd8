"""All benchmarks in one run: prints the table, writes `bench/results.json`."""

import argparse
from collections.abc import Callable, Iterator

from bench.app import app
from bench.cache import cache
from bench.checkpoints import checkpoints
from bench.first_frame import first_frame
from bench.idle import idle
from bench.long import long
from bench.processes import ROOT
from bench.ratios import Numbers, ratio
from bench.reading import reading
from bench.report import AIMS, HEAD, row, save
from bench.resume import resume
from bench.sandbox import sandbox
from bench.search import search
from bench.start import start
from bench.tokens import tokens
from bench.workload import WORKLOADS
from bench.written import written

PAIRS = 7
QUICK_PAIRS = 2


def main() -> None:
    given = _arguments()
    chosen: set[str] = set(given.only or AIMS)
    numbers: Numbers = {"pairs": given.pairs}
    print(HEAD)
    for names, measure in benchmarks(given.pairs, given.quick):
        if wanted := [name for name in names if name in chosen]:
            numbers |= measure()
            for name in wanted:
                print(row(name, numbers), flush=True)
    if not given.quick:
        save(numbers, ROOT / "bench" / "results.json")


def benchmarks(pairs: int, quick: bool) -> Iterator[tuple[tuple[str, ...], Callable[[], Numbers]]]:
    """Each benchmark: the names of the numbers that it gives, and how it is run."""
    for workload in WORKLOADS:
        yield (workload.name,), lambda workload=workload: ratio(workload, pairs)
    yield ("idle_session_kb",), lambda: idle(100 if quick else 1000)
    yield ("resume_cpu_ms",), lambda: resume(2000)
    yield ("written_per_step",), lambda: written(800)
    yield ("long_step_ratio", "long_rss_mb"), lambda: long(400 if quick else 2000)
    yield ("start_cpu_ms", "import_cpu_ms"), lambda: start(3 if quick else 11)
    yield ("grep_ratio", "glob_ratio"), lambda: search(2_000 if quick else 20_000, pairs)
    yield ("read_ms",), reading
    yield ("sandbox_ms", "sandbox_warm_ms"), lambda: sandbox(3 if quick else 11)
    yield (
        ("checkpoint_ms", "checkpoint_shell_ms"),
        lambda: checkpoints(5_000 if quick else 50_000),
    )
    yield ("default_tokens", "agent_tokens"), tokens
    yield ("uncached_percent",), cache
    yield ("first_frame_ms",), lambda: first_frame(3 if quick else 11)
    yield ("open_10000_ms", "scroll_page_ms", "frame_ms"), lambda: app(10_000)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench ARGS=...", description=__doc__)
    parser.add_argument("--only", action="append", choices=[*AIMS], help="this number alone")
    parser.add_argument("--pairs", type=int, help=f"pairs of processes per ratio ({PAIRS})")
    parser.add_argument("--quick", action="store_true", help="few repetitions, writes no file")
    given = parser.parse_args()
    given.pairs = given.pairs or (QUICK_PAIRS if given.quick else PAIRS)
    return given


if __name__ == "__main__":
    main()
