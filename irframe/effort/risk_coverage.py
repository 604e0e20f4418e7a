"""Risk-coverage curves of systems that may abstain.

Verb: risk_coverage.
"""

import numpy as np
import pandas as pd
import xarray as xr

from irframe import names as words
from irframe.arrays import Array
from irframe.checks import check_int
from irframe.cubes.cube import build_cube
from irframe.cubes.view import experiment_of, read_cube
from irframe.errors import OneCall, ParameterError
from irframe.evaluation.repeats import fold, not_lacking
from irframe.experiments.policy import Policy
from irframe.files.as_runs import Qrels, Runs
from irframe.record import recorded
from irframe.stops import AXES


@recorded
def risk_coverage(
    data: xr.Dataset | Runs, qrels: Qrels | None = None, *, rel: int = 1
) -> pd.DataFrame:
    """Return risk and coverage by score threshold.

    A system answers a topic if the score of its first document is at least the threshold. Below the
    threshold, the system abstains.

    Parameters
    ----------
    data
        A cube made with ``scores=True``, or runs with scores. A topic without relevant documents
        is counted only if the judgments contain the topic. To include such a topic, add a row with
        grade 0 to a frame, or ``{topic: {}}`` to a dictionary.
    qrels
        Judgments, which are required with runs and not allowed with a cube.
    rel
        Lowest relevant grade, at least 1.

    Returns
    -------
    pandas.DataFrame
        One row per system and threshold. The thresholds of a system are the distinct scores of its
        first documents, in descending order. The columns are ``system`` and

        - ``threshold``, the lowest score of a first document at which a topic is answered;
        - ``answered`` and ``coverage``, the number and the share of answered topics;
        - ``risk``, the share of answered topics whose first document is not relevant;
        - ``left_alone``, the share of unanswered topics among topics without relevant documents, or
          NaN if all topics have relevant documents;
        - ``n_topics``, the number of topics.

        Compare systems at equal coverage, and not at equal thresholds, because the scales of scores
        differ between systems.

    Raises
    ------
    ParameterError
        If lists have no scores, or if the cube was ranked by a rank column (``ties="rank"``).
    IrframeError
        If `irframe.cube` raises an error for the runs and judgments.

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
    rel = check_int("rel", rel, low=1)
    if not isinstance(data, xr.Dataset):
        if qrels is None:
            raise ParameterError("runs and judgments", "runs without judgments")
        # a missing list means that the system abstains, and needs no warning
        with OneCall(without=not_lacking(None, "silence")):
            data = build_cube(fold(data).runs, qrels, Policy(score=words.SCORE))
    elif qrels is not None:
        raise ParameterError("a cube, or runs and judgments", "a cube and judgments")
    experiment = experiment_of(read_cube(data)).loaded
    if experiment.options["ties"] == "rank":
        raise ParameterError("a cube that is ranked by scores", "a cube with ties='rank'")
    if words.SCORE not in (experiment.hits.along or {}):
        expected, advice = AXES[words.THRESHOLD].missing
        raise ParameterError(expected, "none", advice)
    hits = experiment.hits
    unanswerable = ~experiment.judgments.relevant(rel)
    grade = experiment.dense(1, words.GRADE)[..., 0]
    has_list = hits.length > 0
    first = np.full(has_list.shape, np.nan)
    first[has_list] = (hits.along or {})[words.SCORE][hits.first[has_list.ravel()]]
    took_part = experiment.participated
    tables = {
        system: _of_system(
            first[row, participating], grade[row, participating] < rel, unanswerable[participating]
        )
        for row, system in enumerate(experiment.systems)
        if (participating := took_part[row]).any()
    }
    table = pd.concat(tables, names=[words.SYSTEM]).reset_index(level=0)
    return pd.DataFrame(table.reset_index(drop=True))


def _of_system(first: Array, wrong: Array, unanswerable: Array) -> pd.DataFrame:
    """Return the thresholds of one system with risk and coverage.

    `first` contains the score of the first document of each topic, or NaN for an empty list.
    `wrong` is True if this document is not relevant.
    """
    order = np.argsort(-first, kind="stable")[: np.count_nonzero(~np.isnan(first))]
    reached = first[order]
    # topics with equal scores are answered together, so a threshold counts up to the last of them
    last = np.flatnonzero(reached != np.append(reached[1:], np.nan))
    answered = last + 1
    total = unanswerable.sum()
    left_alone = total - np.cumsum(unanswerable[order])[last]
    columns: dict[str, Array | float] = {
        words.THRESHOLD: reached[last],
        "answered": answered,
        "coverage": answered / len(first),
        "risk": np.cumsum(wrong[order])[last] / answered,
        "left_alone": left_alone / total if total else np.nan,
        "n_topics": len(first),
    }
    return pd.DataFrame(columns)
