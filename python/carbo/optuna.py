"""Carbo in Optuna: a sampler that knows what trials cost, and a budget.

>>> import optuna
>>> from carbo.optuna import CarboSampler
>>> def objective(trial):
...     x = trial.suggest_float("x", -5, 5)
...     trial.set_user_attr("price", 1 + abs(x))
...     return (x - 2) ** 2
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(sampler=CarboSampler(budget=60, cost="price", seed=1))
>>> study.optimize(objective)
>>> abs(study.best_params["x"] - 2) < 0.5
True
"""
from __future__ import annotations

import copy
import functools
import secrets
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

try:
    import optuna
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("carbo.optuna needs Optuna; install it with: pip install optuna") from missing
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import FrozenTrial, TrialState

from . import _carbo
from ._errors import InvalidOptions, InvalidSpace
from ._optuna_choice import Chooser, all_trials, varying
from ._optuna_trials import BEGAN, COST, Costs, CostSource, outcome_of
from ._options import native_options
from ._space import Space, real
from ._study import Study

__all__ = ["CarboSampler"]

#: Settings that Optuna's loop decides, and what takes their place there.
_NOT_HERE = {
    "accounting": "trials are summed, whoever runs them",
    "batch_size": "optimize(n_jobs=...) says how many run at once",
    "batches": "optimize(n_jobs=...) says how many run at once",
    "evaluation": "the objective function ends what takes too long",
    "execution": "trials end in any order",
    "failures": "optimize(catch=...) says what may fail",
    "goal": "create_study(direction=...) says it",
    "max_evaluations": "optimize(n_trials=...) says it",
    "stopping": "optimize(callbacks=[...]) may stop a study",
    "strict": "a trial has begun before its parameters are chosen",
    "target": "optimize(callbacks=[...]) may stop a study",
}


