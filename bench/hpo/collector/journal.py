"""When, where and with what rows were measured: a line whenever a collector begins to work on a table."""

import datetime
import fcntl
import os
import platform
from importlib.metadata import version
from pathlib import Path

HEADER = ["utc", "table", "first_row", "pass", "core", "processor", "python", "numpy", "scikit_learn"]


def processor_name():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip().replace(",", "")
    return platform.machine()


def utc_now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%MZ")


def note(folder, table, first_row, measured_pass=1):
    """`measured_pass` 1 fills the table, 2 and 3 measure some of its rows again."""
    cores = "+".join(str(core) for core in sorted(os.sched_getaffinity(0)))
    line = [utc_now(), table, str(first_row), str(measured_pass), cores, processor_name(), platform.python_version(),
            version("numpy"), version("scikit-learn")]
    with open(Path(folder) / "journal.csv", "a+b", buffering=0) as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        size = journal.seek(0, os.SEEK_END)
        begun = ",".join(HEADER) + "\n" if size == 0 else ""
        if size:
            journal.seek(size - 1)
            begun = "" if journal.read(1) == b"\n" else "\n"  # after a line that was cut off
        journal.write((begun + ",".join(line) + "\n").encode())
