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
    parts = []
    for system, labels in seeds.items():
        own = RUNS[RUNS["system"] == system].drop(columns="rank", errors="ignore")
        for label in labels:
            noise = rng.normal(0, 0.5 * own["score"].std(), len(own)) * (len(labels) > 1)
            parts.append(own.assign(score=own["score"] + noise, **{name: label}))
    return pd.concat(parts, ignore_index=True)


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
                for topic, rows in own.groupby("topic", sort=False)
            }
            for label, own in each.groupby(name, sort=False)
        }
        for system, each in frame.groupby("system", sort=False)
    }


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        return function(*arguments, **options)


def same(found, expected):
    pd.testing.assert_frame_equal(found, expected, check_names=False, check_dtype=False)


METRICS = ("AP", "nDCG@10")


@pytest.fixture(scope="module")
def scores():
    return runs().ireval.evaluate(QRELS, METRICS)


@pytest.fixture(scope="module")
def compared(scores):
    return quietly(ir.verbs.compare, scores)


class TestRoads:
    """The same scores, however repeats are said."""

    def test_a_frame_is_scored_repeat_by_repeat(self, scores):
        assert scores.index.names == ["system", "seed", "topic"]
        one = runs().query("system == 'ance' and seed == 2").drop(columns="seed")
        alone = one.ireval.evaluate(QRELS, METRICS)
        np.testing.assert_array_equal(scores.query("system == 'ance' and seed == 2"), alone)

    def test_dictionaries_by_evaluate_and_by_the_scorer(self, scores):
        same(ir.evaluate(nested(runs()), QRELS, METRICS), scores)
        same(ir.scorer(QRELS, METRICS)(nested(runs())), scores)

    def test_a_cube(self, compared):
        cube = runs().ireval.cube(QRELS)
        assert cube["repeat_of"].to_numpy().tolist() == [s for s in SEEDS for _ in SEEDS[s]]
        scores = cube.ireval.score("AP", "nDCG")
        assert scores.dims == ("metric", "system", "repeat", "topic", "depth")
        found = quietly(ir.verbs.compare, scores.sel(metric=["nDCG"], depth=10))
        expected = compared[compared["metric"] == "nDCG@10"].reset_index(drop=True)
        same(found.drop(columns="metric"), expected.drop(columns="metric"))

    def test_a_saved_cube(self, tmp_path):
        cube = runs().ireval.cube(QRELS).ireval.design(repeats="topic")
        scores = cube.ireval.score("AP", at=[10])
        again = cube.ireval.save(tmp_path / "cube").ireval.score("AP", at=[10])
        assert again.attrs["repeats"] == "topic"
        xr.testing.assert_identical(again.compute().drop_attrs(), scores.drop_attrs())

    def test_an_array_through_netcdf(self, tmp_path):
        scores = (
            runs().ireval.cube(QRELS).ireval.design(repeats="system").ireval.score("AP", at=[5, 10])
        )
        scores.to_netcdf(tmp_path / "scores.nc")
        with xr.open_dataarray(tmp_path / "scores.nc") as again:
            same(quietly(ir.verbs.compare, again.load()), quietly(ir.verbs.compare, scores))

    def test_columns_and_long_frames(self, scores, compared):
        flat = scores.reset_index()
        flat.attrs = {}
        same(quietly(ir.verbs.compare, flat), compared)
        long = flat.melt(["system", "seed", "topic"], var_name="measure")
        same(quietly(ir.verbs.compare, long), compared)
        same(quietly(ir.verbs.compare, flat.ireval.design(repeats="system")), compared)

    def test_seeds_of_lists_that_hold_several_parts_of_a_document(self):
        parts = [
            ("1", "a", start, start + 10, seed, 1.0 - abs(start - 10 * seed) / 100)
            for seed in (1, 2)
            for start in (0, 10, 20)
        ]
        names = ["topic", "doc", "start", "end", "seed", "score"]
        several = pd.DataFrame(parts, columns=names).assign(system="s")
        judged = ir.as_spans([{"topic": "1", "doc": "a", "start": 20, "end": 30}])
        found = several.ireval.evaluate(judged, "SpanR@1")
        assert found.index.names == ["system", "seed", "topic"]
        assert found["SpanR@1"].tolist() == [0, 1]

    def test_groups(self):
        kinds = runs().assign(
            kind=lambda rows: np.where(rows["topic"].astype(str) < "109", "a", "b")
        )
        scores = quietly(kinds.ireval.groupby("kind").cube, QRELS).score("AP", at=[10])
        found = quietly(scores.ireval.groupby("kind").compare)
        only = kinds[kinds["kind"] == "a"]
        kept = QRELS[QRELS["topic"].isin(only["topic"])]
        alone = quietly(ir.verbs.compare, only.ireval.cube(kept).ireval.score("AP", at=[10]))
        same(
            found[found["kind"] == "a"].drop(columns="kind").reset_index(drop=True)[["p", "df"]],
            alone[["p", "df"]],
        )


