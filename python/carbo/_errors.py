"""What Carbo raises. The text says what was wrong, where, and what would be right."""
from __future__ import annotations


class Error(Exception):
    """Base of every error of Carbo's."""


class InvalidSpace(Error, ValueError):
    """A parameter or a space that cannot be searched: bounds, names, categories, constraints."""


class InvalidOptions(Error, ValueError):
    """A setting that there is not, or outside its valid range, or two that contradict each other."""


class InvalidPool(Error, ValueError):
    """A pool whose shape or values do not fit the space."""


class InvalidConfiguration(Error, ValueError):
    """Parameters that do not belong to the space: missing, unknown or out-of-range values."""


class InvalidObservation(Error, ValueError):
    """A result that cannot be learned from: an objective that is not finite, a cost that is not above 0."""


class UnknownSuggestion(Error, LookupError):
    """An id that was never given out, or whose result is already known."""


class InvalidState(Error, ValueError):
    """A text that is no state: cut short, changed, of a newer version, or in need of code that was not given again."""


class NumericalError(Error, ArithmeticError):
    """A matrix that stayed indefinite at the largest jitter. All observations are kept."""


class BackendUnavailable(Error, RuntimeError):
    """The backend that was asked for cannot run here."""


class OutOfMemory(Error, MemoryError):
    """Memory that was needed is not there. Nothing observed is lost."""


class DeviceError(Error, RuntimeError):
    """A call to the device or its libraries failed."""


class InvalidArray(Error, ValueError):
    """An array that cannot be used as it is."""

    #: "null_pointer", "not_device_memory", "not_host_memory", "other_device", "misaligned", "overlapping",
    #: "leading_dimension", "shape", "not_finite" or "out_of_range"
    reason: str = ""


class ConcurrentCall(Error, RuntimeError):
    """A call that another one on the same object cannot wait for."""


class StorageError(Error, OSError):
    """The file of a study cannot be used: missing, read-only, no study, damaged, of a newer version, the disk full."""


class StudyBusy(Error, TimeoutError):
    """Another process held the study for longer than ``busy_wait``. The call can be made again."""


class IncompatibleStudy(Error, ValueError):
    """A study of that name is there with a space or options that cannot go on as those given."""


class UnknownStudy(Error, LookupError):
    """The file has no study of that name, or several where none was named."""


class OtherProcess(Error, RuntimeError):
    """A study that was made before a fork and is used after it."""


class EvaluationFailed(Exception):
    """Raised *by an objective function* to say that an evaluation failed and what it cost.

    ``timed_out``: it was cut off, and its full cost is at least ``cost``.
    """

    def __init__(self, cost: float, reason: str = "", timed_out: bool = False) -> None:
        super().__init__(cost, reason, timed_out)
        self.cost = cost
        self.reason = reason
        self.timed_out = timed_out

    def __str__(self) -> str:
        return self.reason
