"""The closed loop over tasks of Ray."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._errors import InvalidOptions
from ._minimize import closed_loop
from ._ray_tasks import RayTasks
from ._result import Result
from ._space import Space
from ._study import Study
from ._workers import Objective


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
    most_losses: int = 3,
    options: Mapping[str, Any] | None = None,
    progress: Any = False,
    **settings: Any,
) -> Result:
    """:func:`carbo.minimize` on a Ray cluster: ``objective(params)`` runs in tasks with these resources each.

    ``workers`` run at once; where it is None, as many as have room on the nodes that are there, and where none has, it
    is refused. On a cluster that grows give ``workers``, which wait for their nodes. A free one gets its next point at
    once (``execution="asynchronous"``). What an evaluation costs is the time that it took where it ran, or what it
    returns. Of a node or a worker that dies the point is evaluated again and nothing is charged (``lost="ask_again"``)
    until it is lost for the third time (``most_losses``), or it fails and is charged what it took (``lost="charge"``);
    a task that is lost before it began does not count, up to 20 times (or ``most_losses``). A timeout ends the worker.

    Where evaluations are so short, or workers so many, that these would wait for suggestions, some are prepared ahead:
    as many as evaluations are likely to end while the engine makes the next ones, at most ``ahead`` (0 for none; where
    it is None as many as there are workers, or one for every ten results where that is more). They know less than those
    made at the last moment: of what is prepared or runs, they see what is expected.

    With ``file=`` the study is durable: what runs is leased for ``lease`` seconds, again and again for as long as the
    driver lives, and if it dies, whoever goes on with the file is handed out what it left when the leases end, or it
    is charged (``lost="charge"``). ``options`` are further ones of Ray's tasks. Everything else is as there.
    """
    tasks = RayTasks(num_cpus, num_gpus, dict(resources or {}), ahead, dict(options or {}))
    if isinstance(space, Study):
        if workers is not None:
            size = space.options["batch_size"]
            raise InvalidOptions(
                f"workers is given with a study, which has its settings; its batch_size is {size}: make it with another"
            )
    else:
        settings.setdefault("execution", "asynchronous")
        if settings.get("batch_size") is None:
            settings["batch_size"] = _room(tasks) if workers is None else workers
        if settings.get("file") is not None:
            settings["lost"] = "charge" if lost == "charge" else "hand_out"
    return closed_loop(objective, space, settings, workers, tasks, lost, most_losses, progress)


def _room(tasks: RayTasks) -> int:
    room = tasks.capacity()
    if room < 1 and not _says_that_it_grows():
        raise InvalidOptions(f"{tasks.misfit()}; where nodes are to come, give workers=")
    return max(1, room)


def _says_that_it_grows() -> bool:
    """Whether the cluster's autoscaler says what nodes may come, which only some do."""
    try:
        from ray._private.state import state

        return state.get_max_resources_from_cluster_config() is not None
    except Exception:  # it is Ray's own, and neither in all versions nor in its clients
        return False
