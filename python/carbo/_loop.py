"""One run of a study: asks, has points evaluated, tells, until the budget is spent."""
from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable

from ._errors import InvalidObservation, StudyBusy, UnknownSuggestion
from ._judge import Judge, Running, Told
from ._records import Suggestion
from ._reserve import Reserve
from ._result import Progress
from ._study import Study
from ._telling import BUSY_PAUSE, Teller, lament
from ._workers import Outcome, Workers

_log = logging.getLogger("carbo")
_TICK = 0.25  # seconds between looks at the clock, while evaluations run
_MOST_OPEN = 4096  # that a study may have pending


class Loop:
    """One run of a study. ``workers`` evaluate; everything else is here."""

    def __init__(
        self,
        study: Study,
        workers: Workers,
        lost: str,
        most_losses: int,
        notify: Callable[[Progress], object] | None,
    ) -> None:
        options = study.options
        self.study = study
        self.workers = workers
        self.lost = lost
        self.most_losses = most_losses
        self.notify = notify
        self.slots = int(options["batch_size"])
        self.asynchronous = options["execution"] == "asynchronous"
        self.strict = bool(options["strict"])
        self.budget = study.budget
        self.accounting = study._native.accounting()
        self.judge = Judge(options)
        self.teller = Teller(study, lambda: self.stopping)
        self.open: dict[int, Running] = {}  # asked for here, and not told
        self.queues: dict[int, deque[Suggestion]] = {}  # that follow in a slot
        self.left: deque[Suggestion] = deque()  # of an earlier run, for whatever worker is free
        self.began = time.monotonic()
        self.renewed = self.began
        self.renewal = math.inf if study.file is None else float(study._how.get("lease", 60.0)) / 3
        ahead = workers.most_waiting if self.asynchronous and not self.strict else 0
        self.reserve = Reserve(self.slots, ahead)
        self.stopping = False  # nothing begins any more
        self.ended: list[tuple[int, Outcome]] = []  # and not told yet
        finished = [trial for trial in study.trials if trial.finished and trial.origin == "this_run"]
        self.evaluations = len(finished)
        self.failures = sum(trial.state != "succeeded" for trial in finished)

    # The run.

    def run(self) -> None:
        left = self._left_over()
        while not self.stopping:
            busy = False
            if not self.ended:
                if left:
                    self._start_left_over(left)
                    left = []
                else:
                    count = self._count_to_ask()
                    busy = count > 0 and not self._ask(count)
            if not self.open and not busy:
                return
            self._absorb_ended(BUSY_PAUSE if busy else self._patience())
            if len(self.open) > self.slots and self.study.done:
                self._take_back_waiting()

    def _count_to_ask(self) -> int:
        """As many as there are free workers, and as are to wait so that nobody waits for suggestions."""
        if not self.asynchronous:
            return 0 if self.open else self.slots
        least, wanted = self.reserve.levels(self.evaluations)
        if len(self.open) > self.slots + least:
            return 0
        return min(self.slots + self._affordable(wanted) - len(self.open), self.reserve.most_at_once)

    def _affordable(self, wanted: int) -> int:
        """Of what is to wait, no more than the budget and the store allow, as far as costs are predicted."""
        wanted = min(wanted, _MOST_OPEN - self.slots)
        expected = sum(each.suggestion.receipt.predicted_cost or 0.0 for each in self.open.values()) if wanted else 0.0
        if expected > 0:
            left = (self.budget - self.study.spent) * (1 if self.accounting == "sum" else self.slots)
            wanted = min(wanted, int((left - expected) * len(self.open) / expected))
        return max(0, wanted)

    def _take_back_waiting(self) -> None:
        """Of a study that is over: what was prepared ahead and has not begun."""
        self.queues.clear()
        self.left.clear()
        for id in [id for id in self.open if self.workers.begun(id) is None]:
            self.open.pop(id)
            self.workers.end(id)
            self.teller.patiently(lambda id=id: self.study.withdraw(id))  # type: ignore[misc]

    def drain(self) -> None:
        """Waits for what runs, and keeps it; what waits is taken back."""
        self.stopping = True
        for queue in (*self.queues.values(), self.left):
            while queue:
                self._give_back(queue.popleft().id)
        while self.ended or any(self.workers.holds(id) for id in self.open):
            self._absorb_ended(_TICK)

    def give_back(self) -> None:
        """Whatever was asked for and has no result: taken back, or on a file left for whoever goes on."""
        self.stopping = True
        self.notify = None
        try:
            self._absorb_all()
        finally:
            for id in list(self.open):
                self._give_back(id)

    def _give_back(self, id: int) -> None:
        self.open.pop(id, None)
        self.workers.end(id)
        try:
            if self.study.file is None:
                self.study.withdraw(id)
            else:
                self.study.release([id])
        except (UnknownSuggestion, StudyBusy):
            pass  # another has told it, or it is free with its lease

    # Asking.

    def _left_over(self) -> list[Suggestion]:
        """What an earlier run left pending: evaluated first. Of a file, `ask` hands it out once it is released."""
        if self.study.file is None:
            return self.study.pending
        own = self.study._native.owner()
        mine = [record["id"] for record in self.study._native.pending_trials() if record["owner"] == own]
        if mine:
            self.study.release(mine)
        return []

    def _start_left_over(self, left: list[Suggestion]) -> None:
        """No more than there are workers; the others follow where one is free, whatever round they are of."""
        ordered = sorted(left, key=lambda each: each.order)
        share = self._strict_limit(len(left))
        for suggestion in left:
            self._open(suggestion, share)
        self.left.extend(ordered[self.slots :])
        self._submit(ordered[: self.slots])

    def _ask(self, count: int) -> bool:
        """False where another process is in the way."""
        try:
            if not self._may_start():
                return True
            begun = time.monotonic()
            suggestions = self.study.ask(count)
        except StudyBusy:
            return False
        if suggestions:
            self.reserve.asked(len(suggestions), time.monotonic() - begun)
        self._start(suggestions)
        return True

    def _may_start(self) -> bool:
        if self.study.done:
            return False
        return not self.open or self._strict_limit(1) > 0

    def _strict_limit(self, more: int) -> float:
        """What each of `more` evaluations may cost of a strict budget; one of summed costs is shared."""
        if not self.strict:
            return math.inf
        left = self.budget - self.study.spent
        if self.accounting != "sum":
            return left
        return (left - sum(each.limit for each in self.open.values())) / max(1, more)

    def _start(self, suggestions: list[Suggestion]) -> None:
        share = self._strict_limit(len(suggestions))
        for suggestion in suggestions:
            self._open(suggestion, share)
        for suggestion in sorted(suggestions, key=lambda each: each.order):
            if suggestion.order > 0:
                self.queues.setdefault(suggestion.slot, deque()).append(suggestion)
        self._submit([suggestion for suggestion in suggestions if suggestion.order == 0])

    def _open(self, suggestion: Suggestion, share: float) -> None:
        limit = min(math.inf if suggestion.timeout is None else suggestion.timeout, share)
        self.open[suggestion.id] = Running(suggestion, limit)

    def _submit(self, suggestions: list[Suggestion]) -> None:
        if self.study.file is not None and suggestions:
            try:
                self.study._begin_all([(each.id, str(each.slot)) for each in suggestions])
            except StudyBusy:
                pass  # for the record alone
        if suggestions:
            self.workers.submit([(each.id, each.params) for each in suggestions])

    # Telling.

    def _absorb_ended(self, patience: float) -> None:
        """Waits for something to end, at most so long, and tells it. What has ended stays until it is told."""
        self.ended += self.workers.wait(patience)
        self._absorb_all()
        self._look_after()

    def _absorb_all(self) -> None:
        """What ended together is told together, and heard of then."""
        told, begin = [], []
        for id, outcome in self.ended:
            running = self.open.get(id)
            if running is None:
                continue
            if outcome.lost and (self.lost == "ask_again" or not outcome.begun):
                if self.stopping:
                    self._give_back(id)
                    continue
                if running.is_made_again(outcome, self.most_losses):
                    _log.warning("evaluation %d is made again: %s", id, outcome.reason)
                    begin.append(running.suggestion)
                    continue
            told.append(self.judge.judged(running, outcome))
        untold, fault = self.teller.tell(told)  # of Ctrl-C nothing is lost: what was not told is told at the end
        self.ended = [(each.id, each.outcome) for each in untold]
        told = [each for each in told if each.id not in dict(self.ended)]
        for each in told:
            self.open.pop(each.id, None)
            self.reserve.evaluated(each.outcome.seconds)
            queue = self.queues.get(each.running.suggestion.slot) or self.left
            if queue and not self.stopping:
                begin.append(queue.popleft())
        if fault is None:
            self._submit(begin)
        for each in told:
            self._report(each)
        if fault is not None:
            if self.stopping:
                self.ended = []
                lament(untold)
            raise fault

    def _report(self, told: Told) -> None:
        self.evaluations += 1
        self.failures += bool(told.reason)
        suggestion, evaluation = told.running.suggestion, told.outcome.evaluation
        if told.outcome.trace:
            _log.debug("evaluation %d failed:\n%s", suggestion.id, told.outcome.trace)
        if told.mistake:
            raise InvalidObservation(told.reason)
        if self.notify is None:
            return
        best = self.study.best
        self.notify(
            Progress(
                phase=suggestion.receipt.phase,
                evaluations=self.evaluations,
                failures=self.failures,
                running=len(self.open),
                spent=self.study.spent,
                budget=self.budget,
                elapsed_seconds=time.monotonic() - self.began,
                best_objective=None if best is None else best.objective,
                params=suggestion.params,
                objective=None if told.reason or evaluation is None else evaluation.objective,
                reason=told.reason,
            )
        )

    # By the clock.

    def _patience(self) -> float:
        """Seconds until something is due."""
        now = time.monotonic()
        due = [_TICK, max(0.0, self.renewed + self.renewal - now)]
        due += [max(0.0, until - now) for until in self._deadlines().values()]
        return min(due)

    def _deadlines(self) -> dict[int, float]:
        if self.judge.seconds_per_unit <= 0:
            return {}
        ends = {}
        for id, running in self.open.items():
            begun = self.workers.begun(id) if math.isfinite(running.limit) else None
            if begun is not None:
                ends[id] = begun + running.limit * self.judge.seconds_per_unit
        return ends

    def _look_after(self) -> None:
        now = time.monotonic()
        for id, until in self._deadlines().items():
            if now >= until:
                limit = self.open[id].limit * self.judge.seconds_per_unit
                self.workers.end(id)
                how = "was ended" if self.workers.ends_evaluations else "is not waited for"
                reason = f"it {how} after {limit:g} s"
                self.ended.append((id, Outcome(time.time() - limit, limit, reason=reason, timed_out=True)))
        self._absorb_all()
        if now >= self.renewed + self.renewal:
            self.renewed = now
            try:
                self.study.renew(list(self.open))
            except (UnknownSuggestion, StudyBusy):
                pass  # those that others took over run on: the first result counts
