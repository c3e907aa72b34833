"""The closed loop: where evaluations run, what fails, what is lost, what is interrupted."""
import multiprocessing
import os
import pickle
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import pytest

import carbo

SPACE = carbo.Space(n=carbo.integer(1, 6))


def quick(x):
    return carbo.Evaluation((x["n"] - 4) ** 2, cost=1.0)


def awkward(x):
    if x["n"] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if x["n"] == 5:
        raise ValueError("five")
    if x["n"] == 2:
        time.sleep(600)
    return carbo.Evaluation((x["n"] - 4) ** 2, cost=0.01)


def by_number(result):
    return {trial.params["n"]: trial for trial in result.trials}


@pytest.mark.parametrize("executor", [None, "serial", "thread", "process", "pool"])
def test_wherever_evaluations_run_the_points_are_the_same(executor):
    # One batch at a time: results are told in whatever order, which does not matter to what is suggested.
    expected = carbo.minimize(quick, SPACE, budget=6, batch_size=2, seed=2, accounting="sum")
    if executor == "pool":
        with ProcessPoolExecutor(2) as pool:
            result = carbo.minimize(quick, SPACE, budget=6, workers=2, executor=pool, seed=2, accounting="sum")
    else:
        result = carbo.minimize(quick, SPACE, budget=6, workers=2, executor=executor, seed=2, accounting="sum")
    assert sorted(t.params["n"] for t in result.trials) == sorted(t.params["n"] for t in expected.trials)
    assert result.spent == 6 and result.best.params == {"n": 4}
    assert result.stop_reason == expected.stop_reason


@pytest.mark.parametrize("lost", ["ask_again", "charge"])
def test_processes_that_die_hang_or_raise(lost):
    result = carbo.minimize(
        awkward,
        SPACE,
        budget=1000,
        workers=2,
        executor="process",
        lost=lost,
        seed=1,
        evaluation={"timeout": 0.3},
        max_evaluations=6,
        accounting="sum",
    )
    trials = by_number(result)
    assert sorted(trials) == [1, 2, 3, 4, 5, 6]
    assert trials[2].state == "timed_out" and trials[2].cost == pytest.approx(0.3)
    assert trials[3].state == "failed" and "signal 9" in trials[3].reason
    assert trials[5].reason == "ValueError: five" and trials[5].state == "failed"
    assert [trials[n].state for n in (1, 4, 6)] == ["succeeded"] * 3
    assert not [p for p in multiprocessing.active_children() if p.name == "carbo evaluation"]


def dies_once(x, marks):
    mark = os.path.join(marks, str(x["n"]))
    if not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(3)
    return carbo.Evaluation(x["n"], cost=1.0)


class DiesOnce:
    def __init__(self, marks):
        self.marks = marks

    def __call__(self, x):
        return dies_once(x, self.marks)


def test_a_point_that_was_lost_is_made_again(tmp_path):
    result = carbo.minimize(DiesOnce(str(tmp_path)), SPACE, budget=3, workers=1, executor="process", accounting="sum")
    assert [t.state for t in result.trials] == ["succeeded"] * 3 and len(list(tmp_path.iterdir())) == 3


def test_failures_in_a_row_end_a_run_with_the_last_reason():
    def fails(x):
        raise RuntimeError(f"no {x['n']}")

    result = carbo.minimize(fails, SPACE, budget=3, failures={"max_consecutive": 4})
    assert len(result.trials) == 4 and result.error == result.trials[-1].reason and result.best is None


def test_the_rest_of_a_round_that_an_earlier_run_began_is_evaluated():
    def cost(x):
        return carbo.Evaluation((x["n"] - 20) ** 2, cost=float(x["n"]))

    space = carbo.Space(n=carbo.integer(1, 40))
    study = carbo.Study(space, budget=150, batch_size=3, batches="top_up", seed=1)
    while not any(each.order for each in study.pending):
        for each in study.ask():
            if each.order == 0:
                study.tell(each, cost(each.params))
    assert carbo.minimize(cost, study).spent >= 150 and not study.pending


def test_costs_are_measured_where_it_runs():
    def takes(x):
        time.sleep(0.02 * x["n"])
        return x["n"]

    result = carbo.minimize(takes, SPACE, budget=1, max_evaluations=4, seed=1)
    for trial in result.trials:
        assert trial.cost >= 0.02 * trial.params["n"]
    minutes = carbo.minimize(takes, SPACE, budget=1, unit="min", max_evaluations=2, seed=1)
    assert minutes.spent < 0.1


@pytest.mark.parametrize(
    "returned, words",
    [(None, "returned None"), ("low", "returned 'low'"), ((1, 2), "returned \\(1, 2\\)")],
)
def test_objectives_that_return_no_number_end_the_run(returned, words):
    with pytest.raises(carbo.InvalidObservation, match=words):
        carbo.minimize(lambda x: returned, SPACE, budget=3)


def test_a_number_without_a_cost_needs_a_unit_of_time():
    with pytest.raises(carbo.InvalidObservation, match="EUR") as caught:
        carbo.minimize(lambda x: 1.0, SPACE, budget="3 EUR")
    assert len(caught.value.study.trials) == 1


