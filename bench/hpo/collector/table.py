"""A table of measured rows on disk that survives being killed at any moment: nothing lost, nothing twice."""

import fcntl
import math
import os
from pathlib import Path
from typing import NamedTuple

from .spaces import parse_number

MEASURED = ["error", "seconds", "status", "note"]
STATUSES = ["ok", "warned", "failed"]


class TableError(Exception):
    """A file that is not the table which it should be; names file and line."""


class Row(NamedTuple):
    configuration: dict
    error: float | None  # None where it failed
    seconds: float
    status: str
    note: str


def columns(parameters):
    return ["row"] + [p.name for p in parameters] + MEASURED


def read_table(file, parameters):
    """The rows of a table that is only looked at; a line that is still being written is not one."""
    text = Path(file).read_bytes()
    if not text:
        raise TableError(f"{file}:1: the file is empty; its first line should be {','.join(columns(parameters))}")
    return _parse(text, parameters, file)[0]


def _parse(text, parameters, file):
    """Rows of the lines that are whole, and how many bytes these are."""
    header = ",".join(columns(parameters))
    whole, _, rest = text.rpartition(b"\n")
    if not text.count(b"\n"):
        if not header.encode().startswith(rest):
            raise TableError(f"{file}:1: the file is no table of this problem: its only line is neither "
                             f"{header} nor the beginning of that; move it away to start a new table")
        return [], 0
    rows = []
    for number, line in enumerate(whole.split(b"\n"), start=1):
        try:
            cells = line.decode()
        except UnicodeDecodeError:
            raise TableError(f"{file}:{number}: the line is not text in UTF-8") from None
        if number > 1:
            rows.append(_parse_row(cells, parameters, len(rows), f"{file}:{number}"))
        elif cells != header:
            raise TableError(f"{file}:1: the columns are {cells}, not {header}; move the file away to start a new one")
    return rows, len(text) - len(rest)


def _parse_row(line, parameters, index, where):
    cells = line.split(",")
    expected = len(parameters) + 1 + len(MEASURED)
    if len(cells) != expected:
        raise TableError(f"{where}: {len(cells)} cells, not {expected}")
    if cells[0] != str(index):
        raise TableError(f"{where}: row '{cells[0]}' where row {index} belongs")
    try:
        configuration = {p.name: p.parse(cell) for p, cell in zip(parameters, cells[1:])}
        return Row(configuration, *_parse_measured(*cells[1 + len(parameters):]))
    except ValueError as reason:
        raise TableError(f"{where}: {reason}") from None


def _parse_measured(error, seconds, status, note):
    if status not in STATUSES:
        raise ValueError(f"status: '{status}' is none of {', '.join(STATUSES)}")
    if (status == "failed") != (error == ""):
        raise ValueError(f"error: '{error}' of a row whose status is {status}; rows that failed have none, others do")
    share, cost = parse_number("error", error) if error else None, parse_number("seconds", seconds)
    if share is not None and not 0 <= share <= 1:
        raise ValueError(f"error: {error} is outside [0, 1]")
    if not (0 < cost < math.inf):
        raise ValueError(f"seconds: {seconds} is not above 0 and finite")
    return share, cost, status, note


class Table:
    """Row i of the file is configuration i. Lines are appended whole and synchronised before the next is measured; a
    line that was cut off is dropped on opening. One process at a time: the file is locked while it is open."""

    def __init__(self, file, parameters):
        self.file = Path(file)
        self.parameters = parameters
        self.dropped = ""  # text of a line that was cut off
        self._handle = open(self.file, "a+b", buffering=0)
        try:
            self._lock()
            self._open()
        except BaseException:
            self._handle.close()
            raise
        self._total_seconds = math.fsum(row.seconds for row in self.rows)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._handle.close()

    def __len__(self):
        return len(self.rows)

    def mean_seconds(self):
        return self._total_seconds / len(self.rows) if self.rows else 0.0

    def append(self, configuration, outcome):
        """OSError where the line could not be written whole: the file then ends with the row before it."""
        values = [str(configuration[p.name]) if p.type != "real" else repr(configuration[p.name])
                  for p in self.parameters]
        error = "" if outcome.error is None else f"{outcome.error:.6g}"
        line = ",".join([str(len(self))] + values + [error, f"{outcome.seconds:.6g}", outcome.status, outcome.note])
        # What could not be read again is not written.
        row = _parse_row(line, self.parameters, len(self), f"{self.file}:{len(self) + 2}")
        if "\n" in line:
            raise TableError(f"{self.file}:{len(self) + 2}: a cell has more than one line: {line!r}")
        self._write(line)
        self.rows.append(row)
        self._total_seconds += row.seconds

    def _lock(self):
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TableError(f"{self.file}: another collector is writing it; wait for it or stop it") from None

    def _open(self):
        self._handle.seek(0)
        text = self._handle.read()
        self.rows, self._size = _parse(text, self.parameters, self.file)
        if self._size < len(text):
            self.dropped = text[self._size:].decode(errors="replace")
            self._handle.truncate(self._size)
        if self._size == 0:
            self._write(",".join(columns(self.parameters)))

    def _write(self, line):
        data = (line + "\n").encode()
        try:
            written = self._handle.write(data)
            if written != len(data):
                raise OSError(f"{self.file}: {written} of a line's {len(data)} bytes were written; is the disk full?")
            os.fsync(self._handle.fileno())
        except BaseException:
            self._take_back()
            raise
        self._size += len(data)

    def _take_back(self):
        """A line of which the file may hold any part is removed; where that fails nothing more is written."""
        try:
            self._handle.truncate(self._size)
        except OSError:
            self._handle.close()
