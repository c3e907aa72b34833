"""Tables that were cut off, damaged, locked, or written on a full disk."""

import os
import resource
import signal
import unittest
from unittest import mock

from fakes import FolderTest, outcome

from collector.spaces import Parameter
from collector.table import Table, TableError, read_table

PARAMETERS = [Parameter("depth", "integer", 1, 64), Parameter("share", "real", 1e-3, 1.0, log=True),
              Parameter("kind", "categorical", choices=("plain", "odd"))]
HEADER = "row,depth,share,kind,error,seconds,status,note\n"
MEASURED = [({"depth": 3, "share": 0.5, "kind": "odd"}, outcome(0.125, 0.25)),
            ({"depth": 64, "share": 1e-3, "kind": "plain"}, outcome(None, 1e-5, "failed", "ValueError: 'no'; never")),
            ({"depth": 1, "share": 1.0, "kind": "odd"}, outcome(1 / 3, 12.3456789, "warned", "FutureWarning"))]
TEXT = HEADER + ("0,3,0.5,odd,0.125,0.25,ok,\n"
                 "1,64,0.001,plain,,1e-05,failed,ValueError: 'no'; never\n"
                 "2,1,1.0,odd,0.333333,12.3457,warned,FutureWarning\n")


class TableTest(FolderTest):
    """Has no tests of its own."""

    def setUp(self):
        super().setUp()
        self.file = self.folder / "table.csv"

    def fill(self):
        with Table(self.file, PARAMETERS) as table:
            for configuration, measured in MEASURED[len(table):]:
                table.append(configuration, measured)
            return table

    def refused(self, text, *parts):
        """The file is refused with a message that has these parts, and stays as it is."""
        data = text if isinstance(text, bytes) else text.encode()
        self.file.write_bytes(data)
        with self.assertRaises(TableError) as caught:
            Table(self.file, PARAMETERS)
        for part in (str(self.file),) + parts:
            self.assertIn(part, str(caught.exception))
        self.assertEqual(self.file.read_bytes(), data)


class ContentsTest(TableTest):
    def test_rows_are_lines_of_text(self):
        self.fill()
        self.assertEqual(self.file.read_text(), TEXT)

    def test_what_is_read_is_what_was_written(self):
        with Table(self.file, PARAMETERS) as table:
            for configuration, measured in MEASURED:
                table.append(configuration, measured)
            written = table.rows
            self.assertAlmostEqual(table.mean_seconds(), (0.25 + 1e-5 + 12.3457) / 3)
        with Table(self.file, PARAMETERS) as table:
            self.assertEqual(table.rows, written)
            self.assertAlmostEqual(table.mean_seconds(), (0.25 + 1e-5 + 12.3457) / 3)
        self.assertEqual(written[1], (MEASURED[1][0], None, 1e-5, "failed", "ValueError: 'no'; never"))
        self.assertEqual(written[2].error, 0.333333)

    def test_cut_off_after_any_byte_it_goes_on(self):
        unsynchronised = mock.patch("os.fsync")  # hundreds of lines: the disk is slow
        unsynchronised.start()
        self.addCleanup(unsynchronised.stop)
        for length in range(len(TEXT)):
            self.file.write_text(TEXT[:length])
            whole = TEXT[:length].rpartition("\n")[0]
            with Table(self.file, PARAMETERS) as table:
                self.assertEqual(len(table), max(0, whole.count("\n")), length)
                self.assertEqual(table.dropped, TEXT[len(whole) + bool(whole):length], length)
            self.fill()
            self.assertEqual(self.file.read_text(), TEXT, length)

    def test_a_foreign_file_stays_as_it_is(self):
        self.refused("a letter", ":1: ", "neither")
        self.refused("row,depth\n0,3\n1,", ":1: the columns are row,depth, not row,depth,share")
        self.refused("\n", ":1: the columns are , not row,depth")
        self.refused(HEADER.replace("share", "size"), ":1: the columns are row,depth,size,kind")
        self.refused(HEADER.encode() + b"0,\xff,0.5,odd,0.125,0.25,ok,\n", ":2: ", "UTF-8")

    def test_rows_have_their_places(self):
        lines = TEXT.splitlines(keepends=True)
        self.refused("".join(lines[:2] + lines[3:]), ":3: row '2' where row 1 belongs")
        self.refused("".join(lines[:2] + lines[1:]), ":3: row '0' where row 1 belongs")
        self.refused(HEADER + "0,3,0.5,odd,0.125,0.25\n", ":2: 6 cells, not 8")
        self.refused(HEADER + "0,3,0.5,odd,0.125,0.25,ok,a,b\n", ":2: 9 cells, not 8")
        self.refused(HEADER + "\n", ":2: 1 cells, not 8")

    def test_cells_are_values_of_the_space(self):
        for cell, part in [("x", "depth: 'x' is not an integer"), ("3.5", "depth: '3.5' is not an integer"),
                           ("", "depth: '' is not an integer"), ("1_0", "depth: '1_0' is not an integer"),
                           ("65", "depth: 65 is outside [1, 64]")]:
            self.refused(HEADER + f"0,{cell},0.5,odd,0.125,0.25,ok,\n", ":2: " + part)
        for cell, part in [("x", "share: 'x' is not a number"), ("nan", "share: nan is outside"),
                           ("inf", "share: inf is outside"), ("1e-4", "share: 0.0001 is outside [0.001, 1.0]")]:
            self.refused(HEADER + f"0,3,{cell},odd,0.125,0.25,ok,\n", ":2: " + part)
        self.refused(HEADER + "0,3,0.5,even,0.125,0.25,ok,\n", ":2: kind: 'even' is none of plain, odd")

    def test_what_was_measured_is_a_measurement(self):
        for cells, part in [("x,0.25,ok", "error: 'x' is not a number"), ("nan,0.25,ok", "error: nan is outside"),
                            ("1.5,0.25,ok", "error: 1.5 is outside [0, 1]"),
                            (",0.25,ok", "error: '' of a row whose status is ok"),
                            ("0.1,0.25,failed", "error: '0.1' of a row whose status is failed"),
                            ("0.1,,ok", "seconds: '' is not a number"),
                            ("0.1,soon,ok", "seconds: 'soon' is not a number"),
                            ("0.1,0,ok", "seconds: 0 is not above 0"), ("0.1,-1,ok", "seconds: -1 is not above 0"),
                            ("0.1,nan,ok", "seconds: nan is not above 0"), ("0.1,inf,ok", "seconds: inf is not"),
                            ("0.1,0.25,fine", "status: 'fine' is none of ok, warned, failed")]:
            self.refused(HEADER + f"0,3,0.5,odd,{cells},\n", ":2: " + part)

    def test_what_could_not_be_read_is_not_written(self):
        self.fill()
        good, measured = MEASURED[0]
        with Table(self.file, PARAMETERS) as table:
            for configuration, result in [({**good, "share": float("nan")}, measured),
                                          ({**good, "share": float("inf")}, measured),
                                          ({**good, "depth": 65}, measured), (good, outcome(seconds=float("nan"))),
                                          (good, outcome(error=float("nan"))), (good, outcome(note="one, two")),
                                          (good, outcome(note="one\n4,two")), (good, outcome(status="fine"))]:
                with self.assertRaises(TableError):
                    table.append(configuration, result)
            self.assertEqual(self.file.read_text(), TEXT)
            table.append(*MEASURED[0])
        self.assertEqual(self.file.read_text(), TEXT + "3,3,0.5,odd,0.125,0.25,ok,\n")


