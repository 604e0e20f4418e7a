"""The sheet of one participant."""

from collections.abc import Hashable

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import places
from irframe.cubes.parse_scores import parse_scores, to_scores
from irframe.cubes.verb import table_verb
from irframe.metrics.facts import TIE, facts
from irframe.names import METRIC, SYSTEM, TOPIC


@table_verb()
def sheet(scores: xr.DataArray | pd.DataFrame, system: Hashable) -> xr.Dataset | pd.DataFrame:
    """Show the sheet of one participant: own score against best, median and worst, by topic.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    system
        The participant.

    Returns
    -------
    pandas.DataFrame or xarray.Dataset
        ``score`` of the system; ``best``, ``median`` and ``worst`` score of all systems, its own
        among them, where the best one is the lowest if less is better, and ``rank``, 1 more than
        the number of systems that are better, as floats, NaN where the system has no score; and
        ``n``, how many systems have one. For a frame of scores a frame indexed by metric and
        topic, for an array a dataset over (metric, topic, depth); after `groupby`
        the group comes first.

    Raises
    ------
    ParameterError
        If there is no such system, or no such group.

    Notes
    -----
    Scores that agree to 12 decimals are equally good.

    References
    ----------
    .. [1] Voorhees, Harman. TREC: experiment and evaluation in information retrieval. MIT Press,
       2005. ISBN 978-0-262-22073-6

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     {"system": list("abc"), "topic": "1", "measure": "AP", "value": [0.2, 0.9, 0.5]}
    ... )
    >>> sheet(scores, "c")
                  score  best  median  worst  rank  n
    metric topic
    AP     1        0.5   0.9     0.5    0.2   2.0  3
    """
    values = to_scores(scores)
    (place,) = places("a system of the scores", system, values[SYSTEM].to_numpy().tolist())
    sign = xr.DataArray([facts(name).sign for name in values[METRIC].to_numpy()], dims=METRIC)
    gain = values * sign
    own = gain.isel({SYSTEM: place}, drop=True)
    better = (gain.round(TIE) > own.round(TIE)).sum(SYSTEM)
    n = values.notnull().sum(SYSTEM)
    parts = {
        "score": own * sign,
        "best": gain.max(SYSTEM) * sign,
        "median": values.where(n > 0, 0).median(SYSTEM).where(n > 0),  # of nothing it warns
        "worst": gain.min(SYSTEM) * sign,
        "rank": (better + 1).where(np.isfinite(own)),
        "n": n,
    }
    result = xr.Dataset(parts)
    result = result.drop_vars([name for name in result.coords if name not in result.dims])
    table = parse_scores(scores)
    if table.rows is None:
        return result
    frame = result.to_dataframe().query("n > 0")
    return frame.rename_axis(index={TOPIC: str(table.topics.name)})
