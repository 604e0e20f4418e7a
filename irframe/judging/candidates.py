"""Candidate documents for judging, and their prior relevance.

Values: JudgingMethod.
"""

from collections.abc import Callable, Hashable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from typing import Literal, Self

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array, Grade
from irframe.checks import as_written, check_int, choice, memory, room
from irframe.comparing.explain import document_names
from irframe.cubes.view import experiment_of
from irframe.errors import IdError, InputError, ParameterError, warn
from irframe.experiments.hits import RANKS
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import check_seed, mixed, random_keys
from irframe.names import ALIASES, DOC, GRADE, SYSTEM, TOPIC, UNJUDGED, roles
from irframe.option_values import OptionValue
from irframe.quantities.subtopics import POOLED_UNJUDGED

MethodName = Literal["pool", "mtf", "maxmean", "leverage"]
Credit = Literal["all", "run"]
NAMES: tuple[MethodName, ...] = ("pool", "mtf", "maxmean", "leverage")


@dataclass(frozen=True, repr=False, eq=False)
class JudgingMethod(OptionValue):
    """Method that chooses the next document to judge.

    `judge_next` accepts one method as ``method=``, and `replay` accepts several as ``methods=``. If
    only the method differs from the defaults, the name of the method can be passed instead.

    Parameters
    ----------
    method
        ``"pool"``, ``"mtf"``, ``"maxmean"`` or ``"leverage"``. The page of `judge_next` describes
        these methods. If None, `judge_next` or `replay` uses its default method.
    credit
        The runs whose expected precision changes when a document is judged. With ``"all"`` these
        are all runs that retrieved the document. With ``"run"`` this is only the run from which the
        document was chosen. Only ``"maxmean"`` has this option.
    batch
        Number of documents per topic that are judged together, at least 1. All documents of a batch
        are chosen before the relevance of any of these documents is known.
    prior
        A frame with judgments of a model, with the columns topic, doc, and ``grade`` or
        ``probability`` (from 0 to 1). If the frame has grades, the probability of relevance of each
        model grade is estimated from the judgments so far. The priority of a document is multiplied
        by its probability of relevance. A prior is not available for ``"mtf"``.

    Raises
    ------
    ParameterError
        If the method is unknown, or if ``credit="run"`` is passed with a method other than
        ``"maxmean"``.

    Examples
    --------
    >>> JudgingMethod("maxmean", credit="run", batch=5)
    JudgingMethod('maxmean', credit='run', batch=5)
    >>> str(JudgingMethod("maxmean", credit="run"))
    "maxmean(credit='run')"
    """

    method: MethodName | None = None
    _: KW_ONLY
    credit: Credit = "all"
    batch: int = 1
    prior: pd.DataFrame | None = None

    def __post_init__(self) -> None:
        """Check all fields except the prior."""
        check_int("batch", self.batch, low=1)
        credit = choice("credit", self.credit, ("all", "run"))
        method = None if self.method is None else choice("method", self.method, NAMES)
        if credit == "run" and method not in {None, "maxmean"}:
            raise ParameterError("method 'maxmean' with credit='run'", repr(method))

    @classmethod
    def read(cls, value: object, default: str | None = None) -> Self:
        """Return a method unchanged, or parse a method's name."""
        kinds: dict[str, Callable[..., Self]] = {name: partial(cls, name) for name in NAMES}
        return super().read(as_written(value, kinds | {cls.__name__: cls}) or value, default)

    def __str__(self) -> str:
        """Return the method's name and options, as shown in results."""
        options = repr(self).partition(", ")[2]
        return f"{self.method}({options}" if options else str(self.method)

    @property
    def key(self) -> str:
        """Key of the method in `irframe.judging.turns.METHODS`."""
        return f"{self.method}(credit='run')" if self.credit == "run" else str(self.method)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidate documents for judging, sorted by name within each topic."""

    rank: Array
    """Rank of each document in each list, shape (topic, document, system). The rank is 0 if the
    list does not contain the document."""
    took_part: Array
    """Whether each system took part in each topic, shape (topic, system)."""
    keys: Array
    """Random integers that decide the order of tied systems, shape (topic, system)."""

    @cached_property
    def listed(self) -> Array:
        """Whether each list contains each document, shape (topic, document, system)."""
        return self.rank > 0

    @cached_property
    def exists(self) -> Array:
        """Whether elements are documents (not padding), shape (topic, document).

        Topics with few documents are padded.
        """
        return np.asarray(self.listed.any(axis=-1))

    @cached_property
    def best_rank(self) -> Array:
        """Best rank of each document, 0 for padding, (topic, document)."""
        largest = np.iinfo(self.rank.dtype).max
        # absent documents have rank 0, which would otherwise be the best rank
        ranks = np.where(self.listed, self.rank, largest)
        return np.where(self.exists, ranks.min(axis=-1, initial=largest), 0)

    @cached_property
    def runs(self) -> Array:
        """Number of lists that contain each document, shape (topic, document)."""
        return np.asarray(self.listed.sum(axis=-1))

    @cached_property
    def weight(self) -> Array:
        """Weight 1 / sqrt(rank) of each retrieved document, else 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(self.listed, 1 / np.sqrt(self.rank), 0.0))

    @cached_property
    def leverage(self) -> Array:
        """Standard deviation of each document's weight over the participating systems."""
        # weight 0 means a list without the document, so systems that took no part are left out
        inside = self.took_part[:, np.newaxis]
        number = np.maximum(inside.sum(axis=-1), 1)
        mean = self.weight.sum(axis=-1) / number
        deviation = np.where(inside, self.weight - mean[..., np.newaxis], 0.0)
        return np.asarray(np.sqrt((deviation**2).sum(axis=-1) / number))

    def tie_keys(self, turn: Array) -> NDArray[np.uint64]:
        """Return random integers that order tied systems in a turn."""
        # consecutive turns differ by 1, and the constant of splitmix64 makes their seeds unrelated
        seeds = self.keys + turn.astype(np.uint64)[:, np.newaxis]
        return mixed(seeds * np.uint64(0x9E3779B97F4A7C15))

    def likely(self, precision: Array) -> Array:
        """Return probabilities of relevance, from the precision of systems.

        Parameters
        ----------
        precision
            Precision of every system on the documents judged so far, shape (topic, system).

        Returns
        -------
        numpy.ndarray
            Shape (topic, document), 0 for padding. The probability of a document is the weighted
            mean of the precision of the systems that retrieved the document. The weight of a system
            is the weight of the document in its list.
        """
        total = self.weight.sum(axis=-1)
        summed = np.matmul(self.weight, precision[..., np.newaxis])[..., 0]
        return np.asarray(np.divide(summed, total, out=np.zeros_like(total), where=total > 0))

    @cached_property
    def earliness(self) -> Array:
        """Priority of each document, by best rank, then by frequency.

        The frequency is the number of runs with the document at its best rank.
        """
        n_best = (self.rank == self.best_rank[..., np.newaxis]).sum(axis=-1)
        # the share is below 1, so that the number of runs with the best rank only breaks ties
        share = n_best / (1 + self.rank.shape[-1])
        # a reciprocal is positive, so that a prior probability can multiply the priority
        with np.errstate(divide="ignore"):
            return np.where(self.exists, 1 / (self.best_rank - share + 1), 0.0)


