"""Tests of estimates from random samples of judgments."""

import warnings
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.cubes.estimate import freedom_of
from irframe.cubes.sampled import Draw, placed
from irframe.errors import InputError, IrframeWarning, MetricError, ParameterError

METRICS = ("P(rel=2)", "DCG", "RBP(p=0.8, gain='linear')", "INSQ(T=1.0)")
AT = [1, 3, 6]
POOL = pd.DataFrame(
    {
        "topic": list("11111112"),
        "doc": list("abcdefgh"),
        "stratum": list("xxxxyyyz"),
        "grade": [2, 0, 1, 1, 0, 2, 0, 2],
    }
)
RUNS = pd.DataFrame(
    {
        "system": list("ssssssrrrsr"),
        "topic": list("11111111122"),
        "doc": list("fazcbdegahh"),
        "score": [6, 5, 4, 3, 2, 1, 3, 2, 1, 1, 1],
    }
)


def samples(sizes):
    """Yield the pool for each possible sample of every stratum."""
    rows = [POOL.index[POOL["stratum"] == name] for name in "xy"]
    for chosen in product(*(combinations(r, n) for r, n in zip(rows, sizes, strict=True))):
        selected = POOL.index.isin([7, *(row for subset in chosen for row in subset)])
        yield POOL.assign(grade=POOL["grade"].where(selected, -1))


@pytest.mark.thorough
@pytest.mark.parametrize("column", ["stratum", "probability"])
def test_estimates_and_variances_are_unbiased(column):
    complete = RUNS.ireval.cube(POOL).ireval.score(*METRICS, at=AT)
    if column == "stratum":
        drawn = [(frame, 1.0) for frame in samples((2, 2))]
    else:
        chance = np.array([0.5, 1, 0.25, 1, 1, 0.75, 1, 1])
        odds = POOL.drop(columns="stratum").assign(probability=chance)
        unsure = np.flatnonzero(chance < 1)
        drawn = []
        for lot in product([False, True], repeat=len(unsure)):
            selected = np.ones(len(POOL), bool)
            selected[unsure] = lot
            weight = np.where(selected, chance, 1 - chance).prod()
            drawn.append((odds.assign(grade=POOL["grade"].where(selected, -1)), weight))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* means have no interval", IrframeWarning)
        result = [RUNS.ireval.cube(frame).ireval.estimate(*METRICS, at=AT) for frame, _ in drawn]
    weights = np.array([weight for _, weight in drawn])
    values, errors = (np.stack([item[n] for item in result]) for n in ("estimate", "error"))
    mean = np.average(values, axis=0, weights=weights)
    np.testing.assert_allclose(mean, complete, atol=1e-12)
    spread = np.average((values - complete.to_numpy()) ** 2, axis=0, weights=weights)
    np.testing.assert_allclose(np.average(errors**2, axis=0, weights=weights), spread, atol=1e-12)


def ndcg_of(table, weight, ranks, k):
    """Compute nDCG of weighted documents with loops."""

    def reached(end):
        full = int(end)
        return sum(1 / np.log2(1 + i) for i in range(1, full + 1)) + (end - full) / np.log2(
            2 + full
        )

    gained = sum(
        w * table[doc] / np.log2(1 + ranks[doc])
        for doc, w in weight.items()
        if ranks.get(doc, np.inf) <= k
    )
    ideal = start = 0.0
    for doc, w in sorted(weight.items(), key=lambda item: -table[item[0]]):
        ideal += table[doc] * (reached(min(start + w, k)) - reached(min(start, k)))
        start += w
    return gained / ideal if ideal else 0.0


