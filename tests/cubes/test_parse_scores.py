"""Scores read once: what they are made of, and the words for their groups."""

import itertools

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError
from irframe.names import ALIASES

AXES = {
    "topic": ["question_id", "qid", "query", "query_id", "id", None],
    "system": ["model_name", "model", "run", "retriever", "name", None],
}


@pytest.fixture(scope="module")
def tracks():
    runs, qrels = ir.example_track()
    more = runs.assign(track="y", topic="y" + runs["topic"])
    again = qrels.assign(topic="y" + qrels["topic"])
    return pd.concat([runs.assign(track="x"), more]), pd.concat([qrels, again])


@pytest.mark.parametrize(("topic", "system"), [*itertools.product(*AXES.values())])
def test_a_matrix_keeps_its_roles_under_any_names(topic, system):
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


def test_groups_go_by_what_told_collections_apart(tracks):
    scores = tracks[0].ireval.evaluate(tracks[1], "AP", collection="track")
    cube = tracks[0].ireval.cube(tracks[1], collection="track")
    for found in (
        scores.ireval.groupby("track").summary(),
        cube.ireval.score("AP").ireval.groupby("track").compare(),
    ):
        assert "caution" not in found.attrs
        pd.testing.assert_frame_equal(
            scores.ireval.groupby("collection").summary(), scores.ireval.groupby("track").summary()
        )
    for pooled in (scores.ireval.summary(), cube.ireval.score("AP").ireval.discrimination()):
        assert "topics of 2 collections (track) are taken together" in pooled.attrs["caution"]
    one = scores[scores.index.get_level_values("topic").str.startswith("y")]
    assert "collections" not in one.ireval.summary().attrs.get("caution", "")


def test_scores_at_one_depth_are_a_table(tracks):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "nDCG", at=10)
    assert {*scores.to_dataframe()} == {"depth", "team", "score"}
    assert scores.mean("topic").to_pandas().shape == (2, 8)
    assert (scores.ireval.compare()["depth"] == 10).all()
    table = tracks[0].ireval.groupby("track").cube(tracks[1]).score("AP", at=10)
    summary = table.ireval.groupby("track").summary()
    assert "bm25" in summary.ireval.styled().to_latex()
