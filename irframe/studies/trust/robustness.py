"""How much of an ordering of systems survives when fewer documents are judged."""

from collections.abc import Sequence
from itertools import product

import numpy as np
import xarray as xr

from irframe.agreements import Method
from irframe.checks import tracked, whole
from irframe.cubes.score import score, wanted_depths
from irframe.cubes.unjudged import sample
from irframe.cubes.verb import attended, refuse_deeper, shared, verb
from irframe.depths.agreement import agreement
from irframe.errors import ParameterError
from irframe.experiments.policy import Metrics, parse_metrics, refuse_share
from irframe.names import DEPTH

SHARE, SEED = "share", "seed"
SHARES = (0.9, 0.7, 0.5, 0.3, 0.1)


@verb
def robustness(
    cube: xr.Dataset,
    *metrics: Metrics,
    shares: Sequence[float] = SHARES,
    seeds: int | Sequence[int] = 10,
    at: int | Sequence[int] | None = None,
    method: Method = "kendall",
    by: str | None = None,
    progress: bool = False,
) -> xr.DataArray:
    """Say how alike systems are ordered on random shares of the judgments and on all of them.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    metrics
        Metrics or their names.
    shares
        Shares of the judgments to keep, above 0 and at most 1.
    seeds
        How many times to draw, with seeds 0, 1, ..., or the seeds themselves. The samples of one
        seed are nested.
    at
        Evaluation depths, by default the greatest; no shallower than a metric's own.
    method
        A method of agreement or its name, as for `agreement`.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.
    progress
        Whether to show how many samples have been scored, by tqdm.

    Returns
    -------
    xarray.DataArray
        Agreement over (metric, depth, share, seed). Means and spreads over the dimension
        ``seed`` are what a curve shows.

    Raises
    ------
    ParameterError
        For a share outside (0, 1] or repeated seeds.
    InputError
        If the cube does not say which documents it holds.
    GradeError
        If grade -1 marks unjudged documents.

    Notes
    -----
    Samples are those of `sample`, stratified by topic and grade.

    References
    ----------
    .. [1] Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
       doi:10.1145/1008992.1009000
    .. [2] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 13. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> tau = robustness(cube, "AP", "Bpref", shares=[1, 0.5], seeds=5)
    >>> tau.mean("seed").squeeze("depth").round(2).to_pandas()
    share   1.0   0.5
    metric
    AP        1.0  0.91
    Bpref     1.0  0.86
    """
    chosen = parse_metrics(metrics)
    depths = wanted_depths(cube, chosen, cube.sizes[DEPTH] if at is None else at)
    refuse_deeper(chosen, min(depths))
    for share in shares:
        refuse_share(share)
    drawn = [*range(seeds)] if isinstance(seeds, int) else [whole("seed", seed) for seed in seeds]
    if not drawn or len(set(drawn)) < len(drawn) or not len(shares):
        raise ParameterError("shares and distinct seeds", f"{list(shares)!r}, {drawn!r}")
    deepest = max([*depths, *(metric.depth or 1 for metric in chosen)])
    base = shared(attended(cube)).isel({DEPTH: slice(deepest)})
    complete = score(base, *chosen, at=depths)
    samples = list(product(shares, drawn))
    results = [
        agreement(score(sample(base, share, seed=seed), *chosen, at=depths), complete, method)
        for share, seed in tracked(samples, len(samples), "sample", progress=progress)
    ]
    first = results[0]
    stacked = np.stack([array.to_numpy() for array in results], axis=-1)
    values = stacked.reshape(*first.shape, len(shares), len(drawn))
    labels = {name: first[name].to_numpy() for name in first.dims}
    labels |= {SHARE: np.asarray(shares), SEED: np.asarray(drawn)}
    return xr.DataArray(values, labels, list(labels), name="agreement", attrs=first.attrs)
