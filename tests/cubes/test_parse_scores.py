"""Scores are read in any supported form."""

import io
import itertools

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from refusals import refused

import irframe as ir
from irframe.cubes.parse_scores import to_scores
from irframe.cubes.score_frames import is_scores
from irframe.errors import IdError, InputError
from irframe.names import ALIASES


@pytest.fixture(scope="module")
def scores(track):
    return ir.evaluate(*track, ["AP", "P@5"])


@pytest.fixture(scope="module")
def long(scores):
    flat = scores.reset_index().rename(columns={"system": "name", "topic": "qid"})
    return flat.melt(["name", "qid"], var_name="measure")


def same(scores, expected):
    """Return whether scores are equal in any order of labels."""
    remaining, right = to_scores(scores), to_scores(expected)
    return remaining.reindex_like(right).drop_attrs().identical(right.drop_attrs())


def test_frames_of_evaluate_are_returned_unchanged(scores):
    assert ir.as_scores(scores) is scores


def test_scores_are_read_from_csv(scores):
    text = scores.reset_index().to_csv(index=False)
    result = ir.as_scores(pd.read_csv(io.StringIO(text), dtype={"topic": "str"}))
    # Old versions of pandas do not read the last digit exactly.
    remaining, right = to_scores(result), to_scores(scores)
    np.testing.assert_allclose(remaining.reindex_like(right), right, rtol=1e-14)
    frame = pd.read_csv(io.StringIO(text))
    assert frame.ireval.compare(baseline="bm25")["p"].notna().all()


def test_custom_metric_names_survive_reset_index(scores):
    renamed = scores[["AP"]].set_axis(["mine"], axis=1)
    for attributes in ({"metrics": ["mine"]}, {}):
        renamed.attrs = attributes
        assert same(renamed.reset_index(), renamed)


def test_series_have_the_methods_of_scores(scores, long):
    expected = scores[["AP"]].ireval.compare(baseline="bm25")
    pd.testing.assert_frame_equal(scores["AP"].ireval.compare(baseline="bm25"), expected)
    pd.testing.assert_frame_equal(ir.verbs.compare(scores["AP"], baseline="bm25"), expected)
    unnamed = scores["AP"].rename(None)
    assert ir.verbs.summary(unnamed).index.unique("metric").tolist() == ["score"]
    assert "compare" in dir(scores["AP"].ireval)
    with pytest.raises(AttributeError, match="a column of scores, with system and topic"):
        _ = pd.Series([1.0]).ireval
    assert not hasattr(long["value"], "ireval")


@pytest.mark.parametrize("turned", [False, True])
def test_matrices_are_read_in_either_orientation(scores, turned):
    matrix = scores["AP"].unstack("system")[scores.index.unique("system")]
    matrix = matrix.T if turned else matrix
    result = ir.as_scores(matrix, metric="AP")
    assert same(ir.as_scores(matrix), result.rename(columns={"AP": "score"}))
    np.testing.assert_array_equal(matrix.ireval.summary(), result.ireval.summary())
    assert same(result, scores[["AP"]])
    pd.testing.assert_frame_equal(
        result.ireval.compare(baseline="bm25"), scores["AP"].ireval.compare(baseline="bm25")
    )
    bare = matrix.reset_index().rename_axis(columns=None)
    assert same(ir.as_scores(bare, metric="AP"), scores[["AP"]])
    advice = r"ir.as_scores\(frame, metric='AP', systems='columns'\)"
    with pytest.raises(InputError, match=advice):
        ir.as_scores(matrix.rename_axis(index=None, columns=None))
    with pytest.raises(AttributeError, match=advice):
        _ = matrix.rename_axis(index=None, columns=None).ireval


def test_matrices_without_axis_names_need_an_orientation():
    matrix = pd.DataFrame({"a": [0.5, 0.25], "b": [1.0, 0.0], "c": [0.0, 0.0]})
    refused(InputError, "systems='rows'", lambda: ir.as_scores(matrix, metric="nDCG"))
    result = to_scores(ir.as_scores(matrix, metric="nDCG", systems="columns"))
    assert dict(result.sizes) == {"metric": 1, "system": 3, "topic": 2}
    assert result.sel(system="b").values.tolist() == [[1.0, 0.0]]


