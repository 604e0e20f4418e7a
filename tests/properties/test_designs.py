"""All verbs use the design that the data declare."""

import inspect
from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from properties.test_records import world
from properties.verbs import VERBS
from properties.verbs import asked as asked_of_cube
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import IrframeError, ParameterError
from irframe.experiments.topic_design import names_declared

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
OF_SCORES = sorted(
    name
    for name, verb in VERBS.items()
    if next(iter(inspect.signature(verb).parameters)) == "scores"
)
SYSTEMS, TOPICS = list("cadb"), [f"t{n}" for n in range(24)]
MORE = {"difference": 0.05, "baseline": "a", "reference": "AP", "resamples": 40, "system": "a"}
NEEDED = {
    "topics_needed": ("difference",),
    "risk": ("baseline",),
    "rrie": ("baseline",),
    "coverage": ("reference",),
    "inversions": ("reference",),
    "bootstrap_sensitivity": ("resamples",),
    "predict_powered": ("human",),
    "replicate": ("original", "baseline"),
    "ratios": ("reference",),
    "sheet": ("system",),
}


def drawn(random, metrics=("AP", "nDCG")):
    values = random.beta(2, 3, (len(metrics), len(SYSTEMS), len(TOPICS), 2)).round(3)
    labels = {"metric": [*metrics], "system": SYSTEMS, "topic": TOPICS, "depth": [5, 10]}
    scores = xr.DataArray(values, labels, ("metric", "system", "topic", "depth"))
    sources = [f"d{n % 11}" for n in range(24)]
    halves = ["xy"[n % 11 > 5] for n in range(24)]
    return scores.assign_coords(source=("topic", sources), half=("topic", halves))


def asked(name, scores):
    more = {**MORE, "human": scores.isel(topic=slice(16)), "original": scores}
    return VERBS[name](
        scores, **{name_of_option: more[name_of_option] for name_of_option in NEEDED.get(name, ())}
    )


def numbers(result):
    """Return the numeric columns or variables of a result."""
    if isinstance(result, xr.DataArray):
        result = result.to_dataset(name="value")
    frame = result.to_dataframe() if isinstance(result, xr.Dataset) else result
    return frame.select_dtypes("number").astype(float)


def answered(name, scores):
    try:
        return numbers(asked(name, scores))
    except IrframeError as error:
        return str(error)


@pytest.mark.parametrize("name", OF_SCORES)
def test_clusters_of_single_topics_change_nothing(name):
    scores = drawn(np.random.default_rng(1)).assign_coords(own=("topic", TOPICS))
    plain, clustered = answered(name, scores), answered(name, scores.ireval.design(cluster="own"))
    if isinstance(plain, str):
        assert clustered == plain
        return
    more = {"n_clusters", "df", "design_effect", "icc"}
    pd.testing.assert_frame_equal(clustered[plain.columns], plain, check_exact=True)
    assert {*clustered.columns} - {*plain.columns} <= more


DECIDED = {"compare", "summary", "leaderboard", "rank_intervals", "topics_needed"}
"""Verbs whose results change if topics are clustered."""
MEANS = {"best_systems", "rrie"}
"""Verbs that return means without intervals or tests."""


@pytest.mark.parametrize(
    ("name", "word"), few_of(product(OF_SCORES, ["cluster", "task", "weight"]), 2)
)
def test_verbs_use_the_design_of_topics_or_refuse_it(name, word):
    scores = drawn(np.random.default_rng(2))
    scores = scores.assign_coords(often=("topic", np.arange(1.0, 25)))
    named = {"cluster": "source", "task": "half", "weight": "often"}[word]
    drawn_as = scores.ireval.design(**{word: named})
    plain, designed = answered(name, scores), answered(name, drawn_as)
    if isinstance(designed, str) and not isinstance(plain, str):
        assert f"{word}=" in designed, designed
    if name in DECIDED or (name in MEANS and word != "cluster"):
        assert not designed[plain.columns].equals(plain)


COUNTS = {
    "components": "its further columns have the design",
    **dict.fromkeys(("coverage", "discrimination", "inversions"), "no pair here is significant"),
    **dict.fromkeys(("describe", "pool_growth"), "what was judged and retrieved"),
    **dict.fromkeys(("effective_top", "length_histogram"), "documents that users read"),
    "difference_histogram": "documents that users read",
    "judge_next": "documents of each topic",
}
"""Mapping from verbs to the reason why their results on these data do not depend on clusters."""


