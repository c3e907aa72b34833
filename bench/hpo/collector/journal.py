"""When, where and with what rows were measured: a line whenever a collector begins to work on a table."""

import csv
import datetime
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
    file = Path(folder) / "journal.csv"
    with open(file, "a", newline="", encoding="utf-8") as out:
        lines = csv.writer(out, lineterminator="\n")
        if out.tell() == 0:
            lines.writerow(HEADER)
        cores = "+".join(str(core) for core in sorted(os.sched_getaffinity(0)))
        lines.writerow([utc_now(), table, first_row, measured_pass, cores, processor_name(), platform.python_version(),
                        version("numpy"), version("scikit-learn")])
