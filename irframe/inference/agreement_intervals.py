"""Between which values an agreement might have been on other topics."""

import numpy as np
import xarray as xr

from irframe.agreements import Agreement
from irframe.errors import ParameterError
from irframe.inference.matched import Array, Arrays, Matched
from irframe.inference.resampled import Resamples
from irframe.names import TOPIC

BLOCK_BYTES = 2**26
"""Target size of the agreements of all resamples that are held at a time."""


def resampled_scores(matched: Matched, resamples: Resamples, method: Agreement) -> list[Array]:
    """Return what a method compares, of each metric, shape (sample, depth, system)."""
    found = []
    for row, (summary, sign) in enumerate(zip(matched.summaries, matched.towards, strict=True)):

        def average(scores: Array, summary: str = summary, sign: int = sign) -> Arrays:
            means = resamples.means(scores, summary, 1 if method.distance else sign)
            return (np.moveaxis(means, 1, -1),)

        (means,) = matched.over(row, slice(None), average)
        found.append(np.moveaxis(means, -1, 1))
    return found


def with_reference(
    matched: Matched, held: Matched, resamples: Resamples, method: Agreement
) -> Array:
    """Return the ends of agreements with a reference, shape (2, metric, depth)."""
    refuse_other_topics(matched, held)
    new, old = (resampled_scores(side, resamples, method) for side in (matched, held))
    alone = [old[min(row, len(old) - 1)][:, :, np.newaxis] for row in range(len(new))]
    ends = [
        ends_of(left, right[:, :, np.newaxis], resamples, method)[..., 0, 0]
        for left, right in zip(alone, new, strict=True)
    ]
    return np.stack(ends, axis=1)


def between_metrics(matched: Matched, resamples: Resamples, method: Agreement) -> Array:
    """Return the ends of agreements of metrics, shape (2, metric, metric, depth)."""
    by_depth = np.stack(resampled_scores(matched, resamples, method), axis=2)
    return np.moveaxis(ends_of(by_depth, by_depth, resamples, method), 1, -1)


def between_depths(
    rows: Matched, columns: Matched, resamples: Resamples, method: Agreement
) -> Array:
    """Return the ends of agreements of depths, shape (2, metric, depth, depth)."""
    refuse_other_topics(rows, columns)
    left = resampled_scores(rows, resamples, method)
    right = left if columns is rows else resampled_scores(columns, resamples, method)
    longer = max(len(left), len(right))
    sides = zip(left * (longer // len(left)), right * (longer // len(right)), strict=True)
    ends = [ends_of(one, other, resamples, method) for one, other in sides]
    return np.stack(ends, axis=1)


def refuse_other_topics(matched: Matched, held: Matched) -> None:
    """Raise if two sides have no topics in common, which resamples of both would draw."""
    if not matched.array.indexes[TOPIC].isin(held.array.indexes[TOPIC]).any():
        raise ParameterError("topics in common with the reference, for an interval", "none")


def with_ends(values: xr.DataArray, ends: Array, resamples: Resamples) -> xr.Dataset:
    """Return agreements with the ends of their intervals."""
    low, high = (values.copy(data=end.reshape(values.shape)) for end in ends)
    found = xr.Dataset({"agreement": values, "ci_low": low, "ci_high": high})
    asked = {"level": resamples.level, "samples": resamples.samples}
    return found.assign_attrs({**values.attrs, **asked})


def ends_of(left: Array, right: Array, resamples: Resamples, method: Agreement) -> Array:
    """Return between which values the agreements of the resamples are.

    Parameters
    ----------
    left, right
        Shapes (sample, ..., K1, system) and (sample, ..., K2, system).

    Returns
    -------
    numpy.ndarray
        Lower and upper ends, shape (2, ..., K1, K2); NaN where more resamples than may be beyond
        an end have no agreement.
    """
    width = max(1, BLOCK_BYTES // (8 * right[..., 0].size))
    blocks = [
        np.stack(resamples.ends(np.moveaxis(method.kernel(block, right), 0, -1)))
        for block in np.split(left, range(width, left.shape[-2], width), axis=-2)
    ]
    ends: Array = np.concatenate(blocks, axis=-2)
    return ends
