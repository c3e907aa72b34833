"""Every mark of every chart where its data say: positions from the drawing, axes from its ticks, numbers from
`carbo export`, the database and `carbo predict`."""
import json
import math
import pathlib
import re
import urllib.parse

import studies
from pages import FOLDER, Axis, PageTest, value_of


def path_points(text):
    return [tuple(map(float, pair.split())) for pair in re.split("[ML]", text)[1:]]


class Marks(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.configuration = {t["number"]: {"rate": float(t["rate"]), "layers": int(t["layers"]), "optimiser": t["optimiser"],
                                           "width": float(t["width"])} for t in cls.trials}

    def setUp(self):
        if not hasattr(Marks, "page"):
            Marks.page = self.go((FOLDER / "tuned.html").resolve().as_uri())
            Marks.noise = (self.complaints, self.requests)
            self._cleanups.clear()  # one page for all of these
        self.complaints, self.requests = Marks.noise

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        del Marks.page

    def tearDown(self):
        self.assert_quiet()

    def assert_marks(self, chart, expected):
        """`expected`: by the number of a trial, the values that its mark stands at."""
        x, y = self.seen_axes(self.page, chart)
        _, marks = self.marks(self.page, chart)
        self.assertEqual(sorted(marks), sorted(expected))
        for number, (at_x, at_y) in expected.items():
            self.assertAlmostEqual(marks[number][0], x(at_x), delta=0.75, msg=f"{chart}, trial {number}")
            self.assertAlmostEqual(marks[number][1], y(at_y), delta=0.75, msg=f"{chart}, trial {number}")
        self.assertGreater(len(expected), 3)

    def test_best_so_far_over_all_three(self):
        told = [t for t in self.trials if t["state"] in ("succeeded", "failed", "timed_out")]
        first = min(float(t["started"]) for t in told)
        best, spent, clock, steps = float("inf"), 0, 0, {}
        for count, t in enumerate(told, 1):
            spent += float(t["cost"])
            clock = max(clock, float(t["ended"]) - first)
            if t["state"] == "succeeded" and float(t["objective"]) < best:
                best = float(t["objective"])
                steps[int(t["number"])] = (spent, count, clock, best)
        for column, chart in enumerate(("best-cost", "best-count", "best-time")):
            self.assert_marks(chart, {n: (s[column], s[3]) for n, s in steps.items()})
            # The line goes through all of them, and to the end.
            x, y = self.seen_axes(self.page, chart)
            line = path_points(self.page.get_attribute(f"#{chart}-svg .line-best", "d"))
            ends = (spent, len(told), clock)
            self.assertAlmostEqual(line[-1][0], x(ends[column]), delta=0.75)
            self.assertAlmostEqual(line[-1][1], y(best), delta=0.75)

    def test_costs_alpha_and_break_even(self):
        good = {int(t["number"]): t for t in self.succeeded()}
        self.assert_marks("objective-cost", {n: (float(t["cost"]), float(t["objective"])) for n, t in good.items()})
        receipts = self.receipts()
        _, y = self.seen_axes(self.page, "alpha-series")
        _, marks = self.marks(self.page, "alpha-series")
        with_alpha = {n: r["alpha"] for n, r in receipts.items() if "alpha" in r}
        self.assertEqual(sorted(marks), sorted(with_alpha))
        for number, alpha in with_alpha.items():
            self.assertAlmostEqual(marks[number][1], y(alpha), delta=0.75)
        said = "It was 1 throughout" if set(with_alpha.values()) == {1} else "It cools as the budget is used up"
        self.assertIn(said, self.page.inner_text("#alpha"))
        self.assert_marks("break-even", {n: (n, r["break_even_price"]) for n, r in receipts.items()
                                         if r.get("break_even_price", 0) > 0})

    def test_predictions_and_calibration(self):
        receipts = self.receipts()
        by_number = {int(t["number"]): t for t in self.trials}
        for what in ("cost", "objective"):
            said = {n: r["predicted_" + what] for n, r in receipts.items() if "predicted_" + what in r}
            right = {n: (p, float(by_number[n][what])) for n, p in said.items() if by_number[n]["state"] == "succeeded"}
            self.assert_marks("predicted-" + what, right)
            self.assert_marks("calibration-" + what, {
                n: (n, r[what + "_calibration"]["coverage"]) for n, r in receipts.items()
                if r.get(what + "_calibration", {}).get("coverage") is not None})
        crosses = self.page.locator("#predicted-cost-svg .cross").count()
        self.assertEqual(crosses, sum(by_number[n]["state"] != "succeeded" for n, r in receipts.items() if "predicted_cost" in r))
        good = {n: r for n, r in receipts.items() if by_number[n]["state"] == "succeeded"}
        reach = lambda r: math.exp(1.959963984540054 * r["predicted_log_cost_sd"])
        self.check_intervals("cost", {n: (r["predicted_cost"] / reach(r), r["predicted_cost"] * reach(r), float(by_number[n]["cost"]))
                                      for n, r in good.items() if r.get("predicted_log_cost_sd", 0) > 0})
        self.check_intervals("objective", {
            n: (r["predicted_objective_lower"], r["predicted_objective_upper"], float(by_number[n]["objective"]))
            for n, r in good.items() if "predicted_objective" in r})

    def check_intervals(self, what, expected):
        """Bars from end to end at what was measured, cut at the edges, and the share of those that held."""
        x, y = self.seen_axes(self.page, "predicted-" + what)
        bars = {int(b[0]): b[1:] for b in self.page.evaluate("""(id) => [...document.querySelectorAll('#' + id + '-svg .interval')].map(
            (l) => [l.dataset.interval].concat(['x1', 'x2', 'y1'].map((a) => +l.getAttribute(a))))""", "predicted-" + what)}
        left, right = self.page.evaluate("""(id) => { const line = document.querySelector('#' + id + '-svg .axes .axis');
            return [+line.getAttribute('x1'), +line.getAttribute('x2')]; }""", "predicted-" + what)
        self.assertGreater(len(expected), 10)
        for number, (low, high, measured) in expected.items():
            place = lambda v: min(max(x(v) if v > 0 or x.way is not math.log else left, left), right)
            self.assertAlmostEqual(bars[number][0], place(low), delta=0.75)
            self.assertAlmostEqual(bars[number][1], place(high), delta=0.75)
            self.assertAlmostEqual(bars[number][2], y(measured), delta=0.75)
        share = sum(low <= measured <= high for low, high, measured in expected.values()) / len(expected)
        self.assertIn(f"{round(100 * share)} % lay in the 95 % interval ({len(expected)} of them)",
                      self.page.inner_text("#calibration-" + what))

    def test_slices_and_contours(self):
        centre = json.loads(self.program("best", self.study, "--recommend", "--json").stdout)["configuration"]
        names = ["rate", "layers", "optimiser", "width"]
        as_read = lambda name, v: f"{v:g}" if name == "width" else v

        def predicted(points):
            text = "".join(json.dumps(p) + "\n" for p in points)
            answer = json.loads(self.program("predict", self.study, "--from", "-", "--json", text=text).stdout)
            return answer["predictions"] if isinstance(answer, dict) else answer

        for i, name in enumerate(names):
            self.assert_marks(f"slice-{i}", {int(t["number"]): (as_read(name, self.configuration[t["number"]][name]),
                                                                float(t["objective"])) for t in self.succeeded()})
        x, y = self.seen_axes(self.page, "slice-0")
        curve = path_points(self.page.get_attribute("#slice-0-svg .slice", "d"))
        rates = [1e-4 * 1e4 ** (i / 40) for i in range(41)]
        for point, rate, model in zip(curve, rates, predicted([{**centre, "rate": r} for r in rates])):
            self.assertAlmostEqual(point[0], x(rate), delta=0.75)
            self.assertAlmostEqual(point[1], y(model["objective"]["median"]), delta=1)
        pairs = self.page.evaluate("[...document.querySelectorAll('#contour-pair option')].map(o => o.textContent)")
        self.assertEqual(len(pairs), 6)
        for pair in range(2):
            self.page.select_option("#contour-pair", str(pair))
            one, other = pairs[pair].split(" and ")
            self.assert_marks("contour", {
                int(t["number"]): tuple(as_read(n, self.configuration[t["number"]][n]) for n in (one, other))
                for t in self.succeeded()})
            for of in ("median", "cost"):
                self.page.select_option("#contour-of", of)
                self.check_cells(one, other, of, centre, predicted)

    def check_cells(self, one, other, of, centre, predicted):
        x, y = self.seen_axes(self.page, "contour")
        cells = self.page.evaluate("""[...document.querySelectorAll('#contour-svg .cell')].map((c) =>
            ['x', 'y', 'width', 'height'].map((a) => +c.getAttribute(a)).concat(+c.dataset.v))""")
        grid = {"rate": [1e-4 * 1e4 ** (i / 20) for i in range(21)], "layers": range(1, 9),
                "optimiser": ["sgd", "adam", "rmsprop"], "width": [16, 32, 64, 128, 256]}
        points = [{**centre, one: a, other: b} for b in grid[other] for a in grid[one]]
        self.assertEqual(len(cells), len(points))
        as_read = lambda name, v: f"{v:g}" if name == "width" else v
        for (left, top, wide, high, value), point, model in zip(cells, points, predicted(points)):
            expected = model["objective"]["median"] if of == "median" else model["cost"]["median"]
            self.assertAlmostEqual(value / expected, 1, delta=1e-4)
            self.assertTrue(left - 1 <= x(as_read(one, point[one])) <= left + wide + 1)
            self.assertTrue(top - 1 <= y(as_read(other, point[other])) <= top + high + 1)

    def test_parallel_coordinates(self):
        texts, lines, rows = self.page.evaluate("""(() => { const root = document.getElementById('parallel-chart-svg');
          return [[...root.querySelectorAll('text')].map((t) => [+t.getAttribute('x'), +t.getAttribute('y'), t.textContent, t.classList.contains('value')]),
            [...root.querySelectorAll('line.axis')].map((l) => +l.getAttribute('x1')),
            [...root.querySelectorAll('path.row')].map((p) => [+p.dataset.number, p.getAttribute('d')])]; })()""")
        heads = {text: x for x, _, text, head in texts if head}
        self.assertEqual(set(heads), {"rate", "layers", "optimiser", "width", "cost", "objective"})
        self.assertEqual(sorted(n for n, _ in rows), sorted(int(t["number"]) for t in self.succeeded()))
        by_number = {int(t["number"]): t for t in self.trials}
        for name, at in heads.items():
            column = lines.index(at)
            ticks = [(y - 4, text) for x, y, text, head in texts if not head and x == at + 4]
            if name == "optimiser":
                axis = lambda value: next(y for y, text in ticks if value.startswith(text.rstrip("\u2026")))
            elif name == "width":
                axis = lambda value: dict((value_of(text), y) for y, text in ticks)[float(value)]
            else:
                axis = (lambda read: lambda value: read(float(value)))(Axis(ticks))
            for number, d in rows:
                x, y = path_points(d)[column]
                self.assertAlmostEqual(x, at, delta=0.01)
                self.assertAlmostEqual(y, axis(by_number[number][name]), delta=0.75, msg=f"{name} of trial {number}")

    def check_timeline(self, page, trials):
        """Bars from start to end, in the row of whoever ran it; returns the names of the rows."""
        ticks, bars, labels = page.evaluate("""(() => { const root = document.getElementById('timeline-chart-svg'),
          numbers = (e, ...names) => names.map((n) => +e.getAttribute(n));
          return [[...root.querySelectorAll('text:not(.value)')].map((t) => [+t.getAttribute('x'), t.textContent]),
            [...root.querySelectorAll('rect[data-number]')].map((r) => [+r.dataset.number, r.getAttribute('class'), ...numbers(r, 'x', 'y', 'width', 'height')]),
            [...root.querySelectorAll('text.value')].map((t) => [+t.getAttribute('y'), t.textContent])]; })()""")
        axis = Axis(ticks)
        first = min(float(t["started"]) for t in trials)
        by_number = {int(t["number"]): t for t in trials}
        self.assertEqual(sorted(b[0] for b in bars), sorted(by_number))
        for number, css, left, top, wide, high in bars:
            t = by_number[number]
            start, end = axis(float(t["started"]) - first), axis(float(t["ended"]) - first)
            self.assertAlmostEqual(left, start, delta=0.75)
            self.assertAlmostEqual(left + wide, max(end, start + 1), delta=1.4)
            self.assertEqual(css, "state-" + t["state"])
            label = [text for y, text in labels if top <= y <= top + high]
            self.assertEqual(len(label), 1)
            self.assertTrue(label[0].endswith(t["worker"] or "slot " + t["slot"]) or "\u2026" in label[0], (label, t))
        return [text for _, text in labels]

    def test_workers_and_links_to_their_logs(self):
        self.check_timeline(self.page, self.trials)
        study = studies.study_file(self.program, "logs & <b>", """
budget = "9 evaluations"
workers = 2
acquisition = "random"
shell = "echo said {x}; echo complained >&2; echo '{{\\"objective\\": 1}}'"
[parameters]
x = "0.0..1.0"
""")
        self.program("run", study, "-q")
        (FOLDER / "elsewhere").mkdir(exist_ok=True)
        self.program("report", study, "-o", "elsewhere/logs.html")
        trials = self.program.rows(study)
        page = self.open("elsewhere/logs.html")
        self.assertEqual(self.check_timeline(page, trials), ["0", "1"])
        for t in trials[::4]:
            page.click(f"#trials tr[data-number='{t['number']}']")
            links = dict(page.evaluate("[...document.querySelectorAll('#detail a')].map((a) => [a.textContent, a.href])"))
            self.assertEqual(set(links), {"stdout", "stderr"})
            read = lambda link: pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(link).path)).read_text()
            self.assertIn("said " + t["x"], read(links["stdout"]))
            self.assertEqual(read(links["stderr"]), "complained\n")
            page.click("#detail-close")
        self.assert_quiet()
