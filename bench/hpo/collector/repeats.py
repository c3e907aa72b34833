"""Rows measured again at another hour: how far costs of one configuration differ."""

from pathlib import Path

from . import journal
from .datasets import read_set
from .measure import evaluate, warm_up
from .spaces import Parameter
from .table import Table, TableError

REPEATED_ROWS = 50
SPACING = 30  # rows 0, 30, 60, …: part of every table that has 1,471 rows
COLUMNS = [Parameter("table_row", "integer", 0, 1e9), Parameter("pass", "integer", 2, 3)]


def repeat_rows(options, problems):
    """Adds what this pass lacks to repeats_NAME.csv; says where an error is not that of the table."""
    for problem in problems:
        with Table(Path(options.out) / f"{problem.name}.csv", problem.parameters) as table, \
                Table(Path(options.out) / f"repeats_{problem.name}.csv", COLUMNS) as repeats:
            done = {row.configuration["table_row"] for row in repeats.rows
                    if row.configuration["pass"] == options.repeat}
            wanted = [row for row in range(0, REPEATED_ROWS * SPACING, SPACING) if row not in done]
            if wanted and wanted[-1] >= len(table):
                raise TableError(f"{table.file}: {len(table)} rows; row {wanted[-1]} is to be measured again")
            if not wanted:
                continue
            journal.note(options.out, problem.name, wanted[0], options.repeat)
            data = read_set(options.data, problem.set_name)
            warm_up(problem.learner, table.rows[wanted[0]].configuration, data)
            for row in wanted:
                measured = table.rows[row]
                repeats.append({"table_row": row, "pass": options.repeat},
                               evaluate(problem.learner, measured.configuration, data))
                if repeats.rows[-1].error != measured.error:
                    print(f"{problem.name} row {row}: error {repeats.rows[-1].error}, in the table {measured.error}",
                          flush=True)
            print(f"{journal.utc_now()} {problem.name}: pass {options.repeat} complete", flush=True)
