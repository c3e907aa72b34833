"""How many suggestions wait for a free worker, so that no worker waits for the engine."""
from __future__ import annotations

import math

_WORTH_IT = 0.01  # share of an evaluation's time that an `ask` may take before suggestions are prepared ahead
_WEIGHT = 0.2  # of the newest in a running mean


class Reserve:
    """As many as evaluations are likely to end during an `ask`, at most ``most``."""

    def __init__(self, slots: int, most: int) -> None:
        self._slots = slots
        self._most = most
        self._ask: float | None = None  # seconds
        self._evaluation: float | None = None

    def asked(self, seconds: float) -> None:
        self._ask = _mean(self._ask, seconds)

    def evaluated(self, seconds: float) -> None:
        self._evaluation = _mean(self._evaluation, seconds)

    def wanted(self) -> int:
        if self._most == 0 or self._ask is None or self._evaluation is None:
            return 0
        share = self._ask / max(self._evaluation, 1e-9)
        return 0 if share < _WORTH_IT else min(self._most, math.ceil(self._slots * share))


def _mean(before: float | None, value: float) -> float:
    return value if before is None else before + _WEIGHT * (value - before)
