"""CarboSampler on a storage that others use, too: processes, threads, copies, clocks, and who stops the study."""
import collections
import json
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import warnings

import pytest

import carbo

optuna = pytest.importorskip("optuna", reason="Optuna is not installed (tests/python/requirements.txt)")
import carbo._optuna_choice  # noqa: E402
import carbo._optuna_trials  # noqa: E402
from carbo.optuna import CarboSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)
D = optuna.distributions
TrialState = optuna.trial.TrialState
GRID = {"a": D.IntDistribution(1, 6), "b": D.CategoricalDistribution(["p", "q", None, True])}
LINE = {"x": D.FloatDistribution(0.0, 1.0)}


def one(trial):
    return 1.0


def grid_objective(trial):
    a = trial.suggest_int("a", 1, 6)
    b = trial.suggest_categorical("b", ["p", "q", None, True])
    return (a - 4) ** 2 + (b is None)


def grid_sampler(budget=20, **more):
    return CarboSampler(budget, cost=one, seed=1, search_space=GRID, **more)


def points(study):
    return [(trial.params["a"], trial.params["b"]) for trial in study.trials]


@pytest.fixture
def storage(tmp_path):
    return f"sqlite:///{tmp_path / 'study of trials.db'}"


WORKER = """
import sys
sys.path.insert(0, sys.argv[2])
import optuna
from test_optuna_processes import grid_objective, grid_sampler
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.load_study(study_name="shared", storage=sys.argv[1], sampler=grid_sampler(budget=12))
print("ready", flush=True)
sys.stdin.readline()
study.optimize(grid_objective)
"""


def test_two_processes_on_one_storage_share_the_budget_and_no_point(storage):
    study = optuna.create_study(study_name="shared", storage=storage, sampler=grid_sampler(budget=12))
    here = str(pathlib.Path(__file__).parent)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, storage, here], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for worker in workers:
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        worker.communicate("go\n", timeout=300)
        assert worker.returncode == 0
    assert 12 <= len(study.trials) <= 13  # the last of each may be under way when the budget ends
    assert max(collections.Counter(points(study)).values()) == 1
    assert study.sampler.spent(study) == len(study.trials)


def race(storage, monkeypatch, order):
    """Two samplers with one seed choose for trials 0 and 1, neither having seen what the other chose first;
    `order(number, attempt, moment)` holds them up."""
    both_have_chosen = threading.Barrier(2, timeout=60)
    optuna.create_study(study_name="race", storage=storage)
    studies = [optuna.load_study(study_name="race", storage=storage, sampler=grid_sampler()) for _ in range(2)]
    trials = [study.ask() for study in studies]
    publish, settle = carbo._optuna_choice.publish, carbo._optuna_choice.settle

    def publish_in_order(study, trial, attempt, numbers):
        if attempt == 0:
            both_have_chosen.wait()
        order(trial.number, attempt, "publish")
        publish(study, trial, attempt, numbers)
        order(trial.number, attempt, "published")

    def settle_in_order(study, trial, attempt, sampled):
        settle(study, trial, attempt, sampled)
        order(trial.number, attempt, "settled")

    monkeypatch.setattr(carbo._optuna_choice, "publish", publish_in_order)
    monkeypatch.setattr(carbo._optuna_choice, "settle", settle_in_order)
    threads = [threading.Thread(target=grid_objective, args=(trial,)) for trial in trials]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return points(studies[0])


def test_of_two_that_choose_the_same_at_once_one_chooses_again(storage, monkeypatch):
    together = threading.Barrier(2, timeout=60)
    attempts = []

    def order(number, attempt, moment):
        attempts.append((number, attempt))
        if attempt == 0 and moment == "published":
            together.wait()  # both are there before either looks

    first, second = race(storage, monkeypatch, order)
    assert first != second
    assert max(attempts) == (1, 1)  # the later trial changed its mind


def test_an_earlier_trial_gives_way_to_a_later_one_that_has_settled(storage, monkeypatch):
    settled = threading.Event()
    attempts = []

    def order(number, attempt, moment):
        attempts.append((number, attempt))
        if number == 1 and moment == "settled":
            settled.set()
        if number == 0 and attempt == 0 and moment == "publish":
            assert settled.wait(60)

    first, second = race(storage, monkeypatch, order)
    assert first != second
    assert (0, 1) in attempts and (1, 1) not in attempts


def test_threads_of_one_study_share_the_budget_and_no_point():
    sampler = grid_sampler()
    study = optuna.create_study(sampler=sampler)
    study.optimize(grid_objective, n_jobs=2)
    assert 20 <= len(study.trials) <= 21
    assert max(collections.Counter(points(study)).values()) == 1


