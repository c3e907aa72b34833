"""The closed loop: calls a function until the budget is spent."""
from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from ._display import ProgressBar
from ._errors import InvalidOptions
from ._executors import ExecutorWorkers
from ._loop import Loop
from ._result import Progress, Result, result_of
from ._space import Space
from ._study import Study
from ._workers import Objective, ProcessWorkers, SerialWorkers, Workers, WorkersFactory


def _workers(objective: Objective, executor: Any, workers: int | None, slots: int) -> Workers:
    if executor is None:
        executor = "serial" if workers in (None, 1) else "thread"
    if executor == "serial":
        return SerialWorkers(objective)
    if executor == "thread":
        return ExecutorWorkers(objective, ThreadPoolExecutor(slots, "carbo evaluation"), own=True)
    if executor == "process":
        return ProcessWorkers(objective)
    if isinstance(executor, WorkersFactory):
        return executor.carbo_workers(objective, slots)
    if isinstance(executor, str):
        raise InvalidOptions(f"executor is {executor!r}; give 'serial', 'thread', 'process' or an executor")
    return ExecutorWorkers(objective, executor)


def minimize(
    objective: Objective,
    space: Space | Study,
    *,
    workers: int | None = None,
    executor: str | Executor | Any = None,
    lost: str = "ask_again",
    most_losses: int = 3,
    progress: bool | Callable[[Progress], object] = False,
    **settings: Any,
) -> Result:
    """Calls ``objective(params)`` until the budget is spent, and returns what it found.

    >>> import carbo
    >>> space = carbo.Space(x=carbo.real(-1, 2))
    >>> result = carbo.minimize(
    ...     lambda x: carbo.Evaluation(x["x"] ** 2, cost=2 + x["x"]), space, budget=40, unit="EUR", seed=1
    ... )
    >>> abs(result.best.params["x"]) < 0.1, result.spent >= 40
    (True, True)

    The objective returns a number, and what it cost is the time that it took where it ran; or a
    :class:`carbo.Evaluation` with the cost. An exception is a failure with its reason. ``space`` may be a
    :class:`carbo.Study` that goes on; otherwise one is made of the settings (see there; ``file=`` puts it on a file).

    ``workers`` evaluations run at once (``batch_size``): in the calling thread where it is one, otherwise in threads;
    ``executor="process"`` takes processes, and any executor of ``concurrent.futures`` or like it is taken as it is.
    Timeouts (``evaluation={"timeout": …}``) end processes; in threads and executors, what runs too long is recorded and
    no longer waited for, and its worker is free when it ends (where an executor never says what runs, as Dask's, the
    time counts from submission); the calling thread runs to its end. Of a worker that dies the point is evaluated again
    (``lost="ask_again"``) until it is lost for the third time (``most_losses``), or recorded as failed with what it took
    (``lost="charge"``); what an executor loses before it began does not count, up to 20 times (or ``most_losses``). An
    executor that takes nothing any more (``BrokenExecutor``) ends the run.

    Ctrl-C ends the run with what there is: nothing begins any more, processes are ended, threads are waited for (a
    second Ctrl-C leaves them), and ``result.study`` goes on when ``minimize`` is given it again. ``progress`` is True
    for a bar, or called with a :class:`carbo.Progress` after every evaluation. What it raises, and whatever ends a run
    early, is raised with the study as its attribute ``study``.
    """
    return closed_loop(objective, space, settings, workers, executor, lost, most_losses, progress)


def closed_loop(
    objective: Objective,
    space: Space | Study,
    settings: dict[str, Any],
    workers: int | None,
    executor: Any,
    lost: str,
    most_losses: int,
    progress: bool | Callable[[Progress], object],
) -> Result:
    """As `minimize`, with the settings of a study as they are, its own ``lost`` included."""
    if not callable(objective):
        raise InvalidOptions(f"the objective is {objective!r}; give a callable of the parameters")
    if lost not in ("ask_again", "charge"):
        raise InvalidOptions(f"lost is {lost!r}; give 'ask_again' or 'charge'")
    check_count("most_losses", most_losses)
    if workers is not None:
        check_count("workers", workers)
    if isinstance(space, Study):
        if settings:
            raise InvalidOptions(f"{next(iter(settings))} is given with a study, which has its settings")
        study = space
    else:
        if workers is not None:
            settings.setdefault("batch_size", workers)
        study = Study(space, **settings)
    slots = int(study.options["batch_size"])
    bar = ProgressBar(study.budget, study.unit) if progress is True else None
    notify = bar if bar is not None else progress if callable(progress) else None
    loop = Loop(study, _workers(objective, executor, workers, slots), lost, most_losses, notify)
    interrupted = _Interrupted(loop)
    try:
        with interrupted:
            try:
                loop.run()
            finally:
                _wind_down(loop)
        return result_of(study, time.monotonic() - loop.began, interrupted.times > 0)
    except BaseException as error:
        error.study = study  # type: ignore[attr-defined]
        raise
    finally:
        loop.workers.close(wait=False)
        if bar is not None:
            bar.close()


def check_count(name: str, value: Any, least: int = 1) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InvalidOptions(f"{name} is {value!r}; give a whole number from {least} on")


class _Interrupted:
    """Ctrl-C while a run is under way: seen at the next look, so that no result is lost on its way. It breaks off what
    runs in the calling thread; the second one breaks off the waiting for others."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.times = 0
        self._before: Any = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._asked)

    def _asked(self, signum: int, frame: Any) -> None:
        self.times += 1
        self.loop.stopping = True
        if self.times > 1 or getattr(self.loop.workers, "evaluating", False):
            raise KeyboardInterrupt

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        self.times += kind is KeyboardInterrupt and self._before is None
        return kind is KeyboardInterrupt


def _wind_down(loop: Loop) -> None:
    """At the end of a run, for whatever reason: what cannot be ended is waited for, until Ctrl-C comes again."""
    loop.notify = None
    try:
        if loop.open and not loop.workers.ends_evaluations and not isinstance(loop.workers, SerialWorkers):
            loop.drain()
    finally:
        loop.give_back()


def maximize(objective: Objective, space: Space | Study, **settings: Any) -> Result:
    """As :func:`minimize`, for the largest objective."""
    if not isinstance(space, Study):
        settings = {**settings, "goal": "maximize"}
    return minimize(objective, space, **settings)
