"""Fixtures for tests of figures.

The fixture `closed` closes all figures after each test.
"""

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def three(cube):
    """Return scores of two metrics and of the cost ASL."""
    return cube.ireval.score("AP(norm='min')", "nDCG", "ASL")


@pytest.fixture(scope="session")
def wide(track):
    runs, qrels = track
    return runs.ireval.evaluate(qrels, ["AP", "nDCG@10"])


@pytest.fixture(scope="session")
def outcomes(track):
    runs, qrels = track
    return runs.ireval.outcomes(qrels, baseline="bm25", relevant="first", rel=3, depth=20)


@pytest.fixture(scope="session")
def lengths(cube):
    return cube.ireval.search_lengths()


@pytest.fixture(scope="session")
def moved(cube):
    return cube.ireval.misplacement()
