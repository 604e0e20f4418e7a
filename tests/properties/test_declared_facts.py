"""Declared attributes of metrics equal enumerated attributes."""

import itertools
from functools import cache

import numpy as np
import pandas as pd
import pytest
import strategies
import xarray as xr
from strategies import block_of, judged_of
from turns import few_of
from variants import BY_NAME, changed

import irframe as ir
from irframe.errors import MetricError
from irframe.extremes.labelled_bounds import labelled_bounds
from irframe.gains import GainMap
from irframe.metrics import IA, METRICS, Evidence, Metric, P
from irframe.metrics.facts import facts
from irframe.metrics.spellings import TREC_NAMES
from irframe.names import UNJUDGED
from irframe.quantities.evidence import parameters

pytestmark = pytest.mark.property
CODES = np.array(strategies.CODES, np.int16)
LEVELS = CODES[1:]
WIDTH = 6
"""Number of scored ranks, which is two more than the longest lists contain."""
LISTS = [codes for n in range(5) for codes in itertools.product(CODES.tolist(), repeat=n)]
INDEX = {codes: index for index, codes in enumerate(LISTS)}
LENGTH = np.array([len(codes) for codes in LISTS])
FULL = [codes for codes in LISTS if len(codes) == 4]
MISSED = ((), (0, 2, 3), (0, 2, 3, 3))
"""Three tuples with grades of judged documents that were not retrieved.

The last two tuples differ by one relevant document.
"""
SWAPPED = [
    [
        INDEX[(*codes[:rank], codes[rank + 1], codes[rank], *codes[rank + 2 :])]
        if rank + 1 < len(codes)
        else INDEX[codes]
        for codes in LISTS
    ]
    for rank in range(3)
]
"""For each rank, the new index of each list after the document at the rank is swapped with the next
document.
"""
NEAR = {"rtol": 1e-9, "atol": 1e-9}
STEP = 1e-9


@cache
def evidence_of(missed):
    return Evidence(block_of(LISTS, [judged_of(codes, missed) for codes in LISTS], WIDTH))


@cache
def scores(metric, missed):
    """Return a metric's scores for all lists at every depth."""
    with np.errstate(all="ignore"):
        return metric.score(evidence_of(missed))


def scores_of(metrics):
    return [scores(metric, missed) for metric in metrics for missed in MISSED[:2]]


def gains_of(metric):
    """Return the gain of each document code, or its relevance."""
    if not hasattr(metric, "gain"):
        return 1.0 * (getattr(metric, "rel", 1) <= CODES)
    gains = metric.gain.map(np.maximum(CODES, -1), rel=metric.rel, top=3)
    return np.where(CODES > UNJUDGED, gains, 0.0)


@cache
def padded():
    """Return the index of the code at each rank."""
    index_of = {code: index for index, code in enumerate(CODES.tolist())}
    return np.array([(*map(index_of.get, codes), *[0] * WIDTH)[:WIDTH] for codes in LISTS])


def cost_of(metrics):
    """Return whether relevant documents at the top lower scores."""
    orders = [INDEX[order] for order in set(itertools.permutations((3, 2, 0, 0)))]
    best = INDEX[3, 2, 0, 0]
    gaps = []
    for values in scores_of(metrics):
        last = np.nan_to_num(values[:, 3], nan=np.inf, posinf=1e9)
        gaps += [last[orders] - last[best]]
    return bool(np.min(gaps) >= -STEP and np.max(gaps) > STEP)


def range_of(metrics):
    values = np.concatenate(scores_of(metrics))
    low, high = np.nanmin(values), np.nanmax(values)
    return (
        -np.inf if low < -STEP else float(low >= 1 and high > 1),
        np.inf if high > 1 + STEP else 1.0,
    )


def unit_of(metrics):
    """Return whether scores leave their range for gains above 1."""
    if not hasattr(metrics[0], "gain"):
        return False
    low, high = type(metrics[0]).range
    large = GainMap({1: 2, 2: 3, 3: 9})
    values = [scores(changed(metric, gain=large), MISSED[0]) for metric in metrics]
    return bool((np.array(values) > high + STEP).any() or (np.array(values) < low - STEP).any())


def needs_depth_of(metrics):
    """Return whether scores change past the end of a list.

    Classes that override `uncut` do not declare `needs_depth`.
    """
    past = (np.arange(WIDTH) >= LENGTH[:, np.newaxis]) & (LENGTH > 0)[:, np.newaxis]
    overridden = type(metrics[0]).uncut is not Metric.uncut
    needs = []
    for metric in metrics:
        uncut = metric.uncut() if overridden else metric
        values = np.array(scores_of([uncut or metric]))
        last = values[:, np.arange(len(LISTS)), np.maximum(LENGTH - 1, 0), np.newaxis]
        needs += [bool((~np.isclose(values, last, equal_nan=True) & past).any())]
        assert not (overridden and uncut and needs[-1]), f"{uncut} depends on the depth"
    return any(needs) and not overridden