def test_running_trials_of_others_are_adopted(storage):
    sampler = grid_sampler()
    study = optuna.create_study(storage=storage, study_name="others", sampler=optuna.samplers.RandomSampler(seed=1))
    theirs = study.ask(GRID)  # whoever asked
    ours = optuna.load_study(study_name="others", storage=storage, sampler=sampler).ask(GRID)
    known = sampler.carbo_study(study)
    assert [each.params for each in known.pending] == [theirs.params, ours.params]
    study.tell(theirs, 1.0)
    known = sampler.carbo_study(study)
    assert [each.params for each in known.pending] == [ours.params]
    assert [(each.params, each.origin) for each in known.trials if each.state == "succeeded"] == [(theirs.params, "prior")]


def test_long_points_are_shared_in_parts(storage):
    many = {f"parameter {k:03d} {'of a long name' * 3}": D.FloatDistribution(0, 1) for k in range(100)}
    sampler = CarboSampler(1e6, cost=one, seed=1, search_space=many)
    study = optuna.create_study(storage=storage, sampler=sampler)
    trial = study.ask()
    chosen = trial.relative_params  # chosen and shared, and no parameter has been suggested yet
    stored = study.trials[0]
    assert stored.params == {}
    lengths = [len(json.dumps(value)) for key, value in stored.system_attrs.items() if key.startswith("carbo:")]
    assert len(lengths) > 3 and max(lengths) <= 2045
    assert [each.params for each in sampler.carbo_study(study).pending] == [chosen]


def test_a_study_goes_on_in_another_process_with_what_is_left(storage):
    first = grid_sampler(budget=12)
    study = optuna.create_study(study_name="on", storage=storage, sampler=first)
    study.optimize(grid_objective, n_trials=8)
    assert first.spent(study) == 8.0

    second = grid_sampler(budget=12)
    again = optuna.load_study(study_name="on", storage=storage, sampler=second)
    again.optimize(grid_objective)
    assert len(again.trials) == 12
    # The ninth trial is what a study suggests that was told the eight before it.
    told = carbo.Study(
        carbo.Space(a=carbo.integer(1, 6), b=carbo.categorical(["p", "q", None, True])),
        budget=12, seed=1, accounting="sum", execution="asynchronous",
    )  # fmt: skip
    for trial in again.trials[:8]:
        told.tell(told.adopt(trial.params), trial.value, 1.0)
    assert again.trials[8].params == told.ask(1)[0].params


def test_what_is_known_is_appended_and_not_told_again(monkeypatch):
    made, told = [], []
    follower, learn = carbo._optuna_choice.Follower, carbo._optuna_engine.Follower._learn
    monkeypatch.setattr(
        carbo._optuna_choice, "Follower", lambda *arguments: made.append(1) or follower(*arguments)
    )
    monkeypatch.setattr(
        follower, "_learn", lambda self, trial, point: told.append(trial.number) or learn(self, trial, point)
    )
    study = optuna.create_study(sampler=grid_sampler())
    study.optimize(grid_objective, n_trials=6)
    assert len(made) == 1
    assert told == [0, 1, 2, 3, 4]  # the last one has not been needed yet


def test_copies_suggest_the_same_and_one_sampler_serves_several_studies():
    sampler = grid_sampler()
    study = optuna.create_study(sampler=sampler)
    study.optimize(grid_objective, n_trials=5)
    copied = pickle.loads(pickle.dumps(sampler))
    for one_of in (copied, sampler, sampler):
        again = optuna.create_study(sampler=one_of)
        again.optimize(grid_objective, n_trials=5)
        assert points(again) == points(study)
    sampler.reseed_rng()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_after_a_fork_the_sampler_begins_anew(storage):
    study = optuna.create_study(storage=storage, sampler=grid_sampler())
    study.optimize(grid_objective, n_trials=3)
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork with threads of the engine's
        child = os.fork()
    if child == 0:
        try:
            forked = optuna.load_study(study_name=study.study_name, storage=storage, sampler=study.sampler)
            forked.optimize(grid_objective, n_trials=2)
            os.write(write, b"%d" % len(forked.trials))
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        assert answer.read() == "5"
    assert os.waitpid(child, 0)[1] == 0


class HandClock:
    """Time that passes where a test says so."""

    def __init__(self):
        self.now = 1000.0

    def perf_counter(self):
        return self.now

    def time(self):
        return 1e9 + self.now


