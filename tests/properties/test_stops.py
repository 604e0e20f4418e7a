"""Verbs treat scores at stops like scores at depths."""

import re
import warnings

import numpy as np
import pytest
from incomplete import incomplete, though_incomplete
from properties.experiments import experiment
from properties.verbs import VERBS, asked, assert_same
from turns import few_of

import irframe as ir
from irframe.errors import IrframeWarning
from irframe.metrics.facts import AT_STOP
from irframe.record import signature_of
from irframe.stops import AXES, DEPTHS, axis_of
from irframe.tables.captions import caption_text

pytestmark = incomplete
OF_SCORES = sorted(
    name for name, verb in VERBS.items() if next(iter(signature_of(verb).parameters)) == "scores"
)
OTHERS = [axis for axis in AXES.values() if axis is not DEPTHS]
with though_incomplete():
    CUBE = ir.cube(*experiment(0), collection="track")


def place(axis, depth):
    """Return the stop that replaces a depth."""
    return 100 * depth if axis.integer else depth / 8


def at_stops(axis):
    """Return a function that relabels depths of scores as stops."""

    def change(scores):
        if "depth" not in scores.dims:
            return scores
        stops = [place(axis, depth) for depth in scores["depth"].to_numpy().tolist()]
        attributes = {axis.attribute: "tokens, whole units"}
        return scores.assign_coords(depth=stops).rename(depth=axis.dim).assign_attrs(attributes)

    return change


def answer(name, axis=DEPTHS):
    """Return a verb's result for depths relabelled as stops."""
    subject, options = asked(name, CUBE, None if axis is DEPTHS else at_stops(axis))
    for option in {"at", "reference"} & {*options} if axis is not DEPTHS else ():
        value = options[option]
        single = isinstance(value, int)
        options[option] = place(axis, value) if single else [place(axis, depth) for depth in value]
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        return VERBS[name](subject, **options)


def as_depths(axis, result):
    """Return a result with its stops relabelled as depths."""
    if hasattr(result, "columns"):
        names = {axis.dim: "depth"} if axis.dim in result else {}
        back = result.rename(columns=names)
        return back.assign(**{n: (back[n] / place(axis, 1)).astype(int) for n in names.values()})
    for dim, label in ((axis.dim, "depth"), (axis.other, "depth_other")):
        if dim in result.coords:
            labels = np.round(result[dim] / place(axis, 1)).astype(int)
            result = result.assign_coords({dim: labels}).rename({dim: label})
    return result


@pytest.mark.parametrize("axis", OTHERS, ids=lambda axis: axis.dim)
@pytest.mark.parametrize("name", few_of(OF_SCORES, 4))
def test_verbs_treat_scores_at_stops_like_scores_at_depths(name, axis):
    result = answer(name, axis)
    assert "depth" not in {*getattr(result, "dims", ()), *getattr(result, "columns", ())}
    assert "depth" not in caption_text(result.attrs).replace("judged to depth", "")
    expected = answer(name)
    if name == "leaderboard":  # columns of a leaderboard have stops in their names
        result = result.rename(columns=lambda label: re.sub(AT_STOP, "", label))
        expected = expected.rename(columns=lambda label: re.sub(r"@\d$", "", label))
        result, expected = (
            frame.rename(columns={"nDCG@3": "nDCG"}) for frame in (result, expected)
        )
    assert_same(as_depths(axis, result), expected)


FIGURES = {
    "depth_curves": None,
    "ratio_curves": "discrimination",
    "volatility_map": "volatility",
    "ladder": "rank_intervals",
    "score_boxes": None,
}
"""Mapping from figures of scores by depth to the verb that computes their input, or to None for
scores.
"""


@pytest.mark.parametrize("axis", OTHERS, ids=lambda axis: axis.dim)
@pytest.mark.parametrize("name", FIGURES)
def test_figures_label_stops_with_their_names(name, axis):
    scores = at_stops(axis)(ir.verbs.score(CUBE, "AP"))
    verb = FIGURES[name]
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        subject = scores if verb is None else VERBS[verb](scores)
        assert axis_of(subject).dim == axis.dim
        ax = getattr(subject.ireval.plot, name)()
    texts = [ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")]
    assert not any("depth" in text for text in texts)