class TestOneRepeat:
    """One repeat of every system is none."""

    @pytest.mark.parametrize("name", ["seed", "repeat"])
    @pytest.mark.parametrize("verb", ["compare", "summary", "leaderboard", "rank_intervals"])
    def test_verbs_give_what_they_give_without(self, verb, name):
        one = runs({"bm25": [1], "ance": [1], "monot5": [1]}, name)
        without = one.drop(columns=name).ireval.evaluate(QRELS, "AP")
        found, expected = (
            getattr(ir.verbs, verb)(scores)
            for scores in (one.ireval.evaluate(QRELS, "AP"), without)
        )
        pd.testing.assert_frame_equal(found, expected, check_exact=True)

    def test_a_dimension_of_one_repeat_is_none_for_any_verb(self):
        scores = drawn(repeats=1)
        flat = scores.isel(repeat=0, drop=True)
        same(ir.verbs.compare(scores), ir.verbs.compare(flat))
        found = ir.verbs.sheet(scores, "a")
        xr.testing.assert_equal(found, ir.verbs.sheet(flat, "a"))


class TestVerbs:
    def test_labels_of_a_systems_own_repeats_mean_nothing(self):
        scores = drawn()
        order = [[2, 0, 1], [0, 1, 2], [1, 2, 0]]
        mixed = scores.copy(
            data=np.stack([scores.values[:, s, order[s]] for s in range(3)], axis=1)
        )
        columns = ["difference", "p", "df", "ci_low", "repeat_share"]
        np.testing.assert_allclose(
            ir.verbs.compare(mixed)[columns], ir.verbs.compare(scores)[columns], rtol=1e-9
        )

    def test_repeats_inside_topics_are_means_of_topics(self):
        scores = drawn(repeats=4).assign_attrs(repeats="topic")
        scores[0, :, 2:, 3] = np.nan  # fewer variations of one topic
        found = ir.verbs.compare(scores)
        plain = ir.verbs.compare(scores.mean("repeat"))
        same(found[plain.columns], plain)
        assert (found["df"] == 9).all()
        assert (found["n_repeats_a"] == 4).all()

    @pytest.mark.filterwarnings("ignore:the normal approximation:irframe.errors.IrframeWarning")
    def test_over_topics_alone_is_the_test_of_means(self):
        scores = drawn()
        found = ir.verbs.compare(scores, ir.Significance("wilcoxon", over="topic"))
        plain = ir.verbs.compare(scores.mean("repeat"), test="wilcoxon")
        same(found[plain.columns], plain)

    def test_margins_take_variance_and_freedom_of_both(self):
        from scipy import stats

        found = ir.verbs.compare(drawn(), ir.Significance(over="both"), margin=0.05)
        error = (found["ci_high"] - found["ci_low"]) / 2 / stats.t.ppf(0.975, found["df"])
        expected = stats.t.sf((found["difference"] + 0.05) / error, found["df"])
        np.testing.assert_allclose(found["p_not_worse"], expected)

    def test_boards_and_matrices_decide_by_the_same_test(self):
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

    def test_costs_are_turned(self):
        scores = drawn().assign_coords(metric=["ASL"]) * 10
        found = ir.verbs.summary(scores, best_of=3)
        np.testing.assert_allclose(
            found["best_of_3"].values[0], scores.mean("topic").min("repeat").values[0]
        )

    def test_the_summary_counts_both(self):
        scores = drawn(repeats=4)
        found = ir.verbs.summary(scores, best_of=[1, 2, 5], worst_of=2)
        means = scores.mean("topic").isel(metric=0)
        np.testing.assert_allclose(found["repeat_sd"][0], means.std("repeat", ddof=1))
        np.testing.assert_allclose(found["best_of_1"][0], means.mean("repeat"))
        expected = [best_of_by_draws(row, 2, max) for row in means.values]
        np.testing.assert_allclose(found["best_of_2"][0], expected)
        np.testing.assert_allclose(
            found["worst_of_2"][0], [best_of_by_draws(row, 2, min) for row in means.values]
        )
        assert np.isnan(found["best_of_5"]).all()
        wide = (found["ci_high"] - found["ci_low"]).values
        plain = ir.verbs.summary(scores.mean("repeat"))
        assert (wide > (plain["ci_high"] - plain["ci_low"]).values).all()

    def test_means_over_repeats_alone_have_intervals_of_repeats(self):
        from scipy import stats

        scores = drawn(repeats=4)
        found = ir.verbs.rank_intervals(scores, test=ir.Significance(over="repeat"), interval="t")
        half = stats.t.ppf(0.975, 3) * found["repeat_sd"] / 2
        np.testing.assert_allclose(found["ci_high"] - found["mean"], half)

    def test_of_answers_sampled_inside_topics_the_best_is_that_of_each_topic(self):
        passed = np.zeros((1, 1, 12, 2))
        passed[0, 0, :9, 0] = 1
        passed[0, 0, :, 1] = 1
        scores = array(passed, repeats="topic")
        found = quietly(ir.verbs.summary, scores, best_of=2, worst_of=[2, 8])
        assert found["worst_of_2"].item() == pytest.approx((0.545454 + 1) / 2, abs=1e-5)
        assert found["worst_of_8"].item() == pytest.approx((0.018181 + 1) / 2, abs=1e-5)
        assert found["best_of_2"].item() == pytest.approx((1 - 3 / 66 + 1) / 2)

    def test_draws_leave_out_what_is_missing(self):
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
        r"repeats= to say how the values of 'epoch' were drawn.*'system'.*'shared'.*'topic'",
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


