"""What an evaluation that ended means for its study."""
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _carbo
from ._records import Suggestion
from ._workers import Outcome

_MOST_NOT_BEGUN = 20  # times that a point is lost before it begins, or `most_losses` if more


@dataclass
class Running:
    suggestion: Suggestion
    limit: float  # cost at which it is cut off
    times_lost: int = 0
    times_not_begun: int = 0

    def is_made_again(self, outcome: Outcome, most_losses: int) -> bool:
        """Of what was lost; a loss before it had begun is not the point's, as far as that can be believed."""
        self.times_lost += outcome.begun
        self.times_not_begun += not outcome.begun
        return self.times_lost < most_losses and self.times_not_begun < max(_MOST_NOT_BEGUN, most_losses)


@dataclass
class Told:
    running: Running
    outcome: Outcome
    reason: str  # why it failed
    mistake: bool  # and no other point mends it
    record: tuple[Any, ...]  # as the study takes it

    @property
    def id(self) -> int:
        return self.running.suggestion.id


class Judge:
    """Tells successes from failures, and says what either cost."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.unit = str(options["cost"]["unit"])
        self.seconds_per_unit = _carbo.seconds_per_unit(self.unit)  #: 0 where the unit is no time
        self._log_transform = options["transform"] == "log"

    def judged(self, running: Running, outcome: Outcome) -> Told:
        id, evaluation = running.suggestion.id, outcome.evaluation
        reason, mistake = outcome.reason, outcome.mistaken
        cost = None if evaluation is None else evaluation.cost
        if evaluation is not None and cost is None:
            if self.seconds_per_unit > 0:
                cost = max(outcome.seconds, 1e-9) / self.seconds_per_unit
            else:
                reason = (
                    f"the objective returned no cost, and the unit of the budget is {self.unit!r}, which is no time "
                    "that could be measured; return carbo.Evaluation(objective, cost=...)"
                )
                mistake = True
        if evaluation is not None and not reason:
            reason, mistake = self._fault(evaluation.objective, cost)
        started, ended = (outcome.started, outcome.started + outcome.seconds) if outcome.started else (None, None)
        metrics = None if evaluation is None else evaluation.metrics
        objective, cut_off = None if evaluation is None or reason else evaluation.objective, False
        if reason:
            cost, known = self._failure_cost(outcome, cost, running.suggestion)
            cut_off = cost > 0 and (outcome.timed_out or (known and cost >= running.limit))
        record = (id, objective, cost, reason, cut_off, metrics, started, ended)
        return Told(running, outcome, reason, mistake, record)

    def _fault(self, objective: float, cost: float | None) -> tuple[str, bool]:
        if not math.isfinite(objective):
            return f"the objective returned {objective}", False
        if cost is None or not (math.isfinite(cost) and cost > 0):
            return f"the objective returned {objective} with a cost of {cost}; a cost is finite and above 0", False
        if self._log_transform and objective <= 0:
            return f"the objective returned {objective}, which has no logarithm; use another transform", True
        return "", False

    def _failure_cost(self, outcome: Outcome, cost: float | None, suggestion: Suggestion) -> tuple[float, bool]:
        """What a failure cost, and whether that is known rather than predicted."""
        for known in (outcome.failure_cost, cost):
            if known is not None and math.isfinite(known) and known > 0:
                return known, True
        if self.seconds_per_unit > 0:
            return outcome.seconds / self.seconds_per_unit, True
        return suggestion.receipt.predicted_cost or 0.0, False
