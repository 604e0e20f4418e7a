"""What `ranking_grid` draws."""

import irframe as ir
from irframe.plots.orderings import ranking_grid


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_grid_of_rankings():
    ax = ranking_grid(ir.verbs.enumerate_rankings(3))
    assert len(ax.texts) == 64
    assert texts(ax).count("**") == 2
    assert ax.get_title().endswith("1.000")
    ax = ranking_grid(ir.verbs.enumerate_rankings(5, "AP"))
    assert not ax.texts
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("lexicographic", "by AP, best first")
    assert ax.images[0].get_array().shape == (32, 32)
