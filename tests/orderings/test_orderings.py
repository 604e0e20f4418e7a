"""Tests of `orderings` and `side_by_side`."""

import itertools

import numpy as np
import pandas as pd
import pytest
from oracles import innate as oracle
from properties.verbs import call
from refusals import refused
from tracks import cube_of
from turns import few_of
from variants import VARIANTS

import irframe as ir
from irframe.agreements.innate import LABELS
from irframe.errors import DepthError, InputError, IrframeWarning, MetricError, ParameterError
from irframe.metrics.parse_metric import parse_metric
from irframe.orderings.orderings import is_bound


def serps_of(cube, system, topic, gain):
    grades = cube["grade"].sel(system=system, topic=topic).to_numpy()
    return [gain.get(int(grade), 0) for grade in grades]


@pytest.mark.parametrize(
    "options",
    few_of(
        [{}, {"rel": 2}, {"gain": "linear"}, {"gain": "exp"}, {"gain": {1: 0.1, 2: 0.3, 3: 0.9}}], 3
    ),
)
def test_labels_of_all_pairs_agree_with_algorithm_1(cube, options):
    table = {
        (): {1: 1, 2: 1, 3: 1},
        ("rel",): {2: 1, 3: 1},
        "linear": {1: 1, 2: 2, 3: 3},
        "exp": {1: 1, 2: 3, 3: 7},
    }
    gain = options.get("gain", tuple(options))
    gain = gain if isinstance(gain, dict) else table[gain]
    result = cube.ireval.orderings(depth=12, labels=True, **options)
    assert result.sizes == {"pair": 28, "topic": 16, "depth": 12, "group": 5}
    rng = np.random.default_rng(0)
    for pair, topic in zip(rng.integers(28, size=40), rng.integers(16, size=40), strict=True):
        single_pair = result.isel(pair=pair, topic=topic)
        serps = [
            serps_of(cube, single_pair[name].item(), single_pair["topic"].item(), gain)[:12]
            for name in ("system_a", "system_b")
        ]
        labels = [LABELS[code][:2] for code in single_pair["label"].to_numpy().tolist()]
        assert labels == oracle.by_depth(*serps)
        assert LABELS[int(single_pair["label"][-1])] == oracle.group(*serps)


def test_numbers_of_topics_by_group_agree_with_the_worked_case(golden):
    case = golden["001-five-groups"]
    cube = cube_of({name: case["input"][name] for name in "AB"}, depth=case["input"]["k"])
    result, expected = cube.ireval.orderings("A", "B"), case["expected"]
    assert result["count"].isel(depth=-1).to_series().to_dict() == expected["counts"]
    assert [LABELS[code] for code in result["label"][:, -1].to_numpy()] == expected["groups"]
    signs = {-2: "*", -1: "-", 0: "=", 1: "+", 2: "*"}
    depths = ["".join(signs[code] for code in row) for row in result["label"].to_numpy().tolist()]
    assert depths == expected["depths"]
    lined_up = cube.ireval.side_by_side("A", "B")
    assert (
        result["topic"].to_numpy()[expected["row_order"]].tolist()
        == lined_up["topic"].to_numpy().tolist()
    )
    assert result["p"].isel(depth=-1).item() == expected["sign_p"]


def test_p_values_agree_with_the_worked_sign_tests(golden):
    case = golden["001-sign-test"]
    for (behind, ahead), p in zip(case["input"]["pairs"], case["expected"]["exact"], strict=True):
        if behind + ahead:
            serps = [[0]] * behind + [[1]] * ahead
            baseline = [[1]] * behind + [[0]] * ahead
            result = cube_of({"A": serps, "B": baseline}).ireval.orderings("A", "B")
            assert result["p"].item() == pytest.approx(p, rel=1e-9)


def test_single_pairs_equal_those_among_all_pairs(cube):
    every = cube.ireval.orderings(depth=10, labels=True)
    ours = cube.ireval.orderings("bm25", depth=10)
    theirs = cube.ireval.orderings(b="bm25", depth=10)
    assert (ours["system_a"] == "bm25").all()
    assert (theirs["system_b"] == "bm25").all()
    np.testing.assert_array_equal(ours["label"], -theirs["label"])
    np.testing.assert_array_equal(ours["p"], theirs["p"])
    np.testing.assert_array_equal(every["label"][:7], ours["label"])
    single_pair = cube.ireval.orderings("bm25", "ance", depth=10)
    assert single_pair["system_b"].item() == "ance"
    assert single_pair["label"].dims == ("topic", "depth")
    np.testing.assert_array_equal(single_pair["label"], ours["label"][1])
    assert "label" not in cube.ireval.orderings(depth=3)
    assert single_pair["label"].attrs["flag_meanings"] == "**ns ns = ni **ni"


