"""At which rank systems answer, and two systems compared by that: counts, tests, verdicts."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import scipy
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array, Floats
from irframe.checks import choice, level, places, whole
from irframe.comparing.significance import Adjust, Correction, adjust_p, parse_stepwise
from irframe.cubes.verb import against, attended, read_depth, shared_topics
from irframe.cubes.view import experiment_of
from irframe.errors import DepthError, IdError, InputError, ParameterError
from irframe.experiments.coded_tables import row_slices
from irframe.experiments.group_columns import Groups
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import TIE_POLICIES, Policy
from irframe.experiments.scorer_input import Reader
from irframe.files.as_runs import Qrels, Runs
from irframe.metrics.esl import ESL
from irframe.names import DEPTH, SYSTEM, TOPIC
from irframe.paired import PairedT, RankSum, Wilcoxon, all_pairs, sign_p
from irframe.paired.differences import ROUNDING, ratio
from irframe.record import NONE

DEEPEST = 100
"""Rank below which a document counts as not returned, if nobody says otherwise."""

Relevant = Literal["only", "first"]
RELEVANT: tuple[Relevant, ...] = get_args(Relevant)
"""What a topic with several relevant documents is: an error, or answered by the first."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The ranks at which systems answer topics, for the topics with a relevant document."""

    rank: NDArray[np.int32]
    """Rank of the first relevant document, 0 where not returned; shape (system, topic)."""
    listed: NDArray[np.bool_]
    """Whether the system has any document for the topic; shape (system, topic)."""
    systems: pd.Index
    topics: pd.Index
    depth: int
    skipped: int
    """How many topics are left out because they have no relevant document."""
    there: NDArray[np.bool_] | None = None
    """Whether the system took part in the topic, shape (system, topic); by default everywhere."""
    topic_name: str = TOPIC
    """What the caller calls topics."""

    def shared(self, rows: NDArray[Any]) -> "Answers":
        """Return the answers on the topics in which some systems took part, warning of others."""
        if self.there is None or (there := self.there[rows]).all():
            return self
        return self.part(shared_topics(there, IdError))

    def part(self, topics: NDArray[Any], skipped: int | None = None) -> "Answers":
        """Return the answers on some topics."""
        return replace(
            self,
            rank=self.rank[:, topics],
            listed=self.listed[:, topics],
            topics=self.topics[topics],
            there=None if self.there is None else self.there[:, topics],
            skipped=self.skipped if skipped is None else skipped,
        )

    def of_systems(self, rows: NDArray[Any]) -> "Answers":
        """Return the answers of some systems."""
        return replace(
            self, rank=self.rank[rows], listed=self.listed[rows], systems=self.systems[rows]
        )

    def groups(self, groups: Groups, kept: NDArray[Any]) -> Iterator[tuple[Any, "Answers"]]:
        """Yield the answers of every group: of topics with the systems that have a list there.

        Parameters
        ----------
        groups
            The groups of systems, or of topics, left out or not.
        kept
            Which topics are not left out.
        """
        if groups.dim == SYSTEM:
            for key in pd.unique(groups.keys):
                yield key, self.of_systems(np.flatnonzero(groups.keys == key))
            return
        of_answer = groups.keys[kept]
        for key in pd.unique(of_answer):
            skipped = int((groups.keys == key).sum() - (of_answer == key).sum())
            part = self.part(np.flatnonzero(of_answer == key), skipped)
            yield key, part.of_systems(np.flatnonzero(part.listed.any(axis=1)))


def answers_of_cube(
    cube: xr.Dataset, *, depth: int | None, rel: int, relevant: Relevant
) -> Answers:
    """Read answers off a cube; `depth` is by default 100 or the cube's, whichever is less."""
    deepest = read_depth(cube, depth)
    depth = min(DEEPEST, deepest) if depth is None else deepest
    _refuse_options(rel, relevant)
    cube = attended(cube)
    experiment = experiment_of(cube)
    count = experiment.judgments.count_by_topic(experiment.judgments.grade >= rel)
    kept = _kept(count, cube.indexes[TOPIC], relevant)
    grade = cube["grade"].variable[:, kept, :depth]
    first = xr.apply_ufunc(
        _first,
        grade,
        input_core_dims=[[DEPTH]],
        kwargs={"rel": rel},
        dask="parallelized",
        output_dtypes=[np.int32],
        dask_gufunc_kwargs={"allow_rechunk": True},
    )
    return Answers(
        rank=first.to_numpy(),
        listed=cube["retrieved"][:, kept].to_numpy() > 0,
        systems=cube.indexes[SYSTEM],
        topics=cube.indexes[TOPIC][kept],
        depth=depth,
        skipped=len(count) - len(kept),
        there=experiment.there[:, kept],
    )


