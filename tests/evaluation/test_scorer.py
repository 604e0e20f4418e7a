"""Scorers return the same scores as cubes for every input."""

import warnings
from itertools import cycle, islice, product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from refusals import refused
from turns import few_of
from variants import VARIANTS

import irframe as ir
from irframe.errors import (
    DepthError,
    IdError,
    InputError,
    IrframeWarning,
    MetricError,
    ParameterError,
    RankingError,
)
from irframe.evaluation import listed, scorer_input
from irframe.experiments.policy import (
    TIE_POLICIES,
    TiePolicy,
    at_depth,
    deepest,
    parse_metrics,
    shares_ranks,
)
from irframe.metrics import METRICS
from irframe.metrics.facts import facts
from irframe.names import SCORE_DTYPES, TIES

PLAIN = [variant.text for variant in VARIANTS if not facts(variant.text).pooled]
POOLED = [variant.text for variant in VARIANTS if facts(variant.text).pooled]
NOVEL = [name for name, kind in METRICS.items() if kind.subtopics and name != "IA"]


def uncut(texts):
    """Return the metrics that can be computed without a cutoff."""
    return [text for text in texts if "@" in text or ir.parse_metric(text).uncut() is not None]


def at_depths(texts, depths):
    """Add a cutoff to each metric that has none."""
    value = zip(texts, cycle(depths), strict=False)
    return [text if "@" in text else f"{text}@{depth}" for text, depth in value]


def allowed_metrics(ties, subset=PLAIN):
    """Yield lists of the metrics that a tie policy allows."""
    allowed = [text for text in subset if not shares_ranks(ties) or ties in facts(text).shares]
    yield uncut(allowed)
    yield at_depths(allowed, (1, 4, 9, 30))
    closed = ["RBP(p=0.5, judged_only=True)", "AP(judged_only=True)", "AP(judged_only=True)@3"]
    yield closed[: 1 if ties == "block" else None]


def drawn(seed, *, integers=False, least=0):
    """Return a random run and judgments with many ties."""
    rng = np.random.default_rng(seed)
    name = (
        (lambda number: number) if integers else (lambda number: f"d{number}{'é' * (number % 3)}")
    )
    run, qrels = {}, {}
    for number, length in enumerate((1, 2, 12, 40, 0, 25, 25, 3)):
        topic = number + 100 if integers else f"q{number}"
        docs = [name(int(number)) for number in rng.choice(70, length, replace=False)]
        scores = rng.normal(size=length).round(int(rng.integers(0, 3)))
        scores[rng.random(length) < 0.1] = rng.choice([-np.inf, 0.0, -0.0])
        run[topic] = dict(zip(docs, scores.tolist(), strict=True))
        size = int(rng.integers(2, 50)) if number % 2 else 5
        pool = [name(int(number)) for number in rng.choice(70, size, replace=False)]
        grades = rng.integers(least, 4, size).tolist()
        qrels[topic] = dict(zip(pool, grades, strict=True))
        if number == 5:
            qrels[topic] = dict.fromkeys(qrels[topic], 0)
    listed = list(run)
    qrels[listed[3]] |= dict.fromkeys(list(run[listed[3]])[:9], 2)
    qrels[listed[6]] |= dict(islice(qrels[listed[3]].items(), 8))
    del run[listed[7]], qrels[listed[1]]
    return run, qrels


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        yield


def by_cube(run, qrels, metrics, **policy):
    """Return the scores of a cube with complete lists."""
    chosen = [at_depth(metric, None) for metric in parse_metrics(metrics)]
    depth = max([deepest(chosen), *map(len, run.values())])
    distinct = list(dict.fromkeys(chosen))
    scores = ir.cube(run, qrels, depth=depth, **policy).ireval.score(*distinct, at=depth)
    positions = [distinct.index(metric) for metric in chosen]
    return scores.to_numpy()[positions].reshape(len(chosen), -1).T


def same(result, expected):
    """Assert that frames of scores are exactly equal."""
    pd.testing.assert_frame_equal(result, expected, check_exact=True)
    assert {**expected.attrs, **result.attrs} == expected.attrs


def readers(scorer, run):
    """Yield the name and scoring function of each input form."""
    frame = ir.as_runs(run)
    yield "dictionary", lambda: scorer(run)
    yield "frame", lambda: scorer(frame)
    yield "rows in another order", lambda: scorer(frame.sample(frac=1, random_state=1))
    ids = {name: frame[name].to_numpy(object) for name in ("topic", "doc")}
    yield "ids", lambda: scorer(**ids, score=frame["score"].to_numpy())
    if not isinstance(scorer.topics[0], str):
        return
    topic, doc = (
        x.get_indexer(frame[n]) for x, n in ((scorer.topics, "topic"), (scorer.docs, "doc"))
    )
    yield "positions", lambda: scorer(topic=topic, doc=doc, score=frame["score"])
    yield (
        "documents alone by position",
        lambda: scorer(topic=ids["topic"], doc=doc, score=frame["score"]),
    )


