"""The twenty problems: five learners on four data sets."""

import zlib

from .datasets import FEATURES
from .spaces import load_spaces

SETS = list(FEATURES)


class Problem:
    """A learner on a data set, called LEARNER_SET."""

    def __init__(self, learner, set_name, parameters):
        self.learner, self.set_name, self.parameters = learner, set_name, parameters
        self.name = f"{learner}_{set_name}"
        # Sequences of different problems are scrambled apart, so that their tables share no configurations.
        self.seed = zlib.crc32(self.name.encode())


def all_problems():
    return [Problem(learner, set_name, parameters) for learner, parameters in load_spaces().items()
            for set_name in SETS]


def find_problems(names):
    """Problems by name, each once, or all; ValueError lists what there is."""
    problems = {problem.name: problem for problem in all_problems()}
    unknown = [name for name in names if name not in problems]
    if unknown:
        raise ValueError(f"no problem is called '{unknown[0]}': there are {', '.join(problems)}")
    return [problems[name] for name in dict.fromkeys(names)] if names else list(problems.values())
