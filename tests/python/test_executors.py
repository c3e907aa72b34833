"""The closed loop over executors of the caller's."""
import os
import threading
import time
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from test_minimize import SPACE, DiesOnce, quick

import carbo
from carbo._workers import Outcome, SerialWorkers


def test_a_broken_pool_of_the_callers_is_said(tmp_path):
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(BrokenExecutor) as caught:
            carbo.minimize(DiesOnce(str(tmp_path)), SPACE, budget=3, executor=pool, accounting="sum")
    study = caught.value.study
    assert not study.trials and not study.pending  # taken back, and free for whoever goes on
    assert carbo.minimize(DiesOnce(str(tmp_path)), study, executor="process").spent == 3


class Slowly:
    """An executor whose futures have `done` and `result` alone."""

    def __init__(self):
        self.calls = []

    def submit(self, call, *arguments):
        self.calls.append(arguments)

        class Job:
            value = call(*arguments)
            looked_at = 0

            def done(self):
                self.looked_at += 1
                return self.looked_at > 2

            def result(self):
                return self.value

        return Job()


def test_futures_that_are_no_futures():
    executor = Slowly()
    result = carbo.minimize(quick, SPACE, budget=4, executor=executor, workers=2, accounting="sum")
    assert result.spent == 4
    assert len({arguments[-1] for arguments in executor.calls}) == 4  # a call with equal arguments may be taken for one


class NeverSaysWhatRuns:
    """An executor of threads whose futures stay pending until they are done, as Dask's."""

    def __init__(self, threads):
        self.threads = ThreadPoolExecutor(threads)
        self.cancelled = 0

    def submit(self, call, *arguments):
        said, executor = Future(), self
        cancel = said.cancel

        def cancelled():
            executor.cancelled += 1
            return cancel()

        said.cancel = cancelled
        self.threads.submit(call, *arguments).add_done_callback(lambda done: self._pass_on(done, said))
        return said

    @staticmethod
    def _pass_on(done, said):
        if not said.cancelled():
            said.set_exception(done.exception()) if done.exception() else said.set_result(done.result())


def test_time_counts_from_submission_where_an_executor_never_says_what_runs():
    def slow_or_lost(x):
        time.sleep(0.3)
        if x["n"] % 2:
            raise SystemExit
        return x["n"]

    executor = NeverSaysWhatRuns(2)
    lost = carbo.minimize(
        slow_or_lost, SPACE, budget="6 evaluations", workers=2, executor=executor, lost="charge", seed=1
    )
    for trial in lost.trials:
        assert trial.state == ("failed" if trial.params["n"] % 2 else "succeeded") and 0.3 <= trial.cost < 3
    assert executor.cancelled == 0
    late = carbo.minimize(
        lambda x: time.sleep(1), SPACE, budget="2 evaluations", workers=2, executor=executor,
        evaluation={"timeout": 0.2},
    )
    assert [(trial.state, trial.cost) for trial in late.trials] == [("timed_out", pytest.approx(0.2))] * 2
    assert executor.cancelled == 2  # at the end; before, their threads would have been taken for free


def test_what_waits_behind_something_that_hangs_is_not_timed_out():
    begun = time.monotonic()
    result = carbo.minimize(
        lambda x: time.sleep(1.0 if not x["n"] == 4 else 0.01) or x["n"], SPACE, budget="6 evaluations", workers=2,
        executor="thread", evaluation={"timeout": 0.3}, seed=1,
    )
    states = {trial.params["n"]: trial.state for trial in result.trials}
    assert states.pop(4) == "succeeded" and set(states.values()) == {"timed_out"}
    assert time.monotonic() - begun > 1.0


def test_of_what_an_earlier_run_left_no_more_run_at_once_than_there_are_workers():
    running, most = 0, 0

    def counted(x):
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.05)
        running -= 1
        return carbo.Evaluation(x["n"], cost=1.0)

    study = carbo.Study(SPACE, budget="6 evaluations", unit="EUR", batch_size=2, execution="asynchronous", seed=1)
    assert len(study.ask(5)) == 5
    result = carbo.minimize(counted, study, executor=NeverSaysWhatRuns(5))
    assert most == 2
    assert [trial.state for trial in result.trials] == ["succeeded"] * 6 and not study.pending


class StopsWaiting(SerialWorkers):
    """Where nothing runs, nothing ends any more."""

    def __init__(self):
        pass

    def carbo_workers(self, objective, slots):
        super().__init__(objective)
        return self

    def wait(self, seconds):
        assert self._ended
        return super().wait(seconds)


