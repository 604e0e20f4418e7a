"""Scores that are backed by dask, compared by blocks of topics when someone computes the result.

What a block of topics says of the pairs is small, and is merged in a tree; whoever has only so much
memory needs room for a few blocks. What needs all topics at once is refused beyond `WHOLE_BYTES`.
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import xarray as xr

from irframe.cubes.working import need_dask
from irframe.errors import InputError, warn
from irframe.inference.lazily import cut, fold_blocks, task
from irframe.inference.left_out import Attendance, attendance, left_out, refuse_infinite
from irframe.inference.matched import Array, Arrays, Conclude, Matched, Measure, patterns
from irframe.metrics.averaging import averaged, terms
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.paired import PairedResult, PairedTest
from irframe.paired.folds import COMOMENTS, SIDES, Fold, describe_folded

BLOCK_BYTES = 2**26
"""Most that a block of topics may hold; larger chunks are cut."""
JOINED_BYTES = 2**22
"""Up to what size chunks of few topics are joined into a block."""
STATE_BYTES = 2**24
"""Target size of what a block says of all pairs."""
WHOLE_BYTES = 2**30
"""Most scores that are loaded whole for a test that needs all topics at once, and most that a block
may say of all pairs at one depth."""


@dataclass(frozen=True, eq=False)
class Deferred(Matched):
    """Lazy scores of at least two systems: what `Matched` gives, as lazy arrays.

    Parameters
    ----------
    array
        Scores backed by dask, over (metric, system, topic) and, if there is one, depth.
    told_of
        The `Attendance` of those whose topics left out are told of when something is computed.
    """

    told_of: tuple[tuple[Any, ...], ...] = ()

    @cached_property
    def scores(self) -> Any:
        """Scores, shape (metric, system, topic, depth), NaN included; infinite ones raise."""
        values = self.array.data.astype(np.float64)
        values = values if DEPTH in self.array.dims else values[..., np.newaxis]
        return values.map_blocks(_finite, self.metrics, dtype=np.float64, meta=np.empty((0,) * 4))

    def telling(self) -> Self:
        """Return the scores so that computing tells of their topics."""
        return replace(self, told_of=(tuple(attendance(self)),))

    @cached_property
    def averages(self) -> Any:
        """Average over the common topics, shape (metric, depth, system)."""
        rows = []
        for row, summary in enumerate(self.summaries):
            scored: Any = self.scored[row]
            summands = self.scores[row].map_blocks(terms, summary=summary, dtype=np.float64)
            total = np.where(scored[np.newaxis], summands, 0).sum(axis=1)
            rows.append(averaged(scored.sum(axis=0), total, summary).T)
        return np.stack(rows)

    @cached_property
    def means(self) -> Any:
        """Average over the common topics, higher is better, shape (metric, depth, system)."""
        return self.averages * np.array(self.towards)[:, np.newaxis, np.newaxis]

    def pieces(self, pairs: int) -> Any:
        """Yield every metric's position with one block of depths after the other."""
        metrics, _, _, depths = self.scores.shape
        state = 8 * len(COMOMENTS.nothing) * max(1, pairs)
        if state > WHOLE_BYTES:
            found = f"{pairs} pairs, {state / 2**30:.3g} GiB ({state} bytes)"
            advice = "choose a baseline with baseline=, where there is one, or fewer systems"
            raise InputError(_at_most("what a block of topics says of all pairs"), found, advice)
        width = max(1, STATE_BYTES // state)
        for row in range(metrics):
            for start in range(0, depths, width):
                yield row, slice(start, min(start + width, depths))

    def over_pairs(
        self, row: int, depths: slice, measure: Measure, pairs: Array, outputs: int = 1
    ) -> Arrays:
        """Compute on whole scores, one depth at a time; see `Matched.over_pairs`."""
        self._refuse_whole()
        labels = {dim: self.array.indexes[dim] for dim in (METRIC, SYSTEM, TOPIC)}
        labels[METRIC] = labels[METRIC][[row]]
        found = [
            task(
                partial(_whole, labels=labels, measure=measure, pairs=pairs),
                self.scores[row, :, :, depth],
                shape=(outputs, len(pairs), 1),
            )
            for depth in range(*depths.indices(self.scores.shape[3]))
        ]
        return tuple(np.concatenate(found, axis=2))

    def _refuse_whole(self) -> None:
        size = self.scores.nbytes
        if size > WHOLE_BYTES:
            advice = (
                "choose depths with at=, fewer metrics or systems, or the tests t or sign, which "
                "read topics by blocks"
            )
            wanted = _at_most("lazy scores for what needs all topics")
            raise InputError(wanted, f"{size / 2**30:.3g} GiB ({size} bytes)", advice)

    def loaded(self) -> Matched:
        """Return the same in memory, telling of topics left out."""
        self._refuse_whole()
        (values,) = self.computed([self.scores])
        kept = values if DEPTH in self.array.dims else values[..., 0]
        return Matched(self.array.copy(data=kept))

    def folded(self, row: int, depths: slice, fold: Fold, pairs: Array) -> Any:
        """Give the lazy state of all topics, shape (field, pair, depth)."""
        part = self.scores[row][:, :, depths]
        topic = 8 * part.shape[0] * part.shape[2]
        least, most = (max(1, size // topic) for size in (JOINED_BYTES, BLOCK_BYTES))
        part = part.rechunk({0: -1, 1: cut(part.chunks[1], least, most), 2: -1})
        measure = partial(_measured, fold=fold, pairs=pairs)
        fields = len(fold.nothing)
        return fold_blocks(part, 1, measure, fold.merge, fields=fields, rows=len(pairs))

    def p_values(self, row: int, depths: slice, *, test: PairedTest, pairs: Array) -> Any:
        """Give two-sided p-values of a metric, shape (pair, depth)."""
        if test.fold is None:
            return super().p_values(row, depths, test=test, pairs=pairs)
        state = self.folded(row, depths, test.fold, pairs)
        return task(partial(_p_values, test), state, shape=state.shape[1:])

    def compared(
        self,
        row: int,
        depths: slice,
        conclude: Conclude,
        *,
        test: PairedTest,
        pairs: Array,
        outputs: int,
    ) -> Arrays:
        """Compare pairs of systems by a metric; see `Matched.compared`."""
        if test.fold is None:
            return super().compared(row, depths, conclude, test=test, pairs=pairs, outputs=outputs)
        states = [self.folded(row, depths, fold, pairs) for fold in (test.fold, COMOMENTS, SIDES)]
        averages = self.averages[row, depths].T
        shape = (outputs, *states[0].shape[1:])
        return tuple(task(partial(_concluded, conclude, test), averages, *states, shape=shape))

    def told(self, values: Any) -> Any:
        """Return values that tell of topics left out when they are computed."""
        counted = [told[2] for told in self.told_of]
        labels = [told[:2] for told in self.told_of]
        return task(partial(_tell, labels), values, *counted, shape=values.shape)

    def computed(self, values: Any) -> Any:
        """Return values, arrays or tuples of arrays, in memory; each block is read once."""
        return need_dask().compute(list(values), self.told(np.zeros(0)))[0]


def _at_most(what: str) -> str:
    return f"at most {WHOLE_BYTES / 2**30:.3g} GiB of {what}"


def telling_of(matched: Matched, *sides: Matched) -> Matched:
    """Return lazy scores so that computing them tells of the topics of these, in this order."""
    if not isinstance(matched, Deferred):
        return matched
    told_of = [told for side in sides if isinstance(side, Deferred) for told in side.told_of]
    return replace(matched, told_of=tuple(told_of))


def _finite(block: Any, metrics: list[str], block_info: Any = None) -> Any:
    first, last = block_info[0]["array-location"][0]
    refuse_infinite(metrics[first:last], block)
    return block


def _measured(block: Any, _: int, *, fold: Fold, pairs: Array) -> Any:
    """Give the state of a block of topics; nothing of depths where none is every system's."""
    scored = ~np.isnan(block).any(axis=0)
    if scored.all() and scored.size:
        return fold.measure(block, pairs)
    state = np.empty((len(fold.nothing), len(pairs), block.shape[2]))
    state[:] = np.reshape(fold.nothing, (-1, 1, 1))
    for topics, here in patterns(scored):
        if topics.any():
            part = block[np.ix_(np.arange(len(block)), np.flatnonzero(topics), here)]
            state[:, :, here] = fold.measure(part, pairs)
    return state


def _whole(values: Any, *, labels: Any, measure: Measure, pairs: Array) -> Any:
    matched = Matched(xr.DataArray(values[np.newaxis], labels, tuple(labels)))
    return np.stack(matched.over_pairs(0, slice(None), measure, pairs))


def _p_values(test: PairedTest, state: Any) -> Any:
    return test.conclude(state).p


def _concluded(
    conclude: Conclude, test: PairedTest, averages: Any, own: Any, comoments: Any, sides: Any
) -> Array:
    tested: PairedResult = test.conclude(own)
    return np.stack(conclude(describe_folded(comoments, sides), averages, tested))


def _tell(labels: Any, values: Any, *counted: Any) -> Any:
    """Tell of topics left out, of the same ones once, and return the values."""
    told_of = [
        Attendance(metrics, topics, state)
        for (metrics, topics), state in zip(labels, counted, strict=True)
    ]
    for message in dict.fromkeys(message for told in told_of for message in left_out(told)):
        warn(message)
    return values
