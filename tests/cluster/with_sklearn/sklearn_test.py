"""carbo.sklearn against scikit-learn itself."""
from __future__ import annotations

import math
import pickle
import time
import warnings

import numpy
import pytest

sklearn = pytest.importorskip("sklearn")
scipy_stats = pytest.importorskip("scipy.stats")

import joblib
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import LeaveOneGroupOut, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import carbo
from carbo.sklearn import CarboSearchCV

X, Y = make_classification(60, 5, random_state=3)


class Sleeper(ClassifierMixin, BaseEstimator):
    """Its fit takes so many milliseconds, and its score is the nearer to 1 the nearer `x` is to 0.7."""

    def __init__(self, x=0.0, milliseconds=1.0, broken="no"):
        self.x = x
        self.milliseconds = milliseconds
        self.broken = broken

    def fit(self, X, y):
        time.sleep(self.milliseconds / 1000)
        if self.broken == "yes":
            raise RuntimeError("it is broken")
        self.classes_ = numpy.unique(y)
        return self

    def predict(self, X):
        return numpy.full(len(X), self.classes_[0])

    def score(self, X, y):
        return 1 - (self.x - 0.7) ** 2 if self.broken != "score" else math.nan


def small(**changes):
    given = {"budget": "5 evaluations", "random_state": 0, "cv": 2, **changes}
    return CarboSearchCV(Sleeper(), given.pop("space", {"x": carbo.real(0, 1)}), **given)


def test_keys_are_those_of_a_random_search_and_the_cost():
    ours = small(return_train_score=True).fit(X, Y)
    theirs = RandomizedSearchCV(Sleeper(), {"x": [0.1, 0.2]}, n_iter=2, cv=2, return_train_score=True).fit(X, Y)
    assert set(ours.cv_results_) - set(theirs.cv_results_) == {"cost"}
    assert set(theirs.cv_results_) <= set(ours.cv_results_)
    for key, value in ours.cv_results_.items():
        assert len(value) == 5, key
    assert type(ours.cv_results_["param_x"]) is type(theirs.cv_results_["param_x"])
    assert set(vars(theirs)) - set(vars(ours)) == {"param_distributions", "n_iter"}


def test_costs_are_the_seconds_of_all_folds_and_scores_are_maximised():
    search = small(space={"x": carbo.real(0, 1), "milliseconds": [1.0, 30.0]}, cv=3).fit(X, Y)
    results = search.cv_results_
    for row, trial in enumerate(search.study_.trials):
        folds = 3 * (results["mean_fit_time"][row] + results["mean_score_time"][row])
        assert trial.cost == pytest.approx(folds) == pytest.approx(results["cost"][row])
        assert trial.cost >= 3 * trial.params["milliseconds"] / 1000
        assert trial.objective == results["mean_test_score"][row]
        assert trial.params == results["params"][row]
    assert search.study_.spent == pytest.approx(sum(results["cost"]))
    assert search.best_score_ == max(results["mean_test_score"]) == search.study_.best.objective
    assert search.best_estimator_.x == search.best_params_["x"]


def test_the_budget_is_the_stop():
    search = small(space={"x": carbo.real(0, 1), "milliseconds": [10.0, 40.0]}, budget="0.4s").fit(X, Y)
    spent = list(numpy.cumsum(search.cv_results_["cost"]))
    assert spent[-1] >= 0.4 and all(before < 0.4 for before in spent[:-1])
    assert search.study_.stop_reason == "budget spent"


def test_several_metrics():
    scores = {"score": lambda e, X, y: e.x, "minus": lambda e, X, y: -e.x}
    search = small(scoring=scores, refit="minus", budget="8 evaluations").fit(X, Y)
    assert search.best_params_["x"] == min(trial.params["x"] for trial in search.study_.trials)
    assert [trial.objective for trial in search.study_.trials] == list(search.cv_results_["mean_test_minus"])
    search = small(scoring=scores, refit=False, metric="score").fit(X, Y)
    assert [trial.objective for trial in search.study_.trials] == list(search.cv_results_["mean_test_score"])
    assert not hasattr(search, "best_estimator_")
    with pytest.raises(carbo.InvalidOptions, match="minus, score; name one"):
        small(scoring=scores, refit=False).fit(X, Y)
    both = lambda e, X, y: {"a": e.x, "b": -e.x}  # noqa: E731
    assert small(scoring=both, refit="b").fit(X, Y).study_.best.objective <= 0
    with pytest.raises(carbo.InvalidOptions, match="no score 'score', but a, b"):
        small(scoring=both, refit=False).fit(X, Y)


