"""Which kinds of curves the runs of a track have."""

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.verb import verb
from irframe.errors import InputError, ParameterError
from irframe.names import SYSTEM, TOPIC
from irframe.studies.effort.misplacement import ARCHETYPES


@verb
def archetypes(misplaced: xr.Dataset, by: str | None = None) -> pd.DataFrame:
    """Say which shares of the rankings are near the ideal, recover late, or never do.

    Parameters
    ----------
    misplaced
        What `irframe.misplacement` returned.
    by
        A coordinate of the systems or topics such as ``"track"``: one row per group.

    Returns
    -------
    pandas.DataFrame
        ``total``, the rankings of topics with relevant documents; the shares of them that are
        ``ideal``, ``worst``, ``full scale``, ``excellent``, ``typical B`` and ``typical A``;
        ``no_relevant``, the rankings left out. One row, ``"all"``, without `by`.

    Raises
    ------
    InputError
        If there are no archetypes.
    ParameterError
        If there is no such group.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Table 2. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> archetypes(ir.misplacement(cube), by="team")[["total", "typical B", "typical A"]]
               total  typical B  typical A
    team
    terms         32    0.18750    0.81250
    vectors       32    0.09375    0.90625
    expansion     32    0.09375    0.90625
    rerankers     32    0.12500    0.87500
    """
    if not isinstance(misplaced, xr.Dataset) or "archetype" not in misplaced:
        raise InputError("what misplacement returned", type(misplaced).__name__)
    kind = misplaced["archetype"].transpose(SYSTEM, TOPIC)
    group = np.full(kind.shape, "all", dtype=object)
    if by is not None:
        known = [str(name) for name in kind.coords if str(name) not in kind.dims]
        if by not in known:
            raise ParameterError("by to be a coordinate of systems or topics", repr(by), "", known)
        group = kind[by].broadcast_like(kind).transpose(SYSTEM, TOPIC).to_numpy()
    rows = pd.Series(group.ravel(), name=by)
    counts = pd.crosstab(rows, kind.to_numpy().ravel()).loc[rows.unique()]
    counts = counts.reindex(columns=["", *ARCHETYPES], fill_value=0)
    counts = counts.rename_axis(index=by, columns=None)
    total = counts[list(ARCHETYPES)].sum(axis=1)
    shares = counts[list(ARCHETYPES)].div(total.where(total > 0), axis=0)
    shares.insert(0, "total", total)
    return shares.assign(no_relevant=counts[""])
