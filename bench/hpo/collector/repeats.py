"""Rows measured again at another hour: how far costs of one configuration differ."""

from pathlib import Path

from . import journal
from .datasets import read_set
from .measure import evaluate
from .spaces import Parameter
from .table import Table, TableError

REPEATED_ROWS = 50
SPACING = 30  # rows 0, 30, 60, …: part of every table that has 1,471 rows
COLUMNS = [Parameter("table_row", "integer", 0, 1e9), Parameter("pass", "integer", 2, 3)]


def repeat_rows(options, problems):
    """Adds what this pass lacks to repeats_NAME.csv; errors must be those of the table."""
    for problem in problems:
        with Table(Path(options.out) / f"{problem.name}.csv", problem.parameters) as table, \
                Table(Path(options.out) / f"repeats_{problem.name}.csv", COLUMNS) as repeats:
            done = {row[0]["table_row"] for row in repeats.rows if row[0]["pass"] == options.repeat}
            wanted = [row for row in range(0, REPEATED_ROWS * SPACING, SPACING) if row not in done]
            if wanted and wanted[-1] >= len(table):
                raise TableError(f"{table.file}: {len(table)} rows; row {wanted[-1]} is to be measured again")
            if not wanted:
                continue
            journal.note(options.out, problem.name, wanted[0], options.repeat)
            data = read_set(options.data, problem.set_name)
            for row in wanted:
                configuration, error, *_ = table.rows[row]
                outcome = evaluate(problem.learner, configuration, data)
                if outcome.error != error and (error is None or abs(outcome.error - error) > 5e-7):
                    print(f"{problem.name} row {row}: error {outcome.error}, in the table {error}", flush=True)
                repeats.append({"table_row": row, "pass": options.repeat}, outcome)
            print(f"{journal.utc_now()} {problem.name}: pass {options.repeat} complete", flush=True)
