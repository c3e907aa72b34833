"""A table of measured rows on disk that survives being killed at any moment: nothing lost, nothing twice."""

import fcntl
import os
from pathlib import Path

MEASURED = ["error", "seconds", "status", "note"]


class TableError(Exception):
    """A file that is not the table which it should be; names file and line."""


class Table:
    """Row i of the file is configuration i. Lines are appended whole and synchronised before the next is measured; a
    line that was cut off is dropped on opening. One process at a time: the file is locked while it is open."""

    def __init__(self, file, parameters):
        self.file = Path(file)
        self.parameters = parameters
        self.header = ["row"] + [p.name for p in parameters] + MEASURED
        self.rows = []  # (configuration, error or None, seconds, status)
        self.dropped = ""  # text of a line that was cut off
        self._handle = open(self.file, "a+b")
        try:
            self._lock()
            self._read()
        except BaseException:
            self._handle.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._handle.close()

    def __len__(self):
        return len(self.rows)

    def mean_seconds(self):
        return sum(row[2] for row in self.rows) / len(self.rows) if self.rows else 0.0

    def append(self, configuration, outcome):
        values = [str(configuration[p.name]) if p.type != "real" else repr(configuration[p.name])
                  for p in self.parameters]
        error = "" if outcome.error is None else f"{outcome.error:.6g}"
        self._write([str(len(self.rows))] + values + [error, f"{outcome.seconds:.6g}", outcome.status, outcome.note])
        self.rows.append((configuration, outcome.error, outcome.seconds, outcome.status))

    def _lock(self):
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TableError(f"{self.file}: another collector is writing it; wait for it or stop it") from None

    def _write(self, cells):
        line = (",".join(cells) + "\n").encode()
        if self._handle.write(line) != len(line):
            raise OSError(f"{self.file}: the line was not written whole")
        self._handle.flush()
        os.fsync(self._handle.fileno())

    def _read(self):
        self._handle.seek(0)
        text = self._handle.read()
        whole, _, rest = text.rpartition(b"\n")
        if rest:
            self.dropped = rest.decode(errors="replace")
            self._handle.truncate(len(text) - len(rest))
        lines = whole.decode().split("\n") if whole else []
        if not lines:
            self._write(self.header)
            return
        if lines[0].split(",") != self.header:
            raise TableError(f"{self.file}:1: the columns are {lines[0]}, not {','.join(self.header)}; move the file "
                             "away to start a new table")
        for number, line in enumerate(lines[1:], start=2):
            self._take(line, number)

    def _take(self, line, number):
        cells = line.split(",")
        where = f"{self.file}:{number}"
        if len(cells) != len(self.header):
            raise TableError(f"{where}: {len(cells)} cells, not {len(self.header)}")
        if cells[0] != str(len(self.rows)):
            raise TableError(f"{where}: row '{cells[0]}' where row {len(self.rows)} belongs")
        try:
            configuration = {p.name: p.parse(cell) for p, cell in zip(self.parameters, cells[1:])}
            error, seconds, status, _ = cells[1 + len(self.parameters):]
            self.rows.append((configuration, float(error) if error else None, float(seconds), status))
        except ValueError as reason:
            raise TableError(f"{where}: {reason}") from None
