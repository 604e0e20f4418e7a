"""Tests of misplacement, archetypes, and tables of effort and gain."""

import itertools
import math
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from dense import dense
from hypothesis import given
from oracles import Topic
from oracles import misplacement as oracle
from refusals import refused
from strategies import batches
from tracks import cube_of

import irframe as ir
from irframe.effort.misplacement import ARCHETYPES
from irframe.errors import InputError, IrframeWarning, ParameterError
from irframe.quantities.positions import CROSSINGS


@pytest.fixture(scope="module")
def scores(cube):
    return cube.ireval.score("AP", "Twist", "nDCG", at=50)


def test_effort_gain_equals_the_worked_case(golden):
    case = golden["004-effort-gain"]
    points = np.array(case["input"]["points_twist_gain"])
    index = pd.MultiIndex.from_product([["s"], range(len(points))], names=["system", "topic"])
    frame = pd.DataFrame(points, index, columns=["Twist", "AP"])
    result = frame.ireval.effort_gain(quartiles=case["input"]["quartiles"])
    cells = np.stack([result["row"][0, 0], result["column"][0, 0]], axis=-1)
    assert cells.tolist() == case["expected"]["cells"]
    assert result["quadrant"][0, 0].to_numpy().tolist() == case["expected"]["regions"]
    np.testing.assert_allclose(result["share"][0], [0.2, 0.6, 0.0, 0.2])


def test_shares_of_cells_equal_a_histogram_of_the_classes(scores):
    result = scores.ireval.effort_gain()
    assert result["metric"].to_numpy().tolist() == ["AP", "nDCG"]
    np.testing.assert_allclose(result["share"].sum("region"), 1)
    np.testing.assert_allclose(result["cell"].sum(["gain", "effort"]), 1)
    for number, metric in enumerate(("AP", "nDCG")):
        gain = scores.sel(metric=metric).to_numpy().ravel()
        np.testing.assert_allclose(result["border"][number], np.quantile(gain, [0.25, 0.5, 0.75]))
        row = result["row"][number].to_numpy().ravel()
        column = result["column"][number].to_numpy().ravel()
        edges = np.arange(0.5, 5)
        counts = np.histogram2d(row, column, [edges, edges])[0]
        np.testing.assert_allclose(result["cell"][number], counts / len(row))
        diagonal, high = np.mean(row == column), np.mean((row >= 3) & (column <= 2))
        grey = np.mean(((row == 2) & (column == 1)) | ((row == 4) & (column == 3)))
        assert result["share"][number].to_numpy()[:3] == pytest.approx([diagonal, high, grey])


def test_rounding_errors_do_not_change_the_class_of_a_score():
    third, sixth, ninth = 1 / 3, 1 / 6, 1 / 9
    equal = [third + sixth + ninth, ninth + sixth + third, ninth + third + sixth]
    assert len(set(equal)) > 1
    names = pd.MultiIndex.from_product([["s"], range(5)], names=["system", "topic"])
    frame = pd.DataFrame({"Twist": [*equal, 0, 1], "AP": [*equal, 0, 1]}, index=names)
    for quartiles in (None, (0.3, equal[0], 0.9), (0.3, equal[1], 0.9)):
        result = frame.ireval.effort_gain(quartiles=quartiles)
        assert len({*result["row"][0, 0, :3].to_numpy()}) == 1
    columns = (frame * (0.75 / equal[0])).clip(upper=1).ireval.effort_gain()["column"]
    assert {*columns[0, 0, :3].to_numpy()} == {4}


def test_rankings_without_a_score_are_dropped(scores):
    holed = scores.copy()
    holed[1, :, 3] = np.nan
    result = holed.ireval.effort_gain()
    assert (result["points"] == 8 * 15).all()
    assert (result["row"][:, :, 3] == 0).all()
    assert (result["quadrant"][:, :, 3] == "").all()
    without = scores.drop_isel(topic=3).ireval.effort_gain()
    np.testing.assert_allclose(result["share"], without["share"])


def test_metrics_without_scores_are_refused(scores):
    holes = scores.copy()
    holes.loc[{"metric": "nDCG"}] = np.nan
    refused(InputError, "scores of Twist and of each.* of both for: nDCG", holes.ireval.effort_gain)
    refused(InputError, "of both for: AP, nDCG", (scores * np.nan).ireval.effort_gain)