def test_labels_follow_from_sign_and_first_depths(cube):
    result = cube.ireval.orderings("bm25", "colbert")
    label = result["label"].to_numpy()
    for first, changed in (("first_decided", label != 0), ("first_nonseparable", abs(label) == 2)):
        expected = np.where(changed.any(axis=1), changed.argmax(axis=1) + 1, 0)
        np.testing.assert_array_equal(result[first], expected)


@pytest.mark.parametrize(
    ("systems", "options", "error", "message"),
    [
        (("bm25", "bm25"), {}, ParameterError, "'bm25' twice"),
        (("bm26", "x"), {}, ParameterError, "'bm26', 'x'"),
        (("bm25", ["ance", "splade"]), {}, ParameterError, r"\['ance', 'splade'\]"),
        ((), {"depth": 51}, DepthError, "of at least 1 and at most 50"),
        ((), {"gain": {1: 0.5}}, MetricError, "every relevant grade.*2, 3"),
        ((), {"gain": {1: "much"}}, MetricError, "much"),
        ((), {"gain": {1: float("nan")}}, MetricError, "nan"),
        ((), {"gain": {1: 1e-300, 2: 0.1, 3: 1}}, MetricError, "summed exactly"),
    ],
)
def test_invalid_arguments_of_orderings_are_refused(cube, systems, options, error, message):
    refused(error, message, lambda: cube.ireval.orderings(*systems, **options))


def test_objects_other_than_cubes_are_refused(cube):
    refused(InputError, "a cube", lambda: ir.verbs.orderings(cube["grade"], "bm25"))
    with pytest.raises(ParameterError, match="at least two systems, but found 'bm25' alone"):
        ir.verbs.orderings(cube.isel(system=[0]))


READ_IN_ORDER = "orderings separability side_by_side compare_orderings significance_agreement"
READ_IN_ORDER += " misplacement search_lengths outcomes preferences"


@pytest.mark.parametrize("name", READ_IN_ORDER.split())
def test_shared_ranks_are_refused(name):
    cube = ir.cube(*ir.example_track(), ties="mean")
    refused(MetricError, "ties='mean'", lambda: call(name, cube))


BASE = [2, 2, 1, 1, 0, 0, 0]
"""Grades of the documents that are judged for every topic."""
DEEP = 4


@pytest.fixture(scope="module")
def paired():
    """Return a cube with all pairs of short rankings."""
    serps = [s for s in itertools.product((0, 1, 2), repeat=DEEP) if max(map(s.count, (1, 2))) <= 2]
    pairs = list(itertools.combinations(serps, 2))
    a, b = (list(map(list, side)) for side in zip(*pairs, strict=True))
    return cube_of({"a": a, "b": b}, judged=[BASE + [0] * 4] * len(pairs))


def contradicted(cube, metric, **options):
    """Return whether the scores of some pair contradict its ordering."""
    label = cube.ireval.orderings("a", "b", **options)["label"].to_numpy()
    scores = cube.ireval.score(metric)[0]
    ahead = (scores.sel(system="a") - scores.sel(system="b")).to_numpy().round(12)
    ahead = -ahead if metric.cost else ahead
    return bool(((label == 1) & (ahead < 0) | (label == -1) & (ahead > 0)).any())


@pytest.mark.parametrize(
    ("gain", "some"),
    [
        ("binary", {"P", "AP", "RR", "Recall", "RBP", "DCG", "nDCG", "ERR", "Rprec", "ESL"}),
        ("linear", {"RBP", "DCG", "nDCG"}),
    ],
)
def test_bound_metrics_never_contradict_orderings(paired, gain, some):
    every = [
        variant.metric
        for variant in VARIANTS
        if not (variant.metric.subtopics or variant.facts.pooled)
    ]
    every += [parse_metric(f"{name}(gain='binary')") for name in ("ERR", "DCG")]
    bound = [metric for metric in every if is_bound(paired, metric, gain=gain, rel=1)]
    assert {type(metric).__name__ for metric in bound} >= some
    assert {type(metric).__name__ for metric in bound}.isdisjoint(
        {"ASL", "SetP", "Judged", "NumRet", "Bpref", "InfAP", "CRP", "Twist", "SpaceRatio"}
    )
    for metric in bound:
        assert not contradicted(paired, metric, gain=gain), metric
    assert is_bound(paired, ir.metrics.AP(rel=2), gain="binary", rel=2)


