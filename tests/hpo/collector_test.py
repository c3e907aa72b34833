"""The collector as a whole: killed, started again, given what it cannot use."""

import csv
import os
import random
import signal
import sys
import time
import unittest
from unittest import mock

from fakes import FolderTest, Importer, fake_world, outcome, run, sequence

from collector import collect, journal, learners, measure, repeats
from collector.problems import find_problems
from collector.table import Table, read_table

NAMES = ["dt_a1a", "rf_splice"]


class CollectorTest(FolderTest):
    """Has no tests of its own."""

    def collect(self, rows, *more, names=NAMES):
        return run(collect.main, "--data", self.folder, "--out", self.folder / "out", "--rows", rows, "--quick-rows",
                   rows, "--problems", *names, *more)

    def file(self, name):
        return self.folder / "out" / f"{name}.csv"

    def rows(self, name):
        return read_table(self.file(name), find_problems([name])[0].parameters)

    def check_complete(self, rows):
        """Every row of the sequence once, in order."""
        for problem in find_problems(NAMES):
            self.assertEqual([row.configuration for row in self.rows(problem.name)],
                             sequence(problem.parameters, rows, problem.seed))


class KilledTest(CollectorTest):
    ROWS, KILLS = 90, 40

    def start(self):
        """A collector in a process of its own, which tells through a pipe what it has written. Returns both."""
        read_end, write_end = os.pipe()
        child = os.fork()
        if child:
            os.close(write_end)
            return child, read_end

        def append_and_tell(table, configuration, measured, append=Table.append):
            append(table, configuration, measured)
            os.write(write_end, f"{table.file.stem},{len(table) - 1},{table.rows[-1].seconds!r}\n".encode())
            time.sleep(0.0005)  # lets the other process run where both share a core

        try:
            with fake_world(), mock.patch.object(Table, "append", append_and_tell):
                os._exit(self.collect(self.ROWS)[0])
        finally:
            os._exit(99)

    def kill_after(self, rows, seconds):
        """What a collector told that was killed so long after it had told of so many rows; whether it still ran."""
        child, read_end = self.start()
        with os.fdopen(read_end) as pipe:
            lines = [pipe.readline() for _ in range(rows)]
            time.sleep(seconds)
            os.kill(child, signal.SIGKILL)
            killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
            return self.parse(lines + pipe.readlines()), killed

    def parse(self, lines):
        return [(name, int(row), float(seconds)) for name, row, seconds in csv.reader(line for line in lines if line)]

    def check_told(self, told):
        """What was told stands in the tables as it was told, and was told once."""
        self.assertEqual(len({(name, row) for name, row, _ in told}), len(told))
        written = {name: self.rows(name) for name in {name for name, _, _ in told}}
        for name, row, seconds in told:
            self.assertEqual(written[name][row].seconds, seconds, f"{name} row {row}")

    def test_nothing_is_lost_and_nothing_is_twice(self):
        draw, everything, hits = random.Random(17), [], 0
        for turn in range(self.KILLS):
            # Every third is killed while it starts; the others somewhere in the course of the next row.
            rows, seconds = (0, 0.02) if turn % 3 == 0 else (draw.randrange(1, 6), 0.001)
            told, killed = self.kill_after(rows, draw.uniform(0, seconds))
            everything += told
            hits += killed
            self.check_told(everything)
        self.assertGreater(hits, self.KILLS // 2, "most of them ended before they were killed")
        child, read_end = self.start()
        with os.fdopen(read_end) as pipe:
            everything += self.parse(pipe.readlines())
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.check_told(everything)
        self.check_complete(self.ROWS)


class ResumingTest(CollectorTest):
    def setUp(self):
        super().setUp()
        world = fake_world()
        world.__enter__()
        self.addCleanup(world.__exit__, None, None, None)

    def test_a_second_start_goes_on_and_a_third_does_nothing(self):
        self.assertEqual(self.collect(5)[0], 0)
        first = {name: self.file(name).read_text() for name in NAMES}
        self.assertEqual(self.collect(12)[0], 0)
        second = {name: self.file(name).read_text() for name in NAMES}
        for name in NAMES:
            self.assertTrue(second[name].startswith(first[name]))
        self.check_complete(12)
        status, out, _ = self.collect(8)
        self.assertEqual(status, 0)
        self.assertEqual(second, {name: self.file(name).read_text() for name in NAMES})
        self.assertIn("dt_a1a: 12 rows", out)

    def test_exceptions_and_warnings_are_rows(self):
        status, out, _ = self.collect(60)
        self.assertEqual(status, 0)
        for name in NAMES:
            depths = {(row.configuration["max_depth"] % 7 == 0, row.configuration["max_depth"] % 5 == 0, row.status)
                      for row in self.rows(name)}
            self.assertLessEqual(depths, {(True, True, "failed"), (True, False, "failed"), (False, True, "warned"),
                                          (False, False, "ok")})
            self.assertGreaterEqual({status for _, _, status in depths}, {"ok", "warned", "failed"})
            failed = sum(row.status == "failed" for row in self.rows(name))
            self.assertIn(f"{name}: 60 rows, {failed} failed", out)

    def test_cheap_tables_have_more_rows(self):
        status, _, _ = run(collect.main, "--data", self.folder, "--out", self.folder / "out", "--rows", 210,
                           "--quick-rows", 230, "--problems", "dt_a1a")
        self.assertEqual((status, len(self.rows("dt_a1a"))), (0, 230))
        with mock.patch.object(collect, "QUICK_SECONDS", 0.0):
            run(collect.main, "--data", self.folder, "--out", self.folder / "out", "--rows", 210, "--quick-rows", 230,
                "--problems", "rf_splice")
        self.assertEqual(len(self.rows("rf_splice")), 210)

    def test_a_line_that_was_cut_off_is_measured_again(self):
        self.collect(5)
        with open(self.file("dt_a1a"), "r+b") as table:
            table.truncate(self.file("dt_a1a").stat().st_size - 3)
        status, out, _ = self.collect(5)
        self.assertEqual(status, 0)
        self.assertIn("dt_a1a: dropped a line that was cut off: 4,", out)
        self.check_complete(5)

    def test_a_table_of_another_sequence_is_refused(self):
        self.collect(5)
        lines = self.file("dt_a1a").read_text().splitlines(keepends=True)
        cells = lines[3].split(",")
        cells[1] = "1" if cells[1] != "1" else "2"
        self.file("dt_a1a").write_text("".join(lines[:3] + [",".join(cells)] + lines[4:]))
        status, _, err = self.collect(5)
        self.assertEqual(status, 1)
        self.assertIn("dt_a1a.csv:4: not configuration 2 of the sequence; the table was made with another space", err)

    def test_a_table_of_another_learner_is_refused(self):
        self.collect(5)
        self.file("rf_splice").rename(self.file("dt_a1a"))
        status, _, err = self.collect(5)
        self.assertEqual(status, 1)
        self.assertIn("dt_a1a.csv:1: the columns are row,n_estimators,", err)

    def test_another_collector_is_not_disturbed(self):
        self.collect(5)
        with Table(self.file("dt_a1a"), find_problems(["dt_a1a"])[0].parameters):
            status, _, err = self.collect(9)
        self.assertEqual(status, 1)
        self.assertIn("dt_a1a.csv: another collector is writing it; wait for it or stop it", err)
        self.assertEqual(len(self.rows("dt_a1a")), 5)

    def test_a_problem_named_twice_is_one(self):
        self.assertEqual(self.collect(3, names=["dt_a1a", "dt_a1a"])[0], 0)
        self.assertEqual(len(self.rows("dt_a1a")), 3)

    def test_the_first_call_of_a_learner_is_not_measured(self):
        def importers():
            Importer.imported = False
            return mock.patch.object(learners, "make", lambda _learner, values, _features: Importer(values))

        with mock.patch.object(measure, "DISTURBED_RATIO", 1e9):  # each is measured once
            with importers():
                self.collect(3, names=["dt_a1a"])
            with importers(), mock.patch.object(repeats, "REPEATED_ROWS", 2), mock.patch.object(repeats, "SPACING", 1):
                self.collect(3, "--repeat", 2, names=["dt_a1a"])
        for row in self.rows("dt_a1a") + read_table(self.file("repeats_dt_a1a"), repeats.COLUMNS):
            self.assertLess(row.seconds, 0.04)

    def test_stopped_by_the_keyboard_it_says_so(self):
        with mock.patch.object(measure, "evaluate_once", side_effect=KeyboardInterrupt):
            status, _, err = self.collect(5)
        self.assertEqual((status, err), (130, "collect: stopped; start it again to go on\n"))


class UnusableTest(CollectorTest):
    def test_a_data_set_that_is_not_there(self):
        status, _, err = self.collect(5)
        self.assertEqual(status, 1)
        self.assertIn(f"data set a1a: {self.folder}/a1a and {self.folder}/a1a.t not found; the folder must hold "
                      "LIBSVM's files a1a (training) and a1a.t (test)", err)
        (self.folder / "a1a").touch()
        self.assertIn(f"data set a1a: {self.folder}/a1a.t not found", self.collect(5)[2])
        self.assertFalse(self.file("dt_a1a").exists())

    def test_a_data_set_without_a_folder(self):
        status, _, err = run(collect.main, "--out", self.folder / "out", "--problems", "dt_a1a")
        self.assertEqual(status, 1)
        self.assertIn("data set a1a: --data must name the folder that holds LIBSVM's files a1a and a1a.t", err)

    def test_a_problem_of_another_collection(self):
        status, _, err = self.collect(5, "--collection", "verdict", names=["dt_a1a"])
        self.assertEqual(status, 1)
        self.assertIn("no problem is called 'dt_a1a': there are boost_digits, boost_clusters,", err)

    def test_a_problem_that_is_none(self):
        status, _, err = self.collect(5, names=["dt_a1a", "dt_a9a"])
        self.assertEqual(status, 1)
        self.assertIn("no problem is called 'dt_a9a': there are knn_a1a, knn_a2a,", err)

    def test_without_scikit_learn(self):
        for file in ("a1a", "a1a.t"):
            (self.folder / file).write_text("+1 1:1\n")
        with mock.patch.dict(sys.modules, {"numpy": None}):
            status, _, err = self.collect(5)
        self.assertEqual(status, 1)
        self.assertIn("bench/hpo/collect installs what it needs", err)

    def test_numbers_of_rows(self):
        for text in ("0", "-5", "many", "1.5", ""):
            status, _, err = self.collect(text)
            self.assertEqual(status, 2)
            self.assertIn(f"'{text}' is not a whole number above 0", err)

    def test_a_core_that_is_not_there(self):
        status, _, err = self.collect(5, "--core", 4095)
        self.assertEqual(status, 1)
        self.assertIn("--core 4095: this process may run on", err)

    def test_a_folder_that_cannot_be(self):
        (self.folder / "out").touch()
        status, _, err = self.collect(5)
        self.assertEqual(status, 1)
        self.assertIn("out'", err)


class RepeatsTest(CollectorTest):
    def setUp(self):
        super().setUp()
        for patch in (fake_world(), mock.patch.object(repeats, "REPEATED_ROWS", 4),
                      mock.patch.object(repeats, "SPACING", 3)):
            patch.__enter__()
            self.addCleanup(patch.__exit__, None, None, None)

    def again(self, measured_pass, name="dt_a1a"):
        return self.collect(10, "--repeat", measured_pass, names=[name])

    def repeated(self):
        return [(row.configuration["table_row"], row.configuration["pass"])
                for row in read_table(self.file("repeats_dt_a1a"), repeats.COLUMNS)]

    def test_both_passes_measure_the_same_rows(self):
        self.collect(10)
        before = self.file("dt_a1a").read_text()
        for measured_pass in (2, 3, 2, 3):
            status, out, _ = self.again(measured_pass)
            self.assertEqual(status, 0)
            self.assertNotIn("in the table", out)
        self.assertEqual(self.repeated(), [(row, number) for number in (2, 3) for row in (0, 3, 6, 9)])
        self.assertEqual(self.file("dt_a1a").read_text(), before)

    def test_stopped_it_goes_on(self):
        self.collect(10)
        results = [outcome(), outcome(), KeyboardInterrupt()]
        with mock.patch.object(repeats, "evaluate", side_effect=results):
            self.assertEqual(self.again(2)[0], 130)
        self.assertEqual(self.repeated(), [(0, 2), (3, 2)])
        self.assertEqual(self.again(2)[0], 0)
        self.assertEqual(self.repeated(), [(0, 2), (3, 2), (6, 2), (9, 2)])

    def test_other_errors_are_told(self):
        self.collect(10)
        table = self.rows("dt_a1a")
        failed = [row for row in range(10) if table[row].error is None]
        self.assertTrue(failed, "the sequence of this test has a row that fails")
        results = [outcome(None, status="failed")] * 9 + [outcome(1 / 3)]
        with mock.patch.object(repeats, "REPEATED_ROWS", 10), mock.patch.object(repeats, "SPACING", 1), \
                mock.patch.object(repeats, "evaluate", side_effect=results):
            status, out, _ = self.again(2)
        self.assertEqual(status, 0)
        for row in range(9):
            told = f"dt_a1a row {row}: error None, in the table {table[row].error}"
            (self.assertNotIn if row in failed else self.assertIn)(told, out)
        self.assertIn(f"dt_a1a row 9: error 0.333333, in the table {table[9].error}", out)

    def test_a_table_that_is_too_short(self):
        self.collect(9)
        status, _, err = self.again(2)
        self.assertEqual(status, 1)
        self.assertIn("dt_a1a.csv: 9 rows; row 9 is to be measured again", err)


class JournalTest(FolderTest):
    def test_a_line_for_each_start(self):
        with mock.patch.object(journal, "version", lambda package: f"{package} 1"):
            journal.note(self.folder, "dt_a1a", 0)
            file = self.folder / "journal.csv"
            with open(file, "a", encoding="utf-8") as cut:
                cut.write("2026-01-01T00:00Z,dt")
            journal.note(self.folder, "dt_a1a", 7, 2)
        lines = list(csv.reader(file.read_text().splitlines()))
        self.assertEqual(lines[0], journal.HEADER)
        self.assertEqual([len(line) for line in lines], [9, 9, 2, 9])
        self.assertEqual(lines[3][1:4], ["dt_a1a", "7", "2"])
        self.assertEqual(lines[3][7:], ["numpy 1", "scikit-learn 1"])


if __name__ == "__main__":
    unittest.main()
