"""How many suggestions wait for workers, and that results which come together are told together."""
from __future__ import annotations

import pytest

import carbo
from carbo._reserve import Reserve
from carbo._workers import Outcome

SPACE = {"x": carbo.real(0, 1)}


def reserve(slots, most, ask, evaluation, count=1):
    made = Reserve(slots, most)
    assert made.levels(1000) == (-1, 0)  # before anything is known
    made.asked(count, ask)
    made.evaluated(evaluation)
    return made


def test_nothing_waits_where_evaluations_are_long():
    assert reserve(8, None, ask=0.02, evaluation=60).levels(1000) == (-1, 0)
    assert reserve(8, 0, ask=0.02, evaluation=0.05).levels(1000) == (-1, 0)


def test_many_workers_keep_the_engine_busy_however_long_evaluations_are():
    least, wanted = reserve(2000, None, ask=0.09, evaluation=10).levels(1000)
    assert 0 < least < wanted <= 2000


def test_what_waits_covers_what_ends_during_an_ask():
    for slots, ask, evaluation in ((64, 0.012, 1.0), (8, 0.004, 0.05), (16, 0.01, 0.3)):
        least, wanted = reserve(slots, 1000, ask, evaluation).levels(10000)
        count = wanted - least
        taken = ask * (1 + 0.08 * (count - 1))
        assert slots * taken / evaluation <= least < slots * taken / evaluation + 1
        assert taken <= 0.5 * count * evaluation / slots + 1e-12  # the engine rests half of the time
        assert count == 1 or ask * (1 + 0.08 * (count - 2)) > 0.5 * (count - 1) * evaluation / slots


def test_no_more_waits_than_it_may():
    for results, most in ((0, 8), (200, 20), (10000, 1000)):
        least, wanted = reserve(8, None, ask=10.0, evaluation=0.05).levels(results)
        assert wanted == most and 0 <= least < wanted
    assert reserve(8, 1, ask=1.0, evaluation=0.05).levels(10000) == (0, 1)
    assert reserve(64, None, ask=10.0, evaluation=0.05).levels(500)[1] == 64


def test_a_long_ask_now_and_then_is_covered_for_a_while():
    made = reserve(64, None, ask=0.02, evaluation=1.0)
    before = made.levels(4000)[0]
    made.asked(16, 1.0)  # its models were fitted anew
    assert made.levels(4000)[0] == 64 > before
    for _ in range(200):
        made.asked(3, 0.0232)
    assert made.levels(4000)[0] == before


def test_an_ask_for_many_counts_as_its_share():
    alone = reserve(8, 1000, ask=0.01, evaluation=0.1)
    many = reserve(8, 1000, ask=0.022, evaluation=0.1, count=16)
    batches = [wanted - least for least, wanted in (alone.levels(0), many.levels(0))]
    assert batches[0] == batches[1]


@pytest.mark.parametrize("on_file", [True, False])
def test_results_are_told_together(tmp_path, on_file):
    where = {"file": tmp_path / "study.db"} if on_file else {}
    study = carbo.Study(carbo.Space(SPACE), budget=20, unit="EUR", **where)
    first, second, third, fourth = [*study.ask(3), *study.ask(1)]
    if on_file:
        carbo.Study.open(tmp_path / "study.db").tell(second, 7.0, 1.0)  # and so the first result counts
        study._begin_all([(each.id, "worker") for each in (first, second)])
        assert [trial.worker for trial in study.trials[:2]] == ["worker", ""]
    told = [(each.id, 0.5, 2.0, "", False, {"m": 3.0}, 10.0, 12.0) for each in (first, *([second] if on_file else []))]
    study._tell_all([*told, (third.id, None, 1.5, "it broke", True, None, None, None)])
    by_id = {trial.id: trial for trial in study.trials}
    assert (by_id[first.id].state, by_id[first.id].objective, by_id[first.id].cost) == ("succeeded", 0.5, 2.0)
    assert (by_id[third.id].state, by_id[third.id].reason, by_id[third.id].cost) == ("timed_out", "it broke", 1.5)
    if on_file:
        assert by_id[first.id].metrics == {"m": 3.0} and by_id[first.id].ended == 12.0
        assert by_id[second.id].objective == 7.0 and study.spent == 4.5
        with pytest.raises(carbo.InvalidObservation):  # a mistake leaves no trace of those beside it
            study._tell_all([(id, 1.0, cost, "", False, None, None, None) for id, cost in ((fourth.id, 1.0), (99, -1.0))])
    assert [each.id for each in study.pending] == ([fourth.id] if on_file else [second.id, fourth.id])
    if not on_file:
        study.withdraw(second)
        with pytest.raises(carbo.UnknownSuggestion):  # and the other one is kept
            study._tell_all([(each.id, 1.0, 1.0, "", False, None, None, None) for each in (second, fourth)])
        assert study.pending == [] and study.trials[-1].objective == 1.0


