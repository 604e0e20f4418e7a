"""The documents of the lists of a cube, numbered by name in every topic."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.comparing.explain import names_of
from irframe.cubes.view import experiment_of
from irframe.errors import InputError, warn
from irframe.experiments.in_turn import RANKS
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import random_keys, whole_seed
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import SYSTEM, TOPIC, UNJUDGED
from irframe.studies.judging.candidates import Pool, pool_of
from irframe.studies.judging.prior import Prior, read_prior


@dataclass(frozen=True, eq=False)
class Documents:
    """The documents of lists, numbered in the order of their names within each topic."""

    cube: xr.Dataset
    listed: Array
    """The number at each rank, -1 where there is none; shape (system, topic, rank)."""
    names: Array
    """The name of each number, shape (topic, number)."""
    row: Array
    """Where each stands among the judged documents of the cube, -1 for others; as `names`."""

    @classmethod
    def judged(cls, cube: xr.Dataset, depth: int) -> "Documents":
        """Return the judged documents of lists that are read to a depth."""
        rows = experiment_of(cube).rows_at(depth)
        return cls._numbered(cube, rows, (np.zeros(0, int),) * 3, np.zeros(0, object))

    @classmethod
    def named(cls, cube: xr.Dataset, depth: int, runs: pd.DataFrame | None = None) -> "Documents":
        """Return all documents of lists that are read to a depth, judged or not."""
        names, rows = names_of(cube, depth, runs), experiment_of(cube).rows_at(depth)
        open_ = cube["grade"].to_numpy()[..., :depth] == UNJUDGED
        _refuse_nameless(cube, (open_ & (names == None)).any(axis=-1))  # noqa: E711 - by element
        return cls._numbered(cube, rows, np.nonzero(open_), names[open_])

    @classmethod
    def _numbered(cls, cube: xr.Dataset, rows: Array, cells: Any, others: Array) -> "Documents":
        """Return documents by number: those of recall bases, and others by the cells they fill."""
        judgments, topics = experiment_of(cube).judgments, cube.sizes[TOPIC]
        base = judgments.docs
        topic = np.concatenate([judgments.topic, cells[1]])
        names = np.concatenate([base.astype(str).astype(object), others.astype(str)])
        code, known = pd.factorize(names)
        pair = topic * np.int64(len(known)) + code
        _, first, where = np.unique(pair, return_index=True, return_inverse=True)
        number, table = in_order(topic[first], names[first], where, topics)
        row = np.full(table.shape, -1)
        row[topic[: len(base)], number[: len(base)]] = np.arange(len(base))
        found = np.full(rows.shape, -1, np.int64)
        found[rows >= 0] = number[rows[rows >= 0]]
        found[cells] = number[len(base) :]
        return cls(cube, found, table, row)

    @property
    def judgments(self) -> Judgments:
        """The judgments of the cube."""
        return experiment_of(self.cube).judgments

    @property
    def grade(self) -> Array:
        """The grade of every document, `UNJUDGED` where there is none; as `names`."""
        grades = np.append(self.judgments.grade, np.int8(UNJUDGED))[self.row]
        return np.where(grades == POOLED_UNJUDGED, np.int8(UNJUDGED), grades)

    def pool(self, systems: Array, seed: int) -> tuple[Pool, Array]:
        """Return the pool that some systems make, and the number of each document in it.

        Parameters
        ----------
        systems
            Their places.
        seed
            Of the order of systems where they tie.
        """
        took_part = experiment_of(self.cube).there[systems].T
        labels = [self.cube[dim].to_numpy() for dim in (TOPIC, SYSTEM)]
        topic, system = np.meshgrid(labels[0], labels[1][systems], indexing="ij")
        keys = random_keys(topic.ravel(), system.ravel(), seed=whole_seed(seed))
        return pool_of(self.listed[systems], took_part, keys.reshape(topic.shape))

    def prior(self, prior: pd.DataFrame | None, number: Array, open_: Array) -> Prior | None:
        """Return the prior of the documents of a pool, if there is one.

        Parameters
        ----------
        prior
            The frame that says so.
        number
            The number of each document of the pool, -1 where there is none; (topic, document).
        open_
            Which of them are to be judged.
        """
        if prior is None:
            return None
        names = np.take_along_axis(self.names, np.maximum(number, 0), axis=1)
        return read_prior(prior, self.cube.indexes[TOPIC], np.where(number >= 0, names, ""), open_)

    def label(self, topic: Array, number: Array) -> list[Hashable]:
        """Return the names of documents, whole numbers where the judgments have such."""
        found = self.names[topic, number].tolist()
        base = self.judgments.docs
        return [*map(int, found)] if len(base) and not isinstance(base[0], str) else found


def by_label(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube in the order of its labels, so that nothing drawn or rounded follows rows."""
    sorted_: xr.Dataset = cube.sortby([SYSTEM, TOPIC])
    return sorted_


def helping(cube: xr.Dataset) -> Array:
    """Return the places of the systems whose lists make the pool; all, where it is not known."""
    experiment = experiment_of(cube)
    there = experiment.there.any(axis=1)
    stated = there & experiment.known_pool.contributing
    if experiment.pool_word == "unknown" or not stated.any():
        warn(f"the pool of this cube is not known: the lists of all {there.sum()} systems make it")
        return np.flatnonzero(there)
    return np.flatnonzero(stated)


def _refuse_nameless(cube: xr.Dataset, lists: Array) -> None:
    """Raise if unjudged documents have no name in some lists, (system, topic)."""
    if lists.any():
        systems, topics = cube[SYSTEM].to_numpy(), cube[TOPIC].to_numpy()
        offenders = [f"{systems[s]} on {topics[t]}" for s, t in np.argwhere(lists)]
        found = f"{len(offenders)} lists in which some have none"
        advice = (
            f"pass the runs with runs=: cubes that are read beyond rank {RANKS}, or were put "
            "together with others that do not know them, do not either"
        )
        raise InputError("names of the unjudged documents of a cube", found, advice, offenders)


def in_order(topic: Array, names: Array, where: Array, topics: int) -> tuple[Array, Array]:
    """Return where rows stand among the documents of their topics, and a table of these.

    Parameters
    ----------
    topic, names
        Of every document.
    where
        The document of every row.
    topics
        How many topics there are.

    Examples
    --------
    >>> in_order(np.array([0, 0]), np.array(["b", "a"], object), np.array([0, 1, 0]), 1)
    (array([1, 0, 1]), array([['a', 'b']], dtype=object))
    """
    order = np.lexsort((names.astype(str), topic))
    count = np.bincount(topic, minlength=topics)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.repeat(np.cumsum(count) - count, count)
    table = np.full((topics, int(count.max(initial=0))), "", object)
    table[topic, place] = names
    return place[where], table
