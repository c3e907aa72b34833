"""One evaluation: error on the test rows and CPU seconds of training and testing."""

import gc
import os
import time
import warnings
from dataclasses import dataclass

from . import learners

# Where the wall shows this much more than the processor, something else ran on the core and left its cache cold.
DISTURBED_RATIO = 1.25
DISTURBED_SECONDS = 0.002
ATTEMPTS = 4


def pin(core):
    """To that core, or to any where it is None."""
    if core is None:
        return
    try:
        os.sched_setaffinity(0, {core})
    except (OSError, OverflowError, ValueError):
        usable = ", ".join(str(number) for number in sorted(os.sched_getaffinity(0)))
        raise ValueError(f"--core {core}: this process may run on {usable}") from None


@dataclass
class Outcome:
    status: str  # "ok", "warned" or "failed"
    error: float | None  # share of wrong test rows; None where it failed
    seconds: float  # CPU seconds of training and testing, of what was done of it where it failed
    note: str = ""  # names of warnings, or the exception


def evaluate_once(learner, configuration, data):
    """Trains and tests; every exception of the learner is an outcome. Returns the outcome and the wall's seconds."""
    gc.collect()
    error, status, note = None, "ok", ""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wall, started = time.perf_counter(), time.process_time()
        try:
            model = learners.make(learner, configuration, data.train_x.shape[1])
            model.fit(data.train_x, data.train_y)
            wrong = model.predict(data.test_x) != data.test_y
            error = float(wrong.mean())
        except Exception as exception:  # noqa: BLE001: whatever a learner throws belongs to its configuration
            status, note = "failed", f"{type(exception).__name__}: {exception}"
        seconds, wall = time.process_time() - started, time.perf_counter() - wall
    if status == "ok" and caught:
        status, note = "warned", " ".join(sorted({warning.category.__name__ for warning in caught}))
    return Outcome(status, error, seconds, one_line(note)), wall


def one_line(text, length=160):
    """Fit for a cell of a table: no line ends, no commas or quotes."""
    kept = " ".join(text.split()).replace(",", ";").replace('"', "'").encode(errors="replace").decode()
    return kept if len(kept) <= length else kept[:length - 1] + "…"


def warm_up(learner, configuration, data):
    """The first evaluation of a process imports the learner's modules, which takes twenty times as long as a decision
    tree, and the first of a problem finds its data outside the caches: it is not measured."""
    evaluate_once(learner, configuration, data)
    # What is here now stays: the collection before each evaluation need not walk through scikit-learn (40 ms) again.
    gc.collect()
    gc.freeze()


def evaluate(learner, configuration, data):
    """Repeats what was disturbed by other work on the core; keeps the attempt with the least CPU time if all were."""
    best = None
    for _ in range(ATTEMPTS):
        outcome, wall = evaluate_once(learner, configuration, data)
        if best is None or outcome.seconds < best.seconds:
            best = outcome
        if wall <= DISTURBED_RATIO * outcome.seconds + DISTURBED_SECONDS:
            return outcome
    return best
