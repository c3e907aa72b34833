"""picture PAGE FILE: the first screen of a page as a PNG."""
import os
import pathlib
import sys

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1180, 1500

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
    page.goto(pathlib.Path(sys.argv[1]).resolve().as_uri())
    page.screenshot(path=sys.argv[2])
    browser.close()
