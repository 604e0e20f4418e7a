"""Judgments left out at random."""

import pandas as pd

from irframe.frames.as_qrels import Qrels
from irframe.frames.documents import Side, code_documents
from irframe.frames.ids import repeated
from irframe.frames.sampling import random_keys, refuse_marks, refuse_percent, strata_sample
from irframe.frames.tables import read_qrels_table, refuse_twice_judged


def sample(qrels: Qrels, percent: float, seed: int = 0) -> pd.DataFrame:
    """Keep a share of the judgments, drawn at random for every topic and grade.

    Parameters
    ----------
    qrels
        Qrels frame: topic, doc, grade.
    percent
        Share to keep, above 0 and at most 100.
    seed
        Seed of the random order of the documents. It depends on nothing but the seed and the
        identifiers, so a smaller sample is part of every larger one with the same seed.

    Returns
    -------
    pandas.DataFrame
        The rows of `qrels` that are kept, as they were; the others are to count as unjudged.

    Raises
    ------
    ParameterError
        For a percentage outside (0, 100] or a negative seed.
    GradeError
        If grade -1 marks unjudged documents.

    Notes
    -----
    Of the n documents of a topic at a grade, ``max(1, floor(percent n / 100 + 1/2))`` are kept,
    and at least 10 of a grade below 1, or all if there are fewer.

    References
    ----------
    .. [1] Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
       doi:10.1145/1008992.1009000
    .. [2] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> _, qrels = ir.example_track()
    >>> [len(sample(qrels, percent)) for percent in (100, 50, 10)]
    [523, 282, 206]
    """
    refuse_percent(percent)
    table = read_qrels_table(qrels)
    (codes,) = code_documents(Side(table.topic, table.doc))
    refuse_twice_judged(table, repeated(codes))
    refuse_marks(table.grade)
    keys = random_keys(table.topics[table.topic], table.doc.combine_chunks(), seed=seed)
    return table.judging(strata_sample(table.topic, table.grade, keys, percent))
