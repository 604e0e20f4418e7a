"""Tests of scores of repeated runs in every input form."""

import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from flat import arguments
from oracles.repeats import best_of_by_draws
from refusals import refused

import irframe as ir
from irframe.errors import IrframeError, IrframeWarning
from irframe.scores.repeats import of_draws
from irframe.tables.captions import caption_text

RUNS, QRELS = ir.example_track()
SEEDS = {"bm25": [1], "ance": [1, 2, 3], "monot5": [2, 3, 5]}


def runs(seeds=SEEDS, name="seed"):
    """Return runs with different scores per seed."""
    rng = np.random.default_rng(3)
    subsets = []
    for system, labels in seeds.items():
        run = RUNS[RUNS["system"] == system].drop(columns="rank", errors="ignore")
        for label in labels:
            noise = rng.normal(0, 0.5 * run["score"].std(), len(run)) * (len(labels) > 1)
            subsets.append(run.assign(score=run["score"] + noise, **{name: label}))
    return pd.concat(subsets, ignore_index=True)


def array(values, **attrs):
    """Return scores over (metric, system, repeat, topic) as an array."""
    _, systems, repeats, topics = np.shape(values)
    labels = {
        "metric": ["AP"],
        "system": list("abcdefgh")[:systems],
        "repeat": list(range(1, repeats + 1)),
        "topic": [f"t{n}" for n in range(topics)],
    }
    return xr.DataArray(values, labels, tuple(labels), attrs=attrs)


def drawn(systems=3, repeats=3, topics=10, layout=None):
    rng = np.random.default_rng(0)
    values = rng.uniform(0.2, 0.6, (1, 1, 1, topics)) + rng.uniform(
        -0.1, 0.1, (1, systems, 1, topics)
    )
    values = values + np.linspace(0, 0.2, systems)[:, np.newaxis, np.newaxis]
    spread = rng.normal(0, 0.03, (1, systems, repeats, 1))
    attrs = {"repeats": layout} if layout else {}
    return array(values + spread + rng.normal(0, 0.05, (1, systems, repeats, topics)), **attrs)


def nested(frame, name="seed"):
    """Return runs as ``{system: {repeat: {topic: {doc: score}}}}``."""
    return {
        system: {
            label: {
                topic: dict(zip(rows["doc"], rows["score"], strict=True))
                for topic, rows in run.groupby("topic", sort=False)
            }
            for label, run in rows_by_system.groupby(name, sort=False)
        }
        for system, rows_by_system in frame.groupby("system", sort=False)
    }


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        return function(*arguments, **options)


def same(result, expected):
    pd.testing.assert_frame_equal(result, expected, check_names=False, check_dtype=False)


METRICS = ("AP", "nDCG@10")


@pytest.fixture(scope="module")
def scores():
    return runs().ireval.evaluate(QRELS, METRICS)


@pytest.fixture(scope="module")
def compared(scores):
    return quietly(ir.verbs.compare, scores)