def tally(judged: Array, relevant: Array, weight: Array) -> tuple[Array, Array]:
    """Sum the weights of relevant and judged documents per list.

    Parameters
    ----------
    judged, relevant
        Whether each document is judged, and the relevance of each document, from 0 to 1. Both
        arrays have the shape (topic, document).
    weight
        Weight of each document in each list, shape (topic, document, system).

    Returns
    -------
    tuple of numpy.ndarray
        The sum of the weights of relevant documents, and the sum of the weights of judged
        documents. Both arrays have the shape (topic, system).
    """
    rows = np.stack([judged * relevant, judged.astype(float)], axis=1)
    return tuple(np.moveaxis(np.matmul(rows, weight), 1, 0))


PROBABILITY = "probability"
BEGUN = (0.05, 0.2, 0.5, 0.8)
"""Initial probabilities of relevance of the model grades 0, 1, 2, and 3 or above."""
WEIGHT = 2.0
"""Number of judgments that together have the same weight as an initial probability of relevance."""


class Prior:
    """Probability of relevance of each level, updated by judgments.

    Parameters
    ----------
    level
        Number of the level of each document, shape (topic, document). A level is a group of
        documents with the same probability, such as a grade.
    initial
        Initial probability of relevance of each level.
    learns
        Whether judgments change the probabilities.
    """

    def __init__(self, level: Array, initial: Array, *, learns: bool) -> None:
        self.level = level
        self.seen = np.full(len(initial), WEIGHT)
        self.hits = WEIGHT * initial
        self.learns = learns

    def likely(self) -> Array:
        """Return the current probability of relevance of each document."""
        return np.asarray((self.hits / self.seen)[self.level])

    def learn(self, topic: Array, document: Array, relevant: Array) -> None:
        """Update the probabilities with the relevance of judged documents."""
        if self.learns:
            level = self.level[topic, document]
            # += would count only one of several documents with the same level
            np.add.at(self.hits, level, relevant)
            np.add.at(self.seen, level, 1.0)


