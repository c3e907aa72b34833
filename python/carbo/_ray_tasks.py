"""The closed loop over tasks of Ray."""
from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError, RuntimeEnvSetupError, TaskUnschedulableError

from ._errors import InvalidOptions
from ._minimize import minimize as _minimize
from ._result import Result
from ._space import Params, Space
from ._study import Study
from ._workers import Objective, Outcome, evaluate


def _task(objective: Objective, params: Params) -> Iterator[Outcome | None]:
    """Says that it has begun, and then what became of it; the time is taken where it runs."""
    yield None
    yield evaluate(objective, params)


def _resources() -> dict[str, float]:
    have: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call, unused-ignore]
    return have


@dataclass(frozen=True)
class RayTasks:
    """Has :func:`carbo.minimize` evaluate in tasks of Ray: ``minimize(…, executor=RayTasks(num_gpus=1))``.

    ``ahead`` is how many suggestions may wait for a free worker where evaluations are so short that workers would wait
    for suggestions otherwise; where it is None as many as there are workers, or one for every 16 results if more.
    """

    num_cpus: float = 1
    num_gpus: float = 0
    resources: Mapping[str, float] = field(default_factory=dict)
    ahead: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  #: further ones of a task, such as ``scheduling_strategy``

    def capacity(self) -> int:
        """Evaluations that the cluster's resources allow at once."""
        have = _resources()
        wanted = {"CPU": self.num_cpus, "GPU": self.num_gpus, **self.resources}
        return int(min((have.get(name, 0) / each for name, each in wanted.items() if each > 0), default=1))

    def carbo_workers(self, objective: Objective, slots: int) -> RayWorkers:
        return RayWorkers(objective, self)


class RayWorkers:
    """Tasks that are not made again by Ray: the loop does so, and knows of it."""

    ends_evaluations = True

    def __init__(self, objective: Objective, how: RayTasks) -> None:
        self.most_waiting = how.ahead
        self._objective = ray.put(objective)
        self._task = ray.remote(_task).options(
            num_cpus=how.num_cpus,
            num_gpus=how.num_gpus,
            resources=dict(how.resources),
            num_returns="streaming",
            max_retries=0,
            name="carbo evaluation",
            **how.options,
        )
        self._running: dict[Any, int] = {}  # ids by what Ray gave for their tasks
        self._tasks: dict[int, Any] = {}
        self._begun: dict[int, float] = {}

    def submit(self, id: int, params: Params) -> None:
        task = self._task.remote(self._objective, params)
        self._running[task] = id
        self._tasks[id] = task

    def holds(self, id: int) -> bool:
        return id in self._tasks

    def begun(self, id: int) -> float | None:
        return self._begun.get(id)

    def wait(self, seconds: float) -> list[tuple[int, Outcome]]:
        if not self._running:
            time.sleep(seconds)
            return []
        tasks = list(self._running)
        ready, rest = ray.wait(tasks, num_returns=1, timeout=seconds, fetch_local=False)
        if ready and rest:
            more, _ = ray.wait(rest, num_returns=len(rest), timeout=0, fetch_local=False)
            ready += more
        ended = []
        for task in ready:
            id = self._running[task]
            outcome = self._next(id, task)
            if outcome is None:
                self._begun[id] = time.monotonic()
            else:
                ended.append((id, outcome))
                self._forget(id)
        return ended

    def _next(self, id: int, task: Any) -> Outcome | None:
        """None for the word that it has begun."""
        try:
            said = ray.get(next(task))
            return said if said is None or isinstance(said, Outcome) else None
        except (RayTaskError, RuntimeEnvSetupError, TaskUnschedulableError) as error:
            # Not the objective, whose exceptions are outcomes: it could not be unpickled there, or Carbo is missing.
            return Outcome(reason=f"the task could not be run: {_brief(error)}", mistaken=True)
        except RayError as error:
            return self._lost(id, _brief(error))
        except StopIteration:
            return self._lost(id, "its task ended without a word")

    def _lost(self, id: int, reason: str) -> Outcome:
        begun = self._begun.get(id)
        seconds = 0.0 if begun is None else time.monotonic() - begun
        return Outcome(seconds=seconds, reason=f"lost: {reason}", lost=True)

    def _forget(self, id: int) -> None:
        task = self._tasks.pop(id, None)
        self._running.pop(task, None)
        self._begun.pop(id, None)

    def end(self, id: int) -> None:
        task = self._tasks.get(id)
        if task is not None:
            self._forget(id)
            ray.cancel(task, force=True)

    def close(self, wait: bool) -> None:
        for id in list(self._tasks):
            self.end(id)


def _brief(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1] if isinstance(error, RayTaskError) else lines[0]}"[:500] if lines else (
        type(error).__name__
    )


def minimize(
    objective: Objective,
    space: Space | Study,
    *,
    workers: int | None = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
    resources: Mapping[str, float] | None = None,
    ahead: int | None = None,
    lost: str = "ask_again",
    options: Mapping[str, Any] | None = None,
    progress: Any = False,
    **settings: Any,
) -> Result:
    """:func:`carbo.minimize` on a Ray cluster: ``objective(params)`` runs in tasks with these resources each.

    ``workers`` run at once, as many as the cluster has resources for where it is None; a free one gets its next point
    at once (``execution="asynchronous"``). What an evaluation costs is the time that it took where it ran, or what it
    returns. Of a node or a worker that dies the point is evaluated again and nothing is charged, up to three times
    (``lost="ask_again"``), or it fails and is charged what it took (``lost="charge"``). A timeout ends the worker.

    Where evaluations are so short, or workers so many, that these would wait for suggestions, some are prepared ahead:
    as many as evaluations are likely to end while the engine makes the next ones, at most ``ahead`` (0 for none; where
    it is None as many as there are workers, or one for every 16 results where that is more). They know less than those
    made at the last moment: of what is prepared or runs, they see what is expected.

    With ``file=`` the study is durable: what runs is leased for ``lease`` seconds, again and again for as long as the
    driver lives, and if it dies, whoever goes on with the file is handed out what it left when the leases end, or it
    is charged (``lost="charge"``). ``options`` are further ones of Ray's tasks. Everything else is as there.
    """
    if lost not in ("ask_again", "charge"):
        raise InvalidOptions(f"lost is {lost!r}; give 'ask_again' or 'charge'")
    if ahead is not None and (not isinstance(ahead, int) or isinstance(ahead, bool) or ahead < 0):
        raise InvalidOptions(f"ahead is {ahead!r}; give a whole number from 0 on, or None")
    if not ray.is_initialized():
        ray.init()
    tasks = RayTasks(num_cpus, num_gpus, dict(resources or {}), ahead, dict(options or {}))
    room = tasks.capacity()
    if room < 1:
        wanted = {"CPU": num_cpus, "GPU": num_gpus, **(resources or {})}
        raise InvalidOptions(f"an evaluation is to have {wanted}, but the cluster has {_resources()}")
    if not isinstance(space, Study):
        settings.setdefault("execution", "asynchronous")
        settings.setdefault("batch_size", room if workers is None else workers)
        if settings.get("file") is not None:
            settings["lost"] = "charge" if lost == "charge" else "hand_out"
        space, settings = Study(space, **settings), {}
    return _minimize(objective, space, executor=tasks, lost=lost, progress=progress, **settings)
