import shutil

import pytest
from paged import DEPTHS, METRICS, OPENING_FIRST, TITLE, Page, attacked

import irframe as ir


@pytest.fixture(scope="session")
def path(tmp_path_factory):
    chosen = tmp_path_factory.mktemp("report") / "report.html"
    shown = {"metrics": METRICS, "at": OPENING_FIRST, "title": TITLE, "resamples": 100}
    return ir.report(*attacked(), chosen, baseline="bm25", **shown)


@pytest.fixture(scope="session")
def cube():
    return ir.cube(*attacked())


@pytest.fixture(scope="session")
def scores(cube):
    return cube.ireval.score(*METRICS, at=DEPTHS)


@pytest.fixture(scope="session")
def page(path):
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def tracks_path(tmp_path_factory):
    """Write a report of two tracks, one without two systems."""
    runs, qrels = ir.example_track()
    track = qrels["topic"].astype(int).mod(2).map({0: "even", 1: "odd"})
    away = (runs["topic"].astype(int) % 2 == 0) & runs["system"].isin(["monot5", "bm25"])
    chosen = tmp_path_factory.mktemp("tracks") / "report.html"
    shown = {"metrics": ["ASL", "AP"], "at": [10, 5], "resamples": 100, "baseline": "bm25"}
    cube = runs[~away].ireval.cube(qrels.assign(track=track), collection="track")
    return ir.report(cube, chosen, **shown)


@pytest.fixture(scope="session")
def tracks(tracks_path):
    return Page(tracks_path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def chromium():
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("needs Debian's Chromium: apt-get install chromium")
    return executable
