"""Spaces: values that are Python's, constraints, and bad input."""
import math
import pickle

import numpy as np
import pytest

import carbo


def test_values_come_back_as_python_has_them():
    space = carbo.Space(
        {"learning rate": carbo.real(1e-4, 1, log=True)},
        n=carbo.integer(1, 8),
        opt=carbo.categorical(["adam", None, True, 1, 2.5, (64, 32)]),
        level=carbo.ordinal(["low", "mid", "high"]),
        size=carbo.discrete([16, 32, 64]),
    )
    assert space.names == ("learning rate", "n", "opt", "level", "size") and len(space) == 5
    for value in ("adam", None, True, 1, 2.5, (64, 32)):
        point = {"learning rate": 0.5, "n": 3, "opt": value, "level": "mid", "size": 32}
        back = space.check(point)
        assert back == point and type(back["opt"]) is type(value)
        assert type(back["n"]) is int and type(back["size"]) is int
        assert space.decode(space.encode(point))["opt"] == value
    assert space.check({**point, "n": np.int64(4), "learning rate": np.float32(0.5)})["n"] == 4
    assert pickle.loads(pickle.dumps(space)) == space


def test_a_text_and_a_value_that_look_alike_are_two_categories():
    space = carbo.Space(c=carbo.categorical(["None", None, "1", 1, True]))
    for value in ("None", None, "1", 1, True):
        back = space.check({"c": value})["c"]
        assert back == value and type(back) is type(value)


def test_from_unit_gives_equal_shares_to_values():
    space = carbo.Space(c=carbo.categorical("abcd"[i] for i in range(4)))
    seen = [space.from_unit([(i + 0.5) / 400])["c"] for i in range(400)]
    assert [seen.count(label) for label in "abcd"] == [100] * 4


def test_constraints_are_kept_to_and_named():
    space = carbo.Space(a=carbo.integer(0, 9), b=carbo.integer(0, 9)).constrain(lambda x: x["a"] < x["b"], "a below b")
    assert space.allows({"a": 1, "b": 2}) and not space.allows({"a": 2, "b": 2})
    study = carbo.Study(space, budget=30, seed=1)
    while not study.done:
        for s in study.ask():
            assert s.params["a"] < s.params["b"]
            study.tell(s, s.params["a"], cost=1)
    with pytest.raises(carbo.InvalidConfiguration, match="a below b"):
        study.enqueue({"a": 5, "b": 1})


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: carbo.Space(), "parameter"),
        (lambda: carbo.Space(x=3), "carbo.real"),
        (lambda: carbo.Space(x=carbo.real(1, 0)), "lower bound"),
        (lambda: carbo.Space(x=carbo.real(math.nan, 1)), "not finite"),
        (lambda: carbo.Space(x=carbo.real(0, 1, log=True)), "log"),
        (lambda: carbo.real("0", 1), "give a number"),
        (lambda: carbo.integer(0.5, 3), "whole number"),
        (lambda: carbo.integer(0, 10**30), "2\\^53"),
        (lambda: carbo.categorical("abc"), "list"),
        (lambda: carbo.categorical([object()]), "look other objects up"),
        (lambda: carbo.Space(x=carbo.categorical(["a", "a"])), "twice|'a'"),
        (lambda: carbo.Space(x=carbo.discrete([3, 2])), "ascend"),
        (lambda: carbo.Space(x=carbo.real(0, 1)).constrain(3), "callable"),
    ],
)
def test_bad_spaces_are_refused(make, words):
    with pytest.raises(carbo.InvalidSpace, match=words) as caught:
        make()
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "point, words",
    [
        ({"x": 0.5}, "'n'"),
        ({"x": 0.5, "n": 1, "m": 2}, "'m'"),
        ({"x": 1.5, "n": 1}, "1.5"),
        ({"x": math.nan, "n": 1}, "NaN"),
        ({"x": "half", "n": 1}, "half|'x'"),
        ({"x": 0.5, "n": True}, "True"),
        ({"x": 0.5, "n": 1.5}, "1.5"),
        ({"x": None, "n": 1}, "None"),
        ([0.5, 1], "dict"),
    ],
)
def test_bad_points_are_refused(point, words):
    space = carbo.Space(x=carbo.real(0, 1), n=carbo.integer(1, 5))
    with pytest.raises(carbo.InvalidConfiguration, match=words):
        space.check(point)


def test_a_category_that_there_is_not_is_refused_with_those_there_are():
    with pytest.raises(carbo.InvalidConfiguration, match="'adam', None"):
        carbo.Space(opt=carbo.categorical(["adam", None])).check({"opt": "sgd"})
