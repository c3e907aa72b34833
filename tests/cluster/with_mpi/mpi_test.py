"""carbo.minimize over mpi4py's executor: one rank asks, three evaluate."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("mpi4py")

PROGRAM = """
import os
import sys
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor
import carbo


def objective(params):
    if params["x"] > 0.9:
        raise ValueError("too large")
    return carbo.Evaluation((params["x"] - 0.3) ** 2, cost=1.0, metrics={"rank": MPI.COMM_WORLD.Get_rank()})


if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        result = carbo.minimize(
            objective, carbo.Space(x=carbo.real(0, 1)), budget=30, unit="EUR", batch_size=3, seed=1,
            execution="asynchronous", executor=pool, file=sys.argv[1],
        )
    print(result.stop_reason)
"""


def test_four_ranks(tmp_path):
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("there is no mpirun")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [mpirun, "--allow-run-as-root", "--oversubscribe", "-np", "4"]
    command += [sys.executable, "-m", "mpi4py.futures", str(tmp_path / "program.py"), str(tmp_path / "study.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, "HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "budget spent"

    import carbo

    study = carbo.Study.open(tmp_path / "study.db")
    trials = study.trials
    assert study.pending == [] and all(trial.finished for trial in trials)
    assert sum(trial.cost for trial in trials) == study.spent >= 30
    ranks = {trial.metrics["rank"] for trial in trials if trial.state == "succeeded"}
    assert ranks <= {1, 2, 3} and len(ranks) > 1
    for trial in trials:
        assert (trial.state == "failed") == (trial.params["x"] > 0.9)