@pytest.mark.parametrize(("verb", "drawing", "options", "words"), BAD_OF_SCORES, ids=str)
def test_what_repeats_do_not_allow_is_refused_by_name(verb, drawing, options, words):
    weight = drawing.get("weight")
    scores = drawn(**{name: value for name, value in drawing.items() if name != "weight"})
    scores = scores if weight is None else scores.ireval.design(weight=weight)
    function = getattr(ir.verbs, verb)
    refused(IrframeError, words, lambda: function(scores, **arguments(function, options)))


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_refused_by_name(name):
    call, message = BAD[name]
    with pytest.raises(IrframeError) as failed:
        quietly(call)
    assert re.search(message, str(failed.value).replace("\n", " ")), str(failed.value)


@pytest.mark.filterwarnings("ignore:tests and intervals are unreliable")
def test_what_is_left_out_is_counted():
    scores = drawn()
    scores[0, 1, 2, :4] = np.nan
    with pytest.warns(IrframeWarning) as caught:
        found = ir.verbs.compare(scores)
    messages = " ".join(str(each.message) for each in caught)
    assert "b repeat 3 (4)" in messages
    assert "left out: 4 of 10" in messages
    assert (found["n_topics"] == 6).all()
    scores[0, 1, 2] = np.nan
    with pytest.warns(IrframeWarning, match="repeats that some system lacks are left out: 1 of 3"):
        found = ir.verbs.compare(scores.assign_attrs(repeats="shared"))
    assert (found[["n_repeats_a", "n_repeats_b"]] == 2).all(axis=None)


