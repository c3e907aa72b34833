"""carbo.ray.CarboSearch as Tune calls it, without Tune."""
from __future__ import annotations

import math

import pytest

tune = pytest.importorskip("ray.tune")
from ray.tune.search import ConcurrencyLimiter, Searcher

import carbo
from carbo.ray import CarboSearch


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

    class Grid:
        """As Tune's ResultGrid, which cannot be iterated over."""

        found = [Done(), Other()]

        def __len__(self):
            return len(self.found)

        def __getitem__(self, index):
            return self.found[index]

    search.set_search_properties("loss", "min", {"x": tune.uniform(0, 1)})
    search.add_evaluated_trials(Grid(), "loss")
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


def test_costs_that_are_no_numbers_or_cannot_be_told_are_said_with_their_trial():
    search = started()
    search.suggest("a")
    with pytest.raises(carbo.InvalidObservation, match="trial a is 'abc' by 'paid'"):
        search.on_trial_complete("a", {"loss": 1.0, "paid": "abc"})
    by_call = started(cost=lambda report: report["usd"])
    by_call.suggest("b")
    with pytest.raises(carbo.InvalidObservation, match="KeyError: 'usd' for trial b, whose report has gpus, loss"):
        by_call.on_trial_complete("b", {"loss": 1.0, "gpus": 4})
    by_call.on_trial_complete("b", {"gpus": 4}, error=True)  # what failed need not have reported everything
    assert by_call.study.trials[0].state == "failed"


def test_times_of_tunes_are_converted_to_the_unit():
    search = started(cost="time_total_s", unit="h", budget=2)
    search.suggest("a")
    search.on_trial_complete("a", {"loss": 1.0, "time_total_s": 1800.0})
    assert search.study.spent == 0.5
    for name in ("time_total_s", "time_this_iter_s"):
        with pytest.raises(carbo.InvalidOptions, match="are seconds, but the unit of the budget is 'EUR'"):
            started(cost=name, unit="EUR")


def test_what_a_trial_cost_before_tune_began_it_anew_is_added():
    search = started(budget=100)
    search.suggest("a")
    for iteration, paid in ((1, 20.0), (2, 50.0), (1, 5.0), (1, 4.0), (2, 10.0)):
        search.on_trial_result("a", {"loss": 1.0, "paid": paid, "training_iteration": iteration})
    search.on_trial_complete("a", {"loss": 1.0, "paid": 10.0, "training_iteration": 2})
    assert search.study.spent == 50.0 + 5.0 + 10.0
    search.suggest("b")
    search.on_trial_result("b", {"loss": 1.0, "paid": 3.0, "training_iteration": 1})
    search.on_trial_result("b", {"loss": 1.0, "paid": 2.0, "training_iteration": 1})
    search.on_trial_complete("b", error=True)
    assert search.study.trials[1].cost == 5.0


@pytest.mark.parametrize(
    ("cost", "resumed", "spent"),
    [
        ("time_total_s", ((4, 33.0), (5, 40.0)), 20.0 + 40.0),  # 1 to 3 cost 30, of 4 and 5 20 were for nothing
        ("time_total_s", ((4, 53.0), (5, 60.0)), 20.0 + 60.0),
        ("time_total_s", ((4, 35.0), (5, 42.0), (5, 50.0)), 20.0 + 7.0 + 50.0),
        ("time_total_s", ((4, 35.0), (2, 15.0)), 20.0 + 25.0 + 15.0),
        ("time_total_s", ((6, 60.0),), 60.0),  # after its last iteration
        ("paid", ((4, 33.0), (5, 40.0)), 20.0 + 40.0),
        ("paid", ((4, 3.0), (5, 10.0)), 50.0 + 10.0),  # counted by the trainable, which forgets it
        ("paid", ((4, 3.0), (4, 2.0)), 50.0 + 3.0 + 2.0),
        ("paid", ((4, 60.0), (5, 70.0)), 70.0),  # or counts it through all attempts
    ],
)
@pytest.mark.parametrize("error", [False, True])
def test_of_a_trial_that_goes_on_from_a_checkpoint_nothing_is_charged_twice(cost, resumed, spent, error):
    search = started(budget=1000, cost=cost)
    search.suggest("a")
    for iteration, paid in (*((each, 10.0 * each) for each in range(1, 6)), *resumed):
        report = {"loss": 1.0, cost: paid, "training_iteration": iteration}
        search.on_trial_result("a", report)
    search.on_trial_complete("a", report, error=error)
    assert search.study.spent == spent


def test_metric_and_mode_of_the_search_and_of_tune():
    space = {"x": tune.uniform(0, 1)}
    search = CarboSearch(space, budget=3, mode="min")
    with pytest.raises(carbo.InvalidOptions, match="no metric yet.*only with"):
        search.suggest("a")
    search.set_search_properties("loss", "min", {"fixed": 1})
    assert (search.metric, search.mode, search.study.options["goal"]) == ("loss", "min", "minimize")
    search = CarboSearch(space, budget=3, metric="accuracy")
    with pytest.raises(carbo.InvalidOptions, match="no mode is given for the metric 'accuracy'"):
        search.set_search_properties(None, None, {"fixed": 1})
    assert search.set_search_properties(None, "max", {"fixed": 1})
    assert search.study.options["goal"] == "maximize"
    for metric, mode, says in (("loss", "max", "metric is 'accuracy' in .* 'loss'"), (None, "min", "mode is")):
        with pytest.raises(carbo.InvalidOptions, match=says):
            search.set_search_properties(metric, mode, {"fixed": 1})
    unnamed = CarboSearch(budget=3)
    assert unnamed.set_search_properties(None, "min", space) and unnamed.metric == "_metric"


def test_a_space_of_carbos_gives_nested_values():
    assert set(started(carbo.Space({"a/x": carbo.real(0, 1), "n": carbo.integer(1, 2)})).suggest("a")) == {"a", "n"}


def test_dicts_as_values_in_points_and_in_reports_of_trials_that_a_lost_state_suggested():
    space = {"m": tune.choice([{"k": 1}, {"k": 2}]), "x": tune.uniform(0, 1)}
    search = started(space, points_to_evaluate=[{"m": {"k": 2}, "x": 0.5}])
    assert search.suggest("a") == {"m": {"k": 2}, "x": 0.5}
    search.on_trial_complete("lost", {"config/m/k": 1, "config/x": 0.25, "loss": 1.0, "paid": 1.0})
    assert [trial.params for trial in search.study.trials if trial.finished] == [{"m": "0: dict", "x": 0.25}]


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
