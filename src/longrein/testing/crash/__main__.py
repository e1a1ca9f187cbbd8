"""`python -m longrein.testing.crash`: kill, look, report."""

import argparse
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

from longrein.testing.crash.rig import (
    LEAST_RANDOM,
    Totals,
    Undisturbed,
    encode_results,
    measure,
    run_again,
    run_many,
)
from longrein.testing.crash.wire import Judged


def main() -> int:
    """Run the rig as the command line says; not 0 if anything is wrong."""
    options = _options()
    model = measure()
    if options.seed is not None:
        return _once(options.seed, model)
    began = time.monotonic()
    totals = Totals()
    done = _done(totals, options, began)
    run_many(count(options.first), options.lanes, model, done)
    seconds = time.monotonic() - began
    results = Path(options.results)
    results.parent.mkdir(parents=True, exist_ok=True)
    results.write_bytes(encode_results(totals))
    return _summary(totals, options, seconds)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="longrein.testing.crash", description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="how many kills must count")
    parser.add_argument("--hits", type=int, default=5, help="how often each point must be hit")
    parser.add_argument("--seed", type=int, help="run the case of one seed again and show it")
    first = int(time.time()) * 1000
    parser.add_argument("--first", type=int, default=first, help="the seed of the first case")
    parser.add_argument("--lanes", type=int, default=8, help="how many cases run side by side")
    parser.add_argument("--seconds", type=float, default=840, help="give up after so long")
    parser.add_argument("--results", default="crash/results.json", help="where the figures go")
    return parser.parse_args()


def _done(totals: Totals, options: argparse.Namespace, began: float) -> Callable[[Judged], bool]:
    def done(judged: Judged) -> bool:
        totals.add(judged)
        if judged.findings:
            _show(judged)
        if totals.cases % 100 == 0:
            print(f"{totals.kills} kills in {time.monotonic() - began:.0f} s", flush=True)
        late = time.monotonic() - began > options.seconds
        return late or totals.enough(options.kills, options.hits)

    return done


def _once(seed: int, model: Undisturbed) -> int:
    case, judged = run_again(seed, model)
    for life in case.lives:
        print(f"\n{life.role}, {life.kill}, killed at {life.killed}")
        for message in life.said:
            print(f"  {str(message)[:2000]}")
    print(f"\neffects: {case.effects}\n")
    _show(judged)
    return 1 if judged.findings else 0


def _show(judged: Judged) -> None:
    print(f"seed {judged.seed} ({judged.scenario}): {'failed' if judged.findings else 'well'}")
    for kind, found in judged.findings.items():
        for fault in found:
            print(f"  {kind}: {fault}", flush=True)


def _summary(totals: Totals, options: argparse.Namespace, seconds: float) -> int:
    print(f"{totals.kills} kills in {seconds:.0f} s, {totals.random} of them at random times;")
    print(f"{totals.first_starts} first starts of a database were killed beside these")
    for name, hits in totals.points.items():
        print(f"  {name:18} {hits}")
    for kind, n in totals.faults.items():
        print(f"{kind:20} {n}")
    print(f"{'unknown':20} {totals.unknown} calls reported as perhaps done")
    print(f"{'reported':20} {totals.reported} files that a rewind kept and named")
    enough = totals.enough(options.kills, options.hits)
    if not enough:
        print("too few kills, or a point that was hit too rarely")
    if not totals.random_enough:
        print(f"less than {LEAST_RANDOM:.0%} of the kills were at random times")
    if totals.failures:
        print(f"failed; run again with --seed {' | '.join(map(str, sorted(totals.failures)))}")
    return 0 if enough and totals.random_enough and not totals.failures else 1


if __name__ == "__main__":
    sys.exit(main())
