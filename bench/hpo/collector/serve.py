"""Trains and tests one configuration after the other for another process.

Standard input has one JSON object a line: the values of all parameters by name, as in the tables. Each is answered by
one line on standard output: {"status", "error", "seconds", "note"}, or {"status": "refused", "reason"} where it is no
configuration. The first line, {"ready": true, "problem": …}, comes when the data are loaded."""

import argparse
import json
import os
import sys
from dataclasses import asdict

from . import failure
from .datasets import read_set
from .measure import evaluate_once, pin, warm_up
from .problems import find_problems


def arguments(given):
    parser = argparse.ArgumentParser(prog="serve", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder with LIBSVM's files, as a1a and a1a.t")
    parser.add_argument("--problem", required=True, help="such as mlp_a1a")
    parser.add_argument("--core", type=int, help="the core to run on, which nothing else should use")
    return parser.parse_args(given)


def read_configuration(line, parameters):
    """Values by name from a line of JSON; ValueError says what is wrong with it."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as reason:
        raise ValueError(f"the line is not JSON: {reason}") from None
    if not isinstance(values, dict):
        raise ValueError("the line is not a JSON object such as {\"" + parameters[0].name + "\": …}")
    names = [p.name for p in parameters]
    missing, unknown = [n for n in names if n not in values], [n for n in values if n not in names]
    if missing:
        raise ValueError(f"no value for {', '.join(missing)}")
    if unknown:
        raise ValueError(f"no parameter is called '{unknown[0]}': there are {', '.join(names)}")
    return {p.name: p.check(values[p.name]) for p in parameters}


def answers(problem, data, lines):
    """The answer to each line, which is measured when it is asked for."""
    for line in lines:
        try:
            configuration = read_configuration(line, problem.parameters)
        except ValueError as reason:
            yield {"status": "refused", "reason": str(reason)}
            continue
        outcome, _ = evaluate_once(problem.learner, configuration, data)
        yield asdict(outcome)


def serve(options, lines, out):
    pin(options.core)
    problem = find_problems([options.problem])[0]
    data = read_set(options.data, problem.set_name)
    warm_up(problem.learner, {p.name: p.at(0.5) for p in problem.parameters}, data)
    say(out, {"ready": True, "problem": problem.name})
    for answer in answers(problem, data, lines):
        say(out, answer)


def say(out, answer):
    out.write(json.dumps(answer, allow_nan=False) + "\n")
    out.flush()


def take_standard_output():
    """A stream of its own for the answers; whatever libraries print goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return out


def main(given=None, lines=None, out=None):
    options = arguments(given)
    lines, out = lines or sys.stdin.buffer, out or take_standard_output()
    try:
        serve(options, lines, out)
    except BrokenPipeError:
        return 1  # nobody is left who could read a message
    except (ValueError, OSError, ImportError) as reason:
        return failure.report("serve", reason)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
