"""Spaces as scikit-learn's users write them: dicts of lists, of distributions of SciPy's, or of Carbo's parameters."""
from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._errors import InvalidSpace
from ._space import Parameter, Params, Space, categorical, integer, ordinal, real


@dataclass(frozen=True)
class SearchSpace:
    """A space, and how its points become parameters of an estimator."""

    space: Space
    constants: Params = field(default_factory=dict)
    objects: dict[str, dict[str, Any]] = field(default_factory=dict)  #: values that no space can hold, by their labels

    def parameters(self, params: Params) -> Params:
        """What an estimator is given for a point."""
        looked_up = {
            name: self.objects[name][value] if name in self.objects else value for name, value in params.items()
        }
        return {**looked_up, **self.constants}


def search_space(given: Space | Mapping[str, Any]) -> SearchSpace:
    """Raises :class:`InvalidSpace` where something cannot be converted exactly."""
    if isinstance(given, Space):
        return SearchSpace(given)
    if not isinstance(given, Mapping):
        raise InvalidSpace(
            f"the space is {given!r}; give a carbo.Space or one dict (of several dicts make several searches)"
        )
    parameters: dict[str, Parameter] = {}
    constants: Params = {}
    objects: dict[str, dict[str, Any]] = {}
    for name, value in given.items():
        if isinstance(value, Parameter):
            parameters[name] = value
        elif hasattr(value, "rvs"):
            parameters[name] = _distribution(name, value)
        else:
            values = _values(name, value)
            if len(values) == 1:
                constants[name] = values[0]
            else:
                parameters[name] = _choice(name, values, objects)
    if not parameters:
        raise InvalidSpace("the space has no parameter with more than one value, so there is nothing to search")
    return SearchSpace(Space(parameters), constants, objects)


def _distribution(name: str, frozen: Any) -> Parameter:
    kind = getattr(getattr(frozen, "dist", None), "name", type(frozen).__name__)
    if kind not in ("uniform", "loguniform", "reciprocal", "randint"):
        raise InvalidSpace(
            f"'{name}' is a {kind} distribution, which no parameter is exactly; uniform, loguniform and randint can be "
            "converted, and carbo.real, carbo.integer or a list of values takes the place of others"
        )
    lower, upper = (float(bound) for bound in frozen.support())
    if kind == "randint":
        return integer(int(lower), int(upper))
    if kind == "uniform":
        return real(lower, upper)
    location = frozen.kwds.get("loc", frozen.args[2] if len(frozen.args) > 2 else 0)
    if location != 0:
        raise InvalidSpace(f"'{name}' is a loguniform distribution with loc={location}; only loc=0 can be converted")
    return real(lower, upper, log=True)


def _values(name: str, value: Any) -> list[Any]:
    if isinstance(value, (str, bytes)) or not (isinstance(value, Sequence) or hasattr(value, "__array__")):
        raise InvalidSpace(
            f"'{name}' is {value!r}; give a parameter of Carbo's, a list of values, or a distribution of SciPy's"
        )
    values = list(value)
    if not values:
        raise InvalidSpace(f"'{name}' has no values; give a list of them")
    return values


def _choice(name: str, values: list[Any], objects: dict[str, dict[str, Any]]) -> Parameter:
    """Numbers have an order. What a space cannot hold is looked up by a label."""
    if all(_is_number(value) for value in values) and len(set(values)) == len(values):
        return ordinal(sorted(values))
    if all(_is_plain(value) for value in values):
        return categorical(values)
    labels = {f"{position}: {type(value).__name__}": value for position, value in enumerate(values)}
    objects[name] = labels
    return categorical(list(labels))


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_is_plain(each) for each in value)
    return value is None or isinstance(value, (bool, str, numbers.Real))
