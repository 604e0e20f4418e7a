"""The class to which functions convert scores in any form."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array, at_positions
from irframe.checks import listed
from irframe.cubes.by_group import group_positions, took_part
from irframe.cubes.view import LIST, need_dask
from irframe.errors import InputError, ParameterError
from irframe.experiments.topic_design import TopicLabels, options_declared
from irframe.metrics.base import Summary
from irframe.metrics.facts import Facts, average, averaged, facts, terms
from irframe.names import BOUND, COLLECTION, METRIC, SYSTEM, TOPIC, TOPICS_OF, UNKNOWN
from irframe.paired import TESTS, PairedResult, PairedTest
from irframe.paired.design import Design
from irframe.paired.pairs import fitting, groups
from irframe.progress import tracked
from irframe.stops import DEPTHS, Axis

Arrays = tuple[Array, ...]
LOADED_BYTES = 2**32
"""Maximum number of bytes of lazy scores that are loaded into memory."""
BLOCK_BYTES = 2**26
"""Approximate number of bytes of an array over all pairs of systems and a block of depths."""
SORTED_BYTES = 2**22
"""Approximate number of bytes of the scores whose topics are sorted at a time."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of systems on topics, by metric and depth.

    Parameters
    ----------
    values
        Scores, shape (metric, system, topic, depth), NaN if missing. Lazy scores are a dask array.
    metrics, systems, topics
        Labels of the dimensions.
    depths
        Labels of depths or other stopping points. None if scores have no such axis.
    attrs
        Attributes that are copied to results computed from the scores.
    design
        How topics were drawn. None if topics were drawn independently and have equal weights.
    repeats
        Labels of repeats, if values have a dimension of repeats after systems. After averaging,
        this field is a `Repeats` object.
    axis
        The axis of depths or other stopping points.
    topic_labels
        Declared labels of topics, from which the design is derived.
    source
        The array or the rows of a frame that the scores were read from.
    rows
        Position of the row of each system and topic (and depth) in the frame, -1 if missing. None
        if the scores come from an array.
    by, keys
        `by` is the name of the groups. `keys` are the grouped dimension and each label's group.
    groups_of_labels
        Scores by group, if groups are a dimension of the array.
    bounds
        Lower and upper bounds of scores, in one array. `values` then contains the lower bounds.
    averaged
        Whether repeats are already averaged, and topics of weight 0 are already left out.
    """

    values: Any
    metrics: list[str]
    systems: pd.Index
    topics: pd.Index
    depths: pd.Index | None
    attrs: dict[Any, Any] = field(default_factory=dict)
    design: Design | None = None
    repeats: Any = None
    axis: Axis = DEPTHS
    topic_labels: TopicLabels | None = None
    source: Any = None
    rows: Array | None = None
    by: Any = None
    keys: tuple[str, Array | pd.Index] | None = None
    groups_of_labels: "dict[Hashable, Scores] | None" = None
    bounds: xr.DataArray | None = None
    averaged: bool = False

    @property
    def several_repeats(self) -> bool:
        """Whether values have a dimension of repeats."""
        return isinstance(self.repeats, pd.Index)

    @property
    def pooled(self) -> str:
        """A caution if topics belong to several collections, else ""."""
        column = self.source.attrs.get(COLLECTION)
        if column is None:
            return ""
        if column in getattr(self.source, "coords", ()):
            keys = self.source[column].to_numpy().ravel()  # a selected topic is a scalar
        else:
            pairs = self.source.attrs.get(TOPICS_OF, ())
            of = {topic: key for key, topics in pairs for topic in topics}
            keys = self.topics.map(of).to_numpy()
        present = pd.Series(keys).nunique()
        message = f"topics of {present} collections ({column}) are averaged together"
        return message if present > 1 else ""

    def refuse_bounds(self) -> None:
        """Raise if the scores are lower and upper bounds."""
        if self.bounds is not None:
            expected = f"dimensions metric, system, topic, {self.axis.dim}"
            raise InputError(expected, "other dimensions", "", [BOUND])

    def groups(self) -> "Iterator[tuple[Hashable, Scores]]":
        """Yield the name and the scores of each group.

        Scores without groups form one group called None. Systems and topics keep their order.
        """
        if self.groups_of_labels is not None or self.keys is None:
            yield from (self.groups_of_labels or {None: self}).items()
            return
        dim, keys = self.keys
        stated = took_part(self.source) if self.rows is None else self.has_row
        participated = stated
        if stated is None and dim == TOPIC:
            stated = np.ones([len(self.systems), len(self.topics)], bool)
        # lazy scores are computed only if nothing else shows which systems took part
        lazy = getattr(self.values, "chunks", None) is not None
        if participated is None or (dim == TOPIC and not lazy):
            axes = tuple({*range(self.values.ndim)} - {1, 2 + self.several_repeats})
            participated = np.asarray((~np.isnan(self.values)).any(axis=axes))
        groups = group_positions(self.by, dim, keys, self.systems, participated, stated)
        for key, positions in groups:
            rows = self._with_rows(positions)
            group = self.take(system=rows.get(SYSTEM), topic=rows.get(TOPIC))
            yield key, replace(group, keys=None)

    @property
    def has_row(self) -> Array:
        """Whether systems have rows for topics, shape (system, topic)."""
        present = np.asarray(self.rows) >= 0
        return np.asarray(present if present.ndim == len(LIST) else present.any(axis=-1))

    def _with_rows(self, positions: dict[str, Array]) -> dict[str, Array]:
        """Restrict positions to systems and topics with rows."""
        if self.rows is None:
            return positions
        inside = at_positions(self.has_row, *(positions.get(dim) for dim in LIST))
        by_dim = {dim: np.flatnonzero(inside.any(axis=1 - axis)) for axis, dim in enumerate(LIST)}
        return {dim: positions[dim][at] if dim in positions else at for dim, at in by_dim.items()}

    @property
    def label_values(self) -> Mapping[str, Array]:
        """The declared labels and their values for all topics."""
        return {} if self.topic_labels is None else self.topic_labels.values

    @cached_property
    def metric_facts(self) -> list[Facts]:
        """The properties of each metric."""
        return [facts(label) for label in self.metrics]

    @cached_property
    def summaries(self) -> list[Summary]:
        """The kind of mean of each metric."""
        return [fact.summary for fact in self.metric_facts]

    @cached_property
    def signs(self) -> list[int]:
        """The sign of each metric, -1 for costs."""
        return [fact.sign for fact in self.metric_facts]

    @cached_property
    def scored(self) -> NDArray[np.bool_]:
        """Whether all systems have a score, shape (metric, topic, depth)."""
        metrics, _, *shape = self.values.shape
        if np.isfinite(self.values.sum()):  # the sum is NaN if any score is missing
            return np.broadcast_to(np.True_, (metrics, *shape))
        scored: NDArray[np.bool_] = ~np.isnan(self.values).any(axis=1)
        return scored

    @cached_property
    def has_judged(self) -> NDArray[np.bool_]:
        """Whether each system retrieved any judged document, shape (system,)."""
        if UNKNOWN not in self.attrs:
            return np.ones(len(self.systems), bool)
        unknown = {*listed(self.attrs[UNKNOWN])}
        return np.array([str(name) not in unknown for name in self.systems.tolist()], bool)

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Signed means over common topics, shape (metric, depth, system)."""
        metrics, systems, topics, depths = self.values.shape
        result = np.empty((metrics, depths, systems))
        # sorting topics copies scores, so systems are processed in blocks
        in_blocks = self.topic_order is not None and self.scored.all()
        width = fitting(topics * depths, SORTED_BYTES) if in_blocks else systems
        for row, sign in enumerate(self.signs):
            for block in groups(systems, max(1, width)):

                def compute(scores: Array, *design: Design, row: int = row) -> Arrays:
                    return (of_topics(scores, self.summaries[row], *design),)

                (means,) = self.over(row, slice(None), compute, systems=block)
                result[row, :, block] = sign * means.T
        return result

    @cached_property
    def topic_order(self) -> Array | None:
        """Positions that sort topics by name, or None if sorted."""
        return _by_name(self.topics)

    @cached_property
    def system_order(self) -> Array | None:
        """Positions that sort systems by name, or None if sorted."""
        return _by_name(self.systems)

    def pieces(self, pairs: int) -> Iterator[tuple[int, slice]]:
        """Yield the metric and the depths of each block."""
        metrics, _, _, depths = self.values.shape
        blocks = list(groups(depths, fitting(pairs, BLOCK_BYTES)))
        for row in range(metrics):
            for block in blocks:
                yield row, slice(block.start, min(block.stop, depths))

    def by_piece(
        self, pairs: int, compute: Callable[[int, slice], Array], *, axis: int = 0
    ) -> Array:
        """Compute values in blocks, and concatenate them along depths."""
        results: dict[int, list[Array]] = {}
        for row, block in self.pieces(pairs):
            results.setdefault(row, []).append(compute(row, block))
        return np.stack([np.concatenate(blocks, axis=axis) for blocks in results.values()])

    def by_pair(
        self, pairs: int, compute: Callable[[int, slice], Arrays], *, progress: bool = False
    ) -> list[Array]:
        """Compute arrays of shape (metric, depth, pair) in blocks."""
        metrics, _, _, depths = self.values.shape
        pieces = list(self.pieces(pairs))
        columns: list[Array] = []
        steps = tracked(pieces, len(pieces), "block", progress=True) if progress else pieces
        for row, block in steps:
            arrays = compute(row, block)
            columns = columns or [
                np.empty((metrics, depths, *a.shape[:-1]), a.dtype) for a in arrays
            ]
            for column, values in zip(columns, arrays, strict=True):
                column[row, block] = values.T
        return columns

    def over_all(
        self, size: int, compute: Callable[..., Arrays], *, on_terms: bool = False
    ) -> list[Array]:
        """Apply `over` to all metrics in blocks of depths.

        If `on_terms` is true, `over_terms` is applied instead. The function `compute` returns
        `size` values per depth, such as one value per pair of systems.
        """
        apply = self.over_terms if on_terms else self.over
        return self.by_pair(size, lambda row, block: apply(row, block, compute))

    def by_summary(self, compute: "Callable[[Scores], list[Array]]") -> list[Array]:
        """Compute metrics with the same kind of mean together.

        The depths of these metrics are concatenated along one axis.
        """
        metrics, systems, topics, depths = self.values.shape
        if metrics == 1:
            return compute(self)
        results: list[Array] = []
        for summary in dict.fromkeys(self.summaries):
            rows = [row for row, kind in enumerate(self.summaries) if kind == summary]
            values = self.values if len(rows) == metrics else self.values[rows]
            flat = np.moveaxis(values, 0, 2).reshape(1, systems, topics, -1)
            first = self.metrics[rows[0]]
            scores = replace(self, values=flat, metrics=[first], depths=None, repeats=None)
            arrays = compute(scores)
            results = results or [
                np.empty((metrics, depths, *a.shape[2:]), a.dtype) for a in arrays
            ]
            for result, array in zip(results, arrays, strict=True):
                result[rows] = array.reshape(len(rows), depths, *array.shape[2:])
        return results

    def over(
        self,
        row: int,
        depths: slice,
        compute: Callable[..., Arrays],
        *,
        systems: slice = slice(None),
    ) -> Arrays:
        """Compute on the scores of one metric on common topics.

        Parameters
        ----------
        row, depths, systems
            Positions of the metric, of the depths and of the systems.
        compute
            Function of scores, shape (system, topic, depth), without NaN and with topics sorted by
            name. The function returns arrays with depth as last dimension. Its second argument is
            the design of the topics. The design is omitted if topics were drawn independently and
            have equal weights.
        """
        scores, scored = self.values[row, systems, :, depths], self.scored[row, :, depths]
        # topics are sorted, because the order of rows would otherwise affect the rounding of sums
        order = np.arange(len(self.topics)) if self.topic_order is None else self.topic_order
        if self.topic_order is not None:
            scores, scored = scores[:, order], scored[order]
        if scored.all():
            return compute(scores, *self.drawn(order))
        results = []
        depth_order = []
        for topics, here in patterns(scored):
            chunk = scores[:, topics][:, :, here]
            results.append(compute(chunk, *self.drawn(order[topics])))
            depth_order.append(here)
        back = np.argsort(np.concatenate(depth_order))
        joined = (np.concatenate(chunk, axis=-1) for chunk in zip(*results, strict=True))
        return tuple(chunk[..., back] for chunk in joined)

    def over_terms(self, row: int, depths: slice, compute: Callable[..., Arrays]) -> Arrays:
        """Compute on the terms of a metric's means; see `over`."""
        of = self.summaries[row]
        return self.over(
            row, depths, lambda scores, *design: compute(summands(scores, of), *design)
        )

    def drawn(self, topics: Array) -> tuple[Design, ...]:
        """Return the design of topics as a tuple of arguments."""
        design = None if self.design is None else self.design.take(topics)
        return () if design is None or design.plain else (design,)

    def tested(
        self, test: PairedTest, values: Array, pairs: Array, *design: Design
    ) -> PairedResult:
        """Test pairs of systems, with systems sorted by name."""
        values, pairs = self.by_name(values, pairs)
        if design:
            if not test.supports_design:
                supported = ", ".join(name for name, kind in TESTS.items() if kind.supports_design)
                named = options_declared(self.attrs)
                expected = f"a test that supports {named} ({supported})"
                raise ParameterError(expected, test.name)
            return test.with_design(design[0], values, pairs)
        return test.kernel(values, pairs)

    def by_name(self, values: Array, pairs: Array) -> tuple[Array, Array]:
        """Return values and pairs with systems sorted by name."""
        order = self.system_order
        return (values, pairs) if order is None else (values[order], np.argsort(order)[pairs])

    def load(self) -> "Scores":
        """Load lazy scores into memory."""
        return in_memory(self)[0]

    def take(
        self,
        *,
        metric: Sequence[int] | None = None,
        system: Array | None = None,
        topic: Array | None = None,
        depth: Sequence[int] | Array | None = None,
    ) -> Self:
        """Select scores by position along each dimension."""
        labels = self.topic_labels
        design = self.design
        if topic is not None:
            labels = labels and labels.take(topic)
            design = design and design.take(topic)
        repeats = self.repeats
        source = self.source
        rows = self.rows
        between = [None] * self.several_repeats
        values = at_positions(self.values, metric, system, *between, topic, depth)
        if repeats is not None and not between:
            repeats = repeats.take(metric, system, topic, depth)
        if rows is not None:
            rows = at_positions(rows, system, topic, *[depth] * (rows.ndim - len(LIST)))
            values = np.ascontiguousarray(values)  # the layout affects the rounding of sums
        elif source is not None:
            chosen = {METRIC: metric, SYSTEM: system, TOPIC: topic, self.axis.dim: depth}
            source = source.isel({dim: at for dim, at in chosen.items() if at is not None})
        return replace(
            self,
            values=values,
            source=source,
            rows=rows,
            metrics=self.metrics if metric is None else [self.metrics[n] for n in metric],
            systems=_select(self.systems, system),
            topics=_select(self.topics, topic),
            depths=None if self.depths is None else _select(self.depths, depth),
            design=design,
            topic_labels=labels,
            repeats=repeats,
        )

    def where(self, selected: NDArray[np.bool_]) -> Self:
        """Set scores on topics outside a mask to NaN."""
        if selected.all():
            return self
        return replace(self, values=np.where(selected[:, np.newaxis], self.values, np.nan))

    def labels(self, *dims: str) -> dict[str, Any]:
        """Return the labels of metrics, depths and, if requested, systems."""
        labels: dict[str, Any] = {METRIC: self.metrics}
        if SYSTEM in dims:
            labels[SYSTEM] = self.systems.rename(SYSTEM)
        return labels if self.depths is None else labels | {self.axis.dim: self.depths.to_numpy()}

    def labelled(self, values: Array, name: str) -> xr.DataArray:
        """Return labelled values over metric and depth."""
        labels = self.labels()
        shaped = values.reshape([len(label) for label in labels.values()])
        return xr.DataArray(shaped, labels, tuple(labels), name=name, attrs=dict(self.attrs))

    def beyond_depth(self, arrays: dict[str, Array], dim: str) -> xr.Dataset:
        """Return labelled values over metric, depth and another dimension."""
        alike = self.labelled(next(iter(arrays.values()))[..., 0], "")
        dims = *alike.dims, dim
        variables = {n: (dims, values.reshape(*alike.shape, -1)) for n, values in arrays.items()}
        return xr.Dataset(variables, alike.coords)


