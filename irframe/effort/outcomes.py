"""How one system answers more topics, or sooner, than another."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import listed
from irframe.cubes.by_group import having, join_frames, naming_group
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
"""What most people do with outcomes, as they print."""


@dataclass(eq=False, repr=False)
class Outcomes:
    """How pairs of systems answer topics: a row per comparison, and a row per topic.

    Parameters
    ----------
    summary
        A row per comparison (and group) in the shape of the paper's Table 2; see `outcomes`.
    compared
        The ranks that were compared, and positions of systems a and b among them, shape (pair, 2);
        a is the baseline. Once for every group.

    Examples
    --------
    >>> import pandas as pd
    >>> import irframe as ir
    >>> grades = {"a": [1, 0, 0], "b": [0, 0, 1]}
    >>> runs = pd.DataFrame(
    ...     [(s, "1", f"{s}{i}" if not g else "x", -i) for s in "ab" for i, g in
    ...      enumerate(grades[s])], columns=["system", "topic", "doc", "score"])
    >>> qrels = pd.DataFrame({"topic": ["1"], "doc": ["x"], "grade": [1]})
    >>> found = runs.ireval.outcomes(qrels, baseline="a")
    >>> found.queries[["topic", "outcome", "rank_a", "rank_b"]]
      topic outcome  rank_a  rank_b
    0     1    both       1       3
    """

    summary: pd.DataFrame
    compared: Mapping[Any, tuple[xr.Dataset, NDArray[np.int64]]]
    by: str | None = None

    @classmethod
    def join(cls, parts: Mapping[Any, "Outcomes"], by: Any) -> "Outcomes":
        """Put the outcomes of groups together, labelled with the group."""
        compared = {key: entry for key, part in parts.items() for entry in part.compared.values()}
        return cls(
            join_frames({key: part.summary for key, part in parts.items()}, by), compared, by
        )

    def __post_init__(self) -> None:
        told, self.summary = self.summary.attrs, Result(self.summary)
        self.summary.attrs = told

    @property
    def ireval(self) -> Any:
        """Verbs and figures of the summary."""
        return self.summary.ireval

    @property
    def attrs(self) -> dict[Any, Any]:
        """What decided the numbers."""
        return self.summary.attrs

    @attrs.setter
    def attrs(self, values: dict[Any, Any]) -> None:
        self.summary.attrs = values

    @cached_property
    def queries(self) -> pd.DataFrame:
        """A row per comparison and topic.

        Returns
        -------
        pandas.DataFrame
            ``system_a``, ``system_b``, the topic (and group); ``outcome``, an ordered
            categorical; ``rank_a`` and ``rank_b``, <NA> where not returned; ``esl_a`` and
            ``esl_b``, the ranks where both have an answer, else NaN; ``rr_a`` and ``rr_b``.
        """
        frames = {key: _queries(*entry) for key, entry in self.compared.items()}
        joined = frames[None] if self.by is None else join_frames(frames, self.by)
        joined.attrs = dict(self.attrs)
        return joined

    def _repr_html_(self) -> str:
        return self.summary._repr_html_()  # type: ignore[operator, no-any-return]

    def __repr__(self) -> str:
        every = [answers for answers, _ in self.compared.values()]
        topics, depth = sum(answers.sizes[TOPIC] for answers in every), every[0].attrs["depth"]
        number = counted(len(self.summary), "comparison")
        said = f"Outcomes of {number} over {counted(topics, TOPIC)} at depth {depth}"
        return f"{said}\n{self.summary!r}\nall columns: .summary; a row per topic: .queries; {NEXT}"


def _queries(answers: xr.Dataset, pairs: NDArray[np.int64]) -> pd.DataFrame:
    (a, b), (systems, topics) = pairs.T, (answers.indexes[dim] for dim in LIST)
    ranks = {
        side: answers["rank"].to_numpy()[rows].ravel()
        for side, rows in zip("ab", (a, b), strict=True)
    }
    returned = {side: rank > 0 for side, rank in ranks.items()}
    both = returned["a"] & returned["b"]
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
    for side, there in returned.items():
        frame[f"rank_{side}"] = frame[f"rank_{side}"].where(there)
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
    """Say whether a system is better because it answers more, or because it ranks higher.

    For topics with one relevant document each. A user who finds it saved a known number of
    documents to read; a user who does not is not comparable, so the two are kept apart.

    Parameters
    ----------
    data
        A cube made by `irframe.cube`; or a run frame, or what `as_runs` makes one of, ranked as a
        cube is by default, of which no cube is built. Shared ranks (``ties="mean"``) are refused.
    qrels
        Qrels frame, with a run frame only.
    test
        How verdicts are decided: ``"wilcoxon"``, the signed-rank test of `measure`, or ``"t"``, the
        paired one; or an `irframe.Significance` by one of these. Its correction, but for
        ``"max-t"``, is of every kind of p-value, for the number of comparisons; the literature
        has ``adjust=None``.
    baseline
        The system to improve on, ``system_a`` throughout; by default all pairs are compared, in
        the order of the systems.
    systems
        One system or several to hold against the baseline, or to make the pairs of; by default
        all.
    order
        Systems in the order they came out: each from the second on is compared, as b, with the
        best so far, as a, that is the one with the highest MRR (the earlier one if equal).
    pairs
        Pairs of systems a and b, of which b is to improve on a; they are corrected together.
    depth
        A document below this rank is not returned; at least 1 and at most the cube's depth. By
        default 100, or the depth of the cube where that is less.
    rel
        Lowest relevant grade, at least 1.
    relevant
        ``"only"``: more than one relevant document for a topic is an error. ``"first"``: the
        first one counts.
    measure
        What "ranks higher" means in the verdicts: a lower mean ``"ESL"`` or a higher mean
        ``"RR"`` on the topics both answer.
    rank_sum
        The rank-sum test of reciprocal ranks over all topics: ``"tie-corrected"``, and for
        continuity, as `scipy.stats.mannwhitneyu`; or ``"plain"``, as `scipy.stats.ranksums`, whose
        p-values are far larger where many ranks tie.

    Returns
    -------
    Outcomes
        ``queries``, a row per comparison and topic, and ``summary``, a row per comparison with
        the columns

        - the group, after `groupby`; ``system_a``, ``system_b``; ``best_so_far``, whether b
          beats a in MRR, if `order` is given;
        - ``n_topics``, ``mrr_a``, ``mrr_b``, ``delta = mrr_b - mrr_a`` (what b gains on a), and
          p-values over all topics: ``p_ranksum``, ``p_wilcoxon``, ``p_t`` (the paper's Table 1);
        - the number of topics answered by ``neither``, ``a_only``, ``b_only``, ``both``, and
          their shares, ``share_neither`` and so on;
        - ``p_answered``, the sign test of a_only against b_only;
        - over the topics both answer, mean ``esl_a``, ``esl_b`` with ``p_esl_wilcoxon``,
          ``p_esl_t``, and ``rr_a``, ``rr_b`` with ``p_rr_wilcoxon``, ``p_rr_t`` (Table 2);
        - all p-values again with ``_adjusted``, unless none is corrected;
        - the parts of the verdicts: ``answered``, 1 if b answers more, -1 if a does, and
          ``answered_significant``; ``ranked``, 1 if b ranks higher, and ``ranked_significant``;
        - the verdicts on b: ``better``, ahead in both parts; ``significantly_better``, and both
          significantly; ``no_harm``, significantly ahead in one and not significantly behind in
          the other;
        - ``n_no_relevant``, the topics (of the group) left out because nothing is relevant to
          them.

        In ``queries`` the topics are named as in the runs.

    Raises
    ------
    InputError
        If a topic has several relevant documents, or none has any.
    ParameterError
        For systems that are not there, and arguments out of range.
    DepthError
        For a depth beyond the cube.
    IdError
        If runs and judgments have no topic in common, or a document is judged twice.

    Warns
    -----
    IrframeWarning
        As `cube`: what is missing counts as an empty list.

    Notes
    -----
    Where no topic is answered by both, ESL and RR are NaN, their p-values 1, and the direction
    0. p-values are two-sided; the rank-sum test is corrected for continuity, the signed-rank
    tests are not; all use the normal approximation, corrected for ties but for a `rank_sum` that
    is plain. Of frames the
    lists of the systems compared alone are ranked.

    References
    ----------
    .. [1] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? A case study of the MS MARCO document ranking leaderboard. SIGIR 2021.
       doi:10.1145/3404835.3463034

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> found = outcomes(
    ...     runs, qrels, baseline="bm25", systems="ance", depth=10, relevant="first"
    ... )
    >>> found.summary[["neither", "a_only", "b_only", "both"]]
       neither  a_only  b_only  both
    0        0       1       2    13
    """
    verdict, parts = breakdown.basis(measure, test, rank_sum), {}
    reading: dict[str, Any] = {"depth": depth, "rel": rel, "relevant": relevant}
    by = data.by if isinstance(data, InGroups) else None
    data = data.subject if isinstance(data, InGroups) else data
    if not isinstance(data, xr.Dataset):
        if qrels is None:
            raise ParameterError("a qrels frame beside the run frame", "none")
        data, judged, by = with_given_groups(data, qrels, by)
        wanted = None if systems is None else [*listed(baseline), *listed(systems)]
        wanted = wanted if order is None else list(order)
        if pairs is not None:
            wanted = [system for pair in listed(pairs) for system in listed(pair)]
        answers = breakdown.answers_of_runs(data, judged, wanted, by, Policy(), **reading)
    else:
        refuse_declared(data.attrs, "outcomes")
        if qrels is not None:
            raise ParameterError("a cube, or a run frame and judgments", "a cube and judgments")
        answers = {None: breakdown.answers_of_cube(read_cube(data), **reading)}
    for key in having(
        {k: part.indexes[SYSTEM] for k, part in answers.items()}, {"baseline": baseline}, by
    ):
        with naming_group(key, by):
            parts[key] = _compared_answers(answers[key], verdict, baseline, systems, order, pairs)
    return parts[None] if by is None else Outcomes.join(parts, by)


def _compared_answers(
    answers: xr.Dataset, verdict: Any, baseline: Any, systems: Any, order: Any, chosen: Any
) -> Outcomes:
    answerable = answers[breakdown.ANSWERABLE].to_numpy()
    skipped, answers = int((~answerable).sum()), answers.isel({TOPIC: answerable})
    pairs = breakdown.pairs_of(answers, baseline, systems, order, chosen)
    there = answers["there"].to_numpy()[np.unique(pairs)]
    if not there.all():
        answers = answers.isel({TOPIC: shared_topics(there, IdError)})
    summary = breakdown.compare_answers(answers, pairs, verdict, skipped, ordered=order is not None)
    summary.attrs |= {name: value for name, value in answers.attrs.items() if name != "topic"}
    return Outcomes(summary, {None: (answers, pairs)})
