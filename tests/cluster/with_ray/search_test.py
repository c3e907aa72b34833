"""carbo.ray.CarboSearch in Tune itself."""
from __future__ import annotations

import math
import pickle

import pytest

ray = pytest.importorskip("ray")
tune = pytest.importorskip("ray.tune")
from ray.tune.search import ConcurrencyLimiter, Searcher

import carbo
from carbo.ray import CarboSearch


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


def test_a_run_that_was_broken_off_goes_on(tmp_path, monkeypatch):
    driven = []  # the searches that Tune told of a trial's end, oldest first
    complete = CarboSearch.on_trial_complete
    monkeypatch.setattr(
        CarboSearch, "on_trial_complete", lambda self, *given, **more: (driven.append(self), complete(self, *given, **more))
    )
    search = CarboSearch(budget=7, cost="paid", unit="EUR", seed=3)
    space = {"model": {"x": tune.uniform(0, 1)}}
    with pytest.raises(Exception, match="the driver is gone"):
        run(steady, search, tmp_path, space, callbacks=[Interrupt(3, tmp_path / "gone")])
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


def started(space=None, **given):
    return CarboSearch(
        space or {"x": tune.uniform(0, 1)}, **{"budget": 10, "cost": "paid", "mode": "min", "metric": "loss", **given}
    )


def test_a_saved_search_suggests_what_the_other_would_have(tmp_path):
    search = started(seed=4)
    for trial in "abc":
        search.on_trial_complete(trial, {"loss": search.suggest(trial)["x"], "paid": 1.0})
    search.suggest("d")
    search.on_trial_result("d", {"paid": 0.5})
    search.save(str(tmp_path / "state"))
    again = started(seed=99)
    again.restore(str(tmp_path / "state"))
    assert again.suggest("e") == search.suggest("e")
    again.on_trial_complete("d", error=True)
    assert again.study.trials[3].cost == 0.5 and again.study.spent == 3.5


def test_limiters_trials_that_never_ran_and_unknown_ones():
    search = started()
    limited = ConcurrencyLimiter(search, max_concurrent=2)
    assert limited.suggest("a") and limited.suggest("b")
    assert limited.suggest("c") is None
    limited.on_trial_complete("a")  # stopped before it ran
    assert search.study.spent == 0 and len(search.study.pending) == 1
    limited.on_trial_complete("b", error=True)  # nothing is known of its cost: at most what passed meanwhile
    assert 0 <= search.study.spent < 60
    search.on_trial_complete("nobody", {"loss": 1.0})
    assert search.study.pending == []


def test_a_trial_that_a_lost_state_suggested_is_told_by_its_report():
    search = started()
    search.on_trial_complete("lost", {"config/x": 0.25, "config/fixed": 3, "loss": 2.0, "paid": 3.0})
    (trial,) = search.study.trials
    assert (trial.params, trial.objective, trial.cost, trial.origin) == ({"x": 0.25}, 2.0, 3.0, "this_run")
    assert search.study.spent == 3.0 and search.study.pending == []
    search.on_trial_complete("elsewhere", error=True)
    assert len(search.study.trials) == 1


def test_finished_waits_for_nobody_and_none_means_later():
    search = started(space={"x": tune.choice(["a", "b"])})
    assert {search.suggest("a")["x"], search.suggest("b")["x"]} == {"a", "b"}
    assert search.suggest("c") is None
    search.on_trial_complete("a", {"loss": 1.0, "paid": 1.0})
    search.on_trial_complete("b", {"loss": 2.0, "paid": 1.0})
    assert search.suggest("d") == Searcher.FINISHED


def test_points_that_others_evaluated_are_prior_data():
    search = CarboSearch(
        budget=10,
        cost="paid",
        points_to_evaluate=[{"x": 0.1}, {"x": 0.2}],
        evaluated_rewards=[1.0, math.nan],
    )
    search.add_evaluated_point({"x": 0.3, "fixed": 3}, 2.0)
    search.add_evaluated_point({"x": 0.4}, 2.0, pruned=True)

    class Done:
        config = {"x": 0.5}
        last_result = {"loss": 3.0, "paid": 4.0}
        status = "TERMINATED"

    class Other(Done):
        config = {"x": 0.6}
        status = "ERROR"

    search.set_search_properties("loss", "min", {"x": tune.uniform(0, 1)})
    search.add_evaluated_trials([Done(), Other()], "loss")
    found = [(t.params["x"], t.state, t.objective, t.cost, t.origin) for t in search.study.trials]
    assert found == [
        (0.1, "succeeded", 1.0, None, "prior"),
        (0.2, "failed", None, 0.0, "prior"),
        (0.3, "succeeded", 2.0, None, "prior"),
        (0.5, "succeeded", 3.0, 4.0, "prior"),
        (0.6, "failed", None, 4.0, "prior"),
    ]
    assert search.study.spent == 0


def test_costs_that_are_missing_or_wrong():
    search = started()
    search.suggest("a")
    with pytest.raises(carbo.InvalidObservation, match="loss, time_total_s"):
        search.on_trial_complete("a", {"loss": 1.0, "time_total_s": 1.0})
    search.on_trial_complete("a", {"loss": 1.0, "paid": -1.0})
    assert "above 0" in search.study.trials[0].reason
    search.suggest("b")
    search.on_trial_complete("b", {"paid": 2.0})
    assert "no 'loss'" in search.study.trials[1].reason and search.study.trials[1].cost == 2.0
    by_call = started(cost=lambda report: report["gpus"] * report["hours"])
    by_call.suggest("a")
    by_call.on_trial_complete("a", {"loss": 1.0, "gpus": 4, "hours": 0.5})
    assert by_call.study.spent == 2.0


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"mode": "least"}, "'min' or 'max'"),
        ({"metric": ["a", "b"], "mode": ["min", "min"]}, "one objective"),
        ({"goal": "maximize"}, "give mode"),
        ({"points_to_evaluate": [{"x": 1}], "evaluated_rewards": []}, "0 evaluated_rewards for 1"),
        ({"aquisition": "ei"}, "acquisition"),
    ],
)
def test_what_is_refused(given, says):
    with pytest.raises(carbo.InvalidOptions, match=says):
        started(**given)


def test_without_a_space_it_says_so():
    with pytest.raises(carbo.InvalidOptions, match="param_space"):
        CarboSearch(budget=3).suggest("a")
    with pytest.raises(carbo.InvalidConfiguration):
        started(points_to_evaluate=[{"x": 3.0}])
    assert started().set_search_properties("loss", "min", {"y": tune.uniform(0, 1)}) is False