@pytest.mark.parametrize("column", ["stratum", "probability"])
def test_ndcg_estimates_agree_with_a_jackknife_in_loops(column):
    runs, qrels = ir.example_track()
    subsets = qrels.assign(part=np.where(qrels["doc"].str[-1] < "4", "x", "y"))
    drawn = subsets.ireval.draw_to_judge(0.5, strata="part", seed=5)
    drawn = drawn.drop(columns="probability" if column == "stratum" else "stratum")
    result = runs.ireval.cube(drawn).ireval.estimate("nDCG", at=12).squeeze(["metric", "depth"])
    errors = 0
    for system, topic in product(result["system"].values[:2], result["topic"].values[:6]):
        run = runs[(runs["system"] == system) & (runs["topic"] == topic)].ireval.rank()
        ranks = dict(zip(run["doc"], run["rank"], strict=True))
        here = drawn[drawn["topic"] == topic].set_index("doc")
        some = here[here["grade"] >= 0]
        if column == "stratum":
            sizes, numbers = (item["stratum"].value_counts() for item in (here, some))
        weight = {
            doc: 1 / row["probability"]
            if column == "probability"
            else sizes[row["stratum"]] / numbers[row["stratum"]]
            for doc, row in some.iterrows()
        }
        grades = some["grade"].to_dict()
        value = ndcg_of(grades, weight, ranks, 12)
        variance, bias, remaining = 0.0, 0.0, {}
        if column == "probability":  # the bias treats each topic as one stratum
            some, here = some.assign(stratum=""), here.assign(stratum="")
            sizes, numbers = {"": len(here)}, {"": len(some)}
        for doc, w in weight.items():
            remainder = {name: value for name, value in weight.items() if name != doc}
            if column == "probability":
                off = value - ndcg_of(grades, remainder, ranks, 12)
                variance += (1 - 1 / w) * off**2
            name = some["stratum"][doc]
            n = numbers[name]
            remainder |= {
                d: v * n / (n - 1) for d, v in remainder.items() if some["stratum"][d] == name
            }
            remaining.setdefault(name, []).append(ndcg_of(grades, remainder, ranks, 12))
        for name, scores in remaining.items():
            n = len(scores)
            bias += (1 - n / sizes[name]) * (n - 1) * (np.mean(scores) - value)
            if column == "stratum":
                variance += (1 - n / sizes[name]) * (n - 1) * np.var(scores)
        cell = result.sel(system=system, topic=topic)
        np.testing.assert_allclose(cell["estimate"], value - bias, atol=1e-12)
        np.testing.assert_allclose(cell["error"], np.sqrt(variance), atol=1e-9)
        errors += variance > 0
    assert errors > 5


@pytest.mark.parametrize("column", ["stratum", "probability"])
def test_ndcg_estimates_from_complete_judgments_equal_the_scores(column):
    runs, qrels = ir.example_track()
    kinds = ("nDCG", "nDCG(gain='exp')", "nDCG(gain={1: 3, 2: 1, 3: 2}, discount='zipf')")
    kinds += ("nDCG(discount='jk', base=3)", "nDCG(gain='binary', rel=2)")
    qrels.loc[qrels["topic"] == qrels["topic"].iloc[-1], "grade"] = 0
    cube = runs.ireval.cube(qrels.assign(**{column: 1}))
    with pytest.warns(IrframeWarning, match="every document was"):
        result = cube.ireval.estimate(*kinds)
    np.testing.assert_allclose(result["estimate"], cube.ireval.score(*kinds), atol=1e-12)
    np.testing.assert_allclose(result["error"], 0, atol=1e-12)


def test_estimates_from_complete_judgments_have_no_interval():
    runs, qrels = ir.example_track()
    every = runs.ireval.cube(qrels.assign(probability=1.0))
    with pytest.warns(
        IrframeWarning, match="16 of 16 means have no interval, because every document was"
    ):
        result = every.ireval.estimate("P", "DCG", at=5)
    complete = runs.ireval.cube(qrels).ireval.score("P", "DCG", at=[5])
    np.testing.assert_allclose(result["estimate"], complete, atol=1e-12)
    np.testing.assert_allclose(result["mean"], complete.mean("topic"), atol=1e-12)
    assert np.isnan(result["ci_high"]).all()
    drawn = qrels.ireval.draw_to_judge(0.4, seed=3)
    some = runs.ireval.cube(drawn).ireval.estimate("P", "DCG", at=5)
    error = np.sqrt((some["error"] ** 2).sum("topic")) / 16
    np.testing.assert_allclose(some["mean_error"], error)
    assert ((some["ci_low"] < some["mean"]) & (some["mean"] < some["ci_high"])).all()
    assert float(some["ci_high"].sel(metric="P").max()) < 1
    single = runs.ireval.cube(qrels).ireval.rejudge(drawn)
    np.testing.assert_array_equal(single.ireval.estimate("P", at=5)["error"], some["error"][:1])


