"""Search spaces: named parameters and known constraints."""
from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from . import _carbo
from ._errors import InvalidConfiguration, InvalidSpace

#: What a parameter's value may be: a number, a text, a truth value, None, or a tuple of these.
Scalar = Union[None, bool, int, float, str, "tuple[Scalar, ...]"]
#: A point of a space: values by the names of its parameters.
Params = dict[str, Any]


@dataclass(frozen=True, repr=False)
class Parameter:
    """One dimension of a space; made by :func:`real`, :func:`integer`, :func:`categorical`, :func:`ordinal` and
    :func:`discrete`, and checked when a :class:`Space` is made of it."""

    kind: str  #: "real", "integer", "categorical", "ordinal" or "discrete"
    lower: float = 0.0
    upper: float = 1.0
    log: bool = False
    values: tuple[Any, ...] = ()  #: of a categorical, ordinal or discrete parameter

    def __repr__(self) -> str:
        if self.kind in ("real", "integer"):
            return f"{self.kind}({self.lower!r}, {self.upper!r}{', log=True' if self.log else ''})"
        return f"{self.kind}({list(self.values)!r})"

    @property
    def labels(self) -> tuple[str, ...]:
        """What the values of a categorical or ordinal parameter are called in files and reports."""
        if self.kind not in ("categorical", "ordinal"):
            return ()
        texts = {value for value in self.values if isinstance(value, str)}
        labels = []
        for value in self.values:
            label = value if isinstance(value, str) else repr(value)
            if not isinstance(value, str) and label in texts:
                label += f" ({type(value).__name__})"
            labels.append(label)
        return tuple(labels)

    def _native(self, name: str) -> _carbo.Parameter:
        if self.kind == "categorical":
            return _carbo.categorical(name, list(self.labels))
        if self.kind == "ordinal":
            return _carbo.ordinal(name, list(self.labels))
        if self.kind == "discrete":
            return _carbo.discrete(name, [float(value) for value in self.values])
        made = (
            _carbo.real(name, self.lower, self.upper)
            if self.kind == "real"
            else _carbo.integer(name, int(self.lower), int(self.upper))
        )
        return made.log() if self.log else made

    def _value(self, number: float) -> Any:
        if self.kind == "real":
            return number
        if self.kind == "integer":
            return int(number)
        if self.kind == "discrete":
            return next((value for value in self.values if value == number), number)
        return self.values[int(number)]

    def _plain(self, name: str, value: Any) -> Any:
        """As the engine takes it: categories by their labels."""
        labels = self.labels
        if not labels:
            return value
        for of_one_type in (True, False):  # 1 and True are equal, and two categories
            for position, known in enumerate(self.values):
                if of_one_type and type(known) is not type(value):
                    continue
                try:
                    if known is value or bool(known == value):
                        return labels[position]
                except (TypeError, ValueError):
                    continue
        known_values = ", ".join(repr(known) for known in self.values)
        raise InvalidConfiguration(f"'{name}' is {value!r}, which is none of its values: {known_values}")


def _number(value: Any, what: str) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return float(value)
    raise InvalidSpace(f"{what} is {value!r}; give a number")


def _whole(value: Any, what: str) -> int:
    number = _number(value, what)
    if not math.isfinite(number) or number != math.floor(number) or abs(number) > 2.0**53:
        raise InvalidSpace(f"{what} is {value!r}; give a whole number within 2^53")
    return int(value)


def _choices(values: Iterable[Any], kind: str) -> tuple[Any, ...]:
    if isinstance(values, (str, bytes)):
        raise InvalidSpace(f"the values of a {kind} parameter are {values!r}; give a list of them")

    def check(value: Any) -> None:
        if isinstance(value, tuple):
            for element in value:
                check(element)
        elif not (value is None or isinstance(value, (bool, numbers.Real, str))):
            raise InvalidSpace(
                f"a value of a {kind} parameter is {value!r}; give texts, numbers, True, False, None or tuples of "
                "these, and look other objects up by them"
            )

    chosen = tuple(values)
    for value in chosen:
        check(value)
    return chosen


def real(lower: float, upper: float, *, log: bool = False) -> Parameter:
    """A real number in [lower, upper].

    >>> real(1e-4, 1, log=True)
    real(0.0001, 1.0, log=True)
    """
    return Parameter("real", _number(lower, "the lower bound"), _number(upper, "the upper bound"), log)


def integer(lower: int, upper: int, *, log: bool = False) -> Parameter:
    """A whole number in [lower, upper], both included."""
    return Parameter("integer", _whole(lower, "the lower bound"), _whole(upper, "the upper bound"), log)


def categorical(values: Iterable[Scalar]) -> Parameter:
    """One of some values without an order: texts, numbers, True, False, None, or tuples of these."""
    return Parameter("categorical", values=_choices(values, "categorical"))


def ordinal(values: Iterable[Scalar]) -> Parameter:
    """One of some values in order, equally far apart."""
    return Parameter("ordinal", values=_choices(values, "ordinal"))


def discrete(values: Iterable[float]) -> Parameter:
    """One of some ascending numbers, treated as equally far apart."""
    chosen = tuple(values)
    for value in chosen:
        _number(value, "a value of a discrete parameter")
    return Parameter("discrete", values=chosen)