def test_failures_have_their_reasons_and_costs():
    def fails(x):
        if x["n"] == 1:
            raise carbo.EvaluationFailed(0.5, "out of paper")
        if x["n"] == 2:
            raise carbo.EvaluationFailed(0.75, "too slow", timed_out=True)
        if x["n"] == 3:
            return carbo.Evaluation(float("nan"), cost=0.25)
        if x["n"] == 4:
            return carbo.Evaluation(1.0, cost=-1.0)
        return carbo.Evaluation(float(x["n"]), cost=1.0)

    trials = by_number(carbo.minimize(fails, SPACE, budget=100, unit="EUR", max_evaluations=6, seed=1))
    assert (trials[1].state, trials[1].cost, trials[1].reason) == ("failed", 0.5, "out of paper")
    assert (trials[2].state, trials[2].cost) == ("timed_out", 0.75)
    assert trials[3].reason == "the objective returned nan" and trials[3].cost == 0.25
    assert "cost of -1.0" in trials[4].reason


def test_an_error_of_carbos_in_an_objective_ends_the_run():
    with pytest.raises(carbo.InvalidObservation, match="InvalidConfiguration: .*'n'"):
        carbo.minimize(lambda x: SPACE.check({"zebra": 1})["n"], SPACE, budget=3)


def test_a_callback_that_raises_ends_the_run_and_loses_nothing():
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise StopIteration("enough")

    with pytest.raises(StopIteration) as caught:
        carbo.minimize(quick, SPACE, budget=6, progress=stop, workers=2, accounting="sum")
    study = caught.value.study
    told = [trial for trial in study.trials if trial.finished]
    assert seen[-1].evaluations == 3 <= len(told) <= 4 and not study.pending
    assert seen[-1].best_objective == study.best.objective
    assert carbo.minimize(quick, study).spent >= 6


def slowly(x):
    time.sleep(0.02)
    return x["n"]


@pytest.mark.parametrize("executor", ["serial", "thread", "process"])
@pytest.mark.parametrize("durable", [False, True])
def test_ctrl_c_leaves_a_study_that_goes_on(executor, durable, tmp_path):
    settings = {"budget": "12 evaluations", "execution": "asynchronous", "candidates": {"allow_repeats": True}}
    if durable:
        settings["file"] = tmp_path / "s.db"
    asked = threading.Event()

    def interrupt(progress):
        if progress.evaluations == 3 and not asked.is_set():
            asked.set()
            os.kill(os.getpid(), signal.SIGINT)

    result = carbo.minimize(slowly, SPACE, workers=2, executor=executor, progress=interrupt, seed=1, **settings)
    assert result.stop_reason == "cancelled"
    done = sum(trial.finished for trial in result.trials)
    assert 3 <= done < 12
    if not durable:
        assert not result.study.pending
    on = carbo.minimize(slowly, result.study, workers=2, executor=executor)
    assert sum(trial.finished for trial in on.trials) == 12 and on.stop_reason == "maximum number of evaluations"
    assert {t.id for t in result.trials if t.finished} <= {t.id for t in on.trials if t.finished}


def test_two_loops_on_one_file_share_the_work(tmp_path):
    file = tmp_path / "s.db"
    study = carbo.Study(SPACE, file=file, budget=12, accounting="sum", candidates={"allow_repeats": True}, owner="a")
    other = carbo.Study.open(file, owner="b")
    results = []

    def run(one):
        results.append(carbo.minimize(lambda x: carbo.Evaluation(slowly(x), cost=1.0), one))

    threads = [threading.Thread(target=run, args=(one,)) for one in (study, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    trials = study.trials
    assert {t.owner for t in trials} == {"a", "b"} and 12 <= len(trials) <= 14
    assert all(t.state == "succeeded" for t in trials)
    assert study.spent >= 12


def test_rounds_that_fill_the_workers():
    space = carbo.Space(n=carbo.integer(1, 40))

    def cost(x):
        return carbo.Evaluation((x["n"] - 20) ** 2, cost=float(x["n"]))

    result = carbo.minimize(cost, space, budget=150, workers=3, batches="top_up", seed=1, executor="serial")
    assert result.spent >= 150 and all(t.finished for t in result.trials)
    assert max(sum(u.batch == t.batch and u.slot == t.slot for u in result.trials) for t in result.trials) > 1


def test_strict_budgets_are_kept():
    result = carbo.minimize(quick, SPACE, budget=4.5, strict=True, unit="EUR", seed=1)
    assert result.spent <= 4.5


def test_maximize_results_and_pickles():
    result = carbo.maximize(lambda x: carbo.Evaluation(x["n"], cost=1), SPACE, budget=6, seed=1, unit="EUR")
    assert result.best.objective == max(t.objective for t in result.trials)
    assert pickle.loads(pickle.dumps(result)) == result
    assert "<svg" in result._repr_html_()


def test_plots(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    result = carbo.minimize(quick, SPACE, budget=5, seed=1)
    axes = result.plot()
    line = axes.lines[0]
    assert list(line.get_ydata()) == sorted(line.get_ydata(), reverse=True) and axes.get_xlabel() == "summed cost (s)"


def test_the_bar_says_how_far_it_is(capsys, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # as where it is not installed
    carbo.minimize(quick, SPACE, budget=5, seed=1, progress=True)
    shown = capsys.readouterr().err
    assert "[####################] 5/5 s, best 0" in shown and shown.endswith("\n")


@pytest.mark.parametrize(
    "settings",
    [
        {"workers": 0}, {"workers": 1.5}, {"lost": "never"}, {"executor": "cluster"}, {"executor": 3}, {"budget": None},
        {"most_losses": 0}, {"most_losses": True},
    ],
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(carbo.InvalidOptions):
        carbo.minimize(quick, SPACE, **{"budget": 3, **settings})
    with pytest.raises(carbo.InvalidOptions):
        carbo.minimize(quick, carbo.Study(SPACE, budget=3), budget=4)
    with pytest.raises(carbo.InvalidOptions):
        carbo.minimize(3, SPACE, budget=4)
