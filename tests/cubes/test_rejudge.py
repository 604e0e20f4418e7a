"""Rejudged cubes equal newly built cubes, or raise an error."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from incomplete import though_incomplete
from properties.experiments import experiment
from turns import few_of

import irframe as ir
from irframe.errors import GradeError, IdError, InputError, IrframeWarning
from irframe.names import DEPTH, TIES

RUNS, QRELS = ir.example_track()
METRICS = ["AP", "nDCG", "RBP(p=0.8)", "Bpref", "RR", "ESL", "NumRel", "Judged"]


def rounds(qrels, seed):
    """Return two different rounds of judgments."""
    rng = np.random.default_rng(seed)
    first = qrels[rng.random(len(qrels)) < 0.7]
    second = qrels[rng.random(len(qrels)) < 0.8].copy()
    changed = rng.random(len(second)) < 0.3
    second.loc[changed, "grade"] = rng.integers(0, 4, changed.sum())
    topics = set(first["topic"]) & set(second["topic"])
    return [item[item["topic"].isin(topics)] for item in (first, second)]


def assert_alike(rejudged, expected, metrics=METRICS):
    """Assert that cubes have the same scores for each label."""
    assert {*rejudged.topic.to_numpy()} == {*expected.topic.to_numpy()}
    rejudged = rejudged.sel(topic=expected.topic.to_numpy())
    assert (rejudged.grade == expected.grade).all()
    assert (rejudged.unjudged == expected.unjudged).all()
    both = [cube.ireval.score(*metrics).reset_coords(drop=True) for cube in (rejudged, expected)]
    xr.testing.assert_identical(*(item.drop_attrs() for item in both))


@pytest.mark.parametrize(("seed", "collection"), few_of(product(range(5), [None, "track"]), 3))
def test_rejudged_cubes_equal_rebuilt_cubes(seed, collection):
    runs, qrels = experiment(seed)
    ties = [item for item in TIES if item != "rank"][seed]
    first, second = rounds(qrels, seed)
    with though_incomplete(), warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        options = {"ties": ties, "collection": collection, "depth": 30}
        before, expected = (ir.cube(runs, item, **options) for item in (first, second))
        result = before.ireval.rejudge(second)
        linear = ["RBP(p=0.8)", "DCG", "P"] if ties == "mean" else METRICS
        assert_alike(result, expected, linear)
        assert_alike(result.ireval.rejudge(first), before, linear)
        rebuilt = expected.attrs["experiment"]
        assert result.attrs["experiment"].pool.contributing.tolist() == (
            rebuilt.pool.contributing.tolist()
        )


def test_new_judgments_of_retrieved_documents_make_the_pool_unknown():
    regraded = QRELS.assign(grade=QRELS["grade"].where(QRELS["grade"] < 2, 0))
    fewer = QRELS.sample(frac=0.8, random_state=1)
    for qrels in (regraded, fewer):
        result = RUNS.ireval.cube(QRELS).ireval.rejudge(qrels)
        expected = RUNS.ireval.cube(qrels)
        assert_alike(result, expected)
        assert result.attrs["pool"] == expected.attrs["pool"]
        same = [item.ireval.score("AP", at=10).attrs["pool_depth"] for item in (result, expected)]
        assert same[0] == same[1]
    drawn = RUNS.ireval.cube(fewer).ireval.rejudge(QRELS)
    assert drawn.attrs["pool"] == "unknown"
    rejudged = RUNS.ireval.cube(fewer, pool=10).ireval.rejudge(QRELS)
    assert rejudged.ireval.score("AP", at=10).attrs["pool_depth"] == 10


def test_selected_and_saved_cubes_are_rejudged(tmp_path):
    first = RUNS.ireval.cube(QRELS.sample(frac=0.6, random_state=2))
    rejudged = first.ireval.rejudge(QRELS)
    first.ireval.save(tmp_path / "cube")
    assert_alike(ir.open_cube(tmp_path / "cube").ireval.rejudge(QRELS), rejudged)
    topics = ["103", "101"]
    judged = QRELS[QRELS["topic"].isin(topics)]
    subset = first.sel(topic=topics, system=["bm25", "ance"]).isel({DEPTH: slice(10)})
    result = subset.ireval.rejudge(judged)
    expected = rejudged.sel(topic=topics, system=["bm25", "ance"]).isel({DEPTH: slice(10)})
    assert (result.grade == expected.grade).all()
    assert result.ireval.record[-1].verb == "rejudge"
    assert result.team.to_numpy().tolist() == subset.team.to_numpy().tolist()


def test_topics_only_in_the_cube_or_the_judgments_raise_a_warning():
    cube = RUNS.ireval.cube(QRELS)
    some = QRELS[QRELS["topic"] != "101"]
    with pytest.warns(IrframeWarning, match="1 topic of the cube has no judgments any more and i"):
        assert_alike(cube.ireval.rejudge(some), ir.cube(RUNS[RUNS["topic"] != "101"], some))
    further = pd.concat([QRELS, QRELS.tail(1).assign(topic="999")])
    with pytest.warns(
        IrframeWarning, match="1 topic of the judgments has no lists in the cube .*: '?999"
    ):
        assert cube.ireval.rejudge(further).sizes["topic"] == 16


LONG = pd.DataFrame(
    {"topic": "1", "doc": [f"d{n}" for n in range(150)], "score": range(150, 0, -1)}
)
JUDGED = pd.DataFrame({"topic": ["1", "1"], "doc": ["d0", "d120"], "grade": [1, 2]})


def further(doc):
    return pd.concat([JUDGED, pd.DataFrame({"topic": ["1"], "doc": [doc], "grade": [1]})])


@pytest.mark.parametrize(
    ("cube", "qrels", "error", "message"),
    [
        (
            LONG.ireval.cube(JUDGED),
            further("d130"),
            InputError,
            "contain 1 newly judged document, but found 1 list .* below rank 100: run on",
        ),
        (
            LONG.ireval.cube(JUDGED),
            further("new"),
            InputError,
            "build the cube anew|Build the cube",
        ),
        (
            LONG.ireval.cube(JUDGED),
            JUDGED.assign(topic="2"),
            IdError,
            "the cube has '1', and the jud",
        ),
        (
            LONG.ireval.cube(JUDGED),
            JUDGED.assign(topic=1),
            IdError,
            "judgments of topics of the cube",
        ),
        (LONG.ireval.cube(JUDGED), further("d0").assign(grade=[1, 2, 3]), IdError, "d0"),
        (LONG.ireval.cube(JUDGED), JUDGED.assign(grade=40000), GradeError, "40000"),
        (LONG.ireval.cube(JUDGED).ireval.condense(), JUDGED, InputError, "a condensed cube"),
    ],
)
def test_invalid_judgments_are_refused(cube, qrels, error, message):
    with pytest.raises(error, match=message):
        cube.ireval.rejudge(qrels)


def test_documents_with_known_names_are_rejudged_in_long_lists():
    cube = LONG.ireval.cube(JUDGED)
    qrels = further("d99").assign(grade=[0, 3, 1])
    assert_alike(cube.ireval.rejudge(qrels), LONG.ireval.cube(qrels))
    back = cube.ireval.rejudge(JUDGED.iloc[:1])
    assert_alike(back, LONG.ireval.cube(JUDGED.iloc[:1]))
    with pytest.raises(
        InputError, match="1 list without ids of unjudged documents below rank 100: run on 1"
    ):
        back.ireval.rejudge(JUDGED)  # the name of the document at rank 121 is lost