class CarboSampler(BaseSampler):
    """Bayesian optimization within a budget, as a sampler of Optuna's.

    ``budget``: what all trials of the study may cost together, a number or a text with its unit (``"2h"``). It is the
    study's: processes share it, and a study that is gone on with has spent what its trials cost.

    ``cost``: where a trial's cost is found. A text names the user attribute that the objective sets; a callable gets
    the finished trial; without one the sampler measures seconds, its own excluded.

    ``stop``: whether it stops the study once the budget is spent. ``stop=False`` leaves that to
    ``optimize(callbacks=[sampler.stop_when_spent])``.

    ``search_space``: distributions by name, so that the first trial is a suggestion already; without it they are
    those that all completed trials share, and everything else is drawn by ``independent_sampler`` (uniformly where
    there is none).

    ``pruned``: ``"cut_off"``, pruned trials are failures that would have cost more; or ``"value"``, their last
    intermediate value is their objective.

    ``others``: ``"prior"``, trials that no CarboSampler began are learned from but not paid for; or ``"charged"``.

    ``unit`` and all further settings are those of :class:`carbo.Study`; those of its group ``cost`` are given as
    ``cost_settings={"features": […]}``.
    """

    def __init__(
        self,
        budget: float | str,
        *,
        cost: CostSource = None,
        unit: str | None = None,
        seed: int | None = None,
        stop: bool = True,
        search_space: Mapping[str, BaseDistribution] | None = None,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
        pruned: str = "cut_off",
        others: str = "prior",
        cost_settings: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        for name, reason in _NOT_HERE.items():
            if name in settings:
                raise InvalidOptions(f"{name} is no setting of a CarboSampler: {reason}")
        for name, value, known in (
            ("pruned", pruned, ("cut_off", "value")),
            ("others", others, ("prior", "charged")),
        ):
            if value not in known:
                raise InvalidOptions(f"{name} is {value!r}; give {known[0]!r} or {known[1]!r}")
        if not (cost is None or isinstance(cost, str) or callable(cost)):
            raise InvalidOptions(
                f"cost is {cost!r}; give the name of a user attribute, a callable of a trial, or nothing for a clock "
                "(settings of cost models are cost_settings={...})"
            )
        self._seed = secrets.randbits(31) if seed is None else int(seed)
        self._stop = bool(stop)
        self._independent_sampler = independent_sampler
        self._warn_independent = bool(warn_independent_sampling)
        self._ended, self._callback_called = 0, False
        fixed = {"accounting": "sum", "execution": "asynchronous", "failures": {"max_consecutive": 2**31}}
        given = {**settings, **fixed, "seed": self._seed, "unit": unit, "cost": cost_settings}
        self.unit, self.budget = _checked(given, budget, search_space)
        seconds = _carbo.seconds_per_unit(self.unit)
        if cost is None and not seconds > 0:
            raise InvalidOptions(
                f"costs are in {self.unit!r}, which no clock measures; give cost=, the name of a user attribute or a "
                "callable of a trial"
            )
        self._costs = Costs(cost, seconds if seconds > 0 else 1.0)
        outcome = functools.partial(outcome_of, costs=self._costs, pruned=pruned, others=others)
        self._chooser = Chooser(given, self.budget, outcome, search_space)

    # What users ask for.

    def spent(self, study: optuna.Study) -> float:
        """What the study's trials cost so far, as far as they are charged."""
        return self._chooser.spent(all_trials(study))

    def done(self, study: optuna.Study) -> bool:
        """Whether the budget is spent: for loops that ask and tell."""
        return self.spent(study) >= self.budget

    def stop_when_spent(self, study: optuna.Study, trial: FrozenTrial) -> None:
        """A callback that stops the study once the budget is spent."""
        self._callback_called = True
        if self.done(study):
            study.stop()

    def carbo_study(self, study: optuna.Study) -> Study:
        """A study of Carbo's in memory that was told all trials: for predictions, shares and recommendations."""
        with self._chooser.turn():
            space = self._chooser.space_of(study)
            if not space:
                raise InvalidSpace("no trial is complete yet, so the space is not known; give search_space=")
            return self._chooser.told_anew(study, space).study

    # What Optuna calls.

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        with self._chooser.turn(), self._not_charged(trial):
            return self._chooser.space_of(study)

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        with self._not_charged(trial) as sampled, self._chooser.turn():
            point = self._chooser.choose(study, trial, search_space, sampled)
            if point is None:
                self._chooser.say(
                    "exhausted", "every point of the space was tried; this trial is drawn without regard to that"
                )
                self._end(study)
            elif self._chooser.beyond_budget:
                self._end_late(study)
            return point or {}

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        with self._not_charged(trial):
            if self._warn_independent and self._chooser.leaves_out(param_name, param_distribution):
                self._chooser.say(
                    f"independent {param_name}",
                    f"parameter '{param_name}' is drawn independently: not all completed trials have it with these "
                    "bounds (warn_independent_sampling=False silences this)",
                )
            sampler = self._independent_sampler
            if sampler is None:
                # By the trial, so that processes with one seed draw different points.
                words = f"{self._seed} {trial.number} {param_name}"
                sampler = RandomSampler(seed=zlib.crc32(words.encode()))
            return sampler.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        if len(study.directions) > 1:
            raise InvalidOptions(
                f"the study has {len(study.directions)} objectives; a CarboSampler optimizes one (give one direction)"
            )
        study._storage.set_trial_system_attr(trial._trial_id, BEGAN, time.time())
        if self._independent_sampler is not None:
            self._independent_sampler.before_trial(study, trial)
        self._costs.begin(trial)

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        ended = copy.copy(trial)
        ended.state = state
        ended.values = None if values is None else list(values)
        if self._costs.measured:
            cost = self._costs.end(trial)
            study._storage.set_trial_system_attr(trial._trial_id, COST, cost)
            ended.system_attrs = {**trial.system_attrs, COST: cost}
        if self._independent_sampler is not None:
            self._independent_sampler.after_trial(study, trial, state, values)
        self._ended += 1
        others = [each for each in all_trials(study) if each.number != trial.number]
        if self._stop and self._chooser.spent([*others, ended]) >= self.budget:
            self._end(study)
        self._costs.check(ended)

    def reseed_rng(self) -> None:
        """Reseeds ``independent_sampler``. The engine keeps its seed: it knows what runs, and does not suggest that."""
        if self._independent_sampler is not None:
            self._independent_sampler.reseed_rng()

    def _end(self, study: optuna.Study) -> bool:
        """Whether the study's loop could be told to end: there is none where users ask and tell."""
        try:
            study.stop()
        except RuntimeError:
            return False
        return True

    def _end_late(self, study: optuna.Study) -> None:
        """Of a trial that began when the budget was spent already."""
        if self._stop and self._end(study):
            return
        if self._stop:
            self._chooser.say("spent", f"{self._words()}, and trials go on; end the loop when sampler.done(study)")
        elif self._ended > 0 and not self._callback_called:
            self._chooser.say(
                "spent", f"{self._words()}, and nothing stops the study; give optimize(callbacks=[sampler.stop_when_spent])"
            )

    def _words(self) -> str:
        return f"the budget of {self.budget:g} {self.unit} is spent"

    @contextmanager
    def _not_charged(self, trial: FrozenTrial) -> Iterator[Callable[[], float]]:
        """Takes what is done inside out of what a trial costs; gives a function for seconds so far."""
        begin = time.perf_counter()
        try:
            yield lambda: self._costs.sampled(trial, 0.0) + time.perf_counter() - begin
        finally:
            self._costs.sampled(trial, time.perf_counter() - begin)


def _checked(
    given: Mapping[str, Any], budget: float | str, search_space: Mapping[str, BaseDistribution] | None
) -> tuple[str, float]:
    """Unit and number of a budget; raises where a setting is wrong, but for those that need a space that is not known."""
    settings = {**given, "budget": budget}
    if search_space is not None:
        space = Space.from_optuna(varying(search_space))
    else:
        space = Space(x=real(0, 1))
        settings.pop("initial_design", None)
        needs_space = {"cost": ("features", "known", "known_part"), "design": ("points",), "candidates": ("pool",)}
        for group, parts in needs_space.items():
            if isinstance(settings.get(group), Mapping):
                settings[group] = {key: value for key, value in settings[group].items() if key not in parts}
    tree = native_options(space, settings).tree()
    if tree.get("max_evaluations") is not None:
        raise InvalidOptions(f"budget is {budget!r}; give what trials may cost, and optimize(n_trials=...)")
    Study(space, **settings)
    return str(tree["cost"]["unit"]), float(tree["budget"])
