"""What a study returns: plain, typed, and good for pickling."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._errors import InvalidObservation
from ._space import Params, Space


@dataclass(frozen=True)
class Evaluation:
    """What an objective function returned: the objective, and what it cost in the unit of the budget.

    Without a cost it is the time that the evaluation took, where the unit is time. ``metrics`` are further numbers,
    kept with the trial of a study on a file.
    """

    objective: float
    cost: float | None = None
    metrics: dict[str, float] | None = None

    def __post_init__(self) -> None:
        for name, value in (("objective", self.objective), ("cost", self.cost)):
            if value is None and name == "cost":
                continue
            try:
                object.__setattr__(self, name, float(value))  # type: ignore[arg-type]
            except (TypeError, ValueError):
                raise InvalidObservation(f"the {name} of an evaluation is {value!r}; give a number") from None


@dataclass(frozen=True)
class Calibration:
    """Leave-one-out check of a model, in standardised units."""

    log_density: float
    coverage: float
    squared_residual: float


@dataclass(frozen=True)
class PointsLearned:
    """Distinct points that a model uses, and that there are."""

    used: int
    known: int


@dataclass(frozen=True)
class StageSeconds:
    """What the stages of an ``ask`` took."""

    candidates: float = 0.0
    fit: float = 0.0
    sweep: float = 0.0
    pick: float = 0.0


@dataclass(frozen=True)
class Receipt:
    """Why a suggestion was made. What does not apply is None."""

    phase: str  #: "warm start", "design" or "search"
    enqueued: bool = False
    backend: str = ""
    backend_reason: str = ""
    alpha: float | None = None  #: cost exponent of the score
    acquisition_parameter: float | None = None
    spent: float = 0.0
    committed: float = 0.0
    progress: float = 0.0
    predicted_cost: float | None = None
    predicted_log_cost_sd: float | None = None
    predicted_objective: float | None = None
    predicted_objective_sd: float | None = None
    predicted_objective_lower: float | None = None  #: ends of the interval in which a result was expected with 95 %
    predicted_objective_upper: float | None = None
    log_score: float | None = None
    runner_up_log_score: float | None = None
    break_even_price: float | None = None
    would_stop: bool | None = None
    round_length: float | None = None
    fill: float | None = None
    design_gain: float | None = None
    design_end: str | None = None
    objective_jitter: float = 0.0
    cost_jitter: float = 0.0
    objective_calibration: Calibration | None = None
    cost_calibration: Calibration | None = None
    objective_points: PointsLearned = PointsLearned(0, 0)
    cost_points: PointsLearned = PointsLearned(0, 0)
    transform: str | None = None
    transform_scores: dict[str, float] = field(default_factory=dict)
    cost_model: str | None = None
    cost_model_scores: dict[str, float] = field(default_factory=dict)
    candidates: int = 0
    finished_share: float | None = None
    refreshed_share: float | None = None
    low_precision_share: float | None = None
    seconds: StageSeconds = StageSeconds()

    @classmethod
    def _of(cls, record: dict[str, Any]) -> Receipt:
        made = dict(record)
        for name in ("objective_calibration", "cost_calibration"):
            if made.get(name) is not None:
                made[name] = Calibration(**made[name])
        for name in ("objective_points", "cost_points"):
            if name in made:
                made[name] = PointsLearned(**made[name])
        if "seconds" in made:
            made["seconds"] = StageSeconds(**made["seconds"])
        made["transform_scores"] = {one["transform"]: one["log_score"] for one in made.get("transform_scores", ())}
        made["cost_model_scores"] = {one["model"]: one["log_density"] for one in made.get("cost_model_scores", ())}
        return cls(**made)


@dataclass(frozen=True)
class Suggestion:
    """A point to evaluate."""

    id: int
    params: Params
    receipt: Receipt
    pool_index: int | None = None  #: row of the pool
    timeout: float | None = None  #: cost at which to cut it off, and to say so by ``fail(…, timed_out=True)``
    slot: int = 0  #: the worker that it is for
    order: int = 0  #: how many of the same ``ask`` that worker runs before it

    @classmethod
    def _of(cls, record: dict[str, Any], space: Space) -> Suggestion:
        made = dict(record)
        params = space._params(made.pop("numbers"))
        return cls(params=params, receipt=Receipt._of(made.pop("receipt")), **made)


@dataclass(frozen=True)
class Trial:
    """A point from when it was suggested, adopted or told."""

    number: int
    id: int | None
    state: str  #: "waiting", "running", "succeeded", "failed", "timed_out" or "withdrawn"
    origin: str  #: "this_run" or "prior"
    params: Params
    objective: float | None
    cost: float | None
    reason: str = ""  #: of a failure
    owner: str = ""
    worker: str = ""
    started: float | None = None  #: seconds since 1970, of a study on a file
    ended: float | None = None
    lease_end: float | None = None
    lost: bool = False
    handed_out: int = 0
    batch: int | None = None
    slot: int | None = None
    phase: str | None = None
    sequence: int | None = None  #: of its result: ascending in the order in which results were told
    metrics: dict[str, float] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        """Whether it has a result, failures included."""
        return self.state in ("succeeded", "failed", "timed_out")

    @classmethod
    def _of(cls, record: dict[str, Any], space: Space) -> Trial:
        made = dict(record)
        return cls(params=space._params(made.pop("numbers")), **made)


@dataclass(frozen=True)
class ObjectivePrediction:
    """Posterior of the objective without its noise, in the caller's units."""

    median: float
    lower: float
    upper: float
    standard_deviation: float | None
    standardised_mean: float
    standardised_deviation: float


