"""Figures show the options in the record of their result."""

import re
from collections import Counter
from typing import Literal, get_args, get_origin

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from incomplete import incomplete, though_incomplete
from matplotlib.colors import to_rgba_array
from properties.experiments import DEPTH, SYSTEMS, experiment
from properties.test_records import With, another
from properties.verbs import VERBS, call, outcome
from turns import few_of

import irframe as ir
from irframe.errors import IrframeError, ParameterError
from irframe.kinds import SCORES, takes, verbs
from irframe.option_values import plain_parameters
from irframe.paired import TESTS, Permutation
from irframe.printed import is_p
from irframe.record import SOURCES, signature_of
from irframe.tables.captions import ADJUST_WORDS, caption_text

pytestmark = incomplete
FIGURES = {name: takes(name, figure) for name, (figure, _) in verbs("irframe.plots").items()}
NAMES = ["one", "two", "three"]
GIVEN = {
    "a": "s1",
    "b": "s2",
    "cost": dict.fromkeys(SYSTEMS, 1.0),
    "dates": {name: f"2020-0{place + 1}" for place, name in enumerate(SYSTEMS)},
    "depth": DEPTH,
    "metric": "two",
    "system": "s1",
}
with though_incomplete():
    CUBE = ir.cube(*experiment(0), collection="track")


def drawn(name, subject, given=()):
    """Draw a figure with its required arguments; return the axes."""
    asked = {
        word: GIVEN[word]
        for word in given
        if word in signature_of(getattr(ir.plots, name)).parameters
    }
    return np.ravel(getattr(subject.ireval.plot, name)(**asked))


def renamed(scores):
    """Return scores with meaningless metric names, except for Twist."""
    labels = zip(scores["metric"].to_numpy(), NAMES, strict=False)
    return scores.assign_coords(metric=[old if old == "Twist" else new for old, new in labels])


def negated(scores):
    """Return renamed scores, negated and declared as costs."""
    named = renamed(scores)
    costs = named["metric"] != "Twist"
    lower = named["metric"].to_numpy()[costs.to_numpy()].tolist()
    return named.where(~costs, -named).assign_attrs(named.attrs, lower=lower)


OF_SCORES = sorted(
    name for name, verb in VERBS.items() if next(iter(signature_of(verb).parameters)) == "scores"
)
BY_METRIC = {
    "side_by_side": lambda found, change: xr.merge(
        [found.drop_dims("metric"), turned := change(found[["difference"]])], join="outer"
    ).assign_attrs(turned.attrs),
    "tie_ranges": lambda found, change: change(found),
}
"""Mapping from verbs to functions that change the scores in their results.

These verbs take a cube.
"""


def decided(result):
    """Return the values that negated scores must not change.

    These values are labels, counts, flags, ranks, shares and p-values.
    """
    if isinstance(result, pd.DataFrame):
        result = result.reset_index().to_xarray()
    if isinstance(result, xr.DataArray):
        return {} if result.attrs.get("result") in SOURCES else {"": np.round(result, 12)}
    texts = {
        name: values
        for name, values in result.items()
        if values.dtype.kind in "biuOUS" or is_p(name)
    }
    return texts | {name: np.round(result[name], 12) for name in {"cell", "share"} & {*result}}


@pytest.mark.parametrize("name", few_of(OF_SCORES, 2))
def test_a_negated_cost_is_read_as_a_gain(name):
    gain, cost = (decided(call(name, CUBE, change)) for change in (renamed, negated))
    assert gain.keys() == cost.keys()
    for key, values in gain.items():
        np.testing.assert_array_equal(values, cost[key], err_msg=str(key))


OF_METRICS = [
    (n, k) for n, kinds in FIGURES.items() for k in kinds if k in {SCORES, *OF_SCORES, *BY_METRIC}
]


@pytest.mark.parametrize(("name", "kind"), few_of(OF_METRICS, 2))
@pytest.mark.filterwarnings("ignore:systems have means over:irframe.errors.IrframeWarning")
def test_a_negated_cost_prints_like_a_gain(name, kind):
    gain, cost = (looks(name, kind, change) for change in (renamed, negated))
    assert gain == cost


def looks(name, kind, change):
    """Draw a figure; return its colours, and texts without numbers."""
    if kind == SCORES:
        subject = change(ir.verbs.score(CUBE, "AP", "nDCG", at=[DEPTH]))
    elif kind in BY_METRIC:
        subject = BY_METRIC[kind](call(kind, CUBE), change)
    else:
        subject = call(kind, CUBE, change)
    unasked = {"leaderboard": {"metric", "depth"}, "compare": {"depth"}}
    options = GIVEN.keys() - unasked.get(kind, set())
    (ax,) = drawn(name, subject.sel(depth=[DEPTH]) if name == "agreement_map" else subject, options)
    texts = [re.sub(r"[-\N{MINUS SIGN}+]?[\d.]+", "", text) for text in texts_of(ax)]
    return Counter(colours(ax)), Counter(filter(None, texts))


def texts_of(ax):
    """Return all texts of a figure."""
    written = [
        *ax.texts,
        *ax.get_yticklabels(),
        ax.title,
        ax._left_title,
        ax.xaxis.label,
        ax.yaxis.label,
    ]
    legend = ax.get_legend()
    return [text.get_text() for text in [*written, *(legend.get_texts() if legend else ())]]


