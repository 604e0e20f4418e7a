"""Tests of `groupby` on frames, cubes and scores."""

import pickle

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def frames():
    """Return judgments, and runs with two columns of groups."""
    runs, qrels = ir.example_track()
    topics = runs["topic"].astype(int)
    kinds = runs.assign(kind=np.where(topics % 3 == 0, "short", "long"))
    return kinds.assign(half=np.where(topics < 109, "first", "second")), qrels


@pytest.fixture(scope="module")
def cube(frames):
    return ir.cube(*frames)


@pytest.fixture(scope="module")
def scores(frames, cube):
    """Return scores with groups, as frame and as array."""
    topics = frames[0].drop_duplicates("topic").set_index("topic")[["kind", "half"]]
    return ir.evaluate(*frames, ["AP", "P@5"]).join(topics), cube.ireval.score("AP", at=[5, 10])


class TestParts:
    def test_iteration_yields_names_and_subsets_of_groups(self, frames, cube, scores):
        for subject in (frames[0], cube, *scores):
            subsets = dict(subject.ireval.groupby("kind"))
            assert {*subsets} == {"short", "long"}
            assert all(isinstance(subset, type(subject)) for subset in subsets.values())
        assert subsets["short"].sizes["topic"] == 5
        assert "kind" not in dict(frames[0].ireval.groupby("kind"))["short"]

    def test_a_result_is_grouped_by_its_own_dimension_or_column(self, scores):
        for result in (scores[0].ireval.compare(), scores[1].ireval.discrimination()):
            subsets = dict(result.ireval.groupby("metric"))
            assert [*subsets] == [*pd.unique(np.ravel(result["metric"]))]


class TestSeveralColumns:
    def test_the_first_columns_of_results_in_frames_are_the_groups(self, frames, scores):
        both = ["kind", "half"]
        result = scores[0][["AP"]].join(scores[0][both]).ireval.groupby(both).summary()
        assert result.index.names[:3] == [*both, "metric"]
        subset = scores[0].query("kind == 'short' and half == 'first'")[["AP"]].ireval.summary()
        selected = result.xs("short", level="kind").xs("first", level="half")
        pd.testing.assert_frame_equal(selected, subset, check_names=False)
        compared = scores[0][["AP", *both]].ireval.groupby(both).compare()
        assert [*compared][:2] == both
        evaluated = frames[0].ireval.groupby(both).evaluate(frames[1], "AP")
        assert evaluated.index.names == [*both, "system", "topic"]

    def test_results_in_arrays_have_a_dimension_for_each_column_of_groups(self, cube, scores):
        both = ["kind", "half"]
        for result in (
            scores[1].ireval.groupby(both).summary(),
            cube.ireval.groupby(both).condense().score("AP", at=5),
        ):
            assert [*result.sizes][:2] == both
        subset = scores[1].sel(topic=(scores[1].kind == "long") & (scores[1].half == "second"))
        result = scores[1].ireval.groupby(both).summary().sel(kind="long", half="second", drop=True)
        xr.testing.assert_allclose(result, subset.ireval.summary())

    def test_names_of_groups_by_several_columns_are_tuples(self, scores):
        for subject in scores:
            names = {name for name, _ in subject.ireval.groupby(["kind", "half"])}
            assert names == {(k, h) for k in ("short", "long") for h in ("first", "second")}

    def test_groups_by_properties_of_systems_and_of_topics_are_refused(self, cube):
        refused(
            ParameterError, "properties of both: kind, team", cube.ireval.groupby, ["kind", "team"]
        )


class TestRuns:
    def test_groups_of_runs_are_evaluated_with_the_pool_of_all_runs(self, frames):
        runs, qrels = frames
        ungrouped = ir.evaluate(runs, qrels, ["AP", "RBP(p=0.8)"])
        result = runs.ireval.groupby("team").evaluate(qrels, ["AP", "RBP(p=0.8)"])
        pd.testing.assert_frame_equal(
            result.droplevel("team").sort_index(), ungrouped.sort_index(), check_exact=True
        )

    def test_verbs_work_on_cubes_of_groups_of_runs(self, frames):
        cubes = frames[0].ireval.groupby("kind").cube(frames[1])
        array = cubes.score("AP")
        assert array.dims == ("kind", "metric", "system", "topic", "depth")
        for key, cube in cubes:
            subset = array.sel(kind=key, topic=cube.topic, drop=True)
            np.testing.assert_array_equal(subset, cube.ireval.score("AP"))
        assert {key: subset.sizes["topic"] for key, subset in cubes.condense()} == {
            "long": 11,
            "short": 5,
        }

    def test_scores_of_grouped_cubes_can_be_grouped_again(self, frames):
        runs, qrels = frames
        absent = (runs["system"] == "ance") & (runs["kind"] == "short")
        cubes = runs[~absent].ireval.groupby("kind").cube(qrels, collection="kind")
        result = cubes.score("AP", at=10).ireval.groupby("kind").compare()
        for key, cube in cubes:
            alone = cube.ireval.score("AP", at=10).ireval.compare()
            of_group = result[result["kind"] == key].drop(columns="kind")
            pd.testing.assert_frame_equal(of_group.reset_index(drop=True), alone)

    def test_verbs_of_runs_return_a_result_for_each_group(self, frames):
        groups = frames[0].ireval.groupby("kind")
        pooled = groups.pool(5)
        for key, subset in groups:
            alone = subset.ireval.pool(5)
            of_group = pooled[pooled["kind"] == key].drop(columns="kind")
            pd.testing.assert_frame_equal(of_group.reset_index(drop=True), alone)

    def test_topics_are_grouped_by_a_column_of_the_judgments(self, frames):
        runs, qrels = frames[0].drop(columns="kind"), frames[1]
        kinds = frames[0].drop_duplicates("topic").set_index("topic")["kind"]
        judged = qrels.assign(kind=qrels["topic"].map(kinds))
        line = r'groupby\(qrels.drop_duplicates\(.*\).set_index\("topic"\)\["kind"\]\)'
        refused(ParameterError, line, runs.ireval.groupby, "kind")
        kind_of_topic = judged.drop_duplicates("topic").set_index("topic")["kind"]
        result = runs.ireval.groupby(kind_of_topic).evaluate(judged, "AP")
        expected = frames[0].ireval.groupby("kind").evaluate(qrels, "AP")
        pd.testing.assert_frame_equal(result.sort_index(), expected.sort_index())


