"""What Optuna's trials say: where they run, what they cost, and what became of them."""
from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Union

from optuna.distributions import BaseDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from ._errors import InvalidConfiguration, InvalidObservation
from ._space import Params, Space

#: System attributes of a trial. A value has at most 2,045 characters as JSON.
BEGAN = "carbo:began"  # time since the epoch, in seconds, at which a CarboSampler's trial began
COST = "carbo:cost"  # what the sampler's clock measured, in the unit of the budget
POINT = "carbo:point"  # ":attempt:part", {"of": parameters in all, "at": numbers by name, as Optuna stores them}
SETTLED = "carbo:settled"  # {"attempt": the point that holds, "sampled": seconds that were the sampler's}
_LONGEST = 2045

#: Where the cost of a trial is: a user attribute, a function of the trial, or the sampler's own clock.
CostSource = Union[None, str, Callable[[FrozenTrial], Any]]


@dataclass(frozen=True)
class Outcome:
    """What became of a finished trial, as the engine is told it."""

    state: str  #: "succeeded", "failed" or "timed_out"
    objective: float | None
    cost: float | None  #: None where it is not known
    reason: str
    charged: bool  #: counts against the budget


class Costs:
    """Costs of finished trials, in the unit of the budget."""

    def __init__(self, source: CostSource, seconds_per_unit: float) -> None:
        self.source = source
        self._seconds_per_unit = seconds_per_unit
        self._running: dict[int, list[float]] = {}  # by trial id: when it began, and seconds that were the sampler's

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_running": {}}

    @property
    def measured(self) -> bool:
        return self.source is None

    def begin(self, trial: FrozenTrial) -> None:
        if self.measured:
            self._running[trial._trial_id] = [time.perf_counter(), 0.0]

    def sampled(self, trial: FrozenTrial, seconds: float) -> float:
        """Takes time of the sampler's out of what a trial costs; returns all of it."""
        if not self.measured:
            return 0.0
        clock = self._running.setdefault(trial._trial_id, [math.nan, 0.0])
        clock[1] += seconds
        return clock[1]

    def end(self, trial: FrozenTrial) -> float | None:
        """What the clock measured since a trial began, here or in another process; None where nobody began it."""
        began, sampled = self._running.pop(trial._trial_id, (math.nan, 0.0))
        seconds = time.perf_counter() - began - sampled
        if math.isnan(seconds):
            attributes = trial.system_attrs
            if BEGAN not in attributes:
                return None
            elsewhere = float(attributes.get(SETTLED, {}).get("sampled", 0.0))
            seconds = time.time() - float(attributes[BEGAN]) - elsewhere - sampled
        return max(seconds, 1e-6) / self._seconds_per_unit

    def of(self, trial: FrozenTrial) -> float | None:
        """None where it is not known, or no cost."""
        value = self._value(trial)
        try:
            cost = float(value)
        except (TypeError, ValueError):
            return None
        lowest = math.ulp(0.0) if trial.state == TrialState.COMPLETE else 0.0
        return cost if math.isfinite(cost) and cost >= lowest else None

    def check(self, trial: FrozenTrial) -> None:
        """Raises where a trial that succeeded has no cost."""
        if trial.state != TrialState.COMPLETE or self.of(trial) is not None:
            return
        value = self._value(trial)
        if isinstance(self.source, str) and value is None:
            raise InvalidObservation(
                f"trial {trial.number} has no user attribute '{self.source}'; set it to what the trial cost, "
                f"trial.set_user_attr('{self.source}', ...)"
            )
        what = f"user attribute '{self.source}'" if isinstance(self.source, str) else "cost"
        raise InvalidObservation(
            f"trial {trial.number}: the {what} is {value!r}; give a finite number above 0, in units of the budget"
        )

    def _value(self, trial: FrozenTrial) -> Any:
        if self.source is None:
            return trial.system_attrs.get(COST)
        if isinstance(self.source, str):
            return trial.user_attrs.get(self.source)
        return self.source(trial)


