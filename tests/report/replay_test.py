"""replay_test CARBO FOLDER [TEST...]: the page of `carbo replay` in a real browser, its marks against the CSV files."""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import sys
import unittest

from playwright.sync_api import sync_playwright

import studies

CARBO, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
EVIL = "<script>window.broken=1</script>"


def rows_of(file):
    with open(FOLDER / file, newline="") as lines:
        return list(csv.DictReader(lines))


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        program = studies.Program(CARBO, FOLDER)
        with open(FOLDER / "runs.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["layers", "rate", EVIL, "score", "cost"])
            for i in range(120):
                layers, rate = i % 6 + 1, 10 ** (-4 + 4 * (i * 47 % 120) / 120)
                score = 0.9 - 0.03 * (layers - 4) ** 2 - 0.1 * abs(math.log10(rate) + 2)
                table.writerow([layers, rate, "ab"[i % 2], "" if i == 7 else score, layers ** 1.5 + i % 3])
        program("replay", "runs.csv", "--objective", "score", "--goal", "maximize", "--log", "rate", "--methods",
                "default,eipu,random", "--budgets", "6x,12x", "--batches", "1,2", "--seeds", "5", "-o", "made")
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        cls.curves, cls.savings = rows_of("made/curves.csv"), rows_of("made/savings.csv")
        cls.cells = list(dict.fromkeys((row["batch"], row["budget"]) for row in cls.curves))

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def setUp(self):
        self.complaints, self.requests = [], []

    def open(self, width=1280, scheme="light"):
        page = self.browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto((FOLDER / "made/report.html").resolve().as_uri())
        self.addCleanup(page.close)
        return page

    def tearDown(self):
        self.assertEqual(self.complaints, [])
        self.assertEqual([url for url in self.requests if not url.startswith("file:")], [])

    def check_curves(self, page, column):
        """Every line stands, at every point of the grid, where the file has it."""
        for number, (batch, budget) in enumerate(self.cells):
            axes = json.loads(page.get_attribute(f"#curves-{number}-svg", "data-axes"))
            left, top, width, height = axes["plot"]
            kind, low, high = axes["y"]
            self.assertEqual(axes["x"][1:], [0, float(budget)])
            for method in ("default", "eipu", "random"):
                drawn = page.get_attribute(f"#curves-{number}-svg .line-best[data-method={method}]", "d")
                corners = [tuple(map(float, pair)) for pair in re.findall(r"[ML]([\d.-]+) ([\d.-]+)", drawn)]
                lines = [row for row in self.curves if (row["batch"], row["budget"], row["method"]) == (batch, budget, method)]
                self.assertEqual(len(lines), 1001)
                for row in lines:
                    if row[column] == "":
                        continue
                    value = min(max(float(row[column]), low), high)
                    share = math.log(value / low) / math.log(high / low) if kind == "log" else (value - low) / (high - low)
                    x, y = left + width * float(row["share"]), top + height * (1 - share)
                    # Of corners up to there the last says how high the line is.
                    reached = [at for at in corners if at[0] <= x + 0.011]
                    self.assertAlmostEqual(reached[-1][1], y, delta=0.011, msg=(method, row))
                self.assertAlmostEqual(corners[-1][0], left + width, delta=0.011)

    def test_curves_are_those_of_the_file(self):
        page = self.open()
        self.assertEqual(len(self.cells), 4)
        self.assertEqual(page.locator("#curves .line-best").count(), 12)
        self.assertEqual(page.locator("#curves .band").count(), 12)
        self.check_curves(page, "regret_50")
        for number in range(4):
            page.select_option(f"#shown-{number}", "objective")
        self.check_curves(page, "objective_50")

    def test_savings_are_those_of_the_file(self):
        page = self.open()
        axes = json.loads(page.get_attribute("#savings-chart-svg", "data-axes"))
        left, _, width, _ = axes["plot"]
        dots = page.evaluate("[...document.querySelectorAll('#savings-chart-svg .saved')].map((c) => [c.dataset.cell, "
                             "c.dataset.rival, c.dataset.share, c.getAttribute('cx')])")
        self.assertEqual(len(dots), 8)
        for cell, rival, share, x in dots:
            batch, budget = self.cells[int(cell)]
            row, = [row for row in self.savings if (row["batch"], row["budget"], row["method"], row["rival"]) ==
                    (batch, budget, "default", rival)]
            self.assertEqual(float(share), float(row["savings"]))
            low, high = axes["x"][1:]
            self.assertAlmostEqual(float(x), left + width * (float(share) - low) / (high - low), delta=0.01)
        pairs = page.evaluate("[...document.querySelectorAll('.pairs td[data-share]')].map((c) => +c.dataset.share)")
        self.assertEqual(pairs, [float(row["savings"]) for row in self.savings])
        ends = page.evaluate("[...document.querySelectorAll('.ends tr td:nth-child(2)')].map((c) => +c.dataset.value)")
        self.assertEqual(ends, [float(row["objective_50"]) for row in self.curves if row["share"] == "1"])

    def test_fits_themes_widths_and_names(self):
        for width, scheme in ((400, "light"), (820, "dark"), (1600, "light")):
            page = self.open(width, scheme)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
        self.assertIsNone(page.evaluate("window.broken ?? null"))
        self.assertIn(EVIL, page.inner_text("#table"))
        self.assertIn("1 row has no objective", page.inner_text("#table"))
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.click("#theme")
        self.assertNotEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), before)
        page.focus("#curves-0-svg")
        page.keyboard.press("ArrowRight")
        self.assertIn("from the best row", page.inner_text("#said"))
        page.click("#curves-0 summary")
        page.locator("#curves-0 tbody tr").nth(3).wait_for()  # rows are made when the table has been opened


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