def of_numbers(
    parameters: dict[str, Parameter], call: Callable[[Params], Any], made: Callable[[Any], Any]
) -> Callable[[Sequence[float]], Any]:
    """A callable of a point's numbers, as the engine calls it; holds no space, which may hold it."""

    def with_params(numbers: Sequence[float]) -> Any:
        return made(call({name: p._value(number) for (name, p), number in zip(parameters.items(), numbers)}))

    return with_params


class Space:
    """The search space: 1 to 100 parameters by name, and known constraints.

    >>> space = Space(lr=real(1e-4, 1, log=True), layers=integer(1, 8), opt=categorical(["adam", None]))
    >>> space.names
    ('lr', 'layers', 'opt')
    >>> _ = space.constrain(lambda x: x["layers"] < 8 or x["lr"] < 0.1, "deep nets learn slowly")

    Names that are no Python names are given in a mapping: ``Space({"learning rate": real(0, 1)})``.
    """

    def __init__(self, parameters: Mapping[str, Parameter] | None = None, /, **named: Parameter) -> None:
        self._parameters: dict[str, Parameter] = {**(parameters or {}), **named}
        for name, parameter in self._parameters.items():
            if not isinstance(name, str) or not isinstance(parameter, Parameter):
                raise InvalidSpace(
                    f"{name!r} is {parameter!r}; give a parameter, such as {name}=carbo.real(0, 1)"
                )
        self._constraints: list[tuple[Callable[[Params], bool], str]] = []
        self._native = _carbo.Space([p._native(name) for name, p in self._parameters.items()])

    def constrain(self, allowed: Callable[[Params], bool], description: str = "constraint") -> Space:
        """Adds a known constraint: only points for which ``allowed(params)`` is true are ever suggested.

        It must be pure, and may be called from any thread. ``description`` is used in messages, and names the
        constraint where a study goes on in another process. Returns the space.
        """
        if not callable(allowed):
            raise InvalidSpace(f"the constraint '{description}' is {allowed!r}; give a callable of the parameters")
        self._native.constrain(of_numbers(self._parameters, allowed, bool), description)
        self._constraints.append((allowed, description))
        return self

    @property
    def parameters(self) -> dict[str, Parameter]:
        """By name, in order."""
        return dict(self._parameters)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._parameters)

    @property
    def constraints(self) -> list[tuple[Callable[[Params], bool], str]]:
        """Callables and their descriptions."""
        return list(self._constraints)

    @property
    def cardinality(self) -> int:
        """Number of distinct points before constraints; 0 where it is not finite."""
        return self._native.cardinality

    def check(self, params: Mapping[str, Any]) -> Params:
        """The point as the space has it; raises :class:`InvalidConfiguration` where it does not belong to it."""
        return self._params(self._numbers(params))

    def allows(self, params: Mapping[str, Any]) -> bool:
        """Whether every constraint allows the point."""
        return self._native.violated(self._numbers(params)) == ""

    def encode(self, params: Mapping[str, Any]) -> list[float]:
        """Into the unit cube: one column a parameter, but one a category."""
        return self._native.encode(self._numbers(params))

    def decode(self, encoded: Sequence[float]) -> Params:
        """The nearest point."""
        return self._params(self._native.decode(encoded))

    def from_unit(self, unit: Sequence[float]) -> Params:
        """The point at coordinates in [0, 1), one a parameter: equal shares of [0, 1) go to each value."""
        return self._params(self._native.from_unit(unit))

    def _numbers(self, params: Mapping[str, Any]) -> tuple[float, ...]:
        if not isinstance(params, Mapping):
            raise InvalidConfiguration(f"a point is {params!r}; give a dict of values by the names of parameters")
        known = self._parameters
        return self._native.numbers(
            {name: known[name]._plain(name, value) if name in known else value for name, value in params.items()}
        )

    def _params(self, numbers: Sequence[float]) -> Params:
        return {name: p._value(number) for (name, p), number in zip(self._parameters.items(), numbers)}

    @classmethod
    def _of_native(cls, native: _carbo.Space) -> Space:
        """As a file has it: categories are texts, and constraints are not there."""
        made = {}
        for tree in native.parameters():
            log = tree.get("scale") == "log"
            kind = tree["kind"]
            if kind == "real":
                made[tree["name"]] = real(tree["lower"], tree["upper"], log=log)
            elif kind == "integer":
                made[tree["name"]] = integer(int(tree["lower"]), int(tree["upper"]), log=log)
            else:
                made[tree["name"]] = Parameter(kind, values=tuple(tree.get("labels") or tree.get("values") or ()))
        return cls(made)

    def __len__(self) -> int:
        return len(self._parameters)

    def __contains__(self, name: object) -> bool:
        return name in self._parameters

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        return list(self._parameters.items()) == list(other._parameters.items()) and [
            d for _, d in self._constraints
        ] == [d for _, d in other._constraints]

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={parameter!r}" for name, parameter in self._parameters.items())
        return f"Space({inside})"

    def __getstate__(self) -> dict[str, Any]:
        return {"parameters": self._parameters, "constraints": self._constraints}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["parameters"])  # type: ignore[misc]
        for allowed, description in state["constraints"]:
            self.constrain(allowed, description)
