"""Averages and pairs of systems, of scores backed by dask, when someone computes the result.

What a block of topics says of the pairs is small, and is merged in a tree; whoever has only so much
memory needs room for a few blocks. What needs all topics at once is refused beyond `WHOLE_BYTES`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from irframe.arrays import Array
from irframe.cubes.dask_tasks import need_dask
from irframe.errors import InputError, warn
from irframe.metrics.averaging import averaged, terms
from irframe.paired.folds import COMOMENTS, Fold
from irframe.scores.dask_work import cut, fold_blocks, task
from irframe.scores.scores import Arrays, Measure, Scores, patterns
from irframe.scores.topics_left_out import Attendance, attendance, left_out, refuse_infinite
from irframe.scores.whole import Whole

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
class ByTopics:
    """Work on blocks of topics, planned now and done when someone computes the result.

    Parameters
    ----------
    attendances
        Those of whose topics left out computing warns.
    """

    attendances: tuple[Attendance, ...] = ()

    def scored(self, scores: Scores) -> Any:
        """Return the topics on which every system has a score, shape (metric, topic, depth)."""
        return ~np.isnan(scores.values).any(axis=1)

    def averages(self, scores: Scores, row: int, depths: slice) -> Any:
        """Average a metric over the common topics, shape (system, depth)."""
        summary = scores.summaries[row]
        values, scored = scores.values[row, :, :, depths], scores.scored[row, :, depths]
        summands = values.map_blocks(terms, summary=summary, dtype=np.float64)
        total = np.where(scored[np.newaxis], summands, 0).sum(axis=1)
        return averaged(scored.sum(axis=0), total, summary)

    def means(self, scores: Scores) -> Any:
        """Average over the common topics; higher is better, shape (metric, depth, system)."""
        rows = [self.averages(scores, row, slice(None)).T for row in range(len(scores.metrics))]
        return np.stack(rows) * np.array(scores.towards)[:, np.newaxis, np.newaxis]

    def width(self, pairs: int) -> int:
        """Return of how many depths a block of topics may say something of all pairs."""
        state = 8 * len(COMOMENTS.nothing) * max(1, pairs)
        if state > WHOLE_BYTES:
            found = f"{pairs} pairs, {state / 2**30:.3g} GiB ({state} bytes)"
            advice = "choose a baseline with baseline=, where there is one, or fewer systems"
            raise InputError(_at_most("what a block of topics says of all pairs"), found, advice)
        return max(1, STATE_BYTES // state)

    def pairs(
        self, scores: Scores, row: int, depths: slice, measure: Measure, pairs: Array
    ) -> Arrays:
        """Compute on blocks of topics or, one depth at a time, on all; see `Scores.pairs`."""
        if measure.folded is not None:
            states = [_folded(scores, row, depths, fold, pairs) for fold in measure.folds]
            beside = [self.averages(scores, row, depths)] if measure.averaged else []
            shape = (measure.outputs, *states[0].shape[1:])
            return tuple(task(partial(_stacked, measure.folded), *beside, *states, shape=shape))
        _refuse_whole(scores)
        one = replace(scores, values=None, metrics=scores.metrics[row : row + 1], work=Whole())
        found = [
            task(
                partial(_whole, scores=one, measure=measure, pairs=pairs),
                scores.values[row, :, :, depth],
                shape=(measure.outputs, len(pairs), 1),
            )
            for depth in range(*depths.indices(scores.values.shape[3]))
        ]
        return tuple(np.concatenate(found, axis=2))

    def load(self, scores: Scores) -> Scores:
        """Return the scores in memory, warning of topics left out."""
        _refuse_whole(scores)
        (values,) = self.compute([scores.values])
        return replace(scores, values=values, work=Whole())

    def finish(self, values: Any) -> Any:
        """Return a result so that computing it warns of topics left out."""
        counted = [each.state for each in self.attendances]
        labels = [each[:2] for each in self.attendances]
        return task(partial(_tell, labels), values, *counted, shape=values.shape)

    def compute(self, values: Iterable[Any]) -> Any:
        """Return results, arrays or tuples of arrays, in memory; each block is read once."""
        return need_dask().compute(list(values), self.finish(np.zeros(0)))[0]


def lazily(scores: Scores) -> Scores:
    """Return scores as lazy ones."""
    values = need_dask().array.asarray(scores.values)
    return scores if values is scores.values else replace(scores, values=values, work=ByTopics())


def lazy_for_pairs(scores: Scores, *, quiet: bool) -> Scores:
    """Return lazy scores so that computing refuses infinite ones, and warns of topics left out."""
    values = scores.values.map_blocks(
        _finite, scores.metrics, dtype=np.float64, meta=np.empty((0,) * 4)
    )
    checked = replace(scores, values=values)
    return checked if quiet else replace(checked, work=ByTopics((attendance(checked),)))


def telling_of(scores: Scores, *sides: Scores) -> Scores:
    """Return lazy scores so that computing them warns of the topics of these, in this order."""
    if not isinstance(scores.work, ByTopics):
        return scores
    works = [side.work for side in sides if isinstance(side.work, ByTopics)]
    return replace(scores, work=ByTopics(tuple(one for work in works for one in work.attendances)))


def _at_most(what: str) -> str:
    return f"at most {WHOLE_BYTES / 2**30:.3g} GiB of {what}"


def _refuse_whole(scores: Scores) -> None:
    size = scores.values.nbytes
    if size > WHOLE_BYTES:
        advice = (
            "choose depths with at=, fewer metrics or systems, or the tests t or sign, which "
            "read topics by blocks"
        )
        wanted = _at_most("lazy scores for what needs all topics")
        raise InputError(wanted, f"{size / 2**30:.3g} GiB ({size} bytes)", advice)


def _folded(scores: Scores, row: int, depths: slice, fold: Fold, pairs: Array) -> Any:
    """Give the lazy state of all topics, shape (field, pair, depth)."""
    part = scores.values[row][:, :, depths]
    topic = 8 * part.shape[0] * part.shape[2]
    least, most = (max(1, size // topic) for size in (JOINED_BYTES, BLOCK_BYTES))
    part = part.rechunk({0: -1, 1: cut(part.chunks[1], least, most), 2: -1})
    measure = partial(_measured, fold=fold, pairs=pairs)
    fields = len(fold.nothing)
    return fold_blocks(part, 1, measure, fold.merge, fields=fields, rows=len(pairs))


def _stacked(folded: Any, *arrays: Array) -> Array:
    return np.stack(folded(*arrays))


def _whole(values: Any, *, scores: Scores, measure: Measure, pairs: Array) -> Array:
    one = replace(scores, values=values[np.newaxis, ..., np.newaxis])
    return np.stack(one.pairs(0, slice(None), measure, pairs))


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


def _tell(labels: Any, values: Any, *counted: Any) -> Any:
    """Tell of topics left out, of the same ones once, and return the values."""
    told_of = [
        Attendance(metrics, topics, state)
        for (metrics, topics), state in zip(labels, counted, strict=True)
    ]
    for message in dict.fromkeys(message for told in told_of for message in left_out(told)):
        warn(message)
    return values
