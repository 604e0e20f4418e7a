"""Scores split by a group, and with them what they are held against."""

import pytest
import xarray as xr
from looped import random_scores

from irframe.errors import ParameterError
from irframe.inference.grouping import each_group, per_group


@pytest.fixture
def scores():
    return random_scores(0).assign_coords(half=("topic", list("xxxyyyy")))


def test_without_a_group_there_is_one(scores):
    assert list(each_group(scores, None, "other")) == [(None, scores, "other")]


def test_other_scores_are_split_and_other_things_are_not(scores):
    other = scores[:, :, ::-1]
    for key, part, held in each_group(scores, "half", other):
        inside = scores["half"].to_numpy() == key
        xr.testing.assert_identical(part, scores[:, :, inside])
        xr.testing.assert_identical(held, other[:, :, inside[::-1]])
    assert [held for _, _, held in each_group(scores, "half", 10)] == [10, 10]


def test_results_have_the_group_first(scores):
    found = per_group(lambda part, _: part.mean("topic"), scores, "half")
    assert found.dims == ("half", "metric", "system", "depth")
    xr.testing.assert_allclose(found.sel(half="x", drop=True), scores[:, :, :3].mean("topic"))


def test_groups_of_one_system_are_named(scores):
    teams = scores.assign_coords(team=("system", list("abbccc")))
    with pytest.raises(ParameterError, match=r"two systems in every group \(team\).*: a\. Leave"):
        list(each_group(teams, "team"))


def test_groups_of_one_side_are_named(scores):
    other = scores.assign_coords(half=("topic", list("xxxzzzz")))
    with pytest.raises(ParameterError, match=r"same groups \(half\) on both sides.*: y, z"):
        list(each_group(scores, "half", other))
