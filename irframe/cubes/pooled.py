"""The cube as it would be had judging stopped earlier."""

from typing import overload

import xarray as xr

from irframe.cubes.fewer_judgments import keep_judgments, pool_depth_of
from irframe.cubes.verb import verb


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
    >>> int((cube.judged_grade >= 0).sum()), int((shallow.judged_grade >= 0).sum())
    (523, 132)
    """
    depth = pool_depth_of(cube, depth)
    rank = cube["pool_rank"].to_numpy()
    shallow = keep_judgments(cube, (rank > 0) & (rank <= depth))
    return shallow.assign_coords(pool_depth=xr.full_like(cube["pool_depth"].variable, depth))
