"""CarboSampler in Optuna's own loop: what is suggested, learned and charged."""
import math

import pytest

import carbo

optuna = pytest.importorskip("optuna", reason="Optuna is not installed (tests/python/requirements.txt)")
from carbo.optuna import CarboSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
D = optuna.distributions
# Every kind of distribution, and the same space as one writes it for Carbo.
DISTRIBUTIONS = {
    "rate": D.FloatDistribution(1e-4, 1.0, log=True),
    "drop": D.FloatDistribution(0.0, 0.5, step=0.1),
    "shift": D.FloatDistribution(-1.0, 1.0),
    "units": D.IntDistribution(16, 64, step=16),
    "layers": D.IntDistribution(1, 8),
    "width": D.IntDistribution(1, 256, log=True),
    "kind": D.CategoricalDistribution([None, True, 3, "adam", ""]),
}
SPACE = carbo.Space(
    rate=carbo.real(1e-4, 1.0, log=True),
    drop=carbo.discrete([0.1 * k for k in range(5)] + [0.5]),
    shift=carbo.real(-1.0, 1.0),
    units=carbo.discrete([16, 32, 48, 64]),
    layers=carbo.integer(1, 8),
    width=carbo.integer(1, 256, log=True),
    kind=carbo.categorical([None, True, 3, "adam", ""]),
)
SMALL = {"x": D.FloatDistribution(-5.0, 5.0), "k": D.IntDistribution(1, 9)}


def suggest(trial, distributions):
    return {name: trial._suggest(name, each) for name, each in distributions.items()}


def price(x):
    return 1.0 + 0.25 * x["layers"]


def loss(x):
    return math.log10(x["rate"] / 0.03) ** 2 + x["drop"] + x["shift"] ** 2 + 0.1 * abs(x["layers"] - 6) + x["units"] / 64


def small_objective(trial):
    x = suggest(trial, SMALL)
    trial.set_user_attr("price", 1.0 + 0.1 * x["k"])
    return (x["x"] - 2.0) ** 2 + 0.1 * x["k"]


def plain_study(space, budget, seed, goal="minimize"):
    return carbo.Study(
        space, budget=budget, seed=seed, goal=goal, accounting="sum", execution="asynchronous",
        failures={"max_consecutive": 1000},
    )  # fmt: skip


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_suggestions_are_those_of_a_study_that_is_told_the_same(direction):
    sign = 1.0 if direction == "minimize" else -1.0

    def objective(trial):
        x = suggest(trial, DISTRIBUTIONS)
        trial.set_user_attr("price", price(x))
        if trial.number == 4:
            raise ValueError("broken")
        if trial.number == 7:
            trial.report(sign * 0.5, 1)
            raise optuna.TrialPruned()
        return math.nan if trial.number == 9 else sign * loss(x)

    sampler = CarboSampler(30, cost="price", seed=5, search_space=DISTRIBUTIONS)
    study = optuna.create_study(direction=direction, sampler=sampler)
    study.optimize(objective, catch=(ValueError,))

    told = plain_study(SPACE, 30, 5, direction)
    points = []
    while not told.done:
        (suggestion,) = told.ask(1)
        number, x = len(points), suggestion.params
        points.append(x)
        if number in (4, 9):
            told.fail(suggestion, price(x))
        elif number == 7:
            told.fail(suggestion, price(x), timed_out=True)
        else:
            told.tell(suggestion, sign * loss(x), price(x))
    assert [trial.params for trial in study.trials] == points
    assert len(points) > 10  # beyond the initial draws
    assert sampler.spent(study) == pytest.approx(told.spent)
    assert study.best_value == told.best.objective