def read_prior(
    prior: pd.DataFrame | None, documents: "ListedDocuments", judgeable: Array
) -> Prior | None:
    """Read the prior probabilities of relevance from a frame.

    Parameters
    ----------
    prior
        None, or a frame with the columns topic, doc, and grade or probability.
    documents
        The documents of the lists.
    judgeable
        Whether each document can be judged, shape (topic, document).

    Raises
    ------
    InputError
        If a column is missing.
    IdError
        If a document occurs twice.
    ParameterError
        If probabilities lie outside [0, 1].

    Warns
    -----
    IrframeWarning
        If documents have no prior. The prior of these documents is the mean prior of all other
        documents.
    """
    if prior is None:
        return None
    columns = _columns_of_prior(prior)
    names = documents.names
    keys = prior[columns[TOPIC]].astype(str), prior[columns[DOC]].astype(str)
    index = pd.MultiIndex.from_arrays(keys)
    if index.has_duplicates:
        duplicates = [f"{doc} of {topic}" for topic, doc in index[index.duplicated()]]
        got = f"{len(duplicates)} documents with several priors"
        raise IdError("one prior per document", got, "", duplicates)
    topic, document = np.nonzero(names != "")
    topics = documents.cube.indexes[TOPIC].astype(str)
    expected = pd.MultiIndex.from_arrays([topics[topic], names[topic, document]])
    row = np.full(names.shape, -1)
    row[topic, document] = index.get_indexer(expected)
    lacking = int((judgeable & (row < 0)).sum())
    if GRADE in columns:
        result = _by_grade(prior[columns[GRADE]].to_numpy(), row)
    else:
        result = _by_probability(prior[columns[PROBABILITY]], index, row)
    if lacking:
        total = int(judgeable.sum())
        warn(
            f"{lacking} of {total} documents have no prior, and get the mean prior of all other "
            "documents"
        )
    return result


def _columns_of_prior(prior: object) -> dict[str, Hashable]:
    """Return the columns of topics, documents, grades and probabilities."""
    if not isinstance(prior, pd.DataFrame):
        raise InputError("a prior as a pandas DataFrame", type(prior).__name__)
    columns = {**roles(prior.columns)}
    if PROBABILITY in prior.columns:
        columns = {**columns, PROBABILITY: PROBABILITY}
        columns.pop(GRADE, None)
    lacking = [" or ".join(ALIASES[role]) for role in (TOPIC, DOC) if role not in columns]
    if not {GRADE, PROBABILITY} & columns.keys():
        lacking.append("grade or probability")
    if lacking:
        expected = "a prior with the columns topic, doc, and grade or probability"
        raise InputError(expected, "no column", "", lacking)
    return columns


