"""A study of Optuna's that is moved over: one line changes, and the budget takes the place of the number of trials.

The objective stays as it was. Trials of before are learned from; they are not paid for again. (An argument `quick` takes
2 seconds instead of 20.)
"""
from __future__ import annotations

import sys

import optuna
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import cross_val_score

from carbo.optuna import CarboSampler

inputs, labels = load_breast_cancer(return_X_y=True)


def objective(trial: optuna.Trial) -> float:
    model = GradientBoostingClassifier(
        n_estimators=trial.suggest_int("trees", 5, 200, log=True),
        max_depth=trial.suggest_int("depth", 1, 6),
        learning_rate=trial.suggest_float("rate", 0.01, 1.0, log=True),
        subsample=trial.suggest_float("subsample", 0.3, 1.0),
        random_state=0,
    )
    return 1.0 - float(cross_val_score(model, inputs, labels, cv=3).mean())


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    quick = "quick" in sys.argv
    study = optuna.create_study(storage="sqlite:///boosting.db", study_name="boosting", load_if_exists=True)
    study.sampler = optuna.samplers.RandomSampler(seed=1)
    study.optimize(objective, n_trials=3 if quick else 5)  # what was there before
    study.sampler = CarboSampler("2 s" if quick else "20 s", seed=1)  # the line that changes
    study.optimize(objective)  # until the budget is spent
    spent = study.sampler.spent(study)
    print(f"error {study.best_value:.4f} after {len(study.trials)} trials, {spent:.1f} s of them ours: {study.best_params}")
