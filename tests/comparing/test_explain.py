"""The documents behind a difference."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cubes.test_cube_subtopics import track
from variants import VARIANTS

import irframe as ir
from irframe.errors import DepthError, InputError, MetricError, ParameterError
from irframe.metrics import METRICS

SUMS = {name for name, kind in METRICS.items() if kind.terms is not None}


@pytest.fixture(scope="module")
def example():
    runs, qrels = ir.example_track()
    return runs, qrels, ir.cube(runs, qrels)


def texts(*, subtopics):
    """Return every metric that is a sum, of all documents or of the judged ones alone."""
    if subtopics:
        names = sorted(name for name in SUMS if METRICS[name].subtopics)
        return [name.replace("IA", "IA(metric='nDCG')") if name == "IA" else name for name in names]
    known = {variant.name: variant.metric for variant in VARIANTS if variant.name in SUMS}
    return [replace(known[name], judged_only=n % 2 > 0) for n, name in enumerate(sorted(known))]


@pytest.mark.parametrize("subtopics", [False, True])
def test_documents_add_up_to_the_difference_for_every_metric_that_is_a_sum(example, subtopics):
    cube = ir.cube(*track()) if subtopics else example[2]
    a, b = cube.indexes["system"][:2]
    wanted = texts(subtopics=subtopics)
    assert len(wanted) > (7 if subtopics else 25)
    for metric in wanted:
        scores = cube.ireval.score(metric, at=7).squeeze().to_pandas()
        found = cube.ireval.explain(a, b, metric, at=7)
        by_topic = found.groupby("topic")[["contribution_a", "contribution_b", "difference"]]
        total = by_topic.sum().reindex(scores.columns, fill_value=0.0)
        np.testing.assert_allclose(total["contribution_a"], scores.loc[a], atol=1e-12)
        np.testing.assert_allclose(total["contribution_b"], scores.loc[b], atol=1e-12)


def test_metrics_that_are_no_sums_are_refused_by_name(example):
    for name in sorted({"F", "Compat", "ASL", "IPrec@0.5"}):
        with pytest.raises(MetricError, match="sums over documents: .*AP.*found " + name[:2]):
            example[2].ireval.explain("bm25", "ance", name)
    subtopics = ir.cube(*track())
    with pytest.raises(MetricError, match="found SetF"):
        subtopics.ireval.explain("s0", "s1", "IA(metric='SetF')", at=5)


def test_rows_say_where_documents_are_and_what_they_could_add(example):
    runs, _, cube = example
    found = cube.ireval.explain("splade", "bm25", "P", at=10, runs=runs)
    ranked = runs.ireval.rank()
    for side, system in (("a", "splade"), ("b", "bm25")):
        own = ranked[(ranked["system"] == system) & (ranked["rank"] <= 10)]
        ranks = own.set_index(["topic", "doc"])["rank"].sort_index()
        listed = found.dropna(subset=f"rank_{side}").set_index(["topic", "doc"])
        assert listed[f"rank_{side}"].sort_index().tolist() == ranks.tolist()
        unjudged = listed["grade"].isna()
        np.testing.assert_allclose(listed.loc[unjudged, f"could_add_{side}"], 0.1)
        assert listed.loc[~unjudged, f"could_add_{side}"].isna().all()
    assert unjudged.any()
    assert not found.duplicated(["topic", "doc"]).any()
    size = found.groupby("topic", sort=False)["difference"].sum().abs().to_numpy().round(12)
    assert (np.diff(size) <= 0).all()
    pd.testing.assert_frame_equal(cube.ireval.explain("splade", "bm25", "P", at=10), found)
    nameless = cube.drop_encoding().ireval.explain("splade", "bm25", "P", at=10)
    assert nameless["doc"].isna().sum() == nameless["grade"].isna().sum() > 0
    assert nameless["difference"].sum() == pytest.approx(found["difference"].sum())


def test_what_a_document_could_add_is_what_its_judgment_adds(example):
    runs, qrels, cube = example
    found = cube.ireval.explain("splade", "bm25", "AP", at=50, runs=runs)
    for row in found.dropna(subset="could_add_a").iloc[[0, -1]].itertuples():
        more = pd.DataFrame({"topic": [row.topic], "doc": [row.doc], "grade": [3]})
        judged = ir.cube(runs, pd.concat([qrels, more], ignore_index=True))
        change = (judged.ireval.score("AP", at=50) - cube.ireval.score("AP", at=50)).squeeze()
        expected = max(0, change.sel(system="splade", topic=row.topic).item())
        assert row.could_add_a == pytest.approx(expected, abs=1e-12)


def test_topics_and_documents_may_be_chosen(example):
    _, _, cube = example
    whole = cube.ireval.explain("splade", "bm25", "nDCG", at=10)
    some = cube.ireval.explain("splade", "bm25", "nDCG", at=10, topics=["104", "101"])
    kept = whole[whole["topic"].isin(["104", "101"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(some, kept)
    docs = whole["doc"].dropna().iloc[:2].tolist()
    found = cube.ireval.explain("splade", "bm25", "nDCG", at=10, docs=docs)
    pd.testing.assert_frame_equal(found, whole[whole["doc"].isin(docs)].reset_index(drop=True))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("bm25", "bm26", "AP"), {}, ParameterError, "systems of the cube: .*bm26"),
        (("bm25", "bm25", "AP"), {}, ParameterError, "'bm25' twice"),
        (("bm25", "ance", "AP"), {"at": 51}, DepthError, "1 to 50"),
        (("bm25", "ance", "AP"), {"topics": ["7"]}, ParameterError, "topics of the cube.*'7'"),
        (("bm25", "ance", "AP"), {"topics": []}, ParameterError, "at least one topic"),
        (("bm25", "ance", "AP"), {"docs": ["x"]}, ParameterError, "down to depth 10.*'x'"),
    ],
)
def test_bad_choices(example, arguments, options, error, message):
    with pytest.raises(error, match=message):
        example[2].ireval.explain(*arguments, **options)


def test_shared_ranks_and_other_runs_are_refused(example):
    runs, qrels, cube = example
    with pytest.raises(MetricError, match="one order of tied documents"):
        ir.cube(runs, qrels, ties="mean").ireval.explain("bm25", "ance", "P")
    with pytest.raises(InputError, match="rankings that differ"):
        cube.ireval.explain("bm25", "ance", "P", runs=runs.assign(score=-runs["score"]))


def test_a_lazy_cube_is_read_for_two_systems(example):
    cube = example[2]
    pd.testing.assert_frame_equal(
        cube.chunk(topic=5).ireval.explain("splade", "bm25", "nDCG"),
        cube.ireval.explain("splade", "bm25", "nDCG"),
    )
