"""Ranks of answers, and comparisons of systems by these ranks.

An answer is the relevant document of a topic. A system answers a topic if it returns the answer.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

import numpy as np
import pandas as pd
import scipy
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array, Floats
from irframe.checks import check_int, choice, listed, positions_of
from irframe.comparing.corrections import Correction, Significance, adjust_rows, parse_stepwise
from irframe.cubes.verb import against, by_topics, drop_absent, read_depth
from irframe.cubes.view import LIST, experiment_of
from irframe.errors import DepthError, InputError, ParameterError
from irframe.evaluation.scorer_input import Reader
from irframe.experiments.coded_tables import row_slices
from irframe.experiments.experiment import Experiment
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import Policy, shares_ranks
from irframe.files.as_runs import Qrels, Runs
from irframe.metrics.asl import ESL
from irframe.metrics.facts import TIE, facts
from irframe.names import SYSTEM, TOPIC
from irframe.option_values import Unused
from irframe.paired import PairedT, RankSum, Wilcoxon, all_pairs, sign_p
from irframe.paired.design import ROUNDING
from irframe.paired.differences import ratio
from irframe.record import NONE

DEEPEST = 100
"""Default depth. A document below this rank counts as not returned."""

Relevant = Literal["only", "first"]
"""Policy for topics with several relevant documents. ``"only"`` raises an error. With ``"first"``,
the answer is the first relevant document that a system returns."""
ANSWERABLE = "answerable"
"""Name of the coordinate that states whether a topic has a relevant document."""


def answers_of_cube(
    cube: xr.Dataset, *, depth: int | None, rel: int, relevant: Relevant
) -> xr.Dataset:
    """Return the ranks of the answers in a cube.

    The default of `depth` is 100 or the depth of the cube, whichever is smaller.
    """
    deepest = read_depth(cube, depth)
    depth = min(DEEPEST, deepest) if depth is None else deepest
    cube = drop_absent(cube)
    return _answers(experiment_of(cube), map(experiment_of, by_topics(cube)), depth, rel, relevant)


def answers_of_runs(
    runs: Runs,
    qrels: Qrels,
    systems: Sequence[Hashable] | None,
    by: str | None,
    policy: Policy,
    *,
    depth: int | None,
    rel: int,
    relevant: Relevant,
) -> dict[Hashable, xr.Dataset]:
    """Return the ranks of answers in run frames, by group.

    If there are no groups, the only key is None. If topics are grouped, each group contains only
    the systems that have a list for at least one topic of the group. A group is omitted if none of
    its topics has a relevant document. The default of `depth` is 100.
    """
    if shares_ranks(policy.ties):
        raise ParameterError("ties= without shared ranks", f"ties={policy.ties!r}")
    depth = DEEPEST if depth is None else check_int("depth", depth, low=1, error=DepthError)
    reader = Reader(Judgments.of(qrels, (), policy.topics), policy, (), pooled=False)
    experiment, groups = reader.read_table(runs, by, systems)
    answers = _answers(experiment, [experiment], depth, rel, relevant)
    answers.attrs |= {"topic": str(experiment.names[1]), **policy.attributes}
    if groups is None:
        return {None: answers}
    answerable = answers[ANSWERABLE].to_numpy()
    keys = groups.keys if groups.dim == SYSTEM else groups.keys[answerable]
    by_group = {key: answers.isel({groups.dim: groups.keys == key}) for key in pd.unique(keys)}
    if groups.dim == TOPIC:
        has_list = answers["listed"].to_numpy()
        for key, subset in by_group.items():
            inside = has_list[:, answerable & (groups.keys == key)].any(axis=1)
            by_group[key] = subset.isel({SYSTEM: inside})
    return by_group


def _answers(
    experiment: Experiment, blocks: Iterable[Experiment], depth: int, rel: int, relevant: Relevant
) -> xr.Dataset:
    """Return the ranks of the answers in an experiment.

    The dataset has three variables over (system, topic). ``rank`` is the rank of the first relevant
    document, or 0 if none is returned. ``participated`` is True if the system took part in the
    topic. ``listed`` is True if the system returned any document for the topic.
    """
    # the constructor of `ESL` raises an error if `rel` is invalid
    ESL(rel=rel)
    choice("relevant", relevant, get_args(Relevant))
    topics = experiment.judgments.topics
    count = experiment.judgments.count_by_topic(experiment.judgments.grade >= rel)
    several = np.flatnonzero(count > 1)
    if len(several) and relevant == "only":
        raise InputError(
            "one relevant document per topic",
            f"several for {len(several)} of {len(count)} topics",
            "pass relevant='first' to use the first relevant document that a run returns",
            topics[several],
        )
    if not count.any():
        raise InputError("topics with a relevant document", f"none among {len(count)} topics")
    rank = np.concatenate([_first_ranks(block.loaded, depth, rel) for block in blocks], axis=1)
    variables = {
        "rank": (LIST, rank),
        "participated": (LIST, experiment.participated),
        "listed": (LIST, experiment.hits.length > 0),
    }
    labels = {SYSTEM: experiment.systems, TOPIC: topics.rename(TOPIC)}
    result = xr.Dataset(variables, labels, {"depth": depth, "topic": TOPIC})
    return result.assign_coords({ANSWERABLE: (TOPIC, count > 0)})


def _first_ranks(experiment: Experiment, depth: int, rel: int) -> NDArray[np.int32]:
    """Return the rank of the first relevant document, or 0."""
    hits = experiment.hits
    entries = (hits.rank <= depth) & (experiment.judgments.grade[hits.row] >= rel)
    rank = np.full(hits.length.shape, depth + 1, np.int32)
    np.minimum.at(rank.ravel(), hits.of[entries], hits.rank[entries])
    return np.where((rank <= depth) & experiment.participated, rank, np.int32(0))


BLOCK = 1 << 21
"""Maximum number of elements (pairs of systems times topics) that are compared at once, which
limits memory."""

P_VALUES = (
    "p_ranksum",
    "p_wilcoxon",
    "p_t",
    "p_answered",
    "p_esl_wilcoxon",
    "p_esl_t",
    "p_rr_wilcoxon",
    "p_rr_t",
)
"""Names of the columns of `outcomes` that contain p-values, in the order of the tables of Lin et
al."""


def claim(
    answered: Array, answered_significant: Array, ranked: Array, ranked_significant: Array
) -> dict[str, Array]:
    """Return verdicts from two comparisons of systems a and b.

    Parameters
    ----------
    answered
        1 if more topics are answered by b alone than by a alone, -1 if fewer are, and 0 if the
        numbers are equal.
    answered_significant
        Whether the numbers of answered topics differ significantly.
    ranked
        1 if b has the better mean rank of answers on topics that both systems answer, -1 if a has
        the better mean, and 0 if the means are equal.
    ranked_significant
        Whether the ranks of answers differ significantly.

    Returns
    -------
    dict
        Verdicts on system b. ``better``: b is ahead in both comparisons. ``significantly_better``:
        b is significantly ahead in both comparisons. ``no_harm``: b is significantly ahead in one
        comparison and not significantly behind in the other.
    """
    more = answered * answered_significant
    higher = ranked * ranked_significant
    return {
        "better": (answered > 0) & (ranked > 0),
        "significantly_better": (more > 0) & (higher > 0),
        "no_harm": (np.maximum(more, higher) > 0) & (np.minimum(more, higher) >= 0),
    }


def break_down(rank: NDArray[np.int32], pairs: Array, rank_sum: RankSum) -> dict[str, Array]:
    """Return counts, means and p-values for pairs of systems.

    Parameters
    ----------
    rank
        Rank of the answer, or 0 if the system does not return it, shape (system, topic).
    pairs
        Positions of systems a and b, shape (pair, 2).
    rank_sum
        The rank-sum test.

    Returns
    -------
    dict
        Mapping from the name of each column to its values, shape (pair,).
    """
    rr = reciprocal(rank)
    mean = rr.mean(axis=1)
    scores = rr[:, :, np.newaxis]
    a, b = pairs.T
    tests = {"ranksum": rank_sum, "wilcoxon": Wilcoxon(), "t": PairedT()}
    step = max(1, BLOCK // max(1, rank.shape[1]))
    blocks = [_block(rank[a[rows]], rank[b[rows]]) for rows in row_slices(len(pairs), step)]
    return {
        "n_topics": np.full(len(pairs), rank.shape[1]),
        "mrr_a": mean[a],
        "mrr_b": mean[b],
        "delta": mean[b] - mean[a],
        **{f"p_{name}": test.kernel(scores, pairs).p[:, 0] for name, test in tests.items()},
        **{name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]},
    }


def reciprocal(rank: NDArray[np.int32]) -> Floats:
    """Return reciprocal ranks, and 0 for rank 0 (no answer)."""
    return np.where(rank > 0, 1 / np.maximum(rank, 1), 0.0)


def _block(a: NDArray[np.int32], b: NDArray[np.int32]) -> dict[str, Array]:
    topics = a.shape[1]
    both = (a > 0) & (b > 0)
    a_only, b_only = ((side > 0).sum(axis=1) - both.sum(axis=1) for side in (a, b))
    n_both = both.sum(axis=1)
    counts = {
        "neither": topics - n_both - a_only - b_only,
        "a_only": a_only,
        "b_only": b_only,
        "both": n_both,
    }
    return {
        **counts,
        **{f"share_{name}": count / topics for name, count in counts.items()},
        "p_answered": sign_p(b_only, a_only),
        **_compare_answered("esl", a.astype(np.float64), b.astype(np.float64), both),
        **_compare_answered("rr", reciprocal(a), reciprocal(b), both),
    }


def _compare_answered(name: str, a: Floats, b: Floats, both: Array) -> dict[str, Array]:
    """Return means and p-values on topics that both systems answer."""
    # scores of 0 for both systems remove a topic: the signed-rank test drops zero differences
    a = np.where(both, a, 0)
    b = np.where(both, b, 0)
    n = both.sum(axis=1)
    divisor = np.where(n > 0, n, np.nan)
    # the kernels compare two rows of one array, so `a` and `b` are stacked, and row i of `a` is
    # compared with row len(a) + i
    pairs = np.arange(2 * len(a)).reshape(2, -1).T
    scores = np.concatenate([a, b])[:, :, np.newaxis]
    return {
        f"{name}_a": a.sum(axis=1) / divisor,
        f"{name}_b": b.sum(axis=1) / divisor,
        f"p_{name}_wilcoxon": Wilcoxon().kernel(scores, pairs).p[:, 0],
        f"p_{name}_t": _t(a, b, both, n),
    }


def _t(a: Floats, b: Floats, both: Array, n: Array) -> Floats:
    """Return p-values of paired t-tests over topics both systems answer."""
    difference = b - a
    mean = difference.sum(axis=1) / np.maximum(n, 1)
    deviations = np.where(both, difference - mean[:, np.newaxis], 0)
    squares = (deviations**2).sum(axis=1)
    # rounding would give equal differences a tiny variance, and thus a p-value near 0
    noise = ROUNDING * np.maximum(a.max(axis=1, initial=1), b.max(axis=1, initial=1))
    squares[abs(deviations).max(axis=1, initial=0) <= noise] = 0
    mean[abs(mean) <= noise] = 0
    # fewer than two topics have no variance, and p is 1 as in all paired t-tests
    freedom = np.maximum(n - 1, 1)
    t = ratio(mean, np.sqrt(squares / freedom / np.maximum(n, 1)))
    return np.where(n > 1, 2 * scipy.special.stdtr(freedom, -abs(t)), 1.0)


CASES = ("neither", "a_only", "b_only", "both")
"""Possible outcomes of a topic: neither system answers the topic, only a, only b, or both. The
order is that of Lin et al."""
KINDS = pd.CategoricalDtype(list(CASES), ordered=True)
Measure = Literal["ESL", "RR"]
OutcomeTest = Literal["wilcoxon", "t"]
TestedOutcomes = Annotated[Significance | OutcomeTest, Unused("family", "over")]
RankSums = Literal["tie-corrected", "plain"]


@dataclass(frozen=True)
class Basis:
    """Validated options of `outcomes` that verdicts depend on."""

    measure: str
    test: OutcomeTest
    alpha: float
    adjust: Correction | None
    rank_sum: RankSum


def basis(measure: Measure, test: TestedOutcomes, rank_sum: RankSums) -> Basis:
    """Validate the options of `outcomes` that verdicts depend on."""
    choice("measure", measure, get_args(Measure))
    chosen = Significance.read(test)
    by = choice("test", chosen.test, get_args(OutcomeTest))
    corrected = choice("rank_sum", rank_sum, get_args(RankSums)) == "tie-corrected"
    rank_test = RankSum(correction=corrected, tie_correction=corrected)
    adjust = parse_stepwise(chosen.adjust)
    return Basis(measure.lower(), by, chosen.alpha, adjust, rank_test)


def compare_answers(
    answers: xr.Dataset, pairs: NDArray[np.int64], verdict: Basis, skipped: int, *, ordered: bool
) -> pd.DataFrame:
    """Return the columns of `outcomes` for pairs of systems."""
    systems = answers.indexes[SYSTEM]
    labels = {f"system_{side}": systems.take(pairs[:, i]) for i, side in enumerate("ab")}
    columns = break_down(answers["rank"].to_numpy(), pairs, verdict.rank_sum)
    frame = pd.DataFrame({**labels, **columns, **_verdicts(columns, verdict)})
    if ordered:
        frame.insert(2, "best_so_far", frame["delta"] > 0)
    frame.attrs["adjust"] = verdict.adjust or NONE
    return frame.assign(n_no_relevant=skipped)


def _verdicts(compared: dict[str, Array], verdict: Basis) -> dict[str, Array]:
    """Return the columns with adjusted p-values, signs and verdicts."""
    columns: dict[str, Array] = {}
    deciding = compared
    if verdict.adjust is not None:
        raw = np.stack([compared[name] for name in P_VALUES])
        adjusted = adjust_rows(raw, verdict.adjust, verdict.alpha)
        deciding = dict(zip(P_VALUES, adjusted, strict=True))
        columns = {f"{name}_adjusted": p for name, p in deciding.items()}
    a, b = (compared[f"{verdict.measure}_{side}"] for side in "ab")
    # means are NaN if no topic is answered by both systems, and then neither system ranks better
    ahead = np.nan_to_num(np.round(facts(verdict.measure).sign * (b - a), TIE))
    comparisons = {
        "answered": np.sign(compared["b_only"] - compared["a_only"]),
        "answered_significant": deciding["p_answered"] < verdict.alpha,
        "ranked": np.sign(ahead).astype(int),
        "ranked_significant": deciding[f"p_{verdict.measure}_{verdict.test}"] < verdict.alpha,
    }
    # the values are in the order of the parameters of `claim`
    return columns | comparisons | claim(*comparisons.values())


def pairs_of(
    answers: xr.Dataset,
    baseline: Hashable | None,
    systems: Hashable | Sequence[Hashable] | None,
    order: Sequence[Hashable] | None,
    pairs: Sequence[tuple[Hashable, Hashable]] | None,
) -> NDArray[np.int64]:
    """Return positions of systems a and b, shape (pair, 2)."""
    labels = answers.indexes[SYSTEM].tolist()
    choices = [order, pairs, systems if baseline is None else baseline]
    if sum(value is not None for value in choices) > 1:
        raise ParameterError("one of order=, pairs= and baseline=", "several of these arguments")
    if pairs is not None:
        return _chosen(listed(pairs), labels)
    if order is not None:
        return _best_so_far(answers, positions_of("compared systems in order=", order, labels))
    if baseline is not None:
        base, compared = against(labels, baseline, systems)
        return np.array([(base, system) for system in compared], np.int64)
    rows = np.arange(len(labels))
    if systems is not None:
        rows = np.array(positions_of("systems to compare", systems, labels), np.int64)
    if len(set(rows.tolist())) < max(2, len(rows)):
        named = [repr(labels[row]) for row in rows]
        raise ParameterError("at least two systems, without duplicates", "", "", named)
    return np.asarray(rows[all_pairs(len(rows))], np.int64)


def _chosen(
    pairs: Sequence[tuple[Hashable, Hashable]], labels: list[Hashable]
) -> NDArray[np.int64]:
    """Return positions of systems in `pairs`, or raise if invalid."""
    wrong = [repr(pair) for pair in pairs if not isinstance(pair, tuple | list) or len(pair) != 2]
    positions = [] if wrong else [positions_of("systems of pairs", pair, labels) for pair in pairs]
    wrong += [
        repr(pairs[row]) for row, (a, b) in enumerate(positions) if a == b or [b, a] in positions
    ]
    wrong += [repr(pair) for row, pair in enumerate(pairs) if pair in pairs[:row]]
    if wrong or not positions:
        expected = "pairs=[(a, b), ...] of different systems, without duplicates"
        raise ParameterError(expected, "", "", wrong)
    return np.array(positions, np.int64)


def _best_so_far(answers: xr.Dataset, order: list[int]) -> NDArray[np.int64]:
    if len(order) < 2 or len(set(order)) < len(order):
        labels = answers.indexes[SYSTEM]
        twice = [str(labels[row]) for row in sorted(set(order)) if order.count(row) > 1]
        expected = "an order of at least two systems, without duplicates"
        raise ParameterError(expected, f"{len(order)} systems", "", twice)
    rank = answers["rank"].to_numpy()
    # without rounding, the order of summation could break ties between equal means
    mrr = np.round([reciprocal(rank[row]).mean() for row in order], 12)
    new = np.append(True, mrr[1:] > np.maximum.accumulate(mrr)[:-1])
    best = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    rows = np.array(order, np.int64)
    return np.stack([rows[best[:-1]], rows[1:]], axis=1)
