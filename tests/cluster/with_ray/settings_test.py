"""carbo.ray.minimize: resources, room on nodes, and what is refused."""
from __future__ import annotations

import threading
import time

import pytest

ray = pytest.importorskip("ray")

import carbo
import carbo._ray_minimize
import carbo.ray
from carbo.ray import RayTasks

SPACE = {"x": carbo.real(0, 1)}


def test_resources_of_each_evaluation(cluster):
    def objective(params):
        assert ray.get_runtime_context().get_assigned_resources() == {"CPU": 0.5, "head": 1.0}
        return carbo.Evaluation(params["x"], cost=1.0)

    result = carbo.ray.minimize(
        objective, carbo.Space(SPACE), budget=5, unit="EUR", num_cpus=0.5, resources={"head": 1}
    )
    assert {trial.state for trial in result.trials} == {"succeeded"}, result.trials
    assert result.study.options["batch_size"] == 4
    with pytest.raises(carbo.InvalidOptions, match="the cluster has.*give workers="):
        carbo.ray.minimize(objective, carbo.Space(SPACE), budget=5, num_gpus=1)


def free(params):
    return carbo.Evaluation(params["x"], cost=1.0)


def test_room_is_what_nodes_have_each(cluster, caplog, monkeypatch):
    assert RayTasks(num_cpus=1.5).capacity() == 1 and RayTasks(num_cpus=0.1).capacity() == 20
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    try:
        assert RayTasks(num_cpus=1.5).capacity() == 2 and RayTasks(num_cpus=1, resources={"head": 1}).capacity() == 2
        large = RayTasks(num_cpus=3)
        assert large.capacity() == 0  # of 4 in all
        with pytest.raises(carbo.InvalidOptions, match="the nodes that the cluster has now have {'CPU': 2.0}; where"):
            carbo.ray.minimize(free, carbo.Space(SPACE), budget=3, unit="EUR", num_cpus=3)
    finally:
        cluster.remove_node(node)
    results = []
    waits = threading.Thread(target=lambda: results.append(
        carbo.ray.minimize(free, carbo.Space(SPACE), budget=3, unit="EUR", num_cpus=3, workers=1)
    ))
    waits.start()
    time.sleep(1)
    node = cluster.add_node(num_cpus=3)
    waits.join(60)
    cluster.remove_node(node)
    assert len(results[0].trials) == 3 and "evaluations wait until a node comes that has it" in caplog.text
    monkeypatch.setattr(carbo._ray_minimize, "_says_that_it_grows", lambda: True)
    assert carbo._ray_minimize._room(large) == 1


def test_settings_that_a_task_or_a_study_has_already(cluster):
    for given, says in (
        ({"options": {"num_cpus": 1}}, "'num_cpus', which is an argument of its own"),
        ({"options": {"max_retries": 1}}, "'max_retries', which Carbo sets itself"),
        ({"options": {"no_such": 1}}, "Ray refuses .*no_such"),
        ({"lost": "never"}, "lost is 'never'"),
        ({"most_losses": 0}, "most_losses is 0"),
    ):
        with pytest.raises(carbo.InvalidOptions, match=says):
            carbo.ray.minimize(free, carbo.Space(SPACE), budget=3, unit="EUR", **given)
    with pytest.raises(carbo.InvalidOptions, match="workers is given with a study.* batch_size is 2"):
        carbo.ray.minimize(free, carbo.Study(carbo.Space(SPACE), budget=3, unit="EUR", batch_size=2), workers=4)
