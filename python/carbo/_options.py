"""Settings: keyword arguments by the names that the engine has for them."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from . import _carbo
from ._errors import InvalidOptions
from ._space import Params, Space, of_numbers

#: A number that every point has: a constant, arithmetic over parameters as text ("units * epochs"), a callable of
#: the parameters, or one number a row of the pool.
Quantity = Union[float, str, Callable[[Params], float], Sequence[float]]

_ENDLESS = 1e12  # what no study spends, where only evaluations are counted


@dataclass(frozen=True)
class Feature:
    """One term of a linear cost model; made by :func:`work` and :func:`feature`."""

    value: Quantity
    name: str = ""
    work: bool = False


@dataclass(frozen=True)
class NetworkFeatures:
    """The flop counts of a network, several features at once; made by :func:`mlp_features` and
    :func:`cnn_features`."""

    kind: str
    shape: dict[str, Any]


def work(value: Quantity, name: str = "") -> Feature:
    """A feature that counts work: more of it never costs less, and its values are 0 or above."""
    return Feature(value, name, True)


def feature(value: Quantity, name: str = "") -> Feature:
    """A feature whose coefficient may have either sign."""
    return Feature(value, name)


def mlp_features(
    layers: Sequence[Quantity], *, epochs: Quantity = 1, batch_size: Quantity | None = None
) -> NetworkFeatures:
    """Flop counts of a multi-layer perceptron by the sizes of its layers, times epochs.

    >>> cost = {"features": [mlp_features(["inputs", "units", "units", 10], epochs="epochs")]}
    """
    return NetworkFeatures("mlp", {"layers": list(layers), "epochs": epochs, "batch_size": batch_size})


def cnn_features(
    *,
    image_size: Quantity,
    kernel_size: Quantity,
    channels: Sequence[Quantity],
    colours: Quantity = 1,
    pooling: Sequence[Quantity] = (),
    dense: Sequence[Quantity] = (),
    epochs: Quantity = 1,
    batch_size: Quantity | None = None,
) -> NetworkFeatures:
    """Flop counts of a convolutional network on square images, with dense layers after it, times epochs."""
    return NetworkFeatures(
        "cnn",
        {
            "image_size": image_size,
            "kernel_size": kernel_size,
            "channels": list(channels),
            "colours": colours,
            "pooling": list(pooling),
            "dense": list(dense),
            "epochs": epochs,
            "batch_size": batch_size,
        },
    )


class Pool:
    """Candidates of the caller's own: one point a row, one column a parameter in the order of the space (for
    categories, their positions); or a memory-mapped file of such rows (float64, no header)."""

    def __init__(self, space: Space, rows: Any) -> None:
        if isinstance(rows, Iterable) and not hasattr(rows, "__dlpack__") and not hasattr(rows, "__array__"):
            rows = [space._numbers(row) if isinstance(row, Mapping) else row for row in rows]
        import numpy

        array = numpy.ascontiguousarray(rows, dtype=numpy.float64)
        if array.ndim != 2:
            raise InvalidOptions(f"a pool has {array.ndim} dimensions; give rows and columns")
        self._native = _carbo.Pool(space._native, array)

    @classmethod
    def map(cls, space: Space, file: Any) -> Pool:
        """Rows that stay in a file, which must not change meanwhile."""
        made = cls.__new__(cls)
        made._native = _carbo.map_pool(space._native, str(file))
        return made

    def __len__(self) -> int:
        return len(self._native)

    def __getstate__(self) -> Any:
        raise TypeError("a pool does not pickle; make it again where it is needed")


def _native_quantity(space: Space, value: Any) -> Any:
    if callable(value):
        return of_numbers(space._parameters, value, float)
    return value


def _native_features(space: Space, features: Any) -> list[_carbo.CostFeature]:
    if isinstance(features, (str, Feature, NetworkFeatures)) or callable(features):
        raise InvalidOptions(f"cost.features is {features!r}; give a list of features")
    made: list[_carbo.CostFeature] = []
    for one in features:
        if isinstance(one, NetworkFeatures):
            shape = {
                key: [_native_quantity(space, v) for v in value]
                if isinstance(value, list)
                else _native_quantity(space, value)
                for key, value in one.shape.items()
            }
            made += (
                _carbo.mlp_features(shape)
                if one.kind == "mlp"
                else _carbo.cnn_features(shape)
            )
            continue
        if isinstance(one, _carbo.CostFeature):
            made.append(one)
            continue
        plain = one if isinstance(one, Feature) else Feature(one)
        name = plain.name or (plain.value if isinstance(plain.value, str) else "")
        place = f"cost.features[{len(made)}]"
        made.append(_carbo.CostFeature(name, _native_quantity(space, plain.value), plain.work, place))
    return made


def _settle_budget(settings: dict[str, Any]) -> None:
    """Turns budget="2h" into a number of the unit, and unit= into cost.unit."""
    cost = dict(settings.get("cost") or {})
    unit = settings.pop("unit", None)
    if unit is not None:
        if cost.get("unit", unit) != unit:
            raise InvalidOptions(f"unit is {unit!r}, but cost.unit is {cost['unit']!r}; give one of them")
        cost["unit"] = unit
    budget = settings.get("budget")
    if isinstance(budget, str):
        amount, written = _carbo.parse_amount(budget)
        if _carbo.counts_evaluations(written):
            if amount < 1 or amount != int(amount):
                raise InvalidOptions(f"budget is {budget!r}; give a whole number of evaluations from 1 on")
            if settings.get("max_evaluations") not in (None, int(amount)):
                raise InvalidOptions(f"budget is {budget!r}, but max_evaluations is {settings['max_evaluations']}")
            settings["max_evaluations"] = int(amount)
            amount = _ENDLESS
        elif _carbo.seconds_per_unit(written) > 0:
            of_unit = _carbo.seconds_per_unit(cost.get("unit", "s"))
            if of_unit == 0:
                raise InvalidOptions(f"budget is {budget!r}, but the unit of costs is {cost['unit']!r}")
            amount *= _carbo.seconds_per_unit(written) / of_unit
        elif written:
            if cost.setdefault("unit", written) != written:
                raise InvalidOptions(f"budget is {budget!r}, but the unit of costs is {cost['unit']!r}")
        settings["budget"] = amount
    elif budget is None and settings.get("max_evaluations") is not None:
        settings["budget"] = _ENDLESS
    if cost:
        settings["cost"] = cost


def native_options(space: Space, given: Mapping[str, Any]) -> _carbo.Options:
    """The engine's own; raises :class:`InvalidOptions` where a name is unknown, with the nearest there is."""
    settings = {key: value for key, value in given.items() if value is not None}
    for group in ("cost", "design", "candidates"):
        if group in settings:
            if not isinstance(settings[group], Mapping):
                raise InvalidOptions(f"{group} is {settings[group]!r}; give a dict of its settings")
            settings[group] = dict(settings[group])
    _settle_budget(settings)
    parts = _carbo.OptionParts()
    cost = settings.get("cost", {})
    if cost.get("features") is not None:
        parts.features = _native_features(space, cost["features"])
    cost.pop("features", None)
    for name, take in (("known", parts.set_known), ("known_part", parts.set_known_part)):
        value = cost.pop(name, None)
        if value is not None:
            take(_native_quantity(space, value))
    parts.points = [space._numbers(point) for point in settings.get("design", {}).pop("points", None) or ()]
    pool = settings.get("candidates", {}).pop("pool", None)
    if pool is not None:
        parts.set_pool((pool if isinstance(pool, Pool) else Pool(space, pool))._native)
    return _carbo.Options(space._native, settings, parts)
