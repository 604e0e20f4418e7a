"""Student's t where differences hardly vary, and on scores of any size."""

import numpy as np
import pytest
from scipy import stats

from irframe.paired import Bootstrap, PairedT, all_pairs


def test_golden_t_test(golden):
    case = golden["002-t-test-edges"]
    for name, rows in case["input"].items():
        t, p = PairedT().kernel(np.array(rows, dtype=float)[:, :, None])
        wanted = case["expected"][name]
        expected = np.nan if wanted[0] is None else float(wanted[0])
        np.testing.assert_allclose(t.item(), expected, rtol=1e-12)
        np.testing.assert_allclose(p.item(), wanted[1], rtol=1e-12)


def test_golden_significance_of_constant_scores(golden):
    case = golden["002-sec34-example"]
    found = {}
    for name, rows in case["input"].items():
        scores = np.array(rows, dtype=float)
        t, p = PairedT().kernel(scores[:, :, None])
        better = np.sign(t[:, 0]) * (p[:, 0] < 0.05)
        pairs = all_pairs(len(scores))[better != 0]
        better = better[better != 0]
        found[name] = {tuple(q if s > 0 else q[::-1]) for q, s in zip(pairs, better, strict=True)}
    assert len(found["ref"]) == 35
    share = len(found["ref"] & found["new"]) / len(found["ref"])
    assert share == case["expected"]["coverage"]
    assert len(found["ref"]) / 45 == pytest.approx(case["expected"]["discrimination"])


@pytest.mark.parametrize("shift", [1.0, 0.1, -0.1, 1 / 3, 1e-3, 7.7])
@pytest.mark.parametrize("test", [PairedT(), Bootstrap(samples=50)], ids=repr)
def test_constant_shift_whatever_its_rounding(test, shift):
    base = np.random.default_rng(1).random((40, 1))
    others = np.random.default_rng(2).random((5, 40, 1))
    statistic, p = test.kernel(np.concatenate([[base + shift, base], others]))
    assert statistic[0, 0] == np.copysign(np.inf, shift)
    assert p[0, 0] == 0


def test_differences_of_rounding_are_none():
    base = np.random.default_rng(1).random((40, 1))
    scores = np.stack([base, (base + 0.3) - 0.3, base])
    assert np.ptp(scores[0] - scores[1]) > 0
    statistic, p = PairedT().kernel(scores)
    assert (statistic == 0).all()
    assert (p == 1).all()


@pytest.mark.parametrize("spread", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13])
@pytest.mark.parametrize("shift", [0.0, 1e-6, 0.3])
@pytest.mark.parametrize("topics", [4, 50, 300])
def test_nearly_constant_differences_meet_scipy(spread, shift, topics):
    rng = np.random.default_rng(3)
    scores = rng.random((8, topics, 2))
    scores[1] = scores[0] + shift + spread * rng.normal(size=(topics, 2))
    scores[2] = scores[0] - spread * rng.normal(size=(topics, 2))
    statistic, p = PairedT().kernel(scores)
    for pair, (i, j) in enumerate(all_pairs(8)):
        for k in range(2):
            expected = stats.ttest_rel(scores[i, :, k], scores[j, :, k])
            assert statistic[pair, k] == pytest.approx(expected.statistic, rel=1e-9, abs=1e-11)
            assert p[pair, k] == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_any_scale_and_topic_effect(offset, scale):
    rng = np.random.default_rng(6)
    scores = scale * (rng.random((6, 30, 2)) + offset * rng.random((1, 30, 1)))
    statistic, p = PairedT().kernel(scores)
    a, b = all_pairs(6).T
    expected = stats.ttest_rel(scores[a], scores[b], axis=1)
    np.testing.assert_allclose(statistic, expected.statistic, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(p, expected.pvalue, rtol=1e-9)


@pytest.mark.parametrize("measure", ["ap", "p10", "rr"])
def test_all_pairs_of_real_scores(measure, shared):
    path = shared / "data" / "score-matrices" / f"adhoc8_{measure}.csv"
    scores = np.loadtxt(path, delimiter=",", skiprows=1).T
    a, b = all_pairs(len(scores)).T
    varying = np.ptp(scores[a] - scores[b], axis=1) > 0
    expected = stats.ttest_rel(scores[a][varying], scores[b][varying], axis=1)
    t, p = PairedT().kernel(scores[:, :, None])
    np.testing.assert_allclose(t[varying, 0], expected.statistic, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(p[varying, 0], expected.pvalue, rtol=1e-9)
