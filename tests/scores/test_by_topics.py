"""Every verb on lazy scores: planned without computing, and equal to what it is in memory."""

import builtins
import subprocess
import sys
import warnings
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from looped import random_scores
from planned import only_planned

from irframe.comparing import pairwise
from irframe.errors import InputError, IrframeWarning, ParameterError
from irframe.names import RESULT
from irframe.paired import Bootstrap, Permutation, TukeyHSD
from irframe.scores import by_topics
from irframe.scores.dask_work import cut

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{each}:irframe.errors.IrframeWarning")
    for each in ("comparisons whose", "tukey presumes")
]
FOLDED = ("t", "sign")
WHOLE = ("wilcoxon", "ranksum", Permutation(samples=9), Bootstrap(samples=9), TukeyHSD(samples=9))
CHUNKS = (
    {"topic": 1},
    {"topic": 3, "system": 2, "depth": 3, "metric": 1},
    {"topic": (2, 6, 1), "depth": 1},
    {"system": 1},
)

VERBS = {
    "discrimination": lambda scores, test: scores.ireval.discrimination(test, alpha=0.2),
    "median_p": lambda scores, test: scores.ireval.median_p(test),
    "coverage": lambda scores, test: scores.ireval.coverage(5, test, alpha=0.3),
    "coverage of a metric": lambda scores, test: scores.ireval.coverage("ASL", test, at=[1, 20]),
    "inversions": lambda scores, test: scores.ireval.inversions("AP@10", test, alpha=0.3),
    "at depths": lambda scores, test: scores.ireval.median_p(test, at=[10, 1]),
}
"""Verbs with a test, which give arrays."""
MEANS = {
    "agreement": lambda scores: scores.ireval.agreement(),
    "agreement with a depth": lambda scores: scores.ireval.agreement(10, "tau_ap"),
    "agreement with a metric": lambda scores: scores.ireval.agreement("AP", "pearson"),
    "volatility": lambda scores: scores.ireval.volatility(method="rbo"),
    "volatility of another": lambda scores: scores.ireval.volatility("ASL"),
    "stability": lambda scores: scores.ireval.volatility().ireval.stability(0.5),
    "summary": lambda scores: scores.ireval.summary(),
}
"""Verbs without one."""


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    """Let even small scores be cut, into blocks of some topics and pieces of two depths."""
    monkeypatch.setattr(by_topics, "BLOCK_BYTES", 8 * 7 * 2 * 4)
    monkeypatch.setattr(by_topics, "JOINED_BYTES", 8 * 7 * 2 * 2)
    monkeypatch.setattr(by_topics, "STATE_BYTES", 8 * 6 * 21 * 2)
    with dask.config.set(scheduler="sync"):
        yield


def experiment(seed=0, *, gaps=True):
    """Return scores of seven systems, two the same and one shifted, on topics in any order."""
    scores = random_scores(seed, systems=7, topics=9)
    scores[:, 5] = scores[:, 4]
    scores[:, 6] = scores[:, 4] + 0.1
    if gaps:
        scores[0, 1, 2], scores[1, 3, 4:6], scores[1, 0, 7, 2:] = np.nan, np.nan, np.nan
    order = np.random.default_rng(seed).permutation(9)
    return scores.assign_coords(kind=("topic", list("aabbababb"))).isel(topic=order)