@pytest.mark.parametrize(
    ("dtype", "integers"),
    [
        pytest.param(SCORE_DTYPES[0], False, id="text"),
        pytest.param(SCORE_DTYPES[1], True, id="integers", marks=pytest.mark.thorough),
    ],
)
@pytest.mark.parametrize(
    "ties",
    [
        pytest.param(rule, marks=() if rule == "trec" else pytest.mark.thorough)
        for rule in TIES
        if rule != "rank"
    ],
)
def test_scorers_equal_evaluate_for_every_input(ties, dtype, integers, monkeypatch):
    run, qrels = drawn(len(ties), integers=integers)
    policy = {"ties": ir.Ties(ties, dtype=dtype, seed=5)}
    every = {doc for docs in run.values() for doc in docs}
    for metrics in allowed_metrics(ties):
        expected = ir.evaluate(run, qrels, metrics, **policy)
        assert np.array_equal(expected, by_cube(run, qrels, metrics, **policy), equal_nan=True)
        scorer = ir.scorer(qrels, metrics, docs=every, **policy)
        for reader, score in readers(scorer, run):
            if ties == "order" and reader == "rows in another order":
                continue
            same(score(), expected)
        monkeypatch.setattr(scorer_input, "SMALL", 0)
        same(scorer(ir.as_runs(run)), expected)
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("crowd", "ties", "integers"), few_of(product([-1, np.inf], ["trec", "doc"], [False, True]), 3)
)
def test_methods_for_few_and_many_ties_give_equal_scores(crowd, ties, integers, monkeypatch):
    monkeypatch.setattr(listed, "CROWD", crowd)
    run, qrels = drawn(2, integers=integers)
    run = {q: {doc: float(score > 0) for doc, score in docs.items()} for q, docs in run.items()}
    expected = by_cube(run, qrels, uncut(PLAIN), ties=ties)
    scorer = ir.scorer(qrels, uncut(PLAIN), ties=ties)
    for _ in range(2):  # from the second run on, the scorer looks up documents in another way
        assert np.array_equal(scorer(run), expected, equal_nan=True)


@pytest.mark.parametrize("integers", few_of([False, True], 2), ids=["text", "integers"])
def test_ties_with_equal_sort_keys_keep_the_order_of_rows(integers, monkeypatch):
    shorter = TiePolicy(keys=lambda tied: np.array([len(str(name)) for name in tied.doc]))
    monkeypatch.setitem(TIE_POLICIES, "random", shorter)
    run, qrels = drawn(7, integers=integers)
    expected = ir.evaluate(run, qrels, uncut(PLAIN), ties="random")
    every = {doc for docs in run.values() for doc in docs}
    scorer = ir.scorer(qrels, uncut(PLAIN), docs=every, ties="random")
    for reader, score in readers(scorer, run):
        if reader != "rows in another order":
            pd.testing.assert_frame_equal(score(), expected, check_exact=True)


def test_scorers_use_ranks_with_ties_rank():
    run, qrels = drawn(1)
    frame = ir.as_runs(run)
    frame["rank"] = frame.groupby("topic")["score"].rank(method="first")
    for metrics in allowed_metrics("rank"):
        scorer = ir.scorer(qrels, metrics, ties="rank")
        same(scorer(frame), ir.evaluate(frame, qrels, metrics, ties="rank"))
        same(scorer(frame.drop(columns="score")), ir.evaluate(frame, qrels, metrics, ties="rank"))
    refused(RankingError, "a column 'rank'", lambda: scorer(run))
    refused(InputError, "ids of documents", lambda: scorer(topic=[0], doc=[0], score=[1.0]))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "options",
    [
        {"depth": 3},
        {"depth": 60},
        {"no_rel": "nan"},
        {"topics": ["q6", "q0", "q5"]},
        {"depth": 5, "ties": "doc", "no_rel": "nan"},
    ],
    ids=str,
)
def test_scorers_and_evaluate_have_equal_scores_with_equal_options(options):
    run, qrels = drawn(3, least=-2)
    for metrics in (uncut(PLAIN), at_depths(PLAIN, (2, 7))):
        scorer = ir.scorer(qrels, metrics, **options)
        expected = ir.evaluate(run, qrels, metrics, **options)
        for value in (run, ir.as_runs(run), ir.as_runs(run).assign(system="x")):
            scores = scorer(value)
            assert np.array_equal(scores.to_numpy(), expected.to_numpy(), equal_nan=True)
            assert scores.index.equals(expected.index) or value is not run


