"""What the tables hold, as Markdown on standard output: costs, errors, and how much repeated timings differ."""

import argparse
import csv
import math
import sys
from pathlib import Path

from . import repeats
from .problems import all_problems
from .table import TableError, read_table


def quantile(values, share):
    """With linear interpolation between the order statistics; the least at 0, the most at 1."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = min(int(place), len(ordered) - 2) if len(ordered) > 1 else 0
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def markdown(header, rows):
    lines = [header, ["---"] * len(header)] + rows
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def digits(value, count=3):
    """So many digits, without an exponent."""
    if value == 0:
        return "0"
    places = max(0, count - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}"


def cost_line(name, rows):
    seconds = [row.seconds for row in rows]
    counts = [sum(row.status == status for row in rows) for status in ("failed", "warned")]
    shown = [quantile(seconds, 0.0), quantile(seconds, 0.05), quantile(seconds, 0.5), math.fsum(seconds) / len(seconds),
             quantile(seconds, 0.95), quantile(seconds, 1.0), max(seconds) / min(seconds)]
    return [name, f"{len(rows):,}", *map(str, counts), *map(digits, shown)]


def error_line(name, rows):
    """Of equally good rows the cheapest is the best. Its cost's place: the share of rows that cost less."""
    tested = [row for row in rows if row.error is not None]
    if not tested:
        return [name] + ["none"] * 5
    best = min(tested, key=lambda row: (row.error, row.seconds))
    errors = [row.error for row in tested]
    cheaper = sum(row.seconds < best.seconds for row in rows) / len(rows)
    return [name, *(f"{quantile(errors, share):.4f}" for share in (0.0, 0.5, 1.0)), digits(best.seconds),
            f"{100 * cheaper:.0f} %"]


def log_ratios(rows, again, file):
    """|ln (seconds again ÷ seconds of the table)| of each row that was measured again."""
    ratios = []
    for line, repeated in enumerate(again, start=2):
        index = repeated.configuration["table_row"]
        if index >= len(rows):
            raise TableError(f"{file}:{line}: table_row {index}, but the table has {len(rows)} rows")
        ratios.append(abs(math.log(repeated.seconds / rows[index].seconds)))
    return ratios


def difference_line(name, ratios):
    return [name, f"{len(ratios):,}", f"{quantile(ratios, 0.5):.3f}", f"{quantile(ratios, 0.95):.3f}"]


def read_journal(file):
    """Where and with what the rows were measured: text for each combination, with its first and last start."""
    with open(file, newline="", encoding="utf-8") as lines:
        starts = [line for line in csv.DictReader(lines) if line["scikit_learn"]]  # others were cut off
    combinations = {}
    for line in starts:
        what = (f"{line['processor']}, core {line['core']}, Python {line['python']}, NumPy {line['numpy']}, "
                f"scikit-learn {line['scikit_learn']}")
        combinations.setdefault(what, []).append(line["utc"])
    return [f"- {what}: started between {min(times)} and {max(times)}\n" for what, times in combinations.items()]


def summarise(folder):
    costs, errors, differences, everything = [], [], [], []
    for problem in all_problems():
        file, repeats_file = folder / f"{problem.name}.csv", folder / f"repeats_{problem.name}.csv"
        rows = read_table(file, problem.parameters) if file.is_file() else []
        if not rows:
            continue
        costs.append(cost_line(problem.name, rows))
        errors.append(error_line(problem.name, rows))
        again = read_table(repeats_file, repeats.COLUMNS) if repeats_file.is_file() else []
        if again:
            ratios = log_ratios(rows, again, repeats_file)
            differences.append(difference_line(problem.name, ratios))
            everything += ratios
    if not costs:
        raise TableError(f"{folder}: no table with rows; tables are called {all_problems()[0].name}.csv and so on")
    yield "CPU seconds of a row:\n\n"
    yield markdown(["table", "rows", "failed", "warned", "least", "5 %", "median", "mean", "95 %", "most",
                    "most ÷ least"], costs)
    yield "\nErrors, and what the best row costs (of equally good ones the cheapest):\n\n"
    yield markdown(["table", "least", "median", "most", "seconds of the best", "rows that cost less"], errors)
    if differences:
        yield "\nRows measured again at other times, \\|ln (seconds again ÷ seconds in the table)\\|:\n\n"
        yield markdown(["table", "repeats", "median", "95 %"], differences + [difference_line("all", everything)])
    if (folder / "journal.csv").is_file():
        yield "\nMeasured on:\n\n"
        yield from read_journal(folder / "journal.csv")


def main(given=None):
    parser = argparse.ArgumentParser(prog="summarise", description=__doc__)
    parser.add_argument("folder", type=Path, help="of the tables")
    options = parser.parse_args(given)
    try:
        text = "".join(summarise(options.folder))
    except (TableError, OSError) as reason:
        print(f"summarise: {reason}", file=sys.stderr)
        return 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