def test_without_a_space_the_first_trial_is_drawn_and_known():
    study = optuna.create_study(sampler=CarboSampler(1000, cost="price", seed=3))
    study.optimize(small_objective, n_trials=6)

    told = plain_study(carbo.Space(k=carbo.integer(1, 9), x=carbo.real(-5, 5)), 1000, 3)
    first = study.trials[0]
    told.tell(told.adopt(first.params), first.value, first.user_attrs["price"])
    for trial in study.trials[1:]:
        (suggestion,) = told.ask(1)
        assert trial.params == suggestion.params
        told.tell(suggestion, trial.value, trial.user_attrs["price"])


def test_a_budget_is_spent_exactly():
    sampler = CarboSampler(1.0, cost=lambda trial: 0.1, seed=1, search_space=SMALL)
    study = optuna.create_study(sampler=sampler)
    study.optimize(small_objective)
    assert len(study.trials) == 10  # although ten times 0.1, added one by one, is less than 1
    assert sampler.spent(study) == 1.0
    assert sampler.done(study)


def test_what_failed_was_pruned_or_violates_is_learned_and_charged():
    def objective(trial):
        x = suggest(trial, SMALL)
        trial.set_user_attr("price", 2.0)
        if trial.number == 1:
            return math.inf
        if trial.number == 2:
            trial.set_constraint("memory", 0.5)
        if trial.number == 3:
            trial.report(7.0, step=1)
            trial.report(6.5, step=2)
            raise optuna.TrialPruned()
        if trial.number == 4:
            raise ValueError("broken")
        return x["x"] ** 2

    for pruned, state, value in (("cut_off", "timed_out", None), ("value", "succeeded", 6.5)):
        sampler = CarboSampler(100, cost="price", seed=2, search_space=SMALL, pruned=pruned)
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=6, catch=(ValueError,))
        trials = sampler.carbo_study(study).trials
        assert [trial.state for trial in trials] == ["succeeded", "failed", "failed", state, "failed", "succeeded"]
        assert trials[1].reason == "the objective is inf"
        assert trials[2].reason == "violates memory"
        assert trials[3].objective == value
        assert [trial.params for trial in trials] == [trial.params for trial in study.trials]
        assert sampler.spent(study) == 12.0


def test_a_trial_that_succeeds_without_a_cost_is_an_error_and_one_that_fails_costs_nothing():
    def objective(trial):
        x = suggest(trial, SMALL)
        if trial.number == 0:
            raise ValueError("before the cost was known")
        return x["x"]

    study = optuna.create_study(sampler=CarboSampler(10, cost="price", seed=2))
    with pytest.raises(carbo.InvalidObservation, match="trial 1 has no user attribute 'price'"):
        study.optimize(objective, n_trials=2, catch=(ValueError,))
    assert study.trials[1].state == optuna.trial.TrialState.COMPLETE  # what was observed is kept
    assert study.sampler.spent(study) == 0.0
    for wrong in (0.0, -1.0, math.nan, math.inf, "much"):
        study = optuna.create_study(sampler=CarboSampler(10, cost=lambda trial, wrong=wrong: wrong, seed=2))
        with pytest.raises(carbo.InvalidObservation, match="trial 0: the cost is"):
            study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)


def test_parameters_that_appear_later_make_a_new_space():
    def objective(trial):
        x = suggest(trial, SMALL)
        depth = trial.suggest_int("depth", 1, 4) if trial.number >= 5 else 0
        extra = trial.suggest_float("momentum", 0, 1) if x["k"] > 4 else 0.0
        trial.set_user_attr("price", 1.0)
        return x["x"] ** 2 + depth + extra

    sampler = CarboSampler(100, cost="price", seed=4, warn_independent_sampling=False)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=9)
    known = sampler.carbo_study(study)
    assert set(known.space.names) == {"x", "k"}  # what all completed trials share
    assert len(known.trials) == 9

    # What completed trials share shrinks, and everything is told again.
    bounded = optuna.create_study(sampler=CarboSampler(100, cost=lambda trial: 1.0, seed=4, warn_independent_sampling=False))
    bounded.optimize(lambda trial: suggest(trial, SMALL)["x"], n_trials=4)
    bounded.optimize(lambda trial: trial.suggest_float("x", -5.0, 5.0), n_trials=2)
    assert bounded.sampler.carbo_study(bounded).space.names == ("x",)
    assert len(bounded.sampler.carbo_study(bounded).trials) == 6