def sees_length_of(metrics):
    """Return whether appending an unjudged document changes a score."""
    short = [codes for codes in LISTS if len(codes) < 4]
    lists = [INDEX[codes] for codes in short]
    longer = [INDEX[(*codes, UNJUDGED)] for codes in short]
    return not all(
        np.allclose(values[lists, 4:], values[longer, 4:], equal_nan=True)
        for values in scores_of(metrics)
    )


def favours_short_of(metrics):
    """Return whether removing a final relevant document may raise scores."""
    sign = -1 if cost_of(metrics) else 1
    for metric in metrics:
        rel = getattr(metric, "rel", 1)
        lists = [
            codes for codes in LISTS if codes and max(codes[:-1], default=0) < rel <= codes[-1]
        ]
        for missed in MISSED[:2]:
            judged = [judged_of(codes, missed) for codes in lists]
            with_it = scores(metric, missed)[[INDEX[codes] for codes in lists], -1]
            block = block_of([codes[:-1] for codes in lists], judged, WIDTH)
            without = metric.score(Evidence(block))[:, -1]
            lost = np.isnan(without) & ~np.isnan(with_it) & (sign < 0)
            if (lost | (sign * without > sign * with_it + STEP)).any():
                return True
    return False


def additive_of(metrics):
    """Return whether scores are sums of gains with decreasing weights."""
    if not hasattr(metrics[0], "gain") or sees_length_of(metrics):
        return False
    inside = np.arange(4) < LENGTH[:, np.newaxis]
    block = block_of(LISTS, [[*LEVELS.tolist()] * 5] * len(LISTS), WIDTH)
    for metric in metrics:
        values = metric.score(Evidence(block))
        gains = gains_of(metric)
        single = [INDEX[(0,) * rank + (3,) + (0,) * (3 - rank)] for rank in range(4)]
        weights = values[single] / gains[-1]
        total = (gains[padded()[:, :4]] * inside) @ weights
        if not np.allclose(values, total, **NEAR) or (np.diff(weights, axis=0) > STEP).any():
            return False
    return True


TIES = [(0, 1, 1, 1), (0, 1, 0, 1), (0, 0, 1, 1), (0, 1, 1, 0)]


def orders_of(ties):
    """Return all orders of four documents that the ties allow."""
    starts = [rank for rank, tied in enumerate(ties) if not tied]
    blocks = [range(*ends) for ends in itertools.pairwise([*starts, 4])]
    return np.array([sum(o, ()) for o in itertools.product(*map(itertools.permutations, blocks))])


@cache
def reordered(ties):
    """Return the index of each list in each allowed order."""
    orders = orders_of(ties).tolist()
    return [[INDEX[tuple(map(codes.__getitem__, order))] for order in orders] for codes in FULL]


@cache
def tied_evidence(ties, missed):
    none = {"tail": np.zeros((len(FULL), len(LEVELS)), int), "tail_size": np.zeros(len(FULL), int)}
    tied = np.broadcast_to(np.array(ties, bool), (len(FULL), 4))
    judged = [judged_of(codes, missed) for codes in FULL]
    return Evidence(block_of(FULL, judged, 4, tied=tied, **none))


def linear_of(metrics):
    """Return whether averaged gains give the mean over tied orders."""
    for ties, missed, metric in itertools.product(TIES, MISSED[:2], metrics):
        mean = scores(metric, missed)[reordered(ties), :4].mean(axis=1)
        evidence = tied_evidence(ties, missed)
        try:
            shared_scores = metric.kernel(**evidence.read(metric))
        except TypeError:  # a kernel of booleans cannot read averages of relevance
            return False
        if not np.allclose(np.broadcast_to(shared_scores, mean.shape), mean, equal_nan=True):
            return False
    return True


def keys_of(metric, order):
    """Return the sort keys of document codes, None if undefined."""
    relevant = getattr(metric, "rel", 1) <= CODES
    gains = gains_of(metric) if hasattr(metric, "gain") else np.maximum(CODES, 0)
    paid_below = hasattr(metric, "gain") and gains[~relevant].any()
    return {
        "relevance": 1.0 * relevant,
        "judged": 1.0 * (CODES > UNJUDGED),
        "gain": gains,
        "reward": None if paid_below else np.where(relevant, gains, -1.0),
    }[order]


