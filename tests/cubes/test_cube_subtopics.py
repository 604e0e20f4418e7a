"""Tests of cubes with judgments by subtopic."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from refusals import refused

import irframe as ir
from irframe.errors import IdError, InputError, IrframeWarning, MetricError
from irframe.metrics import METRICS as EVERY
from irframe.names import UNJUDGED

METRICS = (
    "alpha_nDCG",
    "ERR_IA",
    "NRBP",
    "AP_IA",
    "StRecall",
    "nNRBP(alpha=0.9)",
    "IA(metric='AP')",
)


def track(seed=0, topics=7, systems=4, docs=30, subtopics=5):
    """Return runs and judgments by subtopic."""
    rng = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(docs)]
    judged = [
        (f"{topic}", f"{topic}-{subtopic}", doc, int(rng.integers(0, 3)))
        for topic in range(topics)
        for subtopic in range(1 + topic % subtopics)
        for doc in rng.choice(names, docs // 2, replace=False)
    ]
    runs = [
        (f"s{system}", f"{topic}", doc, float(rng.random()))
        for system in range(systems)
        for topic in range(topics)
        for doc in rng.choice(names, docs * 2 // 3, replace=False)
    ]
    columns = ["topic", "subtopic", "doc", "grade"]
    return (
        pd.DataFrame(runs, columns=["system", "topic", "doc", "score"]),
        pd.DataFrame(judged, columns=columns).sample(frac=1, random_state=seed),
    )


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*track())


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score(*METRICS)


def same(scores, expected):
    labels = {dim: expected[dim] for dim in ("system", "topic")}
    xr.testing.assert_allclose(scores.sel(labels).drop_attrs(), expected.drop_attrs())


def test_cubes_without_subtopics_have_no_subtopic_grades():
    plain = ir.cube(*ir.example_track())
    assert dense(plain).subtopic_grade is None


def test_document_grade_is_the_highest_subtopic_grade(cube):
    arrays = dense(cube)
    assert arrays.subtopic_grade.shape == (len(arrays.judged_grade), 5)
    np.testing.assert_array_equal(arrays.subtopic_grade.max(axis=1), arrays.judged_grade)


@pytest.mark.parametrize("name", ["subtopic", "intent", "aspect"])
def test_subtopic_column_may_have_several_names(name, scores):
    runs, qrels = track()
    result = ir.cube(runs, qrels.rename(columns={"subtopic": name})).ireval.score(*METRICS)
    xr.testing.assert_identical(result, scores)


def test_columns_of_runs_become_coordinates():
    runs, qrels = track()
    kinds = np.where(runs["topic"] < "3", "informational", "navigational")
    cube = ir.cube(runs.assign(intent=kinds, subtopic="no"), qrels)
    assert cube["intent"].dims == ("topic",)
    assert "subtopic" not in cube.coords


def test_row_order_and_selections_do_not_change_scores(cube, scores):
    runs, qrels = track()
    shuffled = ir.cube(runs.sample(frac=1, random_state=1), qrels.sample(frac=1, random_state=2))
    same(shuffled.ireval.score(*METRICS), scores)
    subset = cube.isel(system=[2, 0], topic=[5, 1, 3])
    same(subset.ireval.score(*METRICS), scores.isel(system=[2, 0], topic=[5, 1, 3]))
    single = cube.sel(topic="4").ireval.score(*METRICS)
    xr.testing.assert_allclose(single.drop_attrs(), scores.sel(topic="4").drop_attrs())
    same(cube.isel(depth=slice(9)).ireval.score(*METRICS), scores.isel(depth=slice(9)))


def test_concatenated_cubes_have_equal_scores(cube, scores):
    for dim, size in (("topic", 3), ("system", 2)):
        subsets = [cube.isel({dim: slice(size)}), cube.isel({dim: slice(size, None)})]
        same(ir.concat(subsets, dim).ireval.score(*METRICS), scores)
    runs, qrels = track()
    first, second = qrels["topic"] < "2", runs["system"] > "s1"
    here = runs["topic"] < "2"
    separate = [ir.cube(runs[here], qrels[first]), ir.cube(runs[~here], qrels[~first])]
    widths = [dense(subset).subtopic_grade.shape[1] for subset in separate]
    assert widths[0] < widths[1]
    same(ir.concat(separate).ireval.score("alpha_nDCG"), scores.sel(metric=["alpha_nDCG"]))
    shuffled = [ir.cube(runs[~second], qrels), ir.cube(runs[second], qrels.iloc[::-1])]
    same(
        ir.concat(shuffled, "system").ireval.score(*METRICS[1:]),
        scores.sel(metric=list(METRICS[1:])),
    )
    plain = qrels.groupby(["topic", "doc"], as_index=False)["grade"].max()
    with pytest.raises(InputError, match="subtopics in all cubes or in none"):
        ir.concat([ir.cube(runs[here], plain[plain["topic"] < "2"]), separate[1]])


def test_saved_scanned_and_lazy_cubes_have_equal_scores(cube, scores, tmp_path):
    runs, qrels = track()
    same(cube.ireval.save(f"{tmp_path}/cube.zarr").ireval.score(*METRICS).compute(), scores)
    same(cube.chunk(topic=2, system=1).ireval.score(*METRICS).compute(), scores)
    for system, run in runs.groupby("system"):
        ir.verbs.write_run(run, tmp_path / f"{system}.run")
    with pytest.warns(
        IrframeWarning, match="scores rise with the ranks"
    ):  # `write_run` writes row numbers as ranks
        scanned = ir.scan_runs(f"{tmp_path}/*.run").ireval.cube(qrels)
    same(scanned.ireval.score(*METRICS), scores)


def test_condensed_and_sampled_cubes_keep_subtopics(cube):
    runs, qrels = track()
    condensed = cube.ireval.condense().ireval.score("alpha_nDCG", "IA(metric='RR')", at=10)
    alone = cube.ireval.score("alpha_nDCG(judged_only=True)", at=10)
    np.testing.assert_allclose(condensed[0], alone[0])
    judged = qrels[["topic", "doc"]]
    selected = runs.merge(judged.drop_duplicates())
    rebuilt = ir.cube(selected, qrels, depth=cube.sizes["depth"]).ireval.score("alpha_nDCG", at=10)
    np.testing.assert_allclose(condensed[0].sel(topic=rebuilt.topic), rebuilt[0])
    sampled = cube.ireval.sample(0.4, seed=1)
    assert (dense(sampled).subtopic_grade > UNJUDGED).any(axis=1).all()
    assert len(dense(sampled).judged_grade) < len(dense(cube).judged_grade)


def test_iterations_are_read_as_subtopics(tmp_path):
    runs, qrels = track()
    listed = qrels.rename(columns={"subtopic": "iteration"})
    ir.verbs.write_qrels(listed, tmp_path / "qrels")
    expected = ir.evaluate(runs, qrels, "alpha_nDCG@5")
    by_iteration = ir.read_qrels(tmp_path / "qrels")
    assert ir.evaluate(runs, by_iteration, "alpha_nDCG@5").to_dict() == expected.to_dict()
    named = ir.read_qrels(tmp_path / "qrels", subtopics=True)
    assert named.columns.tolist() == ["topic", "doc", "grade", "subtopic"]
    assert ir.evaluate(runs, named, "alpha_nDCG@5").to_dict() == expected.to_dict()
    refused(IdError, "rename the column 'iteration' to subtopic", ir.cube, runs, by_iteration)


def test_functions_of_judgments_keep_subtopics():
    runs, qrels = track()
    pool = runs.ireval.pool(3)
    selected = qrels.ireval.restrict(pool)
    pairs = set(map(tuple, pool[["topic", "doc"]].to_numpy()))
    inside = [pair in pairs for pair in zip(qrels["topic"], qrels["doc"], strict=True)]
    pd.testing.assert_frame_equal(selected, qrels[inside])
    sampled = qrels.ireval.sample(0.5)
    assert sampled.columns.tolist() == qrels.columns.tolist()
    expected = qrels.merge(sampled[["topic", "doc"]].drop_duplicates())
    assert len(expected) == len(sampled) < len(qrels)
    best = qrels.groupby(["topic", "doc"])["grade"].max()
    judged = runs.ireval.judge(qrels).dropna(subset="grade")
    index = pd.MultiIndex.from_frame(judged[["topic", "doc"]])
    np.testing.assert_array_equal(judged["grade"], best.loc[index])
    refused(InputError, "subtopics in 'subtopic'", lambda: ir.verbs.to_pytrec_eval(qrels))
    result = runs.ireval.diagnose(qrels)
    plain = runs.ireval.diagnose(best.reset_index())
    pd.testing.assert_frame_equal(result, plain)


def test_metrics_that_do_not_fit_the_judgments_are_refused(cube):
    runs, qrels = track()
    with pytest.raises(MetricError, match="subtopics in 'intent' for"):
        ir.evaluate(runs, qrels.rename(columns={"subtopic": "intent"}), ["AP", "alpha_nDCG@5"])
    plain = ir.cube(*ir.example_track())
    with pytest.raises(
        MetricError,
        match="expected judgments with subtopics, but .* for the metrics: NRBP",
    ):
        plain.ireval.score("AP", "NRBP")
    with pytest.raises(IdError, match="one judgment per topic and document, and subtopic"):
        ir.cube(runs, pd.concat([qrels, qrels.iloc[:1]]))
    refused(MetricError, "alpha_nDCG", lambda: cube.ireval.bounds("alpha_nDCG"))
    with pytest.raises(MetricError):
        cube.ireval.tie_ranges("alpha_nDCG")
    with pytest.raises(MetricError, match="support ties='mean'"):
        ir.cube(runs, qrels, ties="mean").ireval.score("NRBP")


@pytest.mark.property
def test_documents_without_relevant_subtopics_do_not_change_scores():
    runs, qrels = track(topics=5, subtopics=3)
    best = qrels.groupby(["topic", "doc"])["grade"].transform("max")
    liked = qrels[best > 0]
    assert (liked["grade"] == 0).any()
    result = liked.groupby(["topic", "subtopic"], as_index=False).first()
    nothing = pd.concat([liked, result.assign(doc="found by nobody", grade=0)])
    names = [name for name, kind in EVERY.items() if kind.subtopics and name != "IA"]
    names += [f"IA(metric={name!r})" for name in ("AP", "nDCG", "RR", "ERR", "P", "RBP(p=0.8)")]
    scores = [ir.cube(runs, item).ireval.score(*names) for item in (liked, nothing)]
    xr.testing.assert_allclose(*(item.drop_attrs() for item in scores))
    single = {
        "topic": "1",
        "doc": ["a", "a", "b", "b"],
        "subtopic": [1, 2, 1, 3],
        "grade": [1, 0, 1, 0],
    }
    run = pd.DataFrame({"system": "s", "topic": ["1"], "doc": "a", "score": 1.0})
    few = ir.cube(run, pd.DataFrame(single)).ireval.score("StRecall", "NRBP", "AP_IA")
    np.testing.assert_allclose(few.to_numpy().ravel(), [1, 0.75, 0.5])


def test_dimension_order_does_not_change_scores():
    cube = ir.cube(*track(topics=3, subtopics=2))
    expected = cube.ireval.score("StRecall", "alpha_nDCG")
    xr.testing.assert_identical(cube.transpose().ireval.score("StRecall", "alpha_nDCG"), expected)