def test_captions_say_what_was_repeated_and_whether_it_counts():
    scores = runs().ireval.evaluate(QRELS, "AP")
    with pytest.warns(IrframeWarning, match="variance between seeds is not in .* with one seed"):
        found = ir.verbs.compare(scores)
    assert (
        "1 to 3 seeds of each system, which intervals and tests count beside topics"
        in caption_text(found.attrs)
    )
    over_topics = ir.verbs.compare(scores, ir.Significance(over="topic"))
    assert "intervals and tests are of these seeds" in caption_text(over_topics.attrs)


DATA = Path(__file__).parents[2].parent / "shared" / "data" / "reranker-seeds"


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data/reranker-seeds is absent")
def test_real_seeds():
    rows = pd.read_csv(DATA / "ndcg10.csv.gz").melt(
        ["topic", "seed"], ["n30", "n100"], "system", "nDCG@10"
    )
    few = rows[rows["seed"].isin(sorted(rows["seed"].unique())[:5])]
    found = ir.verbs.compare(few)
    assert found["n_repeats_a"].item() == 5
    assert 0 < found["repeat_share"].item() < 1


class TestVariations:
    """Variations of queries, of which topics have different numbers."""

    @pytest.fixture
    def varied(self):
        every = runs({"ance": [1, 2, 3], "monot5": [1, 2, 3]}, "variation")
        short = every["topic"].isin(sorted(every["topic"].unique())[:5])
        return every[~(short & (every["variation"] == 3))].reset_index(drop=True)

    def expected(self, varied):
        """Return every topic's mean over the variations that it has."""
        parts = {
            n: own.drop(columns="variation").ireval.evaluate(QRELS, "AP", topics="runs")
            for n, own in varied.groupby("variation")
        }
        return pd.concat(parts, names=["n"]).groupby(level=["system", "topic"], sort=False).mean()

    @pytest.mark.parametrize("reader", ["frame", "dictionary", "cube"])
    def test_a_variation_that_a_topic_lacks_is_no_empty_list(self, varied, reader):
        if reader == "frame":
            scores = varied.ireval.evaluate(QRELS, "AP")
        else:
            given = varied if reader == "cube" else nested(varied, "variation")
            cube = quietly(ir.cube, given, QRELS)
            cube = cube if reader == "cube" else cube.ireval.design(repeats="topic")
            scores = cube.ireval.score("AP").isel(depth=-1, drop=True)
        found = ir.verbs.compare(scores)
        plain = ir.verbs.compare(self.expected(varied))
        np.testing.assert_allclose(found[["difference", "p"]], plain[["difference", "p"]])
        assert found["n_topics"].item() == 16

    def test_repeats_of_unknown_kind_with_missing_lists_are_refused(self, varied):
        passes = varied.rename(columns={"variation": "pass"})
        with pytest.raises(IrframeError, match="the column 'pass' to 'repeat' .*'variation'"):
            quietly(passes.ireval.evaluate, QRELS, "AP")
        for name, layout in (("repeat", None), ("variation", "topic")):
            renamed = passes.rename(columns={"pass": name})
            scores = quietly(renamed.ireval.evaluate, QRELS, "AP")
            assert scores.attrs.get("repeats") == layout

    def test_a_topic_without_repeats_counts_as_an_empty_list(self, varied):
        first = min(varied["topic"])
        lacking = varied[~((varied["system"] == "ance") & (varied["topic"] == first))]
        with pytest.warns(IrframeWarning, match="count as empty: 1 of topics for which a system"):
            scores = lacking.ireval.evaluate(QRELS, "AP")
        own = scores.xs("ance").xs(first, level="topic")
        assert (own["AP"] == 0).all()


@pytest.mark.filterwarnings("ignore:tests and intervals are unreliable")
def test_intervals_are_chosen_by_single_repeats():
    """Means over repeats may lie within 0 and 1."""
    values = np.random.default_rng(0).random((2, 2, 8))
    values[:, 0] += 0.7
    values[:, 1] -= 0.7
    labels = {"system": ["a", "b"], "topic": list("stuvwxyz")}
    scores = xr.DataArray(
        values, labels, ("system", "repeat", "topic"), attrs={"repeats": "system"}
    )
    assert 0 < scores.mean("repeat").min() < scores.mean("repeat").max() < 1
    assert scores.ireval.summary().attrs["interval"] == "t"
