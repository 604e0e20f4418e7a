"""The documents of the lists of a cube, numbered by name in every topic."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.layout import NAMED
from irframe.cubes.listing import in_order
from irframe.cubes.recall_base import topic_of
from irframe.errors import InputError, warn
from irframe.frames.sampling import random_keys, whole_seed
from irframe.metrics.infap import POOLED_UNJUDGED
from irframe.names import EMPTY, SYSTEM, TOPIC, UNJUDGED
from irframe.studies.judging.pool import Pool, pool_of
from irframe.studies.judging.prior import Prior, read_prior

Array = NDArray[Any]


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
        doc = cube["doc"].to_numpy()[..., :depth]
        return cls._numbered(cube, doc, np.full((cube.sizes[TOPIC], 0), "", object))

    @classmethod
    def named(cls, cube: xr.Dataset, depth: int) -> "Documents":
        """Return all documents of lists that are read to a depth, judged or not."""
        listed = cube["listed"].to_numpy()[..., :depth]
        _refuse_changed(cube, listed)
        return cls._numbered(cube, listed, cube["open_doc"].to_numpy())

    @classmethod
    def _numbered(cls, cube: xr.Dataset, listed: Array, open_doc: Array) -> "Documents":
        """Return the documents of recall bases (0, 1, ...) and others (-2, -3, ...) by number."""
        topics, start = cube.sizes[TOPIC], cube["judged_start"].to_numpy()[:, np.newaxis]
        base, others = cube["judged_doc"].to_numpy(), np.nonzero(open_doc != "")
        topic = np.concatenate([topic_of(cube), others[0]])
        names = np.concatenate([base.astype(str).astype(object), open_doc[others]])
        number, table = in_order(topic, names, np.arange(len(names)), topics)
        row = np.full(table.shape, -1)
        row[topic[: len(base)], number[: len(base)]] = np.arange(len(base))
        place = np.full(open_doc.shape, -1)
        place[others] = number[len(base) :]
        found = np.full(listed.shape, -1, np.int64)
        known, open_ = listed >= 0, listed < -1
        found[known] = number[(start + listed)[known]]
        owner = np.broadcast_to(np.arange(topics)[:, np.newaxis], listed.shape)
        found[open_] = place[owner[open_], -2 - listed[open_]]
        found[~cube["took_part"].to_numpy()] = -1
        return cls(cube, found, table, row)

    @property
    def grade(self) -> Array:
        """The grade of every document, `UNJUDGED` where there is none; as `names`."""
        grades = np.append(self.cube["judged_grade"].to_numpy(), np.int8(UNJUDGED))[self.row]
        marks = (grades == EMPTY) | (grades == POOLED_UNJUDGED)
        return np.where(marks, np.int8(UNJUDGED), grades)

    def pool(self, systems: Array, seed: int) -> tuple[Pool, Array]:
        """Return the pool that some systems make, and the number of each document in it.

        Parameters
        ----------
        systems
            Their places.
        seed
            Of the order of systems where they tie.
        """
        took_part = self.cube["took_part"].to_numpy()[systems].T
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
        base = self.cube["judged_doc"].to_numpy()
        return [*map(int, found)] if len(base) and not isinstance(base[0], str) else found


def helping(cube: xr.Dataset) -> Array:
    """Return the places of the systems whose lists make the pool; all, where it is not known."""
    there = cube["took_part"].to_numpy().any(axis=1)
    stated = there & cube["contributing"].to_numpy()
    if cube.attrs.get("pool", "unknown") == "unknown" or not stated.any():
        warn(f"the pool of this cube is not known: the lists of all {there.sum()} systems make it")
        return np.flatnonzero(there)
    return np.flatnonzero(stated)


def refuse_nameless(cube: xr.Dataset) -> None:
    """Raise for a cube that does not name its unjudged documents."""
    lacking = [name for name in NAMED if name not in cube.coords]
    if lacking:
        advice = "build it from run frames with irframe.cube; cubes of stores do not name them"
        raise InputError("a cube that names its unjudged documents", "one without", advice, lacking)


def _refuse_changed(cube: xr.Dataset, listed: Array) -> None:
    """Raise for lists whose documents are not those that the cube names."""
    depth = listed.shape[-1]
    doc, grade = (cube[name].to_numpy()[..., :depth] for name in ("doc", "grade"))
    wrong = ((doc >= 0) & (doc != listed)) | ((grade == EMPTY) != (listed == -1))
    wrong &= cube["took_part"].to_numpy()[..., np.newaxis]
    if wrong.any():
        lists = np.argwhere(wrong.any(axis=-1))
        systems, topics = cube[SYSTEM].to_numpy(), cube[TOPIC].to_numpy()
        offenders = [f"{systems[s]} on {topics[t]}" for s, t in lists]
        found = f"{len(lists)} lists that differ, as after condense()"
        raise InputError("lists of the documents that the cube names", found, "", offenders)
