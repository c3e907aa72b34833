"""EI-cool over a pool of rows, in pieces for applications that run their own loop."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _carbo
from ._errors import InvalidArray, InvalidOptions
from ._options import native_options
from ._records import Hyperparameters, PointsLearned
from ._space import Space, real

_CUDA = (2, 13)  # kinds of memory that DLPack has for CUDA devices
_SETTINGS = ("goal", "seed", "transform", "incumbent", "surrogate", "cost", "fantasies", "backend")


@dataclass(frozen=True)
class SelectorFit:
    """What a fit found."""

    observations: int
    objective_points: PointsLearned
    cost_points: PointsLearned
    hyperparameters: Hyperparameters  #: of the standardised objective
    transform: str
    cost_model: str
    objective_jitter: float
    cost_jitter: float
    seconds: float


def _array(value: Any, dtype: str, what: str) -> Any:
    """As it is where it speaks DLPack and has such elements; otherwise copied by NumPy."""
    if value is None:
        return None
    import numpy

    wanted = ("float32", "float64") if dtype == "float64" else (dtype,)
    if hasattr(value, "__dlpack__") and str(getattr(value, "dtype", "")).removeprefix("torch.") in wanted:
        return value
    if hasattr(value, "__dlpack_device__") and _carbo.array_device(value)[0] in _CUDA:
        raise InvalidArray(f"{what} on a device has elements of {value.dtype}; give {' or '.join(wanted)}")
    try:
        array = numpy.asarray(value)
    except (TypeError, ValueError) as error:
        raise InvalidArray(f"{what} is no array: {error}") from None
    if array.dtype.kind not in ("iu" if dtype == "int64" else "iuf") and array.size > 0:
        raise InvalidArray(f"{what} has elements of {array.dtype}; give {' or '.join(wanted)}")
    return numpy.ascontiguousarray(array, dtype=dtype)


class Selector:
    """Suggests rows of a pool: no space, no budget, no names.

    >>> import numpy, carbo
    >>> pool = numpy.random.default_rng(0).random((1000, 3))
    >>> selector = carbo.Selector(pool)
    >>> selector.append(rows=[0, 1, 2, 3], objectives=[3.0, 1.0, 2.0, 5.0], costs=[1.0, 1.0, 2.0, 1.0])
    >>> rows = selector.suggest(4, alpha=0.5)
    >>> rows.shape, selector.running
    ((4,), 4)

    ``pool`` is a matrix whose values are in [0, 1], of NumPy, PyTorch, CuPy or JAX (float32 or float64, row- or
    column-major, gaps allowed): read where it is, by DLPack. In device memory it stays there, and must not change;
    ``stream`` is then the cudaStream_t (an integer, such as ``torch.cuda.current_stream().cuda_stream``) in whose
    order everything is done, the legacy default stream where none is given. ``costs`` are those of each row, where they
    are known. Settings are ``goal``, ``seed``, ``transform``, ``incumbent``, ``surrogate``, ``cost``, ``fantasies``
    and ``backend``, as of a :class:`carbo.Study`; formulas and callables of costs know the columns as x0, x1, ….
    """

    def __init__(
        self,
        pool: Any,
        costs: Any = None,
        *,
        allow_repeats: bool = False,
        stream: int | None = None,
        **settings: Any,
    ) -> None:
        for name in settings:
            if name not in _SETTINGS:
                raise InvalidOptions(f"a selector has no setting '{name}'; known are {', '.join(_SETTINGS)}")
        rows = _array(pool, "float64", "the pool")
        if len(getattr(rows, "shape", ())) != 2:
            raise InvalidArray(f"the pool has the shape {getattr(rows, 'shape', None)}; give rows and columns")
        columns = int(rows.shape[1])
        kind, number = _carbo.array_device(rows)
        if kind in _CUDA:
            settings["backend"] = {"kind": "cuda", "device": number, **settings.get("backend", {})}
            stream = 0 if stream is None else stream
        if not 1 <= columns <= 100:
            raise InvalidArray(f"the pool has {columns} columns; give 1 to 100")
        space = Space({f"x{i}": real(0, 1) for i in range(columns)})
        given = [*settings, *(f"cost.{name}" for name in settings.get("cost", {}))]
        options = native_options(space, {"budget": 1.0, **settings})
        self._columns = columns
        self._native = _carbo.Selector(columns, options, given, allow_repeats, stream)
        self._native.set_pool(rows, _array(costs, "float64", "the costs"))

    def set_pool(self, pool: Any, costs: Any = None) -> None:
        """Takes up other rows. Observations are kept; which rows were observed or running is forgotten."""
        self._native.set_pool(_array(pool, "float64", "the pool"), _array(costs, "float64", "the costs"))

    def append(self, *, objectives: Any, costs: Any = None, rows: Any = None, points: Any = None) -> None:
        """Adds observations, of rows of the pool or of points by their coordinates."""
        if (rows is None) == (points is None):
            raise InvalidOptions("give rows of the pool, or points by their coordinates")
        self._native.append(
            _array(points, "float64", "points"),
            _array(rows, "int64", "rows"),
            _array(objectives, "float64", "objectives"),
            _array(costs, "float64", "costs"),
        )

    def fit(self) -> SelectorFit:
        """Fits both models; the first suggestion does so by itself."""
        record = self._native.fit()
        for name in ("objective_points", "cost_points"):
            record[name] = PointsLearned(**record[name])
        record["hyperparameters"] = Hyperparameters(**record["hyperparameters"])
        return SelectorFit(**record)

    def suggest(
        self,
        count: int = 1,
        *,
        alpha: float = 1.0,
        cost_limit: float = float("inf"),
        acquisition: str = "ei_cool",
        acquisition_parameters: Mapping[str, float] | None = None,
        out: Any = None,
        scores: Any = None,
    ) -> Any:
        """The best rows, each with the ones before it fantasised; fewer where the cost limit leaves no more.

        ``alpha`` is the exponent of the cost: 1 is per cost, 0 blind to it (see :func:`carbo.cooling_exponent`).
        ``out`` (int64) and ``scores`` (float32 or float64), of ``count`` elements each and on either side, are written
        to where they are given. Returns an array of NumPy, or the first elements of ``out``.
        """
        request = _carbo.PickRequest(count, alpha, cost_limit, acquisition, dict(acquisition_parameters or {}))
        return self._pick(self._native.suggest, request, count, out, scores)

    def design(self, count: int = 1, *, cost_limit: float = float("inf"), out: Any = None) -> Any:
        """Rows of the cost-effective initial design: cheap, and far from what is known."""
        request = _carbo.PickRequest(count, 1.0, cost_limit, "ei_cool", {})
        return self._pick(self._native.design, request, count, out, None)

    @staticmethod
    def _pick(pick: Any, request: Any, count: int, out: Any, scores: Any) -> Any:
        if out is None:
            import numpy

            out = numpy.empty(count, dtype=numpy.int64)
        return out[: pick(request, out, scores)]

    def scores(
        self,
        *,
        alpha: float = 1.0,
        cost_limit: float = float("inf"),
        acquisition: str = "ei_cool",
        acquisition_parameters: Mapping[str, float] | None = None,
        out: Any = None,
    ) -> Any:
        """Log EI-cool of every row, −∞ where it may not be suggested: an array of NumPy, or on a device one that
        ``torch.from_dlpack`` and the like take; or ``out``, written to."""
        request = _carbo.PickRequest(1, alpha, cost_limit, acquisition, dict(acquisition_parameters or {}))
        if out is None:
            return self._native.scores(request)
        self._native.scores_into(request, out)
        return out

    def withdraw(self, rows: Any) -> None:
        """Running rows that will never be appended; they may be suggested again."""
        self._native.withdraw(_array(rows, "int64", "rows"))

    @property
    def pool_size(self) -> int:
        return self._native.pool_size()

    @property
    def available(self) -> int:
        """Rows that may be suggested."""
        return self._native.available()

    @property
    def running(self) -> int:
        """Rows that were suggested, and neither appended nor withdrawn."""
        return self._native.running()

    @property
    def observations(self) -> int:
        return self._native.observations()

    @property
    def on_device(self) -> bool:
        return self._native.on_device()

    @property
    def backend_reason(self) -> str:
        """Which backend runs, and why."""
        return self._native.backend_reason()


def cooling_exponent(budget: float, spent: float, spent_at_design_end: float) -> float:
    """The share of the search's budget that is left: alpha as CArBO cools it.

    >>> cooling_exponent(100, 40, 20)
    0.75
    """
    return _carbo.cooling_exponent(budget, spent, spent_at_design_end)
