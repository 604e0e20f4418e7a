"""Score sheets, as TREC returns them to participants."""

from collections.abc import Hashable

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import positions_of
from irframe.cubes.parse_scores import parse_scores, to_scores
from irframe.cubes.verb import table_verb
from irframe.metrics.facts import TIE, facts
from irframe.names import METRIC, SYSTEM, TOPIC


@table_verb()
def sheet(scores: xr.DataArray | pd.DataFrame, system: Hashable) -> xr.Dataset | pd.DataFrame:
    """Return a system's scores beside the best, median and worst.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    system
        The system of the participant.

    Returns
    -------
    pandas.DataFrame or xarray.Dataset
        A frame indexed by metric and topic if `scores` is a frame, or a dataset with the dimensions
        (metric, topic, depth) if `scores` is an array. After `groupby`, the group is the first
        index level or dimension. The columns are

        - ``score``, the score of the system on the topic;
        - ``best``, ``median`` and ``worst``, the best, median and worst score on the topic over all
          systems, including `system`. For a cost, the best score is the lowest;
        - ``rank``, the rank of the system on the topic, one more than the number of better systems.
          Ranks are floats, and NaN if the system has no score;
        - ``n``, the number of systems with a score on the topic.

    Raises
    ------
    ParameterError
        If the system or the group is unknown.

    Notes
    -----
    Scores that are equal when rounded to 12 decimals tie.

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
    (index,) = positions_of("a system of the scores", system, values[SYSTEM].to_numpy().tolist())
    sign = xr.DataArray([facts(name).sign for name in values[METRIC].to_numpy()], dims=METRIC)
    gain = values * sign
    score = gain.isel({SYSTEM: index}, drop=True)
    better = (gain.round(TIE) > score.round(TIE)).sum(SYSTEM)
    n = values.notnull().sum(SYSTEM)
    columns = {
        "score": score * sign,
        "best": gain.max(SYSTEM) * sign,
        # numpy warns about the median of no values, so missing scores are replaced by 0 first
        "median": values.where(n > 0, 0).median(SYSTEM).where(n > 0),
        "worst": gain.min(SYSTEM) * sign,
        "rank": (better + 1).where(np.isfinite(score)),
        "n": n,
    }
    result = xr.Dataset(columns)
    result = result.drop_vars([name for name in result.coords if name not in result.dims])
    table = parse_scores(scores)
    if table.rows is None:
        return result
    frame = result.to_dataframe().query("n > 0")
    return frame.rename_axis(index={TOPIC: str(table.topics.name)})
