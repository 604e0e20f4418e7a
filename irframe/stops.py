"""Axes of scores: evaluation depths, budgets, thresholds or searches.

A stop is the point at which a user stops reading a list. The score at a stop is the score at the
depth that the user has reached. The ideal ranking is never cut at a stop.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from irframe import names as words
from irframe.arrays import Array

ROUNDING = 1e-9
"""Relative tolerance of a budget, because sums of fractional lengths have rounding errors."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """Dimension of the stops at which users stop reading.

    Texts may be templates with the fields ``{stop}`` and ``{unit}``.
    """

    dim: str = words.DEPTH
    option: str = ""
    """Name of the option that sets the stops, and of the field with the stops in an option
    value."""
    attribute: str = ""
    """Name of the attribute of scores that contains the unit of stops."""
    unit: str = ""
    """Unit of stops, such as tokens."""
    along: str = ""
    """Name of the values of documents that are compared with stops, such as lengths."""
    count_read: Callable[[Any, Any], NDArray[np.int64]] | None = None
    """Function of retrieved documents and stops. The result is the number of documents that a user
    reads, shape (system, topic, stop)."""
    title: str = "evaluation depth"
    """Label of the axis in figures."""
    title_end: str = " k"
    """Text after `title` in figures in which this is the only axis of stops."""
    stop_text: str = "depth {stop}"
    origin: str = ""
    """Template of the text in captions that states the value of `attribute`."""
    label: str = ""
    """Template of the label of a metric at a stop. Depths need no template, because labels such as
    ``AP@10`` are used."""
    log: bool = True
    """Whether figures use a logarithmic scale."""
    integer: bool = True
    """Whether stops are integers of at least 1. Thresholds may be any numbers, and may differ by
    system."""
    cuts: bool = False
    """Whether the first document that exceeds a stop may be cut."""
    missing: tuple[str, str] = ("", "")
    """Expected input and advice for the error that is raised for data without `along`."""
    empty_text: str = ""
    """Template of the caution about lists whose first document is not read."""
    advice: str = ""
    """Advice for a stop that is not an integer."""

    @property
    def other(self) -> str:
        """Second dimension of a matrix over pairs of stops."""
        return self.dim + "_other"

    def describe(self, template: str, stop: object = "") -> str:
        """Fill in the stop and the unit in a template."""
        return template.format(stop=plain(stop), unit=self.unit)

    def column(self, stops: Any) -> Any:
        """Return stops as a nullable pandas array."""
        return pd.array(stops, dtype="Int64" if self.integer else "Float64")

    def named(self, metric: object, stop: object) -> str:
        """Return the label of a metric at a stop.

        Examples
        --------
        >>> DEPTHS.named("AP", 10), replace(AXES["budget"], unit="tokens").named("AP", 500)
        ('AP@10', 'AP in 500 tokens')
        """
        if not self.label:
            from irframe.metrics.facts import label_at  # noqa: PLC0415 - slow: imports all metrics

            return label_at(str(metric), stop)
        return self.label.format(metric, plain(stop), self.unit)


def plain(stop: object) -> str:
    """Return a stop as text.

    Examples
    --------
    >>> plain(10), plain(0.4), plain(25.0)
    ('10', '0.4', '25')
    """
    return str(int(stop)) if isinstance(stop, float) and stop.is_integer() else str(stop)


def _fit(hits: Any, budgets: ArrayLike) -> NDArray[np.int64]:
    """Count the documents per list that fit each budget."""
    through = hits.down_to(np.asarray(hits.along[words.LENGTH], np.float64))
    return _up_to(hits, np.asarray(budgets) * (1 + ROUNDING), through)


def _up_to(hits: Any, limits: Array, values: Array) -> NDArray[np.int64]:
    """Count documents per list with values up to each limit."""
    list_of = hits.list_of
    size = hits.length.size
    # values never fall along a list, so their number up to a limit is also a depth
    counts = [np.bincount(list_of[values <= limit], minlength=size) for limit in limits]
    return np.stack(counts, axis=-1).reshape(*hits.length.shape, len(counts))


def _after(hits: Any, searches: Array) -> NDArray[np.int64]:
    """Count the documents per list that the first searches returned."""
    return _up_to(hits, searches, hits.along[words.SEARCH])


def _reach(hits: Any, thresholds: ArrayLike) -> NDArray[np.int64]:
    """Count the documents with scores of at least each threshold.

    Thresholds have the shape (stop,), or (system, stop) if they differ by system.
    """
    score = hits.along[words.SCORE]
    # a threshold may exceed the range of float32 scores, and then counts as infinite
    with np.errstate(over="ignore"):
        # rounded to the type of the scores, so that a threshold equal to a score includes it
        least = np.asarray(thresholds, np.float64).astype(score.dtype).T
    # lists are numbered by system and then by topic
    if least.ndim > 1:
        least = least[:, hits.list_of // max(1, hits.length.shape[1])]
    return _up_to(hits, -least, -score)


DEPTHS = Axis()
AXES = {
    axis.dim: axis
    for axis in (
        DEPTHS,
        Axis(
            dim=words.BUDGET,
            option="budget",
            attribute=words.BUDGETS,
            along=words.LENGTH,
            count_read=_fit,
            title="budget",
            title_end=", {unit}",
            stop_text="{stop} {unit}",
            origin="budgets in {}",
            label="{} in {} {}",
            cuts=True,
            missing=(
                "the length of each retrieved document, which a budget limits",
                "name the column of the runs with the lengths: units=ir.Units(length='tokens')",
            ),
            empty_text="nothing fits into {stop} {unit}",
            advice="count in a smaller unit, such as cents or milliseconds",
        ),
        Axis(
            dim=words.THRESHOLD,
            option="threshold",
            attribute=words.THRESHOLDS,
            along=words.SCORE,
            count_read=_reach,
            title="threshold",
            title_end="",
            stop_text="{unit} >= {stop}",
            origin="thresholds of the {}",
            label="{} >= {}",
            log=False,
            integer=False,
            missing=(
                "the score of each retrieved document, which a threshold limits",
                "build the cube with scores=True",
            ),
        ),
        Axis(
            dim=words.SEARCH,
            option="searches",
            attribute=words.SEARCHES,
            along=words.SEARCH,
            count_read=_after,
            title="searches",
            title_end="",
            stop_text="search {stop}",
            origin="scores after searches by {}",
            label="{} after search {}",
            log=False,
            missing=(
                "the search that returned each document, to stop after some searches",
                "name the column of the runs with the number of the search: search='search'",
            ),
        ),
    )
}
"""Mapping from dimensions to axes."""


def axis_of(subject: object) -> Axis:
    """Return the axis of scores or results.

    Examples
    --------
    >>> frame = pd.DataFrame({"budget": [500], "AP": [0.1]})
    >>> axis_of(frame).dim
    'depth'
    >>> frame.attrs["budgets"] = "tokens, whole units"
    >>> axis_of(frame).dim, axis_of(frame).unit
    ('budget', 'tokens')
    """
    axis = axis_from_attrs(getattr(subject, "attrs", {}))
    if axis is DEPTHS:
        return axis
    if isinstance(subject, pd.DataFrame):
        return axis if axis.dim in {*subject.columns, *subject.index.names} else DEPTHS
    names = {*getattr(subject, "dims", ()), *getattr(subject, "coords", ())}
    return axis if axis.dim in names else DEPTHS


def axis_from_attrs(attributes: words.Attributes) -> Axis:
    """Return the axis of stops in the attributes of scores.

    Examples
    --------
    >>> budgets = {"budgets": "tokens, whole units"}
    >>> axis_from_attrs(budgets).dim, axis_from_attrs({"budgets": [5, 10]}).dim
    ('budget', 'depth')
    """
    for axis in AXES.values():
        value = attributes.get(axis.attribute)
        if isinstance(value, str):
            return replace(axis, unit=value.rpartition(", ")[0] or value)
    return DEPTHS
