"""carbo.minimize over the executor of a Dask cluster."""
from __future__ import annotations

import os
import time
from collections import Counter

import pytest

distributed = pytest.importorskip("distributed")

import carbo

SPACE = {"x": carbo.real(0, 1)}
RUNS = range(int(os.environ.get("CARBO_CLUSTER_RUNS", "1")))  # of what is killed in the middle


@pytest.fixture
def client(tmp_path_factory):
    """One for each test: Dask gives a worker up that is killed while it starts again, and none would be left."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        local_directory=str(tmp_path_factory.mktemp("dask")),
        silence_logs=50,
    ) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def finished(study):
    return [trial for trial in study.trials if trial.finished]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("restarted", [True, False])
def test_a_worker_is_killed_in_the_middle(client, tmp_path, restarted, run):
    """By a signal, so that Dask's nanny starts another; or by the objective itself, which no retry of Dask's mends."""
    log, crashed = tmp_path / "log", tmp_path / "crashed"

    def objective(params):
        time.sleep(0.02)
        if not restarted and not crashed.exists():
            crashed.touch()
            os._exit(3)
        with open(log, "a") as file:
            file.write(f"{params['x']!r}\n")
        return carbo.Evaluation((params["x"] - 0.3) ** 2, cost=1.0)

    seen = []

    def watch(progress):
        seen.append(progress)
        if len(seen) == 6 + run % 10 and restarted:
            os.kill(next(iter(client.run(os.getpid).values())), 9)

    result = carbo.minimize(
        objective,
        carbo.Space(SPACE),
        budget=20,
        unit="EUR",
        batch_size=2,
        execution="asynchronous",
        seed=1 + run,
        file=tmp_path / "study.db",
        executor=client.get_executor(),
        progress=watch,
    )
    assert result.stop_reason == "budget spent"
    study = carbo.Study.open(tmp_path / "study.db")
    trials = finished(study)
    assert len(trials) == len(seen) >= 20 and study.pending == []
    assert all(trial.state == "succeeded" for trial in trials)
    ran = Counter(float(line) for line in log.read_text().split())
    for x, count in Counter(trial.params["x"] for trial in trials).items():
        assert 1 <= count <= ran[x]
    assert study.spent == sum(trial.cost for trial in trials)


def test_what_always_kills_its_worker_fails_with_the_reason(client):
    def objective(params):
        time.sleep(0.3)
        os._exit(3)

    result = carbo.minimize(
        objective,
        carbo.Space(SPACE),
        budget="1 evaluation",
        lost="charge",
        executor=client.get_executor(),
    )
    assert [trial.state for trial in result.trials] == ["failed"]
    assert "KilledWorker" in result.trials[0].reason
    assert 0.3 <= result.trials[0].cost < 120  # Dask's own attempts included


def test_times_are_taken_by_the_worker(client):
    def objective(params):
        time.sleep(0.05)
        return params["x"]

    result = carbo.minimize(
        objective, carbo.Space(SPACE), budget="4 evaluations", batch_size=2, executor=client.get_executor()
    )
    assert all(trial.cost >= 0.05 for trial in result.trials)


def test_timeouts(client):
    def objective(params):
        time.sleep(3)
        return params["x"]

    begun = time.monotonic()
    result = carbo.minimize(
        objective, carbo.Space(SPACE), budget="2 evaluations", batch_size=2, executor=client.get_executor(),
        evaluation={"timeout": 0.5},
    )
    assert [(trial.state, trial.cost) for trial in result.trials] == [("timed_out", pytest.approx(0.5))] * 2
    assert time.monotonic() - begun < 3


def test_equal_points_are_evaluated_each(client):
    def objective(params):
        time.sleep(0.2)
        return carbo.Evaluation(float.fromhex("0x" + os.urandom(4).hex()), cost=1.0)

    study = carbo.Study(
        carbo.Space(x=carbo.categorical(["a", "b"])), budget="4 evaluations", unit="EUR", batch_size=2,
        execution="asynchronous", candidates={"allow_repeats": True},
    )
    for _ in range(4):
        study.enqueue({"x": "a"})
    result = carbo.minimize(objective, study, executor=client.get_executor())
    assert [trial.params for trial in result.trials] == [{"x": "a"}] * 4
    assert len({trial.objective for trial in result.trials}) == 4
