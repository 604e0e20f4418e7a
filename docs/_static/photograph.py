"""The report as the README and the front page show it, light and dark.

Usage: python docs/_static/photograph.py [PAGE]

The page is that of the example track by default; it needs Debian's Chromium.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import irframe as ir

HERE = Path(__file__).parent
SIZE = {"width": 1180, "height": 1000}


def photograph(page):
    """Take a picture of a report in both colour schemes."""
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            tab = browser.new_page(viewport=SIZE, color_scheme=scheme)
            tab.goto(Path(page).resolve().as_uri())
            tab.wait_for_function("document.querySelectorAll('canvas, svg').length > 2")
            tab.wait_for_timeout(1500)  # until what moves has come to rest
            tab.screenshot(path=HERE / f"report-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    if sys.argv[1:]:
        photograph(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder, "report.html")
            ir.report(*ir.example_track(), written, baseline="bm25", title="The example track")
            photograph(written)
