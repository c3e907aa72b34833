"""Picks the same batch as `bench_picks --write-botorch FOLDER` with BoTorch, and times each pick.

Usage: botorch_picks.py FOLDER [picks]        picks: how many of the batch to make, 4 where not given
Model: SingleTaskGP at the fixed hyperparameters of the folder's problem, float64, no transforms. Score: log EI minus
alpha times the posterior mean of a second model on log cost, averaged over fantasies as log-mean-exp. Picked
candidates are added by `fantasize` with the problem's own normals. Candidates are a batch dimension (N x 1 x d), so no
joint covariance is formed, in chunks of 2,048. The log cost's means do not change within a batch: they are computed
once, in the first pick. Prints key=value lines.
"""

import json
import math
import pathlib
import sys
import time

import botorch
import gpytorch
import numpy
import torch
from botorch.acquisition.analytic import LogExpectedImprovement
from botorch.models import SingleTaskGP
from botorch.sampling.base import MCSampler
from gpytorch.constraints import Positive
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.means import ConstantMean

CHUNK = 2048


class GivenNormals(MCSampler):
    """Samples made of given standard normals, n_f x q."""

    def __init__(self, normals, sample_shape):
        super().__init__(sample_shape=sample_shape, seed=0)
        self.normals = normals

    def forward(self, posterior):
        return posterior.rsample_from_base_samples(self.sample_shape, self.normals)


def make_model(points, targets, parameters):
    model = SingleTaskGP(
        points,
        targets.unsqueeze(-1),
        likelihood=GaussianLikelihood(noise_constraint=Positive()),
        covar_module=ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=points.shape[1])),
        mean_module=ConstantMean(),
        outcome_transform=None,
    )
    model.covar_module.base_kernel.lengthscale = torch.tensor(parameters["lengthscales"])
    model.covar_module.outputscale = parameters["signal_variance"]
    model.likelihood.noise = parameters["noise_variance"]
    model.mean_module.initialize(constant=float(parameters["mean"]))
    return model.eval()


def log_cost_means(model, pool):
    return torch.cat([model.posterior(chunk.unsqueeze(-2)).mean.flatten() for chunk in pool.split(CHUNK)])


def log_improvement(model, incumbents, pool):
    """Logarithm of the mean over fantasies of EI, one a candidate; `incumbents` has the model's batch shape."""
    acquisition = LogExpectedImprovement(model, best_f=incumbents.unsqueeze(-1), maximize=False)
    parts = []
    for chunk in pool.split(CHUNK):
        if incumbents.dim() == 0:
            parts.append(acquisition(chunk.unsqueeze(-2)))
        else:
            values = acquisition(chunk.unsqueeze(-2).unsqueeze(-3))  # N x n_f
            parts.append(values.logsumexp(dim=-1) - math.log(values.shape[-1]))
    return torch.cat(parts)


def fantasize(model, points, normals):
    """The model with all points picked so far (q x d), one batch entry a fantasy, and the fantasised values (n_f x q).

    `normals` is q x n_f. Sampled together by the Cholesky factor of their joint covariance, q points get the values
    that they would get one after the other. Fantasising the last fantasy model instead gives the same scores, but
    from the third pick on each took about ten times as long.
    """
    sampler = GivenNormals(normals.T.contiguous(), torch.Size([normals.shape[1]]))
    model = model.fantasize(points, sampler)
    return model, model.train_targets[:, -len(points):]


def read(folder, name, columns=None):
    values = torch.from_numpy(numpy.fromfile(folder / f"{name}.f64", dtype="<f8"))
    return values if columns is None else values.reshape(-1, columns)


def pick_batch(folder, problem, picks):
    """Indices, scores, seconds and CPU seconds of each pick. Its time includes fantasising those before it."""
    points, pool = (read(folder, name, problem["columns"]) for name in ["points", "pool"])
    objective = read(folder, "objective")
    normals = read(folder, "normals", problem["fantasies"])
    begin, cpu_begin = time.perf_counter(), time.process_time()
    model = make_model(points, objective, problem["objective"])
    cost_model = make_model(points, read(folder, "log_costs"), problem["log_cost"])
    cost_term = problem["alpha"] * log_cost_means(cost_model, pool)
    fantasised, incumbents = model, objective.min()
    indices, scores, seconds, cpu_seconds = [], [], [], []
    for pick in range(picks):
        if pick > 0:
            begin, cpu_begin = time.perf_counter(), time.process_time()
            fantasised, values = fantasize(model, pool[indices], normals[:pick])
            incumbents = torch.minimum(objective.min(), values.amin(dim=-1))
        score = log_improvement(fantasised, incumbents, pool) - cost_term
        score[indices] = -math.inf
        best = int(score.argmax())
        indices.append(best)
        scores.append(score[best].item())
        seconds.append(time.perf_counter() - begin)
        cpu_seconds.append(time.process_time() - cpu_begin)
        print(f"pick {pick + 1}: candidate {best}, score {scores[-1]:.10f}, {seconds[-1]:.3f} s, "
              f"{cpu_seconds[-1]:.3f} CPU s", flush=True)
    return indices, scores, seconds, cpu_seconds


def mean(values):
    return sum(values) / len(values)


def main():
    folder = pathlib.Path(sys.argv[1])
    picks = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    torch.set_default_dtype(torch.float64)
    problem = json.loads((folder / "problem.json").read_text())
    print(f"versions: botorch {botorch.__version__}, gpytorch {gpytorch.__version__}, torch {torch.__version__}, "
          f"{torch.get_num_threads()} threads")
    with torch.no_grad():
        indices, scores, seconds, cpu_seconds = pick_batch(folder, problem, picks)
    print("picks=" + " ".join(map(str, indices)))
    print("scores=" + " ".join(f"{score:.10f}" for score in scores))
    print(f"first_seconds={seconds[0]:.4f}")
    print(f"later_seconds={mean(seconds[1:]):.4f}")
    print(f"later_cpu_seconds={mean(cpu_seconds[1:]):.4f}")


if __name__ == "__main__":
    main()
