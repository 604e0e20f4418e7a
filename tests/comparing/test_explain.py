"""Tests of `explain` and of reading texts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from cubes.test_cube_subtopics import track
from dense import nameless
from incomplete import though_incomplete
from refusals import refused
from variants import VARIANTS

import irframe as ir
from irframe.comparing.explain import read_texts
from irframe.errors import (
    DepthError,
    FileFormatError,
    IdError,
    InputError,
    MetricError,
    ParameterError,
)
from irframe.metrics import METRICS

SUMS = {name for name, kind in METRICS.items() if kind.terms is not None}


@pytest.fixture(scope="module")
def example():
    runs, qrels = ir.example_track()
    return runs, qrels, ir.cube(runs, qrels)


def sums(*, subtopics):
    """Return the metrics whose scores are sums over documents."""
    if subtopics:
        names = sorted(name for name in SUMS if METRICS[name].subtopics)
        return [name.replace("IA", "IA(metric='nDCG')") if name == "IA" else name for name in names]
    metrics = {variant.name: variant.metric for variant in VARIANTS if variant.name in SUMS}
    return [replace(metrics[name], judged_only=n % 2 > 0) for n, name in enumerate(sorted(metrics))]


def short_lists():
    """Return a cube with short, empty and irrelevant lists."""
    rng = np.random.default_rng(1)
    docs, runs, qrels = [f"d{n}" for n in range(14)], [], []
    for topic in range(6):
        grades = rng.integers(-1, 1 if topic == 0 else 4, 10)
        qrels += [(str(topic), *pair) for pair in zip(rng.permutation(docs), grades, strict=False)]
        for system in "ab":
            listed = rng.permutation(docs)[: 0 if topic == 1 else rng.integers(0, 8)]
            runs += [(system, str(topic), doc, -rank) for rank, doc in enumerate(listed)]
    runs = pd.DataFrame(runs, columns=["system", "topic", "doc", "score"])
    qrels = pd.DataFrame(qrels, columns=["topic", "doc", "grade"])
    with though_incomplete():
        return ir.cube(runs, qrels, depth=13, pool=3)


@pytest.mark.parametrize("subtopics", [False, True])
def test_contributions_sum_to_the_scores(subtopics):
    cube = ir.cube(*track()) if subtopics else short_lists()
    a, b = cube.indexes["system"][:2]
    metrics = sums(subtopics=subtopics)
    assert len(metrics) > (7 if subtopics else 25)
    for at in (4, cube.sizes["depth"]):
        every = cube.ireval.score(metrics, at=at).sel(system=[a, b])
        for metric, scores in zip(metrics, every, strict=True):
            result = cube.ireval.explain(a, b, metric, at=at)
            by_topic = result.groupby("topic")[["contribution_a", "contribution_b"]]
            total = by_topic.sum(min_count=1).reindex(scores["topic"]).T.to_numpy()
            unscored = np.isnan(scores.to_numpy())
            assert np.isnan(total[unscored]).all(), metric
            added, expected = np.nan_to_num(total)[~unscored], scores.to_numpy()[~unscored]
            np.testing.assert_allclose(added, expected, rtol=0, atol=1e-12)


def test_ranks_beyond_the_end_of_a_list_have_rows_for_crp():
    run = {"system": ["a", "a", "b"], "topic": "1", "doc": list("xyz"), "score": [2.0, 1.0, 1.0]}
    qrels = pd.DataFrame({"topic": "1", "doc": list("xyw"), "grade": [0, 1, 1]})
    result = ir.cube(pd.DataFrame(run), qrels, depth=4).ireval.explain("a", "b", "CRP", at=4)
    (empty,) = result[result["doc"].isna()].itertuples()
    assert (empty.rank_b, empty.contribution_b, empty.difference) == (2, -1, 1)
    assert pd.isna(empty.rank_a)
    assert pd.isna(empty.grade)


def test_metrics_that_are_not_sums_are_refused(example):
    for name in sorted({"F", "Compat", "ASL", "IPrec@0.5"}):
        with pytest.raises(MetricError, match="sums over documents: .*AP.*found " + name[:2]):
            example[2].ireval.explain("bm25", "ance", name)
    subtopics = ir.cube(*track())
    with pytest.raises(MetricError, match="found SetF"):
        subtopics.ireval.explain("s0", "s1", "IA(metric='SetF')", at=5)


def test_rows_of_explain_contain_ranks_grades_and_possible_increases(example):
    runs, _, cube = example
    result = cube.ireval.explain("splade", "bm25", "P", at=10, runs=runs)
    ranked = runs.ireval.rank()
    for side, system in (("a", "splade"), ("b", "bm25")):
        top = ranked[(ranked["system"] == system) & (ranked["rank"] <= 10)]
        ranks = top.set_index(["topic", "doc"])["rank"].sort_index()
        listed = result.dropna(subset=f"rank_{side}").set_index(["topic", "doc"])
        assert listed[f"rank_{side}"].sort_index().tolist() == ranks.tolist()
        unjudged = listed["grade"].isna()
        np.testing.assert_allclose(listed.loc[unjudged, f"could_add_{side}"], 0.1)
        assert listed.loc[~unjudged, f"could_add_{side}"].isna().all()
    assert unjudged.any()
    assert not result.duplicated(["topic", "doc"]).any()
    size = result.groupby("topic", sort=False)["difference"].sum().abs().to_numpy().round(12)
    assert (np.diff(size) <= 0).all()
    pd.testing.assert_frame_equal(cube.ireval.explain("splade", "bm25", "P", at=10), result)
    bare = nameless(cube).ireval.explain("splade", "bm25", "P", at=10)
    assert bare["doc"].isna().sum() == bare["grade"].isna().sum() > 0
    assert bare["difference"].sum() == pytest.approx(result["difference"].sum())


def test_possible_increase_is_the_increase_after_the_best_judgment(example):
    runs, qrels, cube = example
    result = cube.ireval.explain("splade", "bm25", "AP", at=50, runs=runs)
    for row in result.dropna(subset="could_add_a").iloc[[0, -1]].itertuples():
        more = pd.DataFrame({"topic": [row.topic], "doc": [row.doc], "grade": [3]})
        judged = ir.cube(runs, pd.concat([qrels, more], ignore_index=True))
        change = (judged.ireval.score("AP", at=50) - cube.ireval.score("AP", at=50)).squeeze()
        expected = max(0, change.sel(system="splade", topic=row.topic).item())
        assert row.could_add_a == pytest.approx(expected, abs=1e-12)


def test_topics_and_docs_select_rows(example):
    _, _, cube = example
    all_rows = cube.ireval.explain("splade", "bm25", "nDCG", at=10)
    some = cube.ireval.explain("splade", "bm25", "nDCG", at=10, topics=["104", "101"])
    subset = all_rows[all_rows["topic"].isin(["104", "101"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(some, subset)
    docs = all_rows["doc"].dropna().iloc[:2].tolist()
    result = cube.ireval.explain("splade", "bm25", "nDCG", at=10, docs=docs)
    pd.testing.assert_frame_equal(
        result, all_rows[all_rows["doc"].isin(docs)].reset_index(drop=True)
    )


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("bm25", "bm26", "AP"), {}, ParameterError, "systems of the cube .*bm26"),
        (("bm25", "bm25", "AP"), {}, ParameterError, "'bm25' twice"),
        (("bm25", "ance", "AP"), {"at": 51}, DepthError, "1 to 50"),
        (("bm25", "ance", "AP"), {"topics": ["7"]}, ParameterError, "topics of the cube.*'7'"),
        (("bm25", "ance", "AP"), {"topics": []}, ParameterError, "at least one topic"),
        (("bm25", "ance", "AP"), {"docs": ["x"]}, ParameterError, "down to depth 10.*'x'"),
    ],
)
def test_invalid_arguments_of_explain_are_refused(example, arguments, options, error, message):
    refused(error, message, lambda: example[2].ireval.explain(*arguments, **options))


def test_cubes_with_averaged_ties_and_runs_of_other_cubes_are_refused(example):
    runs, qrels, cube = example
    with pytest.raises(MetricError, match="one order of tied documents"):
        ir.cube(runs, qrels, ties="mean").ireval.explain("bm25", "ance", "P")
    reversed_runs = runs.assign(score=-runs["score"]).drop(columns="rank")
    with pytest.raises(InputError, match="found other rankings"):
        cube.ireval.explain("bm25", "ance", "P", runs=reversed_runs)


DOCS = {"1": "One.", "2": "Two.", "3": "Three."}
TITLES = {"q1": "what?"}
FRAME = pd.DataFrame({"docno": [1, 2, 3], "text": list(DOCS.values())})
QUERIES = pd.DataFrame({"qid": ["q1"], "query": ["what?"]})


@pytest.mark.parametrize(
    "texts",
    [
        [DOCS, QUERIES],
        {"doc": DOCS, "topic": TITLES},
        (FRAME, {"topic": TITLES}),
        [FRAME.rename(columns={"text": "contents"}), QUERIES.rename(columns={"query": "text"})],
        FRAME.assign(qid="q1", query="what?"),
    ],
)
def test_texts_are_read_from_frames_dictionaries_and_files(texts, tmp_path):
    for source in (texts, _as_files(texts, tmp_path)):
        by_id = read_texts(source, ["2", "3", "4"], ["q1", "q2"])
        assert by_id.documents == {"2": "Two.", "3": "Three."}
        assert by_id.queries == TITLES


def _as_files(texts, folder):
    several = texts if isinstance(texts, list | tuple) else [texts]
    return [_as_file(source, folder / f"{n}.parquet") for n, source in enumerate(several)]


def _as_file(source, path):
    if not isinstance(source, pd.DataFrame):
        return source
    source.to_parquet(path)
    return path


def test_texts_are_added_as_columns():
    runs, qrels = ir.example_track()
    texts = {doc: f"text of {doc}" for doc in qrels["doc"].unique()[:40]}
    queries = {"topic": {topic: f"query {topic}" for topic in qrels["topic"].unique()}}
    result = ir.cube(runs, qrels).ireval.explain("bm25", "ance", "AP", texts=[texts, queries])
    assert (result["query"] == "query " + result["topic"]).all()
    has_text = result["doc"].isin(list(texts))
    assert (result.loc[has_text, "text"] == "text of " + result.loc[has_text, "doc"]).all()
    assert 0 < has_text.sum() < len(result)
    assert result.loc[~has_text, "text"].isna().all()


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        (
            {"d9": "x"},
            IdError,
            "texts of docs in the results, but found texts of ids 'd9' and results with ids '1'",
        ),
        ({"topic": {"7": "x"}}, IdError, "ids 'q?7'? and results with ids 'q1'"),
        ({"1": 5}, InputError, "other values for docs: 1"),
        (7, InputError, "a int"),
        ({"doc": ["x"]}, InputError, "a list"),
        (pd.DataFrame({"a": [1]}), InputError, "only the columns: a"),
        (FRAME.assign(docno=["1", "1", "2"]), InputError, "one text for each doc.*1"),
        ("no.parquet", FileFormatError, "no file no.parquet"),
        (__file__, FileFormatError, "test_explain.py"),
    ],
)
def test_invalid_texts_are_refused(texts, error, message):
    refused(error, message, lambda: read_texts(texts, ["1", "2"], ["q1"]))
