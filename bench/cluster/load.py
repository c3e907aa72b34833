"""How much of their time workers wait for suggestions.

load.py ray [EVALUATIONS [SECONDS [WORKERS]]]        tasks of Ray that sleep (2,000 of 0.05 s over 8 workers)
load.py simulated [EVALUATIONS [SECONDS [WORKERS]]]  the same loop and engine, with workers that are simulated: the clock
                                                     is the engine's time, and leaps to the next end of an evaluation
                                                     where the loop waits (2,000 of 1 s over 64 workers)

Evaluations last between half and one and a half times SECONDS, by a parameter. Prints a row of a table: the share of
the workers' time between the first start and the last end in which they did not evaluate, with random picks and with the
default (EI-cool), the seconds that all took, and the seconds of the engine and the store in them where it is simulated.
Needs carbo in PYTHONPATH (scripts/python), and Ray.
"""
from __future__ import annotations

import heapq
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import carbo

SPACE = carbo.Space(x=carbo.real(0, 1), y=carbo.real(1e-3, 1, log=True), n=carbo.integer(1, 9))


def lasts(params: dict[str, Any], seconds: float) -> float:
    return seconds * (0.5 + float(params["x"]))


def value(params: dict[str, Any]) -> float:
    return float((params["x"] - 0.3) ** 2 + (params["y"] - 0.1) ** 2 + 0.01 * (params["n"] - 4) ** 2)


class Simulated:
    """Workers on a clock of their own."""

    ends_evaluations = True
    most_waiting = None

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.now = 0.0  # seconds of the simulation
        self.engine = 0.0
        self.left = time.perf_counter()
        self.free = 0
        self.waiting: list[tuple[int, dict[str, Any]]] = []
        self.running: list[tuple[float, int, float, dict[str, Any]]] = []  # end, id, begin
        self.begins: dict[int, float] = {}
        self.spans: list[tuple[float, float]] = []

    def carbo_workers(self, objective: Any, slots: int) -> Simulated:
        self.free = slots
        return self

    def catch_up(self) -> None:
        """The engine has worked for a while: what would have ended and begun meanwhile has."""
        passed = time.perf_counter() - self.left
        self.engine += passed
        self.advance(self.now + passed)

    def advance(self, until: float) -> None:
        self.ended = getattr(self, "ended", [])
        while self.running and self.running[0][0] <= until:
            end, id, begin, params = heapq.heappop(self.running)
            self.spans.append((begin, end))
            self.ended.append((id, begin, end, params))
            self.free += 1
            self.start(end)
        self.now = until

    def start(self, at: float) -> None:
        while self.free and self.waiting:
            id, params = self.waiting.pop(0)
            self.free -= 1
            self.begins[id] = at
            heapq.heappush(self.running, (at + lasts(params, self.seconds), id, at, params))

    def submit(self, points: list[tuple[int, dict[str, Any]]]) -> None:
        self.catch_up()
        self.left = time.perf_counter()
        self.waiting += points
        self.start(self.now)

    def holds(self, id: int) -> bool:
        return any(id == each[0] for each in self.waiting) or any(id == each[1] for each in self.running)

    def begun(self, id: int) -> float | None:
        return self.begins.get(id)

    def wait(self, seconds: float) -> list[tuple[int, Any]]:
        from carbo._workers import Outcome

        self.catch_up()
        if not self.ended and self.running:
            self.advance(self.running[0][0])
        found = [
            (id, Outcome(begin, end - begin, carbo.Evaluation(value(params), cost=end - begin)))
            for id, begin, end, params in self.ended
        ]
        self.ended = []
        self.left = time.perf_counter()
        return found

    def end(self, id: int) -> None:
        self.waiting = [each for each in self.waiting if each[0] != id]

    def close(self, wait: bool) -> None: ...


def idle(spans: list[tuple[float, float]], workers: int) -> float:
    whole = max(end for _, end in spans) - min(begin for begin, _ in spans)
    return 1 - sum(end - begin for begin, end in spans) / (workers * whole)


def simulated(evaluations: int, seconds: float, workers: int, acquisition: str) -> tuple[float, float, str]:
    made = Simulated(seconds)
    carbo.minimize(
        value, SPACE, budget=f"{evaluations} evaluations", batch_size=workers, execution="asynchronous", seed=1,
        acquisition=acquisition, executor=made,
    )
    return idle(made.spans, workers), made.now, f"{made.engine:.1f}"


def on_ray(evaluations: int, seconds: float, workers: int, acquisition: str) -> tuple[float, float, str]:
    import carbo.ray

    def objective(params: dict[str, Any]) -> float:
        time.sleep(lasts(params, seconds))
        return value(params)

    with tempfile.TemporaryDirectory() as folder:
        result = carbo.ray.minimize(
            objective, SPACE, budget=f"{evaluations} evaluations", workers=workers, seed=1, acquisition=acquisition,
            file=Path(folder) / "study.db",
        )
    trials = [trial for trial in result.trials if trial.state == "succeeded"]
    assert len(trials) >= evaluations
    spans = [(trial.started or 0.0, trial.ended or 0.0) for trial in trials]
    return idle(spans, workers), result.elapsed_seconds, ""


def main() -> None:
    kind = sys.argv[1]
    given = [*sys.argv[2:], *(["2000", "0.05", "8"] if kind == "ray" else ["2000", "1", "64"])[len(sys.argv) - 2 :]]
    evaluations, seconds, workers = int(given[0]), float(given[1]), int(given[2])
    if kind == "ray":
        import ray

        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        on_ray(4 * workers, seconds, workers, "random")  # processes of workers start
    run = on_ray if kind == "ray" else simulated
    print("| workers | evaluations | s each | picks | idle | s in all | s engine |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: |")
    for acquisition in ("random", "ei_cool"):
        share, whole, engine = run(evaluations, seconds, workers, acquisition)
        print(f"| {workers} {kind} | {evaluations} | {seconds:g} | {acquisition} | {share:.1%} | {whole:.1f} | {engine} |")


if __name__ == "__main__":
    main()