@dataclass(frozen=True)
class CostPrediction:
    """Posterior of a cost: normal in its logarithm."""

    median: float
    log_standard_deviation: float


@dataclass(frozen=True)
class Prediction:
    """What both models expect of one point; None before they have learned something."""

    objective: ObjectivePrediction | None
    cost: CostPrediction | None

    @classmethod
    def _of(cls, record: dict[str, Any]) -> Prediction:
        objective, cost = record["objective"], record["cost"]
        return cls(
            objective and ObjectivePrediction(**objective),
            cost and CostPrediction(**cost),
        )


@dataclass(frozen=True)
class Recommendation:
    """The observed point that the objective's model thinks best."""

    params: Params
    successes: int
    prediction: Prediction


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate and its score under the acquisition of the moment."""

    params: Params
    pool_index: int | None
    log_score: float


@dataclass(frozen=True)
class ParameterImportance:
    """Shares of the variance over the space that one parameter explains: alone, and with all its interactions."""

    name: str
    first_order: float
    total: float
    first_order_spread: float
    total_spread: float


@dataclass(frozen=True)
class Importance:
    """What each parameter explains of a model's mean, in the order of the space; and that mean's deviation."""

    parameters: list[ParameterImportance]
    standard_deviation: float


@dataclass(frozen=True)
class Hyperparameters:
    """Of one Gaussian process, in units of the encoded cube and of standardised targets."""

    lengthscales: list[float]
    signal_variance: float
    noise_variance: float
    mean: float | None = None


@dataclass(frozen=True)
class FittedModel:
    """One Gaussian process as it was fitted."""

    hyperparameters: Hyperparameters
    shift: float
    scale: float
    jitter: float
    points: PointsLearned

    @classmethod
    def _of(cls, record: dict[str, Any]) -> FittedModel:
        made = dict(record)
        made["hyperparameters"] = Hyperparameters(**made["hyperparameters"])
        made["points"] = PointsLearned(**made["points"])
        return cls(**made)


@dataclass(frozen=True)
class FittedModels:
    """Both models; None where one has not learned anything yet."""

    objective: FittedModel | None
    cost_model: str | None
    cost: FittedModel | None


@dataclass(frozen=True)
class StudySummary:
    """One study of a file."""

    name: str
    created: float
    changed: float
    budget: float
    spent: float
    cost_unit: str
    goal: str
    stop_reason: str
    phase: str
    succeeded: int
    failed: int
    timed_out: int
    running: int
    waiting: int
    withdrawn: int
    prior: int
    enqueued: int
    best_objective: float | None

    @classmethod
    def _of(cls, record: dict[str, Any]) -> StudySummary:
        made = dict(record)
        best = made.pop("best")
        return cls(best_objective=best and best["objective"], **made)


@dataclass(frozen=True)
class MemoryPlan:
    """How the next search fits into memory."""

    streamed: bool
    on_device: bool
    candidates: int
    points: int
    model_points: int
    threads: int
    tile: int
    sample: int
    total_bytes: int
    description: str