def test_invalid_samples_and_metrics_are_refused(cube):
    runs, qrels = ir.example_track()
    refused(
        InputError, "column stratum or probability.*found neither", cube.ireval.estimate, "P", at=5
    )
    drawn = runs.ireval.cube(qrels.ireval.draw_to_judge(0.5))
    with pytest.raises(MetricError, match="sum gains over ranks.*found Recall, nDCG"):
        drawn.ireval.estimate("P", "Recall", "nDCG(ideal='full')", "nDCG", at=5)
    with pytest.raises(
        MetricError, match="5 drawn documents or more, but found 5, 9 with .* at=10 or deeper"
    ):
        drawn.ireval.estimate("P", "nDCG", at=[5, 9, 15])
    with pytest.raises(
        ParameterError, match="a probability above 0.*found 523 other probabilities: 0.0 of"
    ):
        runs.ireval.cube(qrels.assign(probability=0.0)).ireval.estimate("P", at=5)
    sample = POOL.assign(grade=[1, -1, -1, -1, 0, 2, 0, 2])
    with (
        pytest.warns(IrframeWarning, match="standard errors of 1 topic are unknown"),
        pytest.warns(IrframeWarning, match="fewer than 15 drawn documents in lists"),
    ):
        result = RUNS.ireval.cube(sample).ireval.estimate("P", at=3)
    assert np.isnan(result["error"]).any()
    assert not np.isnan(result["estimate"]).any()


def slow_number(weights, drawn, lists):
    """Compute the effective number of drawn documents with a loop."""
    second = fourth = 0.0
    for docs in lists:
        for weight, doc in zip(weights, docs, strict=False):
            second += weight**2 * (doc in drawn)
            fourth += weight**4 * (doc in drawn)
    return second**2 / fourth if fourth else 0.0


def test_degrees_of_freedom_agree_with_a_loop():
    rng = np.random.default_rng(0)
    docs = [f"d{n}" for n in range(60)]
    rows = [
        {"topic": f"{t}", "doc": doc, "grade": int(rng.random() < 0.4)}
        for t in range(9)
        for doc in docs
    ]
    qrels = pd.DataFrame(rows)
    subsets = [
        qrels.groupby("topic").sample(40, random_state=n).assign(system=f"s{n}") for n in (1, 2)
    ]
    runs = pd.concat(subsets).drop(columns="grade")
    runs["rank"] = runs.groupby(["system", "topic"]).cumcount() + 1
    sampled = ir.verbs.draw_to_judge(qrels, 0.5, seed=2)
    cube = ir.cube(runs, sampled)
    experiment, judged = cube.experiment, sampled[sampled["grade"] >= 0]
    base = experiment.judgments
    draw = Draw.of(base, base.grade, base.strata, base.probability)
    metrics = [ir.parse_metric(text) for text in ("P", "RBP(p=0.5)", "RBP(p=0.95)", "nDCG")]
    graded = base.grade, experiment.tops[base.topic]
    result = freedom_of(metrics, experiment.rows_at(40), draw, graded, [10, 40])
    drawn = {*zip(judged["topic"], judged["doc"], strict=True)}
    gaining = judged[judged["grade"] > 0]
    adding = {*zip(gaining["topic"], gaining["doc"], strict=True)}
    for (m, k), system in product(product(range(4), (10, 40)), (1, 2)):
        rank = np.arange(1, k + 1)
        weights = [rank**0.0, 0.5**rank, 0.95**rank, 1 / np.log2(1 + rank)][m]
        listed = runs[runs["system"] == f"s{system}"]
        lists = [
            [*zip(subset["topic"], subset["doc"], strict=True)]
            for _, subset in listed.groupby("topic")
        ]
        number = slow_number(weights, adding if m == 3 else drawn, lists)
        value = result[m, system - 1, [10, 40].index(k)].item()
        assert np.isnan(value) or value == pytest.approx(number - 1)
        guarded = slow_number(weights, drawn, lists)
        if guarded > 20:
            assert value == pytest.approx(number - 1)
        if guarded < 11:
            assert np.isnan(value)
    assert np.isnan(result[1]).all()
    assert not np.isnan(result[[0, 2, 3]]).any()


def test_ndcg_has_no_interval_with_few_drawn_documents_in_ideal_rankings():
    grades = np.zeros(400, int)
    grades[::100] = 1
    qrels = pd.DataFrame(
        {
            "topic": np.repeat(list("12345"), 80),
            "doc": [f"d{n}" for n in range(400)],
            "grade": grades,
        }
    )
    run = qrels[["topic", "doc"]].assign(score=np.arange(400, 0, -1.0))
    cube = ir.cube(run, ir.verbs.draw_to_judge(qrels, 0.5, seed=1))
    base = cube.experiment.judgments
    draw = Draw.of(base, base.grade, base.strata, base.probability)
    graded = base.grade, cube.experiment.tops[base.topic]
    (number,) = placed(ir.parse_metric("nDCG"), draw, graded, [80]).sum(axis=0)
    assert number == (base.grade > 0).sum() < 15
    with pytest.warns(IrframeWarning, match="fewer than 15 drawn documents"):
        result = cube.ireval.estimate("nDCG", at=80)
    assert np.isnan(result["ci_low"]).all()


