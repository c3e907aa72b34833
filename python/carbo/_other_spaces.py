"""Spaces that were written for others: Optuna's distributions and ConfigSpace."""
from __future__ import annotations

import decimal
from collections.abc import Mapping
from typing import Any

from ._errors import InvalidSpace
from ._space import Parameter, categorical, integer, ordinal, real

#: Steps of a range are listed value by value up to here.
MOST_VALUES = 1_000_000


def parameters_of_optuna(distributions: Mapping[str, Any]) -> dict[str, Parameter]:
    """Parameters by name; each has exactly the values that the distribution has."""
    if not isinstance(distributions, Mapping):
        raise InvalidSpace(f"the distributions are {distributions!r}; give a dict of them by name, as trial.distributions")
    return {str(name): _of_distribution(str(name), distribution) for name, distribution in distributions.items()}


def _of_distribution(name: str, distribution: Any) -> Parameter:
    # By what a distribution has, so that optuna need not be there.
    choices = getattr(distribution, "choices", None)
    if choices is not None:
        return Parameter("categorical", values=tuple(choices))
    kind = type(distribution).__name__
    if not all(hasattr(distribution, each) for each in ("low", "high", "log", "step")):
        raise InvalidSpace(
            f"'{name}' is {distribution!r}; give one of Optuna's FloatDistribution, IntDistribution and "
            "CategoricalDistribution"
        )
    low, high, log, step = distribution.low, distribution.high, distribution.log, distribution.step
    whole = kind.startswith("Int")
    if whole and step == 1:
        return integer(low, high, log=log)
    if not whole and step is None:
        return real(low, high, log=log)
    return Parameter("discrete", values=steps(name, low, high, step))


def steps(name: str, low: Any, high: Any, step: Any) -> tuple[Any, ...]:
    """The values that Optuna gives a range with a step; of whole numbers, whole ones."""
    apart = decimal.Decimal(str(high)) - decimal.Decimal(str(low))
    count = int((apart / decimal.Decimal(str(step))).to_integral_value()) + 1
    if count > MOST_VALUES:
        raise InvalidSpace(
            f"'{name}' has {count} values from {low} to {high} in steps of {step}; give a step with at most "
            f"{MOST_VALUES}, or none"
        )
    return tuple(min(max(position * step + low, low), high) for position in range(count))


def parameters_of_configspace(space: Any) -> dict[str, Parameter]:
    """Parameters by name; raises where there are conditions, clauses or priors, which are not supported."""
    for kind, parts in (
        ("conditions", getattr(space, "conditions", None)),
        ("forbidden clauses", getattr(space, "forbidden_clauses", None)),
    ):
        if parts is None:
            raise InvalidSpace(f"the space is {space!r}; give a ConfigSpace.ConfigurationSpace")
        if parts:
            advice = (
                "give a space whose parameters are always active"
                if kind == "conditions"
                else "leave them out and give the same as Space.constrain(callable, description)"
            )
            raise InvalidSpace(f"the space has {kind}, which are not supported: {_listed(parts)}; {advice}")
    return {str(name): _of_hyperparameter(str(name), one) for name, one in space.items()}


def _listed(parts: Any) -> str:
    texts = [str(part) for part in parts]
    return ", ".join(texts[:5]) + (f" and {len(texts) - 5} more" if len(texts) > 5 else "")


def _of_hyperparameter(name: str, one: Any) -> Parameter:
    kind = type(one).__name__
    if getattr(one, "q", None) is not None:
        raise InvalidSpace(f"'{name}' has a step of {one.q}; give its values as an OrdinalHyperparameter")
    if kind == "UniformFloatHyperparameter":
        return real(float(one.lower), float(one.upper), log=bool(one.log))
    if kind == "UniformIntegerHyperparameter":
        return integer(int(one.lower), int(one.upper), log=bool(one.log))
    if kind == "OrdinalHyperparameter":
        return ordinal(_plain(value) for value in one.sequence)
    if kind == "CategoricalHyperparameter":
        if one.weights is not None and len(set(one.weights)) > 1:
            raise InvalidSpace(f"'{name}' has weights {list(one.weights)}, which are not supported; leave them out")
        return categorical(_plain(value) for value in one.choices)
    if kind == "Constant":
        raise InvalidSpace(f"'{name}' is the constant {one.value!r}, so there is nothing to search; leave it out")
    if kind.startswith(("Normal", "Beta")):
        raise InvalidSpace(
            f"'{name}' is a {kind}: priors are not supported; give a uniform one between {one.lower} and {one.upper}"
        )
    raise InvalidSpace(f"'{name}' is a {kind}, which is not known; give uniform, categorical or ordinal ones")


def _plain(value: Any) -> Any:
    """Scalars of NumPy as Python's."""
    return value.item() if hasattr(value, "item") else value
