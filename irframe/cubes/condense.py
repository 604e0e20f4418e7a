"""Condensed runs: what remains of a ranking without its unjudged documents."""

from typing import Any, overload

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.layout import CELL, RANKINGS
from irframe.cubes.score import refuse_open
from irframe.cubes.verb import verb
from irframe.metrics.block import close_up
from irframe.names import DEPTH, EMPTY, UNJUDGED


@overload
def condense(cube: xr.Dataset, *, by: None = None) -> xr.Dataset: ...
@overload
def condense(cube: xr.Dataset, *, by: str) -> xr.DataTree: ...
@verb(bounded=True)
def condense(cube: xr.Dataset, *, by: str | None = None) -> xr.Dataset | xr.DataTree:
    """Remove the unjudged documents from every ranking and close up the ranks.

    With them go documents of grades below 0, which trec_eval takes for pooled but not judged.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, as deep as its lists; score the result at any depth.
    by
        A coordinate of systems or topics: a DataTree with one such cube per group.

    Returns
    -------
    xarray.Dataset or xarray.DataTree
        The cube, with shorter lists; the depths that metrics divide by stay the nominal ones. With
        `by`, a tree of cubes.

    Raises
    ------
    DepthError
        If lists were cut when the cube was built: documents below the cut would move up.

    References
    ----------
    .. [1] Sakai. Alternatives to Bpref. SIGIR 2007. doi:10.1145/1277741.1277756
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 2.5. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> int(cube.retrieved.max()), int(condense(cube).retrieved.max())
    (50, 27)
    """
    refuse_open(cube)
    arrays = [cube[name].variable for name in RANKINGS]
    closed = xr.apply_ufunc(
        _close_up,
        *arrays,
        input_core_dims=[[DEPTH]] * len(arrays),
        output_core_dims=[[DEPTH]] * len(arrays),
        dask="parallelized",
        output_dtypes=[array.dtype for array in arrays],
    )
    rankings = {name: new.transpose(*CELL) for name, new in zip(RANKINGS, closed, strict=True)}
    marked = ((cube["grade"] > UNJUDGED) & (cube["grade"] < 0)).sum(DEPTH) if _marks(cube) else 0
    retrieved = cube["retrieved"] - cube["unjudged"] - marked
    nothing = xr.zeros_like(cube["unjudged"])
    return cube.assign(rankings).assign_coords(retrieved=retrieved, unjudged=nothing)


def _marks(cube: xr.Dataset) -> bool:
    """Return whether there are grades below 0."""
    grade = cube["judged_grade"].to_numpy()
    return bool(((grade > UNJUDGED) & (grade < 0)).any())


def _close_up(
    grade: NDArray[np.int8], doc: NDArray[np.int32], tied: NDArray[np.bool_]
) -> tuple[NDArray[Any], ...]:
    order, closed, still_tied = close_up(grade, tied)
    moved = np.take_along_axis(doc, order, axis=-1)
    return closed, np.where(closed != EMPTY, moved, np.int32(-1)), still_tied