def result_or_message(name, cube):
    subject, options = asked_of_cube(name, cube)
    try:
        result = VERBS[name](subject, **options)
    except IrframeError as error:
        return str(error)
    return getattr(result, "summary", result) if name == "outcomes" else result


@pytest.mark.parametrize("name", few_of(sorted(VERBS), 2))
def test_verbs_of_any_object_use_the_design_or_refuse_it(name):
    cube = world("small")
    often = {topic: 1.0 + n**2 for n, topic in enumerate(cube.topic.values)}
    plain = result_or_message(name, cube)
    weighted = result_or_message(name, cube.ireval.design(weight=often))
    if isinstance(plain, str):
        assert weighted == plain
    elif isinstance(weighted, str):
        assert "weight=" in weighted
        assert "labels of topics" not in weighted
    elif name not in COUNTS:
        table = isinstance(weighted, pd.DataFrame)
        labels = {*weighted.columns, *weighted.index.names} if table else {*weighted.dims}
        plain_numbers, weighted_numbers = numbers(plain), numbers(weighted)
        assert "topic" in labels or not plain_numbers.equals(
            weighted_numbers[plain_numbers.columns]
        )


FIGURES = {
    "depth_curves": {"metric": "AP"},
    "metric_curves": {"system": "a"},
    "score_boxes": {"metric": "AP"},
    "system_ranking": {"metric": "AP"},
    "best_so_far": {"dates": dict(zip(SYSTEMS, range(4), strict=True)), "metric": "AP"},
    "topic_differences": {"a": "a", "b": "b", "metric": "AP"},
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_show_means_by_the_design(name):
    scores = drawn(np.random.default_rng(2))
    weighted = scores.assign_coords(often=("topic", np.arange(1.0, 25) ** 2))
    weighted = weighted.ireval.design(weight="often")
    lines = []
    for array in (scores, weighted):
        ax = getattr(array.ireval.plot, name)(**FIGURES[name])
        lines.append([np.asarray(line.get_xydata(), float) for line in ax.get_lines()])
    pairs = zip(*lines, strict=False)
    assert any(
        first.shape != second.shape or not np.allclose(first, second) for first, second in pairs
    )


def readers(scores, tmp_path):
    """Yield equal scores in every form, as (form, scores, labels)."""
    flat = scores.sel(depth=10, drop=True)
    frame = flat.to_dataset("metric").to_dataframe()[["AP", "nDCG", "source", "half"]]
    columns = {"cluster": "source", "task": "half"}
    yield "column", frame, columns
    yield "level", frame.set_index(["source", "half"], append=True), columns
    by_topic = {w: dict(zip(TOPICS, flat[n].to_numpy(), strict=True)) for w, n in columns.items()}
    yield "mapping", frame[["AP", "nDCG"]], by_topic
    yield "array", flat, columns
    yield "table", frame[["AP", "nDCG"]], {"table": frame.loc["a"], **columns}
    long = frame.melt(["source", "half"], var_name="measure", ignore_index=False).reset_index()
    yield "long", long, columns
    designed, labelled = frame.ireval.design(**columns), {"cluster": "cluster", "task": "task"}
    yield "some of them", designed.loc[["b", "a", "c", "d"]], {}
    yield "as_scores", ir.as_scores(designed), {}
    carrying = flat.ireval.design(**columns)
    yield "as_scores of an array", ir.as_scores(carrying), {}
    carrying.to_netcdf(tmp_path / "scores.nc")
    yield "saved", xr.open_dataarray(tmp_path / "scores.nc"), {}
    designed.to_parquet(tmp_path / "scores.parquet")
    yield "parquet", pd.read_parquet(tmp_path / "scores.parquet"), {}
    designed.to_csv(tmp_path / "scores.csv")
    yield "CSV", pd.read_csv(tmp_path / "scores.csv").drop(columns=["source", "half"]), labelled
    yield "column of scores", designed["AP"].to_frame().join(designed["nDCG"]), labelled
    metrics = [designed["AP"].unstack("system"), designed["nDCG"].unstack("system")]
    both = pd.concat(map(ir.as_scores, metrics, ["AP", "nDCG"]), axis=1)
    yield "pivoted", both, labelled
    rr = pd.DataFrame({"RR": 0.5}, designed.index)
    yield "joined", designed.join(rr).drop(columns="RR"), labelled
    yield "concatenated", pd.concat([designed.loc[["a", "c"]], designed.loc[["b", "d"]]]), {}


def test_comparisons_by_a_design_are_equal_in_every_input_form(tmp_path):
    scores, first = drawn(np.random.default_rng(3)), None
    for reader, frame, columns in readers(scores, tmp_path):
        drawn_as = frame.ireval.design(**columns) if columns else frame
        comparison = drawn_as.ireval.compare("t", adjust=None).set_index(
            ["metric", "system_a", "system_b"]
        )
        pairs = comparison[["difference", "p", "df", "n_clusters"]].astype(float)
        pairs = pd.concat([pairs, turned(pairs)])
        first = pairs if first is None else first
        pd.testing.assert_frame_equal(pairs.loc[first.index], first, obj=reader, rtol=1e-9)
        assert comparison.attrs["n_clusters"] == "11", reader
        assert comparison.attrs["n_tasks"] == "2", reader


def turned(pairs):
    """Return a comparison with swapped systems in every pair."""
    back = pairs.assign(difference=-pairs["difference"]).swaplevel("system_a", "system_b")
    return back.rename_axis(pairs.index.names)


def test_the_design_survives_saving(tmp_path):
    runs, qrels = ir.example_track()
    topics = sorted(qrels["topic"].unique())
    judged = qrels.assign(source=qrels["topic"].map({t: n // 2 for n, t in enumerate(topics)}))
    cube = runs.ireval.cube(judged).ireval.design(cluster="source")
    cube.ireval.save(tmp_path / "cube")
    clusters = dict(zip(topics, np.arange(16) // 2, strict=True))
    expected = runs.ireval.evaluate(qrels, "AP").ireval.design(cluster=clusters).ireval.compare()
    for saved in (
        cube,
        ir.open_cube(tmp_path / "cube"),
        cube.isel(system=[7, 6, 5, 4, 3, 2, 1, 0]),
    ):
        comparison = saved.ireval.score("AP").isel(depth=-1, drop=True).ireval.compare()
        assert names_declared(saved.attrs) == {"cluster": "source"}
        assert sorted(comparison["p"].round(9)) == sorted(expected["p"].round(9))
    evaluated = runs.ireval.evaluate(judged, "AP").ireval.design(judged, cluster="source")
    pd.testing.assert_frame_equal(evaluated.ireval.compare(), expected)
    evaluated.ireval.freeze(tmp_path / "main.irframe", baseline="bm25")
    monot5 = runs.ireval.evaluate(qrels, "AP").loc[["monot5"]]
    row = monot5.ireval.compare(baseline=tmp_path / "main.irframe").iloc[0]
    pair = evaluated.loc[["monot5", "bm25"]].ireval.compare(baseline="bm25").iloc[0]
    assert (row["p"], row["n_clusters"]) == (pair["p"], pair["n_clusters"])


def test_topics_with_the_same_name_in_several_tasks_stay_separate():
    random = np.random.default_rng(4)
    index = pd.MultiIndex.from_product(
        [["x", "y"], SYSTEMS, TOPICS[:6]], names=["set", "system", "topic"]
    )
    scores = pd.DataFrame({"AP": random.random(len(index))}, index)
    comparison = scores.ireval.design(task="set").ireval.compare()
    assert (comparison["n_topics"] == 12).all()
    means = scores["AP"].groupby(["set", "system"]).mean().groupby("system").mean()
    expected = means[comparison["system_a"]].to_numpy() - means[comparison["system_b"]].to_numpy()
    np.testing.assert_allclose(comparison["difference"], expected)
    board = scores.ireval.design(task="set").ireval.leaderboard()
    np.testing.assert_allclose(board["AP"], means[board.index])


def test_over_tasks_compares_means_of_tasks():
    scores = drawn(np.random.default_rng(5), metrics=("AP",)).isel(depth=0, drop=True)
    comparison = scores.ireval.design(task="half").ireval.compare(
        ir.Significance(over="task", adjust=None)
    )
    tested = scores.groupby("half").mean("topic").rename(half="topic").ireval.compare(adjust=None)
    np.testing.assert_allclose(
        numbers(comparison)[["p", "difference"]], numbers(tested)[["p", "difference"]]
    )
    refused(
        ParameterError,
        "tasks for over='task'",
        lambda: scores.ireval.compare(ir.Significance(over="task")),
    )


def test_errors_in_designs_are_named():
    scores = drawn(np.random.default_rng(6))
    frame = (
        scores.sel(depth=5, drop=True).to_dataset("metric").to_dataframe()[["AP", "nDCG", "source"]]
    )
    clusters = dict(zip(TOPICS, scores.source.to_numpy(), strict=True))

    def fails(message, given=frame, test="t", **words):
        refused(
            ParameterError, message, lambda: given.ireval.design(**words).ireval.compare(test=test)
        )

    fails("a cluster for every topic, but found none for 1.*t3", cluster={**clusters, "t3": None})
    fails("a task for every topic", task=dict.fromkeys(TOPICS[1:], "x"))
    fails("at least two clusters", cluster=dict.fromkeys(TOPICS, "d"))
    fails(
        "two clusters in every task",
        cluster=clusters,
        task={**dict.fromkeys(TOPICS, "y"), "t3": "x"},
    )
    fails("cluster to be a column or index level", cluster="AP")
    fails("cluster to be a coordinate", scores, cluster="system")
    fails("labels for cluster=", cluster=dict(zip(TOPICS, np.linspace(0, 1, 24), strict=True)))
    uneven = frame.assign(source=["abcde"[n % 5] for n in range(96)])
    fails("one cluster for every topic", uneven, cluster="source")
    for test in ("wilcoxon", "ranksum", "sign", "tukey"):
        fails(f"supports cluster=.*{test}", cluster="source", test=test)
    several = pd.concat([frame.assign(seed=n, AP=frame["AP"] * n) for n in (1, 2)])
    fails("cluster= or sampled seeds", several, cluster="source")
    assert (
        several.ireval.design(cluster="source")
        .ireval.compare(ir.Significance(over="topic"))["df"]
        .max()
        < 11
    )


def test_tasks_of_a_single_topic_have_no_interval():
    scores = drawn(np.random.default_rng(7)).isel(depth=0, drop=True)
    designed = scores.ireval.design(task={**dict.fromkeys(TOPICS, "y"), "t3": "x"}).ireval.compare()
    assert designed["p"].isna().all()
    assert designed["difference"].notna().all()
    assert "tasks of a single topic" in designed.attrs["caution"]


COINCIDING = {
    "everywhere": lambda first, _: first,
    "on half the topics": lambda first, second: np.where(np.arange(24) % 2, first, second),
    "nowhere": lambda _, second: second,
    "and are all equal": lambda first, _: first * 0 + 0.5,
}
"""Mapping from the topics on which two metrics coincide to functions that return scores of the
second metric.
"""


@pytest.mark.parametrize("alike", COINCIDING)
@pytest.mark.parametrize("word", ["cluster", "task", "weight"])
def test_long_frames_of_metrics_whose_scores_coincide_are_read_in_full(word, alike):
    often = ("topic", [1.0 + n % 3 for n in range(24)])
    scores = drawn(np.random.default_rng(5)).isel(depth=-1, drop=True).assign_coords(often=often)
    scores[1] = COINCIDING[alike](*scores.to_numpy())
    named = {"cluster": "source", "task": "half", "weight": "often"}[word]
    rows = scores.to_dataframe("value").reset_index().rename(columns={"metric": "measure"})
    result, expected = (form.ireval.design(**{word: named}) for form in (rows, scores))
    for metric in ("AP", "nDCG"):
        assert (
            result[metric].to_numpy().tolist()
            == scores.sel(metric=metric).to_numpy().ravel().tolist()
        )
    pd.testing.assert_frame_equal(
        numbers(result.ireval.summary()), numbers(expected.ireval.summary())
    )


@pytest.mark.parametrize("alike", COINCIDING)
@pytest.mark.parametrize("column", ["measure", "metric"])
def test_long_frames_distinguish_topics_of_tasks_with_coinciding_scores(column, alike):
    scores = drawn(np.random.default_rng(6)).isel(depth=-1, drop=True)
    scores[1] = COINCIDING[alike](*scores.to_numpy())
    rows = scores.to_dataframe("value").reset_index().rename(columns={"metric": column})
    number = rows["topic"].str[1:].astype(int)
    numbered = rows.assign(topic=number % 12, half=np.where(number < 12, "x", "y"))
    designed = numbered.ireval.design(task="half")
    assert len(designed) == 24 * len(SYSTEMS)
    for metric in ("AP", "nDCG"):
        assert sorted(designed[metric]) == sorted(scores.sel(metric=metric).to_numpy().ravel())
