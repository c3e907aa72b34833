"""Spaces of Ray Tune, converted exactly."""
from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
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

from ._converted_space import ConvertedSpace, Steps, choice, converted, flat
from ._errors import InvalidSpace
from ._space import Parameter, Params, Space, integer, real


def tune_space(config: Space | Mapping[str, Any]) -> ConvertedSpace:
    """Of a nested dict as Tune's ``param_space``, with its domains or Carbo's parameters; names are paths, as
    ``optimizer/lr``. What is neither stays out."""
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


def leaves(config: Mapping[Any, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Domains and parameters by their paths; raises :class:`InvalidSpace` where none can be searched."""
    for key, value in config.items():
        name = f"{above}{key}"
        found: list[tuple[str, Any]] = []
        if isinstance(value, (Domain, Parameter)):
            _check_domain(name, value)
            found = [(name, value)]
        elif isinstance(value, Mapping):
            if "grid_search" in value:
                raise _grid(name)
            found = list(leaves(value, f"{name}/"))
        else:
            for place in _searched_within(value, name):
                raise InvalidSpace(
                    f"'{name}' is a list with something to search in it, at '{place}'; give what is searched by names"
                )
        if found and (not isinstance(key, str) or "/" in key):
            raise InvalidSpace(
                f"{key!r} is to be searched, or has what is, at '{found[0][0]}'; give it a name that is a text "
                "without '/'"
            )
        yield from found


def _check_domain(name: str, domain: Domain | Parameter) -> None:
    if isinstance(domain, Domain) and domain.is_grid():
        raise _grid(name)
    for place in _searched_within(domain.categories, name) if isinstance(domain, Categorical) else ():
        raise InvalidSpace(
            f"'{name}' is a choice with something to search in it, at '{place}'; spaces with conditions cannot be "
            "searched: make it a parameter of its own beside the choice, or choose between values"
        )


def _grid(name: str) -> InvalidSpace:
    return InvalidSpace(f"'{name}' is a grid, which is tried out and not searched; give tune.choice instead")


def _searched_within(value: Any, path: str) -> Iterator[str]:
    """Paths of what is to be searched, at whatever depth."""
    if isinstance(value, (Domain, Parameter)) or (isinstance(value, Mapping) and "grid_search" in value):
        yield path
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _searched_within(each, f"{path}/{key}")
    elif isinstance(value, (list, tuple, set, frozenset)):
        for index, each in enumerate(value):
            yield from _searched_within(each, f"{path}[{index}]")


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


def filled(config: Mapping[Any, Any], values: Mapping[str, Any], above: str = "") -> dict[Any, Any]:
    """The configuration with values in the places of what is searched."""
    made = {}
    for key, value in config.items():
        name = f"{above}{key}"
        if isinstance(value, (Domain, Parameter)):
            value = values[name]
        elif isinstance(value, Mapping):
            value = filled(value, values, f"{name}/")
        made[key] = value
    return made


def picked(config: Mapping[Any, Any], names: Iterable[str]) -> dict[str, Any]:
    """Of a configuration, nested or by paths, the values of these names that it has; one that is a dict may come by
    paths."""
    by_path, made = flat(config), {}
    for name in names:
        within = {path[len(name) + 1 :]: value for path, value in by_path.items() if path.startswith(f"{name}/")}
        if name in by_path or within:
            made[name] = by_path.get(name, within)
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
