"""The live page in a browser: it follows the study, and steers it where it may."""
import json
import os
import subprocess
import time
import unittest

import studies
from pages import CARBO, FOLDER, PageTest


class LivePage(PageTest):
    def setUp(self):
        if studies.has_no_live_page(CARBO):
            raise unittest.SkipTest("this build has no live page")

    def told(self, name):
        return studies.told(self.program, name, 'x = "0.0..1.0"\n', [
            {"configuration": {"x": i / 8}, "objective": 1 + i, "cost": 1} for i in range(8)])

    def status(self, study):
        return json.loads(self.program("status", study, "--json").stdout)

    def wait(self, page, condition):
        """The page itself may not evaluate texts: it is asked again and again."""
        until = time.monotonic() + 60
        while not page.evaluate(condition):
            self.assertLess(time.monotonic(), until, condition)
            page.wait_for_timeout(50)

    def test_two_viewers_follow_without_loading_anew(self):
        study = self.told("followed")
        port, address = studies.serve(self, self.program, study)
        pages = []
        for _ in range(2):
            pages.append(self.go(address))
            self.wait(pages[-1], "document.getElementById('live').textContent.startsWith('live')")
            pages[-1].evaluate("window.before = 1")
        quiet = (self.complaints, self.requests)
        self.assertEqual(pages[0].locator("#control").count(), 0)  # it is read-only
        self.program("tell", study, "--at", "x=0.9", "--objective", "0.5", "--cost", "1")
        for page in pages:
            self.wait(page, "document.querySelectorAll('#trials tbody tr').length === 9")
            self.assertEqual(page.inner_text("#best-objective"), "0.5")
            self.assertEqual(page.locator("#best-cost-svg circle[data-number='8']").count(), 1)
            self.assertEqual(page.evaluate("window.before"), 1)
        os.rename(FOLDER / "followed.db", FOLDER / "away.db")
        for page in pages:
            self.wait(page, "document.getElementById('live').textContent.includes('cannot be read')")
            self.assertEqual(page.inner_text("#best-objective"), "0.5")  # what was known stays
        os.rename(FOLDER / "away.db", FOLDER / "followed.db")
        for page in pages:
            self.wait(page, "document.getElementById('live').textContent.startsWith('live')")
        self.complaints, self.requests = quiet
        self.assert_quiet(f"http://127.0.0.1:{port}/")

    def test_whoever_has_the_token_steers(self):
        study = self.told("steered")
        port, address = studies.serve(self, self.program, study, "--control")
        page = self.go(address)
        page.click("#pause")
        self.wait(page, "document.getElementById('resume') && document.querySelector('.chip').textContent === 'paused'")
        self.assertIsNotNone(self.status(study)["paused"])
        page.click("#resume")
        self.wait(page, "document.getElementById('pause') && document.querySelector('.chip').textContent === 'under way'")
        self.assertIsNone(self.status(study)["paused"])
        page.fill("#budget-amount", "3 h")
        page.click("#budget-change")
        self.wait(page, "document.getElementById('budget-change-said').textContent === 'It is 10,800 s.'")
        self.assertEqual(self.status(study)["budget"], 10800)
        self.wait(page, "document.getElementById('budget-amount').value === '10800 s'")  # drawn anew
        page.fill("#enqueue-text", '{"x": 0.125}')
        page.click("#enqueue")
        self.wait(page, "document.getElementById('enqueue-said').textContent.startsWith('It will be suggested')")
        self.assertEqual(self.status(study)["enqueued"], 1)
        self.assert_quiet(f"http://127.0.0.1:{port}/")
        # What is wrong is said, and changes nothing.
        for field, button, value, words in (("#budget-amount", "#budget-change", "2 EUR", "counts in s"),
                                            ("#enqueue-text", "#enqueue", '{"x": 7}', "x"),
                                            ("#enqueue-text", "#enqueue", '{"x": ', "the configuration")):
            self.wait(page, "!live.wanted && !live.asking")
            page.fill(field, value)
            page.click(button)
            self.wait(page, f"document.getElementById({json.dumps(button[1:] + '-said')}).textContent.includes({json.dumps(words)})")
        self.assertEqual((self.status(study)["enqueued"], self.status(study)["budget"]), (1, 10800))
        # Without the token there is nothing to press, and with another one it is refused.
        plain = self.go(address.split("?")[0])
        self.assertEqual(plain.locator("#control button").count(), 0)
        self.assertIn("token", plain.inner_text("#no-token"))
        self.assert_quiet(f"http://127.0.0.1:{port}/")
        wrong = self.go(address.split("?")[0] + "?token=" + "0" * 32)
        wrong.click("#pause")
        self.wait(wrong, "document.getElementById('pause-said').textContent.includes('Authorization')")
        self.assertIsNone(self.status(study)["paused"])

    def test_a_run_is_paused_and_lengthened_from_the_page(self):
        study = studies.study_file(self.program, "running", """
budget = "400 units"
workers = 2
acquisition = "random"
shell = "sleep 0.05; echo '{{\\"objective\\": {x}, \\"cost\\": 1}}'"
cost = "json:cost"
[parameters]
x = "0.0..1.0"
""")
        runner = subprocess.Popen([CARBO, "run", study, "-q"], cwd=FOLDER)
        self.addCleanup(runner.kill)
        while not (FOLDER / "running.db").exists() or self.program("best", study, succeeds=False).returncode != 0:
            self.assertIsNone(runner.poll())
        _, address = studies.serve(self, self.program, study, "--control")
        page = self.go(address)
        page.click("#pause")
        self.wait(page, "document.getElementById('resume')")
        while (now := self.status(study))["running"] + now["waiting"] > 0:
            self.assertIsNone(runner.poll())
        spent = now["spent"]
        page.fill("#budget-amount", f"{spent + 2:g} units")
        page.click("#budget-change")
        self.wait(page, "document.getElementById('budget-change-said').textContent.startsWith('It is')")
        self.assertEqual(self.status(study)["spent"], spent)
        self.assertIsNone(runner.poll())
        page.click("#resume")
        self.assertEqual(runner.wait(timeout=60), 0)
        self.assertEqual(self.status(study)["spent"], spent + 2)
        self.wait(page, "document.querySelector('.chip').textContent === 'over'")
