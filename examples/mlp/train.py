#!/usr/bin/env python3
"""Trains scikit-learn's MLP on a data set in LIBSVM's format, $LIBSVM_DATA, and prints its error on a third of it that
was left out, with the loss of every epoch as a step."""
import argparse
import json
import os
import warnings

from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("units", "layers", "batch", "epochs"):
        parser.add_argument(f"--{name}", type=int, required=True)
    for name in ("rate", "decay"):
        parser.add_argument(f"--{name}", type=float, required=True)
    return parser.parse_args()


def main():
    given = arguments()
    if "LIBSVM_DATA" not in os.environ:
        raise SystemExit("LIBSVM_DATA is not set; give it the path of a data set in LIBSVM's format, such as a1a")
    x, y = load_svmlight_file(os.environ["LIBSVM_DATA"])
    seed = int(os.environ.get("CARBO_SEED", "0"))
    x_train, x_left, y_train, y_left = train_test_split(x.toarray(), y, test_size=1 / 3, random_state=0)
    model = MLPClassifier((given.units,) * given.layers, learning_rate_init=given.rate, alpha=given.decay,
                          batch_size=min(given.batch, len(y_train)), max_iter=given.epochs, n_iter_no_change=given.epochs,
                          random_state=seed)
    warnings.simplefilter("ignore", ConvergenceWarning)
    model.fit(x_train, y_train)
    for epoch, loss in enumerate(model.loss_curve_, 1):
        print(json.dumps({"step": epoch, "loss": loss}))
    print(json.dumps({"error": 1 - model.score(x_left, y_left), "training_error": 1 - model.score(x_train, y_train)}))


if __name__ == "__main__":
    main()
