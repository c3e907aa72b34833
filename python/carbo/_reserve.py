"""How many suggestions wait for a free worker, so that no worker waits for the engine."""
from __future__ import annotations

import math

_WORTH_IT = 0.01  # share of an evaluation's time that an `ask` may take before suggestions are prepared ahead
_ENGINE_SHARE = 0.5  # of the time in which the engine may be at work, before it is asked for more points at once
_NEXT_POINT = 0.08  # what each further point of an `ask` takes, of the first one's time
_RESULTS_PER_WAITING = 10  # one that waits for so many results does not make suggestions much staler
_MANY_POINTS = 32  # beyond which an `ask` is no cheaper by the point
_MEMORY = 0.95  # of the longest `ask`, at each that is shorter: now and then one fits its models anew
_WEIGHT = 0.2  # of the newest in a running mean


class Reserve:
    """Asks for as many points at once as leave the engine some rest, early enough that evaluations which are likely to
    end meanwhile have a successor. ``most`` may wait; where it is None, as many as there are workers, or one for every
    ten results where that is more."""

    def __init__(self, slots: int, most: int | None) -> None:
        self._slots = slots
        self._most = most
        self._pick: float | None = None  # seconds of an `ask` for one point
        self._longest = 0.0  # seconds of an `ask`, lately
        self._evaluation: float | None = None  # seconds

    def asked(self, count: int, seconds: float) -> None:
        self._pick = _mean(self._pick, seconds / _picks(count))
        self._longest = max(seconds, _MEMORY * self._longest)

    def evaluated(self, seconds: float) -> None:
        self._evaluation = _mean(self._evaluation, seconds)

    def levels(self, results: int) -> tuple[int, int]:
        """At how many waiting ones more are asked for, and how many wait then; (-1, 0) where none is to wait."""
        most = self._most
        if most is None:
            most = max(self._slots, results // _RESULTS_PER_WAITING)
        if most == 0 or self._pick is None or self._evaluation is None:
            return -1, 0
        each = max(self._evaluation, 1e-9) / self._slots  # seconds between two that end
        if self._pick < _WORTH_IT * self._evaluation and self._pick < _ENGINE_SHARE * each:
            return -1, 0
        rest = _ENGINE_SHARE * each - _NEXT_POINT * self._pick
        count = self.most_at_once if rest <= 0 else math.ceil((1 - _NEXT_POINT) * self._pick / rest)
        count = min(count, self.most_at_once, max(1, most // 2))
        ending = math.ceil(max(self._longest, self._pick * _picks(count)) / each)  # during such an `ask`
        least = min(ending, most - count)
        return least, count + least

    @property
    def most_at_once(self) -> int:
        """Points that are asked for at once."""
        return max(self._slots, _MANY_POINTS)


def _picks(count: int) -> float:
    """What an `ask` for so many points takes, in asks for one."""
    return 1 + _NEXT_POINT * (max(1, count) - 1)


def _mean(before: float | None, value: float) -> float:
    return value if before is None else before + _WEIGHT * (value - before)
