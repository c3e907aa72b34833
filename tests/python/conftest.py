"""What the tests of the package share."""
import math
import os
import pathlib

import pytest

import carbo

ROOT = pathlib.Path(__file__).resolve().parents[2]


def readme_space():
    return carbo.Space(learning_rate=carbo.real(1e-4, 1.0, log=True), layers=carbo.integer(1, 8))


def readme_train(x):
    rate_error = math.log10(x["learning_rate"] / 0.03)
    depth_error = x["layers"] - 6.0
    return carbo.Evaluation(
        rate_error * rate_error + 0.05 * depth_error * depth_error, cost=0.5 + 0.1 * x["layers"] * x["layers"]
    )


def readme_study(**settings):
    return carbo.Study(readme_space(), budget=100, batch_size=2, seed=7, accounting="longest", **settings)


def program(variable):
    """A program of the build tree, by the variable that names it; skips visibly where it was not built."""
    path = os.environ.get(variable, "")
    if not path or not os.path.exists(path):
        pytest.skip(f"{variable} names no program")
    return path


@pytest.fixture
def study():
    """Small, quick, with a few results."""
    made = carbo.Study(carbo.Space(x=carbo.real(0, 1), n=carbo.integer(1, 5)), budget=50, seed=3)
    for _ in range(6):
        for s in made.ask():
            made.tell(s, (s.params["x"] - 0.3) ** 2 + s.params["n"], cost=0.5 + s.params["x"])
    return made
