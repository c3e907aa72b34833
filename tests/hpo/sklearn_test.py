"""The collector with scikit-learn itself, on a small data set that is made here. Skipped (77) where it is not installed
and bench/hpo/collect has not installed it either."""

import json
import os
import random
import subprocess
import sys
import unittest
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

from fakes import ROOT, FolderTest, make_environment

from collector import datasets, learners, made_sets
from collector.measure import evaluate_once
from collector.problems import COLLECTIONS, all_problems, find_problems
from collector.spaces import load_spaces, sobol_configurations
from collector.table import read_table

SKIPPED = 77  # SKIP_RETURN_CODE of this test


def every_space():
    return {learner: space for file, _ in COLLECTIONS.values() for learner, space in load_spaces(file).items()}


def write_set(folder, name, rows, seed):
    """Labels that follow the first two features, all features in {0, 1}; about a tenth of the labels is turned."""
    draw = random.Random(seed)
    lines = []
    for _ in range(rows):
        on = [feature for feature in range(1, 31) if draw.random() < 0.3]
        positive = (1 in on or 2 in on) != (draw.random() < 0.1)
        lines.append(("+1 " if positive else "-1 ") + " ".join(f"{feature}:1" for feature in on) + "\n")
    (folder / name).write_text("".join(lines))


class SetsTest(FolderTest):
    def setUp(self):
        super().setUp()
        write_set(self.folder, "a1a", 120, 1)
        write_set(self.folder, "a1a.t", 90, 2)


class LearnersTest(SetsTest):
    def test_parameters_reach_the_estimator(self):
        # Names that scikit-learn does not have: what becomes of them is checked below.
        own = {"knn": {"projected_share", "projection"}, "mlp": {"layers", "units1", "units2", "units3", "units4"},
               "extra": {"sampling"}, "logistic": {"scaling"}, "nystroem": {"degree"}}
        estimators = {"knn": "kneighborsclassifier__", "logistic": "logisticregression__", "nystroem": "nystroem__"}
        for learner, space in every_space().items():
            for share in (0.0, 0.4, 0.999):
                configuration = {p.name: p.at(share) for p in space}
                given = learners.make(learner, configuration, 123).get_params()
                for name in configuration.keys() - own.get(learner, set()):
                    key = "ridgeclassifier__alpha" if name == "alpha" and learner == "nystroem" else \
                        estimators.get(learner, "") + name
                    self.assertEqual(given[key], configuration[name], f"{learner} {name}")
                states = {value for name, value in given.items() if name.endswith("random_state")}
                self.assertEqual(states, {0})

    def test_names_that_scikit_learn_does_not_have(self):
        made = {name: {p.name: p.at(0.5) for p in space} for name, space in every_space().items()}
        for sampling, bootstrap in (("all", False), ("bootstrap", True)):
            self.assertEqual(learners.make("extra", {**made["extra"], "sampling": sampling}, 25).bootstrap, bootstrap)
        for scaling, scaler in (("none", "NoneType"), ("standard", "StandardScaler"), ("minmax", "MinMaxScaler")):
            steps = learners.make("logistic", {**made["logistic"], "scaling": scaling}, 25).steps
            self.assertEqual(type(steps[0][1]).__name__, scaler)
        for kernel, degree in (("rbf", None), ("laplacian", None), ("polynomial", 4)):
            steps = learners.make("nystroem", {**made["nystroem"], "kernel": kernel, "degree": 4}, 25).steps
            self.assertEqual(steps[0][1].degree, degree)

    def test_neighbours_are_sought_in_fewer_dimensions(self):
        space = load_spaces()["knn"]
        for share, components in [(1e-6, 1), (0.004, 1), (0.1, 12), (1.0, 123)]:
            for kind in ("gaussian", "sparse"):
                configuration = {**{p.name: p.at(0.5) for p in space}, "projected_share": share, "projection": kind}
                projection = learners.make("knn", configuration, 123)[0]
                self.assertEqual(projection.n_components, components)
                self.assertEqual(type(projection).__name__, f"{kind.capitalize()}RandomProjection")

    def test_layers_that_are_not_there_have_no_units(self):
        space = {p.name: p.at(0.5) for p in load_spaces()["mlp"]}
        units = {"units1": 10, "units2": 20, "units3": 30, "units4": 40}
        for layers in (1, 2, 3, 4):
            made = learners.make("mlp", {**space, **units, "layers": layers}, 123)
            self.assertEqual(made.hidden_layer_sizes, (10, 20, 30, 40)[:layers])

    def test_a_trained_learner_beats_guessing(self):
        data = datasets.read_set(self.folder, "a1a")
        configuration = {"n_estimators": 50, "max_depth": 10, "min_samples_split": 0.1}
        outcome, _ = evaluate_once("rf", configuration, data)
        self.assertEqual((outcome.status, outcome.note), ("ok", ""))
        self.assertLess(outcome.error, 0.35)
        self.assertEqual(evaluate_once("rf", configuration, data)[0].error, outcome.error)

    def test_exceptions_and_warnings_of_scikit_learn(self):
        data = datasets.read_set(self.folder, "a1a")
        space = {name: {p.name: p.at(0.5) for p in parameters} for name, parameters in load_spaces().items()}
        outcome, _ = evaluate_once("knn", {**space["knn"], "n_neighbors": 256}, data)  # of 120 rows
        self.assertEqual((outcome.status, outcome.error), ("failed", None))
        self.assertTrue(outcome.note.startswith("ValueError: "), outcome.note)
        outcome, _ = evaluate_once("svm", {**space["svm"], "max_iter": 1, "alpha": 1e-3}, data)
        self.assertEqual((outcome.status, outcome.note), ("warned", "ConvergenceWarning"))
        self.assertIsNotNone(outcome.error)


