"""A study of 60 seconds of (pretended) training, in which large networks cost more than small ones."""
import math

import optuna
import optunahub

CarboSampler = optunahub.load_module("samplers/carbo").CarboSampler


def objective(trial: optuna.Trial) -> float:
    rate = trial.suggest_float("rate", 1e-4, 1.0, log=True)
    layers = trial.suggest_int("layers", 1, 8)
    trial.set_user_attr("seconds", 0.5 + 0.1 * layers**2)
    return math.log10(rate / 0.03) ** 2 + 0.05 * (layers - 6) ** 2


study = optuna.create_study(sampler=CarboSampler(budget=60, cost="seconds", seed=1))
study.optimize(objective)
print(f"{study.best_value:.4f} at {study.best_params} after {len(study.trials)} trials")