def test_metrics_that_are_not_bound_contradict_orderings(paired):
    for name, gain in {
        "nDCG": "binary",
        "Q": "linear",
        "ERR(gain='linear')": "linear",
        "AP": "linear",
    }.items():
        metric = parse_metric(name)
        assert not is_bound(paired, metric, gain=gain, rel=1)
        assert contradicted(paired, metric, gain=gain), name


def test_metrics_with_scaled_gains_are_bound(paired):
    assert is_bound(paired, ir.metrics.DCG(gain="linear"), gain={1: 5, 2: 10}, rel=1)
    two_levels = cube_of({"a": [[1, 0]], "b": [[0, 1]]})
    assert is_bound(two_levels, ir.metrics.ERR(), gain="binary", rel=1)


def test_non_separable_topics_are_in_display_order():
    a = [[1, 0, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 1, 0]]
    b = [[0, 1, 1, 0], [0, 1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0]]
    cube = cube_of({"A": a, "B": b}, depth=4)
    groups = [oracle.group(ranking_a, ranking_b) for ranking_a, ranking_b in zip(a, b, strict=True)]
    assert groups == ["**ni", "**ni", "**ns", "**ns", "**ni", "**ns"]
    for depth, order in {4: "253401", 2: "253014"}.items():
        topics = cube.ireval.side_by_side("A", "B", depth=depth)["topic"].to_numpy()
        assert "".join(topics) == order


def test_side_by_side_has_rankings_orderings_and_differences(cube):
    pair = cube.ireval.side_by_side("monot5", "bm25", "P", "AP", depth=10)
    plain = cube.ireval.orderings("monot5", "bm25", depth=10)
    order = plain.indexes["topic"].get_indexer(pair["topic"])
    np.testing.assert_array_equal(pair["label"], plain["label"][order])
    grade = cube["grade"].sel(system="bm25").to_numpy()[order, :10]
    np.testing.assert_array_equal(pair["gain_b"], grade >= 1)
    scores = cube.ireval.score("P", "AP", at=[10])[..., 0]
    expected = scores.sel(system="monot5") - scores.sel(system="bm25")
    np.testing.assert_allclose(pair["difference"], expected[:, order], atol=1e-11)
    label = pair["label"][:, -1].to_numpy()
    assert (pair["difference"].sel(metric="P").to_numpy()[label == 1] >= 0).all()
    assert "difference" not in cube.ireval.side_by_side("monot5", "bm25", depth=10)
    graded = cube.ireval.side_by_side("monot5", "bm25", depth=10, gain="linear")
    assert set(np.unique(graded["gain_a"]).round(6)) == {0, 0.333333, 0.666667, 1}


def test_metrics_deeper_than_the_orderings_are_refused(cube):
    with pytest.raises(
        DepthError, match="depth=10 to be at least the depth of every metric, but found P@20"
    ):
        cube.ireval.side_by_side("monot5", "bm25", "P@20", depth=10)
    pair = cube.ireval.side_by_side("monot5", "bm25", "P@5", depth=10)
    scores = cube.ireval.score("P@5", at=10)[0].sel(topic=pair["topic"])
    expected = scores.sel(system="monot5") - scores.sel(system="bm25")
    np.testing.assert_allclose(pair["difference"][0], expected, atol=1e-11)


def test_metrics_that_may_contradict_orderings_raise_a_warning(cube):
    with pytest.warns(IrframeWarning, match="may contradict.*: nDCG, ERR$"):
        cube.ireval.side_by_side("monot5", "bm25", "AP", "nDCG", "ERR", depth=10)
    with pytest.warns(IrframeWarning, match="may contradict.*: P, Q$"):
        cube.ireval.side_by_side("monot5", "bm25", "nDCG", "P", "Q", depth=10, gain="linear")


def test_side_by_side_requires_two_systems(cube):
    refused(ParameterError, "two systems to compare", ir.verbs.side_by_side, cube, "bm25", None)
    refused(ParameterError, "'bm26'", lambda: ir.verbs.side_by_side(cube, "bm25", "bm26"))


def test_topic_groups_named_like_a_variable_of_the_result_are_refused(cube):
    halves = {topic: "ab"[index % 2] for index, topic in enumerate(cube["topic"].to_numpy())}
    message = "found 'group'. .*name='part'"
    refused(ParameterError, message, cube.ireval.groupby(halves).orderings, "bm25", "ance")
    named = cube.ireval.groupby(pd.Series(halves, name="part")).orderings("bm25", "ance")
    assert named.sizes["part"] == 2