def answers_of_runs(
    runs: Runs,
    qrels: Qrels,
    *,
    depth: int | None,
    rel: int,
    relevant: Relevant,
    by: Any,
    systems: Sequence[Hashable] | None,
    policy: Policy,
) -> dict[Any, Answers]:
    """Find the answers in frames; `depth` is by default 100.

    Those of every group, or under the key None those of all topics.
    """
    _refuse_options(rel, relevant)
    if TIE_POLICIES[policy.ties].shares:
        raise ParameterError("ties that give every document one rank", f"ties={policy.ties!r}")
    depth = DEEPEST if depth is None else whole("depth", depth, low=1, error=DepthError)
    judgments = Judgments.of(qrels, (), policy.topics)
    reader = Reader(judgments, policy, (), pooled=False)
    experiment, groups = reader.read_table(runs, by, systems)
    judgments, hits = experiment.judgments, experiment.hits
    count = judgments.levels_of[:, judgments.levels >= rel].sum(axis=1)
    kept = _kept(count, judgments.topics, relevant)
    entries = np.flatnonzero((hits.rank <= depth) & (judgments.grade[hits.row] >= rel))
    rank = np.full(hits.length.shape, depth + 1, np.int32)
    np.minimum.at(rank.ravel(), hits.of[entries], hits.rank[entries])
    rank[rank > depth] = 0
    answers = Answers(
        rank=np.ascontiguousarray(rank[:, kept]),
        listed=hits.length[:, kept] > 0,
        systems=experiment.systems,
        topics=judgments.topics[kept],
        depth=depth,
        skipped=len(count) - len(kept),
        topic_name=str(experiment.names[1]),
    )
    return {None: answers} if groups is None else dict(answers.groups(groups, kept))


def _first(grade: NDArray[np.int8], rel: int) -> NDArray[np.int32]:
    """Return the rank of the first relevant document of every list, 0 where there is none."""
    ranks = np.zeros(grade.shape[:-1], np.int32)
    for row, lists in zip(ranks, grade, strict=True):
        relevant = lists >= rel
        row[...] = np.where(relevant.any(axis=-1), np.argmax(relevant, axis=-1) + 1, 0)
    return ranks


def _kept(count: NDArray[Any], topics: pd.Index, relevant: Relevant) -> NDArray[Any]:
    """Return the topics that have a relevant document, refusing several by default."""
    several = np.flatnonzero(count > 1)
    if len(several) and relevant == "only":
        raise InputError(
            "one relevant document per topic",
            f"several for {len(several)} of {len(count)} topics",
            "pass relevant='first' to count the first one that a run returns",
            topics[several],
        )
    kept = np.flatnonzero(count)
    if not len(kept):
        raise InputError("topics with a relevant document", f"none among {len(count)}")
    return kept


def _refuse_options(rel: int, relevant: Relevant) -> None:
    ESL(rel=rel)
    choice("relevant", relevant, RELEVANT)


BLOCK = 1 << 21
"""Ranks compared at a time, which bounds memory; at least one pair."""

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
"""The p-values of a comparison, in the order of the tables of Lin et al."""


class Verdicts(NamedTuple):
    """What may be claimed for system b over system a."""

    better: Array
    significantly_better: Array
    no_harm: Array


def claim(
    answered: Array, answered_significant: Array, ranked: Array, ranked_significant: Array
) -> Verdicts:
    """Combine who answers more with who ranks higher.

    Parameters
    ----------
    answered
        Whether b (1) or a (-1) answers more topics that the other leaves unanswered, or
        neither (0).
    answered_significant
        Whether that is significant.
    ranked
        Whether b (1) or a (-1) ranks the answers higher where both have one, or neither (0).
    ranked_significant
        Whether that is significant.

    Returns
    -------
    Verdicts
        ``better``: b is ahead in both. ``significantly_better``: and significantly so.
        ``no_harm``: b is significantly ahead in one and not significantly behind in the other.
    """
    better = (answered > 0) & (ranked > 0)
    more = (answered > 0) & answered_significant
    fewer = (answered < 0) & answered_significant
    higher = (ranked > 0) & ranked_significant
    lower = (ranked < 0) & ranked_significant
    return Verdicts(better, more & higher, (more & ~lower) | (higher & ~fewer))