class TestRecord:
    @pytest.mark.parametrize("by", ["kind", ["kind", "half"]])
    def test_the_recorded_step_of_a_grouped_call_reproduces_the_result(
        self, frames, cube, scores, by
    ):
        runs, qrels = frames
        evaluated = runs.ireval.groupby(by).evaluate(qrels, "AP")
        pd.testing.assert_frame_equal(
            evaluated.ireval.record[-1].again(runs, {"qrels": qrels}), evaluated
        )
        for subject, verb in (
            (scores[0][["AP"]].join(scores[0][["kind", "half"]]), "compare"),
            (scores[1], "summary"),
            (cube, "describe"),
        ):
            result = getattr(subject.ireval.groupby(by), verb)()
            step = result.ireval.record[-1]
            assert step.options["by"] == by
            repeated = step.again(subject)
            assert repeated.equals(result)
            assert repeated.ireval.record == result.ireval.record

    def test_attributes_contain_the_columns_of_groups_as_text(self, scores):
        grouped = scores[1].ireval.groupby("kind").summary()
        assert grouped.attrs["by"] == "kind"
        joined = scores[1].ireval.groupby(["kind", "half"]).summary()
        assert joined.attrs["by"] == "kind, half"


class TestRefusals:
    @pytest.mark.parametrize("by", ["nothing", ["kind", "nothing"], {"x": 1}, "topic", "system"])
    def test_groupby_refuses_names_that_are_not_groups(self, frames, cube, scores, by):
        for subject in (frames[0], cube, *scores):
            refused(ParameterError, "expected by", subject.ireval.groupby, by)

    def test_an_empty_list_of_groups_is_refused(self, frames, cube, scores):
        for subject in (frames[0], cube, *scores):
            refused(ParameterError, "at least one name in by=", subject.ireval.groupby, [])

    def test_groupby_refuses_a_metric(self, frames):
        scored = ir.evaluate(*frames, "AP")
        refused(ParameterError, "the metric AP", scored.ireval.groupby, "AP")

    def test_groupby_refuses_judgments(self, frames):
        refused(InputError, "frame of judgments", ir.verbs.groupby, frames[1], "topic")

    def test_errors_of_verbs_that_groups_lack_contain_a_loop_over_groups(self, frames, scores):
        groups = frames[0].ireval.groupby("kind")
        assert not {"write_run", "check", "report"} & {*dir(groups)}
        assert {"evaluate", "cube", "pool", "plot"} <= {*dir(groups)}
        line = r"\{name: subset.ireval.check\(...\) for name, subset in groups\}"
        with pytest.raises(AttributeError, match=line):
            groups.check(frames[1])
        with pytest.raises(AttributeError, match="did you mean summary"):
            scores[0].ireval.groupby("kind").sumary()


class TestShown:
    def test_the_repr_names_the_object_and_its_groups(self, scores):
        shown = repr(scores[0].ireval.groupby("kind"))
        assert shown.startswith("scores: 8 systems, 16 topics, 128 rows")
        assert "grouped by kind\nnext: .summary()" in shown

    def test_figures_of_groups_have_a_pane_for_each_group(self, scores):
        groups = scores[1].ireval.groupby("kind")
        axes = groups.plot.depth_curves(columns=1, figsize=(5, 6))
        assert [ax.get_title(loc="left").split("\n")[0] for ax in axes] == ["long", "short"]

    def test_groups_are_copied_and_pickled(self, scores):
        groups = pickle.loads(pickle.dumps(scores[1].ireval.groupby("kind")))  # noqa: S301
        xr.testing.assert_identical(groups.summary(), scores[1].ireval.groupby("kind").summary())


def test_runs_in_a_dictionary_are_grouped_like_frames(frames):
    nested = ir.verbs.to_pytrec_eval(frames[0][frames[0]["system"] == "bm25"])
    kinds = frames[0].drop_duplicates("topic").set_index("topic")["kind"].to_dict()
    result = ir.verbs.groupby(nested, kinds).evaluate(frames[1], "AP")
    assert result.index.names[0] == "group"
