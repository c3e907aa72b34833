"""What tests of pages share: one browser for all of them, one study that was searched, and axes as a reader sees them."""
import atexit
import json
import math
import os
import pathlib
import re
import shutil
import sqlite3
import sys
import unittest

from playwright.sync_api import sync_playwright

import studies

CARBO, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
UNITS = {"": 1, "%": 0.01, "\u00b5s": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}


def spot(axes, axis, value):
    """Where a value lies in a drawing, in pixels, from what the page says of its axes."""
    left, top, width, height = axes["plot"]
    kind, low, high = axes[axis]
    share = math.log(value / low) / math.log(high / low) if kind == "log" else (value - low) / (high - low)
    return left + width * share if axis == "x" else top + height * (1 - share)


def value_of(text):
    """The number that a tick says, in seconds where it is time; None where it is a name."""
    found = re.fullmatch(r"\$?(-?[\d,.]+(?:e-?\d+)?) ?([a-z%\u00b5]*)", text)
    return float(found[1].replace(",", "")) * UNITS[found[2]] if found and found[2] in UNITS else None


class Axis:
    """From ticks, [position, text] each: where a value lies, and the place of a name."""

    def __init__(self, ticks):
        self.names = {text: at for at, text in ticks}
        numbers = [(at, value_of(text)) for at, text in ticks]
        self.numbers = [(at, v) for at, v in numbers if v is not None] if len(ticks) > 1 else []
        if len(self.numbers) < 2:
            return
        ways = [lambda v: v] + ([math.log] if min(v for _, v in self.numbers) > 0 else [])
        self.way = min(ways, key=self.misfit)
        # More than two ticks must lie on one line: that is what an axis is.
        assert self.misfit(self.way) < 0.7, (ticks, self.misfit(self.way))

    def line(self, way):
        (a, low), (b, high) = self.numbers[0], self.numbers[-1]
        slope = (b - a) / (way(high) - way(low))
        return lambda v: a + slope * (way(v) - way(low))

    def misfit(self, way):
        line = self.line(way)
        return max(abs(line(v) - at) for at, v in self.numbers)

    def __call__(self, value):
        return self.names[value] if isinstance(value, str) else self.line(self.way)(value)


class PageTest(unittest.TestCase):
    browser = study = None

    @classmethod
    def setUpClass(cls):
        if PageTest.browser is not None:
            return
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        PageTest.program = studies.Program(CARBO, FOLDER)
        playwright = sync_playwright().start()
        atexit.register(playwright.stop)
        PageTest.browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        atexit.register(PageTest.browser.close)
        PageTest.study = studies.tuned(cls.program)
        cls.program("report", cls.study, "-o", "tuned.html")
        PageTest.trials = cls.program.rows(cls.study)

    def open(self, file, width=1280, scheme="light"):
        """A page that is to have no error, and nothing from the net."""
        return self.go((FOLDER / file).resolve().as_uri(), width, scheme)

    def go(self, address, width=1280, scheme="light"):
        page = self.browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.complaints, self.requests = [], []
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)
        self.addCleanup(page.close)
        return page

    def assert_quiet(self, allowed="file:"):
        self.assertEqual(self.complaints, [])
        self.assertEqual([url for url in self.requests if not url.startswith(allowed)], [])

    def marks(self, page, chart):
        """Of a chart: its axes, and position and values of each mark by the number of its trial."""
        axes, marks = page.evaluate(
            """(id) => { const root = document.getElementById(id + '-svg');
            return [root.dataset.axes, [...root.querySelectorAll('circle[data-number]')].map((c) => [c.dataset.number,
              c.getAttribute('cx'), c.getAttribute('cy'), c.dataset.x, c.dataset.y])]; }""", chart)
        as_number = lambda word: None if word is None else float(word)
        return json.loads(axes), {int(m[0]): [as_number(word) for word in m[1:]] for m in marks}

    def seen_axes(self, page, chart):
        """Both axes of a chart, from the texts at them alone."""
        texts = page.evaluate(
            """(id) => [...document.querySelectorAll('#' + id + '-svg .axes text:not(.axis-name)')].map(
              (t) => [+t.getAttribute('x'), +t.getAttribute('y'), t.textContent])""", chart)
        below = max(y for _, y, _ in texts)
        return (Axis([(x, text) for x, y, text in texts if y == below]),
                Axis([(y - 4, text) for x, y, text in texts if y != below]))

    def succeeded(self):
        return [t for t in self.trials if t["state"] == "succeeded"]

    def receipts(self):
        """By the number of the trial, as the database has them."""
        with sqlite3.connect(FOLDER / "tuned.db") as database:
            rows = database.execute("SELECT t.number, r.suggestion FROM trials t JOIN receipts r USING (trial)").fetchall()
        return {number: json.loads(text)["receipt"] for number, text in rows}
