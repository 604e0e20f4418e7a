"""Pictures and numbers of the page "The HTML report", from real runs.

Usage: python docs/real/report.py DATA, where DATA holds what tracks.py reads. Needs Debian's
Chromium.
"""

import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from shown import HERE, Page, data_folder
from tracks import COVID, read_track

import irframe as ir
from irframe.reports.figures import script
from irframe.reports.page import pack_bytes

PAGE = Page("report")
METRICS = ["nDCG", "AP", "RBP(p=0.8)"]
SENT = "UIowaS_Run3"
"""The run whose sheet is shown."""


def picture(page, name, anchor="", height=1040):
    """Photograph the first screen of a page, or the screen at an anchor."""
    with sync_playwright() as engine:
        browser = engine.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page(viewport={"width": 1180, "height": height})
        tab.goto(page.as_uri() + anchor)
        tab.wait_for_selector(".scripted [data-live=differences].vega-embed", state="attached")
        tab.screenshot(path=HERE / f"report-{name}.png")
        browser.close()


def timed(name, track, path, **options):
    """Write a report, and return what it shows, how large it is and how long a processor took."""
    start = time.process_time()
    page = ir.report(*track, path, metrics=METRICS, title=name, **options)
    seconds = time.process_time() - start
    systems, topics = track[0]["system"].nunique(), track[1]["topic"].nunique()
    return {
        "collection": name,
        "systems": systems,
        "topics": topics,
        "metrics": len(METRICS),
        "MB": f"{page.stat().st_size / 1e6:.1f}",
        "CPU seconds": f"{seconds:.0f}",
    }


def main():
    """Make reports, note how large they are and what they cost, and take a picture."""
    track = read_track(data_folder(__doc__), COVID)
    with TemporaryDirectory() as folder:
        path, example = Path(folder, "report.html"), Path(folder, "example.html")
        rows = [
            timed("the example", ir.example_track(), example, baseline="bm25"),
            timed("TREC-COVID, round 1", track, path, baseline="bm25_baseline"),
        ]
        PAGE.table(rows, "costs")
        PAGE.facts(
            runs=rows[1]["systems"], script=f"{len(pack_bytes(script().encode())) / 1e6:.1f} MB"
        )
        picture(path, "ladder")
        picture(path, "sheet", f"#sheet/{SENT}", height=760)


if __name__ == "__main__":
    main()
