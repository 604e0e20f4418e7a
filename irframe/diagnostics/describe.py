"""Sizes of a test collection: runs, topics, judgments and pool.

Verbs: describe.
"""

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import check_int
from irframe.cubes.verb import drop_absent, read_depth, verb
from irframe.cubes.view import experiment_of
from irframe.names import DEPTH, GRADE, HIGHEST_GRADE, LOWEST_GRADE, UNJUDGED


@verb
def describe(cube: xr.Dataset, *, depth: int | None = None, rel: int = 1) -> pd.DataFrame:
    """Return the size of a collection: runs, topics, judgments, pool.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depth
        Depth down to which unjudged documents are counted. The default and maximum is the depth of
        the cube.
    rel
        Lowest relevant grade, at least 1.

    Returns
    -------
    pandas.DataFrame
        One row. After `groupby`, one row per group, with the group in the first column. The other
        columns are

        - ``systems``, the number of systems, and ``contributing``, the number of systems that
          contributed to the pool;
        - ``topics``, the number of topics, and ``no_relevant``, the number of topics without
          relevant documents;
        - ``lists``, the number of non-empty lists, and ``longest``, the length of the longest list;
        - ``grades``, the grades that occur in the judgments;
        - ``pool_depth``, the smallest pool depth of all topics, or <NA> if unknown;
        - ``judged`` and ``relevant``, the mean number of judged and of relevant documents per
          topic, and ``relevant_median``, the median number of relevant documents;
        - ``unjudged``, the mean number of unjudged documents per list down to `depth`, and
          ``with_unjudged``, the share of lists with an unjudged document down to `depth`.

    Raises
    ------
    DepthError
        If `depth` is greater than the depth of the cube.
    ParameterError
        If `rel` is out of range.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 3. doi:10.1007/s10791-016-9282-6
    .. [2] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Table 1. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> table = cube.ireval.groupby("team").describe(depth=20)
    >>> table[["team", "systems", "contributing", "topics", "pool_depth", "judged", "unjudged"]]
            team  systems  contributing  topics  pool_depth  judged  unjudged
    0      terms        2             2      16          10  32.688     6.469
    1    vectors        2             0      16          10  32.688    11.094
    2  expansion        2             1      16          10  32.688     7.219
    3  rerankers        2             2      16          10  32.688     5.812
    """
    rel = check_int("rel", rel, low=1, high=HIGHEST_GRADE)
    cube = drop_absent(cube)
    deepest = cube.sizes[DEPTH] if depth is None else read_depth(cube, depth)
    experiment = experiment_of(cube)
    base = experiment.judgments
    pool = experiment.known_pool
    length = experiment.hits.length
    judged, relevant = (base.count_by_topic(base.grade >= low) for low in (LOWEST_GRADE, rel))
    listed = (length > 0) & experiment.participated
    unjudged = (cube[GRADE].variable[..., :deepest] == UNJUDGED).sum(DEPTH).to_numpy()[listed]
    pool_known = pool.depth.size and experiment.pool_kind != "unknown"
    least_depth = int(pool.depth.min()) if pool_known else 0
    row = {
        "systems": len(experiment.systems),
        "contributing": int(pool.contributing.sum()),
        "topics": len(base.topics),
        "no_relevant": int((relevant == 0).sum()),
        "lists": int(listed.sum()),
        "longest": int(length.max(initial=0)),
        "grades": " ".join(str(level) for level in np.unique(base.grade)),
        # a pool has depth 0 if the first document of a contributing run is unjudged
        "pool_depth": least_depth or pd.NA,
        "judged": judged.mean(),
        "relevant": relevant.mean(),
        "relevant_median": float(np.median(relevant)),
        "unjudged": unjudged.mean() if unjudged.size else np.nan,
        "with_unjudged": (unjudged > 0).mean() if unjudged.size else np.nan,
    }
    return pd.DataFrame([row]).astype({"pool_depth": "Int64"})
