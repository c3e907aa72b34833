"""Spaces of Ray Tune: what is converted, and that Tune draws from what was converted."""
from __future__ import annotations

import pytest

tune = pytest.importorskip("ray.tune")
from ray.tune.search.sample import Float

import carbo
from carbo._converted_space import flat
from carbo._ray_space import filled, nested, picked, tune_space

DOMAINS = {
    "u": (tune.uniform(0, 2), carbo.real(0, 2)),
    "lu": (tune.loguniform(1e-3, 10), carbo.real(1e-3, 10, log=True)),
    "i": (tune.randint(1, 9), carbo.integer(1, 8)),
    "li": (tune.lograndint(1, 9), carbo.integer(1, 8, log=True)),
    "qu": (tune.quniform(0.5, 2, 0.25), carbo.integer(2, 8)),
    "qlu": (tune.qloguniform(0.5, 8, 0.5), carbo.integer(1, 16, log=True)),
    "qi": (tune.qrandint(4, 20, 4), carbo.integer(1, 5)),
    "qi1": (tune.qrandint(4, 20, 1), carbo.integer(4, 19)),
    "qi_between": (tune.qrandint(3, 21, 4), carbo.integer(1, 5)),
    "qli": (tune.qlograndint(4, 64, 4), carbo.integer(1, 16, log=True)),
    "c": (tune.choice(["a", None, True]), carbo.categorical(["a", None, True])),
    "n": (tune.choice([64, 16, 32]), carbo.ordinal([16, 32, 64])),
}


@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_is_converted_exactly(name):
    domain, parameter = DOMAINS[name]
    found = tune_space({name: domain})
    assert found.space.parameters == {name: parameter}
    drawn = set(domain.sample(size=5000))
    for value in drawn:  # whatever Tune draws is a point, and comes back as it was
        assert found.values(found.params({name: value}))[name] == value
    if isinstance(domain, Float) and parameter.kind == "real":
        return
    every = {found.values(found.space.from_unit([(k + 0.5) / 997]))[name] for k in range(997)}
    assert every == drawn  # and nothing else is: of the rarest value 5,000 draws expect 57
    assert {type(value) for value in every} == {type(domain.cast(value)) for value in drawn}


def test_names_of_nested_domains_are_paths_and_constants_stay_out():
    config = {"a": {"b": {"lr": tune.uniform(0, 1)}, "fixed": 3}, "batch": tune.choice([1, 2]), "list": [1, {"z": 2}]}
    found = tune_space(config)
    assert found.space.names == ("a/b/lr", "batch")
    assert nested({"a/b/lr": 0.5, "batch": 2}) == {"a": {"b": {"lr": 0.5}}, "batch": 2}
    assert flat(nested({"a/b/lr": 0.5, "batch": 2})) == {"a/b/lr": 0.5, "batch": 2}
    assert found.params(flat({"a": {"b": {"lr": 0.25}, "fixed": 3}, "batch": 1})) == {"a/b/lr": 0.25, "batch": 1}


def test_what_has_one_value_is_a_constant_and_objects_are_looked_up():
    listed = [[32], [32, 16]]
    found = tune_space(
        {"one": tune.choice(["x"]), "i": tune.randint(3, 4), "layers": tune.choice(listed), "x": carbo.real(0, 1)}
    )
    assert found.constants == {"one": "x", "i": 3}
    point = found.space.from_unit([0.9, 0.5])
    assert found.values(point) == {"layers": [32, 16], "x": 0.5, "one": "x", "i": 3}
    assert found.params({"layers": [32, 16], "x": 0.5}) == point
    with pytest.raises(carbo.InvalidConfiguration, match="none of its values"):
        found.params({"layers": [1], "x": 0.5})


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"x": tune.grid_search([1, 2])}, "'x' is a grid"),
        ({"a": {"x": tune.grid_search([1, 2])}}, "'a/x' is a grid"),
        ({"x": tune.randn()}, "normal"),
        ({"x": tune.qrandn(0, 1, 0.1)}, "normal"),
        ({"x": tune.sample_from(lambda config: 3)}, "function"),
        ({"x": [tune.uniform(0, 1)]}, "list"),
        ({"x": [{"y": tune.uniform(0, 1)}]}, r"'x' is a list .* at 'x\[0\]/y'"),
        ({"x": [[tune.uniform(0, 1)]]}, r"at 'x\[0\]\[0\]'"),
        ({"x": [{"q": ({"r": tune.uniform(0, 1)},)}]}, r"at 'x\[0\]/q\[0\]/r'"),
        ({"a": {"x": [tune.grid_search([1, 2])]}}, r"at 'a/x\[0\]'"),
        ({"m": tune.choice([{"k": 1}, {"k": 2, "lr": tune.uniform(0, 1)}])}, r"'m' is a choice .* at 'm\[1\]/lr'"),
        ({"a": {"m": tune.choice([3, tune.uniform(0, 1)])}}, r"'a/m' is a choice .* at 'a/m\[1\]'"),
        ({"m": tune.choice([[1], [carbo.real(0, 1)]])}, r"at 'm\[1\]\[0\]'"),
        ({"m": tune.choice([{"lr": tune.uniform(0, 1)}])}, r"at 'm\[0\]/lr'"),
        ({"a/b": tune.uniform(0, 1)}, "without '/'"),
        ({"a/b": {"x": tune.uniform(0, 1)}}, "'a/b' is .* without '/'"),
        ({"c": {3: {"x": tune.uniform(0, 1)}}}, "3 is .* at 'c/3/x'; give it a name that is a text"),
        ({3: tune.uniform(0, 1)}, "name that is a text"),
        ({"x": 3}, "nothing to search"),
        ({}, "nothing to search"),
        ({"x": tune.qrandint(5, 7, 4)}, "no multiple"),
    ],
)
def test_what_cannot_be_searched_is_refused(config, says):
    with pytest.raises(carbo.InvalidSpace, match=says):
        tune_space(config)


def test_dicts_and_arrays_are_values_of_choices_and_constants_stay_in_their_places():
    numpy = pytest.importorskip("numpy")
    arrays = [numpy.array([1, 2]), numpy.array([3, 4])]
    config = {
        "m": tune.choice([{"k": 1, "more": {"layers": [1, 2]}}, {"k": 2, "more": {}}]),
        "array": tune.choice(arrays),
        "c": {3: {"4/5": 6}, "x": tune.uniform(0, 1)},
    }
    found = tune_space(config)
    for values in (
        {"m": {"k": 1, "more": {"layers": [1, 2]}}, "array": numpy.array([3, 4]), "c": {"x": 0.5}},
        {"m/k": 1, "m/more/layers": [1, 2], "array": numpy.array([3, 4]), "c/x": 0.5, "c/3/4/5": 6},
    ):
        params = found.params(picked(values, found.space.names))
        assert params == {"m": "0: dict", "array": "1: ndarray", "c/x": 0.5}
        given = filled(config, found.values(params))
        assert given["array"] is arrays[1] and given["c"] == {3: {"4/5": 6}, "x": 0.5}
        assert given["m"] == {"k": 1, "more": {"layers": [1, 2]}}
    with pytest.raises(carbo.InvalidConfiguration, match="none of its values"):
        found.params(picked({"m": {"k": 2}, "array": arrays[0], "c": {"x": 0.5}}, found.space.names))


def test_a_value_between_two_steps_is_refused():
    found = tune_space({"x": tune.quniform(0, 1, 0.25)})
    with pytest.raises(carbo.InvalidConfiguration, match="no multiple of 0.25"):
        found.params({"x": 0.3})
