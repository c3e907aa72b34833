"""Spaces of Optuna's distributions and of ConfigSpace."""
import decimal
import math

import pytest

import carbo


def test_of_optuna_every_distribution_has_its_values():
    optuna = pytest.importorskip("optuna", reason="Optuna is not installed (tests/python/requirements.txt)")
    D = optuna.distributions
    space = carbo.Space.from_optuna(
        {
            "f": D.FloatDistribution(-1.5, 2.5),
            "fl": D.FloatDistribution(1e-5, 10.0, log=True),
            "fs": D.FloatDistribution(0.1, 1.0, step=0.25),
            "i": D.IntDistribution(-3, 7),
            "il": D.IntDistribution(1, 1000, log=True),
            "is": D.IntDistribution(5, 21, step=5),
            "c": D.CategoricalDistribution([None, False, 0.5, 2, "two", "None", ""]),
        }
    )
    assert space == carbo.Space(
        {
            "f": carbo.real(-1.5, 2.5),
            "fl": carbo.real(1e-5, 10.0, log=True),
            "fs": carbo.discrete([0.1, 0.35, 0.6, 0.85]),
            "i": carbo.integer(-3, 7),
            "il": carbo.integer(1, 1000, log=True),
            "is": carbo.discrete([5, 10, 15, 20]),
            "c": carbo.categorical([None, False, 0.5, 2, "two", "None", ""]),
        }
    )
    for value in space.parameters["c"].values:
        point = {"f": 0.0, "fl": 1.0, "fs": 0.35, "i": 0, "il": 1, "is": 20, "c": value}
        checked = space.check(point)
        assert checked == point
        assert type(checked["c"]) is type(value)
        assert type(checked["is"]) is int


@pytest.mark.parametrize(("low", "high", "step"), [(0.0, 1.0, 0.1), (-0.3, 0.9, 0.3), (1e-3, 0.05, 7e-4), (0.0, 3.0, 2.0)])
def test_steps_are_those_that_optuna_draws(low, high, step):
    optuna = pytest.importorskip("optuna", reason="Optuna is not installed (tests/python/requirements.txt)")
    distribution = optuna.distributions.FloatDistribution(low, high, step=step)
    values = carbo.Space.from_optuna({"x": distribution}).parameters["x"].values
    sampler = optuna.samplers.RandomSampler(seed=1)
    drawn = {sampler.sample_independent(None, None, "x", distribution) for _ in range(40 * len(values))}
    assert drawn == set(values)
    exact = [decimal.Decimal(str(low)) + k * decimal.Decimal(str(step)) for k in range(len(values))]
    assert values == pytest.approx([float(each) for each in exact], rel=1e-12, abs=1e-15)
    assert exact[-1] <= decimal.Decimal(str(high)) < exact[-1] + decimal.Decimal(str(step))


def test_of_optuna_what_cannot_be_searched_is_refused():
    optuna = pytest.importorskip("optuna", reason="Optuna is not installed (tests/python/requirements.txt)")
    D = optuna.distributions
    for wrong, words in (
        ({"x": D.FloatDistribution(1.0, 1.0)}, "'x': both bounds are 1"),
        ({"x": D.IntDistribution(3, 4, step=2)}, "'x': has 3 as its only value"),
        ({"x": D.CategoricalDistribution(["one"])}, "'one' as its only category"),
        ({"x": D.CategoricalDistribution(["a", "a"])}, "'a' is given twice"),
        ({"x": D.FloatDistribution(0, 1, step=1e-9)}, "'x' has 1000000001 values"),
        ({"x": (0, 1)}, r"'x' is \(0, 1\)"),
        ([1], r"\[1\]"),
        ({}, "no parameters"),
    ):
        with pytest.raises(carbo.InvalidSpace, match=words):
            carbo.Space.from_optuna(wrong)


def test_of_configspace():
    C = pytest.importorskip("ConfigSpace", reason="ConfigSpace is not installed (tests/python/requirements.txt)")
    given = C.ConfigurationSpace(seed=1)
    given.add(
        C.Float("rate", (1e-4, 1.0), log=True),
        C.Float("drop", (0.0, 0.5)),
        C.Integer("layers", (1, 8)),
        C.Integer("width", (1, 256), log=True),
        C.Categorical("kind", ["adam", "sgd"]),
        C.Categorical("size", ["s", "m", "l"], ordered=True),
    )
    space = carbo.Space.from_configspace(given)
    assert dict(space.parameters) == {
        "rate": carbo.real(1e-4, 1.0, log=True),
        "drop": carbo.real(0.0, 0.5),
        "layers": carbo.integer(1, 8),
        "width": carbo.integer(1, 256, log=True),
        "kind": carbo.categorical(["adam", "sgd"]),
        "size": carbo.ordinal(["s", "m", "l"]),
    }
    for configuration in given.sample_configuration(20):
        point = space.check(dict(configuration))  # what the one draws the other has
        assert all(math.isclose(a, b) if isinstance(a, float) else a == b for a, b in
                   ((point[name], configuration[name]) for name in space.names))  # fmt: skip
    # And the other way round: what is suggested is a configuration.
    for suggestion in carbo.Study(space, budget=10, seed=1).ask(3):
        C.Configuration(given, values=suggestion.params)


def test_of_configspace_what_is_not_supported_is_refused_by_name():
    C = pytest.importorskip("ConfigSpace", reason="ConfigSpace is not installed (tests/python/requirements.txt)")
    conditional = C.ConfigurationSpace(space={"kind": ["adam", "sgd"], "momentum": (0.0, 1.0)})
    conditional.add(C.EqualsCondition(conditional["momentum"], conditional["kind"], "sgd"))
    forbidden = C.ConfigurationSpace(space={"a": (1, 4), "b": ["y", "x"]})
    forbidden.add(
        C.ForbiddenAndConjunction(C.ForbiddenEqualsClause(forbidden["a"], 2), C.ForbiddenEqualsClause(forbidden["b"], "x"))
    )
    single = [
        (C.Float("n", (0.0, 1.0), distribution=C.Normal(0.5, 0.1)), "'n' is a NormalFloatHyperparameter.*between 0.0 and 1.0"),
        (C.Integer("n", (1, 9), distribution=C.Normal(5, 1)), "'n' is a NormalIntegerHyperparameter"),
        (C.Float("b", (0.0, 1.0), distribution=C.Beta(2, 3)), "'b' is a BetaFloatHyperparameter"),
        (C.Constant("k", 7), "'k' is the constant 7"),
        (C.Categorical("w", ["p", "q"], weights=[1, 3]), r"'w' has weights \[1, 3\]"),
    ]
    cases = [(conditional, "conditions.*momentum | kind == 'sgd'"), (forbidden, "forbidden clauses.*a == 2 && .*b == 'x'")]
    for one, words in single:
        space = C.ConfigurationSpace()
        space.add(one)
        cases.append((space, words))
    for space, words in cases:
        with pytest.raises(carbo.InvalidSpace, match=words):
            carbo.Space.from_configspace(space)
    with pytest.raises(carbo.InvalidSpace, match="give a ConfigSpace.ConfigurationSpace"):
        carbo.Space.from_configspace({"x": (0, 1)})
