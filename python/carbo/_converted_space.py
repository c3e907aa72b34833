"""Spaces that others describe: a space of Carbo's, and how its points become values of theirs and back."""
from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._errors import InvalidConfiguration, InvalidSpace
from ._space import Parameter, Params, Space, categorical, ordinal


@dataclass(frozen=True)
class Steps:
    """Multiples of a step: a parameter counts them."""

    step: float
    whole: bool = False  #: whether the values are whole numbers

    def value(self, count: int) -> float:
        value = count * self.step
        return int(value) if self.whole else float(value)

    def count(self, name: str, value: Any) -> int:
        count = round(float(value) / self.step)
        if not math.isclose(count * self.step, float(value), rel_tol=1e-9, abs_tol=1e-9 * abs(self.step)):
            raise InvalidConfiguration(f"'{name}' is {value!r}, which is no multiple of {self.step!r}")
        return count


@dataclass(frozen=True)
class ConvertedSpace:
    """``constants`` are not searched; ``objects`` are values that no space can hold, by their labels; parameters of
    ``steps`` count these."""

    space: Space
    constants: Params = field(default_factory=dict)
    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    steps: dict[str, Steps] = field(default_factory=dict)

    def values(self, params: Params) -> Params:
        """Theirs, constants included."""
        made = dict(params)
        for name, labels in self.objects.items():
            made[name] = labels[made[name]]
        for name, steps in self.steps.items():
            made[name] = steps.value(made[name])
        return {**made, **self.constants}

    def params(self, values: Mapping[str, Any]) -> Params:
        """The point of the space; values of constants and of what the space does not know are left out."""
        made = {name: values[name] for name in self.space.names if name in values}
        for name, labels in self.objects.items():
            if name in made:
                made[name] = _label(name, made[name], labels)
        for name, steps in self.steps.items():
            if name in made:
                made[name] = steps.count(name, made[name])
        return self.space.check(made)


def _label(name: str, value: Any, labels: Mapping[str, Any]) -> str:
    for label, known in labels.items():
        if _same(known, value):
            return label
    raise InvalidConfiguration(f"'{name}' is {value!r}, which is none of its values: {list(labels.values())!r}")


def _same(known: Any, value: Any) -> bool:
    if known is value:
        return True
    if isinstance(known, Mapping) and isinstance(value, Mapping):
        known, value = flat(known), flat(value)
        return known.keys() == value.keys() and all(_same(known[name], value[name]) for name in known)
    if type(known) is not type(value):
        return False
    if isinstance(known, (list, tuple)):
        return len(known) == len(value) and all(map(_same, known, value))
    if hasattr(known, "__array__"):
        import numpy

        return bool(numpy.array_equal(known, value))
    return bool(known == value)


def flat(values: Mapping[Any, Any], above: str = "") -> dict[str, Any]:
    """By paths, as ``optimizer/lr``; of a dict within a dict that is empty there is the dict itself."""
    made: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            made.update(flat(value, f"{above}{key}/"))
        else:
            made[f"{above}{key}"] = value
    return made


def converted(
    parameters: dict[str, Parameter],
    constants: Params,
    objects: dict[str, dict[str, Any]],
    steps: dict[str, Steps] | None = None,
) -> ConvertedSpace:
    if not parameters:
        raise InvalidSpace("the space has no parameter with more than one value, so there is nothing to search")
    return ConvertedSpace(Space(parameters), constants, objects, steps or {})


def choice(name: str, values: list[Any], objects: dict[str, dict[str, Any]]) -> Parameter:
    """One of two or more values. Numbers have an order; what a space cannot hold is looked up by a label."""
    if all(_is_number(value) for value in values) and len(set(values)) == len(values):
        return ordinal(sorted(values))
    if all(_is_plain(value) for value in values):
        return categorical(values)
    objects[name] = {f"{position}: {type(value).__name__}": value for position, value in enumerate(values)}
    return categorical(list(objects[name]))


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_plain(each) for each in value)
    return value is None or isinstance(value, (bool, str, numbers.Real))
