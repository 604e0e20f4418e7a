"""A cube with fewer judgments, left out at random."""

import numpy as np
import xarray as xr

from irframe.cubes.judgments import keep_judgments
from irframe.cubes.recall_base import topic_of
from irframe.cubes.verb import verb
from irframe.frames.sampling import random_keys, refuse_percent, strata_sample
from irframe.names import EMPTY, TOPIC


@verb(bounded=True)
def downsample(
    cube: xr.Dataset, percent: float, seed: int = 0, *, by: str | None = None
) -> xr.Dataset:
    """Return the cube as it would be had only a share of its documents been judged.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    percent
        Share to keep for every topic and grade, above 0 and at most 100.
    seed
        Seed of the random order of the documents; the same documents are kept as by `sample`.
    by
        A coordinate of systems or topics: a DataTree with one such cube per group.

    Returns
    -------
    xarray.Dataset
        The cube, in which the other documents are unjudged.

    Raises
    ------
    ParameterError
        For a percentage outside (0, 100].
    InputError
        If the cube does not say which documents it holds.
    GradeError
        If grade -1 marks unjudged documents.

    References
    ----------
    .. [1] Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
       doi:10.1145/1008992.1009000

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> [int((downsample(cube, p).judged_grade >= 0).sum()) for p in (100, 50, 10)]
    [523, 282, 206]
    """
    refuse_percent(percent)
    grade = cube["judged_grade"].to_numpy()
    rows = np.flatnonzero(grade != EMPTY)
    topic = topic_of(cube)[rows]
    labels = cube[TOPIC].to_numpy()[topic]
    keys = random_keys(labels, cube["judged_doc"].to_numpy()[rows], seed=seed)
    kept = np.zeros(grade.shape, bool)
    kept[rows] = strata_sample(topic, grade[rows], keys, percent)
    return keep_judgments(cube, kept)