def test_refit_by_a_rule_of_the_callers():
    search = small(refit=lambda results: 2).fit(X, Y)
    assert search.best_index_ == 2 and search.best_params_ == search.cv_results_["params"][2]


def test_candidates_that_fail_are_failures_with_their_cost():
    space = {"x": carbo.real(0, 1), "broken": ["no", "yes", "score"], "milliseconds": [5.0]}
    with pytest.warns(UserWarning, match="have no finite score"):
        search = small(space=space, budget="12 evaluations").fit(X, Y)
    results = search.cv_results_
    assert len(results["params"]) == len(search.study_.trials) == 12
    for row, trial in enumerate(search.study_.trials):
        assert results["params"][row] == {**trial.params, "milliseconds": 5.0}
        good = trial.params["broken"] == "no"
        assert trial.state == ("succeeded" if good else "failed")
        assert math.isfinite(results["mean_test_score"][row]) == good
        assert results["cost"][row] == pytest.approx(trial.cost) and trial.cost >= 0.01
        assert results["param_broken"][row] == trial.params["broken"]
        if trial.params["broken"] == "yes":
            assert "it is broken" in trial.reason
    assert search.best_params_["broken"] == "no"


def test_a_last_batch_that_fails_is_in_the_results():
    class Breaks(Sleeper):
        fits = 0

        def fit(self, X, y):
            Breaks.fits += 1
            if Breaks.fits > 4:
                raise RuntimeError("worn out")
            return super().fit(X, y)

    with pytest.warns(UserWarning):
        search = CarboSearchCV(
            Breaks(), {"x": carbo.real(0, 1)}, budget="4 evaluations", cv=2, refit=False, random_state=1
        ).fit(X, Y)
    assert list(numpy.isnan(search.cv_results_["mean_test_score"])) == [False, False, True, True]
    assert len(search.cv_results_["param_x"]) == len(search.cv_results_["cost"]) == 4
    assert [trial.state for trial in search.study_.trials] == ["succeeded", "succeeded", "failed", "failed"]


def test_where_everything_fails_it_says_so_and_errors_are_raised_where_asked():
    class Broken(Sleeper):
        def fit(self, X, y):
            raise RuntimeError("always")

    with pytest.raises(ValueError, match="fits failed"):
        CarboSearchCV(Broken(), {"x": carbo.real(0, 1)}, budget="3 evaluations", cv=2).fit(X, Y)
    with pytest.raises(RuntimeError, match="always"):
        CarboSearchCV(
            Broken(), {"x": carbo.real(0, 1)}, budget="3 evaluations", cv=2, error_score="raise"
        ).fit(X, Y)


def test_a_number_as_the_score_of_failures_is_learned_as_such():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = small(space={"x": carbo.real(0, 1), "broken": ["no", "yes"]}, error_score=-5.0)
        search.set_params(budget="9 evaluations").fit(X, Y)
    assert {trial.state for trial in search.study_.trials} == {"succeeded"}
    for trial, score in zip(search.study_.trials, search.cv_results_["mean_test_score"]):
        assert trial.objective == score
        assert (score == -5.0) == (trial.params["broken"] == "yes")


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_backends_of_joblib(backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        search = CarboSearchCV(
            LogisticRegression(), {"C": scipy_stats.loguniform(1e-2, 10)}, budget="4 evaluations", cv=2, n_jobs=2
        ).fit(X, Y)
    assert len(search.cv_results_["params"]) == 4
    assert small(n_jobs=4, cv=2).fit(X, Y).study_.options["batch_size"] == 2
    assert small(n_jobs=2, cv=3).fit(X, Y).study_.options["batch_size"] == 1
    assert small(n_jobs=2, batch_size=3).fit(X, Y).study_.options["batch_size"] == 3


def test_pipelines_and_objects_as_values():
    pipe = Pipeline([("scale", "passthrough"), ("model", LogisticRegression())])
    space = {
        "scale": [StandardScaler(), MinMaxScaler(), "passthrough"],
        "model__C": carbo.real(1e-2, 10, log=True),
        "model__max_iter": [200],
        "model__class_weight": [None, "balanced"],
    }
    search = CarboSearchCV(pipe, space, budget="6 evaluations", cv=2, random_state=0).fit(X, Y)
    assert {type(value) for value in search.cv_results_["param_scale"]} <= {StandardScaler, MinMaxScaler, str}
    assert set(search.cv_results_["param_model__max_iter"]) == {200}
    assert search.best_estimator_.get_params()["model__C"] == search.best_params_["model__C"]
    assert len(search.predict(X)) == len(X)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"settings": {"goal": "minimize"}}, "argument of the search"),
        ({"settings": {"seed": 3}}, "random_state"),
        ({"settings": {"file": "a.db"}}, "cannot keep"),
        ({"settings": {"aquisition": "ei"}}, "acquisition"),
        ({"budget": -1}, "budget"),
        ({"budget": "5 EUR"}, "'EUR', but costs are seconds"),
        ({"budget": "5 evaluations", "settings": {"unit": "EUR"}}, "'EUR', but costs are seconds"),
        ({"metric": "f1"}, "metric is 'f1', but scoring is None"),
        ({"metric": "f1", "scoring": "accuracy"}, "scoring is 'accuracy', which is one score"),
    ],
)
def test_settings_that_are_refused(change, says):
    with pytest.raises(carbo.InvalidOptions, match=says):
        small(**change).fit(X, Y)