def test_invalid_arguments_of_effort_gain_are_refused(scores):
    for metrics in (["AP", "nDCG"], ["Twist"]):
        some = scores.sel(metric=metrics)
        refused(InputError, "scores of Twist and of a gain metric", some.ireval.effort_gain)
    for quartiles in ([1, 2], [3, 2, 1]):
        refused(
            ParameterError,
            "three ascending numbers",
            scores.ireval.effort_gain,
            quartiles=quartiles,
        )


RULES = list(CROSSINGS)
NUMBERS = {name: name for name in ("s_plus", "s_minus", "sigma_plus", "sigma_minus", "sigma")}
NUMBERS |= {"RB": "recall_base", "N": "length"}
BY_RULE = ("first_crossing", "balance_point", "rho", "twist")


def quietly(cube, **options):
    with pytest.warns(IrframeWarning) if _short(cube, **options) else nullcontext():
        return cube.ireval.misplacement(**options)


def _short(cube, depth=None, rel=1, **_):
    base = (dense(cube).level_count[:, dense(cube).level >= rel]).sum(axis=1).max()
    return 2 * base > (depth or cube.sizes["depth"])


def cases(golden):
    for name, case in golden.items():
        if name.startswith("004") and {"serp", "judged", "N"} <= case["input"].keys():
            yield name, case


def cube_of_case(case):
    """Return a cube with the topic of a case first."""
    topic = case["input"]
    return cube_of({"s": [topic["serp"], [1]]}, [topic["judged"], [1]], topic["N"])


def test_misplacement_equals_the_worked_cases(golden):
    names = dict(cases(golden))
    assert len(names) >= 17
    for case in names.values():
        for rule in RULES:
            data = quietly(cube_of_case(case), crossing=rule).isel(system=0, topic=0)
            expected = case["expected"]
            if expected is None:
                assert math.isnan(data["twist"].item())
                assert data["archetype"].item() == ""
                continue
            result = {key: data[name].item() for key, name in NUMBERS.items()}
            assert result == pytest.approx({key: expected[key] for key in NUMBERS}, rel=1e-9)
            assert data["rp"].to_numpy().tolist() == expected["rp"]
            assert data["crp"].to_numpy().tolist() == expected["crp"]
            values = {key: float(expected[rule][key]) for key in BY_RULE}
            assert {key: data[key].item() for key in BY_RULE} == pytest.approx(values, rel=1e-9)
            assert data["archetype"].item() == expected[rule]["archetype"]


def test_relative_positions_of_the_worst_ranking_reach_the_bounds(golden):
    case = golden["004-bounds"]
    judged, N = case["input"]["judged"], case["input"]["N"]
    worst = sorted((grade for grade in judged if grade), reverse=False)
    serp = [0] * (N - len(worst)) + worst
    data = cube_of({"s": [serp]}, [judged + [0] * N]).ireval.misplacement()
    for name in ("rp", "crp"):
        result = [data[name].min().item(), data[name].max().item()]
        assert result == case["expected"][f"{name}_bounds"]


def test_archetypes_of_all_possible_rankings_equal_the_worked_counts(golden):
    case = golden["004-archetype-census"]
    RB, N = case["input"]["RB"], case["input"]["N"]
    positions_of_relevant = [
        pos for result in range(RB + 1) for pos in itertools.combinations(range(N), result)
    ]
    serps = [[int(rank in pos) for rank in range(N)] for pos in positions_of_relevant]
    cube = cube_of({"s": serps}, [[1] * RB + [0] * N] * len(serps))
    for rule in RULES:
        table = ir.verbs.archetypes(cube.ireval.misplacement(crossing=rule)).loc[0]
        counts = {kind: round(table[kind] * table["total"]) for kind in ARCHETYPES}
        expected = dict.fromkeys(ARCHETYPES, 0) | case["expected"][rule]
        assert counts == expected
        assert table["total"] == len(serps)


