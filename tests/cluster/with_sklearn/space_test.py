"""Spaces as scikit-learn's users write them."""
from __future__ import annotations

import numpy
import pytest

sklearn = pytest.importorskip("sklearn")
scipy_stats = pytest.importorskip("scipy.stats")

from sklearn.linear_model import Ridge

import carbo
from carbo._sklearn_space import search_space
from carbo.sklearn import CarboSearchCV


def test_spaces_are_converted_exactly():
    space = search_space(
        {
            "a": scipy_stats.uniform(2, 3),
            "b": scipy_stats.loguniform(1e-3, 10),
            "c": scipy_stats.randint(1, 9),
            "d": scipy_stats.randint(low=1, high=9),
            "e": numpy.array([3, 1, 2]),
            "f": ["x", None, True],
            "g": carbo.integer(1, 4, log=True),
            "h": scipy_stats.uniform(loc=-1, scale=2),
            "i": range(3),
        }
    ).space
    assert space.parameters == {
        "a": carbo.real(2, 5),
        "b": carbo.real(1e-3, 10, log=True),
        "c": carbo.integer(1, 8),
        "d": carbo.integer(1, 8),
        "e": carbo.ordinal([1, 2, 3]),
        "f": carbo.categorical(["x", None, True]),
        "g": carbo.integer(1, 4, log=True),
        "h": carbo.real(-1, 1),
        "i": carbo.ordinal([0, 1, 2]),
    }


@pytest.mark.parametrize(
    ("space", "says"),
    [
        ({"x": scipy_stats.norm(0, 1)}, "norm distribution"),
        ({"x": scipy_stats.loguniform(1, 2, loc=1)}, "only loc=0"),
        ({"x": "abc"}, "a list of values"),
        ({"x": 3}, "a list of values"),
        ({"x": []}, "no values"),
        ({"x": [1]}, "nothing to search"),
        ([{"x": [1, 2]}, {"x": [3, 4]}], "several searches"),
        ({}, "nothing to search"),
    ],
)
def test_spaces_that_are_refused(space, says):
    with pytest.raises(carbo.InvalidSpace, match=says):
        CarboSearchCV(Ridge(), space, budget="2 evaluations").fit([[0.0]] * 9, [1.0] * 9)
