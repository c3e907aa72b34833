"""Fills the tables, a few rows of each in turn, so that it can be stopped whenever one likes and started again."""

import argparse
import contextlib
import sys
import time
from pathlib import Path

from . import failure, journal
from .datasets import read_set
from .measure import evaluate, pin, warm_up
from .problems import COLLECTIONS, find_problems
from .repeats import repeat_rows
from .spaces import sobol_configurations
from .table import Table, TableError

CHUNK_SECONDS = 30.0  # of one table before the next has its turn
QUICK_SECONDS = 0.05  # mean cost below which a table gets `quick_rows`
ROWS_BEFORE_QUICK = 200


def count(text):
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above 0")
    return int(text)


def arguments(given):
    parser = argparse.ArgumentParser(prog="collect", description=__doc__)
    parser.add_argument("--data", help="folder with LIBSVM's files, as a1a and a1a.t, which the paper's problems need")
    parser.add_argument("--out", required=True, help="folder of the tables")
    parser.add_argument("--collection", choices=list(COLLECTIONS), default="paper", help="which problems (paper)")
    parser.add_argument("--problems", nargs="*", default=[], help="of these, such as knn_a1a; all where none is named")
    parser.add_argument("--rows", type=count, default=2000, help="of each table")
    parser.add_argument("--quick-rows", type=count, default=5000, help="where a row takes less than 50 ms on the mean")
    parser.add_argument("--core", type=int, help="the core to run on, which nothing else should use")
    parser.add_argument("--repeat", type=int, choices=[2, 3], metavar="PASS",
                        help="measure 50 rows of each table again, as pass 2 or 3, into repeats_NAME.csv")
    return parser.parse_args(given)


class Job:
    """A problem with its data, its table and the configurations that are left."""

    def __init__(self, problem, options):
        self.problem, self.options = problem, options
        self.data = read_set(options.data, problem.set_name)
        self.configurations = sobol_configurations(problem.parameters, max(options.rows, options.quick_rows),
                                                   problem.seed)
        self.table = Table(Path(options.out) / f"{problem.name}.csv", problem.parameters)
        if self.table.dropped:
            print(f"{problem.name}: dropped a line that was cut off: {self.table.dropped}", flush=True)
        try:
            self._check_sequence()
            journal.note(options.out, problem.name, len(self.table))
        except BaseException:
            self.table.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.table.close()

    def _check_sequence(self):
        for row, (measured, configuration) in enumerate(zip(self.table.rows, self.configurations)):
            if measured.configuration != configuration:
                raise TableError(f"{self.table.file}:{row + 2}: not configuration {row} of the sequence; the table "
                                 "was made with another space or another sequence")

    def target(self):
        quick = len(self.table) >= ROWS_BEFORE_QUICK and self.table.mean_seconds() < QUICK_SECONDS
        return max(self.options.rows, self.options.quick_rows) if quick else self.options.rows

    def share(self):
        return min(1.0, len(self.table) / self.target())

    def done(self):
        return len(self.table) >= self.target()

    def work(self):
        warm_up(self.problem.learner, self.configurations[len(self.table)], self.data)
        until = time.monotonic() + CHUNK_SECONDS
        while not self.done() and time.monotonic() < until:
            configuration = self.configurations[len(self.table)]
            self.table.append(configuration, evaluate(self.problem.learner, configuration, self.data))


def fill(options):
    with contextlib.ExitStack() as opened:
        jobs = [opened.enter_context(Job(problem, options))
                for problem in find_problems(options.problems, options.collection)]
        while any(not job.done() for job in jobs):
            # The table that has the smallest share of its rows goes on, so that all end together.
            job = min((job for job in jobs if not job.done()), key=Job.share)
            job.work()
            print(f"{journal.utc_now()} {job.problem.name}: {len(job.table)} of {job.target()} rows, mean "
                  f"{job.table.mean_seconds():.4f} s; all: {sum(map(Job.share, jobs)) / len(jobs):.1%}", flush=True)
        for job in jobs:
            failed = sum(1 for row in job.table.rows if row.status == "failed")
            print(f"{job.problem.name}: {len(job.table)} rows, {failed} failed")


def main(given=None):
    options = arguments(given)
    try:
        pin(options.core)
        Path(options.out).mkdir(parents=True, exist_ok=True)
        if options.repeat:
            repeat_rows(options, find_problems(options.problems, options.collection))
        else:
            fill(options)
    except (ValueError, OSError, TableError, ImportError) as reason:
        return failure.report("collect", reason)
    except KeyboardInterrupt:
        print("collect: stopped; start it again to go on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