def in_memory(*sides: Scores) -> list[Scores]:
    """Load scores into memory, computing common dask tasks once.

    Raises
    ------
    InputError
        If lazy scores need more than `LOADED_BYTES`.
    """
    lazy = {id(side): side for side in sides if getattr(side.values, "chunks", None) is not None}
    if not lazy:
        return [*sides]
    size = sum(side.values.nbytes for side in lazy.values())
    if size > LOADED_BYTES:
        expected = f"at most {LOADED_BYTES / 2**30:.3g} GiB of lazy scores"
        advice = "select depths, metrics or systems: scores.sel(depth=[...])"
        raise InputError(expected, f"{size / 2**30:.3g} GiB ({size} bytes)", advice)
    values = need_dask().compute(*(side.values for side in lazy.values()))
    pairs = zip(lazy.items(), values, strict=True)
    loaded = {key: replace(side, values=array) for (key, side), array in pairs}
    return [loaded.get(id(side), side) for side in sides]


def patterns(scored: Array) -> Iterator[tuple[Array, Array]]:
    """Yield distinct masks of scored topics, with their depths."""
    distinct, code = np.unique(scored, axis=1, return_inverse=True)
    for number, topics in enumerate(distinct.T):
        yield topics, np.flatnonzero(code.ravel() == number)


