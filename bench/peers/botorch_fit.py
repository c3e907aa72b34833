"""Fits both Gaussian processes of a bench_fit_speed data file with BoTorch, and times it.

Usage: botorch_fit.py DATA FITTED [repeats]
Writes FITTED (one line a process: lengthscales, signal variance, noise variance, mean) and prints key=value lines.
Model: SingleTaskGP with ScaleKernel(MaternKernel(2.5, ARD)), noise variance at least 1e-4, no priors, float64;
fitted by fit_gpytorch_mll with its defaults.
"""

import statistics
import sys
import time

import botorch
import gpytorch
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from gpytorch.constraints import GreaterThan
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood


def make_model(points, targets):
    return SingleTaskGP(
        points,
        targets.unsqueeze(-1),
        likelihood=GaussianLikelihood(noise_constraint=GreaterThan(1e-4)),
        covar_module=ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=points.shape[1])),
        outcome_transform=None,
    )


def fit(points, targets):
    """The fitted model and the number of evaluations of its marginal log likelihood."""
    model = make_model(points, targets)
    mll = ExactMarginalLogLikelihood(model.likelihood, model)
    evaluations = 0
    forward = mll.forward

    def counted(*arguments, **options):
        nonlocal evaluations
        evaluations += 1
        return forward(*arguments, **options)

    mll.forward = counted
    fit_gpytorch_mll(mll)
    return model, evaluations


def hyperparameters(model):
    lengthscales = model.covar_module.base_kernel.lengthscale.detach().flatten().tolist()
    return [
        *lengthscales,
        model.covar_module.outputscale.item(),
        model.likelihood.noise.item(),
        model.mean_module.constant.item(),
    ]


def log_likelihood(model, points, targets):
    """Total, from a dense Cholesky factor."""
    with torch.no_grad():
        covariance = model.covar_module(points).to_dense()
        covariance = covariance + model.likelihood.noise * torch.eye(len(points), dtype=points.dtype)
        mean = model.mean_module(points)
        return torch.distributions.MultivariateNormal(mean, covariance).log_prob(targets).item()


def main():
    data, fitted = sys.argv[1], sys.argv[2]
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    torch.set_default_dtype(torch.float64)
    with open(data) as lines:
        table = torch.tensor([[float(entry) for entry in line.split()] for line in lines])
    points, columns = table[:, :-2].contiguous(), [table[:, -2].contiguous(), table[:, -1].contiguous()]
    seconds, cpu_seconds = [], []
    for _ in range(repeats):
        begin, cpu_begin = time.perf_counter(), time.process_time()
        fits = [fit(points, targets) for targets in columns]
        seconds.append(time.perf_counter() - begin)
        cpu_seconds.append(time.process_time() - cpu_begin)
    with open(fitted, "w") as out:
        for model, _ in fits:
            print(*(f"{value:.17g}" for value in hyperparameters(model)), file=out)
    total = 0.0
    for name, (model, evaluations), targets in zip(["objective", "log cost"], fits, columns):
        value = log_likelihood(model, points, targets)
        total += value
        print(f"{name}: log likelihood {value:.6f}, {evaluations} evaluations, "
              + " ".join(f"{entry:.4g}" for entry in hyperparameters(model)))
    print(f"versions: botorch {botorch.__version__}, gpytorch {gpytorch.__version__}, torch {torch.__version__}, "
          f"{torch.get_num_threads()} threads")
    print(f"rows={len(points)}")
    print(f"seconds={statistics.median(seconds):.4f}")
    print(f"cpu_seconds={statistics.median(cpu_seconds):.4f}")
    print(f"log_likelihood={total:.6f}")


if __name__ == "__main__":
    main()
