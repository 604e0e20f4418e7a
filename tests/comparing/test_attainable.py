"""Tests of the smallest possible p-values with few topics."""

import warnings
from itertools import product

import numpy as np
import pytest
import xarray as xr

from irframe.comparing.attainable import least_adjusted, least_p
from irframe.comparing.corrections import Significance, parse_test
from irframe.comparing.significance import Pairing
from irframe.errors import IrframeWarning
from irframe.paired import TESTS, Bootstrap, Permutation, Wilcoxon
from irframe.paired.design import design_of

SYSTEM_TOPIC = ["system", "topic"]
SMALL = {"permutation": Permutation(samples=499), "bootstrap": Bootstrap(samples=199)}


def outcomes(topics):
    """Return differences with all patterns of signs, in several sizes."""
    signs = np.array([*product((-1, 0, 1), repeat=topics)])
    sizes = [
        np.ones(topics),
        1 + np.arange(topics),
        1.7 ** np.arange(topics),
        1 + np.arange(topics) / 1e3,
    ]
    return np.concatenate([signs * size for size in sizes])


@pytest.mark.parametrize("topics", [2, 3, 4, 5])
@pytest.mark.parametrize("name", sorted({*TESTS} - {"t", "tukey"}))
def test_least_p_is_the_smallest_p_value_of_all_outcomes(name, topics):
    test = SMALL.get(name, parse_test(name))
    tried = outcomes(topics).T
    p = test.kernel(np.stack([tried, 0 * tried])).decided().p
    least = least_p(test, 2, topics)
    if name == "bootstrap":  # no outcome has a topic with exactly the mean difference
        assert least <= np.nanmin(p) <= least + 5 / test.samples
    else:
        assert least == pytest.approx(np.nanmin(p))


@pytest.mark.parametrize("name", ["permutation", "bootstrap"])
def test_least_p_of_clustered_topics_depends_on_the_number_of_clusters(name):
    test, cluster = SMALL[name], np.array([0, 0, 0, 1, 1, 2, 2, 2])
    design = design_of(8, cluster=cluster)
    tried = np.random.default_rng(0).choice([-1, 0, 1, 1.5], (8, 3000))
    tried[:, :9] = outcomes(3)[-9:].T[cluster]
    p = test.with_design(design, np.stack([tried, 0 * tried])).decided().p
    assert least_p(test, 2, 3) <= np.nanmin(p) + (name == "bootstrap") / 27


def ladder(topics, systems=4):
    values = np.arange(systems)[:, np.newaxis] * (1 + np.arange(topics) / 1e3)
    return xr.DataArray(values, dims=["system", "topic"], name="DCG")


CORRECTED = [("wilcoxon", "holm"), ("sign", "fdr_bh"), ("permutation", "max-t"), ("sign", "sidak")]


@pytest.mark.parametrize(("test", "adjust"), [*CORRECTED, ("ranksum", None), ("tukey", None)])
def test_comparisons_warn_only_if_no_outcome_can_be_significant(test, adjust):
    warned = []
    for topics in range(2, 11):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = ladder(topics).ireval.compare(test, adjust=adjust)
        texts = [
            str(warning.message)
            for warning in caught
            if str(warning.message).startswith("no outcome")
        ]
        pairing = Pairing(Significance(test, adjust=adjust))
        size = 1 if adjust is None else len(result)
        assert bool(texts) == (least_adjusted(pairing, 4, topics, size) >= 0.05)
        assert not (texts and result["significant"].any())
        warned.append(bool(texts))
        if texts:
            assert texts[0] in result.attrs["caution"]
    assert warned == sorted(warned, reverse=True)
    assert not warned[-1]


def test_leaderboards_warn_if_no_outcome_can_be_significant():
    spread = ladder(5) + 0.1 * np.arange(5)
    with pytest.warns(IrframeWarning, match="no outcome on 5 topics could be .* of 6 comparisons"):
        board = spread.ireval.leaderboard(test="sign")
    assert set(board["letters"]) == {"a"}
    few = spread.assign_coords(topic=np.arange(5)).where(np.arange(5) < 3)
    both = xr.concat(
        [ladder(5), few], dim=xr.DataArray(["DCG", "AP"], dims="metric", name="metric")
    )
    with pytest.warns(IrframeWarning) as caught:
        both.ireval.compare("permutation", adjust=None)
    assert any("no outcome on 3 to 5 topics" in str(warning.message) for warning in caught)
    assert ladder(2).ireval.compare("t")["significant"].all()


def test_warning_about_few_clusters_contains_their_number():
    scores = ladder(8).assign_coords(topic=np.arange(8))
    cluster = {topic: topic // 3 for topic in range(8)}
    with pytest.warns(IrframeWarning) as caught:
        scores.ireval.design(cluster=cluster).ireval.compare("permutation")
    assert any("no outcome on 3 clusters of topics" in str(warning.message) for warning in caught)


def ties_and_wins(wins, ties):
    """Return scores of two systems with wins and ties."""
    return xr.DataArray([[1.0] * wins + [0.0] * ties, [0.0] * (wins + ties)], dims=SYSTEM_TOPIC)


@pytest.mark.parametrize(("wins", "warned"), [(0, False), (1, True), (12, True), (13, False)])
def test_wilcoxon_warns_about_the_normal_approximation_of_few_differences(wins, warned):
    scores = ties_and_wins(wins, 46)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = scores.ireval.compare("wilcoxon")
        exact = scores.ireval.compare(Wilcoxon(exact=True))
    texts = [
        text for warning in caught if "the normal approximation" in (text := str(warning.message))
    ]
    assert len(texts) == warned
    assert ("the normal approximation" in result.attrs.get("caution", "")) == warned
    assert exact["p"].item() == pytest.approx(min(1, 2 * 0.5**wins))


def test_least_p_depends_on_the_number_of_nonzero_differences():
    for test in (Wilcoxon(exact=True), "sign"):
        with pytest.warns(IrframeWarning, match="at most 4 differences that .* at least 0.12"):
            ties_and_wins(4, 46).ireval.compare(test)
        assert ties_and_wins(6, 44).ireval.compare(test)["significant"].item()
