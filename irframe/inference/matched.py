"""Scores in which every system is held against every other on the same topics."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.metrics.averaging import average
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.paired import Differences, PairedResult, PairedTest, describe_differences

BLOCK_BYTES = 2**26
"""Target size of an array over pairs and a block of depths, 8 bytes a value."""

Array = NDArray[Any]
Arrays = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Matched:
    """Scores of at least two systems, and the topics on which all of them have one.

    Parameters
    ----------
    array
        Scores over (metric, system, topic) and, if there is one, depth.
    """

    array: xr.DataArray

    @cached_property
    def scores(self) -> Array:
        """Scores, shape (metric, system, topic, depth), NaN included."""
        values = self.array.to_numpy().astype(np.float64, copy=False)
        return values if DEPTH in self.array.dims else values[..., np.newaxis]

    @property
    def metrics(self) -> list[str]:
        """Labels of the metrics."""
        return [str(label) for label in self.array[METRIC].to_numpy()]

    @property
    def systems(self) -> pd.Index:
        """Labels of the systems."""
        index: pd.Index = self.array.indexes[SYSTEM]
        return index

    @cached_property
    def summaries(self) -> list[Any]:
        """How each metric is averaged over topics."""
        return [facts(label).summary for label in self.metrics]

    @cached_property
    def scored(self) -> NDArray[np.bool_]:
        """Topics on which every system has a score, shape (metric, topic, depth)."""
        scored: Any = ~np.isnan(self.scores).any(axis=1)
        found: NDArray[np.bool_] = scored
        return found

    @cached_property
    def towards(self) -> list[int]:
        """For each metric 1 if higher is better, -1 if it counts a cost."""
        return [facts(label).sign for label in self.metrics]

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Average over the common topics, higher is better, shape (metric, depth, system)."""
        metrics, systems, _, depths = self.scores.shape
        result = np.empty((metrics, depths, systems))
        for row, sign in enumerate(self.towards):
            compute = partial(_averages, summary=self.summaries[row])
            (means,) = self.over(row, slice(None), compute)
            result[row] = sign * means.T
        return result

    def pieces(self, pairs: int) -> Iterator[tuple[int, slice]]:
        """Yield every metric's position with one block of depths after the other.

        A block has as many depths as keep an array over pairs and depths within `BLOCK_BYTES`,
        at least one.
        """
        metrics, _, _, depths = self.scores.shape
        width = max(1, BLOCK_BYTES // (8 * max(1, pairs)))
        for row in range(metrics):
            for start in range(0, depths, width):
                yield row, slice(start, min(start + width, depths))

    def over(self, row: int, depths: slice, compute: Callable[[Array], Arrays]) -> Arrays:
        """Compute on the scores of one metric, with the topics that all systems have.

        Parameters
        ----------
        row
            Position of the metric.
        depths
            Positions of the depths.
        compute
            Takes scores (system, topic, depth) free of NaN, topics in the order of their names,
            gives arrays with depth last.

        Returns
        -------
        tuple of numpy.ndarray
            What `compute` gave, for all depths.
        """
        scores = self.scores[row, :, :, depths]
        if self._topics is not None:
            scores = scores[:, self._topics]
        scored: Any = ~np.isnan(scores).any(axis=0)
        if scored.all():
            return compute(scores)
        parts, order = [], []
        for topics, here in patterns(scored):
            parts.append(compute(scores[:, topics][:, :, here]))
            order.append(here)
        back = np.argsort(np.concatenate(order))
        joined = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
        return tuple(part[..., back] for part in joined)

    def over_pairs(
        self,
        row: int,
        depths: slice,
        measure: "Measure",
        pairs: Array,
        outputs: int = 1,  # noqa: ARG002 - what is lazy needs to know
    ) -> Arrays:
        """Compute on the scores of one metric for pairs of systems.

        Parameters
        ----------
        row, depths
            As for `over`.
        measure
            Takes these scores matched, an array (system, topic, depth) free of NaN and the
            pairs, gives arrays (pair, depth).
        pairs
            Shape (pair, 2), positions of systems.
        outputs
            How many arrays `measure` gives.

        Returns
        -------
        tuple of numpy.ndarray
            What `measure` gave, for all depths.
        """
        return self.over(row, depths, lambda scores: measure(self, scores, pairs))

    def p_values(self, row: int, depths: slice, *, test: PairedTest, pairs: Array) -> Array:
        """Give two-sided p-values of a metric, shape (pair, depth)."""

        def measure(group: Matched, scores: Array, pairs: Array) -> Arrays:
            return (group.tested(test, scores, pairs).p,)

        return self.over_pairs(row, depths, measure, pairs)[0]

    def compared(
        self,
        row: int,
        depths: slice,
        conclude: "Conclude",
        *,
        test: PairedTest,
        pairs: Array,
        outputs: int,
    ) -> Arrays:
        """Compare pairs of systems by a metric.

        Parameters
        ----------
        row, depths, pairs, outputs
            As for `over_pairs`.
        conclude
            Takes the differences, the averages (system, depth) and what the test found, gives
            arrays (pair, depth).
        test
            A paired test.

        Returns
        -------
        tuple of numpy.ndarray
            What `conclude` gave, for all depths.
        """
        summary = self.summaries[row]

        def measure(group: Matched, scores: Array, pairs: Array) -> Arrays:
            found, tested = describe_differences(scores, pairs), group.tested(test, scores, pairs)
            return conclude(found, average(scores, summary, axis=1), tested)

        return self.over_pairs(row, depths, measure, pairs, outputs)

    def by_piece(
        self, pairs: int, compute: Callable[[int, slice], Array], *, axis: int = 0
    ) -> Array:
        """Compute by `pieces` and put these together: metrics first, blocks along a depth axis."""
        parts: dict[int, list[Array]] = {}
        for row, block in self.pieces(pairs):
            parts.setdefault(row, []).append(compute(row, block))
        return np.stack([np.concatenate(blocks, axis=axis) for blocks in parts.values()])

    def told(self, values: Array) -> Array:
        """Return values that tell of topics left out when they are computed; here it was told."""
        return values

    def loaded(self) -> "Matched":
        """Return the same in memory."""
        return self

    def computed(self, values: Iterable[Any]) -> Iterable[Any]:
        """Return values, arrays or tuples of arrays, in memory."""
        return values

    def tested(self, test: PairedTest, scores: Array, pairs: Array) -> Any:
        """Test pairs of systems, which a test that draws sees in the order of their names."""
        order = self.system_order
        if order is None:
            return test.kernel(scores, pairs)
        return test.kernel(scores[order], np.argsort(order)[pairs])

    @cached_property
    def _topics(self) -> Array | None:
        return _by_name(self.array.indexes[TOPIC])

    @cached_property
    def system_order(self) -> Array | None:
        """The order of the systems by name, None for the one in which they stand."""
        return _by_name(self.array.indexes[SYSTEM])

    def paired(self) -> xr.DataArray:
        """Return the scores as an array, NaN on topics that some system lacks."""
        scored: Any = self.scored if DEPTH in self.array.dims else self.scored[..., 0]
        dims = [dim for dim in self.array.dims if dim != SYSTEM]
        return self.array if scored.all() else self.array.where(xr.DataArray(scored, dims=dims))

    def labelled(self, values: Array, name: str) -> xr.DataArray:
        """Put labels on values over metric and depth."""
        values = self.told(values)
        dims = [dim for dim in (METRIC, DEPTH) if dim in self.array.dims]
        labels = {dim: self.array[dim].to_numpy() for dim in dims}
        shaped = values.reshape([len(label) for label in labels.values()])
        return xr.DataArray(shaped, labels, dims, name=name, attrs=dict(self.array.attrs))


Measure = Callable[[Matched, Array, Array], Arrays]
Conclude = Callable[[Differences, Array, PairedResult], Arrays]


def patterns(scored: Array) -> Iterator[tuple[Array, Array]]:
    """Yield what topics some of the depths share, and where these stand, from (topic, depth)."""
    found, which = np.unique(scored, axis=1, return_inverse=True)
    for number, topics in enumerate(found.T):
        yield topics, np.flatnonzero(which.ravel() == number)


def _by_name(labels: pd.Index) -> Array | None:
    """Return the order of labels by name, None for the one in which they stand."""
    names = labels.astype(str)
    return None if names.is_monotonic_increasing else np.argsort(names.to_numpy(), kind="stable")


def _averages(scores: Array, summary: Any) -> Arrays:
    return (average(scores, summary, axis=1),)