def test_invalid_matrices_are_refused():
    matrix = pd.DataFrame({"a": [0.5], "b": ["x"]})
    refused(InputError, "scores indexed by", lambda: ir.as_scores(matrix, metric="AP"))
    with pytest.raises(IdError, match="found duplicates: a"):
        ir.as_scores(
            pd.DataFrame([[0.5, 0.25]], columns=["a", "a"]), metric="AP", systems="columns"
        )


def test_published_matrix_gives_the_published_p_value(shared):
    matrix = pd.read_csv(shared / "data" / "score-matrices" / "adhoc8_ap.csv")
    scores = ir.as_scores(matrix, metric="AP", systems="columns")
    row = ir.verbs.compare(scores, baseline="run125").set_index("system_a").loc["run126"]
    assert row["p"] == pytest.approx(0.0013194, abs=5e-8)


def test_the_metric_option_selects_or_renames_a_column(scores, long):
    assert ir.as_scores(scores, metric="AP").columns.tolist() == ["AP"]
    assert ir.as_scores(long, metric="P@5").columns.tolist() == ["P@5"]
    assert ir.as_scores(scores["AP"], metric="MAP").columns.tolist() == ["MAP"]
    assert ir.as_scores(scores[["AP"]].droplevel("system"), metric="AP").index.nlevels == 2
    with pytest.raises(InputError, match="a column RR, but found the columns: AP, P@5"):
        ir.as_scores(scores, metric="RR")


@pytest.mark.filterwarnings("ignore:no interval for systems with a single score")
def test_tables_dictionaries_and_rows_are_read(scores):
    assert same(pa.Table.from_pandas(scores.reset_index()), scores)
    nested = {
        system: {topic: dict(row) for topic, row in subset.droplevel("system").iterrows()}
        for system, subset in scores.groupby("system", sort=False)
    }
    assert same(nested, scores)
    single = ir.as_scores(nested["bm25"])
    assert single.index.unique("system").tolist() == ["run"]
    metric = ir_measures.Metric("q1", ir_measures.AP, 0.5)
    assert ir.verbs.summary([metric])["mean"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (3, "found int"),
        ("AP", "found str"),
        ([], "found list"),
        ([1.0], "found list"),
        ({}, "topic: {metric: score}}"),
        ({"q1": 0.5}, "topic: {metric: score}}.*'q1'"),
        ({"q1": {"AP": 0.5}, "bm25": {"q1": {"AP": 0.5}}}, "another dictionary: 'q1'"),
        (pd.DataFrame({"name": ["a"], "AP": [0.5]}), r"perquery=True\)"),
    ],
)
def test_objects_without_scores_are_refused(x, message):
    refused(InputError, message, lambda: ir.as_scores(x))


def test_runs_are_not_scores(track):
    runs, qrels = track
    assert not is_scores(runs)
    assert not is_scores(qrels)
    assert not is_scores(runs.set_index(["topic", "doc"]))
    assert np.isfinite(ir.evaluate(runs.set_index(["topic", "doc"]), qrels, "AP")).all(axis=None)


def test_indexed_run_frames_have_the_methods_of_runs(track):
    runs, qrels = track
    result = runs.set_index(["system", "topic"]).ireval.evaluate(qrels, "AP")
    pd.testing.assert_frame_equal(result, runs.ireval.evaluate(qrels, "AP"))


def test_arrays_become_frames(track):
    array = ir.verbs.score(ir.cube(*track), "AP", "P")
    expected = ir.evaluate(*track, ["AP", "P"], depth=10)
    result = ir.as_scores(array.sel(depth=10))
    pd.testing.assert_frame_equal(result, expected, check_names=False, atol=1e-12)
    single = ir.as_scores(array.sel(depth=10, metric="AP"))
    assert same(single, expected[["AP"]])
    assert ir.as_scores(array).index.names == ["system", "topic", "depth"]
    refused(
        InputError, "system and topic, but found metric, system", ir.as_scores, array.mean("topic")
    )


def test_two_id_columns_with_different_values_are_refused(long):
    for added, column in (("score", "value"), ("query_id", "qid"), ("run", "name")):
        frame = long.assign(**{added: range(len(long))})
        if column == "value":
            assert same(frame, long)
        else:
            refused(
                InputError, f"'{column}' and '{added}' with different values", ir.as_scores, frame
            )
    assert same(long.assign(metric=long["measure"], measure="x"), long)


