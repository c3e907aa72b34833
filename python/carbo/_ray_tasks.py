"""The closed loop over tasks of Ray."""
from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
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


def _resources() -> dict[str, float]:
    have: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call, unused-ignore]
    return have


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

    def capacity(self) -> int:
        """Evaluations that the cluster's resources allow at once."""
        have = _resources()
        wanted = {"CPU": self.num_cpus, "GPU": self.num_gpus, **self.resources}
        return int(min((have.get(name, 0) / each for name, each in wanted.items() if each > 0), default=1))

    def carbo_workers(self, objective: Objective, slots: int) -> RayWorkers:
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
        self._task = ray.remote(_task).options(
            num_cpus=how.num_cpus,
            num_gpus=how.num_gpus,
            resources=dict(how.resources),
            num_returns="streaming",
            max_retries=0,
            name="carbo evaluation",
            **how.options,
        )
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
            # Not the objective, whose exceptions are outcomes: it could not be unpickled there, or Carbo is missing.
            return Outcome(reason=f"the task could not be run: {_brief(error)}", mistaken=True)
        except RayError as error:
            return self._lost(task, _brief(error))
        except StopIteration:
            return self._lost(task, "its task ended without a word")

    def _lost(self, task: _Task, reason: str) -> Outcome:
        seconds = 0.0 if task.begun is None else time.monotonic() - task.begun
        return Outcome(seconds=seconds, reason=f"lost: {reason}", lost=True)

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
    it is None as many as there are workers, or one for every ten results where that is more). They know less than those
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