def test_scorers_keep_systems_and_column_names():
    runs, qrels = ir.example_track()
    named = runs.rename(columns={"system": "tag", "topic": "qid", "doc": "docno"})
    for metrics in allowed_metrics("trec"):
        scorer = ir.scorer(qrels, metrics)
        same(scorer(named), ir.evaluate(named, qrels, metrics))
        single = named[named["tag"] == "bm25"]
        same(scorer(single), ir.evaluate(single, qrels, metrics))
    refused(InputError, "a run of one system, but found 8 systems: ", lambda: scorer.mean(runs))


def test_metrics_of_the_pool_need_contributing_runs():
    run, qrels = drawn(4)
    pooled = ir.as_runs(run).assign(contributing=True)
    for metrics in allowed_metrics("trec", [*POOLED, "AP", "nDCG"]):
        expected = ir.evaluate(pooled, qrels, metrics)
        same(ir.scorer(qrels, metrics)(pooled), expected)
    refused(MetricError, "known pool", lambda: ir.scorer(qrels, at_depths(POOLED, [5]))(run))
    with pytest.raises(
        InputError, match="ids of documents, for ties='rank' and for metrics that need the pool"
    ):
        ir.scorer(qrels, at_depths(POOLED, [5]))(topic=[0], doc=[0], score=[1.0])


def test_scorers_read_judgments_by_subtopic():
    rng = np.random.default_rng(0)
    run, qrels = drawn(6)
    frame = ir.as_qrels(qrels)
    groups = [
        frame.assign(intent=f"i{subset}").sample(frac=0.6, random_state=subset)
        for subset in range(3)
    ]
    by_subtopic = pd.concat(groups).assign(grade=lambda rows: rng.integers(0, 3, len(rows)))
    metrics = at_depths([*NOVEL, "IA(metric='AP')", "alpha_nDCG(alpha=0.2)"], (5, 20))
    every = [*uncut([*NOVEL, "IA(metric='AP')"]), *metrics]
    for value in (by_subtopic, by_subtopic.rename(columns={"intent": "iteration"})):
        same(ir.scorer(value, every)(run), ir.evaluate(run, value, every))
    refused(MetricError, "judgments with subtopics", lambda: ir.scorer(qrels, "NRBP"))
    refused(MetricError, "judgments without subtopics", lambda: ir.scorer(by_subtopic, "AP"))


@pytest.mark.parametrize("topics", ["qrels", "runs"])
def test_means_of_scorers_equal_the_summary(topics):
    run, qrels = drawn(8)
    metrics = [*uncut(PLAIN), "P@5"]
    scorer = ir.scorer(qrels, metrics, topics=topics)
    mean = scorer.mean(run)
    expected = scorer(run).ireval.summary()
    assert [*mean] == metrics
    assert np.array_equal([*mean.values()], expected["mean"], equal_nan=True)


def test_topics_can_be_limited_to_those_of_the_run():
    run, qrels = drawn(2)
    listed = [topic for topic, docs in run.items() if docs and topic in qrels]
    expected = ir.evaluate(run, qrels, "AP")
    for name in ("runs", "common"):
        scores = ir.scorer(qrels, "AP", topics=name)(run)
        assert scores.index.get_level_values("topic").tolist() == [t for t in qrels if t in listed]
        assert scores["AP"].equals(expected["AP"].loc[scores.index])
    disjoint = pd.DataFrame({"system": ["s", "t"], "topic": ["q1", "q2"], "doc": "a", "score": 1.0})
    assert len(ir.scorer(BASE, "AP", topics="runs")(disjoint)) == 4
    with pytest.raises(
        IdError, match="topics for which every run has a list, but found no such topic"
    ):
        ir.scorer(BASE, "AP", topics="common")(disjoint)


def test_topics_are_scored_independently():
    run, qrels = drawn(9)
    metrics = at_depths(PLAIN, (3, 10))
    all_scores = ir.scorer(qrels, metrics)(run)
    topics = ir.scorer(qrels, metrics, topics="runs")
    for topic in (name for name in run if run[name] and name in qrels):
        alone = topics({topic: run[topic]})
        assert np.array_equal(alone, all_scores.loc[alone.index], equal_nan=True)