@pytest.mark.parametrize(("relevant", "has_limits"), [(4, False), (16, True)])
def test_ndcg_has_intervals_with_enough_drawn_relevant_documents(relevant, has_limits):
    topics, docs = 40, 30
    grade = np.tile(np.arange(docs) < relevant, topics).astype(int)
    names = [f"{t:02}" for t in range(topics)]
    listed = [f"d{n}" for n in range(docs)]
    qrels = pd.DataFrame(product(names, listed), columns=["topic", "doc"]).assign(grade=grade)
    run = qrels.sample(frac=1, random_state=0).assign(score=np.arange(len(qrels), 0, -1.0))
    cube = ir.cube(run.drop(columns="grade"), ir.verbs.draw_to_judge(qrels, 0.4, seed=1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cube.ireval.estimate("nDCG", at=30)
    assert np.isfinite(result["ci_low"]).all() == has_limits
    assert has_limits or "in lists or ideal rankings" in str(caught[0].message)


def test_draws_keep_sampled_grades_and_record_probabilities():
    _, qrels = ir.example_track()
    qrels = qrels.assign(part=np.where(qrels["doc"] < "d5", "early", "late"))
    drawn = qrels.ireval.draw_to_judge({"early": 1, "late": 0.29}, strata="part", seed=1)
    sizes = drawn.groupby(["topic", "part"])
    judged = sizes["grade"].agg(lambda grade: (grade >= 0).sum())
    size = sizes.size()
    expected = np.floor(np.round(0.29 * size, 9) + 0.5).clip(lower=2).clip(upper=size)
    expected = expected.where(size.index.get_level_values("part") == "late", size)
    np.testing.assert_array_equal(judged, expected)
    np.testing.assert_allclose(sizes["probability"].first(), judged / size)
    selected = drawn["grade"] >= 0
    assert drawn.loc[selected, "grade"].equals(qrels.loc[selected, "grade"])
    reseeded = qrels.ireval.draw_to_judge({"early": 1, "late": 0.29}, strata="part", seed=2)
    assert not reseeded["grade"].equals(drawn["grade"])
    for share, strata, message in [
        (0.1, "team", "strata to be 'topic' or a column .*found 'team'"),
        ({"early": 0.5}, "part", "a share for every stratum.* strata without a share: late"),
        (1.5, "part", "share to be a number .*at most 1"),
    ]:
        refused(ParameterError, message, qrels.ireval.draw_to_judge, share, strata=strata)


def coverage(cube, qrels, share, depth, draws):
    """Return the coverage of confidence limits of mean nDCG."""
    truth = cube.ireval.score("nDCG", at=depth).mean("topic")
    inside = []
    for seed in range(draws):
        drawn = cube.ireval.rejudge(qrels.ireval.draw_to_judge(share, seed=seed))
        result = drawn.ireval.estimate("nDCG", at=depth)
        covers = (result["ci_low"] <= truth) & (truth <= result["ci_high"])
        inside.append(covers.where(result["ci_low"].notnull()))
    return float(xr.concat(inside, "draw").mean())


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize("draws", [25, 100])
def test_intervals_cover_mean_ndcg_with_few_relevant_documents(draws):
    runs, qrels = ir.example_track()
    assert coverage(runs.ireval.cube(qrels), qrels, 0.2, 50, draws) >= 0.925


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize(
    ("name", "judged", "share", "topics", "least"),
    [
        ("robust03", "qrels.txt", 0.1, 16, 0.92),
        ("trec-dl-2021-judges", "qrels.nist.txt", 0.1, 53, 0.93),
    ],
)
def test_intervals_cover_mean_ndcg_on_real_tracks(shared, name, judged, share, topics, least):
    runs = ir.read_runs(f"{shared}/data/{name}/runs/*")
    qrels = ir.read_qrels(shared / "data" / name / judged)
    some = np.random.default_rng(1).choice(np.sort(qrels["topic"].unique()), topics, replace=False)
    runs, qrels = runs[runs["topic"].isin(some)], qrels[qrels["topic"].isin(some)]
    assert coverage(runs.ireval.cube(qrels, depth=100), qrels, share, 100, 60) >= least