class MadeSetsTest(unittest.TestCase):
    def test_rows_are_dealt_out_once_and_always_the_same(self):
        for name, rows, features, classes in (("digits", 1797, 64, 10), ("clusters", 5000, 25, 2)):
            data, again = datasets.read_set(None, name), datasets.read_set(None, name)
            self.assertTrue((data.train_x == again.train_x).all() and (data.test_y == again.test_y).all())
            every = {row.tobytes() for part in (data.train_x, data.test_x) for row in part}
            self.assertEqual((len(every), data.test_x.shape[1]), (rows, features))
            self.assertEqual(len(data.train_y), made_sets.TRAINING_ROWS[name])
            for labels in (data.train_y, data.test_y):
                self.assertEqual(len(set(labels.tolist())), classes)


class DataTest(SetsTest):
    def test_test_rows_are_evenly_spaced(self):
        with mock.patch.object(datasets, "TEST_ROWS", 4):
            data = datasets.read_set(self.folder, "a1a")
        lines = (self.folder / "a1a.t").read_text().splitlines()
        self.assertEqual((data.train_x.shape, data.test_x.shape), ((120, 123), (4, 123)))
        for row, place in enumerate((0, 22, 45, 67)):
            label, *cells = lines[place].split()
            self.assertEqual(data.test_y[row], int(label == "+1"))
            self.assertEqual([f"{i + 1}:1" for i in data.test_x[row].nonzero()[0]], cells)

    def test_files_that_are_no_data(self):
        for text, part in [("", "the file has no rows"), ("+1 one:1\n", "not LIBSVM's format with 123 features"),
                           ("yes 1:1\n", "not LIBSVM's format"), ("+1 124:1\n", "not LIBSVM's format with 123")]:
            (self.folder / "a1a.t").write_text(text)
            with self.assertRaisesRegex(ValueError, part) as caught:
                datasets.read_set(self.folder, "a1a")
            self.assertIn(str(self.folder / "a1a.t"), str(caught.exception))


class SequenceTest(unittest.TestCase):
    def test_longer_sequences_begin_with_shorter_ones(self):
        for problem in all_problems():
            longest = sobol_configurations(problem.parameters, 100, problem.seed)
            self.assertEqual(len(longest), 100)
            for rows in (1, 2, 63, 64, 65):
                self.assertEqual(sobol_configurations(problem.parameters, rows, problem.seed), longest[:rows])

    def test_values_are_spread_evenly_and_problems_differ(self):
        depths = {}
        for problem in find_problems(["rf_a1a", "rf_w2a"]):
            drawn = [c["max_depth"] for c in sobol_configurations(problem.parameters, 64, problem.seed)]
            self.assertEqual(sorted(drawn), list(range(1, 65)))
            depths[problem.name] = drawn
        self.assertNotEqual(depths["rf_a1a"], depths["rf_w2a"])


class EntriesTest(SetsTest):
    """From the shell to the table and back, with the environment that runs this test."""

    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "CARBO_HPO_ENVIRONMENT": str(make_environment(self.folder))}

    def command(self, entry, *given):
        return {"args": [ROOT / "bench" / "hpo" / entry, "--data", ".", *given], "cwd": self.folder,
                "env": self.environment, "text": True}

    def converse(self, problem, lines):
        """Each line is sent when the one before it has been answered."""
        with subprocess.Popen(**self.command("serve", "--problem", problem.name), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as served:
            self.assertEqual(json.loads(served.stdout.readline()), {"ready": True, "problem": problem.name})
            for line in lines:
                print(line, file=served.stdin, flush=True)
                yield json.loads(served.stdout.readline())
            served.stdin.close()
            self.assertEqual((served.wait(), served.stdout.read()), (0, ""))

    def test_collected_rows_are_served_with_the_same_errors(self):
        for rows in ("4", "9"):
            ended = subprocess.run(**self.command("collect", "--out", "tables", "--problems", "dt_a1a", "knn_a1a",
                                                  "--rows", rows, "--quick-rows", rows), capture_output=True)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        for problem in find_problems(["dt_a1a", "knn_a1a"]):
            rows = read_table(self.folder / "tables" / f"{problem.name}.csv", problem.parameters)
            self.assertEqual([row.configuration for row in rows],
                             sobol_configurations(problem.parameters, 9, problem.seed))
            refused, *answers = self.converse(problem, ["{}"] + [json.dumps(row.configuration) for row in rows])
            self.assertEqual(refused["status"], "refused")
            self.assertEqual([(a["status"], a["note"]) for a in answers], [(row.status, row.note) for row in rows])
            for answer, row in zip(answers, rows):
                self.assertEqual(answer["error"] is None, row.error is None)
                self.assertAlmostEqual(answer["error"] or 0, row.error or 0, places=6)
        journal = (self.folder / "tables" / "journal.csv").read_text().splitlines()
        self.assertEqual([line.split(",")[1:4] for line in journal[1:]],
                         [[name, row, "1"] for row in ("0", "4") for name in ("dt_a1a", "knn_a1a")])


def run_where_it_is_installed():
    """In this Python, or in that of the collector's environment; SKIPPED where neither has scikit-learn."""
    if find_spec("sklearn"):
        unittest.main()
    environment = Path(os.environ.get("CARBO_HPO_ENVIRONMENT", ROOT / "build" / "hpo-environment"))
    python = environment / "bin" / "python"
    if (environment / "ready").exists() and Path(sys.prefix).resolve() != environment.resolve():
        os.execv(python, [python, *sys.argv])
    print(f"scikit-learn is not installed and {environment} is not there; bench/hpo/collect makes it: skipped")
    sys.exit(SKIPPED)


if __name__ == "__main__":
    run_where_it_is_installed()
