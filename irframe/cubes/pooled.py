"""The cube as it would be had judging stopped earlier."""

from typing import overload

import numpy as np
import xarray as xr

from irframe.checks import whole
from irframe.cubes.verb import verb
from irframe.cubes.view import experiment_of, shown_as
from irframe.errors import DepthError
from irframe.experiments.experiment import fewer_judged


@overload
def pooled(cube: xr.Dataset, depth: int, *, by: None = None) -> xr.Dataset: ...
@overload
def pooled(cube: xr.Dataset, depth: int, *, by: str) -> xr.DataTree: ...
@verb(bounded=True)
def pooled(cube: xr.Dataset, depth: int, *, by: str | None = None) -> xr.Dataset | xr.DataTree:
    """Return the cube as it would be had judging stopped at a shallower pool.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depth
        Depth of the simulated pool, from 1 to the pool depth of the cube.
    by
        A coordinate of systems or topics: a DataTree with one such cube per group.

    Returns
    -------
    xarray.Dataset or xarray.DataTree
        The cube, in which a document is judged only if a contributing run, its rows in file
        order, has it at rank `depth` or above. Documents that no contributing run retrieved are
        unjudged at every depth. With `by`, a tree of cubes.

    Raises
    ------
    DepthError
        For a depth below 1 or beyond the pool.
    InputError
        If the cube does not say which documents it holds.
    GradeError
        If grade -1 marks unjudged documents.

    References
    ----------
    .. [1] Zobel. How reliable are the results of large-scale information retrieval experiments?
       SIGIR 1998. doi:10.1145/290941.291014
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> shallow = pooled(cube, 2)
    >>> int(cube.unjudged.sum()), int(shallow.unjudged.sum())
    (3720, 5631)
    """
    depth = pool_depth_of(cube, depth)
    experiment = experiment_of(cube).loaded
    rank = experiment.known_pool.rank
    return shown_as(cube, fewer_judged(experiment, (rank > 0) & (rank <= depth), depth))


def pool_depth_of(cube: xr.Dataset, depth: int | None = None) -> int:
    """Return a pool depth within the cube's, by default that itself.

    Raises
    ------
    DepthError
        If it is none from 1 to the pool depth of the cube.
    """
    depths = experiment_of(cube).known_pool.depth
    deepest = int(depths.min(initial=np.iinfo(np.int32).max)) if depths.size else 0
    wanted = deepest if depth is None else depth
    advice = "pass pool_depth= or contributing= to cube()"
    if deepest < 1:
        raise DepthError("a known pool depth", "an unknown one", advice)
    return whole("pool depth", wanted, low=1, high=deepest, error=DepthError, advice=advice)
