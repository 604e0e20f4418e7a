"""Tests of comparisons with several baselines."""

import pandas as pd
import pytest
from refusals import refused
from statsmodels.stats.multitest import multipletests

from irframe.errors import InputError, ParameterError

BOTH = ["bm25", "ance"]


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP", "nDCG", at=10)


def test_several_baselines_form_one_family(scores):
    result = scores.ireval.compare(baseline=BOTH)
    assert len(result) == 2 * (7 + 6)
    pairs = [frozenset(pair) for pair in result[["system_a", "system_b"]].to_numpy()[:13]]
    assert len({*pairs}) == 13
    assert {*result["system_b"]} == {*BOTH}
    plain = scores.ireval.compare(adjust=None)
    keyed = {
        (row.metric, frozenset((row.system_a, row.system_b))): row.p for row in plain.itertuples()
    }
    expected_p = [
        keyed[row.metric, frozenset((row.system_a, row.system_b))] for row in result.itertuples()
    ]
    assert result["p"].to_numpy() == pytest.approx(expected_p)
    for block in (slice(0, 13), slice(13, 26)):
        expected = multipletests(expected_p[block], method="holm")[1]
        assert result["p_adjusted"].to_numpy()[block] == pytest.approx(expected)
    pd.testing.assert_frame_equal(
        scores.ireval.compare(baseline=["bm25"]), scores.ireval.compare(baseline="bm25")
    )


def test_tables_mark_the_baselines_from_which_a_system_differs(scores):
    result = scores.ireval.compare(baseline=BOTH, adjust=None)
    styler = result.ireval.styled(marks="daggers", best=False)
    marks = styler.extras[0].frames[0].set_axis(["AP", "nDCG"], axis=1)
    for metric, rows in result[result["significant"]].groupby("metric"):
        for system in marks.index:
            numbers = [
                str(1 + BOTH.index(name))
                for name in BOTH
                if ({system, name} in rows[["system_a", "system_b"]].apply(set, axis=1).tolist())
            ]
            assert marks.loc[system, metric] == ",".join(numbers)
    assert "raised: differs significantly from 1 bm25, 2 ance" in styler.to_html()
    assert "^{1,2}" in styler.to_latex()
    refused(
        InputError, "a comparison with one baseline", lambda: result.ireval.styled(intervals=True)
    )


def test_bounds_support_several_baselines(cube):
    within = cube.ireval.bounds("P", at=10)
    result = within.ireval.compare(baseline=BOTH, margin=0.05)
    assert len(result) == 13
    alone = within.ireval.compare(baseline="ance", margin=0.05)
    subset = result[result["system_b"] == "ance"]
    rows = alone[alone["system_a"] != "bm25"]
    assert subset["lowest"].tolist() == rows["lowest"].tolist()


@pytest.mark.parametrize(
    ("baseline", "message"),
    [(["bm25", "x"], "'x'"), ([], "found none"), (["bm25"] * 2, "found duplicates")],
)
def test_invalid_baselines_are_refused(scores, baseline, message):
    refused(ParameterError, message, lambda: scores.ireval.compare(baseline=baseline))


@pytest.mark.parametrize("verb", ["leaderboard", "risk"])
def test_verbs_that_need_one_baseline_refuse_a_list(scores, verb):
    with pytest.raises(ParameterError, match="baseline to be one of the systems"):
        getattr(scores.ireval, verb)(baseline=["bm25", "splade"])
