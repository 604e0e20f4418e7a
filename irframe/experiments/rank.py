"""Runs in evaluation order."""

import pandas as pd

from irframe.experiments.coded_tables import read_table
from irframe.experiments.documents import Side, code_documents
from irframe.experiments.policy import Policy
from irframe.experiments.rank_table import listed_again, rank_table, refuse_duplicates
from irframe.files.as_runs import Runs
from irframe.names import DEFAULT_DTYPE, DEFAULT_TIES, RANK, ScoreDtype, Ties
from irframe.record import recorded


@recorded
def rank(
    runs: Runs,
    ties: Ties = DEFAULT_TIES,
    *,
    score_dtype: ScoreDtype = DEFAULT_DTYPE,
    seed: int = 0,
) -> pd.DataFrame:
    """Put a run frame into evaluation order.

    Parameters
    ----------
    runs
        Run frame: topic, doc, and score or rank; usually system.
    ties
        Who comes first among equal scores. ``"trec"``: the greater document id, by bytes, as
        trec_eval. ``"doc"``: the smaller one. ``"order"``: the earlier row. ``"rank"``: the
        rank column decides alone and scores are ignored. ``"random"``: chance, drawn for every
        system, topic and document by `seed` and by nothing else.
        ``"mean"``: as ``"trec"``, to be scored with shared gain. A frame without scores is
        ranked by its rank column.
    score_dtype
        ``"float64"``, or ``"float32"`` to tie what pytrec_eval and trec_eval to 9.0.8 tie.
    seed
        Seed of ``"random"``, a whole number from 0, so that the same call gives the same order.

    Returns
    -------
    pandas.DataFrame
        The same rows and columns, sorted by system, topic and rank, with the column `rank`
        1, 2, ...

    Raises
    ------
    RankingError
        For missing scores or equal ranks, listing them.
    IdError
        For a document listed twice, listing it.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.3. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import pandas as pd
    >>> run = pd.DataFrame({"topic": "1", "doc": ["a", "b", "c"], "score": [1.0, 2.0, 2.0]})
    >>> rank(run)
      topic doc  score  rank
    0     1   c    2.0     1
    1     1   b    2.0     2
    2     1   a    1.0     3
    """
    policy = Policy(ties=ties, score_dtype=score_dtype, seed=seed)
    table = read_table(runs)
    ranking = rank_table(table, ties=ties, score_dtype=score_dtype, seed=policy.seed)
    (codes,) = code_documents(Side(table.topic, table.doc))
    refuse_duplicates(table, listed_again(table.system, codes))
    column = table.columns.get(RANK, RANK)
    ranked = table.frame.take(ranking.order).reset_index(drop=True)
    return ranked.assign(**{str(column): ranking.rank})