@given(batch=batches())
def test_misplacement_agrees_with_a_reference_implementation_and_with_metrics(batch):
    topics, depth = batch
    topics = [*topics, Topic(serp=(1,), judged=(1,), gmax=3)]
    judged = [topic.judged or (0,) for topic in topics]
    cube = cube_of({"s": [topic.serp for topic in topics]}, judged, depth)
    rows = cube["topic"].to_numpy().astype(int)
    for rel, rule in itertools.product((1, 2), RULES):
        data = quietly(cube, crossing=rule, rel=rel)
        metrics = {
            "twist": f"Twist(crossing={rule!r}, rel={rel})",
            "rho": f"RecoveryRatio(crossing={rule!r}, rel={rel})",
            "balance_point": f"BalancePoint(crossing={rule!r}, rel={rel})",
            "sigma": f"SpaceRatio(rel={rel})",
        }
        scores = cube.ireval.score(*metrics.values(), at=[depth])
        for name, text in metrics.items():
            np.testing.assert_allclose(data[name], scores.sel(metric=text)[..., 0], rtol=1e-12)
        for row, pos in enumerate(rows):
            topic = Topic(serp=topics[pos].serp, judged=judged[pos], gmax=3)
            of_list = data.isel(system=0, topic=row)
            run = oracle.grades_at(topic, depth, rel)
            ideal = oracle.ideal_run(topic, rel, len(run))
            for kind in (oracle.archetype, oracle.excellent):
                value = kind(topic, depth, crossing=rule, rel=rel)
                assert of_list[kind.__name__].item() == value
            if any(ideal):
                positions = oracle.relative_positions(run, ideal)
                assert of_list["rp"].to_numpy()[: len(run)].tolist() == positions
                assert not of_list["rp"].to_numpy()[len(run) :].any()
                first = oracle.first_crossing(oracle.cumulated(positions), rule)
                assert of_list["first_crossing"].item() == first


def test_depths_below_twice_the_number_of_relevant_documents_raise_a_warning():
    cube = cube_of({"s": [[1], [1]]}, [[1, 1, 1], [1, 0]])
    with pytest.warns(IrframeWarning, match="on 2 of 2 topics, .* exceeds depth 1 and"):
        data = cube.ireval.misplacement()
    assert data["length"].to_numpy().tolist() == [6, 2]
    assert data.sizes["depth"] == 6


def test_topics_without_relevant_documents_are_nan_and_are_counted():
    cube = cube_of(
        {"s": [[1, 0, 0], [0, 0, 0]], "t": [[0, 1, 0], [0, 0, 0]]}, [[1, 0, 0], [0, 0, 0]]
    )
    data = cube.ireval.misplacement()
    assert data.attrs["no_relevant"] == 1
    assert np.isnan(data["twist"].to_numpy()[:, 1]).all()
    assert not data["rp"].to_numpy()[:, 1].any()
    table = ir.verbs.archetypes(data)
    assert table["total"].item() == 2
    assert table["no_relevant"].item() == 2
    assert table["ideal"].item() == 0.5
    scores = cube.ireval.score("Twist", "CRP", "SpaceRatio", "RecoveryRatio", "BalancePoint")
    assert np.isnan(scores.to_numpy()[..., 1, :]).all()
    assert not np.isnan(scores.to_numpy()[..., 0, :]).any()


def test_depth_is_the_nominal_length_of_rankings(cube):
    cut = ir.cube(*ir.example_track(), depth=30)
    with pytest.warns(IrframeWarning, match="2 of 16 topics"):
        of_list = cube.ireval.misplacement(depth=30)
    with pytest.warns(IrframeWarning, match="2 of 16 topics"):
        of_cut = cut.ireval.misplacement()
    np.testing.assert_array_equal(of_list["twist"], of_cut["twist"])
    np.testing.assert_array_equal(of_list["twist"], cube.ireval.score("Twist", at=30)[0])
    assert of_list["team"].dims == ("system",)


def test_sums_of_long_rankings_do_not_overflow():
    """The lowest cumulated relative position is below -2**31."""
    R = 65_536
    docs = np.char.mod("%d", np.arange(2 * R))
    run = pd.DataFrame({"topic": "1", "doc": docs, "rank": np.arange(2 * R)})
    late = (np.arange(2 * R) >= R - 1) & (np.arange(2 * R) < 2 * R - 1)
    qrels = pd.DataFrame({"topic": "1", "doc": docs, "grade": late.astype(int)})
    cube = ir.cube(run, qrels, ties="rank")
    moved = cube.ireval.misplacement()
    assert moved["archetype"].item() == "typical B"
    assert moved["crp"].min().item() == 1 - R * (R + 1) // 2
    assert moved["twist"].item() == cube.ireval.score("Twist", at=2 * R).item()
