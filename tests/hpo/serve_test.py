"""Configurations as they come from another process, good and bad; and the entries in the shell."""

import io
import json
import os
import subprocess
import sys
import unittest
from unittest import mock

from fakes import ROOT, Data, FolderTest, fake_world, make_environment, run

from collector import serve

GOOD = {"max_depth": 6, "min_samples_split": 0.25, "max_features": 0.5}


class ServeTest(FolderTest):
    def serve(self, *lines, problem="dt_a1a", read_set=lambda *_: Data):
        """Exit status, what was answered to these lines, and standard error."""
        out = io.StringIO()
        text = [line if isinstance(line, bytes) else line.encode() for line in lines]
        with fake_world(), mock.patch.object(serve, "read_set", read_set):
            given = ["--data", str(self.folder), "--problem", problem]
            status, _, err = run(lambda arguments: serve.main(arguments, io.BytesIO(b"\n".join(text)), out), *given)
        return status, [json.loads(line) for line in out.getvalue().splitlines()], err

    def refused(self, line, *parts):
        """The line is refused with a reason that has these parts, and the next is answered."""
        status, answers, _ = self.serve(line, json.dumps(GOOD))
        self.assertEqual((status, len(answers)), (0, 3))
        self.assertEqual(set(answers[1]), {"status", "reason"})
        self.assertEqual(answers[1]["status"], "refused")
        for part in parts:
            self.assertIn(part, answers[1]["reason"])
        self.assertEqual(answers[2]["status"], "ok")

    def test_each_line_is_answered(self):
        status, answers, err = self.serve(*(json.dumps({**GOOD, "max_depth": depth}) for depth in (6, 10, 14)))
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(answers[0], {"ready": True, "problem": "dt_a1a"})
        for answer in answers[1:]:
            self.assertEqual(set(answer), {"status", "error", "seconds", "note"})
            self.assertGreater(answer.pop("seconds"), 0)
        self.assertEqual(answers[1:], [
            {"status": "ok", "error": 6 / 8, "note": ""},
            {"status": "warned", "error": 2 / 8, "note": "DeprecationWarning RuntimeWarning"},
            {"status": "failed", "error": None, "note": "ValueError: depth '14'; is a multiple of 7"}])

    def test_without_lines_it_ends(self):
        self.assertEqual(self.serve(), (0, [{"ready": True, "problem": "dt_a1a"}], ""))

    def test_lines_that_are_no_configuration(self):
        self.refused("max_depth=6", "the line is not JSON")
        self.refused("", "the line is not JSON")
        self.refused(b'{"max_depth": "\xff"}', "the line is not JSON")
        self.refused("[" * 100000, "the line is not JSON")
        self.refused("[6, 0.25, 0.5]", "not a JSON object")
        self.refused("{}", "no value for max_depth, min_samples_split, max_features")
        self.refused(json.dumps({**GOOD, "depth": 6}), "no parameter is called 'depth': there are max_depth,")

    def test_values_outside_the_space(self):
        for name, value, part in [("max_depth", 65, "65 is outside [1, 64]"), ("max_depth", "6", "not an integer"),
                                  ("max_depth", 6.5, "6.5 is not an integer"), ("max_depth", True, "not an integer"),
                                  ("max_features", None, "None is not a number"),
                                  ("max_features", float("nan"), "nan is outside [0.001, 0.5]"),
                                  ("max_features", float("inf"), "inf is outside")]:
            self.refused(json.dumps({**GOOD, name: value}), f"{name}: ", part)

    def test_a_problem_that_is_none(self):
        status, answers, err = self.serve(json.dumps(GOOD), problem="dt_a9a")
        self.assertEqual((status, answers), (1, []))
        self.assertIn("serve: no problem is called 'dt_a9a': there are knn_a1a,", err)

    def test_without_scikit_learn(self):
        for file in ("a1a", "a1a.t"):
            (self.folder / file).write_text("+1 1:1\n")
        with mock.patch.dict(sys.modules, {"numpy": None}):
            status, answers, err = self.serve(json.dumps(GOOD), read_set=serve.read_set)
        self.assertEqual((status, answers), (1, []))
        self.assertIn("bench/hpo/serve installs what it needs", err)


class EntryTest(FolderTest):
    """The scripts, with an environment whose Python is this one."""

    def setUp(self):
        super().setUp()
        self.environment = {**os.environ, "CARBO_HPO_ENVIRONMENT": str(make_environment(self.folder))}

    def call(self, entry, *given):
        return subprocess.run([ROOT / "bench" / "hpo" / entry, *given], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def test_paths_are_relative_to_the_caller(self):
        if sys.version_info >= (3, 11):  # as scikit-learn's version needs: a namesake in the caller's folder is not run
            (self.folder / "collector").mkdir()
            (self.folder / "collector" / "__init__.py").write_text("raise SystemExit('the wrong collector')\n")
        ended = self.call("collect", "--data", "sets", "--out", "tables", "--problems", "dt_a1a")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("collect: data set a1a: sets/a1a and sets/a1a.t not found", ended.stderr)
        self.assertTrue((self.folder / "tables").is_dir())

    def test_nothing_but_answers_on_standard_output(self):
        ended = self.call("serve", "--data", "sets", "--problem", "dt_a1a")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("serve: data set a1a: sets/a1a and sets/a1a.t not found", ended.stderr)

    def test_one_thread(self):
        program = "import os; print(*(os.environ[f'{n}_NUM_THREADS'] for n in ('OMP', 'OPENBLAS', 'MKL')))"
        python = self.folder / "environment" / "bin" / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{program}"\n')
        self.assertEqual(self.call("collect").stdout, "1 1 1\n")


if __name__ == "__main__":
    unittest.main()
