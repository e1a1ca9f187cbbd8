"""`make bench`: measure everything and write `bench/results.json`. See docs/benchmarks.md."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    # As a program this file finds its neighbours, not the package that they make up.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    runpy.run_module("bench.main", run_name="__main__")
