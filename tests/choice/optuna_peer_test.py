"""What the peer hands to Optuna and answers, with a stand-in for Optuna; and the entry in the shell."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "choice" / "peer"))
sys.dont_write_bytecode = True

import optuna_peer  # noqa: E402

PARAMETERS = [{"name": "x", "type": "real", "low": 0.5, "high": 8.0, "log": True},
              {"name": "n", "type": "integer", "low": 1, "high": 5, "log": False},
              {"name": "c", "type": "categorical", "choices": ["a", "b"]}]


class Study:
    """Proposes the number of the trial for each parameter, and remembers what it is told."""

    def __init__(self, sampler):
        self.sampler, self.told, self.asked = sampler, [], 0

    def ask(self, distributions):
        self.asked += 1
        self.distributions = distributions
        return types.SimpleNamespace(number=self.asked, params={name: self.asked for name in distributions})

    def tell(self, trial, value=None, state=None):
        self.told.append((trial.number, value, state))


def fake_optuna(studies):
    def create_study(direction, sampler):
        assert direction == "minimize"
        studies.append(Study(sampler))
        return studies[-1]

    space = types.SimpleNamespace
    return space(
        distributions=space(CategoricalDistribution=lambda choices: ("choices", choices),
                            IntDistribution=lambda low, high, log: ("int", low, high, log),
                            FloatDistribution=lambda low, high, log: ("float", low, high, log)),
        samplers=space(GPSampler=lambda seed: ("GPSampler", seed), TPESampler=lambda seed: ("TPESampler", seed)),
        exceptions=space(ExperimentalWarning=UserWarning), trial=space(TrialState=space(FAIL="fail")),
        logging=space(set_verbosity=lambda level: None, ERROR=40), create_study=create_study)


class PeerTest(unittest.TestCase):
    def peer(self, *lines):
        """Exit status, answers, studies that were made and standard error."""
        studies, out, err = [], io.StringIO(), io.StringIO()
        with mock.patch.dict(sys.modules, {"optuna": fake_optuna(studies)}), contextlib.redirect_stderr(err):
            status = optuna_peer.main(io.StringIO("\n".join(lines)), out)
        return status, [json.loads(line) for line in out.getvalue().splitlines()], studies, err.getvalue()

    @staticmethod
    def start(sampler="gp", parameters=PARAMETERS):
        return json.dumps({"sampler": sampler, "seed": 7, "parameters": parameters})

    def test_every_line_is_answered_by_a_proposal(self):
        status, answers, studies, err = self.peer(self.start(), '{"objective": 0.25}', '{"failed": true}')
        self.assertEqual((status, err), (0, ""))
        self.assertEqual([a["values"] for a in answers], [dict.fromkeys("xnc", i) for i in (1, 2, 3)])
        seconds = [a["seconds"] for a in answers]
        self.assertEqual(seconds, sorted(seconds))
        self.assertEqual(studies[0].told, [(1, 0.25, None), (2, None, "fail")])

    def test_space_and_seed_reach_the_sampler(self):
        _, _, studies, _ = self.peer(self.start("tpe"))
        self.assertEqual(studies[0].sampler, ("TPESampler", 7))
        self.assertEqual(studies[0].distributions, {"x": ("float", 0.5, 8.0, True), "n": ("int", 1, 5, False),
                                                    "c": ("choices", ["a", "b"])})
        self.assertEqual(self.peer(self.start("gp"))[2][0].sampler, ("GPSampler", 7))

    def test_what_is_wrong_is_named(self):
        for lines, part in ((["nonsense"], "Expecting value"), ([self.start("cma")], "'cma' is no sampler"),
                            ([self.start(parameters=[{"name": "x", "type": "complex"}])], "'complex' is no type"),
                            ([self.start(), "{}"], "objective")):
            status, _, _, err = self.peer(*lines)
            self.assertEqual(status, 1, lines)
            self.assertIn(part, err)

    def test_nothing_said_is_refused(self):
        status, answers, _, err = self.peer()
        self.assertEqual((status, answers), (1, []))
        self.assertIn("optuna_peer: ", err)


class ShellTest(unittest.TestCase):
    def test_the_environment_that_is_named_is_used(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ready").touch()
            (Path(folder) / "bin").mkdir()
            python = Path(folder) / "bin" / "python"
            python.write_text("#!/bin/sh\nprintf '%s\\n' \"$PYTHONPATH\" \"$OMP_NUM_THREADS\" \"$@\"\n", encoding="utf-8")
            python.chmod(0o755)
            said = subprocess.run([ROOT / "bench" / "choice" / "optuna_peer"], capture_output=True, text=True,
                                  check=True, env={**os.environ, "CARBO_OPTUNA_ENVIRONMENT": folder})
        self.assertEqual(said.stdout.splitlines(), [str(ROOT / "bench" / "choice" / "peer"), "1", "-m", "optuna_peer"])


if __name__ == "__main__":
    unittest.main()