@pytest.mark.parametrize("batches", ["fixed", "top_up"])
def test_what_an_earlier_run_left_in_more_slots_than_there_are_workers_is_evaluated(batches):
    study = carbo.Study(SPACE, budget=6, batch_size=2, batches=batches, seed=1)
    assert {each.slot for each in study.ask(5)} == {0, 1, 2, 3, 4}
    left = {each.id for each in study.pending}
    result = carbo.minimize(quick, study, executor=StopsWaiting())
    assert left <= {trial.id for trial in result.trials if trial.state == "succeeded"} and not study.pending


def test_what_an_earlier_run_left_does_not_begin_once_the_budget_is_spent():
    evaluated = []
    study = carbo.Study(SPACE, budget=1, batch_size=2, execution="asynchronous", seed=1)
    assert len(study.ask(5)) == 5
    result = carbo.minimize(lambda x: evaluated.append(x["n"]) or quick(x), study, executor=NeverSaysWhatRuns(1))
    assert len(evaluated) == len([trial for trial in result.trials if trial.finished]) < 5 and not study.pending


def test_what_does_not_pickle_ends_the_run():
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(carbo.InvalidObservation, match="(?i)pickle") as caught:
            carbo.minimize(lambda x: 1.0, SPACE, budget=3, executor=pool)
    assert caught.value.study.best is None


def sleeps_and_dies(x):
    time.sleep(0.6)
    os._exit(3)


def test_of_a_pool_that_breaks_what_waited_is_not_charged():
    space = carbo.Space(n=carbo.integer(1, 40))
    with ProcessPoolExecutor(2) as pool:
        with pytest.raises(BrokenExecutor) as caught:
            carbo.minimize(sleeps_and_dies, space, budget="1h", workers=8, executor=pool, lost="charge", seed=1)
    study = caught.value.study
    charged = [trial for trial in study.trials if trial.finished]
    assert 1 <= len(charged) <= 2 + 3  # a pool says that what is in its queue to its workers runs
    assert all(trial.state == "failed" and 0.3 < trial.cost < 30 for trial in charged) and not study.pending


class Breaks:
    """An executor of one worker that loses what it runs and what waits, `times` times; then it evaluates at once."""

    def __init__(self, times, seconds):
        self.times = times
        self.seconds = seconds
        self.held = []

    def submit(self, call, *arguments):
        future = Future()
        if not self.times:
            future.set_result(call(*arguments))
            return future
        self.held.append(future)
        if len(self.held) == 1:
            future.set_running_or_notify_cancel()
            threading.Timer(self.seconds, self._break).start()
        return future

    def _break(self):
        self.times -= 1
        held, self.held = self.held, []
        for future in held:
            future.set_exception(BrokenExecutor("it broke"))


@pytest.mark.parametrize("lost", ["charge", "ask_again"])
def test_what_an_executor_lost_before_it_began_is_evaluated_again(lost):
    result = carbo.minimize(
        quick, SPACE, budget="1000s", max_evaluations=4, workers=4, executor=Breaks(1, 0.4), lost=lost, most_losses=1,
        seed=1,
    )
    failed = [trial for trial in result.trials if trial.state == "failed"]
    assert [0.3 < trial.cost < 0.9 for trial in failed] == [True]
    assert [trial.cost for trial in result.trials if trial.state == "succeeded"] == [1.0] * 3


class LosesWorkers(SerialWorkers):
    """Loses a point so many times, begun or not, before it evaluates it."""

    def __init__(self, times, begun):
        self.left = times
        self.begun_then = begun

    def carbo_workers(self, objective, slots):
        super().__init__(objective)
        return self

    def submit(self, points):
        if self.left == 0:
            return super().submit(points)
        self.left -= 1
        lost = Outcome(seconds=2.0 * self.begun_then, reason="lost", lost=True, begun=self.begun_then)
        self._ended += [(id, lost) for id, _ in points]


@pytest.mark.parametrize(
    ("times", "begun", "most", "state"),
    [
        (2, True, 3, "succeeded"), (3, True, 3, "failed"), (1, True, 1, "failed"), (4, True, 5, "succeeded"),
        (19, False, 1, "succeeded"), (20, False, 1, "failed"),
        (29, False, 30, "succeeded"), (30, False, 30, "failed"),
    ],
)
def test_how_often_a_point_may_be_lost(times, begun, most, state):
    result = carbo.minimize(quick, SPACE, budget="1 evaluation", executor=LosesWorkers(times, begun), most_losses=most)
    assert [trial.state for trial in result.trials] == [state]


@pytest.mark.parametrize(
    ("times", "begun", "state", "cost"),
    [(1, True, "failed", 2.0), (1, False, "succeeded", 1.0), (19, False, "succeeded", 1.0), (20, False, "failed", 0.0)],
)
def test_only_what_has_begun_is_charged(times, begun, state, cost):
    result = carbo.minimize(
        quick, SPACE, budget="1 evaluation", unit="s", executor=LosesWorkers(times, begun), lost="charge"
    )
    assert [(trial.state, trial.cost) for trial in result.trials] == [(state, cost)]