class TestForms:
    """Scores do not depend on the form of repeats."""

    def test_repeats_in_frames_are_scored_separately(self, scores):
        assert scores.index.names == ["system", "seed", "topic"]
        single = runs().query("system == 'ance' and seed == 2").drop(columns="seed")
        alone = single.ireval.evaluate(QRELS, METRICS)
        np.testing.assert_array_equal(scores.query("system == 'ance' and seed == 2"), alone)

    def test_repeats_in_dictionaries_are_scored(self, scores):
        same(ir.evaluate(nested(runs()), QRELS, METRICS), scores)
        same(ir.scorer(QRELS, METRICS)(nested(runs())), scores)

    def test_cubes_keep_repeats(self, compared):
        cube = runs().ireval.cube(QRELS)
        assert cube["repeat_of"].to_numpy().tolist() == [s for s in SEEDS for _ in SEEDS[s]]
        scores = cube.ireval.score("AP", "nDCG")
        assert scores.dims == ("metric", "system", "repeat", "topic", "depth")
        result = quietly(ir.verbs.compare, scores.sel(metric=["nDCG"], depth=10))
        expected = compared[compared["metric"] == "nDCG@10"].reset_index(drop=True)
        same(result.drop(columns="metric"), expected.drop(columns="metric"))

    def test_saved_cubes_keep_repeats(self, tmp_path):
        cube = runs().ireval.cube(QRELS).ireval.design(repeats="topic")
        scores = cube.ireval.score("AP", at=[10])
        repeated = cube.ireval.save(tmp_path / "cube").ireval.score("AP", at=[10])
        assert repeated.attrs["repeats"] == "topic"
        xr.testing.assert_identical(repeated.compute().drop_attrs(), scores.drop_attrs())

    def test_netcdf_files_keep_repeats(self, tmp_path):
        scores = (
            runs().ireval.cube(QRELS).ireval.design(repeats="system").ireval.score("AP", at=[5, 10])
        )
        scores.to_netcdf(tmp_path / "scores.nc")
        with xr.open_dataarray(tmp_path / "scores.nc") as repeated:
            same(quietly(ir.verbs.compare, repeated.load()), quietly(ir.verbs.compare, scores))

    def test_repeats_in_columns_and_long_frames_are_read(self, scores, compared):
        flat = scores.reset_index()
        flat.attrs = {}
        same(quietly(ir.verbs.compare, flat), compared)
        long = flat.melt(["system", "seed", "topic"], var_name="measure")
        same(quietly(ir.verbs.compare, long), compared)
        same(quietly(ir.verbs.compare, flat.ireval.design(repeats="system")), compared)

    def test_repeats_of_spans_are_scored(self):
        subsets = [
            ("1", "a", start, start + 10, seed, 1.0 - abs(start - 10 * seed) / 100)
            for seed in (1, 2)
            for start in (0, 10, 20)
        ]
        names = ["topic", "doc", "start", "end", "seed", "score"]
        several = pd.DataFrame(subsets, columns=names).assign(system="s")
        judged = ir.as_spans([{"topic": "1", "doc": "a", "start": 20, "end": 30}])
        result = several.ireval.evaluate(judged, "SpanR@1")
        assert result.index.names == ["system", "seed", "topic"]
        assert result["SpanR@1"].tolist() == [0, 1]

    def test_groups_keep_repeats(self):
        kinds = runs().assign(
            kind=lambda rows: np.where(rows["topic"].astype(str) < "109", "a", "b")
        )
        scores = quietly(kinds.ireval.groupby("kind").cube, QRELS).score("AP", at=[10])
        result = quietly(scores.ireval.groupby("kind").compare)
        only = kinds[kinds["kind"] == "a"]
        selected = QRELS[QRELS["topic"].isin(only["topic"])]
        alone = quietly(ir.verbs.compare, only.ireval.cube(selected).ireval.score("AP", at=[10]))
        same(
            result[result["kind"] == "a"].drop(columns="kind").reset_index(drop=True)[["p", "df"]],
            alone[["p", "df"]],
        )


class TestOneRepeat:
    """A single repeat of every system does not change results."""

    @pytest.mark.parametrize("name", ["seed", "repeat"])
    @pytest.mark.parametrize("verb", ["compare", "summary", "leaderboard", "rank_intervals"])
    def test_results_equal_those_without_repeats(self, verb, name):
        single = runs({"bm25": [1], "ance": [1], "monot5": [1]}, name)
        without = single.drop(columns=name).ireval.evaluate(QRELS, "AP")
        result, expected = (
            getattr(ir.verbs, verb)(scores)
            for scores in (single.ireval.evaluate(QRELS, "AP"), without)
        )
        pd.testing.assert_frame_equal(result, expected, check_exact=True)

    def test_single_repeats_in_arrays_are_ignored(self):
        scores = drawn(repeats=1)
        flat = scores.isel(repeat=0, drop=True)
        same(ir.verbs.compare(scores), ir.verbs.compare(flat))
        result = ir.verbs.sheet(scores, "a")
        xr.testing.assert_equal(result, ir.verbs.sheet(flat, "a"))


