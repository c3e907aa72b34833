"""Spaces as scikit-learn's users write them: dicts of lists, of distributions of SciPy's, or of Carbo's parameters."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._converted_space import ConvertedSpace, choice, converted
from ._errors import InvalidSpace
from ._space import Parameter, Params, Space, integer, real


def search_space(given: Space | Mapping[str, Any]) -> ConvertedSpace:
    """Raises :class:`InvalidSpace` where something cannot be converted exactly."""
    if isinstance(given, Space):
        return ConvertedSpace(given)
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
                parameters[name] = choice(name, values, objects)
    return converted(parameters, constants, objects)


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
