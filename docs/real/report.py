"""Picture of the page "A report to hand out", and its figures, from real runs.

Usage: python docs/real/report.py DATA, where DATA holds trec-covid-round1 with qrels.txt,
runs/*.gz and leaderboard.csv. Needs Debian's Chromium.
"""

import argparse
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from playwright.sync_api import sync_playwright

import irframe as ir

HERE = Path(__file__).parent
SENT = "UIowaS_Run3"
"""The run whose sheet is shown."""


def read(folder):
    """Read runs, with what is known of them, and judgments."""
    runs = ir.read_runs(sorted((folder / "runs").glob("*.gz")))
    known = pd.read_csv(folder / "leaderboard.csv").set_index("run")
    runs["team"] = runs["system"].map(known["team"])
    runs["contributing"] = runs["system"].map(known["contributed judgments"] == "yes")
    return runs, ir.read_qrels(folder / "qrels.txt")


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    track = read(parser.parse_args().data / "trec-covid-round1")
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
