"""Verbs correct p-values once, and caution about uncertain results."""

import inspect

import numpy as np
import pytest
import xarray as xr
from incomplete import though_incomplete
from properties.experiments import THOROUGH, experiment
from properties.verbs import VERBS, call
from turns import few_of

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError
from irframe.names import CAUTION
from irframe.option_values import gathered, plain_parameters
from irframe.paired import TESTS

EVERY = {**VERBS, "compare_judges": ir.compare_judges, "judge_effect": ir.judge_effect}
PARAMETERS = {name: plain_parameters(inspect.signature(verb)) for name, verb in EVERY.items()}


def taking(*names):
    """Return the verbs that have the given parameters."""
    return sorted(name for name, parameters in PARAMETERS.items() if {*names} <= {*parameters})


@pytest.mark.filterwarnings("ignore:tukey assumes:irframe.errors.IrframeWarning")
@pytest.mark.filterwarnings("ignore:.*same on all topics:irframe.errors.IrframeWarning")
@pytest.mark.parametrize(
    "name", few_of(sorted({*taking("test", "adjust")} - {"outcomes"}), 6, drawn=False)
)
def test_a_joint_test_is_never_corrected_again(name):
    joint = [test for test, kind in TESTS.items() if kind.joint]
    assert joint == ["tukey"]

    with though_incomplete():
        cube = ir.cube(*experiment(0))

    def given(**options):
        options["test"] = ir.paired.TukeyHSD(samples=50)
        # Joint tests refuse the margin of an equivalence test. The margin of Delta-Sort is another
        # option.
        if "margin" in PARAMETERS[name] and name not in {"ablation", "reordering"}:
            options["margin"] = None
        if name == "judge_effect":
            runs, qrels = ir.example_track()
            arguments = gathered(inspect.signature(ir.judge_effect), options)
            return ir.judge_effect(runs, {"one": qrels, "same": qrels}, "AP", **arguments)
        return call(name, cube, **options)

    for correction in ("holm", "bonferroni", "max-t"):
        with pytest.raises(ParameterError):
            given(adjust=correction)
    assert given().attrs["adjust"] == "none"


@pytest.mark.parametrize("name", few_of(taking("adjust"), 4, drawn=False))
def test_corrections_default_to_holm_and_can_be_switched_off(name):
    # median_p makes no decision, and Delta-Sort uses uncorrected p-values
    uncorrected = {"median_p", "ablation", "reordering"}
    assert PARAMETERS[name]["adjust"].default == "auto"
    if name in {"outcomes", "judge_effect"}:
        return
    with though_incomplete():
        cube = ir.cube(*experiment(0))
    attrs = call(name, cube).attrs
    assert attrs["adjust"] == ("none" if name in uncorrected else "holm")
    for none in ("none", None):
        assert call(name, cube, adjust=none).attrs["adjust"] == "none"


DECIDING = sorted({*taking("scores", "adjust", "family")} - {"median_p"})


def of_ap(values):
    """Return AP scores of three systems as an array."""
    labels = {"metric": ["AP"], "system": list("abc")}
    return xr.DataArray(values[np.newaxis], labels, ("metric", "system", "topic"))


@pytest.mark.parametrize("name", DECIDING)
def test_pairs_with_constant_differences_are_counted_by_every_verb(name):
    values = np.array([[0.1, 0.4, 0.2, 0.5], [0.2, 0.5, 0.3, 0.6], [0.9, 0.1, 0.7, 0.3]])
    more = {"reference": of_ap(values)} if "reference" in PARAMETERS[name] else {}
    with pytest.warns(IrframeWarning, match="same on all topics.*: [12] of [36]"):
        result = EVERY[name](of_ap(values), **more)
    assert "same on all topics" in result.attrs[CAUTION]


def test_tiny_differences_are_not_called_constant():
    values = np.array([[0.1, 0.4, 0.2, 0.5], [0.2, 0.3, 0.3, 0.6], [0.9, 0.1, 0.7, 0.3]])
    with pytest.warns(IrframeWarning, match="variance cannot be estimated: 3 of 3"):
        assert ir.verbs.compare(of_ap(1e-170 * values))["p"].isna().all()


