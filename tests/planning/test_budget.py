"""What a number of judgments buys."""

import itertools

import numpy as np
import pytest
from dense import dense
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError
from irframe.paired import PairedT
from irframe.planning.components import population


def test_judgments_are_those_of_the_pool(cube):
    found = cube.ireval.budget("AP", judgments=[100, 400], at=[2, 10], samples=1)
    shallow = int((dense(cube.ireval.pooled(2)).judged_grade >= 0).sum())
    np.testing.assert_allclose(found["cost"], [shallow / 16, 523 / 16])
    assert found["topics"].to_numpy().tolist() == [[100 * 16 // shallow, 3], [6400 // shallow, 12]]
    dear = cube.ireval.budget("AP", judgments=400, overhead=10, at=[10], samples=1)
    assert dear["cost"].item() == 523 / 16 + 10


def test_shares_are_those_of_the_loop(cube):
    found = cube.ireval.budget("AP", "nDCG", judgments=300, at=[3], samples=5, seed=4, adjust=None)
    n = int(found["topics"].item())
    scores = cube.ireval.pooled(3).ireval.score("nDCG", at=3)[0, :, np.argsort(cube.topic.values)]
    values = population(scores.to_numpy())[..., 0]
    shares = []
    for drawn in np.random.default_rng(4).integers(16, size=(5, n)):
        pairs = itertools.combinations(values[:, drawn], 2)
        shares.append(np.mean([stats.ttest_rel(a, b).pvalue < 0.05 for a, b in pairs]))
    here = found.sel(metric="nDCG").squeeze()
    assert here["significant"].item() == pytest.approx(np.mean(shares))
    assert here["significant_high"].item() == pytest.approx(np.quantile(shares, 0.975))


def test_the_pool_is_the_default_and_more_money_helps(cube):
    found = cube.ireval.budget("AP", samples=20)
    assert found["judgments"].to_numpy().tolist() == [130, 261, 523]
    assert found["depth"][[0, -1]].to_numpy().tolist() == [1, 10]
    assert (found["topics"][-1, -1] == 16).all()
    assert (found["significant"].diff("judgments") > 0).all()


def test_too_little_money_tells_nothing(cube):
    found = cube.ireval.budget("AP", judgments=40, at=[1, 10], samples=2)
    assert found["topics"].isnull().to_numpy().tolist() == [[False, True]]
    assert found["significant"].isnull().to_numpy().tolist() == [[[False, True]]]


def test_more_topics_than_can_be_drawn_are_refused_at_whatever_depth(cube):
    with pytest.raises(ParameterError, match="at most 100000 topics; found up to .*Ask for fewer"):
        cube.ireval.budget("AP", judgments=[400, 2_000_000], at=[1, 10], samples=2)


def test_shares_are_those_of_new_collections():
    rng = np.random.default_rng(0)
    told = []
    for _ in range(40):
        system = rng.normal(0, np.sqrt(0.0005), (20, 1, 1))
        pilot, new = (system + rng.normal(0, 0.1, (20, n, 1)) for n in (40, 200))
        drawn = population(pilot)[:, rng.integers(40, size=200)]
        told.append([(PairedT().kernel(scores).p < 0.05).mean() for scores in (new, drawn)])
    new, drawn = np.mean(told, axis=0)
    assert drawn == pytest.approx(new, abs=0.04)


def test_topics_that_some_system_lacks_are_told_once(cube):
    runs, qrels = ir.example_track()
    tracks = {topic: f"track {number % 2}" for number, topic in enumerate(cube["topic"].values)}
    runs = runs.assign(track=runs["topic"].map(tracks))
    absent = (runs["system"] == "bm25") & (runs["track"] == "track 0")
    some = ir.cube(runs[~absent], qrels, collection="track", pool_depth=10)
    with pytest.warns(IrframeWarning, match="8 of 16 for AP") as told:
        some.ireval.budget("AP", judgments=300, at=[5, 10], samples=2)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"at": [3, 2]}, ParameterError, "rise"),
        ({"at": 11}, DepthError, "pool depth"),
        ({"judgments": 0}, ParameterError, "judgments"),
        ({"judgments": [5, 5]}, ParameterError, "each once"),
        ({"judgments": 10**9}, ParameterError, "100000 topics"),
        ({"overhead": -1}, ParameterError, "overhead"),
        ({"samples": 0}, ParameterError, "samples"),
        ({"seed": -1}, ParameterError, "seed"),
        ({"alpha": 1}, ParameterError, "alpha"),
    ],
)
def test_arguments_have_ranges(cube, options, error, told):
    refused(error, told, lambda: cube.ireval.budget("AP", **options))