def test_what_has_no_point_in_the_space_is_charged_all_the_same():
    def objective(trial):
        trial.set_user_attr("price", 3.0)
        x = trial.suggest_float("x", -5.0, 5.0)
        if trial.number in (1, 2):
            raise ValueError("before its last parameter")
        return x**2 + trial.suggest_int("k", 1, 9)

    sampler = CarboSampler(20, cost="price", seed=4)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, catch=(ValueError,))
    assert sampler.spent(study) == 21.0
    assert len(study.trials) == 7
    assert len(sampler.carbo_study(study).trials) == 5


def test_enqueued_trials_run_as_they_are_and_are_known():
    sampler = CarboSampler(100, cost="price", seed=6, search_space=SMALL)
    study = optuna.create_study(sampler=sampler)
    study.enqueue_trial({"x": 1.5, "k": 2})
    study.enqueue_trial({"k": 9})
    study.enqueue_trial({"x": 77.0, "k": 1})
    with pytest.warns(UserWarning, match="out of range"):
        study.optimize(small_objective, n_trials=5)
    points = [trial.params for trial in study.trials]
    assert points[0] == {"x": 1.5, "k": 2}
    assert points[1]["k"] == 9
    assert points[2] == {"x": 77.0, "k": 1}
    known = sampler.carbo_study(study)
    assert [trial.params for trial in known.trials] == [points[0], points[1], points[3], points[4]]
    assert known.spent == pytest.approx(sampler.spent(study) - 1.1)  # 77 lies outside the space


def test_trials_of_others_are_prior_data_unless_they_are_to_be_charged():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(small_objective, n_trials=5)
    cost = sum(trial.user_attrs["price"] for trial in study.trials)
    study.sampler = CarboSampler(100, cost="price", seed=2)
    study.optimize(small_objective, n_trials=2)
    known = study.sampler.carbo_study(study)
    assert [trial.origin for trial in known.trials] == ["prior"] * 5 + ["this_run"] * 2
    own = sum(trial.user_attrs["price"] for trial in study.trials[5:])
    assert study.sampler.spent(study) == pytest.approx(own)
    charging = CarboSampler(100, cost="price", others="charged")
    assert charging.spent(study) == pytest.approx(cost + own)
    # Without a cost they teach the objective alone.
    clock = CarboSampler(100, seed=2)
    assert clock.carbo_study(study).trials[0].cost is None
    assert clock.spent(study) == 0.0


def test_a_finite_space_is_gone_through_once():
    distributions = {"a": D.IntDistribution(1, 3), "b": D.CategoricalDistribution(["p", "q"])}
    sampler = CarboSampler(100, cost=lambda trial: 1.0, seed=2, search_space=distributions)
    study = optuna.create_study(sampler=sampler)
    with pytest.warns(UserWarning, match="every point of the space was tried"):
        study.optimize(lambda trial: float(suggest(trial, distributions)["a"]))
    points = [tuple(trial.params.values()) for trial in study.trials]
    assert len(points) == 7
    assert len(set(points[:6])) == 6


def test_with_hyperband_all_brackets_are_learned_from_and_charged():
    def objective(trial):
        x = suggest(trial, SMALL)
        trial.set_user_attr("price", 1.0)
        for step in range(9):
            trial.report((x["x"] - 1) ** 2 + 1 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned()
        return (x["x"] - 1) ** 2

    pruner = optuna.pruners.HyperbandPruner(min_resource=1, max_resource=9)
    sampler = CarboSampler(15, cost="price", seed=2)
    study = optuna.create_study(sampler=sampler, pruner=pruner)
    study.optimize(objective)
    assert len(study.trials) == 15
    assert len(sampler.carbo_study(study).trials) == 15