class TestVerbs:
    def test_the_order_of_repeats_does_not_change_comparisons(self):
        scores = drawn()
        order = [[2, 0, 1], [0, 1, 2], [1, 2, 0]]
        mixed = scores.copy(
            data=np.stack([scores.values[:, s, order[s]] for s in range(3)], axis=1)
        )
        columns = ["difference", "p", "df", "ci_low", "repeat_share"]
        np.testing.assert_allclose(
            ir.verbs.compare(mixed)[columns], ir.verbs.compare(scores)[columns], rtol=1e-9
        )

    def test_repeats_inside_topics_are_averaged(self):
        scores = drawn(repeats=4).assign_attrs(repeats="topic")
        scores[0, :, 2:, 3] = np.nan  # one topic has fewer variations
        result = ir.verbs.compare(scores)
        plain = ir.verbs.compare(scores.mean("repeat"))
        same(result[plain.columns], plain)
        assert (result["df"] == 9).all()
        assert (result["n_repeats_a"] == 4).all()

    @pytest.mark.filterwarnings("ignore:the normal approximation:irframe.errors.IrframeWarning")
    def test_comparisons_over_topics_equal_comparisons_of_mean_scores(self):
        scores = drawn()
        result = ir.verbs.compare(scores, ir.Significance("wilcoxon", over="topic"))
        plain = ir.verbs.compare(scores.mean("repeat"), test="wilcoxon")
        same(result[plain.columns], plain)

    def test_margin_tests_include_the_variance_of_repeats(self):
        from scipy import stats

        result = ir.verbs.compare(drawn(), ir.Significance(over="both"), margin=0.05)
        error = (result["ci_high"] - result["ci_low"]) / 2 / stats.t.ppf(0.975, result["df"])
        expected = stats.t.sf((result["difference"] + 0.05) / error, result["df"])
        np.testing.assert_allclose(result["p_not_worse"], expected)

    def test_verbs_agree_on_which_differences_are_significant(self):
        scores = drawn(systems=6, topics=25)
        compared = ir.verbs.compare(scores)
        ranks = ir.verbs.rank_intervals(scores)
        for system in scores["system"].to_numpy():
            won = compared[compared["significant"] & (compared["system_a"] == system)]["difference"]
            lost = compared[compared["significant"] & (compared["system_b"] == system)][
                "difference"
            ]
            better = (won < 0).sum() + (lost > 0).sum()
            assert ranks["rank_low"].sel(system=system).item() == 1 + better
        share = compared["significant"].mean()
        assert ir.verbs.discrimination(scores).item() == pytest.approx(share)
        board = ir.verbs.leaderboard(scores, baseline="a")
        against = ir.verbs.compare(scores, baseline="a").set_index("system_a")["p_adjusted"]
        np.testing.assert_allclose(board["p_adjusted"].drop("a"), against[board.index.drop("a")])
        assert {"n_repeats", "repeat_sd"} <= {*board.columns}

    def test_the_best_of_several_costs_is_the_lowest(self):
        scores = drawn().assign_coords(metric=["ASL"]) * 10
        result = ir.verbs.summary(scores, best_of=3)
        np.testing.assert_allclose(
            result["best_of_3"].values[0], scores.mean("topic").min("repeat").values[0]
        )

    def test_summary_includes_the_variance_of_repeats(self):
        scores = drawn(repeats=4)
        result = ir.verbs.summary(scores, best_of=[1, 2, 5], worst_of=2)
        means = scores.mean("topic").isel(metric=0)
        np.testing.assert_allclose(result["repeat_sd"][0], means.std("repeat", ddof=1))
        np.testing.assert_allclose(result["best_of_1"][0], means.mean("repeat"))
        expected = [best_of_by_draws(row, 2, max) for row in means.values]
        np.testing.assert_allclose(result["best_of_2"][0], expected)
        np.testing.assert_allclose(
            result["worst_of_2"][0], [best_of_by_draws(row, 2, min) for row in means.values]
        )
        assert np.isnan(result["best_of_5"]).all()
        wide = (result["ci_high"] - result["ci_low"]).values
        plain = ir.verbs.summary(scores.mean("repeat"))
        assert (wide > (plain["ci_high"] - plain["ci_low"]).values).all()

    def test_intervals_over_repeats_use_the_variance_of_repeats(self):
        from scipy import stats

        scores = drawn(repeats=4)
        result = ir.verbs.rank_intervals(scores, test=ir.Significance(over="repeat"), interval="t")
        half = stats.t.ppf(0.975, 3) * result["repeat_sd"] / 2
        np.testing.assert_allclose(result["ci_high"] - result["mean"], half)

    def test_best_repeats_inside_topics_are_averaged(self):
        passed = np.zeros((1, 1, 12, 2))
        passed[0, 0, :9, 0] = 1
        passed[0, 0, :, 1] = 1
        scores = array(passed, repeats="topic")
        result = quietly(ir.verbs.summary, scores, best_of=2, worst_of=[2, 8])
        assert result["worst_of_2"].item() == pytest.approx((0.545454 + 1) / 2, abs=1e-5)
        assert result["worst_of_8"].item() == pytest.approx((0.018181 + 1) / 2, abs=1e-5)
        assert result["best_of_2"].item() == pytest.approx((1 - 3 / 66 + 1) / 2)

    def test_best_of_draws_ignores_missing_values(self):
        values = np.array([0.1, np.nan, 0.4, 0.2])
        assert of_draws(values, 2).item() == pytest.approx(
            best_of_by_draws([0.1, 0.4, 0.2], 2, max)
        )
        assert np.isnan(of_draws(values, 4))


