"""The documents that may be judged, by name and topic, and what models say of them before."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array, Grade
from irframe.checks import memory, room
from irframe.comparing.explain import names_of
from irframe.cubes.view import experiment_of
from irframe.errors import IdError, InputError, ParameterError, warn
from irframe.experiments.in_turn import RANKS
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import mixed, random_keys, whole_seed
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import ALIASES, DOC, GRADE, SYSTEM, TOPIC, UNJUDGED, roles


@dataclass(frozen=True, eq=False)
class Candidates:
    """The documents that may be judged, of each topic in the order of their names."""

    rank: Array
    """Rank in every list, 0 where it is not there; shape (topic, document, system)."""
    took_part: Array
    """Which systems took part, shape (topic, system)."""
    keys: Array
    """Random words of the systems, by which ties are decided; shape (topic, system)."""

    @cached_property
    def listed(self) -> Array:
        """Whether a document is in a list, shape (topic, document, system)."""
        return self.rank > 0

    @cached_property
    def there(self) -> Array:
        """Where there is a document at all, shape (topic, document)."""
        return np.asarray(self.listed.any(axis=-1))

    @cached_property
    def best_rank(self) -> Array:
        """The best rank of every document, 0 where there is none; shape (topic, document)."""
        far = np.where(self.listed, self.rank, np.iinfo(self.rank.dtype).max)
        return np.where(self.there, far.min(axis=-1, initial=np.iinfo(self.rank.dtype).max), 0)

    @cached_property
    def runs(self) -> Array:
        """How many lists have a document, shape (topic, document)."""
        return np.asarray(self.listed.sum(axis=-1))

    @cached_property
    def weight(self) -> Array:
        """One over the square root of the rank, 0 where it is not there; as `rank`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(self.listed, 1 / np.sqrt(self.rank), 0.0))

    @cached_property
    def leverage(self) -> Array:
        """Standard deviation of the weights over systems that took part, (topic, document)."""
        inside = self.took_part[:, np.newaxis]
        number = np.maximum(inside.sum(axis=-1), 1)
        mean = self.weight.sum(axis=-1) / number
        apart = np.where(inside, self.weight - mean[..., np.newaxis], 0.0)
        return np.asarray(np.sqrt((apart**2).sum(axis=-1) / number))

    def lot(self, turn: Array) -> NDArray[np.uint64]:
        """Return random words of the systems at some turn of each topic, the smallest first."""
        words = self.keys + turn.astype(np.uint64)[:, np.newaxis]
        return mixed(words * np.uint64(0x9E3779B97F4A7C15))

    def likely(self, precision: Array) -> Array:
        """Return how likely documents are relevant, given the precision of the systems.

        Parameters
        ----------
        precision
            Of every system so far, shape (topic, system).

        Returns
        -------
        numpy.ndarray
            The precision of the systems that have a document, by its weight in their lists, 0
            where there is no document; shape (topic, document).
        """
        total = self.weight.sum(axis=-1)
        summed = np.matmul(self.weight, precision[..., np.newaxis])[..., 0]
        return np.asarray(np.divide(summed, total, out=np.zeros_like(total), where=total > 0))

    @cached_property
    def earliness(self) -> Array:
        """Priority by best rank, then by how many lists have a document there."""
        lists = 1 + self.rank.shape[-1]
        there = (self.rank == self.best_rank[..., np.newaxis]).sum(axis=-1)
        beyond = self.best_rank - there / lists  # before the next rank, whoever has it
        with np.errstate(divide="ignore"):
            return np.where(self.there, 1 / (beyond + 1), 0.0)


def tally(judged: Array, relevant: Array, weight: Array) -> tuple[Array, Array]:
    """Return the weight of what is relevant, and of all that is judged, in every list.

    Parameters
    ----------
    judged, relevant
        Which documents are judged, and how relevant they are; shape (topic, document).
    weight
        That of a document in a list, shape (topic, document, system).

    Returns
    -------
    tuple of numpy.ndarray
        Two of shape (topic, system).
    """
    rows = np.stack([judged * relevant, judged.astype(float)], axis=1)
    return tuple(np.moveaxis(np.matmul(rows, weight), 1, 0))


PROBABILITY = "probability"
BEGUN = (0.05, 0.2, 0.5, 0.8)
"""How likely documents of grades 0, 1, 2, 3 and above are relevant before any is judged."""
WEIGHT = 2.0
"""How many judgments that counts for."""


