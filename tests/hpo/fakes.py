"""What stands for scikit-learn, its data and scipy's sequence where the collector is tested."""

import contextlib
import io
import os
import random
import sys
import tempfile
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "hpo"))
sys.dont_write_bytecode = True

from collector import collect, journal, learners, measure, repeats  # noqa: E402


class Labels:
    def __init__(self, values):
        self.values = list(values)

    def __ne__(self, other):
        return Labels(a != b for a, b in zip(self.values, other.values))

    def mean(self):
        return sum(self.values) / len(self.values)


class Rows:
    shape = (8, 123)


class Data:
    train_x, train_y, test_x, test_y = Rows(), Labels([0, 1] * 4), Rows(), Labels([0, 1] * 4)


class Model:
    """Wrong on the first rows, as many as the depth says; depths that 5 divides warn, those that 7 divides throw."""

    def __init__(self, configuration):
        self.depth = configuration.get("max_depth", 1)

    def fit(self, _x, _y):
        if self.depth % 7 == 0:
            raise ValueError(f'depth "{self.depth}",\n is a multiple of 7')
        if self.depth % 5 == 0:
            warnings.warn("not converged", RuntimeWarning)
            warnings.warn("old", DeprecationWarning)

    def predict(self, _x):
        wrong = self.depth % 8
        return Labels([1 - y if i < wrong else y for i, y in enumerate(Data.test_y.values)])


class Sleeper(Model):
    """Waits instead of working, as one does whose core is taken by others."""

    def fit(self, _x, _y):
        time.sleep(0.01)


class Importer(Model):
    """Works 50 ms in its first call, as a learner does whose modules are not yet imported."""

    imported = False

    def fit(self, _x, _y):
        until = time.process_time() + (0 if Importer.imported else 0.05)
        while time.process_time() < until:
            pass
        Importer.imported = True


def sequence(parameters, rows, seed):
    """The same first rows whatever `rows` is, as scipy's."""
    draw = random.Random(seed)
    return [{p.name: p.at(draw.random()) for p in parameters} for _ in range(rows)]


@contextlib.contextmanager
def fake_world(make=lambda _learner, configuration, _features: Model(configuration)):
    """The collector with these instead of what it imports."""
    with contextlib.ExitStack() as patches:
        for module, name, value in [(learners, "make", make), (collect, "read_set", lambda *_: Data),
                                    (repeats, "read_set", lambda *_: Data),
                                    (collect, "sobol_configurations", sequence),
                                    (journal, "version", lambda package: f"{package}'s"),
                                    (collect, "CHUNK_SECONDS", 0.005),
                                    (os, "fsync", lambda _: None)]:  # what a killed process wrote is not lost without
            patches.enter_context(mock.patch.object(module, name, value))
        yield


def run(main, *given):
    """Exit status, standard output and standard error of a program called in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main([str(argument) for argument in given])
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def outcome(error=0.25, seconds=0.5, status="ok", note=""):
    return measure.Outcome(status, error, seconds, note)


def make_environment(folder):
    """Stands for the virtual environment that collect and serve install; its Python is this one."""
    environment = folder / "environment"
    python = environment / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -B "$@"\n')
    python.chmod(0o755)
    (environment / "ready").touch()
    return environment


class FolderTest(unittest.TestCase):
    """A test with a folder of its own, whose name has a blank."""

    def setUp(self):
        made = tempfile.TemporaryDirectory(prefix="carbo hpo ")
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
