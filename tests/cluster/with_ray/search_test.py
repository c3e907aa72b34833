"""carbo.ray.CarboSearch in Tune itself."""
from __future__ import annotations

import math
import os
import pickle
import time

import pytest

ray = pytest.importorskip("ray")
tune = pytest.importorskip("ray.tune")

from carbo.ray import CarboSearch

RUNS = range(int(os.environ.get("CARBO_CLUSTER_RUNS", "1")))  # of what is broken off in the middle


@pytest.fixture(scope="module", autouse=True)
def local_ray():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    yield
    ray.shutdown()


def run(trainable, search, tmp_path, space, **how):
    config = tune.TuneConfig(
        search_alg=search, num_samples=how.pop("num_samples", -1), reuse_actors=True, metric=how.pop("metric", "loss"),
        mode=how.pop("mode", "min"), max_concurrent_trials=how.pop("at_once", 2),
    )
    tuner = tune.Tuner(
        trainable,
        param_space=space,
        tune_config=config,
        run_config=tune.RunConfig(storage_path=str(tmp_path), name="run", verbose=0, **how),
    )
    return tuner.fit()


def trainable(config):
    """Two reports; x below 0.3 raises after the first, x above 0.8 ends with NaN."""
    x = config["model"]["x"]
    tune.report({"loss": 5.0, "paid": 1.0 + x})
    if x < 0.3:
        raise RuntimeError("too small")
    loss = math.nan if x > 0.8 else (x - 0.6) ** 2 + config["offset"]
    tune.report({"loss": loss, "paid": 2.0 + x})


def test_the_budget_stops_tune_and_failures_cost_what_they_reported(tmp_path):
    first = {"model": {"x": 0.1}}
    search = CarboSearch(
        budget=10, cost="paid", unit="EUR", seed=1, points_to_evaluate=[first, {"model": {"x": 0.9}}]
    )
    space = {"model": {"x": tune.uniform(0, 1)}, "offset": 2.0}
    results = run(trainable, search, tmp_path, space)
    study = search.study
    assert study.stop_reason == "budget spent" and study.spent >= 6
    assert study.pending == [] and len(study.trials) == len(results)
    assert study.options["batch_size"] == 2
    by_x = {trial.params["model/x"]: trial for trial in study.trials}
    assert by_x[0.1].id == 0 and by_x[0.9].id == 1
    for result in results:
        x = result.config["model"]["x"]
        trial = by_x.pop(x)
        if x < 0.3:
            assert (trial.state, trial.cost, trial.objective) == ("failed", 1.0 + x, None)
            assert "error" in trial.reason
        elif x > 0.8:
            assert (trial.state, trial.cost) == ("failed", 2.0 + x) and "nan" in trial.reason
        else:
            assert (trial.state, trial.cost) == ("succeeded", 2.0 + x)
            assert trial.objective == (x - 0.6) ** 2 + 2.0
    assert by_x == {}
    assert study.spent == pytest.approx(sum(trial.cost for trial in study.trials))


def test_seconds_by_default_and_the_largest_objective(tmp_path):
    def height(config):
        return {"score": -((config["n"] - 6) ** 2)}

    search = CarboSearch(budget="6 evaluations", seed=2)
    results = run(height, search, tmp_path, {"n": tune.randint(0, 40)}, metric="score", mode="max", at_once=None)
    assert len(results) == len(search.study.trials) >= 6
    assert search.study.options["goal"] == "maximize"
    assert search.study.best.objective == max(result.metrics["score"] for result in results)
    by_n = {result.config["n"]: result.metrics["time_total_s"] for result in results}
    assert {trial.params["n"]: trial.cost for trial in search.study.trials} == by_n


class Interrupt(tune.Callback):
    """Ends a run in the middle, as a driver that is stopped."""

    def __init__(self, after, marker):
        self.after = after
        self.marker = marker

    def on_step_begin(self, iteration, trials, **info):
        if sum(trial.status == "TERMINATED" for trial in trials) >= self.after and not self.marker.exists():
            self.marker.touch()
            raise RuntimeError("the driver is gone")


