"""Proposes configurations by one of Optuna's samplers to another process.

The first line of standard input is {"sampler": "gp" or "tpe", "seed": …, "parameters": […]}, parameters as in
bench/hpo/spaces.json; it is answered by {"values": {name: value}, "seconds": CPU time so far}. Every further line says
what came of that, {"objective": …} to be minimised or {"failed": true}, and is answered by the next proposal."""

import json
import os
import sys
import time
import warnings


def distribution(parameter):
    """Optuna's, of a parameter."""
    import optuna
    kind = parameter["type"]
    if kind == "categorical":
        return optuna.distributions.CategoricalDistribution(parameter["choices"])
    if kind == "integer":
        return optuna.distributions.IntDistribution(parameter["low"], parameter["high"], log=parameter["log"])
    if kind == "real":
        return optuna.distributions.FloatDistribution(parameter["low"], parameter["high"], log=parameter["log"])
    raise ValueError(f"'{kind}' is no type of a parameter; there are real, integer and categorical")


def sampler(name, seed):
    """A sampler with its own defaults."""
    import optuna
    if name == "gp":
        return optuna.samplers.GPSampler(seed=seed)
    if name == "tpe":
        return optuna.samplers.TPESampler(seed=seed)
    raise ValueError(f"'{name}' is no sampler; there are gp and tpe")


def proposals(lines):
    """The answer to each line."""
    import optuna
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    lines = iter(lines)
    first = next(lines, None)
    if first is None:
        raise ValueError("no line says which sampler, seed and parameters")
    start = json.loads(first)
    distributions = {p["name"]: distribution(p) for p in start["parameters"]}
    study = optuna.create_study(direction="minimize", sampler=sampler(start["sampler"], start["seed"]))
    trial = study.ask(distributions)
    yield trial.params
    for line in lines:
        told = json.loads(line)
        if told.get("failed"):
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, told["objective"])
        trial = study.ask(distributions)
        yield trial.params


def take_standard_output():
    """A stream of its own for the answers; whatever libraries print goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def main(lines=None, out=None):
    lines, out = lines or sys.stdin, out or take_standard_output()
    try:
        for values in proposals(lines):
            out.write(json.dumps({"values": values, "seconds": time.process_time()}, allow_nan=False) + "\n")
            out.flush()
    except BrokenPipeError:
        return 1  # nobody is left who could read a message
    except (ValueError, KeyError) as reason:
        print(f"optuna_peer: {reason!r}", file=sys.stderr)
        return 1
    except ImportError as reason:
        print(f"optuna_peer: {reason}; bench/choice/optuna_peer installs what it needs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
