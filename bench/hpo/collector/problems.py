"""Two collections of problems, each some learners on some data sets."""

import zlib

from . import made_sets
from .datasets import FEATURES
from .spaces import HPO_FOLDER, load_spaces

# Spaces and data sets: the paper's, and those that settings are judged by.
COLLECTIONS = {"paper": (HPO_FOLDER / "spaces.json", list(FEATURES)),
               "verdict": (HPO_FOLDER / "verdict" / "spaces.json", made_sets.SETS)}


class Problem:
    """A learner on a data set, called LEARNER_SET."""

    def __init__(self, learner, set_name, parameters):
        self.learner, self.set_name, self.parameters = learner, set_name, parameters
        self.name = f"{learner}_{set_name}"
        # Sequences of different problems are scrambled apart, so that their tables share no configurations.
        self.seed = zlib.crc32(self.name.encode())


def problems_of(collection):
    spaces_file, sets = COLLECTIONS[collection]
    return [Problem(learner, set_name, parameters) for learner, parameters in load_spaces(spaces_file).items()
            for set_name in sets]


def all_problems():
    return [problem for collection in COLLECTIONS for problem in problems_of(collection)]


def find_problems(names, collection="paper"):
    """Problems of a collection by name, each once, or all; ValueError lists what there is."""
    problems = {problem.name: problem for problem in problems_of(collection)}
    unknown = [name for name in names if name not in problems]
    if unknown:
        raise ValueError(f"no problem is called '{unknown[0]}': there are {', '.join(problems)}")
    return [problems[name] for name in dict.fromkeys(names)] if names else list(problems.values())
