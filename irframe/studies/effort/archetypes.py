"""Which kinds of curves the runs of a track have."""

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.verb import verb
from irframe.errors import InputError
from irframe.names import SYSTEM, TOPIC
from irframe.studies.effort.misplacement import ARCHETYPES


@verb
def archetypes(misplaced: xr.Dataset, *, by: str | None = None) -> pd.DataFrame:
    """Say which shares of the rankings are near the ideal, recover late, or never do.

    Parameters
    ----------
    misplaced
        What `irframe.verbs.misplacement` returned.
    by
        A coordinate of the systems or topics such as ``"track"``: one row per group.

    Returns
    -------
    pandas.DataFrame
        ``total``, the rankings of topics with relevant documents; the shares of them that are
        ``ideal``, ``worst``, ``full scale``, ``excellent``, ``typical B`` and ``typical A``;
        ``no_relevant``, the rankings left out. One row, or one per group, which comes first.

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
    >>> misplaced = cube.ireval.misplacement()
    >>> archetypes(misplaced, by="team")[["team", "total", "typical B", "typical A"]]
            team  total  typical B  typical A
    0      terms     32    0.18750    0.81250
    1    vectors     32    0.09375    0.90625
    2  expansion     32    0.09375    0.90625
    3  rerankers     32    0.12500    0.87500
    """
    if not isinstance(misplaced, xr.Dataset) or "archetype" not in misplaced:
        raise InputError("what misplacement returned", type(misplaced).__name__)
    kind = misplaced["archetype"].transpose(SYSTEM, TOPIC)
    there = misplaced["took_part"].broadcast_like(kind).transpose(SYSTEM, TOPIC).to_numpy()
    found = pd.Series(kind.to_numpy()[there]).value_counts()
    counts = {name: int(found.get(name, 0)) for name in ("", *ARCHETYPES)}
    no_relevant = counts.pop("")
    total = sum(counts.values())
    shares = {name: count / total if total else np.nan for name, count in counts.items()}
    return pd.DataFrame([{"total": total, **shares, "no_relevant": no_relevant}])
