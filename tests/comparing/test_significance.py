"""Which system of a pair is ahead, and whether significantly."""

import numpy as np
import pytest
import xarray as xr
from looped import ALPHA, random_scores, rows, t_test
from oracles import comparing

from irframe.comparing.significance import Pairing, leads, p_values
from irframe.paired import all_pairs, parse_test
from irframe.scores.read_scores import scores_to_compare

PAIRS = all_pairs(6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("metric", [0, 1])
def test_verdicts_are_those_of_the_loop(seed, metric):
    scores = random_scores(seed)
    pairing = Pairing("t", None, ALPHA)
    found = pairing.verdicts(scores_to_compare(scores), metric, slice(1, 3), PAIRS)
    assert found.shape == (len(PAIRS), 2)
    for column, depth in enumerate((1, 2)):
        better = comparing.significant(rows(scores, metric, depth), t_test, ALPHA, cost=metric == 1)
        expected = [(a, b) in better for a, b in PAIRS.tolist()]
        against = [(b, a) in better for a, b in PAIRS.tolist()]
        assert found[:, column].tolist() == np.subtract(expected, against, dtype=int).tolist()


def test_a_verdict_needs_a_lead():
    scores = xr.DataArray([[1.0, 3, 1, 3], [3, 1, 3, 1], [9, 9, 9, 8]], dims=("system", "topic"))
    paired = scores_to_compare(scores)
    pairs = all_pairs(3)
    assert leads(paired, 0, slice(None), pairs).ravel().tolist() == [0, -1, -1]
    found = Pairing("t", None, 1 - 1e-9).verdicts(paired, 0, slice(None), pairs)
    assert found.ravel().tolist() == [0, -1, -1]
    assert not Pairing("t", None, 1e-9).verdicts(paired, 0, slice(None), pairs).any()


@pytest.mark.parametrize(
    ("adjust", "family", "piecewise"),
    [
        (None, "all", True),
        ("holm", "depth", True),
        ("holm", "metric", False),
        ("holm", "all", False),
        ("max-t", "depth", False),
    ],
)
def test_corrections_that_need_more_than_a_depth(adjust, family, piecewise):
    assert Pairing("t", adjust, ALPHA, family=family).piecewise == piecewise


def test_rounding_errors_are_no_lead():
    scores = xr.DataArray(
        [[0.1 + 0.2, 1.0], [0.3, 1.0], [0.3 + 1e-11, 1.0]], dims=("system", "topic")
    )
    found = leads(scores_to_compare(scores), 0, slice(None), all_pairs(3))
    assert found.ravel().tolist() == [0, -1, -1]


@pytest.mark.filterwarnings("ignore:topics on which some:irframe.errors.IrframeWarning")
def test_p_values_leave_out_topics_that_some_system_lacks():
    scores = random_scores(1, holes=True)
    p = p_values(scores_to_compare(scores), 0, slice(None), test=parse_test("t"), pairs=PAIRS)
    for depth in range(4):
        expected = comparing.p_values(rows(scores, 0, depth), t_test)
        assert p[:, depth] == pytest.approx([expected[a, b] for a, b in PAIRS.tolist()])
