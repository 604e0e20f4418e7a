import shutil

import pytest
from paged import DEPTHS, METRICS, TITLE, Page, attacked

import irframe as ir


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    chosen = tmp_path_factory.mktemp("report") / "report.html"
    shown = {"metrics": METRICS, "depths": DEPTHS, "title": TITLE, "samples": 100}
    return ir.report(*attacked(), chosen, baseline="bm25", **shown)


@pytest.fixture(scope="session")
def page(path):
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def chromium():
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("needs Debian's Chromium: apt-get install chromium")
    return found
