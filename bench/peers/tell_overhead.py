"""What a tell costs in Python beyond what it costs in C++.

Usage: tell_overhead.py build/ci/bench/bench_tell_seconds, with the package carbo in PYTHONPATH.
Both tell the same 2,000 results, of points of the caller's and of suggestions; medians, in microseconds, and differences.
"""
import statistics
import subprocess
import sys
import time

import carbo


def measure():
    study = carbo.Study(carbo.Space(x=carbo.real(0, 1), n=carbo.integer(1, 9)), budget=1e9, seed=1, acquisition="random")
    given, suggested = [], []
    for i in range(2000):
        params = {"x": i / 2000, "n": 1 + i % 9}
        begin = time.perf_counter_ns()
        study.tell(params, 1.0, 1.0)
        given.append(time.perf_counter_ns() - begin)
    for _ in range(2000):
        (one,) = study.ask(1)
        begin = time.perf_counter_ns()
        study.tell(one, 1.0, 1.0)
        suggested.append(time.perf_counter_ns() - begin)
    return statistics.median(given) / 1e3, statistics.median(suggested) / 1e3


ours = measure()
theirs = [float(word) for word in subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout.split()]
for what, python, cpp in zip(("a point of one's own", "a suggestion"), ours, theirs):
    print(f"tell of {what}: {python:.2f} µs, in C++ {cpp:.2f} µs, {python - cpp:.2f} µs more")
