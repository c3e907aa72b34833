"""A searcher for Ray Tune."""
from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ray import cloudpickle
from ray.tune.search import Searcher

from . import _carbo
from ._converted_space import ConvertedSpace
from ._errors import InvalidOptions
from ._ray_reports import Attempts, Cost, Costs, KnownTrial, known_trials
from ._ray_space import filled, leaves, nested, picked, tune_space
from ._records import Suggestion
from ._space import Params, Space
from ._study import Study

_log = logging.getLogger("carbo")
_DEFAULT_METRIC = "_metric"  # Tune's name for what a trainable returns without one
_CONFIG = "config/"  # begins the names under which a flattened report has the configuration


@dataclass
class _Trial:
    suggestion: Suggestion
    suggested: float  # seconds since 1970
    report: dict[str, Any] | None = None  # the last
    attempts: Attempts = field(default_factory=Attempts)


class CarboSearch(Searcher):  # type: ignore[misc, unused-ignore]
    """Searches until the budget is spent: ``num_samples=-1``, and the budget is the stop.

    Parameters
    ----------
    space
        A :class:`carbo.Space`, or a dict as ``param_space``, whose constants are part of what is suggested; where it is
        None, Tune's ``param_space``. Domains are converted exactly: whole numbers exclude their upper bound as in Tune,
        quantised ones are counted in steps, logarithmic ones stay so, ``tune.choice`` of numbers is taken in their
        order, and nested dicts give names as ``optimizer/lr``. Grids, functions, normal distributions and conditions
        (something to search within a list or a ``tune.choice``) are refused.
    budget
        What all trials together may cost, in the unit of ``cost``; those that run when it is spent are finished.
    cost
        Which number of a report the cost is: the last one counts. Or a callable of the report. Tune's own times are
        converted from seconds where the unit is another one of time; everything else is in the unit as it is. Of a
        trial begun anew (``FailureConfig``), what former attempts had reported, since its checkpoint if any, is added.
    metric, mode
        As Tune has them; those of ``TuneConfig`` where they are None, which Tune tells a search only with a
        ``param_space``. A ``mode`` is needed; those that are given at both places have to agree.
    points_to_evaluate
        Configurations to try first, each with a value for everything that is searched; with ``evaluated_rewards`` these
        are known already, and prior data.
    settings
        Further settings of :class:`carbo.Study`, such as ``seed``, ``unit`` or ``acquisition``.

    A trial whose result is NaN or infinite, that has no result, or that raised an error is a failure, charged what it
    reported last. Where it reported nothing, what it was predicted to cost is charged, of times not more than passed
    since it was suggested. A trial that a scheduler stopped early is taken by its last report.
    """

    _metric: str | None
    _mode: str | None

    def __init__(
        self,
        space: Space | Mapping[str, Any] | None = None,
        *,
        budget: float | str,
        cost: Cost = "time_total_s",
        metric: str | None = None,
        mode: str | None = None,
        points_to_evaluate: Sequence[Mapping[str, Any]] | None = None,
        evaluated_rewards: Sequence[float] | None = None,
        **settings: Any,
    ) -> None:
        for name, value in (("metric", metric), ("mode", mode)):
            if value is not None and not isinstance(value, str):
                raise InvalidOptions(f"{name} is {value!r}; give one: a study has one objective")
        if mode not in (None, "min", "max"):
            raise InvalidOptions(f"mode is {mode!r}; give 'min' or 'max'")
        for name in ("goal", "batches"):
            if name in settings:
                raise InvalidOptions(f"{name} cannot be set here{'; give mode' if name == 'goal' else ''}")
        if evaluated_rewards is not None and len(evaluated_rewards) != len(points_to_evaluate or ()):
            raise InvalidOptions(
                f"there are {len(evaluated_rewards)} evaluated_rewards for {len(points_to_evaluate or ())} points"
            )
        super().__init__(metric=metric, mode=mode)
        self._budget = budget
        self._cost = cost
        self._points = [dict(point) for point in points_to_evaluate or ()]
        self._rewards = None if evaluated_rewards is None else list(evaluated_rewards)
        self._settings = settings
        self._concurrency: int | None = None
        self._converted: ConvertedSpace | None = None
        self._template: Mapping[str, Any] = {}  # what is suggested, with domains and parameters for their values
        self._study: Study | None = None
        self._costs: Costs | None = None
        self._trials: dict[str, _Trial] = {}
        self._evaluated: list[KnownTrial] = []  # before there is a study
        if space is not None:
            self._converted = tune_space(space)
            self._template = nested(space.parameters) if isinstance(space, Space) else space
        if space is not None and metric is not None and mode is not None:
            self._begin()

    @property
    def study(self) -> Study:
        """What is known; there once Tune has given the space, the metric and the mode."""
        if self._study is None:
            known = {"space": self._converted, "metric": self._metric, "mode": self._mode}
            raise InvalidOptions(
                f"the search has no {' and no '.join(name for name in known if known[name] is None)} yet; give it here, "
                "or param_space and a TuneConfig to Tune, which tells a search of the latter only with the former"
            )
        return self._study

    # What Tune calls.

    def set_search_properties(self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any) -> bool:
        self._metric = _agreed("metric", self._metric, metric)
        self._mode = _agreed("mode", self._mode, mode)
        if self._study is not None:
            return False
        if self._converted is None:
            self._converted = tune_space(config)
            self._template = nested(dict(leaves(config)))
        elif any(True for _ in leaves(config)):
            return False
        self._begin()
        return True

    def set_max_concurrency(self, max_concurrent: int) -> bool:
        self._concurrency = max_concurrent
        return False

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:  # type: ignore[override, unused-ignore]
        study, space = self.study, self._converted
        assert space is not None
        if study.done:
            return str(Searcher.FINISHED)
        suggestions = study.ask(1)
        if not suggestions:
            return str(Searcher.FINISHED) if study.done or not self._trials else None
        self._trials[trial_id] = _Trial(suggestions[0], time.time())
        return filled(self._template, space.values(suggestions[0].params))

    def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
        trial = self._trials.get(trial_id)
        if trial is not None:
            self._take(trial_id, trial, result)

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        trial = self._trials.get(trial_id) or self._adopted(trial_id, result)
        if trial is None:
            _log.warning("trial %s ended, which was not suggested here, and no report says of what point", trial_id)
            return
        if result:
            self._take(trial_id, trial, result)
        if error:
            self._fail(trial_id, trial, "the trial ended with an error")
        elif trial.report is None:
            self.study.withdraw(trial.suggestion)  # stopped before it ran
        else:
            self._complete(trial_id, trial, trial.report)
        self._trials.pop(trial_id, None)

    def _take(self, trial_id: str, trial: _Trial, report: dict[str, Any]) -> None:
        assert self._costs is not None
        trial.attempts.take(self._costs, trial_id, report)
        trial.report = report

    def _adopted(self, trial_id: str, report: Mapping[str, Any] | None) -> _Trial | None:
        """A trial that the search does not know, as where a driver died before Tune had written the search's state: its
        point is in the report."""
        config = {name[len(_CONFIG) :]: value for name, value in (report or {}).items() if name.startswith(_CONFIG)}
        if not config:
            return None
        id = self.study.adopt(self._params(config))
        _log.warning("trial %s ended, which was not suggested here; its point is taken from its report", trial_id)
        (suggestion,) = (each for each in self.study.pending if each.id == id)
        return _Trial(suggestion, time.time())

    def _complete(self, trial_id: str, trial: _Trial, report: Mapping[str, Any]) -> None:
        assert self._costs is not None
        objective = report.get(str(self._metric))
        if objective is None:
            self._fail(trial_id, trial, f"the last report has no '{self._metric}'")
            return
        cost = trial.attempts.former + self._costs.of(trial_id, report)
        if not math.isfinite(float(objective)):
            self._fail(trial_id, trial, f"'{self._metric}' is {float(objective)}")
        elif not (math.isfinite(cost) and cost > 0):
            self._fail(trial_id, trial, f"the cost is {cost}; a cost is finite and above 0")
        else:
            self.study.tell(trial.suggestion, float(objective), cost)

    def _fail(self, trial_id: str, trial: _Trial, reason: str) -> None:
        assert self._costs is not None
        cost = trial.attempts.former + (self._costs.known(trial_id, trial.report) or 0.0)
        if cost == 0:
            cost = trial.suggestion.receipt.predicted_cost or 0.0
            seconds = _carbo.seconds_per_unit(self.study.unit)
            if seconds > 0:
                cost = min(cost, max(0.0, time.time() - trial.suggested) / seconds)
        self.study.fail(trial.suggestion, cost, reason)

    # What others evaluated.

    def add_evaluated_point(
        self,
        parameters: Mapping[str, Any],
        value: float,
        error: bool = False,
        pruned: bool = False,
        intermediate_values: Sequence[float] | None = None,
        *,
        cost: float | None = None,
    ) -> None:
        """Prior data; of pruned ones the value is not that of a whole trial, and they are left out."""
        if pruned:
            _log.warning("a pruned point is left out: its value is not that of a whole trial")
            return
        self._add(KnownTrial(dict(parameters), None if error or value is None else float(value), cost))

    def add_evaluated_trials(self, trials_or_analysis: Any, metric: str) -> None:
        """Trials of another run, with their costs: a list of them, an ``ExperimentAnalysis`` or a ``ResultGrid``."""
        for known in known_trials(trials_or_analysis, metric):
            self._add(known)

    def _add(self, known: KnownTrial) -> None:
        if self._study is None:
            self._evaluated.append(known)
        else:
            self._tell_prior(known)

    def _tell_prior(self, known: KnownTrial) -> None:
        assert self._costs is not None
        params = self._params(known.config)
        cost = known.cost if known.report is None else self._costs.known(known.name, known.report)
        if cost is not None and not (math.isfinite(cost) and cost > 0):
            cost = None
        if known.value is None or not math.isfinite(known.value):
            self.study.fail(params, cost or 0.0, "evaluated before, and failed")
        else:
            self.study.tell(params, known.value, cost)

    def _params(self, config: Mapping[str, Any]) -> Params:
        assert self._converted is not None
        return self._converted.params(picked(config, self._converted.space.names))

    def _begin(self) -> None:
        assert self._converted is not None
        if self._mode is None:
            of = "" if self._metric is None else f" for the metric '{self._metric}'"
            raise InvalidOptions(f"no mode is given{of}; give mode='min' or mode='max', here or in TuneConfig")
        self._metric = self._metric or _DEFAULT_METRIC
        settings = {"execution": "asynchronous", "accounting": "sum", **self._settings}
        if self._concurrency is not None:
            settings.setdefault("batch_size", self._concurrency)
        goal = "minimize" if self._mode == "min" else "maximize"
        study = Study(self._converted.space, budget=self._budget, goal=goal, **settings)
        self._costs = Costs(self._cost, study.unit)
        self._study = study
        for index, point in enumerate(self._points):
            if self._rewards is None:
                self._study.enqueue(self._params(point))
            else:
                self._tell_prior(KnownTrial(point, float(self._rewards[index])))
        for known in self._evaluated:
            self._tell_prior(known)
        self._evaluated = []

    # Files: the whole search, with what runs.

    def get_state(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def set_state(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def save(self, checkpoint_path: str) -> None:
        with open(checkpoint_path, "wb") as file:
            cloudpickle.dump(self.get_state(), file)  # type: ignore[no-untyped-call, unused-ignore]

    def restore(self, checkpoint_path: str) -> None:
        with open(checkpoint_path, "rb") as file:
            self.set_state(cloudpickle.load(file))


def _agreed(name: str, here: str | None, in_tune: str | None) -> str | None:
    if here is not None and in_tune is not None and here != in_tune:
        raise InvalidOptions(f"{name} is {here!r} in the search and {in_tune!r} in TuneConfig; give one of them")
    return here if in_tune is None else in_tune
