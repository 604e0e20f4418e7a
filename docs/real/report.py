"""Picture of the page "A report to hand out", and its figures, from real runs.

Usage: python docs/real/report.py DATA, where DATA holds what tracks.py reads. Needs Debian's
Chromium.
"""

import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from shown import HERE, data_folder
from tracks import COVID, read_track

import irframe as ir

SENT = "UIowaS_Run3"
"""The run whose sheet is shown."""


def picture(page, name, place="", height=1040):
    """Take a picture of the first screen of a page, or of one that begins at a place in it."""
    with sync_playwright() as engine:
        browser = engine.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page(viewport={"width": 1180, "height": height})
        tab.goto(page.as_uri() + place)
        tab.wait_for_selector(".scripted [data-live=differences].vega-embed", state="attached")
        tab.screenshot(path=HERE / f"report-{name}.png")
        browser.close()


def main():
    """Make the report, say how large it is and how long it took, and take its picture."""
    track = read_track(data_folder(__doc__), COVID)
    with TemporaryDirectory() as folder:
        start = time.perf_counter()
        page = ir.report(
            *track,
            Path(folder) / "report.html",
            metrics=["nDCG", "AP", "RBP(p=0.8)"],
            baseline="bm25_baseline",
            title="TREC-COVID, round 1",
        )
        print(f"{time.perf_counter() - start:.1f} s, {page.stat().st_size / 1e6:.2f} MB")  # noqa: T201
        picture(page, "ladder")
        picture(page, "sheet", f"#sheet/{SENT}", height=760)


if __name__ == "__main__":
    main()