class Waves:
    """Workers whose evaluations end all at once."""

    ends_evaluations = True
    most_waiting = None

    def __init__(self) -> None:
        self.held: dict[int, dict] = {}

    def carbo_workers(self, objective, slots):
        return self

    def submit(self, points):
        self.held.update(points)

    def holds(self, id):
        return id in self.held

    def begun(self, id):
        return 0.0

    def wait(self, seconds):
        ended, self.held = self.held, {}
        # So long that nothing waits, however long an ask takes.
        return [(id, Outcome(1.0, 1e6, carbo.Evaluation(params["x"], cost=1.0))) for id, params in ended.items()]

    def end(self, id):
        self.held.pop(id, None)

    def close(self, wait): ...


def test_what_ended_together_is_stored_before_anybody_hears_of_it(tmp_path, monkeypatch):
    sizes = []
    tell_all = carbo.Study._tell_all
    monkeypatch.setattr(
        carbo.Study, "_tell_all", lambda self, records: (sizes.append(len(records)), tell_all(self, records))[1]
    )
    stored = []

    def watch(progress):
        stored.append(sum(trial.finished for trial in carbo.Study.open(tmp_path / "study.db").trials))
        if len(stored) == 6:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as caught:
        carbo.minimize(
            lambda x: 0.0, carbo.Space(SPACE), budget=40, unit="EUR", batch_size=4, execution="asynchronous", seed=1,
            file=tmp_path / "study.db", executor=Waves(), progress=watch,
        )
    assert sizes[:2] == [4, 4] and stored == [4, 4, 4, 4, 8, 8]
    assert sum(trial.finished for trial in caught.value.study.trials) == 8


def fail_to_store(monkeypatch, times):
    """Of `times` calls that store results none works, as on a disk that is full."""
    tell_all, calls = carbo.Study._tell_all, []

    def full(self, records):
        calls.append(len(records))
        if len(calls) <= times:
            raise carbo.StorageError("the disk is full")
        tell_all(self, records)

    monkeypatch.setattr(carbo.Study, "_tell_all", full)
    return calls


def run_in_waves(tmp_path):
    with pytest.raises(carbo.StorageError, match="the disk is full") as caught:
        carbo.minimize(
            lambda x: 0.0, carbo.Space(SPACE), budget=40, unit="EUR", batch_size=4, execution="asynchronous", seed=1,
            file=tmp_path / "study.db", executor=Waves(),
        )
    return [trial for trial in caught.value.study.trials if trial.finished]


def test_what_could_not_be_stored_is_told_when_the_run_ends(tmp_path, monkeypatch):
    calls = fail_to_store(monkeypatch, 5)  # all together, and each of four
    told = run_in_waves(tmp_path)
    assert calls == [4, 1, 1, 1, 1, 4] and len(told) == 4


def test_one_that_cannot_be_stored_keeps_no_other_from_it(tmp_path, monkeypatch):
    calls = fail_to_store(monkeypatch, 2)  # all together, and the first of four
    told = run_in_waves(tmp_path)
    assert calls == [4, 1, 1, 1, 1, 1] and len(told) == 4


def test_what_is_never_stored_is_said(tmp_path, monkeypatch, caplog):
    fail_to_store(monkeypatch, 1000)
    assert run_in_waves(tmp_path) == []
    said = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert len(said) == 4 and all("was not stored: its objective is 0." in each for each in said), said