def test_settings_reach_the_study():
    search = small(settings={"acquisition": "ei_per_cost", "fantasies": {"count": 4}}).fit(X, Y)
    assert search.study_.options["acquisition"] == "ei_per_cost"


def test_clones_pickles_and_parameters():
    search = small(space=carbo.Space(x=carbo.real(0, 1)))
    again = clone(search)
    assert again.get_params()["space"] == search.space and again.space is not search.space
    assert again.set_params(budget="3 evaluations", estimator__x=0.5).estimator.x == 0.5
    fitted = pickle.loads(pickle.dumps(search.fit(X, Y)))
    assert fitted.best_params_ == search.best_params_
    assert fitted.study_.trials == search.study_.trials
    assert fitted.predict(X).tolist() == search.predict(X).tolist()


def test_the_same_seed_draws_the_same_first_points():
    first, second = (small(random_state=5, budget="3 evaluations").fit(X, Y) for _ in range(2))
    assert first.cv_results_["params"] == second.cv_results_["params"]
    other = small(random_state=6, budget="3 evaluations").fit(X, Y)
    assert first.cv_results_["params"] != other.cv_results_["params"]


class Weighted(Ridge):
    """Writes down what weights its fits were given."""

    given = []

    def fit(self, X, y, sample_weight=None):
        self.given.append(sample_weight)
        return super().fit(X, y, sample_weight)


def test_groups_and_sample_weights_are_passed_on():
    space, groups = {"alpha": scipy_stats.loguniform(1e-3, 1)}, numpy.arange(len(X)) % 5
    search = CarboSearchCV(Weighted(), space, budget="3 evaluations", cv=LeaveOneGroupOut())
    search.fit(X, Y, groups=groups, sample_weight=1.0 + groups)
    assert search.n_splits_ == 5 and len(search.cv_results_["params"]) == 3
    assert len(Weighted.given) == 3 * 5 + 1
    for fold, weights in enumerate(Weighted.given[:5]):  # of a fold, what is left when its group is out
        assert list(weights) == [1.0 + group for group in groups if group != fold]
    assert list(Weighted.given[-1]) == list(1.0 + groups)


def test_costs_are_in_the_unit_of_the_study():
    search = small(budget=1e-5, settings={"unit": "h"}, space={"x": carbo.real(0, 1), "milliseconds": [10.0]}).fit(X, Y)
    assert search.study_.unit == "h" and 1 <= len(search.study_.trials) <= 2  # 36 ms, of which a candidate takes 20
    assert search.study_.spent == pytest.approx(sum(search.cv_results_["cost"]) / 3600)
    with pytest.warns(UserWarning):
        failed = CarboSearchCV(
            Sleeper(milliseconds=10.0), {"broken": ["yes", "no"], "x": [0.1]}, budget="2 evaluations", cv=2,
            settings={"unit": "min"}, refit=False,
        ).fit(X, Y)
    assert {trial.state for trial in failed.study_.trials} == {"failed", "succeeded"}
    for row, trial in enumerate(failed.study_.trials):
        assert trial.cost == pytest.approx(failed.cv_results_["cost"][row] / 60)


#: Checks of scikit-learn's that this search fails and a random search passes; none.
EXPECTED = {}


def outcomes(search):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = check_estimator(search, on_fail=None, on_skip=None)
    return {check["check_name"]: (check["status"], str(check["exception"])) for check in checks}


def test_the_checks_of_scikit_learn_that_a_random_search_passes():
    theirs = outcomes(
        RandomizedSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, n_iter=2, cv=2, random_state=0)
    )
    ours = outcomes(
        CarboSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, budget="2 evaluations", cv=2, random_state=0)
    )
    assert set(theirs) == set(ours)
    worse = {name: ours[name] for name in ours if theirs[name][0] == "passed" and ours[name][0] != "passed"}
    assert sum(status == "passed" for status, _ in theirs.values()) > 20
    assert set(worse) == set(EXPECTED), worse