def follows(metric, order, *, cost):
    """Return whether promoting documents with higher keys never lowers scores.

    Swapping documents with equal keys must not change the score.
    """
    keys = keys_of(metric, order)
    for missed, rank in itertools.product(MISSED[:2] if keys is not None else (), range(3)):
        values = scores(metric, missed)
        values = np.nan_to_num(-values, nan=-1e9, neginf=-1e8) if cost else values
        upper, lower = keys[padded()[:, rank]], keys[padded()[:, rank + 1]]
        long = rank + 1 < LENGTH
        gained = values[SWAPPED[rank]] - values
        unscored = np.isnan(values[SWAPPED[rank]]) != np.isnan(values)
        rises, same = long & (upper < lower - STEP), long & (abs(upper - lower) < STEP)
        if (gained[rises] < -STEP).any() or (abs(gained[same]) > STEP).any():
            return False
        if unscored[rises | same].any():
            return False
    return True


def order_of(metrics):
    """Return the coarsest order of documents that all variants follow."""
    cost = cost_of(metrics)
    orders = ("relevance", "judged", "gain", "reward")
    valid = (o for o in orders if all(follows(metric, o, cost=cost) for metric in metrics))
    return next(valid, "")


def by_grade_of(metrics):
    """Return whether appending a document never lowers a score.

    The best order must be by grade, and scores may only depend on grades and judgments.
    """
    sign = -1 if cost_of(metrics) else 1
    short = [codes for codes in LISTS if len(codes) < 4]
    for metric, code, missed in itertools.product(metrics, CODES.tolist(), MISSED[:2]):
        longer = [(*codes, code) for codes in short]
        judged = [judged_of(codes, missed) for codes in longer]
        with np.errstate(all="ignore"):
            fewer, more = (
                sign * metric.score(Evidence(block_of(lists, judged, WIDTH)))
                for lists in (short, longer)
            )
        if ((more < fewer - STEP) | (np.isnan(more) != np.isnan(fewer))).any():
            return False
    grades_alone = "found_share" not in parameters(type(metrics[0]).kernel)
    return order_of(metrics) not in {"", "judged"} and grades_alone and not sees_length_of(metrics)


LABELLED = [
    codes
    for n in range(1, 5)
    for codes in itertools.product((UNJUDGED, 0, 1, 3), repeat=n)
    if UNJUDGED in codes
]
ALL_LABELS = [
    (number, labels)
    for number, codes in enumerate(LABELLED)
    for labels in itertools.product(*((0, 1, 2, 3) if c == UNJUDGED else (c,) for c in codes))
]


def bounds_are_exact(metric, depth, missed):
    """Return whether bounds equal the extremes over all labelings."""
    numbers = np.array([number for number, _ in ALL_LABELS])
    labels = [codes for _, codes in ALL_LABELS]
    every = block_of(labels, [judged_of(codes, missed) for codes in labels], depth)
    low, high = np.full((2, len(LABELLED), depth), np.nan)
    with np.errstate(all="ignore"):
        values = metric.score(Evidence(every))
        np.fmin.at(low, numbers, values)
        np.fmax.at(high, numbers, values)
        beyond = np.array([codes[depth:].count(UNJUDGED) for codes in LABELLED])
        judged = [judged_of(codes, missed) for codes in LABELLED]
        lists = block_of(LABELLED, judged, depth, beyond=beyond)
        try:
            bounds = labelled_bounds(metric, lists, np.arange(1, depth + 1))
        except (AttributeError, TypeError):  # this metric lacks fields that the method reads
            return False
    return np.allclose(bounds, (low, high), equal_nan=True, **NEAR)


def fillings_of(metrics):
    """Return the first options of `bounds` that give exact bounds."""
    rising = [m for m in metrics if (np.diff(gains_of(m)[2:]) >= 0).all()]
    rising = [m for m in rising if "pool" not in {getattr(m, "norm", ""), getattr(m, "ideal", "")}]
    with np.errstate(invalid="ignore"):  # infinite scores
        rise = [scores(metric, MISSED[2]) - scores(metric, MISSED[1]) for metric in rising]
    if not (np.abs(rise) > STEP).any() or "strata" in parameters(type(metrics[0]).kernel):
        return "", ""
    fillings = "list" if (np.array(rise) > STEP).any() else "cut"
    for graded in ("", "ratios", "labelings") if hasattr(metrics[0], "gain") else ("",):
        tried = [changed(metric, fillings=fillings, graded=graded) for metric in rising]
        cases = itertools.product(tried, (2, 4), MISSED[:2])
        if all(itertools.starmap(bounds_are_exact, cases)):
            return fillings, graded
    return "", ""