def steady(config):
    x = config["model"]["x"]
    tune.report({"loss": (x - 0.6) ** 2, "paid": 1.0})


@pytest.mark.parametrize("broken_off", RUNS)
def test_a_run_that_was_broken_off_goes_on(tmp_path, monkeypatch, broken_off):
    driven = []  # the searches that Tune told of a trial's end, oldest first
    complete = CarboSearch.on_trial_complete
    monkeypatch.setattr(
        CarboSearch, "on_trial_complete", lambda self, *given, **more: (driven.append(self), complete(self, *given, **more))
    )
    search = CarboSearch(budget=7, cost="paid", unit="EUR", seed=3 + broken_off)
    space = {"model": {"x": tune.uniform(0, 1)}}
    with pytest.raises(Exception, match="the driver is gone"):
        run(steady, search, tmp_path, space, callbacks=[Interrupt(3 + broken_off % 4, tmp_path / "gone")])
    tuner = tune.Tuner.restore(str(tmp_path / "run"), trainable=steady)
    results = tuner.fit()
    study = driven[-1].study
    finished = [trial for trial in study.trials if trial.finished]
    evaluated = sorted(result.config["model"]["x"] for result in results if "loss" in (result.metrics or {}))
    assert driven[-1] is not driven[0] and study.done, results
    assert sorted(trial.params["model/x"] for trial in finished) == evaluated, results
    assert study.spent == sum(trial.cost for trial in finished) >= 7
    assert [each for each in study.pending if each.params["model/x"] in evaluated] == [], results
    # What Tune wrote last may be older than the end; it knows nothing else.
    again = pickle.loads(pickle.dumps(search))
    again.restore_from_dir(str(tmp_path / "run"))
    kept = again.study
    assert {trial.params["model/x"] for trial in kept.trials if trial.finished} <= set(evaluated)
    assert kept.spent == sum(trial.cost for trial in kept.trials if trial.finished) > 0


def test_a_trial_that_tune_begins_anew(tmp_path):
    def breaks_once(config):
        for step in range(3):
            tune.report({"loss": config["x"], "paid": 1.0 + step})
            if step == 1 and not (tmp_path / "broken").exists():
                (tmp_path / "broken").touch()
                raise RuntimeError("once")

    search = CarboSearch(budget="1 evaluation", cost="paid", unit="EUR", seed=1)
    run(
        breaks_once, search, tmp_path, {"x": tune.uniform(0, 1)}, at_once=1,
        failure_config=tune.FailureConfig(max_failures=2),
    )
    assert [(trial.state, trial.cost) for trial in search.study.trials] == [("succeeded", 2.0 + 3.0)]


def test_a_trial_that_goes_on_from_a_checkpoint_is_charged_each_iteration_once(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()

    def breaks_once(config):
        for step in range(3 if tune.get_checkpoint() else 0, 5):
            time.sleep(0.5)
            checkpoint = tune.Checkpoint.from_directory(str(kept)) if step == 2 else None
            tune.report({"loss": config["x"]}, checkpoint=checkpoint)
            if step == 3 and not (tmp_path / "broken").exists():
                (tmp_path / "broken").touch()
                raise RuntimeError("once")

    search = CarboSearch(budget="1 evaluation", seed=1)
    run(
        breaks_once, search, tmp_path, {"x": tune.uniform(0, 1)}, at_once=1,
        failure_config=tune.FailureConfig(max_failures=2),
    )
    (trial,) = search.study.trials
    assert trial.state == "succeeded" and 6 * 0.5 <= trial.cost < 8 * 0.5


def test_a_search_with_a_space_of_its_own_takes_the_metric_of_tune(tmp_path):
    search = CarboSearch(
        {"model": {"x": tune.uniform(0, 1), "layers": 3}, "f": 2}, budget=3, cost="paid", mode="min", unit="EUR"
    )

    def check(config):
        assert config == {"model": {"x": config["model"]["x"], "layers": 3}, "f": 2, "g": 4}
        tune.report({"loss": config["model"]["x"], "paid": 1.0})

    run(check, search, tmp_path, {"g": 4})
    assert {trial.state for trial in search.study.trials} == {"succeeded"}