@pytest.mark.filterwarnings("ignore:.*same on all topics:irframe.errors.IrframeWarning")
@pytest.mark.parametrize("name", DECIDING)
def test_every_verb_warns_about_pairs_that_only_tukey_calls_equal(name):
    values = np.array([[0.1, 0.4, 0.2, 0.5], [0.2, 0.5, 0.3, 0.6], [0.9, 0.1, 0.7, 0.3]])
    values[1, 0] += 0.01
    more = {"reference": of_ap(values)} if "reference" in PARAMETERS[name] else {}
    with pytest.warns(IrframeWarning, match="tukey assumes"):
        result = EVERY[name](of_ap(values), test="tukey", **more)
    assert "tukey assumes" in result.attrs[CAUTION]


OF_MEANS = [name for name in taking("interval") if PARAMETERS[name]["interval"].default == "logit"]


@pytest.mark.filterwarnings("ignore:.*same on all topics:irframe.errors.IrframeWarning")
@pytest.mark.parametrize("name", OF_MEANS)
def test_means_of_constant_scores_have_no_intervals(name):
    values = np.full((1, 3, 6), 0.1)
    values[0, 1], values[0, 2] = 1, np.arange(6) / 10
    labels = {"metric": ["AP"], "system": list("abc")}
    scores = xr.DataArray(values, labels, ("metric", "system", "topic"))
    for kind in ("logit", "t"):
        with pytest.warns(IrframeWarning, match="AP of a, AP of b$"):
            result = EVERY[name](scores, interval=kind)
        frame = result.to_dataframe() if isinstance(result, xr.Dataset) else result
        width = (frame["ci_high"] - frame["ci_low"]).groupby("system").first()
        assert width.isna().to_dict() == {"a": True, "b": True, "c": False}
        assert "AP of a" in result.attrs[CAUTION]


def test_plans_are_marked_as_estimates(cube):
    scores = ir.verbs.score(cube, "AP", at=10)
    for plan in (
        scores.ireval.topics_needed(difference=0.1),
        scores.ireval.topics_needed(difference=0.1, test="anova"),
        scores.ireval.topics_needed(width=0.1, per="pair"),
    ):
        assert plan.attrs[CAUTION] == "an estimate from a pilot of 16 topics"


NAMES = sorted({*ir.metrics.METRICS, "GMAP", "GMBpref", "my own score"})
"""Names of all metrics, two names that set the average, and the name of an unknown metric."""


def drawn(name, seed, repeats):
    """Return scores of systems with and without failed topics."""
    random = np.random.default_rng(seed)
    even, fails = random.random((6, 1)) < 0.5, random.random((6, 40)) < 0.15
    level = np.where(even, 0.3, 0.5) + random.random((6, 1)) / 20
    mean = np.where(fails & ~even, random.choice([0.002, 0.02], (6, 1)), level)[:, None]
    values = mean * (1 + 0.2 * random.random((6, repeats, 40)) + random.random((6, repeats, 1)) / 9)
    labels = {"system": list("fedcba"), "topic": [f"t{n}" for n in range(40)]}
    if repeats == 1:
        return xr.DataArray(values[:, 0], labels, ("system", "topic")).expand_dims(metric=[name])
    scores = xr.DataArray(values, labels, ("system", "repeat", "topic"))
    return scores.expand_dims(metric=[name]).assign_attrs(repeats="system")


@pytest.mark.filterwarnings("ignore:intervals of a mean:irframe.errors.IrframeWarning")
@pytest.mark.parametrize("name", few_of(NAMES, 20))
@pytest.mark.parametrize("repeats", [1, 3])
def test_verdicts_agree_with_intervals_and_leaderboards(name, repeats):
    for test in ("t", "permutation", "bootstrap")[: 3 if repeats == 1 else 1]:
        for seed in range(6 if THOROUGH else 2):
            scores = drawn(name, seed, repeats)
            rows = scores.ireval.compare(test, adjust=None, power=0.8, effects=True)
            board = scores.ireval.leaderboard(test=ir.Significance(test, adjust=None))
            rank_of = dict(zip(board.index, range(6), strict=True))
            cost = -1 if ir.metrics.facts.facts(name).cost else 1
            for row in rows.itertuples():
                verdict = {"better": 1, "worse": -1}.get(row.verdict, 0)
                ahead = np.sign(rank_of[row.system_b] - rank_of[row.system_a])
                assert verdict in {0, ahead}, (seed, row)
                for low, high in ((row.ci_low, row.ci_high), (row.g_low, row.g_high)):
                    side = cost * ((low > 0) * 1 - (high < 0) * 1)
                    assert verdict * side >= 0, (seed, row)
                if test == "t" and not np.isnan(row.g_low):
                    assert ((row.g_low > 0) | (row.g_high < 0)) == row.significant, (seed, row)
