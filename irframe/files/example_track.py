"""The small track of the documentation."""

import pandas as pd

from irframe.files.simulate_track import TEAM, simulate_track
from irframe.names import SYSTEM

__all__ = ["example_track"]

TEAMS = {
    "terms": ("bm25", "bm25+rm3"),
    "vectors": ("ance", "colbert"),
    "expansion": ("splade", "doct5query"),
    "rerankers": ("monot5", "duot5"),
}
"""Team -> its systems, in the order of the simulated ones."""


def example_track() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a small simulated track to try things on, always the same.

    Eight systems of four teams return 50 documents for each of 16 topics, grades go from 0 to 3,
    and the first 10 documents of five systems are judged. Two systems are far better than the
    baseline, some pairs are too close to call, scores tie, and documents near the top are
    unjudged.

    The familiar names are labels to read by. **The runs are simulated** and say nothing about
    the systems of those names.

    Returns
    -------
    runs : DataFrame
        6,400 rows in rank order, with the columns system, team, topic, doc, rank, score and
        contributing; see `simulate_track`.
    qrels : DataFrame
        The judged documents, with the columns topic, doc and grade.

    Examples
    --------
    >>> runs, qrels = example_track()
    >>> runs.head(3)
      system   team topic   doc  rank  score  contributing
    0   bm25  terms   101  d158     1   2.66          True
    1   bm25  terms   101  d659     2   2.34          True
    2   bm25  terms   101  d516     3   2.33          True
    >>> qrels["grade"].value_counts().sort_index().to_dict()
    {0: 365, 1: 63, 2: 51, 3: 44}
    """
    runs, qrels = simulate_track(
        systems=8, topics=16, docs=1000, depth=50, pool_depth=10, grades=4, teams=4, seed=9537
    )
    teams = dict(zip(runs[TEAM].unique(), TEAMS, strict=True))
    labels = [label for members in TEAMS.values() for label in members]
    systems = dict(zip(runs[SYSTEM].unique(), labels, strict=True))
    columns = {SYSTEM: runs[SYSTEM].map(systems), TEAM: runs[TEAM].map(teams)}
    return runs.assign(**columns), qrels