def average_of(metrics):
    """Return the mean over topics by trec_eval or papers."""
    name = type(metrics[0]).__name__
    counts = {TREC_NAMES[measure] for measure in TREC_NAMES if measure.startswith("num_")}
    harmonic = "harmonic" if name.startswith("Inverse") else "mean"
    return "sum" if name in counts else harmonic


def reads_of(kind, metric):
    """Return whether a metric needs each kind of additional judgments.

    None means that the metric works with and without such judgments.
    """
    messages = {"subtopics": "by subtopic", "spans": "by spans", "timed": "lengths of the"}
    if "found_share" in parameters(kind.kernel):
        return {"subtopics": None, "spans": None, "timed": False}
    try:
        metric.score(evidence_of(MISSED[0]))
    except MetricError as error:
        return {fact: text in str(error) for fact, text in messages.items()}
    return dict.fromkeys(messages, False)


DERIVED = {
    "additive": additive_of,
    "average": average_of,
    "by_grade": by_grade_of,
    "cost": cost_of,
    "favours_short": favours_short_of,
    "linear": linear_of,
    "needs_depth": needs_depth_of,
    "order": order_of,
    "range": range_of,
    "sees_length": sees_length_of,
    "unit": unit_of,
}


def enumerated_facts(name):
    """Return the attributes of a metric of grades, by enumeration."""
    metrics = BY_NAME[name]
    derived = {fact: derive(metrics) for fact, derive in DERIVED.items()}
    derived["fillings"], derived["graded"] = fillings_of(metrics)
    return derived | reads_of(METRICS[name], metrics[0])


@pytest.mark.parametrize("name", few_of(sorted(BY_NAME), 12, 1, drawn=False))
def test_declared_facts_equal_enumerated_ones(name):
    kind = METRICS[name]
    expected = enumerated_facts(name)
    assert {fact: getattr(kind, fact) for fact in expected} == expected
    for metric in BY_NAME[name]:  # a fixed length of missing documents favours no list
        stated = isinstance(getattr(metric, "unretrieved", ""), int)
        assert facts(metric).favours_short == (kind.favours_short and not stated)
        assert not favours_short_of([metric]) or not stated


DOCS = ("a", "b", "c", "x")
"""Documents in the enumerated lists. The last document is unjudged."""
ORDERS = [order for n in (1, 2, 3) for order in itertools.permutations(DOCS, n)]
LISTED = pd.DataFrame(
    [
        ("".join(order), "1", doc, -rank)
        for order in ORDERS
        for rank, doc in enumerate(order, start=1)
    ],
    columns=["system", "topic", "doc", "score"],
)
JUDGED = pd.DataFrame({"topic": "1", "doc": ["a", "b", "c", "d"], "grade": [2, 1, 1, 1]})
SUBTOPICS = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 2), ("d", 3)]
OTHER_KINDS = {
    "subtopics": (
        *("IA(metric='AP')", "StRecall", "alpha_DCG", "alpha_DCG(bound=False)", "alpha_nDCG"),
        *("ERR_IA", "ERR_IA(alpha=0.0, bound=False)", "nERR_IA", "NRBP", "nNRBP"),
    ),
    "spans": ("SpanF", "SpanIoU", "SpanP", "SpanR"),
    "timed": ("TBG", "U"),
}
"""Mapping from additional judgments or lengths to the metrics that need them."""


UNDECLARED = (
    *("additive", "average", "by_grade", "ceiling", "fillings", "graded", "least_topics"),
    *("linear", "unit"),
)
"""Attributes that the metrics of `OTHER_KINDS` do not declare, because these metrics have no
bounds and no best order by grade."""
KEYS = {"relevance": {"a": 1, "b": 1, "c": 1, "x": 0}, "gain": {"a": 2, "b": 1, "c": 1, "x": 0}}
"""Mapping from values of `order` to mappings from a document to its sort key."""


@cache
def other_cube(kind):
    """Return a cube of all short lists.

    Documents with equal grades differ in their subtopics, spans or lengths.
    """
    if kind == "subtopics":
        qrels = pd.DataFrame(SUBTOPICS, columns=["doc", "subtopic"]).assign(topic="1", grade=1)
        return ir.cube(LISTED, qrels, depth=WIDTH)
    if kind == "timed":
        runs = LISTED.assign(words=LISTED["doc"].map({"a": 100, "b": 5, "c": 50, "x": 30}))
        return ir.cube(runs, JUDGED, units=ir.Units(length="words"), depth=WIDTH)
    spans = JUDGED[JUDGED["grade"] > 0].assign(start=2, end=9)[["topic", "doc", "start", "end"]]
    runs = LISTED.assign(start=0, end=LISTED["doc"].map({"a": 5, "b": 8, "c": 3, "x": 5}))
    return ir.cube(runs, ir.as_spans(spans), depth=WIDTH)