class Prior:
    """How likely documents are relevant: by levels, such as grades, as learned from people.

    Parameters
    ----------
    level
        The place of the level of every document, shape (topic, document).
    begun
        How likely documents of each level are relevant before any is judged.
    learns
        Whether judgments change that.
    """

    def __init__(self, level: Array, begun: Array, *, learns: bool) -> None:
        self.level, self.seen = level, np.full(len(begun), WEIGHT)
        self.found, self.learns = WEIGHT * begun, learns

    def likely(self) -> Array:
        """Return how likely every document is relevant, shape (topic, document)."""
        return np.asarray((self.found / self.seen)[self.level])

    def learn(self, topic: Array, document: Array, relevant: Array) -> None:
        """Take in how relevant some documents were."""
        if self.learns:
            level = self.level[topic, document]
            np.add.at(self.found, level, relevant)
            np.add.at(self.seen, level, 1.0)


def read_prior(
    prior: pd.DataFrame | None, documents: "ListedDocuments", open_: Array
) -> Prior | None:
    """Read a prior for documents, if there is one.

    Parameters
    ----------
    prior
        A frame with topic, doc, and grade or probability.
    documents
        The documents.
    open_
        Which of these are to be judged, (topic, document).

    Raises
    ------
    InputError
        If a column is missing.
    IdError
        If a document stands twice.
    ParameterError
        For probabilities outside [0, 1].

    Warns
    -----
    IrframeWarning
        If documents have no prior: they take the mean of the others.
    """
    if prior is None:
        return None
    columns, names = _columns_of_prior(prior), documents.names
    known = prior[columns[TOPIC]].astype(str), prior[columns[DOC]].astype(str)
    index = pd.MultiIndex.from_arrays(known)
    if index.has_duplicates:
        again = [f"{doc} of {topic}" for topic, doc in index[index.duplicated()]]
        raise IdError("a prior once for every document", f"{len(again)} again", "", again)
    topic, document = np.nonzero(names != "")
    topics = documents.cube.indexes[TOPIC].astype(str)
    wanted = pd.MultiIndex.from_arrays([topics[topic], names[topic, document]])
    row = np.full(names.shape, -1)
    row[topic, document] = index.get_indexer(wanted)
    lacking = int((open_ & (row < 0)).sum())
    if GRADE in columns:
        result = _by_grade(prior[columns[GRADE]].to_numpy(), row)
    else:
        result = _by_probability(prior[columns[PROBABILITY]], index, row)
    if lacking:
        total = int(open_.sum())
        warn(f"{lacking} of {total} documents have no prior: they take the mean of the others")
    return result


def _columns_of_prior(prior: Any) -> dict[str, Any]:
    """Return the columns of a prior by role."""
    if not isinstance(prior, pd.DataFrame):
        raise InputError("a prior, a pandas DataFrame", type(prior).__name__)
    columns = {**roles(prior.columns)}
    if PROBABILITY in prior.columns:
        columns = {**columns, PROBABILITY: PROBABILITY}
        columns.pop(GRADE, None)
    lacking = [" or ".join(ALIASES[role]) for role in (TOPIC, DOC) if role not in columns]
    if not {GRADE, PROBABILITY} & columns.keys():
        lacking.append("grade or probability")
    if lacking:
        raise InputError("a prior with topic, doc, and grade or probability", "no", "", lacking)
    return columns


def _by_grade(grades: Array, row: Array) -> Prior:
    """Return the prior of whole grades, those that lack one being a level of their own."""
    values = pd.to_numeric(pd.Series(grades), errors="coerce").to_numpy(float)
    wrong = ~(values % 1 == 0)
    if wrong.any():
        offenders = pd.unique(np.asarray(grades, object)[wrong])
        raise ParameterError("whole grades in a prior", "", "", map(repr, offenders))
    levels, level = np.unique(values, return_inverse=True)
    begun = np.array(BEGUN)[np.clip(levels, 0, len(BEGUN) - 1).astype(int)]
    mean = begun[level].mean() if len(level) else BEGUN[0]
    level = np.append(level, len(levels))[row]
    return Prior(level, np.append(begun, mean), learns=True)


def _by_probability(column: pd.Series, index: pd.MultiIndex, row: Array) -> Prior:
    """Return the prior of probabilities."""
    values = pd.to_numeric(column, errors="coerce").to_numpy(float)
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        pairs = zip(index[wrong], column[wrong], strict=True)
        offenders = [f"{value} for {doc} of {topic}" for (topic, doc), value in pairs]
        wanted = "probabilities from 0 to 1 in a prior"
        raise ParameterError(wanted, f"{wrong.sum()} outside", "", offenders)
    mean = values.mean() if len(values) else 0.5
    level = np.arange(len(values) + 1)[row]
    return Prior(level, np.append(values, mean), learns=False)


NAMELESS = (
    f"pass the runs with runs=: cubes that are read beyond rank {RANKS}, or were put together with "
    "others that do not know them, do not either"
)


