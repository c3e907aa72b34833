"""Where evaluations run: in the calling thread, or in processes of our own that can be ended."""
from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ._errors import Error, EvaluationFailed, InvalidObservation
from ._records import Evaluation
from ._space import Params

Objective = Callable[[Params], "float | Evaluation"]

_GRACE = 1.0  # seconds that a process has between being asked to end and being ended


@dataclass(frozen=True)
class Outcome:
    """What became of one evaluation, as plain data that crosses processes."""

    started: float = 0.0  # seconds since 1970
    seconds: float = 0.0  # that it took, where it ran
    evaluation: Evaluation | None = None
    failure_cost: float | None = None
    reason: str = ""  # of a failure
    timed_out: bool = False
    mistaken: bool = False  # no other point mends it: the run ends
    lost: bool = False  # whoever ran it is gone
    begun: bool = True  # as far as is known
    trace: str = ""


def evaluate(objective: Objective, params: Params) -> Outcome:
    """Calls the objective, and takes the time that it took, where it runs."""
    started, begun = time.time(), time.perf_counter()
    try:
        value = objective(params)
        seconds = time.perf_counter() - begun
        if not isinstance(value, Evaluation):
            value = Evaluation(value)
        return Outcome(started, seconds, value)
    except EvaluationFailed as failure:
        seconds = time.perf_counter() - begun
        reason = failure.reason or "the objective raised EvaluationFailed without a reason"
        return Outcome(started, seconds, None, float(failure.cost), reason, bool(failure.timed_out))
    except InvalidObservation:
        seconds = time.perf_counter() - begun
        reason = f"the objective returned {value!r}; return a number or a carbo.Evaluation"
        return Outcome(started, seconds, reason=reason, mistaken=True)
    except Exception as error:
        seconds = time.perf_counter() - begun
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Outcome(
            started, seconds, reason=reason, mistaken=isinstance(error, Error), trace=traceback.format_exc()
        )


class Workers(Protocol):
    """Runs evaluations by their ids."""

    ends_evaluations: bool  #: whether `end` works
    #: How many more than run may be submitted, as the loop thinks best where it is None; not 0 only where `begun` knows
    #: what has begun.
    most_waiting: int | None

    def submit(self, points: Sequence[tuple[int, Params]]) -> None:
        """Has points evaluated, in this order where not all can begin."""

    def holds(self, id: int) -> bool:
        """Whether an outcome of it is still to come."""

    def begun(self, id: int) -> float | None:
        """When it began, on the monotonic clock; None where it waits for its turn, or where nobody can tell."""

    def wait(self, seconds: float) -> list[tuple[int, Outcome]]:
        """What ended, at most after so many seconds."""

    def end(self, id: int) -> None:
        """Breaks an evaluation off: no outcome of it comes any more."""

    def close(self, wait: bool) -> None: ...


@runtime_checkable
class WorkersFactory(Protocol):
    """An executor with workers of its own kind."""

    def carbo_workers(self, objective: Objective, slots: int) -> Workers: ...


class SerialWorkers:
    """The calling thread: an evaluation is over when `submit` returns."""

    ends_evaluations = False
    most_waiting: int | None = 0

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._ended: list[tuple[int, Outcome]] = []
        self.evaluating = False  # what Ctrl-C breaks off

    def submit(self, points: Sequence[tuple[int, Params]]) -> None:
        for id, params in points:
            self.evaluating = True
            try:
                outcome = evaluate(self._objective, params)
            finally:
                self.evaluating = False
            self._ended.append((id, outcome))

    def holds(self, id: int) -> bool:
        return any(id == ended for ended, _ in self._ended)

    def begun(self, id: int) -> float | None:
        return None

    def wait(self, seconds: float) -> list[tuple[int, Outcome]]:
        ended, self._ended = self._ended, []
        return ended

    def end(self, id: int) -> None: ...

    def close(self, wait: bool) -> None: ...


