"""Evaluations in an executor, of whoever's making."""
from __future__ import annotations

import concurrent.futures as futures
import pickle
import time
import uuid
from collections.abc import Sequence
from typing import Any

from ._errors import InvalidOptions
from ._space import Params
from ._workers import Objective, Outcome, evaluate


def _evaluate_once(objective: Objective, params: Params, call: str) -> Outcome:
    """As `evaluate`; executors that take a call with equal arguments for the same one (Dask's) are told by `call`."""
    return evaluate(objective, params)


class ExecutorWorkers:
    """Any executor whose `submit` returns a future: of `concurrent.futures`, or with `done` and `result` alone.

    What was submitted counts as begun where the executor never says that anything runs, as Dask's: as far as it has as
    many workers as the loop has slots, that is so."""

    ends_evaluations = False
    most_waiting: int | None = 0

    def __init__(self, objective: Objective, executor: Any, own: bool = False) -> None:
        if not callable(getattr(executor, "submit", None)):
            raise InvalidOptions(f"executor is {executor!r}; give 'thread', 'process' or an object with submit()")
        self._objective = objective
        self._executor = executor
        self._own = own
        self._futures: dict[int, Any] = {}
        self._submitted: dict[int, float] = {}  # on the monotonic clock, as all times here
        self._begun: dict[int, float] = {}  # as the executor says
        self._says_what_runs = False
        self._left: list[Any] = []  # nobody waits for them, and they may run

    def submit(self, points: Sequence[tuple[int, Params]]) -> None:
        for id, params in points:
            self._submitted[id] = time.monotonic()
            self._futures[id] = self._executor.submit(_evaluate_once, self._objective, params, uuid.uuid4().hex)

    def holds(self, id: int) -> bool:
        return id in self._futures

    def begun(self, id: int) -> float | None:
        self._look(id)
        return self._begun.get(id, None if self._says_what_runs else self._submitted.get(id))

    def _look(self, id: int) -> None:
        running = getattr(self._futures.get(id), "running", None)
        if id not in self._begun and running is not None and running():
            self._says_what_runs = True
            self._begun[id] = time.monotonic()

    def wait(self, seconds: float) -> list[tuple[int, Outcome]]:
        waiting = list(self._futures.values())
        for id in self._futures:
            self._look(id)
        if all(isinstance(future, futures.Future) for future in waiting):
            futures.wait(waiting, timeout=seconds, return_when=futures.FIRST_COMPLETED)
        else:
            until = time.monotonic() + seconds
            while not any(future.done() for future in waiting) and time.monotonic() < until:
                time.sleep(min(0.05, max(0.0, until - time.monotonic())))
        ended = [id for id, future in self._futures.items() if future.done()]
        return [(id, self._outcome(id)) for id in ended]

    def _outcome(self, id: int) -> Outcome:
        future = self._futures[id]
        began = self.begun(id)
        seconds = 0.0 if began is None else time.monotonic() - began
        try:
            outcome = future.result()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            mistaken = _unpicklable(error)
            # `evaluate` lets no Exception out: what it did not raise may be of an evaluation that never began.
            begun = began is not None or not isinstance(error, Exception)
            outcome = Outcome(seconds=seconds, reason=reason, lost=not mistaken, mistaken=mistaken, begun=begun)
        self._forget(id)
        if not isinstance(outcome, Outcome):
            return Outcome(reason=f"the executor returned {outcome!r}", mistaken=True)
        return outcome

    def _forget(self, id: int) -> Any:
        self._begun.pop(id, None)
        self._submitted.pop(id, None)
        return self._futures.pop(id, None)

    def end(self, id: int) -> None:
        waits = self.begun(id) is None
        future = self._forget(id)
        if future is None:
            return
        if waits:
            _cancel(future)
        else:
            # Dask would take its worker for free, and send another evaluation there.
            self._left = [each for each in self._left if not each.done()] + [future]

    def close(self, wait: bool) -> None:
        for future in [*self._futures.values(), *self._left]:
            _cancel(future)
        self._futures, self._left = {}, []
        if self._own:
            self._executor.shutdown(wait=wait, cancel_futures=True)


def _cancel(future: Any) -> None:
    if hasattr(future, "cancel"):
        future.cancel()


def _unpicklable(error: BaseException) -> bool:
    return isinstance(error, pickle.PicklingError) or (
        isinstance(error, (AttributeError, TypeError)) and "pickle" in str(error).lower()
    )
