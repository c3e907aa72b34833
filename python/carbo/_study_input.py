"""What callers give a study, checked and as the engine takes it."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Union

from . import _carbo
from ._errors import InvalidObservation, InvalidOptions, UnknownSuggestion
from ._options import native_options
from ._records import Suggestion
from ._space import Parameter, Space

#: How a pending point is named: by its suggestion, or by its id.
Pending = Union[int, Suggestion]

_VALUES = "python.values"  # attribute of a study on a file: values of categories that are no texts


def keep_values(study: _carbo.Study, space: Space) -> None:
    """Of categories that are no texts, with a study that is on a file for the first time."""
    values = {
        name: list(p.values)
        for name, p in space.parameters.items()
        if any(not isinstance(value, str) or not value for value in p.values)
    }
    if values and study.attribute(_VALUES) is None:
        study.set_attribute(_VALUES, json.dumps(values))


def stored_space(study: _carbo.Study) -> Space:
    """Of a study on a file, with the values of categories as they were given."""
    space = Space._of_native(study.space())
    kept = json.loads(study.attribute(_VALUES) or "{}")
    parameters = {}
    for name, parameter in space.parameters.items():
        values = tuple(_tuples(value) for value in kept.get(name, ()))
        again = Parameter(parameter.kind, values=values)
        same = parameter.kind == "discrete" or again.labels == parameter.labels
        parameters[name] = again if values and same else parameter
    return Space(parameters)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value


def code_of(space: Space | None, options: Mapping[str, Any]) -> _carbo.GivenCode:
    if space is None:
        if options:
            raise InvalidOptions(f"{next(iter(options))} is given without the space that it belongs to; give space=")
        return _carbo.GivenCode()
    settings = dict(options)
    settings.setdefault("budget", 1.0)  # not looked at: the state has its own
    return _carbo.code_of(space._native, native_options(space, settings), "backend" in options)


def pending_id(point: Any) -> int:
    value = point.id if isinstance(point, Suggestion) else point
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 0:
        raise UnknownSuggestion(f"{point!r} is no suggestion; give one, or its id")
    return int(value.__index__())


def number_of(value: Any, what: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidObservation(f"the {what} is {value!r}; give a number") from None


def count_of(value: Any, what: str) -> Any:
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < 0:
        raise InvalidOptions(f"{what} is {value!r}; give a whole number from 0 on")
    return value.__index__()


def metrics_of(metrics: Mapping[str, float] | None) -> dict[str, float]:
    return {str(name): number_of(value, name) for name, value in (metrics or {}).items()}
