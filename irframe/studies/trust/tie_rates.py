"""How many of the top documents are tied."""

from collections.abc import Iterator, Sequence

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.checks import whole
from irframe.cubes.score import in_blocks, label_scores
from irframe.cubes.verb import verb
from irframe.errors import DepthError
from irframe.metrics import Block, Metric, P
from irframe.names import DEPTH, METRIC
from irframe.studies.trust.tie_ranges import refuse_untied


@verb(bounded=True)
def tie_rates(
    cube: xr.Dataset,
    depth: int = 20,
    *,
    by: str | None = None,
) -> xr.DataArray:
    """Say which share of the top documents has the same score as another one there.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, ranked by score.
    depth
        How many documents of every list to look at, at least 1.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.

    Returns
    -------
    xarray.DataArray
        Shares from 0 to 1 over (system, topic); NaN for an empty list. ``.mean("topic").median()``
        is the number of Table 6 of the paper.

    Raises
    ------
    DepthError
        If the cube was cut above that depth.
    ParameterError
        If the cube was ranked by a rank column, which has no ties.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 6. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> coarse = runs.assign(score=runs["score"].round(1)).ireval.cube(qrels)
    >>> round(float(tie_rates(coarse).mean("topic").median()), 3)
    0.722
    """
    refuse_untied(cube)
    depth = whole("depth", depth, low=1, error=DepthError)
    if min(int(cube["retrieved"].to_numpy().max(initial=0)), depth) > cube.sizes[DEPTH]:
        advice = "build the cube with a greater depth="
        raise DepthError(f"a depth up to {cube.sizes[DEPTH]}, that of the cube", str(depth), advice)
    values = in_blocks(cube, [P()], [depth], kernel=_rates, ties=True)
    rates = label_scores(cube, values, [P()], [depth])
    return rates.isel({METRIC: 0, DEPTH: 0}, drop=True).rename("tie_rate")


def _rates(block: Block, _: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Yield the share of the first documents of lists that are tied with another one of them."""
    above = np.asarray(block.tied)[..., : depths[0]]
    below = np.append(above[..., 1:], np.zeros_like(above[..., :1]), axis=-1)
    number = np.minimum(block.retrieved, depths[0])
    share = np.full(number.shape, np.nan)
    np.divide((above | below).sum(axis=-1), number, out=share, where=number > 0)
    yield share[..., np.newaxis]
