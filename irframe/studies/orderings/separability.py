"""How often two rankings leave a metric no choice."""

import numpy as np
import xarray as xr

from irframe.agreements.innate import compare_rankings, count_labels
from irframe.cubes.verb import attended, read_depth, shared, verb
from irframe.errors import ParameterError
from irframe.names import DEPTH, SYSTEM
from irframe.paired import all_pairs
from irframe.studies.orderings.orderings import GainLike, ranking_gains

OUTCOME = "outcome"
OUTCOMES = ("equal", "separable", "non-separable")


@verb
def separability(
    cube: xr.Dataset,
    *,
    depth: int | None = None,
    gain: GainLike = "binary",
    rel: int = 1,
    by: str | None = None,
) -> xr.DataArray:
    """Say how often two systems' rankings leave a metric no choice, by depth.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, of at least two systems.
    depth, gain, rel
        As for `orderings`.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.

    Returns
    -------
    xarray.DataArray
        Shares, dimensions (outcome, depth), of the pairs of systems on all topics: ``equal``,
        ``separable`` (one is not inferior) and ``non-separable``.

    Raises
    ------
    ParameterError
        For a single system.
    DepthError
        For a depth beyond the cube.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Table 3. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> shares = separability(ir.cube(*ir.example_track()), depth=10)
    >>> shares.sel(depth=[1, 10]).round(3).to_numpy()
    array([[0.603, 0.027],
           [0.397, 0.752],
           [0.   , 0.221]])
    """
    deepest, cube = read_depth(cube, depth), shared(attended(cube))
    systems = cube.sizes[SYSTEM]
    if systems < 2:
        raise ParameterError("at least two systems", str(systems))
    gains = ranking_gains(cube, deepest, gain=gain, rel=rel)
    transitions = compare_rankings(gains, all_pairs(systems))
    counts = count_labels(transitions, deepest).sum(axis=0) / transitions.sign.size
    mixed = counts[:, [0, -1]].sum(axis=1)
    shares = np.stack([counts[:, 2], 1 - counts[:, 2] - mixed, mixed])
    coordinates = {OUTCOME: list(OUTCOMES), DEPTH: np.arange(1, deepest + 1)}
    return xr.DataArray(shares, coordinates, (OUTCOME, DEPTH), name="share")