def test_the_only_column_of_numbers_is_the_metric():
    frame = pd.DataFrame({"system": ["a", "b"], "topic": "1", "score": [0.25, 0.5]})
    assert list(ir.as_scores(frame, metric="AP")) == ["AP"]
    text = frame.assign(score=["good", "bad"])
    line = r"frame.set_index\(\['system', 'topic'\]\)\[\['score'\]\]"
    refused(InputError, line, lambda: ir.as_scores(text, metric="AP"))
    assert list(ir.as_scores(frame.set_index(["system", "topic"])[["score"]], metric="AP")) == [
        "AP"
    ]


def test_lists_of_dictionaries_may_have_custom_metrics():
    rows = [{"system": s, "qid": q, "right": n} for s, n in (("a", 1), ("b", 0)) for q in "12"]
    rows[0]["right"], rows[-1]["right"] = 2, 3
    expected = ir.as_scores(rows)
    assert expected.index.names == ["system", "qid"]
    by_system = {s: [r for r in rows if r["system"] == s] for s in "ab"}
    pd.testing.assert_frame_equal(ir.as_scores(by_system), expected)
    assert pd.DataFrame(rows).ireval.summary().loc[("right", "a"), "mean"] == 1.5


AXES = {
    "topic": ["question_id", "qid", "query", "query_id", "id", None],
    "system": ["model_name", "model", "run", "retriever", "name", None],
}


@pytest.fixture(scope="module")
def tracks():
    runs, qrels = ir.example_track()
    more = runs.assign(track="y", topic="y" + runs["topic"])
    repeated = qrels.assign(topic="y" + qrels["topic"])
    return pd.concat([runs.assign(track="x"), more]), pd.concat([qrels, repeated])


@pytest.mark.parametrize(("topic", "system"), [*itertools.product(*AXES.values())])
def test_matrix_axes_are_recognised_by_any_alias(topic, system):
    values = np.arange(12).reshape(4, 3) / 12
    matrix = pd.DataFrame(values, list("1234"), list("abc"))
    matrix = matrix.rename_axis(index=topic, columns=system)
    named = topic in ALIASES["topic"] or system in ALIASES["system"]
    if not named:
        refused(InputError, "systems='rows'", lambda: ir.as_scores(matrix, "AP"))
    for turned, systems in ((matrix, "columns"), (matrix.T, "rows")):
        ways = [ir.as_scores(turned, "AP", systems=systems)]
        ways += [ir.as_scores(turned, "AP")] if named else []
        for scores in ways:
            means = scores.ireval.summary()["mean"]
            np.testing.assert_allclose(means, values.mean(axis=0))
            assert means.index.get_level_values(1).tolist() == list("abc")
    if named:
        refused(InputError, "systems in rows", lambda: ir.as_scores(matrix, systems="rows"))


def test_collections_can_be_groups(tracks):
    scores = tracks[0].ireval.evaluate(tracks[1], "AP", collection="track")
    cube = tracks[0].ireval.cube(tracks[1], collection="track")
    for result in (
        scores.ireval.groupby("track").summary(),
        cube.ireval.score("AP").ireval.groupby("track").compare(),
    ):
        assert "caution" not in result.attrs
        pd.testing.assert_frame_equal(
            scores.ireval.groupby("collection").summary(), scores.ireval.groupby("track").summary()
        )
    for pooled in (scores.ireval.summary(), cube.ireval.score("AP").ireval.discrimination()):
        assert "topics of 2 collections (track) are averaged together" in pooled.attrs["caution"]
    single = scores[scores.index.get_level_values("topic").str.startswith("y")]
    assert "collections" not in single.ireval.summary().attrs.get("caution", "")


def test_scores_at_one_depth_have_a_scalar_depth(tracks):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "nDCG", at=10)
    assert {*scores.to_dataframe()} == {"depth", "team", "score"}
    assert scores.mean("topic").to_pandas().shape == (2, 8)
    assert (scores.ireval.compare()["depth"] == 10).all()
    table = tracks[0].ireval.groupby("track").cube(tracks[1]).score("AP", at=10)
    summary = table.ireval.groupby("track").summary()
    assert "bm25" in summary.ireval.styled().to_latex()
