"""Outcomes of systems on topics with one relevant document.

Verbs: outcomes.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import listed
from irframe.cubes.by_group import drop_groups_without, join_frames, naming_group
from irframe.cubes.verb import shared_topics, verb
from irframe.cubes.view import LIST, read_cube
from irframe.effort import breakdown
from irframe.errors import IdError, ParameterError
from irframe.experiments.group_columns import with_given_groups
from irframe.experiments.policy import Policy
from irframe.experiments.topic_design import refuse_declared
from irframe.files.as_runs import Qrels, Runs
from irframe.names import SYSTEM, TOPIC, counted
from irframe.printed import Result
from irframe.record import InGroups

NEXT = "next: .ireval.styled(), .ireval.plot.outcome_shares()"
"""Text that is printed below the outcomes and names methods to call next."""


@dataclass(eq=False, repr=False)
class Outcomes:
    """Comparisons of systems on topics with one relevant document.

    Parameters
    ----------
    summary
        One row per comparison. If there are groups, one row per group and comparison. `outcomes`
        describes the columns.
    compared
        Mapping from group to a tuple of two values: the ranks of the answers, and the positions of
        systems a and b, shape (pair, 2).
    by
        The name of the column with groups, or None if there are no groups.

    Examples
    --------
    >>> import pandas as pd
    >>> import irframe as ir
    >>> grades = {"a": [1, 0, 0], "b": [0, 0, 1]}
    >>> runs = pd.DataFrame(
    ...     [(s, "1", f"{s}{i}" if not g else "x", -i) for s in "ab" for i, g in
    ...      enumerate(grades[s])], columns=["system", "topic", "doc", "score"])
    >>> qrels = pd.DataFrame({"topic": ["1"], "doc": ["x"], "grade": [1]})
    >>> result = runs.ireval.outcomes(qrels, baseline="a")
    >>> result.queries[["topic", "outcome", "rank_a", "rank_b"]]
      topic outcome  rank_a  rank_b
    0     1    both       1       3
    """

    summary: pd.DataFrame
    compared: Mapping[Hashable, tuple[xr.Dataset, NDArray[np.int64]]]
    by: str | None = None

    @classmethod
    def join(cls, results: Mapping[Hashable, "Outcomes"], by: str) -> "Outcomes":
        """Concatenate the outcomes of all groups."""
        # the outcomes of one group have a single entry, with the key None
        compared = {
            key: entry for key, result in results.items() for entry in result.compared.values()
        }
        return cls(
            join_frames({key: result.summary for key, result in results.items()}, by), compared, by
        )

    def __post_init__(self) -> None:
        # pandas drops attributes when a frame is built from a frame
        attrs = self.summary.attrs
        self.summary = Result(self.summary)
        self.summary.attrs = attrs

    @property
    def ireval(self) -> Any:
        """Accessor with the methods and plots of the summary."""
        return self.summary.ireval

    @property
    def attrs(self) -> dict[Any, Any]:
        """Attributes of the summary, such as the record of options."""
        return self.summary.attrs

    @attrs.setter
    def attrs(self, values: dict[Any, Any]) -> None:
        self.summary.attrs = values

    @cached_property
    def queries(self) -> pd.DataFrame:
        """Outcomes and ranks of answers by comparison and topic.

        Returns
        -------
        pandas.DataFrame
            The first columns contain the group (if there are groups), ``system_a``, ``system_b``
            and the topic. The other columns are

            - ``outcome``, an ordered categorical that states which systems returned the answer;
            - ``rank_a`` and ``rank_b``, the ranks of the answer, or <NA> if a system did not return
              the answer;
            - ``esl_a`` and ``esl_b``, the ranks if both systems returned the answer, else NaN;
            - ``rr_a`` and ``rr_b``, the reciprocal ranks, or 0 if a system did not return the
              answer.
        """
        frames = {key: _queries(*entry) for key, entry in self.compared.items()}
        joined = frames[None] if self.by is None else join_frames(frames, self.by)
        joined.attrs = dict(self.attrs)
        return joined

    def _repr_html_(self) -> str:
        return self.summary._repr_html_()  # type: ignore[operator, no-any-return]

    def __repr__(self) -> str:
        datasets = [answers for answers, _ in self.compared.values()]
        topics = sum(answers.sizes[TOPIC] for answers in datasets)
        depth = datasets[0].attrs["depth"]
        number = counted(len(self.summary), "comparison")
        heading = f"Outcomes of {number} over {counted(topics, TOPIC)} at depth {depth}"
        return (
            f"{heading}\n{self.summary!r}\nall columns: .summary; rows by topic: .queries; {NEXT}"
        )


def _queries(answers: xr.Dataset, pairs: NDArray[np.int64]) -> pd.DataFrame:
    a, b = pairs.T
    systems, topics = (answers.indexes[dim] for dim in LIST)
    ranks = {
        side: answers["rank"].to_numpy()[rows].ravel()
        for side, rows in zip("ab", (a, b), strict=True)
    }
    returned = {side: rank > 0 for side, rank in ranks.items()}
    both = returned["a"] & returned["b"]
    # the sum is the position of the outcome in `breakdown.CASES`
    codes = returned["a"] + np.int8(2) * returned["b"]
    frame = pd.DataFrame(
        {
            "system_a": systems.take(np.repeat(a, len(topics))),
            "system_b": systems.take(np.repeat(b, len(topics))),
            answers.attrs["topic"]: topics.take(np.tile(np.arange(len(topics)), len(a))),
            "outcome": pd.Categorical.from_codes(codes, dtype=breakdown.KINDS),
            **{f"rank_{side}": pd.array(rank, dtype="Int32") for side, rank in ranks.items()},
            **{f"esl_{side}": np.where(both, rank, np.nan) for side, rank in ranks.items()},
            **{f"rr_{side}": breakdown.reciprocal(rank) for side, rank in ranks.items()},
        }
    )
    for side, is_returned in returned.items():
        frame[f"rank_{side}"] = frame[f"rank_{side}"].where(is_returned)
    return frame


@verb(groups=True, bounded=True)
def outcomes(
    data: xr.Dataset | Runs,
    qrels: Qrels | None = None,
    *,
    test: breakdown.TestedOutcomes = "wilcoxon",
    baseline: Hashable | None = None,
    systems: Hashable | Sequence[Hashable] | None = None,
    order: Sequence[Hashable] | None = None,
    pairs: Sequence[tuple[Hashable, Hashable]] | None = None,
    depth: int | None = None,
    rel: int = 1,
    relevant: breakdown.Relevant = "only",
    measure: breakdown.Measure = "ESL",
    rank_sum: breakdown.RankSums = "tie-corrected",
) -> Outcomes:
    """Compare systems by answered topics and by ranks of answers.

    Each topic must have one relevant document, the answer. A system answers a topic if the system
    returns the answer. Topics that only one of two systems answers are counted. The ranks of the
    answers are compared on the topics that both systems answer.

    Parameters
    ----------
    data
        A cube made by `irframe.cube`, or runs in any form that `as_runs` reads. The documents of
        runs are ranked as `cube` ranks them by default. Shared ranks (``ties="mean"``) are not
        supported.
    qrels
        Judgments, which are required with runs and not allowed with a cube.
    test
        The significance test for the verdicts on the ranks of answers: ``"wilcoxon"`` for the
        signed-rank test, ``"t"`` for the paired t-test, or an `irframe.Significance` with one of
        these tests. The correction for multiple comparisons in a `Significance` is applied to the
        p-values of all tests in the result. The correction ``"max-t"`` is not available. Lin et al.
        do not adjust p-values (``adjust=None``).
    baseline
        The baseline, which is ``system_a`` in every pair. By default, all pairs of systems are
        compared.
    systems
        One or several systems to compare with the baseline. Without a baseline, the systems are
        compared with each other. The default is all systems.
    order
        Systems in chronological order. Each system is ``system_b`` in one comparison, and
        ``system_a`` is the earlier system with the highest MRR. If MRR is tied, ``system_a`` is the
        earliest of the tied systems.
    pairs
        Pairs of systems (a, b) to compare. The p-values of all pairs in the list are
        corrected together.
    depth
        Documents below this rank count as not returned. The depth is at least 1 and at most the
        depth of the cube. The default is 100, or the depth of the cube if the cube is shallower.
    rel
        Lowest relevant grade, at least 1.
    relevant
        Policy for topics with several relevant documents. ``"only"``: raise an error. ``"first"``:
        the first relevant document that a system returns is the answer.
    measure
        The measure that compares the ranks of answers in verdicts: ``"ESL"``, where a lower mean is
        better, or ``"RR"``, where a higher mean is better. The mean is over the topics that both
        systems answer.
    rank_sum
        The rank-sum test of reciprocal ranks over all topics. ``"tie-corrected"``: with corrections
        for ties and continuity, as in `scipy.stats.mannwhitneyu`. ``"plain"``: without these
        corrections, as in `scipy.stats.ranksums`. The plain p-values are far larger if many ranks
        are tied.

    Returns
    -------
    Outcomes
        ``queries`` contains one row per comparison and topic, with the topic column of the runs.
        ``summary`` contains one row per comparison with the columns

        - the group, if there are groups;
        - ``system_a`` and ``system_b``;
        - ``best_so_far``, whether b has a higher MRR than a, only with `order`;
        - ``n_topics``, ``mrr_a``, ``mrr_b``, ``delta = mrr_b - mrr_a``, and the p-values
          ``p_ranksum``, ``p_wilcoxon``, ``p_t`` of reciprocal ranks over all topics (Table 1 of
          [1]_);
        - ``neither``, ``a_only``, ``b_only`` and ``both``, the numbers of topics that neither
          system, only a, only b, or both systems answer. ``share_neither`` and so on are the
          numbers of topics divided by ``n_topics``;
        - ``p_answered``, the p-value of the sign test of ``a_only`` against ``b_only``;
        - ``esl_a``, ``esl_b``, ``rr_a`` and ``rr_b``, the means over topics that both systems
          answer, and the p-values ``p_esl_wilcoxon``, ``p_esl_t``, ``p_rr_wilcoxon``, ``p_rr_t``
          (Table 2 of [1]_);
        - columns with names that end in ``_adjusted`` for adjusted p-values, only with a
          correction;
        - ``answered``, 1 if b answers more topics and -1 if a answers more topics, and
          ``answered_significant``, whether the difference is significant;
        - ``ranked``, 1 if b ranks answers better and -1 if a ranks them better, and
          ``ranked_significant``, whether the difference is significant;
        - the verdicts on b, which combine ``answered`` and ``ranked``. ``better``: b is ahead in
          both comparisons. ``significantly_better``: b is significantly ahead in both comparisons.
          ``no_harm``: b is significantly ahead in one comparison, and not significantly behind in
          the other;
        - ``n_no_relevant``, the number of topics that are dropped because they have no relevant
          document. If there are groups, the topics of each group are counted.

    Raises
    ------
    InputError
        If a topic has several relevant documents, or if no topic has a relevant document.
    ParameterError
        If a system is unknown, or an argument is out of range.
    DepthError
        If the depth is beyond the cube.
    IdError
        If runs and judgments have no topic in common, or a document is judged twice.

    Warns
    -----
    IrframeWarning
        If lists are missing. As in `cube`, a missing list counts as an empty list.

    Notes
    -----
    If no topic is answered by both systems, the means of ESL and RR are NaN, their p-values are 1,
    and ``ranked`` is 0. All p-values are two-sided. The signed-rank test and the tie-corrected
    rank-sum test use the normal approximation with a correction for ties. Only the tie-corrected
    rank-sum test has a continuity correction. If `data` is a run frame, only the lists of the
    compared systems are ranked.

    References
    ----------
    .. [1] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? A case study of the MS MARCO document ranking leaderboard. SIGIR 2021.
       doi:10.1145/3404835.3463034

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> result = outcomes(
    ...     runs, qrels, baseline="bm25", systems="ance", depth=10, relevant="first"
    ... )
    >>> result.summary[["neither", "a_only", "b_only", "both"]]
       neither  a_only  b_only  both
    0        0       1       2    13
    """
    verdict = breakdown.basis(measure, test, rank_sum)
    results = {}
    reading: dict[str, Any] = {"depth": depth, "rel": rel, "relevant": relevant}
    by = data.by if isinstance(data, InGroups) else None
    data = data.subject if isinstance(data, InGroups) else data
    if not isinstance(data, xr.Dataset):
        if qrels is None:
            raise ParameterError("runs and judgments", "runs without judgments")
        data, judged, by = with_given_groups(data, qrels, by)
        selected = None if systems is None else [*listed(baseline), *listed(systems)]
        selected = selected if order is None else list(order)
        if pairs is not None:
            selected = [system for pair in listed(pairs) for system in listed(pair)]
        answers = breakdown.answers_of_runs(data, judged, selected, by, Policy(), **reading)
    else:
        refuse_declared(data.attrs, "outcomes")
        if qrels is not None:
            raise ParameterError("a cube, or runs and judgments", "a cube and judgments")
        answers = {None: breakdown.answers_of_cube(read_cube(data), **reading)}
    for key in drop_groups_without(
        {k: result.indexes[SYSTEM] for k, result in answers.items()}, {"baseline": baseline}, by
    ):
        with naming_group(key, by):
            results[key] = _compared_answers(answers[key], verdict, baseline, systems, order, pairs)
    return results[None] if by is None else Outcomes.join(results, by)


def _compared_answers(
    answers: xr.Dataset,
    verdict: breakdown.Basis,
    baseline: Hashable | None,
    systems: Hashable | Sequence[Hashable] | None,
    order: Sequence[Hashable] | None,
    chosen: Sequence[tuple[Hashable, Hashable]] | None,
) -> Outcomes:
    answerable = answers[breakdown.ANSWERABLE].to_numpy()
    skipped = int((~answerable).sum())
    answers = answers.isel({TOPIC: answerable})
    pairs = breakdown.pairs_of(answers, baseline, systems, order, chosen)
    participated = answers["participated"].to_numpy()[np.unique(pairs)]
    if not participated.all():
        answers = answers.isel({TOPIC: shared_topics(participated, IdError)})
    summary = breakdown.compare_answers(answers, pairs, verdict, skipped, ordered=order is not None)
    # only `queries` needs the caller's name of the topic column
    summary.attrs |= {name: value for name, value in answers.attrs.items() if name != "topic"}
    return Outcomes(summary, {None: (answers, pairs)})
