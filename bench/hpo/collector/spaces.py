"""Search spaces of the five learners, read from spaces.json, which the replay reads too."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

SPACES_FILE = Path(__file__).resolve().parent.parent / "spaces.json"


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str  # "real", "integer" or "categorical"
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    choices: tuple = ()

    def at(self, share):
        """The value at a share of the range, in [0, 1). Reals have six digits: what a table prints is what was run."""
        if self.type == "categorical":
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)]
        if self.type == "integer":
            return self._integer_at(share)
        if self.log:
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + (self.high - self.low) * share
        return min(max(float(f"{value:.6g}"), self.low), self.high)

    def _integer_at(self, share):
        # Each integer owns half a step on both sides, on the parameter's own scale.
        low, high = self.low - 0.5, self.high + 0.5
        value = math.exp(math.log(low) + share * math.log(high / low)) if self.log else low + share * (high - low)
        return int(min(max(round(value), self.low), self.high))

    def parse(self, text):
        """A value as a table or a caller writes it; ValueError says what would be right."""
        if self.type == "categorical":
            if text not in self.choices:
                raise ValueError(f"{self.name}: '{text}' is none of {', '.join(self.choices)}")
            return text
        try:
            value = int(text) if self.type == "integer" else float(text)
        except ValueError:
            kind = "an integer" if self.type == "integer" else "a number"
            raise ValueError(f"{self.name}: '{text}' is not {kind}") from None
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name}: {text} is outside [{self.low}, {self.high}]")
        return value


def load_spaces(file=SPACES_FILE):
    """The parameters of each learner, in the order of the table's columns."""
    described = json.loads(Path(file).read_text(encoding="utf-8"))
    spaces = {}
    for learner, space in described.items():
        spaces[learner] = [Parameter(**{**entry, "choices": tuple(entry.get("choices", ()))})
                           for entry in space["parameters"]]
    return spaces


def sobol_configurations(parameters, rows, seed):
    """The first `rows` points of a scrambled Sobol sequence: the same ones whatever `rows` is."""
    import numpy
    from scipy.stats import qmc

    if rows <= 0:
        return []
    sequence = qmc.Sobol(d=len(parameters), scramble=True, rng=numpy.random.default_rng(seed))
    shares = sequence.random_base2(m=max(0, (rows - 1).bit_length()))[:rows]
    return [{p.name: p.at(float(share)) for p, share in zip(parameters, point)} for point in shares]
