"""Results on their way into a study, of which none is lost."""
from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence

from ._errors import StudyBusy, UnknownSuggestion
from ._judge import Told
from ._study import Study

_log = logging.getLogger("carbo")
BUSY_PAUSE = 0.05  # seconds, where another process holds the study


class Teller:
    """Tells a study what ended. ``stopping`` says that nobody is waited for any more."""

    def __init__(self, study: Study, stopping: Callable[[], bool]) -> None:
        self._study = study
        self._stopping = stopping

    def patiently(self, call: Callable[[], object]) -> None:
        """Until no other process is in the way. Where another one has told it, there is nothing to do."""
        while True:
            try:
                call()
                return
            except StudyBusy:
                if self._stopping():
                    raise
            except UnknownSuggestion:
                if self._study.file is None:
                    raise
                return
            time.sleep(BUSY_PAUSE)

    def tell(self, told: Sequence[Told]) -> tuple[Sequence[Told], Exception | None]:
        """All together. What is wrong with that keeps none from being told that can be: those that could not, and why."""
        if not told:
            return (), None
        try:
            self.patiently(lambda: self._study._tell_all([each.record for each in told]))
            return (), None
        except Exception as error:
            fault = error
        alone = self._study.file is not None and not isinstance(fault, StudyBusy)
        for each in told if alone else ():
            try:
                self.patiently(lambda each=each: self._study._tell_all([each.record]))  # type: ignore[misc]
            except Exception:
                pass  # it is still pending
        return self._untold(told), fault

    def _untold(self, told: Sequence[Told]) -> Sequence[Told]:
        try:
            pending = {each.id for each in self._study.pending}
        except Exception:
            return told
        return [each for each in told if each.id in pending]


def lament(untold: Sequence[Told]) -> None:
    """What a study did not take until the end is at least said."""
    for each in untold:
        id, objective, cost, reason, *_ = each.record
        what = f"it failed: {reason}" if reason else f"its objective is {objective!r}"
        _log.error("evaluation %d was not stored: %s, its cost is %r", id, what, cost)