SWAPS = [
    (listed, (*listed[:rank], listed[rank + 1], listed[rank], *listed[rank + 2 :]), rank)
    for listed in ORDERS
    for rank in range(len(listed) - 1)
]
"""Each item contains a list, the same list with two neighbouring documents swapped, and the
position of the first of these documents.
"""


def other_order_of(scores):
    """Return the coarsest order in which promotions never lower scores."""
    row = {"".join(order): scores.sel(system="".join(order)).to_numpy() for order in ORDERS}
    gained = np.array([row["".join(new)] - row["".join(old)] for old, new, _ in SWAPS])
    for order, key in KEYS.items():
        raised = np.array([key[old[rank + 1]] - key[old[rank]] for old, _, rank in SWAPS])
        if (gained[raised > 0] >= -STEP).all() and (abs(gained[raised == 0]) <= STEP).all():
            return order
    return ""


def other_facts(metric, scores):
    """Return the attributes of a metric that its scores imply."""
    length = scores["system"].str.len()
    past = scores.sel(depth=xr.DataArray(length.to_numpy(), dims="system"))
    late = abs(scores - past).where(scores["depth"] > length)
    last = scores.sel(depth=WIDTH).to_series()
    longer = ["".join(order) for order in ORDERS if len(order) > 1 and order[-1] == "x"]
    appended = last[longer].to_numpy() - last[[name[:-1] for name in longer]].to_numpy()
    return {
        "cost": bool(last["acx"] < last["xca"] - STEP),
        "favours_short": bool(last["x"] > last[["xa", "xb", "xc"]].min() + STEP),
        "needs_depth": bool(late.max() > STEP) and type(metric).uncut is Metric.uncut,
        "order": other_order_of(scores),
        "range": (0.0, np.inf if scores.max() > 1 + STEP else 1.0),
        "sees_length": bool(abs(appended).max() > STEP),
    }


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_facts_of_metrics_of_other_judgments_equal_enumerated_ones(kind):
    array = other_cube(kind).ireval.score(*OTHER_KINDS[kind]).squeeze("topic")
    enumerated = {}
    for text in OTHER_KINDS[kind]:
        metric = ir.parse_metric(text)
        derived = other_facts(metric, array.sel(metric=text))
        merged = enumerated.setdefault(type(metric), derived)
        enumerated[type(metric)] = {
            fact: max(value, merged[fact]) for fact, value in derived.items()
        }
    for metric, derived in enumerated.items():
        expected = derived | reads_of(metric, metric(**{"metric": "AP"} if metric is IA else {}))
        expected |= {fact: getattr(Metric, fact) for fact in UNDECLARED}
        assert {fact: getattr(metric, fact) for fact in expected} == expected, metric


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize(
    ("name", "fact", "value"),
    [
        ("SpanR", "sees_length", True),
        ("SpanP", "sees_length", False),
        ("StRecall", "order", "relevance"),
        ("alpha_DCG", "range", (0.0, 1.0)),
        ("TBG", "favours_short", True),
        ("U", "needs_depth", True),
        ("NRBP", "ceiling", P.ceiling),
        ("ERR_IA", "least_topics", 8),
    ],
)
def test_wrong_facts_of_metrics_of_other_judgments_are_found(name, fact, value, declare):
    (kind,) = (k for k, texts in OTHER_KINDS.items() if {name, f"{name}(bound=False)"} & {*texts})
    declare(name, fact, value)
    with pytest.raises(AssertionError, match=fact):
        test_facts_of_metrics_of_other_judgments_equal_enumerated_ones(kind)


@pytest.mark.parametrize(
    ("name", "fact", "value"),
    [
        ("AP", "by_grade", False),
        ("SetP", "by_grade", True),
        ("P", "needs_depth", False),
        ("ESL", "cost", False),
        ("nDCG", "order", "relevance"),
        ("Recall", "fillings", "list"),
    ],
)
def test_wrong_facts_of_metrics_of_grades_are_found(name, fact, value, declare):
    declare(name, fact, value)
    assert enumerated_facts(name)[fact] != value


def test_every_metric_is_enumerated():
    other_metrics = {ir.parse_metric(text) for texts in OTHER_KINDS.values() for text in texts}
    assert {*BY_NAME, *(type(metric).__name__ for metric in other_metrics)} == {*METRICS}