def test_inputs_are_not_changed():
    run, qrels = drawn(2)
    frame, judged = ir.as_runs(run), ir.as_qrels(qrels)
    copies = {t: dict(d) for t, d in run.items()}, frame.copy(), judged.copy()
    scorer = ir.scorer(judged, ["AP", "nDCG@3"])
    scorer(run), scorer(frame), scorer.mean(frame)
    assert run == copies[0]
    assert frame.equals(copies[1])
    assert judged.equals(copies[2])


BASE = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        (([0, 0], [0, 0], [1.0, 2.0]), IdError, "found 1 document listed again: q1 a"),
        (([0, 0], [0, 1], [1.0, np.nan]), RankingError, "found 1 row without a score: q1 b"),
        (([0], [-1], [np.nan]), RankingError, "found 1 row without a score: q1 -1"),
        (
            ([0], [3], [1.0]),
            ParameterError,
            "doc to be positions from -1 to 2 in docs of the scorer",
        ),
        (([2], [0], [1.0]), ParameterError, "topic to be positions from -1 to 1"),
        (([7], ["a"], [1.0]), ParameterError, "topic to be positions from -1 to 1"),
        (
            ([0, 1], [0], [1.0]),
            InputError,
            "arrays of the same length, .*, but found arrays of the shapes topic",
        ),
        (([0], [0], ["high"]), InputError, "numbers in column 'score'"),
        (
            (["q1", "q1"], ["a", "a"], [1.0, 2.0]),
            IdError,
            "found 1 document listed again: run q1 a",
        ),
    ],
    ids=str,
)
def test_invalid_arrays_are_named(arrays, error, message):
    with pytest.raises(error, match=message):
        ir.scorer(BASE, "AP")(**dict(zip(("topic", "doc", "score"), arrays, strict=True)))


def test_scorers_refuse_a_run_together_with_arrays():
    scorer = ir.scorer(BASE, "AP")
    for value in ({}, {"topic": [0], "doc": [0]}, {"run": {}, "topic": [0]}):
        refused(InputError, "a run, or three arrays", scorer, **value)


def test_positions_refer_to_the_docs_of_the_scorer():
    scorer = ir.scorer(BASE, ["RR", "AP"], docs=["z", "a"])
    assert scorer.docs.tolist() == ["z", "a", "b", "c"]
    assert scorer.topics.tolist() == ["q1", "q2"]
    tied = {"topic": [0, 0, 0, -1], "score": [1.0, 1.0, 1.0, 9.0]}
    # The ranking of q1 is z, then a, and then the document at the unknown position -1.
    assert scorer.mean(**tied, doc=[-1, 0, 1, 3])["RR"] == 0.25
    assert scorer.mean(**tied, doc=[-1, -1, 1, 3])["RR"] == 0.5
    assert scorer.mean(topic=[0, 0, -1], doc=["x", "a", "a"], score=[2.0, 1.0, 3.0])["RR"] == 0.25


def test_invalid_options_raise_when_the_scorer_is_made():
    refused(MetricError, "support ties='mean'", lambda: ir.scorer(BASE, "Q", ties="mean"))
    with pytest.raises(ParameterError, match="topics to be 'qrels', 'runs', 'common' or a list"):
        ir.scorer(BASE, "AP", topics="all")
    refused(
        ParameterError, "judged topics, but found 'q3'", ir.scorer, BASE, "AP", topics=["q1", "q3"]
    )
    refused(
        IdError, "at least one topic, each once", lambda: ir.scorer(BASE, "AP", topics=["q1", "q1"])
    )


def test_judged_only_metrics_refuse_cut_lists():
    run = {"q1": {"a": 1.0, "x": 1.0, "b": 1.0}}
    with pytest.raises(DepthError, match="lists that are not cut"):
        ir.scorer(BASE, ["AP(judged_only=True)"], depth=2)(run)


def test_missing_lists_raise_one_warning():
    scorer = ir.scorer(BASE, ["AP", "RR"])
    two = pd.DataFrame({"system": list("stt"), "topic": ["q1", "q1", "q2"], "doc": list("aac")})
    cases = {
        "no system has a list for 1 of 2 judged topics: q2; topics='runs'": {"q1": {"a": 1.0}},
        "lists that systems lack count as empty: s 1 of 2 topics": two.assign(score=1.0),
        "systems have the topics 'x', the judged topics are 'q1', 'q2'": (
            two.assign(score=1.0, topic=["x", "q1", "q2"])
        ),
        "1 topic of the runs has no judgments and is left out: q9": {
            "q1": {"a": 1.0},
            "q2": {"c": 1.0},
            "q9": {"c": 1.0},
        },
        "no retrieved document is judged: the runs have 'x', 'x' in 'doc', the qrels 'a', 'b'": {
            "q1": {"x": 1.0},
            "q2": {"x": 1.0},
        },
    }
    for message, run in cases.items():
        with pytest.warns(IrframeWarning, match=message) as caught:
            scores = scorer(run)
        assert len(caught) == 1 + message.startswith("systems")
        assert caught[0].filename == __file__
    assert (scores == 0).all(axis=None)
    with pytest.warns(IrframeWarning, match="no retrieved document is judged"):
        assert scorer.mean(topic=[0, 1], doc=[-1, -1], score=[1.0, 1.0]) == {"AP": 0.0, "RR": 0.0}


