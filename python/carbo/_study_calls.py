"""Ask and tell: what is done with the points of a study."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, List

from . import _carbo
from ._errors import InvalidObservation
from ._records import Evaluation, Suggestion
from ._space import Params, Space
from ._study_input import Pending, count_of, metrics_of, number_of, pending_id


class StudyCalls:
    """The part of :class:`carbo.Study` that suggests points and hears of them."""

    _native: _carbo.Study
    _space: Space

    def ask(self, count: int | None = None) -> List[Suggestion]:
        """Up to ``count`` points to evaluate at once (``batch_size`` where none is given); none once it is over."""
        return [Suggestion._of(record, self._space) for record in self._native.ask(count_of(count, "count"))]

    def tell(
        self,
        point: Pending | Mapping[str, Any],
        objective: float | Evaluation,
        cost: float | None = None,
        *,
        metrics: Mapping[str, float] | None = None,
        started: float | None = None,
        ended: float | None = None,
        origin: str = "prior",
        batch: int | None = None,
        slot: int | None = None,
        phase: str | None = None,
    ) -> None:
        """The result of a suggestion (or of its id); or, for a dict of parameters, of a point that was not suggested.

        The latter are prior data, not paid for by this study, unless ``origin="this_run"``; then ``batch``, ``slot``
        and ``phase`` say what ran at the same time. Prior data may lack a cost.
        """
        if isinstance(objective, Evaluation):
            if cost is not None and objective.cost is not None:
                raise InvalidObservation("the cost is given twice; give it once")
            cost = objective.cost if cost is None else cost
            metrics = objective.metrics if metrics is None else metrics
            objective = objective.objective
        objective = number_of(objective, "objective")
        if isinstance(point, Mapping):
            numbers = self._space._numbers(point)
            if cost is None and origin == "prior" and metrics is None:
                self._native.tell_prior(numbers, objective)
                return
            price = None if cost is None else number_of(cost, "cost")
            parts = {"objective": objective, "cost": price, "status": "succeeded", "reason": ""}
            parts.update(origin=origin, batch=batch, slot=slot, phase=phase)
            self._native.tell_point(numbers, parts, metrics_of(metrics), started, ended)
            return
        if cost is None:
            raise InvalidObservation("the cost of a suggestion is missing; give cost=, in the unit of the budget")
        cost = number_of(cost, "cost")
        if metrics is None and started is None and ended is None:
            self._native.tell(pending_id(point), objective, cost)
        else:
            self._native.tell_with_notes(pending_id(point), objective, cost, metrics_of(metrics), started, ended)

    def fail(
        self,
        point: Pending | Mapping[str, Any],
        cost: float,
        reason: str = "",
        *,
        timed_out: bool = False,
        metrics: Mapping[str, float] | None = None,
        started: float | None = None,
        ended: float | None = None,
        origin: str = "prior",
        batch: int | None = None,
        slot: int | None = None,
        phase: str | None = None,
    ) -> None:
        """An evaluation that failed after ``cost``; ``timed_out`` where its full cost is at least that."""
        cost = number_of(cost, "cost")
        if isinstance(point, Mapping):
            status = "timed_out" if timed_out else "failed"
            parts = {"objective": None, "cost": cost, "status": status, "reason": str(reason)}
            parts.update(origin=origin, batch=batch, slot=slot, phase=phase)
            self._native.tell_point(self._space._numbers(point), parts, metrics_of(metrics), started, ended)
            return
        self._native.fail(pending_id(point), cost, str(reason), bool(timed_out), metrics_of(metrics), started, ended)

    def _tell_all(self, records: Iterable[tuple[Any, ...]]) -> None:
        """Results of pending points, on a file in one transaction: id, objective (None of a failure), cost, reason,
        whether it was cut off, metrics, when it started and ended. On a file, those that others have told are passed
        over."""
        self._native.tell_all([(*record[:5], metrics_of(record[5]), *record[6:]) for record in records])

    def withdraw(self, point: Pending) -> None:
        """Takes back a suggestion that will never be evaluated; it costs nothing and may be suggested again."""
        self._native.withdraw(pending_id(point))

    def adopt(self, params: Mapping[str, Any]) -> int:
        """A point that somebody else runs already: pending from now on, under the id that is returned."""
        return self._native.adopt(self._space._numbers(params))

    def enqueue(self, params: Mapping[str, Any]) -> None:
        """A point that ``ask`` is to suggest before anything else."""
        self._native.enqueue(self._space._numbers(params))

    def dequeue(self, params: Mapping[str, Any]) -> bool:
        """Takes back the first that was enqueued with these values; false where none waits."""
        return self._native.dequeue(self._space._numbers(params))

    @property
    def enqueued(self) -> List[Params]:
        """What waits to be suggested, first come first."""
        return [self._space._params(numbers) for numbers in self._native.enqueued()]

    # Of a study on a file alone.

    def begin(self, point: Pending, worker: str = "") -> None:
        """Says that a pending point runs from now on, and on which worker; for the record."""
        self._native.begin(pending_id(point), worker)

    def _begin_all(self, points: Iterable[tuple[int, str]]) -> None:
        """The same of several with their workers, in one transaction; those that are told are passed over."""
        self._native.begin_all(list(points))

    def renew(self, points: Iterable[Pending]) -> None:
        """Lengthens the leases of pending points that this owner holds."""
        self._native.renew([pending_id(point) for point in points])

    def release(self, points: Iterable[Pending]) -> None:
        """Ends the leases of pending points: the next ``ask`` hands them out, or charges them."""
        self._native.release([pending_id(point) for point in points])

    def report(self, point: Pending, step: float, **values: float) -> None:
        """An intermediate value of a pending point; stored, and stops nothing."""
        self._native.report(pending_id(point), float(step), values)
