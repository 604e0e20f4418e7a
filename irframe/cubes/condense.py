"""Condensed runs: what remains of a ranking without its unjudged documents."""

from typing import overload

import xarray as xr

from irframe.cubes.verb import verb
from irframe.cubes.view import experiment_of, shown_as
from irframe.experiments.experiment import condensed
from irframe.experiments.hits import refuse_open
from irframe.names import DEPTH


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
    experiment = experiment_of(cube).loaded
    refuse_open(experiment.longest, cube.sizes[DEPTH])
    return shown_as(cube, condensed(experiment))
