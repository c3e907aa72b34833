"""CPU seconds from a result to the next suggestion with n results known, for Carbo and its peers, one thread each.

Usage: suggestion_seconds.py TOOL N [SECONDS]: one line of JSON; TOOL is one of carbo, optuna, botorch, smac. Repeats up to
five times, begins with no further repeat after SECONDS (20).
       suggestion_seconds.py table FILE: such lines as a table, with ratios to Carbo's.

Six parameters in [0, 1], Hartmann's function, results at the same uniform points for all. Each tool has its own defaults. The
peers fit their models anew with every result; Carbo, with many results, when these have grown by a share: its first
suggestion, which fits, has a row of its own. Optuna's GPSampler; BoTorch's SingleTaskGP with log EI, 10 restarts and 512 raw samples
as in its tutorials; SMAC's BlackBoxFacade (a Gaussian process) with retrain_after=1; of Carbo a study that learns costs, too.
"""
import json
import os
import statistics
import sys
import time
import warnings

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402

DIMENSIONS = 6
NAMES = [f"x{i}" for i in range(DIMENSIONS)]
A = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
P = 1e-4 * np.array(
    [[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
     [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]]
)  # fmt: skip


def hartmann(x):
    return float(-np.exp(-(A * (np.asarray(x) - P) ** 2).sum(axis=1)) @ np.array([1.0, 1.2, 3.0, 3.2]))


def price(x):
    return 1.0 + 9.0 * float(x[0])


def points(count):
    return np.random.default_rng(1).random((count, DIMENSIONS))


class Carbo:
    def __init__(self, known):
        import carbo

        self.version = carbo.__version__
        space = carbo.Space({name: carbo.real(0, 1) for name in NAMES})
        self.study = carbo.Study(space, budget=1e9, seed=1, backend={"kind": "cpu", "threads": 1})
        for x in known:
            self.study.tell(dict(zip(NAMES, map(float, x))), hartmann(x), price(x), origin="this_run")

    def ask(self):
        (self.last,) = self.study.ask(1)
        assert self.last.receipt.phase == "search", self.last.receipt.phase
        return [self.last.params[name] for name in NAMES]

    def tell(self, x):
        self.study.tell(self.last, hartmann(x), price(x))


class Optuna:
    def __init__(self, known):
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.version = optuna.__version__
        self.space = {name: optuna.distributions.FloatDistribution(0, 1) for name in NAMES}
        self.study = optuna.create_study(sampler=optuna.samplers.GPSampler(seed=1))
        for x in known:
            params = dict(zip(NAMES, map(float, x)))
            self.study.add_trial(optuna.create_trial(params=params, distributions=self.space, value=hartmann(x)))

    def ask(self):
        self.last = self.study.ask(self.space)
        return [self.last.params[name] for name in NAMES]

    def tell(self, x):
        self.study.tell(self.last, hartmann(x))


class BoTorch:
    def __init__(self, known):
        import botorch
        import torch

        self.version = botorch.__version__
        torch.set_default_dtype(torch.float64)
        torch.manual_seed(1)
        self.points = [list(map(float, x)) for x in known]
        self.values = [hartmann(x) for x in known]

    def ask(self):
        import torch
        from botorch.acquisition import LogExpectedImprovement
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from botorch.optim import optimize_acqf
        from gpytorch.mlls import ExactMarginalLogLikelihood

        values = -torch.tensor(self.values).unsqueeze(-1)
        model = SingleTaskGP(torch.tensor(self.points), values)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        bounds = torch.tensor([[0.0] * DIMENSIONS, [1.0] * DIMENSIONS])
        found, _ = optimize_acqf(LogExpectedImprovement(model, best_f=values.max()), bounds, q=1, num_restarts=10, raw_samples=512)
        return found[0].tolist()

    def tell(self, x):
        self.points.append(list(x))
        self.values.append(hartmann(x))


class Smac:
    def __init__(self, known):
        import importlib.metadata
        import logging

        import smac
        from ConfigSpace import Configuration, ConfigurationSpace
        from smac.runhistory.dataclasses import TrialInfo, TrialValue

        self.version = importlib.metadata.version("smac")
        self.value = TrialValue
        space = ConfigurationSpace(space={name: (0.0, 1.0) for name in NAMES}, seed=1)
        folder = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"suggestion_seconds.{os.getpid()}")
        scenario = smac.Scenario(space, deterministic=True, n_trials=10**6, output_directory=folder, seed=1)
        facade = smac.BlackBoxFacade
        self.facade = facade(
            scenario, lambda configuration, seed=0: 0.0, overwrite=True, logging_level=logging.ERROR,
            initial_design=facade.get_initial_design(scenario, n_configs=1),
            config_selector=facade.get_config_selector(scenario, retrain_after=1),
        )  # fmt: skip
        self.last = self.facade.ask()
        self.tell([self.last.config[name] for name in NAMES])
        for x in known[1:]:
            configuration = Configuration(space, values=dict(zip(NAMES, map(float, x))))
            self.facade.tell(TrialInfo(configuration, seed=self.last.seed), TrialValue(cost=hartmann(x), time=1.0), save=False)

    def ask(self):
        self.last = self.facade.ask()
        return [self.last.config[name] for name in NAMES]

    def tell(self, x):
        self.facade.tell(self.last, self.value(cost=hartmann(x), time=1.0), save=False)


TOOLS = {"carbo": Carbo, "optuna": Optuna, "botorch": BoTorch, "smac": Smac}


def measure(name, count, bound):
    tool = TOOLS[name](points(count - 1))
    begin = time.process_time()
    x = tool.ask()  # what is loaded, compiled or fitted for the first time
    first = time.process_time() - begin
    tool.tell(x)
    seconds, found = [], []
    while len(seconds) < 5 and sum(seconds) < bound:
        begin = time.process_time()
        x = tool.ask()
        seconds.append(time.process_time() - begin)
        tool.tell(x)
        found.append(hartmann(x))
    return {
        "tool": name, "version": tool.version, "n": count, "seconds": statistics.median(seconds),
        "low": min(seconds), "high": max(seconds), "repeats": len(seconds), "first": first, "best": min(found),
    }  # fmt: skip


def table(file):
    with open(file, encoding="utf-8") as lines:
        all_of = {(one["tool"], one["n"]): one for one in map(json.loads, lines)}
    sizes = sorted({n for _, n in all_of})
    print("| | " + " | ".join(f"n = {n:,}" for n in sizes) + " |\n| --- |" + " ---: |" * len(sizes))
    for name in TOOLS:
        cells = []
        for n in sizes:
            one, ours = all_of.get((name, n)), all_of.get(("carbo", n))
            if one is None:
                cells.append("–")
                continue
            ratio = "" if name == "carbo" or ours is None else f", {one['seconds'] / ours['seconds']:.1f}×"
            cells.append(f"{one['seconds']:.3g} s ({one['low']:.3g} to {one['high']:.3g}){ratio}")
        version = next((one["version"] for (tool, _), one in all_of.items() if tool == name), "")
        print(f"| {name} {version} | " + " | ".join(cells) + " |")
        if name == "carbo":
            firsts = [f"{all_of[name, n]['first']:.3g} s" if (name, n) in all_of else "–" for n in sizes]
            print("| its first, which fits | " + " | ".join(firsts) + " |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "table":
        table(sys.argv[2])
    else:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 20.0)))
