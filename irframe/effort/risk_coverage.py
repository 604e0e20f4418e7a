"""When a system should answer nothing: errors against the share of topics that it answers.

Verb: risk_coverage.
"""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.arrays import Array
from irframe.checks import whole
from irframe.cubes.cube import build_cube
from irframe.cubes.view import experiment_of, read_cube
from irframe.errors import OneCall, ParameterError
from irframe.experiments.policy import Policy
from irframe.files.as_runs import Qrels, Runs
from irframe.files.repeats import fold, not_lacking
from irframe.record import recorded
from irframe.stops import AXES


@recorded
def risk_coverage(
    data: xr.Dataset | Runs,
    qrels: Qrels | None = None,
    *,
    rel: int = 1,
) -> pd.DataFrame:
    """Say how often systems err in first place if they answer only where scores are high enough.

    Parameters
    ----------
    data
        A cube made with ``scores=True``; or a run frame, with scores, followed by its judgments.
        A topic without relevant documents needs a row of grade 0, or ``{topic: {}}`` in a
        dictionary of judgments.
    qrels
        Qrels frame, with a run frame only.
    rel
        Lowest relevant grade, from 1.

    Returns
    -------
    pandas.DataFrame
        For each system a row for each distinct score of its first documents, from the highest: the
        ``threshold``; ``answered``, the topics whose first document reaches it; ``coverage``, their
        share; ``risk``, the share of these whose first document is not relevant; ``left_alone``,
        the share of topics without relevant documents that are not answered, NaN where there are
        none; and ``n_topics``. Thresholds are those of the system: systems whose scores are on
        different scales compare at equal coverage.

    Raises
    ------
    ParameterError
        For lists without scores, or ties by which these do not decide the order.
    IrframeError
        As `irframe.cube`.

    References
    ----------
    .. [1] Geifman, El-Yaniv. Selective classification for deep neural networks. NIPS 2017.
       doi:10.48550/arXiv.1705.08500

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> table = ir.verbs.risk_coverage(runs[runs["system"] == "monot5"], qrels)
    >>> table.loc[[0, 7, 15], ["threshold", "coverage", "risk"]].round(3).to_numpy().tolist()
    [[4.57, 0.062, 0.0], [3.25, 0.5, 0.125], [2.39, 1.0, 0.438]]
    """
    rel = whole("rel", rel, low=1)
    if not isinstance(data, xr.Dataset):
        if qrels is None:
            raise ParameterError("judgments beside the run frame", "none")
        with OneCall(without=not_lacking(None, "silence")):
            data = build_cube(fold(data).runs, qrels, Policy(score=words.SCORE))
    elif qrels is not None:
        raise ParameterError("a cube, or a run frame and judgments", "a cube and judgments")
    experiment = experiment_of(read_cube(data)).loaded
    if experiment.made["ties"] == "rank":
        raise ParameterError("ties by which scores decide the order", "'rank'")
    if words.SCORE not in (experiment.hits.along or {}):
        wanted, advice = AXES[words.THRESHOLD].lacks
        raise ParameterError(wanted, "none", advice)
    hits, hopeless = experiment.hits, ~experiment.judgments.relevant(rel)
    grade = experiment.dense(1, words.GRADE)[..., 0]
    there = hits.length > 0
    first = np.full(there.shape, np.nan)
    first[there] = (hits.along or {})[words.SCORE][hits.first[there.ravel()]]
    took_part = experiment.participated
    parts = {
        system: _of_system(first[row, own], grade[row, own] < rel, hopeless[own])
        for row, system in enumerate(experiment.systems)
        if (own := took_part[row]).any()
    }
    table = pd.concat(parts, names=[words.SYSTEM]).reset_index(level=0)
    return pd.DataFrame(table.reset_index(drop=True))


def _of_system(first: Array, wrong: Array, hopeless: Array) -> pd.DataFrame:
    """Return the rows of a system, given the score of every topic's first document, or NaN."""
    order = np.argsort(-first, kind="stable")[: np.count_nonzero(~np.isnan(first))]
    reached = first[order]
    last = np.flatnonzero(reached != np.append(reached[1:], np.nan))
    answered, total = last + 1, hopeless.sum()
    alone = total - np.cumsum(hopeless[order])[last]
    columns: dict[str, Any] = {
        words.THRESHOLD: reached[last],
        "answered": answered,
        "coverage": answered / len(first),
        "risk": np.cumsum(wrong[order])[last] / answered,
        "left_alone": alone / total if total else np.nan,
        "n_topics": len(first),
    }
    return pd.DataFrame(columns)