def break_down(rank: NDArray[np.int32], pairs: Array) -> dict[str, Array]:
    """Describe every pair of systems, a block of pairs at a time.

    Parameters
    ----------
    rank
        Ranks of answers, 0 where there is none; shape (system, topic).
    pairs
        Positions of systems a and b, shape (pair, 2).

    Returns
    -------
    dict
        Column -> values, shape (pair,).
    """
    rr = reciprocal(rank)
    mean = rr.mean(axis=1)
    scores, (a, b) = rr[:, :, np.newaxis], pairs.T
    tests = {"ranksum": RankSum(), "wilcoxon": Wilcoxon(), "t": PairedT()}
    step = max(1, BLOCK // max(1, rank.shape[1]))
    parts = [_block(rank[a[rows]], rank[b[rows]]) for rows in row_slices(len(pairs), step)]
    return {
        "n_topics": np.full(len(pairs), rank.shape[1]),
        "mrr_a": mean[a],
        "mrr_b": mean[b],
        "delta": mean[b] - mean[a],
        **{f"p_{name}": test.kernel(scores, pairs).p[:, 0] for name, test in tests.items()},
        **{name: np.concatenate([part[name] for part in parts]) for name in parts[0]},
    }


def reciprocal(rank: NDArray[np.int32]) -> Floats:
    """Return reciprocal ranks, 0 where there is no answer."""
    return np.where(rank > 0, 1 / np.maximum(rank, 1), 0.0)


def _block(a: NDArray[np.int32], b: NDArray[np.int32]) -> dict[str, Array]:
    topics = a.shape[1]
    both = (a > 0) & (b > 0)
    a_only, b_only = ((side > 0).sum(axis=1) - both.sum(axis=1) for side in (a, b))
    shared = both.sum(axis=1)
    counts = {
        "neither": topics - shared - a_only - b_only,
        "a_only": a_only,
        "b_only": b_only,
        "both": shared,
    }
    return {
        **counts,
        **{f"share_{name}": count / topics for name, count in counts.items()},
        "p_answered": sign_p(b_only, a_only),
        **_compare_answered("esl", a.astype(np.float64), b.astype(np.float64), both),
        **_compare_answered("rr", reciprocal(a), reciprocal(b), both),
    }


def _compare_answered(name: str, a: Floats, b: Floats, both: Array) -> dict[str, Array]:
    """Compare two systems where both have an answer; other topics are set to equal scores."""
    a, b = np.where(both, a, 0), np.where(both, b, 0)
    n = both.sum(axis=1)
    divisor = np.where(n > 0, n, np.nan)
    pairs = np.arange(2 * len(a)).reshape(2, -1).T
    scores = np.concatenate([a, b])[:, :, np.newaxis]
    return {
        f"{name}_a": a.sum(axis=1) / divisor,
        f"{name}_b": b.sum(axis=1) / divisor,
        f"p_{name}_wilcoxon": Wilcoxon().kernel(scores, pairs).p[:, 0],
        f"p_{name}_t": _t(a, b, both, n),
    }


def _t(a: Floats, b: Floats, both: Array, n: Array) -> Floats:
    """Return p-values of paired t-tests over the topics marked in `both`."""
    difference = b - a
    mean = difference.sum(axis=1) / np.maximum(n, 1)
    rest = np.where(both, difference - mean[:, np.newaxis], 0)
    squares = (rest**2).sum(axis=1)
    noise = ROUNDING * np.maximum(a.max(axis=1, initial=1), b.max(axis=1, initial=1))
    squares[abs(rest).max(axis=1, initial=0) <= noise] = 0
    mean[abs(mean) <= noise] = 0
    freedom = np.maximum(n - 1, 1)
    t = ratio(mean, np.sqrt(squares / freedom / np.maximum(n, 1)))
    return np.where(n > 1, 2 * scipy.special.stdtr(freedom, -abs(t)), 1.0)


CASES = ("neither", "a_only", "b_only", "both")
"""What can happen on a topic, in the order of the cases of Lin et al."""

KINDS = pd.CategoricalDtype(list(CASES), ordered=True)
Measure = Literal["ESL", "RR"]
MEASURES: dict[Measure, str] = {"ESL": "esl", "RR": "rr"}
OutcomeTest = Literal["wilcoxon", "t"]
TESTS: tuple[OutcomeTest, ...] = get_args(OutcomeTest)


@dataclass(frozen=True)
class Basis:
    """What the verdicts rest on, checked."""

    measure: str
    test: OutcomeTest
    alpha: float
    adjust: Correction | None


def basis(measure: Measure, test: OutcomeTest, alpha: float, adjust: Adjust) -> Basis:
    """Check what verdicts are to rest on; arguments as for `outcomes`."""
    choice("measure", measure, tuple(MEASURES))
    choice("test", test, TESTS)
    level(alpha)
    return Basis(MEASURES[measure], test, alpha, parse_stepwise(adjust))


def compare_answers(
    answers: Answers, pairs: NDArray[np.int64], verdict: Basis, *, ordered: bool
) -> pd.DataFrame:
    """Return a row per pair, with the columns that `outcomes` describes."""
    labels = {f"system_{side}": answers.systems.take(pairs[:, i]) for i, side in enumerate("ab")}
    columns = break_down(answers.rank, pairs)
    frame = pd.DataFrame({**labels, **columns, **_verdicts(columns, verdict)})
    if ordered:
        frame.insert(2, "best_so_far", frame["delta"] > 0)
    frame.attrs["adjust"] = verdict.adjust or NONE
    return frame.assign(n_no_relevant=answers.skipped)


def _verdicts(compared: dict[str, Any], verdict: Basis) -> dict[str, Any]:
    """Return adjusted p-values, the parts of the verdicts, and the verdicts."""
    columns: dict[str, Any] = {}
    deciding = compared
    if verdict.adjust is not None:
        raw = np.stack([compared[name] for name in P_VALUES])[:, np.newaxis]
        (adjusted,) = adjust_p([raw], verdict.adjust, family="depth", alpha=verdict.alpha)
        deciding = dict(zip(P_VALUES, adjusted[:, 0], strict=True))
        columns = {f"{name}_adjusted": p for name, p in deciding.items()}
    a, b = (compared[f"{verdict.measure}_{side}"] for side in "ab")
    ahead = np.nan_to_num(np.round(a - b if verdict.measure == "esl" else b - a, 12))
    parts = {
        "answered": np.sign(compared["b_only"] - compared["a_only"]),
        "answered_significant": deciding["p_answered"] < verdict.alpha,
        "ranked": np.sign(ahead).astype(int),
        "ranked_significant": deciding[f"p_{verdict.measure}_{verdict.test}"] < verdict.alpha,
    }
    return columns | parts | claim(*parts.values())._asdict()


def pairs_of(
    answers: Answers, baseline: Hashable | None, systems: Any, order: Sequence[Hashable] | None
) -> NDArray[np.int64]:
    """Return positions of systems a and b for every comparison asked for by `outcomes`."""
    if order is not None:
        if baseline is not None or systems is not None:
            raise ParameterError("either order= or baseline= and systems=", "both")
        labels = answers.systems.tolist()
        return _best_so_far(answers, places("systems of the runs compared", order, labels))
    labels = answers.systems.tolist()
    if baseline is not None:
        yardstick, others = against(labels, baseline, systems)
        return np.array([(yardstick, other) for other in others], np.int64)
    rows = np.arange(len(labels))
    if systems is not None:
        rows = np.array(places("systems to compare", systems, labels), np.int64)
    if len(set(rows.tolist())) < max(2, len(rows)):
        named = [repr(labels[row]) for row in rows]
        raise ParameterError("at least two systems, each once", "", "", named)
    return np.asarray(rows[all_pairs(len(rows))], np.int64)


def _best_so_far(answers: Answers, order: list[int]) -> NDArray[np.int64]:
    if len(order) < 2 or len(set(order)) < len(order):
        twice = [str(answers.systems[row]) for row in sorted(set(order)) if order.count(row) > 1]
        raise ParameterError("an order of at least two systems, each once", "another", "", twice)
    mrr = np.round([reciprocal(answers.rank[row]).mean() for row in order], 12)
    new = np.append(True, mrr[1:] > np.maximum.accumulate(mrr)[:-1])
    best = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    rows = np.array(order, np.int64)
    return np.stack([rows[best[:-1]], rows[1:]], axis=1)