class OtherWritersTest(TableTest):
    def test_one_collector_at_a_time(self):
        with Table(self.file, PARAMETERS):
            with self.assertRaisesRegex(TableError, "another collector is writing it"):
                Table(self.file, PARAMETERS)
        self.fill()

    def test_the_lock_of_a_killed_collector_is_gone(self):
        ready, told = os.pipe()
        child = os.fork()
        if child == 0:
            table = Table(self.file, PARAMETERS)
            os.write(told, b"!")
            signal.pause()  # until it is killed, with the table open
            os._exit(len(table))
        try:
            os.read(ready, 1)
            with self.assertRaisesRegex(TableError, "another collector"):
                Table(self.file, PARAMETERS)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(ready)
            os.close(told)
        self.fill()
        self.assertEqual(self.file.read_text(), TEXT)

    def test_a_reader_needs_no_lock_and_changes_nothing(self):
        table = Table(self.file, PARAMETERS)
        self.addCleanup(table.close)
        for configuration, measured in MEASURED:
            table.append(configuration, measured)
        with open(self.file, "ab") as other:
            other.write(b"3,3,0.")
        self.assertEqual(read_table(self.file, PARAMETERS), table.rows)
        self.assertEqual(self.file.read_text(), TEXT + "3,3,0.")
        with self.assertRaises(FileNotFoundError):
            read_table(self.folder / "none.csv", PARAMETERS)
        self.assertFalse((self.folder / "none.csv").exists())
        (self.folder / "empty.csv").touch()
        with self.assertRaisesRegex(TableError, "empty.csv:1: the file is empty"):
            read_table(self.folder / "empty.csv", PARAMETERS)


class FullDiskTest(TableTest):
    """The limit of a file's size lets a write end early, as a full disk does."""

    def limit(self, size):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, (soft, hard))
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    def test_a_line_is_whole_or_not_there(self):
        lines = TEXT.splitlines(keepends=True)
        before = len("".join(lines[:3]))
        with Table(self.file, PARAMETERS) as table:
            for configuration, measured in MEASURED[:2]:
                table.append(configuration, measured)
            for room in (0, 1, len(lines[3]) - 1):
                unlimit = self.limit(before + room)
                with self.assertRaises(OSError):
                    table.append(*MEASURED[2])
                unlimit()
                self.assertEqual(self.file.read_text(), "".join(lines[:3]))
            table.append(*MEASURED[2])
        self.assertEqual(self.file.read_text(), TEXT)

    def test_a_header_is_whole_or_not_there(self):
        unlimit = self.limit(10)
        with self.assertRaisesRegex(OSError, "is the disk full"):
            Table(self.file, PARAMETERS)
        unlimit()
        self.fill()
        self.assertEqual(self.file.read_text(), TEXT)

    def test_a_row_that_did_not_reach_the_disk_is_not_written_twice(self):
        with Table(self.file, PARAMETERS) as table:
            with mock.patch("os.fsync", side_effect=OSError("input/output error")):
                with self.assertRaises(OSError):
                    table.append(*MEASURED[0])
            for configuration, measured in MEASURED:
                table.append(configuration, measured)
        self.assertEqual(self.file.read_text(), TEXT)


if __name__ == "__main__":
    unittest.main()
