"""The benchmarks: what a step, a chunk, a session and a start cost. `make bench` runs them."""