EMPTY = [
    {"q1": {}},
    {"q1": {}, "q2": {}},
    {"q1": []},
    pd.DataFrame(columns=["qid", "docno", "score"]),
]


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize("run", EMPTY, ids=repr)
@pytest.mark.parametrize("metrics", [["AP", "nDCG@10", "P@5", "Bpref", "RBP"], ["num_ret"]])
def test_empty_lists_score_zero(run, metrics):
    """An untrained model may return only empty lists."""
    with pytest.warns(IrframeWarning, match="score 0 on all judged topics: run"):
        scores = ir.evaluate(run, BASE, metrics)
    assert scores.index.tolist() == [("run", "q1"), ("run", "q2")]
    assert (scores == 0).all().all()
    assert ir.scorer(BASE, metrics)(run).equals(scores)
    assert (ir.cube(run, BASE, depth=10).ireval.score(*metrics, at=10) == 0).all()
    none = ir.scorer(BASE, metrics).mean(topic=[], doc=[], score=[])
    assert none == dict.fromkeys(metrics, 0)


@pytest.mark.parametrize("column", ["repeat", "seed", "variation"])
def test_means_over_repeats_equal_summary(column):
    runs, qrels = ir.example_track()
    run = runs[runs["system"] == "splade"].reset_index(drop=True)
    rng = np.random.default_rng(0)
    noise = [
        run.assign(score=run["score"] + rng.normal(size=len(run)), **{column: n}) for n in (3, 1, 2)
    ]
    frame = pd.concat(noise, ignore_index=True)
    if column == "variation":  # one topic lacks one repeat, and another topic lacks all repeats
        lacking = (frame["topic"] == "101") & (frame[column] == 1)
        frame = frame[~lacking & (frame["topic"] != "102")]
    nested = {
        repeat: group.drop(columns=column).ireval.to_pytrec_eval()
        for repeat, group in frame.groupby(column, sort=False)
    }
    scorer = ir.scorer(qrels, ["nDCG@10", "GMAP", "AP", "ASL"], no_rel="nan")
    value = [frame, *([{"splade": nested}] if column == "repeat" else [])]
    for runs_of in value:
        with warnings.catch_warnings(action="ignore"):
            table, means = scorer(runs_of), scorer.mean(runs_of)
            expected = ir.evaluate(frame, qrels, *scorer.metrics, no_rel="nan")
            summary = table.ireval.summary()["mean"].droplevel("system")
        assert table.to_numpy().tolist() == expected.to_numpy().tolist()
        assert table.attrs.get("repeats") == ("topic" if column == "variation" else None)
        assert means == summary.to_dict()


def test_means_of_several_systems_or_undeclared_repeats_are_refused():
    qrels = {"q": {"a": 1}}
    two = {name: {1: {"q": {"a": 1.0}}, 2: {"q": {"b": 1.0}}} for name in ("x", "y")}
    refused(
        InputError,
        "a run of one system, but found 2 systems: x, y",
        lambda: ir.scorer(qrels, "AP").mean(two),
    )
    frame = pd.DataFrame({"topic": "q", "doc": "a", "score": 1.0, "epoch": [1, 2]})
    refused(ParameterError, "a declaration of how", lambda: ir.scorer(qrels, "AP").mean(frame))
    seeds = frame.rename(columns={"epoch": "seed"})
    assert ir.scorer(qrels, "AP").mean(seeds) == {"AP": 1.0}


@pytest.mark.parametrize("kind", [np.array, pd.Index, pd.Series, pa.array, tuple])
def test_docs_may_be_any_sequence(kind):
    scorer = ir.scorer({"q1": {"a": 1, "b": 0}}, "RR", docs=kind(["b", "a", "c"]))
    assert scorer.docs.tolist() == ["b", "a", "c"]
    assert scorer.mean(topic=[0, 0], doc=[0, 1], score=[0.5, 0.25]) == {"RR": 0.5}
