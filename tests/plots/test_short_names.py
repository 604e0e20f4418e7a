"""Tests that figures shorten long names."""

import pytest

from irframe.plots.layout import short_names


@pytest.mark.parametrize("most", [5, 9, 17, 30])
def test_shortened_names_remain_distinct(most):
    names = [f"dense-retrieval-with-expansion-{n:03d}-run" for n in range(110)]
    names += [f"{n:03d}-of-our-university-and-theirs" for n in range(110)]
    shortened = short_names(["bm25", *names], most)
    assert shortened[0] == "bm25"
    assert len(set(shortened)) == 221
    assert max(map(len, shortened)) <= max(most, 11)


def test_shortened_names_keep_the_part_that_differs():
    long = [f"{'a' * 30}-{n}-{'b' * 30}" for n in range(3)]
    assert all(str(n) in name for n, name in enumerate(short_names(long, 12)))
    assert short_names(["same", "same"], 2) == ["same", "same"]
