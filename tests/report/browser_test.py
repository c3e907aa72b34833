"""browser_test CARBO FOLDER [TEST...]: pages of studies in a real browser, their marks against `carbo export`."""
import json
import math
import sys
import unittest

import studies
from live_page_test import LivePage  # noqa: F401 (all tests of pages share one browser)
from marks_test import Marks  # noqa: F401
from pages import FOLDER, PageTest, spot

EVIL = "<script>window.broken=1</script>"


class Pages(PageTest):
    def test_best_so_far_is_that_of_the_export(self):
        page = self.open("tuned.html")
        told = [t for t in self.trials if t["state"] in ("succeeded", "failed", "timed_out")]
        best, spent, steps = math.inf, 0.0, {}
        for count, trial in enumerate(told, 1):  # told in the order of their numbers
            spent += float(trial["cost"])
            if trial["state"] == "succeeded" and float(trial["objective"]) < best:
                best = float(trial["objective"])
                steps[int(trial["number"])] = (spent, count, best)
        for chart, column in (("best-cost", 0), ("best-count", 1)):
            axes, marks = self.marks(page, chart)
            self.assertEqual(sorted(marks), sorted(steps))
            for number, (cx, cy, x, y) in marks.items():
                self.assertAlmostEqual(x, steps[number][column], places=9)
                self.assertEqual(y, steps[number][2])
                self.assertAlmostEqual(cx, spot(axes, "x", steps[number][column]), places=3)
                self.assertAlmostEqual(cy, spot(axes, "y", y), places=3)
        self.assertAlmostEqual(float(page.inner_text("#best-objective")), best, delta=1e-5 * best)
        self.assertEqual(json.loads(page.inner_text("#best-configuration"))["layers"],
                         int(min(self.succeeded(), key=lambda t: float(t["objective"]))["layers"]))
        self.assert_quiet()

    def test_objective_over_cost_and_its_front(self):
        page = self.open("tuned.html")
        axes, marks = self.marks(page, "objective-cost")
        good = {int(t["number"]): (float(t["cost"]), float(t["objective"])) for t in self.succeeded()}
        self.assertEqual(sorted(marks), sorted(good))
        for number, (cost, objective) in good.items():
            self.assertAlmostEqual(marks[number][0], spot(axes, "x", cost), places=3)
            self.assertAlmostEqual(marks[number][1], spot(axes, "y", objective), places=3)
        front = {n for n, (c, o) in good.items() if not any(
            (c2 <= c and o2 <= o and (c2 < c or o2 < o)) for c2, o2 in good.values())}
        drawn = page.get_attribute("#objective-cost-svg .line-front", "data-front").split()
        self.assertEqual({int(n) for n in drawn}, front)
        crosses = page.locator("#objective-cost-svg .cross").count()
        self.assertEqual(crosses, sum(t["state"] in ("failed", "timed_out") for t in self.trials))
        self.assert_quiet()

    def test_shares_of_the_budget(self):
        page = self.open("tuned.html")
        rows = page.evaluate("[...document.querySelectorAll('#budget-table tbody tr')].map(r => [+r.dataset.cost, +r.dataset.count])")
        sums = {}
        for t in self.trials:
            cost, count = sums.get((t["phase"], t["state"]), (0, 0))
            sums[t["phase"], t["state"]] = (cost + float(t["cost"]), count + 1)
        self.assertEqual(len(rows), len(sums))
        for row, expected in zip(sorted(rows), sorted(sums.values())):
            self.assertAlmostEqual(row[0], expected[0], places=6)
            self.assertEqual(row[1], expected[1])

    def test_importance_next_and_what_the_models_have_learned(self):
        page = self.open("tuned.html")
        bars = dict(page.evaluate("[...document.querySelectorAll('#importance-objective-svg .bar[data-name]')].map(b => [b.dataset.name, +b.dataset.x])"))
        shares = json.loads(self.program("importance", self.study, "--json").stdout)["parameters"]
        self.assertEqual(bars, {each["name"]: each["total"] for each in shares})
        self.assertEqual(page.locator(".next").count(), 4)
        self.assert_quiet()

    def test_the_study_is_not_touched(self):
        before = self.program("export", self.study).stdout
        self.program("report", self.study, "-o", "again.html")
        self.assertEqual(self.program("export", self.study).stdout, before)
        self.assertEqual(json.loads(self.program("status", self.study, "--json").stdout)["running"], 0)

    def test_table_sorts_filters_and_opens(self):
        page = self.open("tuned.html")
        numbers = lambda: [int(n) for n in page.evaluate("[...document.querySelectorAll('#trials tbody tr')].map(r => r.dataset.number)")]
        head = page.get_by_role("button", name="objective", exact=True)
        head.click()
        good = sorted(self.succeeded(), key=lambda t: float(t["objective"]))
        self.assertEqual(numbers()[:len(good)], [int(t["number"]) for t in good])
        head.click()
        self.assertEqual(numbers()[:len(good)], [int(t["number"]) for t in reversed(good)])
        page.fill("#table-filter", "layers>=5")
        self.assertEqual(sorted(numbers()), [int(t["number"]) for t in self.trials if int(t["layers"]) >= 5])
        page.fill("#table-filter", "ADAM")
        self.assertEqual(sorted(numbers()), [int(t["number"]) for t in self.trials if t["optimiser"] == "adam"])
        page.fill("#table-filter", "")
        page.select_option("#table-state", "failed")
        self.assertEqual(sorted(numbers()), [int(t["number"]) for t in self.trials if t["state"] == "failed"])
        page.locator("#trials tbody tr").first.focus()
        page.keyboard.press("Enter")
        self.assertIn("the loss is not finite", page.inner_text("#detail-reason"))
        self.assertEqual(json.loads(page.inner_text("#detail-receipt"))["progress"] >= 0, True)
        page.keyboard.press("Escape")
        self.assertFalse(page.is_visible("#detail"))
        self.assert_quiet()

    def test_brushing_chooses_trials_on_the_whole_page(self):
        page = self.open("tuned.html")
        last = page.locator("#parallel-chart-svg .grip").last
        last.scroll_into_view_if_needed()
        box = last.bounding_box()
        middle, bottom = box["x"] + box["width"] / 2, box["y"] + box["height"] - 8
        page.mouse.move(middle, bottom)
        page.mouse.down()
        page.mouse.move(middle, bottom - (box["height"] - 16) / 4, steps=4)
        page.mouse.up()
        values = [float(t["objective"]) for t in self.succeeded()]
        limit = min(values) + (max(values) - min(values)) / 4
        expected = [int(t["number"]) for t in self.succeeded() if float(t["objective"]) <= limit]
        drawn = page.evaluate("[...document.querySelectorAll('#trials tbody tr')].map(r => +r.dataset.number)")
        self.assertLessEqual(len(set(drawn) ^ set(expected)), 1)  # one may lie on the edge of the pixel
        away = page.locator("#objective-cost-svg circle.away").count()
        self.assertEqual(away, len(values) - len(drawn))
        page.click("#brush-clear")
        self.assertEqual(page.locator("#objective-cost-svg circle.away").count(), 0)
        page.select_option("#brush-axis", label="layers")
        page.evaluate("b => { b.value = 50; b.dispatchEvent(new Event('input')); }", page.query_selector("#brush-low"))
        drawn = page.evaluate("[...document.querySelectorAll('#trials tbody tr')].map(r => +r.dataset.number)")
        self.assertEqual(sorted(drawn), [int(t["number"]) for t in self.succeeded() if int(t["layers"]) >= 5])
        self.assert_quiet()

    def test_keys_themes_and_roles(self):
        page = self.open("tuned.html", scheme="dark")
        back = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")
        dark = back()
        page.click("#theme")
        self.assertNotEqual(back(), dark)
        page.reload()
        self.assertNotEqual(back(), dark)  # it is remembered
        page.focus("#objective-cost-svg")
        page.keyboard.press("ArrowRight")
        self.assertIn("trial", page.inner_text("#said"))
        self.assertTrue(page.is_visible("#tip"))
        page.keyboard.press("Enter")
        self.assertTrue(page.is_visible("#detail"))
        page.keyboard.press("Escape")
        nameless = page.evaluate("""[...document.querySelectorAll('svg[role=img], button, select, input, [role=region]')].filter(
          (e) => !(e.getAttribute('aria-label') || e.textContent.trim())).length""")
        self.assertEqual(nameless, 0)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('main > section')].every((s) => document.getElementById(s.getAttribute('aria-labelledby')))"), True)
        page.locator("#objective-cost details summary").click()
        page.locator("#objective-cost details tbody tr").first.wait_for()  # it is filled when it opens
        self.assertEqual(page.locator("#objective-cost details tbody tr").count(), len(self.succeeded()))
        self.assert_quiet()

    def test_numbers_are_right_and_readable(self):
        page = self.open("tuned.html")
        for z in (-9, -3.5, -1.96, -0.1, 0, 0.3, 2.9999, 3.0001, 6, 20):
            self.assertAlmostEqual(page.evaluate("z => upperTail(z)", z) / (0.5 * math.erfc(z / math.sqrt(2))), 1, places=9)
        for seconds, text in ((0, "0 s"), (0.0123, "12.3 ms"), (90, "90 s"), (600, "10 min"), (86400, "24 h")):
            self.assertEqual(page.evaluate("s => duration(s)", seconds), text)
        for value, text in ((0, "0"), (1234567, "1.23e6"), (0.5, "0.5"), (12345.6, "12,345.6"), (-1e-7, "-1e-7"), (None, "\u2013")):
            self.assertEqual(page.evaluate("v => number(v)", value), text)
        ticks = page.evaluate("[linear(0, 1000, secondsFormat).ticks(5).map(t => t.text), logarithmic(0.5, 2000).ticks(6).map(t => t.v)]")
        self.assertEqual(ticks[0], ["0 s", "5 min", "10 min", "15 min"])
        self.assertEqual(ticks[1], [1, 3, 10, 30, 100, 300, 1000])

    def test_three_widths_and_print(self):
        for width in (390, 820, 1440):
            page = self.open("tuned.html", width)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            page.screenshot(path=FOLDER / f"tuned-{width}.png", full_page=True)
            self.assert_quiet()
        page.emulate_media(media="print")
        self.assertFalse(page.is_visible("#contents"))
        self.assertTrue(page.is_visible("#best-cost-svg"))

    def test_studies_beside_each_other(self):
        other = studies.tuned(self.program, "other", rounds=4)
        self.program("compare", self.study, other, "-o", "both.html")
        page = self.open("both.html")
        shown = [float(v) for v in page.evaluate("[...document.querySelectorAll('#compared [data-best]')].map(c => c.dataset.best)")]
        drawn = [float(v) for v in page.evaluate("[...document.querySelectorAll('#compare-cost-svg path[data-last]')].map(c => c.dataset.last)")]
        best = [min(float(t["objective"]) for t in self.program.rows(s) if t["state"] == "succeeded") for s in (self.study, other)]
        self.assertEqual(shown, best)
        self.assertEqual(drawn, best)
        self.assertNotIn("Some are", page.inner_text("#studies"))
        self.assert_quiet()

    def test_studies_of_another_goal_and_another_unit_are_told_apart(self):
        study = studies.study_file(self.program, "up", 'budget = "9 GPUh"\ngoal = "maximize"\n[parameters]\nx = "0.0..1.0"\n')
        self.program("ask", study, "-n", "1")
        self.program("tell", study, "--id", "0", "--objective", "3", "--cost", "1")
        self.program("compare", self.study, study, "-o", "unlike.html")
        said = self.open("unlike.html").inner_text("#studies")
        self.assertIn("Some are minimised and others maximised", said)
        self.assertIn("Costs are in different units", said)
        self.assert_quiet()

    def check_drawn(self, study, *words):
        self.program("report", study, "-o", "case.html", *words)
        self.assertLess((FOLDER / "case.html").stat().st_size, 5_000_000)
        page = self.open("case.html")
        self.assertIsNotNone(page.get_attribute("html", "data-drawn"))
        self.assertEqual(page.locator("main > section").count(), 13)
        self.assertIsNone(page.evaluate("window.broken ?? null"))
        self.assert_quiet()
        return page

    def test_nothing_one_and_failures_alone(self):
        study = studies.study_file(self.program, "empty", 'budget = "10 s"\n[parameters]\nx = "0.0..1.0"\n')
        self.program("enqueue", study, "--at", "x=0.5")
        self.assertIn("No result yet", self.check_drawn(study).inner_text("#answer"))
        study = studies.told(self.program, "one", 'x = "0.0..1.0"\n', [{"configuration": {"x": 0.25}, "objective": 3, "cost": 2}])
        page = self.check_drawn(study)
        self.assertEqual(page.inner_text("#best-objective"), "3")
        self.assertEqual(page.locator("#best svg").count(), 2)  # nobody knows when it ran
        study = studies.told(self.program, "failures", 'x = "0.0..1.0"\n', [
            {"configuration": {"x": i / 9}, "failed": "no memory", "cost": 1} for i in range(10)])
        page = self.check_drawn(study)
        self.assertIn("All of 10 evaluations failed", page.inner_text("#answer"))
        self.assertIn("No evaluation has succeeded yet", page.inner_text("#best"))
        self.assertIn("failures told from outside", page.inner_text("#budget"))
        self.assertEqual(page.locator("#objective-cost-svg .cross").count(), 10)

    def test_texts_stay_texts(self):
        names = [EVIL, "</script><img src=x onerror=window.broken=1>", "a\"b'&<!--"]
        parameters = "".join(f'{json.dumps(n)} = "0.0..1.0"\n' for n in names)
        parameters += f'kind = [{json.dumps(EVIL)}, "</script>", "plain"]\n'
        results = [{"configuration": {**{n: i / 12 for n in names}, "kind": [EVIL, "</script>", "plain"][i % 3]},
                    "objective": i * 0.5 + 1, "cost": 1 + i, "metrics": {EVIL: i}} for i in range(12)]
        results.append({"configuration": {**{n: 1 for n in names}, "kind": EVIL}, "failed": EVIL + "</script>", "cost": 1})
        page = self.check_drawn(studies.told(self.program, EVIL.replace("/", "_"), parameters, results))
        self.assertNotIn(EVIL, (FOLDER / "case.html").read_text())
        page.select_option("#table-state", "failed")
        page.locator("#trials tbody tr").first.click()
        self.assertEqual(page.inner_text("#detail-reason"), EVIL + "</script>")
        self.assertEqual(page.locator("main script, main img, aside script, aside img").count(), 0)
        self.assertIsNone(page.evaluate("window.broken ?? null"))
        self.assert_quiet()

    def test_many_parameters_and_many_categories(self):
        parameters = "".join(f'p{i} = "0.0..1.0"\n' for i in range(100))
        results = [{"configuration": {f"p{j}": (i * (j + 3) % 17) / 17 for j in range(100)}, "objective": (i * 7) % 11 + 1, "cost": 1 + i % 3}
                   for i in range(20)]
        self.check_drawn(studies.told(self.program, "hundred", parameters, results))
        labels = [f"category {i}" for i in range(1000)]
        results = [{"configuration": {"kind": labels[i * 37 % 1000]}, "objective": (i * 7) % 31 + 1, "cost": 1} for i in range(40)]
        page = self.check_drawn(studies.told(self.program, "thousand", f"kind = {json.dumps(labels)}\n", results))
        self.assertEqual(page.locator("#objective-cost-svg circle[data-number]").count(), 40)

    def test_two_thousand_are_drawn_and_more_are_thinned(self):
        point = lambda i: {"configuration": {"x": i * 0.618034 % 1, "y": i * 0.414214 % 1}, "cost": 1 + i % 7,
                           "objective": 1 + (i * 0.618034 % 1 - 0.3) ** 2 + 100 / (i + 1)}
        parameters = 'x = "0.0..1.0"\ny = "0.0..1.0"\n'
        study = studies.told(self.program, "large", parameters, map(point, range(2000)))
        page = self.check_drawn(study, "--no-models")
        self.assertEqual(page.locator("#objective-cost-svg circle[data-number]").count(), 2000)
        self.assertEqual(page.locator("#thinned").count(), 0)
        print("drawn in", page.get_attribute("html", "data-drawn"), "ms")
        # Of many successes slices show the best and an even share.
        some = page.evaluate("""(count) => { const good = [...Array(count).keys()].map((i) => ({objective: i * 37 % count}));
          return sliceRows({good, better: (x, y) => x > y}).map((r) => r.objective); }""", 1000)
        self.assertEqual((len(some), len(set(some)), min(some)), (600, 600, 0))
        self.assertEqual(sum(value >= 850 for value in some), 150)
        self.assertEqual(page.evaluate("sliceRows({good: Array(600), better: (x, y) => x < y}).length"), 600)
        study = studies.told(self.program, "larger", parameters, map(point, range(2700)))
        page = self.check_drawn(study, "--no-models")
        self.assertIn("2,700 trials", page.inner_text("#thinned"))
        self.assertEqual(page.locator("#objective-cost-svg circle[data-number]").count(), 2500)
        best = min(float(t["objective"]) for t in self.program.rows(study))
        self.assertAlmostEqual(float(page.inner_text("#best-objective")), best, delta=1e-5 * best)
        rows = page.evaluate("[...document.querySelectorAll('#budget-table tbody tr')].map(r => [+r.dataset.cost, +r.dataset.count])")
        self.assertEqual(rows, [[sum(1 + i % 7 for i in range(2700)), 2700]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
