"""Search spaces of learners, read from files spaces.json, which the replay reads too."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

HPO_FOLDER = Path(__file__).resolve().parent.parent


def parse_number(name, text, whole=False):
    """ValueError names the column and what it holds instead."""
    try:
        if not text.isascii() or "_" in text or text != text.strip():  # Python's own grammar allows 1_000 and ' 5'
            raise ValueError
        return int(text) if whole else float(text)
    except ValueError:
        raise ValueError(f"{name}: '{text}' is not {'an integer' if whole else 'a number'}") from None


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
        """A value as a table writes it; ValueError says what would be right."""
        if self.type == "categorical":
            return self.check(text)
        return self.check(parse_number(self.name, text, whole=self.type == "integer"))

    def check(self, value):
        """The value, where it is one of this parameter's; ValueError says what would be right."""
        if self.type == "categorical":
            if value not in self.choices:
                raise ValueError(f"{self.name}: '{value}' is none of {', '.join(self.choices)}")
            return value
        whole = isinstance(value, int) or isinstance(value, float) and value.is_integer()
        if isinstance(value, bool) or not isinstance(value, (int, float)) or self.type == "integer" and not whole:
            raise ValueError(f"{self.name}: {value!r} is not {'an integer' if self.type == 'integer' else 'a number'}")
        if not self.low <= value <= self.high:
            raise ValueError(f"{self.name}: {value} is outside [{self.low}, {self.high}]")
        return int(value) if self.type == "integer" else float(value)


def load_spaces(file=HPO_FOLDER / "spaces.json"):
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