def outcome_of(trial: FrozenTrial, costs: Costs, *, pruned: str, others: str) -> Outcome:
    """Of a finished trial."""
    cost = costs.of(trial)
    charged = others == "charged" or BEGAN in trial.system_attrs
    objective = trial.values[0] if trial.values else None
    if trial.state == TrialState.PRUNED and not (pruned == "value" and _finite(objective)):
        state = "timed_out" if cost else "failed"  # a cost of 0 bounds nothing
        return Outcome(state, None, cost, "pruned", charged)
    if trial.state == TrialState.FAIL:
        return Outcome("failed", None, cost, "failed", charged)
    if not _finite(objective):
        return Outcome("failed", None, cost, f"the objective is {objective}", charged)
    violated = [name for name, value in trial.constraints.items() if value > 0]
    if violated:
        return Outcome("failed", None, cost, "violates " + ", ".join(violated), charged)
    return Outcome("succeeded", objective, cost, "", charged)


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


# Points of trials that run: all parameters at once, where trials have them one by one.


def publish(study: Study, trial: FrozenTrial, attempt: int, numbers: Mapping[str, float]) -> None:
    """Says where a trial runs, before it has its parameters. Later attempts take the place of earlier ones."""
    parts: list[dict[str, float]] = [{}]
    for name, number in numbers.items():
        wider = {**parts[-1], name: number}
        if parts[-1] and len(json.dumps({"of": len(numbers), "at": wider})) > _LONGEST:
            parts.append({name: number})
        else:
            parts[-1] = wider
    for position, part in enumerate(parts):
        study._storage.set_trial_system_attr(
            trial._trial_id, f"{POINT}:{attempt}:{position}", {"of": len(numbers), "at": part}
        )


def settle(study: Study, trial: FrozenTrial, attempt: int, sampled: float) -> None:
    """Says that the point of an attempt holds."""
    study._storage.set_trial_system_attr(trial._trial_id, SETTLED, {"attempt": attempt, "sampled": sampled})


def published(trial: FrozenTrial) -> dict[str, float] | None:
    """Numbers by name of the last attempt that is there whole."""
    attempts: dict[int, dict[str, float]] = {}
    whole: dict[str, float] | None = None
    latest = -1
    for key, value in trial.system_attrs.items():
        if not key.startswith(POINT + ":"):
            continue
        attempt = int(key.split(":")[2])
        numbers = attempts.setdefault(attempt, {})
        numbers.update(value["at"])
        if len(numbers) == value["of"] and attempt > latest:
            whole, latest = numbers, attempt
    return whole


def known_params(trial: FrozenTrial, distributions: Mapping[str, BaseDistribution]) -> Params | None:
    """The values that a trial has, or will have, for all of these; None where some are not known yet."""
    values: Params = dict(trial.params)
    if not trial.state.is_finished():
        values = {**trial.system_attrs.get("fixed_params", {}), **values}
        numbers = published(trial) or {}
        if numbers.keys() >= distributions.keys():
            theirs = {name: distributions[name].to_external_repr(numbers[name]) for name in distributions}
            values = {**theirs, **values}
    return {name: values[name] for name in distributions} if values.keys() >= distributions.keys() else None


def place(values: Params, space: Space, distributions: Mapping[str, BaseDistribution]) -> Params | None:
    """The point of the space that has these values; None where they lie outside."""
    exact: Params = {}
    try:
        for name, distribution in distributions.items():
            value = values[name]
            choices = getattr(distribution, "choices", None)
            step = getattr(distribution, "step", None)
            if choices is not None:
                value = choices[int(distribution.to_internal_repr(value))]
            elif isinstance(step, float):
                low: float = distribution.low  # type: ignore[attr-defined]
                steps, listed = (float(value) - low) / step, space.parameters[name].values
                if abs(steps - round(steps)) < 1e-8 and 0 <= round(steps) < len(listed):  # as near as Optuna takes it
                    value = listed[round(steps)]
            exact[name] = value
        return space.check(exact)
    except (InvalidConfiguration, ValueError, TypeError):
        return None
