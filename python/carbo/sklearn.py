"""A search of scikit-learn's with a time budget.

>>> from sklearn.datasets import make_classification
>>> from sklearn.linear_model import LogisticRegression
>>> import carbo, carbo.sklearn
>>> X, y = make_classification(random_state=0)
>>> search = carbo.sklearn.CarboSearchCV(
...     LogisticRegression(), {"C": carbo.real(1e-3, 1e3, log=True)}, budget="8 evaluations", random_state=0
... )
>>> search.fit(X, y).cv_results_["params"] == [trial.params for trial in search.study_.trials]
True
"""
from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _carbo
from ._errors import InvalidOptions
from ._records import Suggestion
from ._sklearn_space import search_space
from ._space import Params, Space
from ._study import Study

try:
    import joblib  # type: ignore[import-untyped, import-not-found, unused-ignore]
    from sklearn.model_selection._search import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
        BaseSearchCV,
    )
    from sklearn.utils import check_random_state  # type: ignore[import-untyped, import-not-found, unused-ignore]
except ImportError as error:
    raise ModuleNotFoundError("carbo.sklearn needs scikit-learn: pip install scikit-learn", name="sklearn") from error

__all__ = ["CarboSearchCV"]

_OWN = ("budget", "goal", "seed", "batch_size")  # settings that arguments of the search stand for
_NOT_HERE = ("file", "name", "evaluation", "execution", "strict")


