"""Each collection can have its own lowest relevant grade."""

import numpy as np
import pandas as pd
import pytest
from incomplete import though_incomplete
from refusals import refused

import irframe as ir
from irframe.errors import IrframeWarning, MetricError, ParameterError

METRICS = ["AP", "map", "P@5", "RR(rel=1)", "Judged@5"]
TRACKS = ("dl21", "news")
OPEN = ["AP", "map", "P@5"]


@pytest.fixture(scope="module")
def frames():
    runs, qrels = ir.example_track()
    odd = qrels["topic"].astype(int) % 2 == 1
    return runs, qrels.assign(track=np.where(odd, "dl21", "news"))


@pytest.fixture(scope="module")
def cube(frames):
    return ir.cube(*frames, collection="track")


@pytest.fixture(scope="module")
def cubes(frames):
    return in_tracks(frames).cube(frames[1], collection="track")


def in_tracks(frames, name="track"):
    """Group runs by a column of the judgments."""
    return frames[0].ireval.groupby(frames[1].drop_duplicates("topic").set_index("topic")[name])


def expected(frames, depth=None):
    """Return scores with the lowest relevant grade of each collection."""
    low, high = (
        ir.evaluate(*frames, f"AP(rel={r})", f"P(rel={r})@5", "RR(rel=1)", "Judged@5", depth=depth)
        for r in (1, 2)
    )
    inside = low.index.get_level_values("topic").astype(int) % 2 == 1
    result = np.where(inside[:, np.newaxis], high, low)[:, [0, 0, 1, 2, 3]]
    changed = (result != low.to_numpy()[:, [0, 0, 1, 2, 3]]).any(axis=0)
    assert changed.tolist() == [True, True, True, False, False]
    return pd.DataFrame(result, low.index, pd.Index(METRICS, name="metric"))


def test_each_collection_has_its_own_lowest_relevant_grade(frames):
    options = {"collection": "track", "rel": {"dl21": 2}}
    scores = ir.evaluate(*frames, METRICS, **options)
    pd.testing.assert_frame_equal(scores, expected(frames))
    assert scores.attrs["rel"] == "2 in dl21"
    by_track = in_tracks(frames).evaluate(frames[1], METRICS, **options)
    pd.testing.assert_frame_equal(
        by_track.droplevel("track").sort_index(), expected(frames).sort_index()
    )


def test_lazy_and_grouped_cubes_apply_lowest_relevant_grades(frames, cube, cubes):
    frame = expected(frames, depth=50).to_xarray()
    for variant in (cube, cube.chunk(topic=3)):
        result = variant.ireval.score(OPEN, rel={"dl21": 2}).sel(depth=50, drop=True).compute()
        assert result.attrs["rel"] == "2 in dl21"
        for name in OPEN:
            same = result.sel(metric=name).reindex_like(frame)
            np.testing.assert_allclose(same, frame[name], atol=1e-12)
    groups = cube.ireval.groupby("collection").score("AP", rel={"dl21": 2})
    of_cubes = cubes.score("AP", rel={"dl21": 2})
    scores = cube.ireval.score("AP", rel={"dl21": 2})
    for key in ("dl21", "news"):
        want = scores.sel(topic=scores["track"] == key)
        np.testing.assert_array_equal(groups.sel(track=key, topic=want.topic), want)
        np.testing.assert_array_equal(of_cubes.sel(track=key, topic=want.topic), want)


def test_topics_without_documents_of_the_lowest_relevant_grade_can_score_nan(cube):
    scores = cube.ireval.score("AP", rel={"dl21": 3}, no_rel="nan", at=5)
    high = cube.ireval.score("AP(rel=3)", no_rel="nan", at=5)
    inside = (cube["track"] == "dl21").to_numpy()
    np.testing.assert_array_equal(scores[:, :, inside], high[:, :, inside])


@pytest.mark.parametrize(
    ("metrics", "rel", "error", "message"),
    [
        (
            "AP",
            {"dl19": 2, "news": 1},
            ParameterError,
            r"collections \(dl21, news\), but found .*dl19",
        ),
        (["Judged@5", "RR(rel=2)"], {"dl21": 2}, MetricError, r"found .*Judged@5, RR\(rel=2\)"),
        ("AP", 2, ParameterError, r"mapping collection -> grade, .* For the same .*AP\(rel=2\)"),
        (
            "AP",
            {"dl21": 0},
            ParameterError,
            "rel of dl21 to be a whole number of at least 1, but found 0",
        ),
    ],
)
def test_invalid_values_of_rel_are_refused(frames, cube, cubes, metrics, rel, error, message):
    runs, qrels = frames
    for of in (runs.ireval, in_tracks(frames)):
        refused(error, message, of.evaluate, qrels, metrics, collection="track", rel=rel)
    for of in (cube.ireval, cube.ireval.groupby("track"), cubes):
        refused(error, message, of.score, metrics, rel=rel)


def test_lowest_relevant_grades_by_collection_need_collections(frames):
    for call in (ir.evaluate, lambda *f, **o: ir.cube(*f).ireval.score("AP", **o)):
        with pytest.raises(ParameterError, match="a collection for every topic.*Pass collection="):
            call(*frames, *["AP"] * (call is ir.evaluate), rel={"dl21": 2})


def test_groups_by_collection_equal_groups_by_its_column(frames, cube):
    scores = cube.ireval.score("AP", at=10)
    table = ir.evaluate(*frames, "AP@10", collection="track")
    labelled = table.assign(
        track=np.where(table.index.get_level_values(1).astype(int) % 2, *TRACKS)
    )
    by_team = frames[0].ireval.groupby("team").evaluate(frames[1], "AP@10", collection="track")
    by_team = by_team.droplevel("team")
    for some, named in (
        (scores, scores),
        (table, labelled),
        (by_team, labelled.loc[by_team.index]),
    ):
        for verb in ("compare", "summary", "leaderboard"):
            result = getattr(some.ireval.groupby("collection"), verb)()
            expected = getattr(named.ireval.groupby("track"), verb)()
            same = "equals" if isinstance(result, pd.DataFrame) else "identical"
            assert getattr(result, same)(expected), verb
    with pytest.raises(ParameterError, match="found 'collection'"):
        ir.evaluate(*frames, "AP").ireval.groupby("collection").compare()


def test_declared_collections_include_systems_without_lists(frames):
    runs, qrels = frames
    inside = qrels["topic"].isin(qrels["topic"].unique()[:4])
    qrels = qrels.assign(kind=np.where(inside, "some", "others"))
    some = set(qrels["topic"][inside])
    short = runs[~((runs["system"] == "bm25") & runs["topic"].isin(some))]
    with though_incomplete():
        groups = in_tracks((short, qrels), "kind")
        declared = groups.evaluate(qrels, "AP", collection="track")
        assert not declared.loc["some"].loc["bm25"].any().item()
    with pytest.warns(IrframeWarning, match=r"systems without rows .*some \(bm25\)"):
        undeclared = groups.evaluate(qrels, "AP")
    assert "bm25" not in undeclared.loc["some"].index
    assert "bm25" in undeclared.loc["others"].index