@dataclass(frozen=True, eq=False)
class ListedDocuments:
    """The documents of lists, numbered in the order of their names within each topic."""

    cube: xr.Dataset
    listed: Array
    """The number at each rank, -1 where there is none; shape (system, topic, rank)."""
    names: Array
    """The name of each number, shape (topic, number)."""
    row: Array
    """Where each stands among the judged documents of the cube, -1 for others; as `names`."""

    @classmethod
    def judged(cls, cube: xr.Dataset, depth: int) -> "ListedDocuments":
        """Return the judged documents of lists that are read to a depth."""
        rows = experiment_of(cube).rows_at(depth)
        return cls._numbered(cube, rows, (np.zeros(0, int),) * 3, np.zeros(0, object))

    @classmethod
    def named(
        cls, cube: xr.Dataset, depth: int, runs: pd.DataFrame | None = None
    ) -> "ListedDocuments":
        """Return all documents of lists that are read to a depth, judged or not."""
        names, rows = names_of(cube, depth, runs), experiment_of(cube).rows_at(depth)
        open_ = cube["grade"].to_numpy()[..., :depth] == UNJUDGED
        nameless = np.argwhere((open_ & (names == None)).any(axis=-1))  # noqa: E711 - by element
        if len(nameless):
            systems, topics = cube[SYSTEM].to_numpy(), cube[TOPIC].to_numpy()
            offenders = [f"{systems[s]} on {topics[t]}" for s, t in nameless]
            found = f"{len(offenders)} lists in which some have none"
            raise InputError(
                "names of the unjudged documents of a cube", found, NAMELESS, offenders
            )
        return cls._numbered(cube, rows, np.nonzero(open_), names[open_])

    @classmethod
    def _numbered(
        cls, cube: xr.Dataset, rows: Array, cells: Any, others: Array
    ) -> "ListedDocuments":
        """Return documents by number: judged ones, and others by the cells they fill."""
        judgments, listed = experiment_of(cube).judgments, np.unique(rows[rows >= 0])
        topic = np.concatenate([judgments.topic[listed], cells[1]])
        names = np.concatenate(
            [judgments.docs[listed].astype(str).astype(object), others.astype(str)]
        )
        every = pd.DataFrame({TOPIC: topic, DOC: names})
        each = every.drop_duplicates().sort_values([TOPIC, DOC])
        each["number"] = each.groupby(TOPIC).cumcount()
        number = every.merge(each, how="left")["number"].to_numpy()
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
        """The judgments of the cube."""
        return experiment_of(self.cube).judgments

    @property
    def grade(self) -> Array:
        """The grade of every document, `UNJUDGED` where there is none; as `names`."""
        grades = np.append(self.judgments.grade, Grade(UNJUDGED))[self.row]
        return np.where(grades == POOLED_UNJUDGED, Grade(UNJUDGED), grades)

    def pool(self, systems: Array, seed: int) -> Candidates:
        """Return the pool that some systems make.

        Parameters
        ----------
        systems
            Their places.
        seed
            Of the order of systems where they tie.
        """
        listed = self.listed[systems]
        topics, most, lists = shape = (*self.names.shape, len(systems))
        what = f"a pool of {topics:,} topics, up to {most:,} documents and {lists:,} systems"
        advice = "select topics, contributing systems or a smaller depth="
        room(what, topics * most * lists * 24, advice, most=memory())
        system, topic, rank = np.nonzero(listed >= 0)
        ranks = np.zeros(shape, np.int32)
        ranks[topic, listed[system, topic, rank], system] = rank + 1
        labels = [self.cube[dim].to_numpy() for dim in (TOPIC, SYSTEM)]
        names = np.meshgrid(labels[0], labels[1][systems], indexing="ij")
        keys = random_keys(*(part.ravel() for part in names), seed=whole_seed(seed))
        took_part = experiment_of(self.cube).there[systems].T
        return Candidates(ranks, took_part, keys.reshape(took_part.shape))

    def label(self, topic: Array, number: Array) -> list[Hashable]:
        """Return the names of documents, whole numbers where the judgments have such."""
        names = self.names[topic, number].tolist()
        base = self.judgments.docs
        return [*map(int, names)] if len(base) and not isinstance(base[0], str) else names


def by_label(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube in the order of its labels, so that nothing drawn or rounded follows rows."""
    return cube.sortby([SYSTEM, TOPIC])


def helping(cube: xr.Dataset) -> Array:
    """Return the places of the systems whose lists make the pool; all, where it is not known."""
    experiment = experiment_of(cube)
    there = experiment.there.any(axis=1)
    stated = there & experiment.known_pool.contributing
    if experiment.pool_word == "unknown" or not stated.any():
        warn(f"the pool of this cube is not known: the lists of all {there.sum()} systems make it")
        return np.flatnonzero(there)
    return np.flatnonzero(stated)
