"""Lives of objects: many of them, after a fork, from many threads, in callables, in sub-interpreters."""
import gc
import os
import pathlib
import subprocess
import sys
import threading

import pytest

import carbo


def resident_bytes():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_ten_thousand_studies_leave_no_memory_behind():
    space = carbo.Space(x=carbo.real(0, 1), c=carbo.categorical(["a", None]))

    def make(count):
        for _ in range(count):
            own = carbo.Space(x=carbo.real(0, 1)).constrain(lambda x: True, "all")
            carbo.Study(own, budget=3, backend={"threads": 1, "memory_bytes": 2**28}, cost={"known": lambda x: 1.0})
            study = carbo.Study(space, budget=3, backend={"threads": 1, "memory_bytes": 2**28})
            study.enqueue({"x": 0.5, "c": None})
        gc.collect()

    make(500)
    before = resident_bytes()
    make(5000)
    assert resident_bytes() - before < 8 * 2**20


def test_what_a_study_returned_outlives_it(study):
    suggestion = study.ask(1)[0]
    trials, best, space = study.trials, study.best, study.space
    other = carbo.Study(space, budget=5)
    del study
    gc.collect()
    assert suggestion.params and suggestion.receipt.phase and best in trials
    assert space.check(best.params) == best.params
    with pytest.raises(carbo.UnknownSuggestion):
        other.tell(suggestion, 1.0, cost=1.0)


def test_constraints_and_costs_that_raise_pass_through():
    calm = threading.Event()

    class Odd(Exception):
        pass

    def constraint(x):
        if calm.is_set():
            raise Odd("not today")
        return True

    def cost(x):
        if calm.is_set():
            raise Odd("nor tomorrow")
        return 1.0

    space = carbo.Space(x=carbo.real(0, 1)).constrain(constraint, "odd")
    study = carbo.Study(space, budget=50, seed=1)
    known = carbo.Study(carbo.Space(x=carbo.real(0, 1)), budget=50, seed=1, cost={"known": cost})
    for each in (study, known):
        for s in each.ask(3):
            each.tell(s, s.params["x"], cost=1.0)
    calm.set()
    before = [(each.spent, len(each.trials)) for each in (study, known)]
    for each in (study, known):
        with pytest.raises(Odd):
            each.ask(2)
    assert [(each.spent, len(each.trials)) for each in (study, known)] == before
    calm.clear()
    for each in (study, known):
        assert len(each.ask(2)) == 2


def test_constraints_that_return_no_truth_or_call_their_study():
    held = {}

    def meddles(x):
        if "study" in held:
            held["study"].spent
        return True

    study = carbo.Study(carbo.Space(x=carbo.real(0, 1)).constrain(meddles, "meddles"), budget=50)
    held["study"] = study
    with pytest.raises(carbo.ConcurrentCall, match="it may look at its argument alone"):
        study.ask(2)
    held.clear()
    assert len(study.ask(2)) == 2
    costs = carbo.Study(carbo.Space(x=carbo.real(0, 1)), budget=50, cost={"known_part": lambda x: "much"})
    costs.tell(costs.ask(1)[0], 1.0, cost=1.0)
    with pytest.raises((TypeError, ValueError)):
        for _ in range(9):
            costs.tell(costs.ask(1)[0], 1.0, cost=1.0)


def test_a_thread_that_asks_while_others_tell():
    study = carbo.Study(carbo.Space(x=carbo.real(0, 1)), budget=8, seed=1, execution="asynchronous", batch_size=4)
    faults, told = [], []

    def work():
        try:
            while not study.done:
                for s in study.ask(1):
                    study.spent, study.best
                    study.tell(s, s.params["x"], cost=1.0)
                    told.append(s.id)
        except Exception as error:  # noqa: BLE001
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and len(told) == len(set(told)) == len(study.trials)


def test_the_gil_is_free_while_work_is_done():
    """A thread in a constraint of its own goes on while another one asks: neither holds the other up for good."""
    ticks = []
    over = threading.Event()

    def tick():
        while not over.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    study = carbo.Study(carbo.Space({f"x{i}": carbo.real(0, 1) for i in range(6)}), budget=400, seed=1)
    for s in study.ask(60):
        study.tell(s, sum(s.params.values()), cost=1.0)
    before = len(ticks)
    study.ask(4)
    during = len(ticks) - before
    over.set()
    thread.join()
    assert during > 0


def test_fork_after_import():
    study = carbo.Study(carbo.Space(x=carbo.real(0, 1)), budget=5)
    study.tell(study.ask(1)[0], 1.0, cost=1.0)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            try:
                study.ask(1)
            except carbo.OtherProcess:
                fresh = carbo.Study(carbo.Space(x=carbo.real(0, 1)), budget=3)
                for s in fresh.ask(3):
                    fresh.tell(s, s.params["x"], cost=1.0)
                del study  # gone without waiting for threads that are the parent's
                status = 0 if fresh.best is not None else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    study.tell(study.ask(1)[0], 2.0, cost=1.0)


def test_sub_interpreters_are_refused_clearly():
    code = """
import sys
import _xxsubinterpreters as interpreters
import carbo
inner = interpreters.create()
script = '''
try:
    import carbo
except ImportError as error:
    print("refused:", error)
else:
    print("imported")
'''
interpreters.run_string(inner, script)
"""
    pytest.importorskip("_xxsubinterpreters")
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "refused:" in ran.stdout and "main interpreter" in ran.stdout


def test_the_end_of_a_program_with_studies_alive():
    code = """
import carbo, threading
space = carbo.Space(x=carbo.real(0, 1)).constrain(lambda x: True, "all")
study = carbo.Study(space, budget=5, cost={"known": lambda x: 1.0})
study.ask(2)
cycle = {"study": study}
cycle["self"] = cycle
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