def _serve(connection: multiprocessing.connection.Connection, objective: Objective, parent: int) -> None:
    """What a process of ours does: evaluates what it is sent, until there is nobody to send."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setpgid(0, 0)  # what an evaluation starts ends with it
    connection.send(None)  # from now on it is the evaluation's time
    while True:
        while not connection.poll(1.0):
            if os.getppid() != parent and not _alive(parent):
                os._exit(1)
        try:
            params = connection.recv()
        except EOFError:
            os._exit(0)
        connection.send(evaluate(objective, params))


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


@dataclass
class _Process:
    process: Any
    connection: multiprocessing.connection.Connection
    id: int | None = None  # of what it evaluates
    begun: float | None = None  # on the monotonic clock; None before it has started itself
    ready: bool = False


class ProcessWorkers:
    """Processes of our own, one an evaluation at a time, each in a process group that ends with it.

    They are started as `multiprocessing` starts them here (`multiprocessing.set_start_method`)."""

    ends_evaluations = True
    most_waiting: int | None = 0

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._context = multiprocessing.get_context()
        self._processes: list[_Process] = []

    def submit(self, points: Sequence[tuple[int, Params]]) -> None:
        for id, params in points:
            self._submit(id, params)

    def _submit(self, id: int, params: Params) -> None:
        idle = next((each for each in self._processes if each.id is None), None)
        if idle is None:
            idle = self._start()
        idle.id, idle.begun = id, time.monotonic() if idle.ready else None
        try:
            idle.connection.send(params)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it died meanwhile, which `wait` sees

    def _start(self) -> _Process:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_serve, args=(theirs, self._objective, os.getpid()), name="carbo evaluation", daemon=False
        )
        process.start()
        theirs.close()
        self._processes.append(_Process(process, ours))
        return self._processes[-1]

    def holds(self, id: int) -> bool:
        return any(each.id == id for each in self._processes)

    def begun(self, id: int) -> float | None:
        return next((each.begun for each in self._processes if each.id == id), None)

    def wait(self, seconds: float) -> list[tuple[int, Outcome]]:
        busy = [each for each in self._processes if each.id is not None]
        watched: Sequence[Any] = [each.connection for each in busy] + [each.process.sentinel for each in busy]
        ready = set(map(id, multiprocessing.connection.wait(watched, seconds)))
        ended: list[tuple[int, Outcome]] = []
        for each in busy:
            assert each.id is not None
            if id(each.connection) not in ready and each.process.is_alive():
                continue
            outcome = self._received(each)
            if outcome is not None:
                ended.append((each.id, outcome))
                each.id = None
        self._processes = [each for each in self._processes if each.process.is_alive() or each.id is not None]
        return ended

    def _received(self, each: _Process) -> Outcome | None:
        try:
            while each.connection.poll(0):
                outcome = each.connection.recv()
                if isinstance(outcome, Outcome):
                    return outcome
                each.ready, each.begun = True, time.monotonic()
            if each.process.is_alive():
                return None
        except (EOFError, ConnectionResetError):
            pass
        each.process.join(_GRACE)
        code = each.process.exitcode
        how = f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with status {code}"
        seconds = 0.0 if each.begun is None else time.monotonic() - each.begun
        return Outcome(seconds=seconds, reason=f"the process of the evaluation {how}", lost=True)

    def end(self, id: int) -> None:
        for each in self._processes:
            if each.id == id:
                self._processes.remove(each)
                _end(each)
                return

    def close(self, wait: bool) -> None:
        for each in self._processes:
            _end(each)
        self._processes = []


def _end(each: _Process) -> None:
    """Ends a process and what it started: at once where it is idle."""
    pid = each.process.pid
    each.connection.close()
    for signum in (signal.SIGTERM, signal.SIGKILL):
        try:
            if os.getpgid(pid) == pid:
                os.killpg(pid, signum)
            else:
                os.kill(pid, signum)
        except (ProcessLookupError, PermissionError):
            pass
        each.process.join(_GRACE)
        if not each.process.is_alive():
            break
    each.process.close()
