"""Evaluations in tasks of Ray."""
from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.exceptions import (
    RayError,
    RayTaskError,
    RuntimeEnvSetupError,
    TaskCancelledError,
    TaskUnschedulableError,
)

from ._errors import InvalidOptions
from ._minimize import check_count
from ._space import Params
from ._workers import Objective, Outcome, evaluate

_log = logging.getLogger("carbo")
_OF_CARBO = ("num_returns", "max_retries", "name")  # options of a task
_TASK_SECONDS = 0.2  # that the evaluations of one task take together, where it has several
_MOST_A_TASK = 4
_WEIGHT = 0.2  # of the newest in a running mean


_objectives: dict[Any, Objective] = {}  # of a process that evaluates: the one that it had last


def _task(held: list[Any], points: list[Params]) -> Iterator[Outcome | None]:
    """Says that it has begun, and then what became of each point; the time is taken where it runs. The objective comes in
    a list, so that a process fetches and unpickles it once."""
    (reference,) = held
    if reference not in _objectives:
        _objectives.clear()
        _objectives[reference] = ray.get(reference)
    yield None
    for params in points:
        yield evaluate(_objectives[reference], params)


def _nodes() -> list[dict[str, float]]:
    """Resources of the nodes that are there."""
    if not ray.is_initialized():
        ray.init()
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]  # type: ignore[no-untyped-call, unused-ignore]


@dataclass(frozen=True)
class RayTasks:
    """Has :func:`carbo.minimize` evaluate in tasks of Ray: ``minimize(…, executor=RayTasks(num_gpus=1))``.

    ``ahead`` is how many suggestions may wait for a free worker where evaluations are so short that workers would wait
    for suggestions otherwise; where it is None as many as there are workers, or one for every ten results if more.
    """

    num_cpus: float = 1
    num_gpus: float = 0
    resources: Mapping[str, float] = field(default_factory=dict)
    ahead: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  #: further ones of a task, such as ``scheduling_strategy``

    def __post_init__(self) -> None:
        if self.ahead is not None:
            check_count("ahead", self.ahead, least=0)
        for name in self.options:
            if name in ("num_cpus", "num_gpus", "resources"):
                raise InvalidOptions(f"options has {name!r}, which is an argument of its own; give {name}=")
            if name in _OF_CARBO:
                raise InvalidOptions(f"options has {name!r}, which Carbo sets itself; leave it out")

    @property
    def wanted(self) -> dict[str, float]:
        """Resources of an evaluation."""
        every = {"CPU": self.num_cpus, "GPU": self.num_gpus, **self.resources}
        return {name: amount for name, amount in every.items() if amount > 0}

    def capacity(self) -> int:
        """Evaluations that have room at once on the nodes that are there; 1 where they need nothing."""
        wanted = self.wanted
        if not wanted:
            return 1
        return sum(
            min(math.floor(node.get(name, 0) / amount + 1e-6) for name, amount in wanted.items()) for node in _nodes()
        )

    def misfit(self) -> str:
        has = ", ".join(sorted({str({name: node.get(name, 0) for name in self.wanted}) for node in _nodes()}))
        return f"an evaluation is to have {self.wanted}, but the nodes that the cluster has now have {has}"

    def carbo_workers(self, objective: Objective, slots: int) -> RayWorkers:
        if self.capacity() < 1:
            _log.warning("%s; evaluations wait until a node comes that has it", self.misfit())
        return RayWorkers(objective, self, slots)


@dataclass
class _Task:
    """Points that one process evaluates one after the other; results come as they are made."""

    results: Any  # as Ray gives them
    points: deque[tuple[int | None, Params]]  # that have none yet; without an id where nobody waits for it any more
    begun: float | None = None  # the first of them, on the monotonic clock


