"""The summary of small tables whose figures were worked out by hand."""

import math
import unittest

from fakes import FolderTest, run

from collector import summarise

# Seconds 1, 2, 3, 4 and 10; errors 0.2 (twice), 0.4 and 0.5.
TREE = """row,max_depth,min_samples_split,max_features,error,seconds,status,note
0,44,0.5,0.25,0.5,10,ok,
1,2,0.5,0.25,0.2,4,warned,FutureWarning
2,5,0.5,0.25,,1,failed,ValueError: no
3,6,0.5,0.25,0.2,2,ok,
4,7,0.5,0.25,0.4,3,ok,
"""
FOREST = """row,n_estimators,max_depth,min_samples_split,error,seconds,status,note
0,44,3,0.5,0.0625,0.00125,ok,
"""
JOURNAL = """utc,table,first_row,pass,core,processor,python,numpy,scikit_learn
2026-01-02T03:04Z,dt_a1a,0,1,1,Some Processor,3.11.2,2.4.6,1.9.1
2026-01-02T03:04Z,rf_
2026-01-03T00:00Z,dt_a1a,0,2,1,Some Processor,3.11.2,2.4.6,1.9.1
2026-01-03T00:01Z,rf_w2a,0,1,0,Other Processor,3.12.0,2.4.6,1.9.1
"""


def repeats(*lines):
    """A table of repeats from (row of the table, pass, seconds)."""
    text = "row,table_row,pass,error,seconds,status,note\n"
    for i, (row, number, seconds) in enumerate(lines):
        text += f"{i},{row},{number},0.5,{seconds:.6g},ok,\n"
    return text


class SummaryTest(FolderTest):
    def summarise(self, **files):
        for name, text in files.items():
            (self.folder / f"{name}.csv").write_text(text)
        return run(summarise.main, self.folder)

    def lines(self, out, name):
        return [line for line in out.splitlines() if line.startswith(f"| {name} |")]

    def test_costs_and_errors(self):
        status, out, err = self.summarise(dt_a1a=TREE, rf_w2a=FOREST)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(self.lines(out, "dt_a1a"),
                         ["| dt_a1a | 5 | 1 | 1 | 1.00 | 1.20 | 3.00 | 4.00 | 8.80 | 10.0 | 10.0 |",
                          "| dt_a1a | 0.2000 | 0.3000 | 0.5000 | 2.00 | 20 % |"])
        self.assertEqual(self.lines(out, "rf_w2a"),
                         ["| rf_w2a | 1 | 0 | 0 |" + " 0.00125 |" * 6 + " 1.00 |",
                          "| rf_w2a | 0.0625 | 0.0625 | 0.0625 | 0.00125 | 0 % |"])
        self.assertNotIn("measured again", out)

    def test_differences_of_repeated_rows(self):
        # Logarithms 0.1, 0.3, 0.2 and 0 of the tree, 0.4 of the forest.
        tree = repeats((0, 2, 10 * math.exp(0.1)), (3, 2, 2 * math.exp(-0.3)), (0, 3, 10 * math.exp(0.2)), (3, 3, 2))
        forest = repeats((0, 2, 0.00125 * math.exp(-0.4)))
        _, out, _ = self.summarise(dt_a1a=TREE, rf_w2a=FOREST, repeats_dt_a1a=tree, repeats_rf_w2a=forest)
        self.assertEqual(self.lines(out, "dt_a1a")[2], "| dt_a1a | 4 | 0.150 | 0.285 |")
        self.assertEqual(self.lines(out, "rf_w2a")[2], "| rf_w2a | 1 | 0.400 | 0.400 |")
        self.assertEqual(self.lines(out, "all"), ["| all | 5 | 0.200 | 0.380 |"])

    def test_where_rows_were_measured(self):
        _, out, _ = self.summarise(dt_a1a=TREE, journal=JOURNAL)
        self.assertEqual(out.partition("Measured on:\n\n")[2].splitlines(), [
            "- Some Processor, core 1, Python 3.11.2, NumPy 2.4.6, scikit-learn 1.9.1: started between "
            "2026-01-02T03:04Z and 2026-01-03T00:00Z",
            "- Other Processor, core 0, Python 3.12.0, NumPy 2.4.6, scikit-learn 1.9.1: started between "
            "2026-01-03T00:01Z and 2026-01-03T00:01Z"])

    def test_a_table_of_failures(self):
        header, failed = TREE.splitlines()[0], TREE.splitlines()[3]
        _, out, _ = self.summarise(dt_a1a=f"{header}\n0{failed[1:]}\n")
        self.assertEqual(self.lines(out, "dt_a1a")[1], "| dt_a1a | none | none | none | none | none |")

    def test_a_line_that_is_being_written_is_no_row(self):
        _, out, _ = self.summarise(dt_a1a=TREE + "5,1,0.5", rf_a1a=FOREST.splitlines()[0] + "\n")
        self.assertIn("| dt_a1a | 5 | 1 |", out)
        self.assertEqual(self.lines(out, "rf_a1a"), [])

    def test_what_cannot_be_summarised(self):
        status, out, err = self.summarise()
        self.assertEqual((status, out), (1, ""))
        self.assertIn(f"summarise: {self.folder}: no table with rows; tables are called knn_a1a.csv and so on", err)
        status, out, err = self.summarise(dt_a1a=TREE.replace(",3,ok", ",soon,ok"))
        self.assertEqual((status, out), (1, ""))
        self.assertIn("dt_a1a.csv:6: seconds: 'soon' is not a number", err)
        status, _, err = self.summarise(dt_a1a=TREE, repeats_dt_a1a=repeats((5, 2, 1)))
        self.assertEqual(status, 1)
        self.assertIn("repeats_dt_a1a.csv:2: table_row 5, but the table has 5 rows", err)


if __name__ == "__main__":
    unittest.main()