BAD = {
    "runs": (lambda: runs().ireval.rank(ties="doc"), r"one seed per system.*evaluate, cube"),
    "drop": (
        lambda: runs().drop(columns="seed").ireval.evaluate(QRELS, "AP"),
        r"column 'repeat'.*; else drop the duplicates",
    ),
    "drop scores": (
        runs().ireval.evaluate(QRELS, "AP").droplevel("seed").ireval.compare,
        r"column 'repeat'.*; else drop the duplicates",
    ),
    "unknown": (
        runs(name="epoch").ireval.evaluate(QRELS, "AP").ireval.compare,
        r"a declaration of how the values of 'epoch' were drawn.*'system'.*'shared'.*'topic'",
    ),
    "not shared": (
        runs({"ance": [1, 2], "monot5": [3, 4]})
        .ireval.evaluate(QRELS, "AP")
        .ireval.design(repeats="shared")
        .ireval.compare,
        r"seeds that all systems have.*repeats='system'",
    ),
    "none of scores": (
        lambda: RUNS.ireval.evaluate(QRELS, "AP").ireval.design(repeats="topic"),
        r"repeats='topic'",
    ),
    "reference": (
        lambda: drawn().mean("repeat").ireval.agreement(reference=drawn()),
        r"one repeat for reference=",
    ),
    "pattern": (lambda: ir.read_runs("*", repeat="(?P<system>.+)"), r"groups system and repeat"),
    "labels": (
        lambda: (
            runs()
            .assign(seed=lambda rows: rows["seed"].where(rows["seed"] > 2))
            .ireval.evaluate(QRELS, "AP")
        ),
        r"label for every repeat|listed again",
    ),
}
W = {"t0": 1, "t1": 2, "t2": 1}
BAD_OF_SCORES = [
    ("compare", {}, {"over": "seeds"}, "over to be one of"),
    ("compare", {"repeats": 1}, {"over": "repeat"}, "repeats for over='repeat'"),
    ("compare", {"layout": "topic"}, {"over": "repeat"}, "over='topic' or 'both'"),
    ("compare", {}, {"test": "wilcoxon"}, "test='wilcoxon'.*over='topic'"),
    ("compare", {}, {"adjust": "max-t"}, "max-t.*over='topic'"),
    (
        "rank_intervals",
        {},
        {"rank_interval": "bootstrap"},
        "rank_interval='bootstrap'.*over='topic'",
    ),
    ("compare", {"topics": 3, "weight": W}, {}, "weight= or sampled repeats"),
    ("summary", {"topics": 3, "weight": W}, {}, "weight= or sampled repeats, but found both"),
    ("sheet", {}, {"system": "a"}, r"one repeat for sheet.*scores.mean\('repeat'"),
    ("summary", {"repeats": 1}, {"best_of": 2}, "several repeats for best_of="),
    ("summary", {}, {"best_of": 0}, "best_of"),
    ("topics_needed", {"repeats": 1}, {"margin": 0.1, "n_repeats": 3}, "found scores without"),
    ("topics_needed", {}, {"width": 0.1}, "margin= or difference="),
    (
        *("topics_needed", {"layout": "topic"}, {"margin": 0.1, "n_repeats": 3}),
        "found repeats within topics",
    ),
]


@pytest.mark.parametrize(("verb", "drawing", "options", "message"), BAD_OF_SCORES, ids=str)
def test_invalid_options_are_refused(verb, drawing, options, message):
    weight = drawing.get("weight")
    scores = drawn(**{name: value for name, value in drawing.items() if name != "weight"})
    scores = scores if weight is None else scores.ireval.design(weight=weight)
    function = getattr(ir.verbs, verb)
    refused(IrframeError, message, lambda: function(scores, **arguments(function, options)))


@pytest.mark.parametrize("name", BAD)
def test_invalid_repeats_are_refused(name):
    call, message = BAD[name]
    with pytest.raises(IrframeError) as failed:
        quietly(call)
    assert re.search(message, str(failed.value).replace("\n", " ")), str(failed.value)


@pytest.mark.filterwarnings("ignore:tests and intervals are unreliable")
def test_missing_repeats_raise_a_warning():
    scores = drawn()
    scores[0, 1, 2, :4] = np.nan
    with pytest.warns(IrframeWarning) as caught:
        result = ir.verbs.compare(scores)
    messages = " ".join(str(warning.message) for warning in caught)
    assert "b repeat 3 (4)" in messages
    assert "left out: 4 of 10" in messages
    assert (result["n_topics"] == 6).all()
    scores[0, 1, 2] = np.nan
    with pytest.warns(IrframeWarning, match="repeats that some system lacks are left out: 1 of 3"):
        result = ir.verbs.compare(scores.assign_attrs(repeats="shared"))
    assert (result[["n_repeats_a", "n_repeats_b"]] == 2).all(axis=None)