def test_the_clock_measures_trials_and_not_the_sampler(monkeypatch):
    clock = HandClock()
    monkeypatch.setattr(carbo._optuna_trials, "time", clock)
    monkeypatch.setattr(carbo.optuna, "time", clock)

    class Slow(optuna.samplers.RandomSampler):
        def sample_independent(self, *arguments):
            clock.now += 500.0
            return super().sample_independent(*arguments)

    ask = carbo.Study.ask

    def slow_ask(study, count):
        clock.now += 700.0
        return ask(study, count)

    monkeypatch.setattr(carbo.Study, "ask", slow_ask)

    def objective(trial):
        clock.now += 1.0
        x = trial.suggest_float("x", 0, 1)
        clock.now += 2.5
        y = trial.suggest_float("y", 0, 1) if trial.number == 2 else 0
        clock.now += 0.25
        return x + y

    sampler = CarboSampler("1 min", unit="min", independent_sampler=Slow(seed=1), warn_independent_sampling=False)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective)
    assert len(study.trials) == 16  # of 3.75 s each
    assert sampler.spent(study) == 1.0


def test_a_trial_may_be_told_by_another_process_than_asked_for_it(storage, monkeypatch):
    clock = HandClock()
    monkeypatch.setattr(carbo._optuna_trials, "time", clock)
    monkeypatch.setattr(carbo.optuna, "time", clock)
    asked = optuna.create_study(study_name="s", storage=storage, sampler=CarboSampler(100, seed=1, search_space=LINE))
    trial = asked.ask(LINE)
    clock.now += 5.5
    sampler = CarboSampler(100, seed=2)
    told = optuna.load_study(study_name="s", storage=storage, sampler=sampler)
    told.tell(trial.number, 0.5)
    assert sampler.spent(told) == 5.5


def test_who_stops_a_study():
    sampler = CarboSampler(5, cost=one, seed=1, search_space=LINE, stop=False)
    study = optuna.create_study(sampler=sampler)
    with pytest.warns(UserWarning, match=r"the budget of 5 s is spent, and nothing stops the study.*stop_when_spent"):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=8)
    assert len({trial.params["x"] for trial in study.trials}) == 8  # suggestions, beyond the budget, too
    phases = {trial.phase for trial in sampler.carbo_study(study).trials}
    assert phases != {None}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = optuna.create_study(sampler=CarboSampler(5, cost=one, seed=1, search_space=LINE, stop=False))
        again.optimize(lambda trial: trial.suggest_float("x", 0, 1), callbacks=[again.sampler.stop_when_spent])
    assert len(again.trials) == 5

    asked = optuna.create_study(sampler=CarboSampler(2, cost=one, seed=1, search_space=LINE))
    for _ in range(2):
        trial = asked.ask()
        asked.tell(trial, trial.suggest_float("x", 0, 1))
    assert asked.sampler.done(asked)
    with pytest.warns(UserWarning, match=r"end the loop when sampler\.done\(study\)"):
        asked.ask().suggest_float("x", 0, 1)


def test_what_is_not_possible_is_said():
    several = optuna.create_study(directions=["minimize", "maximize"], sampler=CarboSampler(5, cost=one))
    with pytest.raises(carbo.InvalidOptions, match="the study has 2 objectives"):
        several.ask()
    for wrong, words in (
        ({"budget": -1}, "budget"),
        ({"budget": "40 evaluations"}, "n_trials"),
        ({"budget": "2 EUR"}, "which no clock measures"),
        ({"budget": 1, "cost": 3.0}, "the name of a user attribute"),
        ({"budget": 1, "pruned": "no"}, "pruned is 'no'"),
        ({"budget": 1, "others": "no"}, "others is 'no'"),
        ({"budget": 1, "acquisition": "ie"}, "acquisition"),
        ({"budget": 1, "acquisitions": "ei"}, "acquisition"),
        ({"budget": 1, "cost_settings": {"model": "linaer"}}, "model"),
        ({"budget": 1, "batch_size": 2}, "n_jobs"),
        ({"budget": 1, "strict": True}, "strict is no setting"),
        ({"budget": 1, "search_space": {"x": 3}}, "'x' is 3"),
    ):
        with pytest.raises((carbo.InvalidOptions, carbo.InvalidSpace), match=words):
            CarboSampler(**wrong)
    with pytest.raises(carbo.InvalidSpace, match="no trial is complete yet"):
        fresh = optuna.create_study(sampler=CarboSampler(1))
        fresh.sampler.carbo_study(fresh)


def test_what_cannot_be_searched_is_drawn_and_said():
    def objective(trial):
        return trial.suggest_float("fine", 0, 1, step=1e-9) + trial.suggest_float("x", 0, 1)

    study = optuna.create_study(sampler=CarboSampler(100, cost=one, seed=1))
    with pytest.warns(UserWarning, match="parameter 'fine' is drawn independently: .* in steps of 1e-09"):
        study.optimize(objective, n_trials=3)
    assert study.sampler.carbo_study(study).space.names == ("x",)
