"""Replays of data frames: those of the command line, on the same tables."""
import csv
import itertools
import json
import math
import signal
import subprocess
import threading

import pytest
from conftest import program

import carbo


def table():
    """Best at rate 0.03 and 4 layers; each layer costs more."""
    grid = itertools.product([10 ** (k / 4) for k in range(-16, 1)], range(1, 7), ("adam", "sgd"))
    rows = [(rate, layers, kind, math.log10(rate / 0.03) ** 2 + 0.05 * (layers - 4) ** 2 + 0.1 * (kind == "sgd"),
             0.5 + 0.1 * layers**2) for rate, layers, kind in grid]  # fmt: skip
    return {name: list(column) for name, column in zip(("rate", "layers", "kind", "loss", "price"), zip(*rows))}


def replay(frame, **settings):
    given = {"objective": "loss", "cost": "price", "log": ["rate"], "methods": ["default", "random"], "budgets": "8x",
             "seeds": 3, "jobs": 1}  # fmt: skip
    return carbo.replay(frame, **{**given, **settings})


def test_figures_are_those_of_the_command_line(tmp_path):
    frame = table()
    with open(tmp_path / "runs.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(frame)
        writer.writerows(zip(*frame.values()))
    ran = subprocess.run(
        [program("CARBO_CLI"), "replay", "runs.csv", "--objective", "loss", "--cost", "price", "--log", "rate",
         "--methods", "default,random", "--budgets", "8x", "--seeds", "3", "--jobs", "1", "--json"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    theirs = json.loads(ran.stdout)
    ours = replay(frame)
    cell = theirs["cells"][0]
    assert ours.rows == theirs["table"]["rows"] == 204
    assert ours.best == theirs["table"]["best"] and ours.mean_cost == theirs["table"]["mean_cost"]
    assert ours.cells[0].budget == cell["budget"]
    for mine, method in zip(ours.cells[0].methods, cell["methods"]):
        assert (mine.method, mine.evaluations) == (method["method"], method["evaluations"])
        for curve, name in ((mine.lower, "lower"), (mine.median, "median"), (mine.upper, "upper")):
            assert curve[-1] == method["final"][name]["objective"]
    assert [vars(one) for one in ours.cells[0].savings] == cell["savings"]


def test_runs_are_rows_of_the_table_until_the_budget_is_spent():
    frame = table()
    found = replay(frame)
    for method in found.cells[0].methods:
        for seed in (1, 2, 3):
            run = [one for one in method.runs if one.seed == seed]
            assert len({one.row for one in run}) == len(run)  # nothing twice
            spent = 0.0
            for one in run:
                assert (one.objective, one.cost) == (frame["loss"][one.row], frame["price"][one.row])
                spent += one.cost
                assert one.spent == pytest.approx(spent)
            assert spent >= found.cells[0].budget > spent - run[-1].cost
    best = [min(one.objective for one in method.runs if one.seed == seed and one.spent <= found.cells[0].budget)
            for method in found.cells[0].methods[:1] for seed in (1, 2, 3)]  # fmt: skip
    assert found.cells[0].methods[0].median[-1] == sorted(best)[1]


def test_goals_failures_and_repeats():
    frame = table()
    frame["score"] = [-value for value in frame.pop("loss")]
    frame["score"][5] = math.nan
    found = replay(frame, objective="score", goal="maximize")
    assert found.failed == 1 and found.best == max(value for value in frame["score"] if value == value)
    assert any("no objective" in note for note in found.notes)
    twice = {name: [*column, column[0]] for name, column in table().items()}
    with pytest.raises(carbo.InvalidObservation, match='frame:204 has the configuration of line 0.*repeats="mean"'):
        replay(twice)
    assert replay(twice, repeats="first", seeds=1).rows == 204


def test_data_frames_and_pictures():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table())
    found = replay(frame, batches=[1, 2], seeds=2)
    assert set(found.savings().columns) == {"batch", "budget", "method", "rival", "share", "low", "high"}
    curves = found.curves()
    assert len(curves) == 2 * 2 * 1001 and curves["spent"].max() == found.cells[0].budget
    assert set(found.to_pandas()["seed"]) == {1, 2}
    assert found._repr_html_().count("<table>") == 2
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert len(found.plot().get_lines()) == 2


def test_a_space_of_ones_own():
    frame = table()
    frame["kind"] = [None if kind == "sgd" else True for kind in frame["kind"]]
    space = carbo.Space(rate=carbo.real(1e-4, 1.0, log=True), layers=carbo.integer(1, 8), kind=carbo.categorical([True, None]))
    found = replay(frame, space=space, log=(), seeds=1)
    assert found.space is space and found.rows == 204
    guessed = replay(table(), seeds=1).space
    assert guessed == carbo.Space(rate=carbo.real(min(frame["rate"]), 1.0, log=True), layers=carbo.integer(1, 6),
                                  kind=carbo.categorical(["adam", "sgd"]))  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"objective": "gain"}, carbo.InvalidObservation, "no column is called 'gain'; there are rate, layers"),
        ({"cost": "seconds"}, carbo.InvalidObservation, "no column is called 'seconds'.*cost=None"),
        ({"goal": "best"}, carbo.InvalidOptions, "goal"),
        ({"methods": ["magic"]}, carbo.InvalidOptions, "magic"),
        ({"methods": []}, carbo.InvalidOptions, "at least one"),
        ({"budgets": "much"}, carbo.InvalidOptions, "the budget 'much'"),
        ({"budgets": -1}, carbo.InvalidOptions, "the budget -1"),
        ({"batches": 1000}, carbo.InvalidOptions, "a batch of 1000"),
        ({"share": 0.01}, carbo.InvalidOptions, "larger share"),
        ({"share": 2}, carbo.InvalidOptions, "at most 1"),
        ({"repeats": "often"}, carbo.InvalidOptions, "'often'"),
        ({"log": ["speed"]}, carbo.InvalidOptions, "no column is called 'speed'"),
        ({"log": "rate"}, carbo.InvalidOptions, "give a list"),
        ({"space": carbo.Space(rate=carbo.real(0, 1))}, carbo.InvalidOptions, "with space="),
    ],
)
def test_what_is_wrong_is_said(settings, error, words):
    with pytest.raises(error, match=words):
        replay(table(), **settings)


def test_bad_tables():
    for bad, words in (
        ([1, 2], "list"),
        ({1: [2.0]}, "names that are texts"),
        ({"x": [1.0, 2.0], "loss": [1.0]}, "different lengths"),
        ({**table(), "price": [0.0] * 204}, "is not above 0"),
        ({**table(), "layers": ["deep", *table()["layers"][1:]]}, "frame:0.*column 'layers'"),
    ):
        with pytest.raises(carbo.InvalidObservation, match=words):
            replay(bad, **({"cost": None} if "price" not in bad else {}))


def test_ctrl_c_ends_it():
    threading.Timer(0.4, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        replay(table(), seeds=100_000)
