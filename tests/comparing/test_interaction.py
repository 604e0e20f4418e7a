"""Whether differences differ from segment to segment."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused
from statsmodels.stats.oneway import anova_oneway

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError


def frame(seed=0, topics=30, segments=3):
    """Return scores of four systems by two metrics, a segment with more spread and a lead."""
    rng = np.random.default_rng(seed)
    labels = pd.MultiIndex.from_product([list("abcd"), range(topics)], names=["system", "topic"])
    table = pd.DataFrame(rng.random((len(labels), 2)), labels, ["AP", "P@5"])
    market = labels.get_level_values("topic") % segments
    table.loc[(market == 1) & (labels.get_level_values("system") == "a"), "AP"] += 0.9
    return table.assign(market=[f"m{number}" for number in market])


def test_it_is_the_analysis_of_variance_of_statsmodels():
    table = frame()
    found = ir.verbs.interaction(table, by="market", baseline="d", adjust=None)
    assert found["system_a"].tolist() == list("abc") * 2
    for row in found.itertuples():
        wide = table[row.metric].unstack("system")
        apart = wide[row.system_a] - wide["d"]
        parts = [apart[apart.index % 3 == number] for number in range(3)]
        oracle = anova_oneway(parts, use_var="unequal", welch_correction=True)
        np.testing.assert_allclose(row.statistic, oracle.statistic, rtol=1e-10)
        np.testing.assert_allclose((row.p, row.df_within), (oracle.pvalue, oracle.df_denom))
        means = [row.difference_m0, row.difference_m1, row.difference_m2]
        np.testing.assert_allclose(means, [part.mean() for part in parts])
    assert found["n_m0"].eq(10).all()
    corrected = ir.verbs.interaction(table, by="market", baseline="d")
    assert corrected["p_adjusted"].min() == pytest.approx(6 * found["p"].min())
    assert corrected.set_index(["metric", "system_a"])["significant"].to_dict()["AP", "a"]


def test_arrays_at_depths_are_like_frames(cube):
    kind = ("topic", np.where(np.arange(16) % 3 == 0, "x", "y"))
    scores = cube.ireval.score("AP", "P", at=[5, 10]).assign_coords(kind=kind)
    found = scores.ireval.interaction(by="kind", baseline="bm25", adjust=None)
    assert len(found) == 2 * 2 * 7
    alone = scores.sel(depth=10).ireval.interaction(by="kind", baseline="bm25", adjust=None)
    kept = found[found["depth"] == 10].drop(columns="depth").reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, alone.drop(columns="depth"), check_dtype=False)


def test_there_is_no_test_without_spread_or_with_one_topic():
    values = np.array([[0.5, 0.5, 0.5, 0.5, 0.9], [0.1, 0.1, 0.2, 0.2, 0.3]])
    scores = xr.DataArray(values, {"system": ["a", "b"]}, ("system", "topic"))
    for kinds, told in (("xxyyy", "x"), ("xxxxy", "y")):
        grouped = scores.assign_coords(kind=("topic", list(kinds)))
        with pytest.warns(IrframeWarning) as caught:
            found = ir.verbs.interaction(grouped, by="kind")
        assert str(caught[-1].message).endswith(f"allow no test (kind): {told}")
        assert np.isnan(found["p"].item())
        assert not found["significant"].item()
    grouped = scores[:, :4].assign_coords(kind=("topic", list("xxyy")))
    with pytest.warns(IrframeWarning, match=r"allow no test \(kind\): x, y"):
        assert np.isnan(ir.verbs.interaction(grouped, by="kind")["p"].item())
    grouped = scores[:, :4].assign_coords(kind=("topic", list("xyxy")))
    assert ir.verbs.interaction(grouped, by="kind")["p"].item() == pytest.approx(1)
    assert ir.verbs.interaction(grouped * 0, by="kind")["p"].item() == 1


def test_bad_segments_and_choices():
    table = frame()
    with pytest.raises(ParameterError, match="at least two segments"):
        ir.verbs.interaction(table[table["market"] == "m0"], by="market")
    refused(ParameterError, "'e'", lambda: ir.verbs.interaction(table, by="market", baseline="e"))
    refused(ParameterError, "index level or a column", ir.verbs.interaction, table, by="country")
    scores = ir.as_scores(table.drop(columns="market")).to_xarray()["AP"]
    team = scores.assign_coords(team=("system", list("xxyy")))
    with pytest.raises(ParameterError, match="every segment .*coordinate of topics"):
        ir.verbs.interaction(team, by="team")
    some = table[(table["market"] != "m0") | (table.index.get_level_values("system") != "c")]
    with pytest.warns(IrframeWarning, match=r"left out: c$"):
        assert {*ir.verbs.interaction(some, by="market")["system_a"]} == {"a", "b"}
