"""carbo.ray.minimize on a cluster of two nodes: nodes, workers and drivers that die."""
from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

ray = pytest.importorskip("ray")

import carbo
import carbo.ray
from carbo.ray import RayTasks

SPACE = {"x": carbo.real(0, 1)}
RUNS = range(int(os.environ.get("CARBO_CLUSTER_RUNS", "1")))  # of what is killed in the middle


def logged(file):
    """An objective that writes down what it has evaluated."""

    def objective(params):
        time.sleep(0.02)
        with open(file, "a") as log:
            log.write(f"{params['x']!r}\n")
        return carbo.Evaluation((params["x"] - 0.3) ** 2, cost=1.0)

    return objective


def evaluated(file):
    return Counter(float(line) for line in file.read_text().split())


def finished(study):
    return [trial for trial in study.trials if trial.state in ("succeeded", "failed", "timed_out")]


def check_kept_once(study, log):
    """What was acknowledged was evaluated and is in the store once, and nothing is left open."""
    trials = finished(study)
    assert study.pending == [] and len({trial.id for trial in trials}) == len(trials)
    ran = evaluated(log)
    for x, count in Counter(trial.params["x"] for trial in trials if trial.state == "succeeded").items():
        assert 1 <= count <= ran[x]
    assert study.spent == sum(trial.cost for trial in trials)


