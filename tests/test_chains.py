"""Tests of method chains that combine pandas, xarray and irframe."""

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import IrframeWarning

TRACKS = ("passage", "document")


@pytest.fixture(scope="module")
def frames():
    """Return runs, judgments and properties of topics of two tracks."""
    runs, qrels = ir.example_track()
    both = [
        [frame.assign(topic=track[0] + frame["topic"], track=track) for track in TRACKS]
        for frame in (runs, qrels)
    ]
    runs, qrels = (pd.concat(tracks, ignore_index=True) for tracks in both)
    topics = pd.Index(qrels["topic"].unique(), name="topic")
    meta = pd.DataFrame({"length": range(2, 2 + len(topics))}, index=topics)
    meta["kind"] = ["what", "how"] * (len(meta) // 2)
    return runs, qrels, meta


def test_outcomes_of_one_track_are_grouped_by_a_coordinate(frames):
    runs, qrels, meta = frames
    cube = runs.ireval.cube(qrels, collection="track")
    cube = cube.assign_coords(length=("topic", meta["length"].loc[cube.topic.values] // 8))
    passages = cube.sel(topic=cube.track == "passage")
    outcomes = passages.ireval.groupby("length").outcomes(baseline="bm25", relevant="first")
    assert outcomes.summary["n_topics"].sum() == 7 * 16
    assert outcomes.summary["length"].unique().tolist() == [0, 1, 2]


def test_summaries_by_track_are_styled_as_a_table(frames):
    runs, qrels, _ = frames
    cube = runs.ireval.cube(qrels, collection="track")
    table = (
        cube.ireval.score("ASL")
        .sel(depth=[10, 50])
        .ireval.groupby("track")
        .summary()
        .ireval.styled()
    )
    assert table.data.columns.to_list() == [(t, f"ASL@{k}") for t in TRACKS for k in (10, 50)]


def test_grouped_cubes_can_be_chained(frames):
    runs, qrels, _ = frames
    scores = runs.ireval.groupby("track").cube(qrels).condense().score("AP", at=[5, 10])
    summary = scores.ireval.groupby("track").summary()
    assert summary["track"].to_numpy().tolist() == [*TRACKS]


def test_scores_are_joined_with_properties_of_topics(frames):
    runs, qrels, meta = frames
    scores = runs.ireval.evaluate(qrels, ["ndcg_cut_10", "R@100"])
    joined = scores.join(meta).query("length > 3")
    with pytest.warns(IrframeWarning, match="left out: length"):
        comparison = joined.ireval.groupby("kind").compare("t", adjust="holm", baseline="bm25")
    assert comparison["kind"].unique().tolist() == ["what", "how"]
    assert comparison["metric"].nunique() == 2
    assert "bm25" in comparison.ireval.styled().to_latex()


def test_evaluate_accepts_groups_of_pandas(frames):
    runs, qrels, _ = frames
    result = runs.groupby("track")[[*runs]].apply(
        lambda frame: frame.ireval.evaluate(
            qrels[qrels["topic"].isin(frame["topic"])], "AP"
        ).ireval.summary()
    )
    assert result.index.names == ["track", "metric", "system"]
    expected = runs.ireval.evaluate(qrels, "AP").ireval.summary()
    assert result.loc["passage", "mean"].tolist() == pytest.approx(expected["mean"].tolist())


def test_a_saved_cube_is_opened_and_sliced(frames, tmp_path):
    runs, qrels, _ = frames
    cube = runs.ireval.cube(qrels, collection="track")
    saved = cube.ireval.save(tmp_path / "cube")
    with pytest.warns(IrframeWarning, match="judgments are set aside"):
        halved = saved.isel(system=slice(None, None, 2)).ireval.leave_out("AP", at=10)
    with pytest.warns(IrframeWarning, match="judgments are set aside"):
        expected = cube.isel(system=slice(None, None, 2)).ireval.leave_out("AP", at=10)
    pd.testing.assert_frame_equal(halved, expected)


def test_discrimination_is_computed_by_track(frames):
    runs, qrels, _ = frames
    cube = runs.ireval.cube(qrels, collection="track")
    ratios = cube.ireval.score("AP", "nDCG").ireval.groupby("track").discrimination()
    assert ratios.dims == ("track", "metric", "depth")


def test_scores_after_a_number_of_searches_are_computed(frames):
    runs, qrels, _ = frames
    turns = runs[runs["system"] == "bm25"].assign(turn=lambda frame: 1 + frame["rank"] % 2)
    turns["rank"] = turns.groupby(["topic", "turn"])["rank"].rank().astype(int)
    search, stop = ir.Searches("turn", each=5), ir.AfterSearches([1, 2])
    scores = ir.evaluate(turns, qrels, "R", search=search, stop=stop)
    assert scores.shape[1] == 2


def test_the_chains_of_the_introduction_run(frames):
    runs, qrels, _ = frames
    scores = runs.ireval.evaluate(qrels, ["AP", "nDCG@10", "RBP(p=0.8)", "ASL"])
    assert len(scores.ireval.compare(baseline="bm25")) == 4 * 7
    cube = runs.ireval.cube(qrels, depth=30)
    depths = cube.ireval.score("AP(norm='min')", "RBP(p=0.95)")
    assert depths.ireval.volatility().dims == ("metric", "depth", "depth_other")
    assert depths.ireval.coverage(reference=20).dims == ("metric", "depth")
    assert len(cube.ireval.outcomes(baseline="bm25", depth=20, relevant="first").summary) == 7
