"""A small network of PyTorch, with flop counts as what its training costs.

`mlp_features` knows how much work a perceptron of such layers is; the cost model learns how long that takes here. (An
argument `quick` takes 2 seconds.)
"""
from __future__ import annotations

import sys
from typing import Any

import torch

import carbo

torch.manual_seed(0)
inputs = torch.rand(512, 4)
targets = torch.sin(6 * inputs[:, :1]) * inputs[:, 1:2]

space = carbo.Space(
    units=carbo.integer(4, 256, log=True),
    layers=carbo.integer(1, 3),
    epochs=carbo.integer(5, 200, log=True),
    rate=carbo.real(1e-4, 1e-1, log=True),
)


def loss(x: dict[str, Any]) -> float:
    sizes = [4, *[x["units"]] * x["layers"], 1]
    parts: list[torch.nn.Module] = []
    for wide, narrow in zip(sizes, sizes[1:]):
        parts += [torch.nn.Linear(wide, narrow), torch.nn.Tanh()]
    network = torch.nn.Sequential(*parts[:-1])
    descent = torch.optim.Adam(network.parameters(), lr=x["rate"])
    for _ in range(x["epochs"]):
        descent.zero_grad()
        error = torch.nn.functional.mse_loss(network(inputs), targets)
        error.backward()  # type: ignore[no-untyped-call,unused-ignore]
        descent.step()
    return float(error)


if __name__ == "__main__":
    torch.set_num_threads(1)
    result = carbo.minimize(
        loss,
        space,
        budget="2 s" if "quick" in sys.argv else "60 s",
        cost={"features": [carbo.mlp_features([4, "units", "units * (layers - 1) / 2", 1], epochs="epochs")]},
        progress=True,
    )
    if result.best is None:
        raise SystemExit("nothing was evaluated")
    print(f"loss {result.best.objective:.5f} after {len(result.trials)} networks: {result.best.params}")