def colours(ax):
    for artist in (*ax.patches, *ax.lines, *ax.collections):
        look = artist.get_color() if hasattr(artist, "get_color") else artist.get_facecolor()
        yield from map(str, to_rgba_array(look).tolist())
    for image in ax.images:
        yield from map(str, np.ravel(image.get_array()).tolist())


SWITCHES = {
    "test": [Permutation(samples=19, seed=3), ["t", Permutation(samples=19, seed=3)]],
    "resamples": [np.arange(8).reshape(2, 4) % 4],
    "samples": [7],
    "seed": [5],
    "alpha": [0.1],
}
"""Mapping from options without a fixed list of values to the values to test, which are not
defaults.
"""
NOT_HERE = {"over", "relevant", "ties", "score_dtype"}
"""Options that this module does not test, because they need repeats, topics with a single relevant
document, or runs."""


def words_of(annotation):
    """Return the literal values that a parameter accepts."""
    if get_origin(annotation) is Literal:
        return [*get_args(annotation)]
    return [word for arg in get_args(annotation) for word in words_of(arg)]


DRAWN = {kind for kinds in FIGURES.values() for kind in kinds} & {*VERBS}
SWITCHED = [
    (verb, word, value)
    for verb in sorted(DRAWN | {"outcomes"})
    for word, parameter in plain_parameters(signature_of(VERBS[verb])).items()
    if word not in NOT_HERE
    for value in [*words_of(parameter.annotation), *SWITCHES.get(word, [])]
]
WORDS = [*(kind.title for kind in TESTS.values()), *ADJUST_WORDS.values()]
RECORDED = "|".join([*WORDS, r"\d+ samples", r"samples=\d+", r"seed[ =]\d+", r"alpha = [\d.]+"])


def one_of_each(scores):
    """Return scores of one metric at one depth."""
    return scores.isel(metric=[0], depth=[2])


@pytest.mark.parametrize(("verb", "word", "value"), few_of(SWITCHED, 24))
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
def test_figures_state_only_options_that_their_result_records(verb, word, value):
    options = {"metrics": ("AP",), "at": 3} if {"metrics", "at"} & {word} == set() else {}
    options = {
        key: one for key, one in options.items() if key in signature_of(VERBS[verb]).parameters
    }
    try:
        result = call(verb, CUBE, one_of_each, **options | {word: value})
    except ParameterError:  # this value of the option cannot be combined with the other options
        assert word in {"test", "adjust", "seed", "order_by"}
        return
    result = getattr(result, "summary", result)
    for name in [name for name, kinds in FIGURES.items() if verb in kinds]:
        if signature_of(getattr(ir.plots, name)).parameters.keys() & {"topic", "a"}:
            continue
        chosen = result.isel(test=[0]) if "test" in getattr(result, "dims", ()) else result
        recorded = caption_text(result.attrs) + str(result.attrs.get("measure"))
        for ax in drawn(name, chosen):
            text = "\n".join(texts_of(ax))
            assert [match for match in re.findall(RECORDED, text) if match not in recorded] == []
            assert verb != "outcomes" or f"{result.attrs['measure']} a" in text


SHAPED = [
    (verb, word, number)
    for verb in sorted(DRAWN | {"outcomes"})
    for word in list(plain_parameters(signature_of(VERBS[verb])))[1:]
    for number in range(len(another(verb, word)))
] + [(verb, "by", number) for verb in sorted(DRAWN) for number in (0, 1)]
"""Each item contains a verb with a figure, one of its options, and the position of the option's
value in `another`. The option `by` stands for `groupby`.
"""


def shape_of(result):
    """Return the names and sizes of columns or variables."""
    if isinstance(result, pd.DataFrame):
        return [*result.columns, *result.index.names, len(result)]
    return {**result.sizes, **dict.fromkeys(getattr(result, "data_vars", ()))}


def first_label(result, word):
    """Return a result's first label, or a default label."""
    if isinstance(result, pd.DataFrame):
        result = result.reset_index()
    labels = np.ravel(result[word]) if word in result else np.array([])
    return labels[0] if labels.size else GIVEN.get(word)


@pytest.mark.property
@pytest.mark.parametrize(("verb", "word", "number"), few_of(SHAPED, 24))
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
def test_figures_draw_or_refuse_results_of_every_shape(verb, word, number):
    values = ["track", "team"] if word == "by" else another(verb, word)
    options = values[number] if isinstance(values[number], With) else {word: values[number]}
    usual, result = outcome(verb, CUBE), outcome(verb, CUBE, **options)
    if isinstance(result, type):
        return
    result, usual = (getattr(answer, "summary", answer) for answer in (result, usual))
    if shape_of(result) == shape_of(usual):
        return
    for name in [name for name, kinds in FIGURES.items() if verb in kinds]:
        parameters = list(signature_of(getattr(ir.plots, name)).parameters.values())[1:]
        needed = {each.name for each in parameters if each.default is each.empty}
        chosen = needed | {each.name for each in parameters if each.name in {"metric", "depth"}}
        given = {each: first_label(result, each) for each in chosen}
        if any(given[each] is None for each in needed):  # the argument is data, such as scores
            continue
        named = "|".join(map(re.escape, [*names_of(result), *given, "group"]))
        message = "group"
        try:
            getattr(result.ireval.plot, name)(**given)
        except IrframeError as error:
            message = str(error)
        plt.close("all")
        assert re.search(named, message), name


def names_of(result):
    """Return the names of dimensions or columns."""
    names = [*result.columns, *result.index.names] if hasattr(result, "columns") else result.dims
    return [str(name) for name in names if name]
