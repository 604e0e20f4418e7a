"""Letters of groups of systems that do not differ significantly, and what goes with it.

Whether differences differ from segment to segment.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from statsmodels.stats.oneway import anova_oneway

import irframe as ir
from irframe.comparing.letters import LETTERS, letter_groups
from irframe.errors import InputError, IrframeWarning, ParameterError


@pytest.fixture(scope="module")
def comparison():
    scores = ir.cube(*ir.example_track()).ireval.score("nDCG", "ASL", at=[5, 10])
    return scores.ireval.compare(adjust="holm", alpha=0.2)


def draw_alike(seed, systems, share):
    """Return which systems are alike, by chance, symmetric."""
    drawn = np.triu(np.random.default_rng(seed).random((systems, systems)) < share, 1)
    return drawn | drawn.T | np.eye(systems, dtype=bool)


@given(seed=st.integers(0, 9999), systems=st.integers(1, 12), share=st.floats(0, 1))
def test_pairs_share_a_letter_exactly_if_they_are_alike(seed, systems, share):
    alike = draw_alike(seed, systems, share)
    groups = letter_groups(alike)
    assert (((groups.T.astype(int) @ groups) > 0) == alike).all()
    assert groups[0, 0]
    for place, group in enumerate(groups):
        assert not alike[group].all(axis=0)[~group].any()  # nobody could be added
        rest = np.delete(groups, place, axis=0).astype(int)
        assert (((rest.T @ rest) > 0) != alike).any()  # and no group left out


def test_letters_of_a_ranking_are_runs():
    place = np.arange(200)
    alike = abs(place[:, np.newaxis] - place) < 40
    groups = letter_groups(alike)
    assert [(group.argmax(), group.sum()) for group in groups] == [(n, 40) for n in range(161)]


@pytest.mark.parametrize("order", [[7, 6, 5, 4, 3, 2, 1, 0], [3, 1, 4, 0, 5, 7, 2, 6]])
def test_letters_never_depend_on_the_order_of_systems(order):
    rng = np.random.default_rng(5)
    index = pd.MultiIndex.from_product([list("abcdefgh"), range(6)], names=["system", "topic"])
    scores = pd.DataFrame(
        {"AP": (rng.integers(0, 4, 48) + np.repeat([0, 0, 1, 1, 2, 2, 3, 3], 6))}, index
    )
    expected = scores.ireval.compare().ireval.letters()
    turned = scores.loc[[list("abcdefgh")[place] for place in order]]
    pd.testing.assert_frame_equal(turned.ireval.compare().ireval.letters(), expected)
    assert expected["letters"].nunique() > 3


def test_a_frame_says_what_the_comparison_says(comparison):
    found = comparison.ireval.letters()
    assert [*found] == ["metric", "depth", "system", "mean", "letters"]
    told = found.set_index(["metric", "depth", "system"])["letters"]
    for row in comparison.itertuples():
        a, b = (told[row.metric, row.depth, side] for side in (row.system_a, row.system_b))
        assert bool(set(a) & set(b)) == (not row.significant)
    for (metric, _), part in found.groupby(["metric", "depth"], sort=False):
        assert part["mean"].is_monotonic_increasing == (metric == "ASL")
        assert part["letters"].iloc[0].startswith("a")


def test_there_are_letters_after_the_last():
    systems, last = 110, len(LETTERS)
    names = [f"s{number:03}" for number in range(systems)]
    index = pd.MultiIndex.from_product([names, range(4)], names=["system", "topic"])
    noise = np.random.default_rng(0).random(4 * systems) / 1000
    scores = pd.DataFrame({"AP": np.repeat(np.arange(systems)[::-1], 4) + noise}, index)
    found = scores.ireval.compare().ireval.letters()["letters"]
    assert found[[0, last - 1, last, 2 * last]].tolist() == ["a", "Z", "a2", "a3"]
    assert found.is_unique


def test_bad_input(comparison):
    with pytest.raises(InputError, match="1 that are missing .*bm25\\+rm3 and bm25"):
        comparison.query("metric == 'nDCG' and depth == 5")[1:].ireval.letters()
    refused(InputError, "again", pd.concat([comparison, comparison]).ireval.letters)
    refused(InputError, "none", comparison[:0].ireval.letters)
    refused(InputError, "significant", ir.verbs.letters, comparison.drop(columns="significant"))


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
    lazy = scores.chunk(topic=5).ireval.interaction(by="kind", baseline="bm25", adjust=None)
    pd.testing.assert_frame_equal(lazy, found)


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
