"""The recall bases of a cube, one topic after the other."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.cubes.recall_base import count_by_topic, gather, topic_of
from irframe.errors import InputError


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def documents(cube):
    """Return the judged documents of every topic, from where they stand."""
    names = cube["judged_doc"].to_numpy()
    ends = zip(cube["judged_start"].to_numpy(), cube["judged_count"].to_numpy(), strict=True)
    labels = cube["topic"].to_numpy()
    return {t: names[a : a + n].tolist() for t, (a, n) in zip(labels, ends, strict=True)}


@given(st.permutations(range(16)), st.integers(1, 16))
def test_selected_topics_keep_their_documents(order, many):
    cube = ir.cube(*ir.example_track())
    part = cube.isel(topic=order[:many])
    whole, found = documents(cube), documents(gather(part))
    assert found == {topic: whole[topic] for topic in part["topic"].to_numpy()}
    assert gather(part).sizes["judged"] == sum(map(len, found.values()))
    rows = topic_of(part)
    for place, topic in enumerate(part["topic"].to_numpy()):
        assert part["judged_doc"].to_numpy()[rows == place].tolist() == whole[topic]
    relevant = part["judged_grade"].to_numpy() >= 1
    counts = [int(relevant[rows == place].sum()) for place in range(many)]
    assert count_by_topic(part, relevant).tolist() == counts


def test_a_whole_cube_is_not_copied(cube):
    assert gather(cube) is cube


def test_judgments_that_were_cut_off_are_missed(cube):
    with pytest.raises(InputError, match="all judged documents; found fewer of topics"):
        cube.isel(judged=slice(100)).ireval.score("AP")


def test_topics_never_have_the_documents_of_others():
    runs, qrels = ir.example_track()
    count = qrels["topic"].value_counts()
    alike = count.index[count == count.mode()[0]][:2]
    parts = [ir.cube(runs, qrels, topics=[topic]) for topic in alike]
    joined = xr.concat(parts, dim="topic", coords="minimal", compat="override")
    with pytest.raises(
        InputError, match=r"found 1 topic with the documents of another one: .*irframe.concat"
    ):
        ir.verbs.score(joined, "AP")


def test_one_topic_with_many_judgments_costs_what_it_has():
    runs, qrels = ir.simulate_track(systems=2, topics=300, docs=50, depth=10, pool_depth=5)
    many = qrels.iloc[np.zeros(5000, int)].assign(doc=[f"x{i}" for i in range(5000)])
    plain = ir.cube(runs, qrels, pool_depth=5)
    heavy = ir.cube(runs, pd.concat([qrels, many]), pool_depth=5)
    assert heavy.nbytes - plain.nbytes < 5000 * 32


@pytest.mark.parametrize(
    ("ask", "given"),
    [(ir.verbs.pooled, [5]), (ir.verbs.pool_growth, []), (ir.verbs.score, ["AP(norm='pool')"])],
)
def test_no_system_has_the_pool_of_others(ask, given):
    runs, qrels = ir.example_track()
    first = runs["system"].isin(runs["system"].unique()[:2])
    parts = [ir.cube(runs[some], qrels) for some in (first, ~first)]
    joined = xr.concat(parts, dim="system", coords="minimal", compat="override")
    with pytest.raises(InputError, match=r"attributes changed: .* on 101.*irframe.concat"):
        ask(joined, *given)
