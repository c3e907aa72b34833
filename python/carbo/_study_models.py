"""What the models of a study know."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, List, overload

from . import _carbo
from ._records import (
    FittedModel,
    FittedModels,
    Importance,
    MemoryPlan,
    ParameterImportance,
    Prediction,
    RankedCandidate,
    Recommendation,
)
from ._space import Space
from ._study_input import count_of


class StudyModels:
    """The part of :class:`carbo.Study` that asks its models, and changes nothing."""

    _native: _carbo.Study
    _space: Space

    @overload
    def predict(self, points: Mapping[str, Any], *, coverage: float = ...) -> Prediction: ...

    @overload
    def predict(self, points: Iterable[Mapping[str, Any]], *, coverage: float = ...) -> List[Prediction]: ...

    def predict(
        self, points: Mapping[str, Any] | Iterable[Mapping[str, Any]], *, coverage: float = 0.95
    ) -> Prediction | List[Prediction]:
        """What both models expect of one point, or of each of several."""
        if isinstance(points, Mapping):
            return self.predict([points], coverage=coverage)[0]
        rows = [self._space._numbers(point) for point in points]
        return [Prediction._of(record) for record in self._native.predict(rows, coverage)]

    def recommend(self) -> Recommendation | None:
        """The observed point whose posterior mean is best; None before the first success."""
        record = self._native.recommend()
        if record is None:
            return None
        params = self._space._params(record["numbers"])
        return Recommendation(params, record["successes"], Prediction._of(record["prediction"]))

    def importance(
        self, model: str = "objective", *, points: int = 1024, sequences: int = 8
    ) -> Importance | None:
        """Shares of the variance of a model's mean ("objective" or "cost") that each parameter explains."""
        record = self._native.importance(model, points, sequences)
        if record is None:
            return None
        parameters = [ParameterImportance(**one) for one in record["parameters"]]
        return Importance(parameters, record["standard_deviation"])

    def hyperparameters(self) -> FittedModels:
        """Both models as they are fitted."""
        record = self._native.hyperparameters()
        objective, cost = record["objective"], record["cost"]
        return FittedModels(
            objective and FittedModel._of(objective), record["cost_model"], cost and FittedModel._of(cost)
        )

    def rank(self, count: int) -> List[RankedCandidate]:
        """The best candidates of the search, best first; nothing is suggested or counted."""
        return [
            RankedCandidate(self._space._params(one["numbers"]), one["pool_index"], one["log_score"])
            for one in self._native.rank(count_of(count, "count"))
        ]

    def memory_plan(self) -> MemoryPlan | None:
        """How the next search of a study in memory fits into memory."""
        record = self._native.memory_plan()
        return None if record is None else MemoryPlan(**record)