def _by_grade(grades: Array, row: Array) -> Prior:
    """Return a prior that learns the probability of each grade.

    The documents without a grade share an additional level.
    """
    values = pd.to_numeric(pd.Series(grades), errors="coerce").to_numpy(float)
    # NaN fails every comparison, so values that are not numbers are wrong as well
    wrong = ~(values % 1 == 0)
    if wrong.any():
        offenders = pd.unique(np.asarray(grades, object)[wrong])
        raise ParameterError("integer grades in a prior", "", "", map(repr, offenders))
    # grades can be negative or high, and the first and the last initial probability then apply
    levels, level = np.unique(values, return_inverse=True)
    initial = np.array(BEGUN)[np.clip(levels, 0, len(BEGUN) - 1).astype(int)]
    mean = initial[level].mean() if len(level) else BEGUN[0]
    # row -1, which marks documents without a grade, selects the appended level
    level = np.append(level, len(levels))[row]
    return Prior(level, np.append(initial, mean), learns=True)


def _by_probability(column: pd.Series, index: pd.MultiIndex, row: Array) -> Prior:
    """Return a prior with fixed probabilities."""
    values = pd.to_numeric(column, errors="coerce").to_numpy(float)
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        pairs = zip(index[wrong], column[wrong], strict=True)
        offenders = [f"{value} for {doc} of {topic}" for (topic, doc), value in pairs]
        got = f"{wrong.sum()} probabilities outside this range"
        raise ParameterError("probabilities from 0 to 1 in a prior", got, "", offenders)
    mean = values.mean() if len(values) else 0.5
    level = np.arange(len(values) + 1)[row]
    return Prior(level, np.append(values, mean), learns=False)


NAMELESS = (
    "pass the runs of the cube as runs=, because a cube has no ids of unjudged documents beyond "
    f"rank {RANKS}, or after concatenation with a cube without ids"
)