class CarboSearchCV(BaseSearchCV):  # type: ignore[misc, unused-ignore]
    """``RandomizedSearchCV`` with a budget: points are suggested, and what folds cost is learned.

    Parameters
    ----------
    estimator
        What is fitted, a pipeline for example (parameters ``step__name``).
    space
        A :class:`carbo.Space`, or a dict of what may be searched by name: parameters of Carbo's, lists of values
        (numbers are taken in order, others as categories, of whatever type), and SciPy's ``uniform``, ``loguniform`` and
        ``randint``. Other distributions are refused.
    budget
        Seconds of fitting and scoring, summed over all folds and candidates, or a text: ``"10min"``, ``"2h"``,
        ``"50 evaluations"`` (candidates). The last batch may overrun it. With ``n_jobs`` that are all busy it is spent
        so many times as fast. The final fit on all data does not count.
    metric
        The name of the score that guides the search, where several are taken and ``refit`` does not name one. Refused
        where there is one score alone.
    batch_size
        Candidates at a time; as many as give every one of ``n_jobs`` a fold where it is None.
    settings
        Further settings of :class:`carbo.Study`: ``{"acquisition": "ei_per_cost"}``. With another unit of time, as
        ``{"unit": "h"}``, the study's costs and a budget that is a number are in that; other units are refused.

    All others are as in ``RandomizedSearchCV``. Scores are maximised, as everywhere in scikit-learn.

    Attributes
    ----------
    study_
        The :class:`carbo.Study`, which predicts, recommends and has all trials; a failed candidate is a failure there.
    cv_results_
        What ``RandomizedSearchCV`` has, and ``cost``: seconds of fitting and scoring over all folds. Where every fit of
        a batch failed, the seconds that the batch took are shared between its fits.
    """

    def __init__(
        self,
        estimator: Any,
        space: Any,
        *,
        budget: Any,
        metric: str | None = None,
        batch_size: int | None = None,
        settings: Mapping[str, Any] | None = None,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = math.nan,
        return_train_score: bool = False,
    ) -> None:
        self.space = space
        self.budget = budget
        self.metric = metric
        self.batch_size = batch_size
        self.settings = settings
        self.random_state = random_state
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )

    def fit(self, X: Any, y: Any = None, **params: Any) -> CarboSearchCV:
        """Searches until the budget is spent, then fits the best on all data where ``refit`` asks for it."""
        self._run = _Run()
        try:
            super().fit(X, y, **params)
        finally:
            del self._run
        bad = sum(trial.state != "succeeded" for trial in self.study_.trials)
        if bad:
            warnings.warn(
                f"{bad} of {len(self.study_.trials)} candidates have no finite score; cv_results_ has them, and "
                "study_.trials says why",
                stacklevel=2,
            )
        return self

    def _run_search(self, evaluate_candidates: Callable[[list[Params]], dict[str, Any]]) -> None:
        found = search_space(self.space)
        metric = self._metric()
        self.study_ = self._new_study(found.space)
        run, rows = self._run, 0
        while not self.study_.done:
            batch = self.study_.ask()
            if not batch:
                break
            candidates = [found.values(suggestion.params) for suggestion in batch]
            if self._evaluate(evaluate_candidates, candidates, rows):
                self._learn(metric, batch, rows)
            else:
                seconds = run.lost[-1].seconds * self.n_splits_
                for suggestion in batch:
                    self._tell(suggestion, float(self.error_score), seconds, run.last_failure[:2000])
            rows += len(batch)
        if not run.results:
            raise ValueError(run.last_failure or "the budget allows no candidate")
        if len(run.results["params"]) < rows:  # the last batches failed; scikit-learn keeps this very dict
            run.results.update(self._format_results(*run.formatted))

    def _new_study(self, space: Space) -> Study:
        given = dict(self.settings or {})
        for name in given:
            if name in _OWN:
                place = "random_state" if name == "seed" else name
                raise InvalidOptions(f"settings has {name!r}, which is an argument of the search: {place}")
            if name in _NOT_HERE:
                raise InvalidOptions(f"settings has {name!r}, which a search by scikit-learn cannot keep")
        jobs = joblib.effective_n_jobs(self.n_jobs)
        size = math.ceil(jobs / self.n_splits_) if self.batch_size is None else self.batch_size
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        given = {"accounting": "sum", **given}
        study = Study(space, budget=self.budget, goal="maximize", seed=seed, batch_size=size, **given)
        if _carbo.seconds_per_unit(study.unit) == 0:
            raise InvalidOptions(
                f"the unit of the budget is {study.unit!r}, but costs are seconds of fitting; give a unit of time, or "
                'a number of candidates as "50 evaluations"'
            )
        return study

    def _metric(self) -> str:
        """The name of the score to search by; checked before anything is fitted where scikit-learn knows the names."""
        named = self.metric if self.metric is not None else self.refit if isinstance(self.refit, str) else None
        several = isinstance(self.scoring, (list, tuple, set, dict))
        if several and named not in self.scoring:
            names = ", ".join(sorted(self.scoring))
            raise InvalidOptions(
                f"metric is {self.metric!r} and refit is {self.refit!r}, but the scores are {names}; name one of them"
            )
        if several or callable(self.scoring):
            return "score" if named is None else named
        if self.metric not in (None, "score"):
            raise InvalidOptions(
                f"metric is {self.metric!r}, but scoring is {self.scoring!r}, which is one score; leave metric out, or "
                "give several scores as scoring"
            )
        return "score"

    def _evaluate(
        self, evaluate_candidates: Callable[[list[Params]], dict[str, Any]], candidates: list[Params], rows: int
    ) -> bool:
        """False where every fit failed. scikit-learn counts the failures of one call and gives up there; here that is
        one batch of many, and what is known of it is kept for `_format_results`."""
        begun = time.perf_counter()
        try:
            self._run.results = evaluate_candidates(candidates)
            return True
        except ValueError as error:
            if self.error_score == "raise" or "fits failed" not in str(error):
                raise
            fits = len(candidates) * self.n_splits_
            busy = min(joblib.effective_n_jobs(self.n_jobs), fits)
            seconds = (time.perf_counter() - begun) * busy / fits
            self._run.lost.append(_LostBatch(rows, candidates, seconds))
            self._run.last_failure = str(error).strip()
            return False

    def _learn(self, metric: str, batch: list[Suggestion], rows: int) -> None:
        results, key = self._run.results, f"mean_test_{metric}"
        if key not in results:
            names = ", ".join(name[len("mean_test_") :] for name in results if name.startswith("mean_test_"))
            raise InvalidOptions(f"there is no score {metric!r}, but {names}; name one of them by metric=")
        for row, suggestion in enumerate(batch, rows):
            score = float(results[key][row])
            self._tell(suggestion, score, float(results["cost"][row]), f"{key} is {score}")

    def _tell(self, suggestion: Suggestion, score: float, seconds: float, reason: str) -> None:
        cost = max(seconds, 1e-9) / _carbo.seconds_per_unit(self.study_.unit)
        if math.isfinite(score):
            self.study_.tell(suggestion, score, cost)
        else:
            self.study_.fail(suggestion, cost, reason)

    def _format_results(
        self, candidate_params: list[Params], n_splits: int, out: list[dict[str, Any]], more_results: Any = None
    ) -> dict[str, Any]:
        """As scikit-learn's, with the batches that failed wholly in their places, and the costs."""
        self._run.formatted = (candidate_params, n_splits, out, more_results)
        params, folds = list(candidate_params), list(out)
        for batch in self._run.lost:
            failed = _failed_fold(out[0], self.error_score, batch.seconds)
            params[batch.row : batch.row] = batch.candidates
            first = batch.row * n_splits
            folds[first:first] = [dict(failed) for _ in range(len(batch.candidates) * n_splits)]
        with warnings.catch_warnings():
            # Said once, at the end, instead of after every batch.
            warnings.filterwarnings("ignore", message="One or more of the (test|train) scores are non-finite")
            results: dict[str, Any] = super()._format_results(params, n_splits, folds, more_results)
        results["cost"] = n_splits * (results["mean_fit_time"] + results["mean_score_time"])
        return results


@dataclass(frozen=True)
class _LostBatch:
    row: int  # of its first candidate
    candidates: list[Params]
    seconds: float  # of each fit


@dataclass
class _Run:
    """What one `fit` has to remember between its batches."""

    results: dict[str, Any] = field(default_factory=dict)
    formatted: tuple[Any, ...] = ()  # arguments of the last `_format_results`
    lost: list[_LostBatch] = field(default_factory=list)
    last_failure: str = ""


def _failed_fold(like: dict[str, Any], score: Any, seconds: float) -> dict[str, Any]:
    """What scikit-learn records of a fold whose fit failed; `like` has its keys."""
    failed = {**like, "fit_time": seconds, "score_time": 0.0}
    for name in ("test_scores", "train_scores"):
        if name in like:
            failed[name] = dict.fromkeys(like[name], score) if isinstance(like[name], dict) else score
    return failed
