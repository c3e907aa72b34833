"""Spaces of Ray Tune, converted exactly."""
from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ray.tune.search.sample import (
    Categorical,
    Domain,
    Float,
    Integer,
    LogUniform,
    Normal,
    Quantized,
)

from ._converted_space import ConvertedSpace, Steps, choice, converted
from ._errors import InvalidSpace
from ._space import Parameter, Params, Space, integer, real


def tune_space(config: Space | Mapping[str, Any]) -> ConvertedSpace:
    """Of a nested dict as Tune's ``param_space``, with its domains or Carbo's parameters; names are paths, as
    ``optimizer/lr``. What is neither is Tune's own, and stays out."""
    if isinstance(config, Space):
        return ConvertedSpace(config)
    parameters: dict[str, Parameter] = {}
    constants: Params = {}
    objects: dict[str, dict[str, Any]] = {}
    steps: dict[str, Steps] = {}
    for name, domain in leaves(config):
        only = _only_value(domain)
        if isinstance(domain, Parameter):
            parameters[name] = domain
        elif only:
            constants[name] = only[0]
        elif isinstance(domain, Categorical):
            parameters[name] = choice(name, domain.categories, objects)
        else:
            parameters[name] = _number(name, domain, steps)
    return converted(parameters, constants, objects, steps)


def leaves(config: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Domains and parameters by their paths."""
    value: Any
    for key, value in config.items():
        name = f"{above}{key}"
        inside = isinstance(value, (Domain, Parameter))
        if isinstance(value, (list, tuple)) and any(isinstance(each, (Domain, Parameter, Mapping)) for each in value):
            if any(True for _ in leaves({str(i): each for i, each in enumerate(value)})):
                raise InvalidSpace(f"'{name}' is a list with something to search in it; give what is searched by names")
        if isinstance(value, Mapping):
            if "grid_search" in value:
                raise InvalidSpace(f"'{name}' is a grid, which is tried out and not searched; give tune.choice instead")
            yield from leaves(value, f"{name}/")
        elif inside and (not isinstance(key, str) or "/" in key):
            raise InvalidSpace(f"{key!r} is to be searched; give it a name that is a text without '/'")
        elif inside:
            if not isinstance(value, Parameter) and value.is_grid():
                raise InvalidSpace(f"'{name}' is a grid, which is tried out and not searched; give tune.choice instead")
            yield name, value


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """The dict whose paths are the names."""
    made: dict[str, Any] = {}
    for name, value in values.items():
        *above, last = name.split("/")
        place = made
        for key in above:
            place = place.setdefault(key, {})
        place[last] = value
    return made


def flat(config: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """The other way round."""
    made: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            made.update(flat(value, f"{above}{key}/"))
        else:
            made[f"{above}{key}"] = value
    return made


def _only_value(domain: Any) -> tuple[Any, ...]:
    """Of a domain that has one."""
    if isinstance(domain, Categorical) and len(domain.categories) == 1:
        return (domain.categories[0],)
    if isinstance(domain, Integer) and domain.upper == domain.lower + 1:
        return (domain.lower,)
    if isinstance(domain, Float) and domain.lower == domain.upper:
        return (domain.lower,)
    return ()


def _number(name: str, domain: Any, steps: dict[str, Steps]) -> Parameter:
    whole = isinstance(domain, Integer)
    if not (whole or isinstance(domain, Float)):
        raise InvalidSpace(
            f"'{name}' is drawn by a function, which cannot be searched; make what it depends on parameters of their own"
        )
    sampler: Any = domain.get_sampler()
    step = sampler.q if isinstance(sampler, Quantized) else None
    drawn: Any = sampler.sampler if isinstance(sampler, Quantized) else sampler
    if isinstance(drawn, Normal):
        raise InvalidSpace(f"'{name}' is normal, so that it has no bounds; give tune.uniform or tune.loguniform")
    if not (math.isfinite(domain.lower) and math.isfinite(domain.upper)):
        raise InvalidSpace(f"'{name}' has the bounds {domain.lower} and {domain.upper}; give finite ones")
    log = isinstance(drawn, LogUniform)
    if step is None:
        if whole:  # Tune's whole numbers exclude the upper bound
            return integer(int(domain.lower), int(domain.upper) - 1, log=log)
        return real(domain.lower, domain.upper, log=log)
    return _quantized(name, domain, step, whole, log, steps)


def _quantized(name: str, domain: Any, step: Any, whole: bool, log: bool, steps: dict[str, Steps]) -> Parameter:
    """Multiples of the step within the bounds, both included; but whole numbers in steps of 1 exclude the upper one."""
    if not step > 0:
        raise InvalidSpace(f"'{name}' has steps of {step!r}; give a step above 0")
    first = _index(domain.lower / step, math.ceil)
    last = _index(domain.upper / step, math.floor)
    if whole and step == 1:
        last -= 1
    if first > last:
        raise InvalidSpace(f"'{name}' has no multiple of {step!r} from {domain.lower} to {domain.upper}")
    if not (whole and step == 1):
        steps[name] = Steps(step, whole)
    return integer(first, last, log=log)


def _index(scaled: float, rounded: Any) -> int:
    nearest = round(scaled)
    return nearest if math.isclose(scaled, nearest) else int(rounded(scaled))