def both(verb, scores, chunks):
    """Return what a verb gives in memory and lazily, and what each of them warned of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        expected = verb(scores)
    with warnings.catch_warnings(record=True) as told_lazily:
        warnings.simplefilter("always")
        with only_planned():
            lazy = verb(scores.chunk(chunks))
        assert told_lazily == []
        assert not isinstance(lazy, xr.DataArray) or lazy.chunks
        found = lazy.compute()
    messages = [[str(each.message) for each in each] for each in (told, told_lazily)]
    return expected, found, *messages


def check(verb, scores, chunks, *, exact=False):
    expected, found, told, told_lazily = both(verb, scores, chunks)
    compare = xr.testing.assert_identical if exact else xr.testing.assert_allclose
    compare(found, expected, **({} if exact else {"rtol": 1e-11, "atol": 1e-13}))
    if "ci_low" in found:  # which intervals means have is not known before scores are
        assert found.attrs.pop("interval") == "logit where scores are from 0 to 1, else t"
        assert expected.attrs.pop("interval") in {"logit", "t"}
    assert found.attrs == expected.attrs
    assert found.sizes == expected.sizes
    assert told_lazily == told


@pytest.mark.thorough
@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("test", FOLDED)
def test_verbs_with_a_test_that_reads_blocks(name, test):
    check(lambda scores: VERBS[name](scores, test), experiment(), CHUNKS[1])


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["median_p", "coverage of a metric"])
@pytest.mark.parametrize("test", WHOLE, ids=str)
def test_verbs_with_a_test_that_needs_all_topics(name, test):
    check(lambda scores: VERBS[name](scores, test), experiment(), CHUNKS[1], exact=True)


@pytest.mark.parametrize("name", MEANS)
def test_verbs_of_means(name):
    check(MEANS[name], experiment(), CHUNKS[1])


@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
def test_chunks_of_any_kind(chunks):
    check(lambda scores: VERBS["discrimination"](scores, "t"), experiment(), chunks)
    check(lambda scores: VERBS["at depths"](scores, "wilcoxon"), experiment(), chunks, exact=True)
    for name in ("summary", "volatility", "agreement"):
        check(MEANS[name], experiment(), chunks)


@pytest.mark.thorough
@settings(max_examples=4)
@given(st.integers(0, 99), st.integers(1, 9), st.integers(1, 7), st.booleans())
def test_p_values_at_every_depth(seed, topics, systems, gaps):
    scores = experiment(seed, gaps=gaps)
    lazy = scores.chunk(topic=topics, system=systems, depth=3)
    for test in FOLDED:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IrframeWarning)
            expected, found = (each.ireval.compare(test, adjust="holm") for each in (scores, lazy))
        pd.testing.assert_frame_equal(found, expected, rtol=1e-11, atol=1e-13)
        without_spread = expected["ci_low"].isna()
        pd.testing.assert_series_equal(
            found["p"][without_spread], expected["p"][without_spread], check_exact=True
        )
        assert without_spread.sum() >= len(expected) / 7


@pytest.mark.parametrize("test", WHOLE, ids=str)
def test_a_comparison_by_a_test_that_needs_all_topics_is_the_same_to_the_bit(test):
    scores = experiment(gaps=False)
    for options in ({"at": [5, 1]}, {"baseline": "s2"}):
        expected, found = (
            each.ireval.compare(test, **options) for each in (scores, scores.chunk(CHUNKS[1]))
        )
        pd.testing.assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.thorough
def test_metrics_that_are_added_up_or_averaged_otherwise():
    scores = random_scores(3, metrics=("NumRelRet", "InverseASL", "GMAP"))
    scores[1:, 2, 3, 0] = 0
    for name in ("agreement with a depth", "summary"):
        check(MEANS[name], scores, CHUNKS[1])
    expected, found = (each.ireval.compare() for each in (scores, scores.chunk(CHUNKS[1])))
    pd.testing.assert_frame_equal(found, expected, rtol=1e-11, atol=1e-13)


def test_discriminative_power():
    expected, found, told, told_lazily = both(
        lambda scores: scores.ireval.bootstrap_sensitivity(samples=20, at=[10, 5]),
        experiment(),
        CHUNKS[1],
    )
    xr.testing.assert_identical(found, expected)
    assert set(told_lazily) == set(told)


@pytest.mark.thorough
def test_other_scores_as_a_reference():
    scores, other = experiment(), experiment(5)[:, :, 1:]
    for held in (other, other[:1].isel(depth=[1])):
        check(lambda one, held=held: one.ireval.coverage(held), scores, CHUNKS[1])
        check(lambda one, held=held: one.ireval.agreement(held), scores, CHUNKS[1])


@pytest.mark.parametrize("verb", ["inversions", "volatility"])
def test_other_scores_alone_are_lazy(verb):
    scores, other = experiment(gaps=False), experiment(5, gaps=False)[:, :, 1:]
    expected = getattr(scores.ireval, verb)(other)
    with only_planned():
        found = getattr(scores.ireval, verb)(other.chunk(topic=2))
    xr.testing.assert_allclose(found.compute(), expected, rtol=1e-12)


def test_other_scores_on_topics_of_their_own():
    scores = experiment()
    other = experiment(5).assign_coords(topic=np.arange(9) + 100)
    for verb in ("coverage", "volatility"):
        check(lambda one, verb=verb: getattr(one.ireval, verb)(other), scores, CHUNKS[1])


def test_scores_without_depths():
    scores = experiment().isel(depth=1, drop=True)
    for name in ("discrimination", "median_p"):
        check(lambda one, name=name: VERBS[name](one, "t"), scores, {"topic": 2})
    check(lambda one: one.ireval.median_p("wilcoxon"), scores, {"topic": 2}, exact=True)
    check(MEANS["agreement"], scores, {"topic": 2})
    one = experiment(gaps=False).isel(depth=1)
    assert one.chunk(topic=2).ireval.median_p().dims == one.ireval.median_p().dims


def test_groups_and_trees():
    scores = experiment(gaps=False).assign_coords(team=("system", list("xyxyxyy")))
    small = {name: scores[name] for name in ("kind", "team")}
    small["took_part"] = (("system", "topic"), np.ones((7, 9), bool))
    for by in ("kind", "team"):
        for verb in ("discrimination", "volatility"):
            expected = getattr(scores.ireval, verb)(by=by)
            with only_planned():
                lazy = scores.chunk(CHUNKS[1]).assign_coords(small)
                found = getattr(lazy.ireval, verb)(by=by)
            xr.testing.assert_allclose(found.compute(), expected, rtol=1e-11)
        frames = [one.ireval.compare(by=by) for one in (scores, scores.chunk(CHUNKS[1]))]
        pd.testing.assert_frame_equal(*frames, rtol=1e-11, atol=1e-13)
    made = scores.assign_attrs({RESULT: "score"})
    trees = [
        xr.DataTree.from_dict(
            {"a": one[:, :, :5].to_dataset(name="x"), "b": one.to_dataset(name="x")}
        )
        for one in (made, made.chunk(CHUNKS[1]))
    ]
    expected, found = (tree.ireval.median_p() for tree in trees)
    for key, node in expected.children.items():
        lazy = found[key].to_dataset()
        xr.testing.assert_allclose(lazy.compute(), node.to_dataset(), rtol=1e-11)


def test_frames_are_computed():
    scores = experiment(gaps=False)
    bounds = xr.concat([scores, scores + 0.2], pd.Index(["lower", "upper"], name="bound"))
    lazy = bounds.chunk(topic=2)
    for verb in ("decide", "compare"):
        expected, found = (getattr(one.ireval, verb)() for one in (bounds, lazy))
        pd.testing.assert_frame_equal(found, expected, rtol=1e-11, atol=1e-13)
    top = [one.ireval.select_top(0.5, metric="AP") for one in (scores, scores.chunk(topic=2))]
    assert top[1].chunks
    xr.testing.assert_identical(top[1].compute(), top[0])


class TestRefusals:
    def test_what_is_wrong_with_the_scores_is_said_when_they_are_computed(self):
        scores = experiment(gaps=False)
        scores[0, 2, 3, 1] = np.inf
        for verb in (*MEANS.values(), lambda one: one.ireval.discrimination()):
            if verb is MEANS["summary"]:
                continue
            with only_planned():
                lazy = verb(scores.chunk(topic=4, metric=1))
            with pytest.raises(InputError, match="finite scores .*: AP"):
                lazy.compute()
        scores[0, 2] = np.nan
        lazy = scores.chunk(topic=4).ireval.median_p()
        with pytest.raises(ParameterError, match="every system has a score; found none: AP"):
            lazy.compute()

    def test_a_single_topic(self):
        lazy = experiment(gaps=False)[:, :, :1].chunk(depth=1).ireval.median_p()
        with pytest.warns(IrframeWarning, match="a single topic, which cannot show") as told:
            assert (lazy.compute() == 1).all()
        assert len(told) == 1

    def test_scores_too_large_to_be_held_whole(self, monkeypatch):
        scores = experiment(gaps=False).chunk(topic=3)
        monkeypatch.setattr(by_topics, "WHOLE_BYTES", scores.nbytes // 2)
        words = rf"all topics; found .*\({scores.nbytes} bytes\). .*at=, .*tests t or sign"
        for verb in (
            lambda: scores.ireval.discrimination("wilcoxon"),
            lambda: scores.ireval.compare(TukeyHSD(samples=5)),
            scores.ireval.bootstrap_sensitivity,
        ):
            with only_planned(), pytest.raises(InputError, match=f"(?i){words}"):
                verb()
        assert scores.ireval.discrimination("wilcoxon", at=[1, 5]).compute().notnull().all()
        assert scores.ireval.discrimination("t").compute().notnull().all()

    def test_more_pairs_than_can_be_held(self, monkeypatch):
        scores = experiment(gaps=False).chunk(topic=3)
        monkeypatch.setattr(by_topics, "WHOLE_BYTES", 8 * 6 * 21 - 1)
        with only_planned(), pytest.raises(InputError, match=r"found 21 pairs.*baseline="):
            scores.ireval.discrimination()
        assert len(scores.ireval.compare(baseline="s1")) == 6 * 2 * 4


@pytest.mark.parametrize("lazy", [False, True])
def test_a_comparison_frame_that_would_be_too_large_is_not_begun(monkeypatch, lazy):
    scores = experiment(gaps=False)
    frame = scores.ireval.compare()
    monkeypatch.setattr(pairwise, "FRAME_BYTES", len(frame) * pairwise.ROW_BYTES - 1)
    words = rf"found {len(frame)} rows of 145 bytes, .* GiB. .*at=, .*baseline="
    with only_planned(), pytest.raises(InputError, match=f"(?i){words}"):
        (scores.chunk(topic=2) if lazy else scores).ireval.compare()
    with pytest.raises(InputError, match="frame"):
        scores.ireval.compare(by="kind")
    assert len(scores.ireval.compare(at=[1, 5])) == len(frame) / 2
    assert len(scores.ireval.compare(baseline="s1")) == len(frame) * 2 / 7
    memory = frame.memory_usage(index=False).sum() / len(frame)
    assert memory <= pairwise.ROW_BYTES < 1.5 * memory


@pytest.mark.thorough
def test_blocks_are_read_once_per_verb():
    read = []

    def counting(block):
        read.append(block.shape)
        return block

    scores = experiment(gaps=False).chunk(topic=3)
    data = scores.data.map_blocks(counting, dtype=float, meta=np.empty((0,) * 4))
    counted = scores.copy(data=data)
    for verb in (
        lambda: counted.ireval.discrimination().compute(),
        lambda: counted.ireval.coverage(5).compute(),
        counted.ireval.compare,
    ):
        read.clear()
        verb()
        assert len(read) == 3


def test_scores_in_memory_never_wait_for_dask(monkeypatch):
    real, scores = builtins.__import__, experiment(gaps=False)
    asked = []

    def watched(name, scope=None, *rest):
        if name.startswith("dask") and scope and scope["__name__"].startswith("irframe"):
            asked.append((scope["__name__"], name))
        return real(name, scope, *rest)

    monkeypatch.setattr(builtins, "__import__", watched)
    for verb in MEANS.values():
        verb(scores)
    for verb in VERBS.values():
        verb(scores, "wilcoxon")
    scores.ireval.compare()
    assert asked == []
    scores.chunk(topic=3).ireval.median_p()
    assert {name for _, name in asked} == {"dask", "dask.array"}


def test_chunks_are_cut_and_joined_without_losing_topics():
    rng = np.random.default_rng(0)
    for _ in range(50):
        chunks, (least, most) = (
            tuple(rng.integers(1, 20, 8).tolist()),
            sorted(rng.integers(1, 12, 2)),
        )
        found = cut(chunks, least, most)
        assert sum(found) == sum(chunks)
        assert max(found) <= most
        assert len(found) <= sum(-(-length // most) for length in chunks)
    assert cut((5, 5), 5, 9) == (5, 5)
    assert cut((2, 2, 2), 4, 9) == (4, 2)
    assert cut((0,), 5, 5) == (0,)


SCORES = """
import sys, numpy as np, pathlib, irframe, xarray as xr, dask.array as da

def block(zeros, block_info=None):
    start = block_info[None]["array-location"][2][0]
    return np.random.default_rng(start).random(zeros.shape).cumsum(axis=3)

def peak(start):
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024 - start

zeros = da.zeros((1, 30, 12_000, 100), chunks=(1, 30, 400, 100), dtype=bool)
data = zeros.map_blocks(block, dtype=float, meta=np.empty((0,) * 4))
dims = ("metric", "system", "topic", "depth")
scores = xr.DataArray(data, {"metric": ["AP"], "depth": range(1, 101)}, dims)
start = peak(0)
for name in ("summary", "discrimination", "volatility"):
    getattr(scores.ireval, name)().compute()
scores.ireval.compare(at=10)
print(scores.nbytes / 2**20, peak(start))
"""


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads sizes of processes")
def test_scores_are_never_in_memory_as_a_whole():
    done = subprocess.run(
        [sys.executable, "-c", SCORES], capture_output=True, text=True, check=True
    )
    whole, peak = map(float, done.stdout.split())
    assert whole > 270
    assert peak < whole / 1.5