@pytest.mark.parametrize("run", RUNS)
def test_a_node_and_a_worker_die_in_the_middle(cluster, tmp_path, run):
    node = cluster.add_node(num_cpus=2)
    log, crashed = tmp_path / "log", tmp_path / "crashed"
    plain = logged(log)

    def objective(params):
        try:
            os.close(os.open(crashed, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return plain(params)
        os._exit(3)  # the first of all: a worker that crashes

    seen = []

    def watch(progress):
        seen.append(progress)
        if len(seen) == 6 + run % 10:
            cluster.remove_node(node, allow_graceful=False)

    result = carbo.ray.minimize(
        objective, carbo.Space(SPACE), budget=24, unit="EUR", workers=4, seed=1 + run, file=tmp_path / "study.db",
        progress=watch,
    )
    assert crashed.exists() and result.stop_reason == "budget spent"
    assert all(trial.state == "succeeded" for trial in finished(result.study))
    assert len(seen) == len(finished(result.study)) >= 24
    check_kept_once(result.study, log)
    check_kept_once(carbo.Study.open(tmp_path / "study.db"), log)  # and so it is on the file


def test_what_is_lost_is_charged_where_that_is_chosen(cluster, tmp_path):
    def objective(params):
        if params["x"] < 0.5:
            time.sleep(0.5)  # until it is known that it has begun
            os._exit(3)
        return carbo.Evaluation(params["x"], cost=1.0)

    result = carbo.ray.minimize(
        objective, carbo.Space(SPACE), budget="6 evaluations", unit="EUR", workers=2, seed=1, lost="charge"
    )
    failed = [trial for trial in result.trials if trial.state == "failed"]
    assert failed and all("lost: WorkerCrashedError" in trial.reason for trial in failed)
    assert all((trial.params["x"] < 0.5) == (trial.state == "failed") for trial in result.trials)


@pytest.mark.parametrize("most", [3, 1])
def test_a_point_that_always_kills_its_worker_fails_after_so_many_times(cluster, tmp_path, caplog, most):
    log = tmp_path / "log"

    def objective(params):
        with open(log, "a") as file:
            file.write(f"{params['x']!r}\n")
        time.sleep(1.0)  # until it is known that it has begun
        os._exit(3)

    study = carbo.Study(carbo.Space(SPACE), budget="1 evaluation", unit="EUR", execution="asynchronous")
    result = carbo.ray.minimize(objective, study, most_losses=most)
    assert [trial.state for trial in result.trials] == ["failed"]
    # A worker that died of something else may be given a task that then never begins, which does not count.
    assert len([each for each in caplog.messages if "is made again" in each]) >= most - 1
    assert list(evaluated(log).values()) == [most]


class KillsWhoUnpicklesIt:
    def __call__(self, params):
        return 1.0

    def __reduce__(self):
        return os._exit, (3,)


@pytest.mark.parametrize("lost", ["ask_again", "charge"])
def test_an_objective_that_kills_its_worker_before_it_begins_ends(cluster, caplog, lost):
    result = carbo.ray.minimize(
        KillsWhoUnpicklesIt(), carbo.Space(SPACE), budget="1 evaluation", workers=1, lost=lost
    )
    assert [(trial.state, trial.cost) for trial in result.trials] == [("failed", 0.0)]
    assert "lost: WorkerCrashedError" in result.trials[0].reason
    assert len([each for each in caplog.messages if "is made again" in each]) == 20 - 1


def test_timeouts_end_workers_and_times_are_taken_where_it_runs(cluster):
    def objective(params):
        time.sleep(60 if params["x"] > 0.7 else 0.05)
        return params["x"]

    begun = time.monotonic()
    result = carbo.ray.minimize(
        objective, carbo.Space(SPACE), budget="8 evaluations", workers=2, seed=2, evaluation={"timeout": 1.0}
    )
    assert time.monotonic() - begun < 58
    for trial in result.trials:
        slow = trial.params["x"] > 0.7
        assert trial.state == ("timed_out" if slow else "succeeded")
        assert trial.cost == pytest.approx(1.0) if slow else 0.05 <= trial.cost < 1.0
    assert {trial.state for trial in result.trials} == {"timed_out", "succeeded"}


def test_a_task_that_is_cancelled_is_lost(cluster, tmp_path, caplog):
    marks = tmp_path / "cancelled"

    def objective(params):
        if not marks.exists():
            marks.touch()
            raise KeyboardInterrupt  # as ray.cancel has it
        return carbo.Evaluation(params["x"], cost=1.0)

    result = carbo.ray.minimize(objective, carbo.Space(SPACE), budget=2, unit="EUR", workers=1)
    assert {trial.state for trial in result.trials} == {"succeeded"}
    assert "its task was cancelled" in caplog.text


def test_leases_are_renewed_while_evaluations_run(cluster, tmp_path):
    file = tmp_path / "study.db"

    def objective(params):
        time.sleep(4)
        return carbo.Evaluation(params["x"], cost=1.0)

    taken = []

    def another():
        time.sleep(2.5)  # longer than a lease, which began before
        study = carbo.Study.open(file, lease=1)
        for _ in range(3):
            for each in study.ask(1):
                taken.append(each.id)
                study.withdraw(each)
            time.sleep(0.3)

    thread = threading.Thread(target=another)
    thread.start()
    result = carbo.ray.minimize(objective, carbo.Space(SPACE), budget=2, unit="EUR", workers=2, file=file, lease=1)
    thread.join()
    assert {0, 1}.isdisjoint(taken) and {trial.id for trial in finished(result.study)} >= {0, 1}


def test_an_objective_that_raises_and_one_that_cannot_be_sent(cluster):
    def objective(params):
        raise ValueError("no")

    with pytest.raises(TypeError, match="pickle|serialize"):
        lock = __import__("threading").Lock()
        carbo.ray.minimize(lambda x: lock, carbo.Space(SPACE), budget=5, unit="EUR")
    result = carbo.ray.minimize(
        objective, carbo.Space(SPACE), budget=5, unit="EUR", failures={"max_consecutive": 3}, workers=1
    )
    assert result.stop_reason == "too many failures in a row" and result.error == "ValueError: no"


def test_suggestions_are_prepared_ahead_and_taken_back(cluster, tmp_path):
    log = tmp_path / "log"
    most = 0

    def watch(progress):
        nonlocal most
        most = max(most, progress.running + 1)

    result = carbo.ray.minimize(
        logged(log), carbo.Space(SPACE), budget=40, unit="EUR", workers=2, ahead=6, seed=3, progress=watch
    )
    assert 2 < most <= 8
    check_kept_once(result.study, log)
    assert 40 <= len(result.trials) <= 42  # what waited when the budget was spent never began
    with pytest.raises(carbo.InvalidOptions, match="ahead is -1; give"):
        carbo.ray.minimize(logged(log), carbo.Space(SPACE), budget=40, ahead=-1)


def outcomes(workers, count, patience=60):
    """Of so many, by their ids."""
    found, until = {}, time.monotonic() + patience
    while len(found) < count and time.monotonic() < until:
        for id, outcome in workers.wait(0.2):
            assert id not in found
            found[id] = outcome
    return found


def test_short_evaluations_share_a_task_and_what_has_not_begun_goes_out_again(cluster):
    def objective(params):
        if params["x"] < 0:
            time.sleep(1.0)  # until what its task said before has arrived
            os._exit(3)
        return carbo.Evaluation(params["x"], cost=1.0)

    workers = RayTasks().carbo_workers(objective, 1)
    workers.submit([(7, {"x": 0.7})])
    assert outcomes(workers, 1)[7].evaluation.objective == 0.7  # and so it is known how long they take
    workers.submit([(1, {"x": 0.1}), (2, {"x": -1.0}), (3, {"x": 0.3}), (4, {"x": 0.4})])
    assert len(workers._tasks) == 1 and all(workers.holds(id) for id in (1, 2, 3, 4))
    assert workers.begun(2) is None and workers.begun(4) is None
    workers.end(4)
    assert not workers.holds(4)
    found = outcomes(workers, 3)
    assert found[1].evaluation.objective == 0.1 and found[3].evaluation.objective == 0.3
    assert found[2].lost and set(found) == {1, 2, 3} and not workers._tasks
    workers.submit([(5, {"x": 0.5}), (6, {"x": 0.6})])
    workers.end(5)
    workers.end(6)  # nobody waits for its task any more
    assert not workers._tasks and workers.wait(0.1) == []
    workers.close(wait=False)


DRIVER = """
import sys
import ray
import carbo.ray
from tasks_test import SPACE, logged
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="error")
carbo.ray.minimize(
    logged(sys.argv[3]), carbo.Space(SPACE), budget=30, unit="EUR", workers=2, seed=5, file=sys.argv[2], lease=3,
    progress=lambda progress: print('evaluations', progress.evaluations, flush=True),
)
"""


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_driver_that_dies_leaves_a_study_that_goes_on(cluster, tmp_path, how, run):
    file, log = tmp_path / "study.db", tmp_path / "log"
    paths = [os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")]
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, cluster.address, str(file), str(log)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    acknowledged = 0
    for line in driver.stdout:
        words = line.split()
        acknowledged = int(words[1]) if words[:1] == ["evaluations"] else acknowledged  # Ray prints, too
        if words == ["evaluations", str(5 + run % 10)]:
            driver.send_signal(how)
    driver.wait(120)
    assert 5 <= acknowledged < 30
    before = {trial.id: trial.objective for trial in finished(carbo.Study.open(file))}
    assert len(before) >= acknowledged
    time.sleep(3.5)  # until leases have ended
    study = carbo.Study.open(file, lease=3)
    result = carbo.ray.minimize(logged(log), study)
    assert result.stop_reason == "budget spent"
    check_kept_once(study, log)
    after = {trial.id: trial.objective for trial in finished(study)}
    assert before.items() <= after.items() and 30 <= len(after) <= 32
