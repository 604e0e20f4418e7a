"""How one system answers more topics, or answers them sooner, than another."""

from collections.abc import Hashable, Sequence

import pandas as pd
import xarray as xr

from irframe.studies.outcomes.answers import answers_of_cube, answers_of_runs
from irframe.studies.outcomes.comparisons import Outcomes, basis, compare_answers, listed

__all__ = ["Outcomes", "outcomes", "run_outcomes"]


def outcomes(
    cube: xr.Dataset,
    a: Hashable | None = None,
    b: Hashable | Sequence[Hashable] | None = None,
    depth: int | None = None,
    *,
    order: Sequence[Hashable] | None = None,
    rel: int = 1,
    relevant: str = "only",
    measure: str = "ESL",
    test: str = "wilcoxon",
    alpha: float = 0.05,
    adjust: str | None = None,
    by: str | None = None,
) -> Outcomes:
    """Say whether a system is better because it answers more, or because it ranks higher.

    For topics with one relevant document each. A user who finds it saved a known number of
    documents to read; a user who does not is not comparable, so the two are kept apart.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    a, b
        Systems: does b improve on a? With `a` alone, every other system against it as the
        baseline; with a list as `b`, each of these; with neither, all pairs.
    depth
        A document below this rank is not returned; at least 1 and at most the cube's depth. By
        default 100, or the depth of the cube where that is less.
    order
        Systems in the order they came out: each from the second on is compared, as b, with the
        best so far, as a, that is the one with the highest MRR (the earlier one if equal).
    rel
        Lowest relevant grade, at least 1.
    relevant
        ``"only"``: more than one relevant document for a topic is an error. ``"first"``: the
        first one counts.
    measure
        What "ranks higher" means in the verdicts: a lower mean ``"ESL"`` or a higher mean
        ``"RR"`` on the topics both answer.
    test
        The test of that: ``"wilcoxon"``, the signed-rank test, or ``"t"``, the paired one.
    alpha
        Significance level of the verdicts, above 0 and below 1.
    adjust
        Correction of every kind of p-value for the number of comparisons, one of statsmodels'
        `multipletests` such as ``"bonferroni"``; by default none. The verdicts follow it.
    by
        A coordinate of the topics: a row per comparison and group.

    Returns
    -------
    Outcomes
        ``queries``, a row per comparison and topic, and ``summary``, a row per comparison with
        the columns

        - the group, if `by` is given; ``system_a``, ``system_b``; ``best_so_far``, whether b
          beats a in MRR, if `order` is given;
        - ``n_topics``, ``mrr_a``, ``mrr_b``, ``delta = mrr_b - mrr_a``, and p-values over all
          topics: ``p_ranksum``, ``p_wilcoxon``, ``p_t`` (the paper's Table 1);
        - the number of topics answered by ``neither``, ``a_only``, ``b_only``, ``both``, and
          their shares, ``share_neither`` and so on;
        - ``p_answered``, the sign test of a_only against b_only;
        - over the topics both answer, mean ``esl_a``, ``esl_b`` with ``p_esl_wilcoxon``,
          ``p_esl_t``, and ``rr_a``, ``rr_b`` with ``p_rr_wilcoxon``, ``p_rr_t`` (Table 2);
        - all p-values again with ``_adjusted``, if `adjust` is given;
        - the parts of the verdicts: ``answered``, 1 if b answers more, -1 if a does, and
          ``answered_significant``; ``ranked``, 1 if b ranks higher, and ``ranked_significant``;
        - the verdicts on b: ``better``, ahead in both parts; ``significantly_better``, and both
          significantly; ``no_harm``, significantly ahead in one and not significantly behind in
          the other;
        - ``n_no_relevant``, the topics left out because nothing is relevant to them.

    Raises
    ------
    InputError
        If a topic has several relevant documents, or none has any.
    ParameterError
        For systems that are not there, and arguments out of range.
    DepthError
        For a depth beyond the cube.
    IdError
        If two systems have no topic in common.

    Notes
    -----
    Where no topic is answered by both, ESL and RR are NaN, their p-values 1, and the direction
    0. p-values are two-sided; the rank-sum test is corrected for continuity, the signed-rank
    tests are not; all use the normal approximation, corrected for ties.

    References
    ----------
    .. [1] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? A case study of the MS MARCO document ranking leaderboard. SIGIR 2021.
       doi:10.1145/3404835.3463034

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> found = outcomes(ir.cube(runs, qrels), "bm25", "ance", depth=10, relevant="first")
    >>> found.summary[["neither", "a_only", "b_only", "both"]]
       neither  a_only  b_only  both
    0        0       1       2    13
    """
    verdict = basis(measure, test, alpha, adjust)
    answers = answers_of_cube(cube, depth=depth, rel=rel, relevant=relevant, by=by)
    return compare_answers(answers, a, b, order, by, verdict)


def run_outcomes(
    runs: pd.DataFrame,
    qrels: pd.DataFrame,
    a: Hashable | None = None,
    b: Hashable | Sequence[Hashable] | None = None,
    depth: int = 100,
    *,
    order: Sequence[Hashable] | None = None,
    rel: int = 1,
    relevant: str = "only",
    measure: str = "ESL",
    test: str = "wilcoxon",
    alpha: float = 0.05,
    adjust: str | None = None,
    by: str | None = None,
    ties: str = "trec",
    score_dtype: str = "float64",
    topics: str | Sequence[Hashable] = "qrels",
    seed: int | None = None,
) -> Outcomes:
    """Say the same as `outcomes` of runs and judgments, without building a cube.

    Parameters
    ----------
    runs, qrels
        Run frame and qrels frame.
    a, b
        Systems: does b improve on a? As for `outcomes`.
    depth
        A document below this rank is not returned; at least 1.
    order, rel, relevant, measure, test, alpha, adjust
        As for `outcomes`.
    by
        A column of either frame that is constant per topic.
    ties, score_dtype, topics, seed
        As for `irframe.cube`; shared ranks (``ties="mean"``) are refused.

    Returns
    -------
    Outcomes
        As from `outcomes`; in ``queries`` the topics are named as in `runs`.

    Raises
    ------
    IrframeError
        As `outcomes` and `irframe.cube`.

    Notes
    -----
    Needs memory for the ranks of the answers and for two million rows of the runs at a time.

    References
    ----------
    .. [1] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? A case study of the MS MARCO document ranking leaderboard. SIGIR 2021.
       doi:10.1145/3404835.3463034

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> found = runs.ireval.outcomes(qrels, "bm25", depth=10, relevant="first", by=None)
    >>> found
    Outcomes of 7 comparisons over 16 topics at depth 10
    """
    verdict = basis(measure, test, alpha, adjust)
    systems = order if a is None else None if b is None else [a, *listed(b)]
    answers = answers_of_runs(
        runs,
        qrels,
        depth=depth,
        rel=rel,
        relevant=relevant,
        by=by,
        systems=systems,
        ranking={"ties": ties, "score_dtype": score_dtype, "seed": seed},
        topics=topics,
    )
    return compare_answers(answers, a, b, order, by, verdict)
