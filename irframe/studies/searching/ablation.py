"""From MAP to ASL, step by step."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.score import score
from irframe.cubes.verb import read_depth, verb
from irframe.metrics.ap import AP
from irframe.metrics.asl import ASL, Unretrieved
from irframe.metrics.atomizedp import AtomizedP
from irframe.metrics.inverseasl import InverseASL
from irframe.studies.searching.reordering import reordering

STEPS = {
    "atomize": "Atomize P",
    "documents": "Aggregate documents within query",
    "queries": "Aggregate rates across queries",
    "asl": "ASL itself",
    "cumulative": "Cumulative",
}


@verb
def ablation(
    cube: xr.Dataset,
    *,
    depth: int | None = None,
    rel: int = 1,
    unretrieved: Unretrieved = "irrel",
    by: str | None = None,
    margin: float = 0.1,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Say what each step on the way from MAP to ASL does to the order of systems.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depth
        Where lists are cut; by default at the cube's depth.
    rel
        Lowest relevant grade, at least 1.
    unretrieved
        Search length of a document that was not retrieved, as for `ASL`.
    by
        A coordinate such as ``"track"``: rows per group.
    margin, alpha
        As for `reordering`.

    Returns
    -------
    pandas.DataFrame
        As from `reordering`, with the column ``step`` in front of ``old``: ``"Atomize P"``, from
        AP to `AtomizedP`; ``"Aggregate documents within query"`` and ``"Aggregate rates across
        queries"``, by harmonic instead of arithmetic means; ``"ASL itself"``, the same without
        the reciprocal; ``"Cumulative"``, from AP to ASL.

    Raises
    ------
    IrframeError
        As `reordering` and `irframe.verbs.score`.

    Notes
    -----
    Topics without relevant documents are left out.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Table 2.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> table = ir.cube(runs, qrels).ireval.ablation()
    >>> table[["step", "delta_sort", "kendall", "delta_value"]].round(2)
                                   step  delta_sort  kendall  delta_value
    0                         Atomize P        25.0     1.00         0.64
    1  Aggregate documents within query        25.0     0.93         0.30
    2    Aggregate rates across queries         0.0     1.00         0.87
    3                        ASL itself        12.5     1.00         1.00
    4                        Cumulative        12.5     0.93         0.17
    """
    shared: dict[str, Any] = {"unretrieved": unretrieved, "rel": rel}
    chain = [
        AP(rel=rel),
        AtomizedP(**shared),
        AtomizedP(mean="harmonic", **shared),
        InverseASL(**shared),
        ASL(**shared),
    ]
    scores = score(cube, *chain, at=read_depth(cube, depth), no_rel="nan")
    table = reordering(scores, by=by, margin=margin, alpha=alpha)
    steps = np.tile(list(STEPS.values()), len(table) // len(STEPS))
    table.insert(list(table.columns).index("old"), "step", steps)
    return table