def test_captions_describe_repeats():
    scores = runs().ireval.evaluate(QRELS, "AP")
    with pytest.warns(IrframeWarning, match="variance between seeds is not in .* with one seed"):
        result = ir.verbs.compare(scores)
    assert (
        "1 to 3 seeds of each system, which intervals and tests count beside topics"
        in caption_text(result.attrs)
    )
    over_topics = ir.verbs.compare(scores, ir.Significance(over="topic"))
    assert "intervals and tests are of these seeds" in caption_text(over_topics.attrs)


DATA = Path(__file__).parents[2].parent / "shared" / "data" / "reranker-seeds"


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data/reranker-seeds is absent")
def test_seeds_of_a_real_reranker_are_compared():
    rows = pd.read_csv(DATA / "ndcg10.csv.gz").melt(
        ["topic", "seed"], ["n30", "n100"], "system", "nDCG@10"
    )
    few = rows[rows["seed"].isin(sorted(rows["seed"].unique())[:5])]
    result = ir.verbs.compare(few)
    assert result["n_repeats_a"].item() == 5
    assert 0 < result["repeat_share"].item() < 1


class TestVariations:
    """Topics have different numbers of query variations."""

    @pytest.fixture
    def varied(self):
        every = runs({"ance": [1, 2, 3], "monot5": [1, 2, 3]}, "variation")
        short = every["topic"].isin(sorted(every["topic"].unique())[:5])
        return every[~(short & (every["variation"] == 3))].reset_index(drop=True)

    def expected(self, varied):
        """Return the mean score on every topic over its variations."""
        subsets = {
            n: run.drop(columns="variation").ireval.evaluate(QRELS, "AP", topics="runs")
            for n, run in varied.groupby("variation")
        }
        return pd.concat(subsets, names=["n"]).groupby(level=["system", "topic"], sort=False).mean()

    @pytest.mark.parametrize("reader", ["frame", "dictionary", "cube"])
    def test_missing_variations_are_not_empty_lists(self, varied, reader):
        if reader == "frame":
            scores = varied.ireval.evaluate(QRELS, "AP")
        else:
            inputs = varied if reader == "cube" else nested(varied, "variation")
            cube = quietly(ir.cube, inputs, QRELS)
            cube = cube if reader == "cube" else cube.ireval.design(repeats="topic")
            scores = cube.ireval.score("AP").isel(depth=-1, drop=True)
        result = ir.verbs.compare(scores)
        plain = ir.verbs.compare(self.expected(varied))
        np.testing.assert_allclose(result[["difference", "p"]], plain[["difference", "p"]])
        assert result["n_topics"].item() == 16

    def test_repeats_of_unknown_kind_with_missing_lists_are_refused(self, varied):
        passes = varied.rename(columns={"variation": "pass"})
        with pytest.raises(IrframeError, match="the column 'pass' to 'repeat' .*'variation'"):
            quietly(passes.ireval.evaluate, QRELS, "AP")
        for name, layout in (("repeat", None), ("variation", "topic")):
            renamed = passes.rename(columns={"pass": name})
            scores = quietly(renamed.ireval.evaluate, QRELS, "AP")
            assert scores.attrs.get("repeats") == layout

    def test_topics_without_repeats_are_treated_as_empty_lists(self, varied):
        first = min(varied["topic"])
        lacking = varied[~((varied["system"] == "ance") & (varied["topic"] == first))]
        with pytest.warns(IrframeWarning, match="count as empty: 1 of topics for which a system"):
            scores = lacking.ireval.evaluate(QRELS, "AP")
        topic_scores = scores.xs("ance").xs(first, level="topic")
        assert (topic_scores["AP"] == 0).all()


@pytest.mark.filterwarnings("ignore:tests and intervals are unreliable")
def test_single_repeats_decide_the_kind_of_interval():
    """Scores of single repeats exceed 1, but means do not."""
    values = np.random.default_rng(0).random((2, 2, 8))
    values[:, 0] += 0.7
    values[:, 1] -= 0.7
    labels = {"system": ["a", "b"], "topic": list("stuvwxyz")}
    scores = xr.DataArray(
        values, labels, ("system", "repeat", "topic"), attrs={"repeats": "system"}
    )
    assert 0 < scores.mean("repeat").min() < scores.mean("repeat").max() < 1
    assert scores.ireval.summary().attrs["interval"] == "t"
