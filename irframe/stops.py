"""Where reading stops: what scores are read along, what a place there is called, and how far it is.

A list is read from the top until it stops. A score there is the score at the depth down to which
the list was read, by the whole ideal ranking: every stop is one look into the scores at all depths.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.names import (
    BUDGET,
    BUDGETS,
    DEPTH,
    LENGTH,
    SCORE,
    SEARCH,
    SEARCHES,
    THRESHOLD,
    THRESHOLDS,
)

ROUNDING = 1e-9
"""By how much of itself a budget may be exceeded, for lengths that are no whole numbers."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What scores are read along; templates of words take a place as ``stop``, and the unit."""

    dim: str = DEPTH
    option: str = ""
    """The option that asks for places, and the field of a value."""
    attribute: str = ""
    """The attribute of scores that says in what it is counted, and how."""
    unit: str = ""
    """That, as far as it names a unit."""
    along: str = ""
    """What has to be known of every document to tell how many are read."""
    count_read: Callable[[Any, Any], NDArray[np.int64]] | None = None
    """How many documents of every list are read, of hits and stops: (system, topic, stop)."""
    title: str = "evaluation depth"
    """What figures write beside it, of two metrics before their names."""
    title_end: str = " k"
    """What follows where there is one."""
    stop_text: str = "depth {stop}"
    origin: str = ""
    """What captions say of what the attribute tells."""
    label: str = ""
    """What a metric at a place is called, if not as at a depth."""
    log: bool = True
    """Whether figures lay it out on a logarithmic scale."""
    integer: bool = True
    """Whether places are whole numbers from 1; others are any, of each system, or all there are."""
    cuts: bool = False
    """Whether there is a choice of what becomes of the first document that is not read."""
    missing: tuple[str, str] = ("", "")
    """What is wanted where `along` is not known, and how it is told."""
    empty_text: str = ""
    """What is said of lists of which nothing is read, if that is a reason to beware."""
    advice: str = ""
    """What helps where a stop is no whole number."""

    @property
    def other(self) -> str:
        """The dimension of the second side of a matrix of two places."""
        return self.dim + "_other"

    def describe(self, words: str, stop: Any = "") -> str:
        """Return words of it, of a place or of all."""
        return words.format(stop=plain(stop), unit=self.unit)

    def column(self, stops: Any) -> Any:
        """Return places as a frame has them, with none where there is none."""
        return pd.array(stops, dtype="Int64" if self.integer else "Float64")

    def named(self, metric: Any, stop: Any) -> str:
        """Return what a metric is called at a place.

        Examples
        --------
        >>> DEPTHS.named("AP", 10), replace(AXES["budget"], unit="tokens").named("AP", 500)
        ('AP@10', 'AP in 500 tokens')
        """
        if not self.label:
            from irframe.metrics.facts import label_at  # noqa: PLC0415 - of all metrics: costs time

            return label_at(str(metric), stop)
        return self.label.format(metric, plain(stop), self.unit)


def plain(stop: Any) -> str:
    """Return a place as it is written, without decimals that are none.

    Examples
    --------
    >>> plain(10), plain(0.4), plain(25.0)
    ('10', '0.4', '25')
    """
    return str(int(stop)) if isinstance(stop, float) and stop.is_integer() else str(stop)


def _fit(hits: Any, budgets: Any) -> NDArray[np.int64]:
    """Return how many units fit into budgets, one after the other."""
    through = hits.down_to(np.asarray(hits.along[LENGTH], np.float64))
    return _up_to(hits, np.asarray(budgets) * (1 + ROUNDING), through)


def _up_to(hits: Any, limits: Any, values: Any) -> NDArray[np.int64]:
    """Return how many documents of every list have values up to limits, (system, topic, limit)."""
    of, size = hits.list_of, hits.length.size
    read = [np.bincount(of[values <= limit], minlength=size) for limit in limits]
    return np.stack(read, axis=-1).reshape(*hits.length.shape, len(read))


def _after(hits: Any, searches: Any) -> NDArray[np.int64]:
    """Return how many documents the first searches found."""
    return _up_to(hits, searches, hits.along[SEARCH])


def _reach(hits: Any, thresholds: Any) -> NDArray[np.int64]:
    """Return how many documents have scores of at least thresholds, all or of each system."""
    score = hits.along[SCORE]
    with np.errstate(over="ignore"):  # beyond float32, where scores are such
        least = np.asarray(thresholds, np.float64).astype(score.dtype).T
    if least.ndim > 1:  # of each system, for each of its documents
        least = least[:, hits.list_of // max(1, hits.length.shape[1])]
    return _up_to(hits, -least, -score)


DEPTHS = Axis()
AXES = {
    axis.dim: axis
    for axis in (
        DEPTHS,
        Axis(
            dim=BUDGET,
            option="budget",
            attribute=BUDGETS,
            along=LENGTH,
            count_read=_fit,
            title="budget",
            title_end=", {unit}",
            stop_text="{stop} {unit}",
            origin="budgets in {}",
            label="{} in {} {}",
            cuts=True,
            missing=(
                "lengths of what was retrieved, for a budget",
                "say what each unit costs: units=ir.Units(length='tokens'), a column of the runs",
            ),
            empty_text="nothing fits into {stop} {unit}",
            advice="count in a smaller unit, such as cents or milliseconds",
        ),
        Axis(
            dim=THRESHOLD,
            option="threshold",
            attribute=THRESHOLDS,
            along=SCORE,
            count_read=_reach,
            title="threshold",
            title_end="",
            stop_text="{unit} >= {stop}",
            origin="thresholds of the {}",
            label="{} >= {}",
            log=False,
            integer=False,
            missing=(
                "scores of what was retrieved, for a threshold",
                "build the cube with scores=True",
            ),
        ),
        Axis(
            dim=SEARCH,
            option="searches",
            attribute=SEARCHES,
            along=SEARCH,
            count_read=_after,
            title="searches",
            title_end="",
            stop_text="search {stop}",
            origin="scores after searches by {}",
            label="{} after search {}",
            log=False,
            missing=(
                "the number of each search, for a number of searches",
                "name the column of the runs that has it: search='search'",
            ),
        ),
    )
}
"""What scores may be read along, by the dimension."""


def axis_of(subject: Any) -> Axis:
    """Return what scores or results are read along.

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
    held = {*getattr(subject, "dims", ()), *getattr(subject, "coords", ())}
    return axis if axis.dim in held else DEPTHS


def axis_from_attrs(attributes: Mapping[Any, Any]) -> Axis:
    """Return what scores are read along as their attributes tell, by themselves.

    Examples
    --------
    >>> axis_from_attrs({"budgets": "tokens, whole units"}).dim, told_axis({"budgets": [5, 10]}).dim
    ('budget', 'depth')
    """
    for axis in AXES.values():
        told = attributes.get(axis.attribute)
        if isinstance(told, str):
            return replace(axis, unit=told.rpartition(", ")[0] or told)
    return DEPTHS