def _by_name(labels: pd.Index) -> Array | None:
    """Return positions that sort labels, or None if sorted."""
    names = [*map(str, labels.tolist())]
    # arrays of text, unlike arrays of objects, drop NUL characters at the end of names
    return None if sorted(names) == names else np.argsort(np.array(names, object), kind="stable")


def _select(labels: pd.Index, positions: Array | Sequence[int] | None) -> pd.Index:
    return labels if positions is None else labels[positions]


def summands(scores: Array, summary: Summary) -> Array:
    """Return the terms that a mean sums over topics.

    Examples
    --------
    >>> summands(np.array([0.5, 0.25, 0.0]), "harmonic")
    array([-2., -4.,  0.])
    """
    if summary in {"mean", "sum"}:
        return scores
    # reciprocals fall as scores rise, so their sign is changed to keep the direction of differences
    added = terms(scores, summary) * (-1 if summary == "harmonic" else 1)
    return np.where(np.isfinite(added), added, 0.0)


def finite(added: Array, summary: Summary) -> NDArray[np.bool_]:
    """Return whether all terms are finite, by system and depth."""
    if summary == "harmonic":  # the reciprocal of a score of 0 is infinite
        return np.asarray((added != 0).all(axis=1))
    return np.ones((len(added), added.shape[2]), bool)


def of_topics(scores: Array, summary: Summary, design: Design | None = None) -> Array:
    """Average scores over topics with a design."""
    if design is None:
        return np.asarray(average(scores, summary, axis=1))
    # shares add up to 1, so a sum over topics is the weighted mean times the number of topics
    count = np.float64(len(design.weights) if summary == "sum" else 1)
    total = np.einsum("std,t->sd", terms(scores, summary), design.shares)
    return np.asarray(averaged(1.0, total * count, summary))