class RayWorkers:
    """Tasks that are not made again by Ray: the loop does so, and knows of it.

    Where evaluations are so short that the way to a worker and back would count, what waits goes out by several points a
    task. What has not begun when its task is lost or ended goes out again."""

    ends_evaluations = True

    def __init__(self, objective: Objective, how: RayTasks, slots: int) -> None:
        self.most_waiting = how.ahead
        self._slots = slots
        self._objective = ray.put(objective)
        try:
            self._task = ray.remote(_task).options(
                num_cpus=how.num_cpus,
                num_gpus=how.num_gpus,
                resources=dict(how.resources),
                num_returns="streaming",
                max_retries=0,
                name="carbo evaluation",
                **how.options,
            )
        except (TypeError, ValueError) as error:
            raise InvalidOptions(f"Ray refuses the resources or the options of an evaluation: {error}") from error
        self._tasks: dict[Any, _Task] = {}  # by their results
        self._task_of: dict[int, _Task] = {}
        self._seconds: float | None = None  # of an evaluation

    def submit(self, points: Sequence[tuple[int, Params]]) -> None:
        each = self._points_a_task(len(points))
        for first in range(0, len(points), each):
            self._send(points[first : first + each])

    def _points_a_task(self, count: int) -> int:
        if self._seconds is None or count <= self._slots - len(self._tasks):
            return 1
        return max(1, min(-(-count // self._slots), int(_TASK_SECONDS / max(self._seconds, 1e-9)), _MOST_A_TASK))

    def _send(self, points: Sequence[tuple[int, Params]]) -> None:
        results = self._task.remote([self._objective], [params for _, params in points])
        task = _Task(results, deque(points))
        self._tasks[results] = task
        self._task_of.update((id, task) for id, _ in points)

    def holds(self, id: int) -> bool:
        return id in self._task_of

    def begun(self, id: int) -> float | None:
        task = self._task_of.get(id)
        return task.begun if task is not None and task.points[0][0] == id else None

    def wait(self, seconds: float) -> list[tuple[int, Outcome]]:
        if not self._tasks:
            time.sleep(seconds)
            return []
        ready, _ = ray.wait(list(self._tasks), num_returns=1, timeout=seconds, fetch_local=False)
        ended: list[tuple[int, Outcome]] = []
        while ready:
            for results in ready:
                ended += self._heard(self._tasks[results])
            tasks = list(self._tasks)
            ready = ray.wait(tasks, num_returns=len(tasks), timeout=0, fetch_local=False)[0] if tasks else []
        return ended

    def _heard(self, task: _Task) -> list[tuple[int, Outcome]]:
        """What a task said next: of none of its points where that is that it has begun."""
        outcome, now = self._next(task), time.monotonic()
        if outcome is None:
            task.begun = now
            return []
        id, _ = task.points.popleft()
        if outcome.lost or outcome.mistaken or not self._waited_for(task):
            self._end(task, again=outcome.lost)
        task.begun = now
        if outcome.evaluation is not None:
            before = outcome.seconds if self._seconds is None else self._seconds
            self._seconds = before + _WEIGHT * (outcome.seconds - before)
        if id is None:
            return []
        del self._task_of[id]
        return [(id, outcome)]

    def _next(self, task: _Task) -> Outcome | None:
        """None for the word that it has begun."""
        try:
            said = ray.get(next(task.results))
            return said if said is None or isinstance(said, Outcome) else None
        except (RayTaskError, RuntimeEnvSetupError, TaskUnschedulableError) as error:
            if isinstance(getattr(error, "cause", None), TaskCancelledError):
                return self._lost(task, "its task was cancelled")
            # Not the objective, whose exceptions are outcomes: it could not be unpickled there, or Carbo is missing.
            return Outcome(reason=f"the task could not be run: {_brief(error)}", mistaken=True)
        except RayError as error:
            return self._lost(task, _brief(error))
        except StopIteration:
            return self._lost(task, "its task ended without a word")

    def _lost(self, task: _Task, reason: str) -> Outcome:
        seconds = 0.0 if task.begun is None else time.monotonic() - task.begun
        return Outcome(seconds=seconds, reason=f"lost: {reason}", lost=True, begun=task.begun is not None)

    @staticmethod
    def _waited_for(task: _Task) -> list[tuple[int, Params]]:
        return [(id, params) for id, params in task.points if id is not None]

    def _end(self, task: _Task, again: bool = True) -> None:
        """Whatever it does; what has not begun goes out again."""
        self._tasks.pop(task.results, None)
        if task.points:
            ray.cancel(task.results, force=True)
        left = self._waited_for(task)
        for id, _ in left:
            del self._task_of[id]
        for point in left if again else ():
            self._send([point])

    def end(self, id: int) -> None:
        task = self._task_of.pop(id, None)
        if task is None:
            return
        runs = task.begun is not None and task.points[0][0] == id
        task.points = deque((None if each == id else each, params) for each, params in task.points)
        if runs or not self._waited_for(task):
            self._end(task)

    def close(self, wait: bool) -> None:
        for task in list(self._tasks.values()):
            self._end(task, again=False)


def _brief(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1] if isinstance(error, RayTaskError) else lines[0]}"[:500] if lines else (
        type(error).__name__
    )