@dataclass(frozen=True, eq=False)
class ListedDocuments:
    """Documents in the lists of a cube, numbered by topic."""

    cube: xr.Dataset
    listed: Array
    """Number of the document at each rank, shape (system, topic, rank). The number is -1 after the
    end of a list."""
    names: Array
    """Name of each document, shape (topic, number), and ``""`` for padding."""
    row: Array
    """Row of each document in the judgments of the cube, shape (topic, number). The row is -1 for
    unjudged documents."""

    @classmethod
    def judged(cls, cube: xr.Dataset, depth: int) -> "ListedDocuments":
        """Return the judged documents in lists down to a depth."""
        rows = experiment_of(cube).rows_at(depth)
        return cls._numbered(cube, rows, (np.zeros(0, int),) * 3, np.zeros(0, object))

    @classmethod
    def named(
        cls, cube: xr.Dataset, depth: int, runs: pd.DataFrame | None = None
    ) -> "ListedDocuments":
        """Return all documents in lists down to a depth."""
        names = document_names(cube, depth, runs)
        rows = experiment_of(cube).rows_at(depth)
        unjudged = cube["grade"].to_numpy()[..., :depth] == UNJUDGED
        nameless = np.argwhere((unjudged & (names == None)).any(axis=-1))  # noqa: E711 - by element
        if len(nameless):
            systems = cube[SYSTEM].to_numpy()
            topics = cube[TOPIC].to_numpy()
            offenders = [f"{systems[s]} on {topics[t]}" for s, t in nameless]
            got = f"{len(offenders)} lists with missing ids"
            raise InputError("ids of the unjudged documents of a cube", got, NAMELESS, offenders)
        return cls._numbered(cube, rows, np.nonzero(unjudged), names[unjudged])

    @classmethod
    def _numbered(
        cls, cube: xr.Dataset, rows: Array, cells: tuple[Array, ...], unjudged_names: Array
    ) -> "ListedDocuments":
        """Return the judged and unjudged documents, numbered by name."""
        judgments = experiment_of(cube).judgments
        listed = np.unique(rows[rows >= 0])
        topic = np.concatenate([judgments.topic[listed], cells[1]])
        names = np.concatenate(
            [judgments.docs[listed].astype(str).astype(object), unjudged_names.astype(str)]
        )
        every = pd.DataFrame({TOPIC: topic, DOC: names})
        distinct = every.drop_duplicates().sort_values([TOPIC, DOC])
        distinct["number"] = distinct.groupby(TOPIC).cumcount()
        # a left merge keeps the order of rows, so judged documents still precede unjudged ones
        number = every.merge(distinct, how="left")["number"].to_numpy()
        table = np.full((cube.sizes[TOPIC], 1 + int(number.max(initial=-1))), "", object)
        table[topic, number] = names
        row = np.full(table.shape, -1)
        row[topic[: len(listed)], number[: len(listed)]] = listed
        numbers = np.full(rows.shape, -1, np.int64)
        numbers[rows >= 0] = number[np.searchsorted(listed, rows[rows >= 0])]
        numbers[cells] = number[len(listed) :]
        return cls(cube, numbers, table, row)

    @property
    def judgments(self) -> Judgments:
        """Judgments of the cube."""
        return experiment_of(self.cube).judgments

    @property
    def grade(self) -> Array:
        """Grade of each document, `UNJUDGED` for unjudged documents."""
        grades = np.append(self.judgments.grade, Grade(UNJUDGED))[self.row]
        # grade -1 in qrels means that nobody has judged the document of the pool
        return np.where(grades == POOLED_UNJUDGED, Grade(UNJUDGED), grades)

    def pool(self, systems: Array, seed: int) -> Candidates:
        """Return the documents in the lists of selected systems.

        Parameters
        ----------
        systems
            Positions of the systems.
        seed
            Seed of the order of tied systems.
        """
        listed = self.listed[systems]
        shape = (*self.names.shape, len(systems))
        topics, most, lists = shape
        message = f"a pool of {topics:,} topics, up to {most:,} documents and {lists:,} systems"
        advice = "select fewer topics or contributing systems, or pass a smaller depth="
        room(message, topics * most * lists * 24, advice, most=memory())
        system, topic, rank = np.nonzero(listed >= 0)
        ranks = np.zeros(shape, np.int32)
        ranks[topic, listed[system, topic, rank], system] = rank + 1
        labels = [self.cube[dim].to_numpy() for dim in (TOPIC, SYSTEM)]
        # keys are made from labels, so that they do not depend on the other systems and topics
        names = np.meshgrid(labels[0], labels[1][systems], indexing="ij")
        keys = random_keys(*(labels.ravel() for labels in names), seed=check_seed(seed))
        took_part = experiment_of(self.cube).participated[systems].T
        return Candidates(ranks, took_part, keys.reshape(took_part.shape))

    def label(self, topic: Array, number: Array) -> list[Hashable]:
        """Return document ids with the type of ids in judgments."""
        names = self.names[topic, number].tolist()
        base = self.judgments.docs
        return [*map(int, names)] if len(base) and not isinstance(base[0], str) else names


def contributing_systems(cube: xr.Dataset) -> Array:
    """Return the positions of systems that contributed to the pool."""
    experiment = experiment_of(cube)
    took_part = experiment.participated.any(axis=1)
    stated = took_part & experiment.known_pool.contributing
    if experiment.pool_kind == "unknown" or not stated.any():
        assumed = f"all {took_part.sum()} systems are assumed to contribute to the pool"
        warn(f"the pool of this cube is unknown, so {assumed}")
        return np.flatnonzero(took_part)
    return np.flatnonzero(stated)
