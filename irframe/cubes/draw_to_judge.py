"""Documents drawn at random, to be judged by people."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import number
from irframe.errors import InputError, ParameterError
from irframe.experiments import coded_tables
from irframe.experiments.policy import random_keys, refuse_marks
from irframe.files.as_runs import Qrels
from irframe.files.ids import Codes, repeated, within
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import GRADE, PROBABILITY, STRATUM, TOPIC
from irframe.record import recorded

Share = float | Mapping[Any, float]


LEAST = 2
"""Documents of a stratum that are drawn if there are so many: the fewest that have a spread."""


@recorded
def draw_to_judge(
    qrels: Qrels, share: Share, *, strata: str = TOPIC, seed: int = 0
) -> pd.DataFrame:
    """Draw documents of every pool at random, to be judged by people, without a look at grades.

    All documents of the pools stay, and what was not drawn is pooled and not judged; `estimate` and
    `predict_powered` say what complete judgments would give. To thin judgments as smaller pools
    would have, grade by grade, call `sample`.

    Parameters
    ----------
    qrels
        A qrels frame: topic, doc, grade.
    share
        Share of the documents to draw, above 0 and at most 1; one for all, or
        ``{stratum: share}``.
    strata
        A column of the frame whose values part the pool of each topic, such as ``"stratum"``; by
        default the pool of a topic is one stratum.
    seed
        Seed of the random order of the documents. It depends on nothing but the seed and the
        identifiers, so a smaller draw is part of every larger one with the same seed.

    Returns
    -------
    pandas.DataFrame
        All rows of the frame. Documents that were not drawn have grade -1, pooled and not judged;
        `stratum` says which each one is of, and `probability` how likely it was to be drawn. A cube
        of the same runs is judged so by `rejudge`.

    Raises
    ------
    ParameterError
        For a share outside (0, 1], one that is missing for a stratum, or a negative seed; for
        strata that are no column or missing in a row.
    InputError
        If documents are judged by subtopic.
    GradeError
        If grade -1 marks unjudged documents.

    Notes
    -----
    Of the n documents of a stratum ``max(2, floor(share n + 1/2))`` are drawn, two because fewer
    have no spread, from which `estimate` knows its standard errors.

    Examples
    --------
    A third of every pool, and what precision is then estimated as:

    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> drawn = draw_to_judge(qrels, 1 / 3)
    >>> len(drawn), int((drawn["grade"] >= 0).sum())
    (523, 176)
    >>> found = runs.ireval.cube(drawn).ireval.estimate("P", at=10).sel(system="bm25")
    >>> [round(found[name].item(), 2) for name in ("mean", "ci_low", "ci_high")]
    [0.26, 0.16, 0.38]
    """
    table = read_to_draw(qrels)
    if table.subtopic_grade is not None:
        raise InputError("judgments with one grade per document", "subtopics")
    label = _stratum_labels(table, strata)
    keys = random_keys(table.topics[table.topic], table.doc.combine_chunks(), seed=seed)
    kept, probability = _drawn(table.topic, label, keys, share)
    names = {role: str(table.columns.get(role, role)) for role in (GRADE, STRATUM, PROBABILITY)}
    grade = np.where(kept, table.grade, POOLED_UNJUDGED).astype(np.int64)
    changed = dict(zip(names.values(), (grade, label, probability), strict=True))
    return table.frame.assign(**changed)


def read_to_draw(qrels: Qrels) -> coded_tables.QrelsTable:
    """Return judgments of which some are to be drawn, each document of a topic once."""
    table = coded_tables.read_qrels_table(qrels)
    (codes,) = coded_tables.code_documents(coded_tables.Side(table.topic, table.doc))
    coded_tables.refuse_twice_judged(table, repeated(codes))
    refuse_marks(table.grade)
    return table


def _stratum_labels(table: coded_tables.QrelsTable, strata: str) -> Array:
    """Return the stratum of every row, as text; where a topic is one, that is 1."""
    columns = list(map(str, table.frame.columns))
    if strata in {TOPIC, table.columns[TOPIC]}:
        return np.full(len(table.grade), "1", object)
    if strata not in columns:
        wanted = "strata to be a column of the judgments, or 'topic'"
        raise ParameterError(wanted, f"{strata!r} among", "", columns)
    values = table.frame[strata]
    if values.isna().any():
        found = f"{int(values.isna().sum())} without"
        raise ParameterError(f"a stratum ({strata}) for every document", found)
    return values.astype(str).to_numpy(object)


def _drawn(
    topic: Codes, label: Array, keys: Array, share: Share
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Draw documents of every stratum, and return which, and with which probability."""
    code, labels = pd.factorize(label)
    order = np.lexsort((keys, code, topic))
    pair = topic[order].astype(np.int64) * max(1, len(labels)) + code[order]
    stratum = np.cumsum(np.diff(pair, prepend=-1) != 0) - 1
    size = np.bincount(stratum)[stratum]
    exact = np.round(_shares(share, labels)[code[order]] * size, 9)  # 0.29 * 50 is below 14.5
    number = np.minimum(np.maximum(np.floor(exact + 0.5), LEAST), size)
    kept, probability = np.empty(len(order), bool), np.empty(len(order))
    kept[order], probability[order] = within(stratum) < number, number / size
    return kept, probability


def _shares(share: Share, labels: Any) -> NDArray[np.float64]:
    """Return the share that is wanted of each stratum."""
    several = isinstance(share, Mapping)
    given: Any = share if isinstance(share, Mapping) else dict.fromkeys(labels, share)
    shares = {str(name): value for name, value in given.items()}
    missing = [label for label in labels if label not in shares]
    if missing:
        raise ParameterError("a share for every stratum", "none for", "", missing)
    for name, value in shares.items():
        number(f"share of {name}" if several else "share", value, above=0, high=1)
    return np.array([shares[label] for label in labels], float)
