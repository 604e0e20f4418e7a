"""Misplacement: how far documents stand from where an ideal ranking has them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import choice, whole
from irframe.cubes.verb import read_depth, verb
from irframe.cubes.view import CELL, CODES, LIST, assemble, experiment_of, need_dask, topic_blocks
from irframe.errors import warn
from irframe.metrics.positions import (
    CROSSINGS,
    Crossing,
    ExpectedRanks,
    crosses,
    expected_ranks,
    first_crossing,
    full_scale,
    recall_base,
    relative_position,
    space_ratios,
)
from irframe.names import DEPTH, EMPTY, GRADE, TOPIC

ARCHETYPES = ("ideal", "worst", "full scale", "excellent", "typical B", "typical A")
"""What kinds of curves there are, in the order in which they are recognised."""

SHORT = 46_340
"""Longest rankings of which no sum of misplacements exceeds 32 bits."""

BLOCK = 1 << 22
"""Cells worked on at a time."""


@verb(bounded=True)
def misplacement(
    cube: xr.Dataset,
    *,
    depth: int | None = None,
    crossing: Crossing = "sign_change",
    rel: int = 1,
    by: str | None = None,
) -> xr.Dataset:
    """Say how much avoidable effort each ranking costs, rank by rank and in all.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    depth
        Nominal length N of all rankings, at most the depth of the cube, which is the default.
        Longer lists are cut, shorter ones padded with non-relevant documents.
    crossing
        When the cumulated relative position has recovered, as for `Twist`: ``"sign_change"``,
        ``"definition"`` or ``"matters"``.
    rel
        Lowest relevant grade, at least 1.
    by
        A coordinate of systems or topics such as ``"track"``: one result per group, labelled with
        the group.

    Returns
    -------
    xarray.Dataset
        Over (system, topic, depth), int32: ``rp``, the relative position, and ``crp``, its
        running sum, int64 where N exceeds 46,340. Over (system, topic): ``first_crossing`` and
        ``balance_point``, infinite where a curve never recovers; the ratios ``rho``,
        ``sigma_plus``, ``sigma_minus``, ``sigma`` and their ``twist``; ``s_plus`` and
        ``s_minus``, how far documents moved down and up; ``archetype``, a name of the curve's
        kind. Over (topic): ``recall_base`` R, and ``length``, the nominal length. On topics
        without relevant documents, which ``attrs["no_relevant"]`` counts, and where a system did
        not take part, the numbers are NaN, ``rp`` and ``crp`` 0 and ``archetype`` empty.

    Raises
    ------
    DepthError
        For a depth beyond the cube.
    ParameterError
        For an unknown crossing, or `rel` out of range.
    MetricError
        For cubes with shared ranks (``ties="mean"``).

    Warns
    -----
    IrframeWarning
        If topics have a nominal length above N, with their number: a ranking must be able to
        have all relevant documents in its second half, so N is at least 2 R.

    Notes
    -----
    ``RP(j) = j - min`` above the ranks [min, max] that the document's grade takes in the ideal
    ranking, ``j - max`` below them, 0 inside. Unjudged, missing and below-threshold documents
    are non-relevant. ``rho = R / max(R, first crossing)``, ``sigma+- = 1 - s+- / s+-_worst``
    against the ideal ranking reversed, sigma their harmonic mean, ``twist = (rho + sigma) / 2``.

    Archetypes, the first that fits: ideal; worst, nothing relevant; full scale, the ideal
    reversed; excellent, recovered by rank R; typical B, never recovered; typical A.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. doi:10.1002/asi.23416

    Examples
    --------
    >>> import pandas as pd
    >>> import irframe as ir
    >>> run = pd.DataFrame({"topic": "1", "doc": list("abcd"), "rank": range(4)})
    >>> qrels = pd.DataFrame({"topic": "1", "doc": list("abcd"), "grade": [1, 0, 1, 0]})
    >>> moved = misplacement(ir.cube(run, qrels, ties="rank"))
    >>> moved["crp"].to_numpy().tolist(), moved["twist"].round(3).item()
    ([[[0, -1, 0, 0]]], 0.833)
    """
    deepest = read_depth(cube, depth)
    choice("crossing", crossing, CROSSINGS)
    rel = whole("rel", rel, low=1, high=127)
    experiment = experiment_of(cube)
    base = experiment.judgments
    expected = expected_ranks(base.levels, base.levels_of, rel)
    R = recall_base(expected)[:, 0]
    length = np.maximum(deepest, 2 * R)
    study = _Study(expected, length, deepest, crossing, experiment.there)
    grade = cube[GRADE].variable
    values = study.lazily(grade.data) if grade.chunks else study.measure(grade.to_numpy())
    data = _label(cube, values, {"recall_base": R, "length": length})
    data = data.assign_coords(took_part=(LIST, experiment.there))
    no_relevant, lengthened = int((R == 0).sum()), int((length > deepest).sum())
    data.attrs = {"depth": deepest, "crossing": crossing, "rel": rel, "no_relevant": no_relevant}
    if lengthened:
        warn(
            f"{lengthened} of {len(R)} topics have more than {deepest} / 2 relevant documents: "
            "their rankings are taken to be twice as long as their recall base"
        )
    return data


@dataclass(frozen=True, eq=False)
class _Study:
    """What is asked of the rankings of some topics."""

    expected: ExpectedRanks
    length: Array
    """Nominal length of each topic's rankings."""
    depth: int
    crossing: Crossing
    there: NDArray[np.bool_]
    """Whether each system took part in each topic."""
    width: int = 0
    """Nominal length of all rankings, by default the greatest of these topics."""

    def of_topics(self, topics: slice) -> "_Study":
        """Return the same on some topics."""
        expected = ExpectedRanks(
            self.expected.level, self.expected.first[topics], self.expected.last[topics]
        )
        there, width = self.there[:, topics], int(self.length.max(initial=self.depth))
        return _Study(expected, self.length[topics], self.depth, self.crossing, there, width)

    def measure(self, grade: Array) -> dict[str, Array]:
        """Return what is said of rankings of grades, shape (system, topic, rank)."""
        missing = (self.width or self.length.max(initial=self.depth)) - self.depth
        grade = grade[..., : self.depth]
        grade = np.pad(grade, [(0, 0), (0, 0), (0, missing)], constant_values=EMPTY)
        step, length = max(1, BLOCK // max(grade[0].size, 1)), self.length[:, np.newaxis]
        parts = [
            _measure(grade[start : start + step], self.expected, length, self.crossing)
            for start in range(0, len(grade), step)
        ]
        values = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        _blank(values, ~self.there)
        return values

    def lazily(self, grade: Any) -> dict[str, Any]:
        """Return the same of rankings that are read block by block when wanted."""
        task = need_dask().delayed(_Study.measure)
        blocks = topic_blocks(grade)
        counts = [topics.stop - topics.start for topics, _ in blocks]
        made = [task(self.of_topics(topics), block) for topics, block in blocks]
        first = replace(self.of_topics(slice(0, 1)), there=np.ones((1, 1), bool))
        one = first.measure(np.full((1, 1, self.depth), EMPTY, np.int8))
        kinds = f"<U{max(map(len, ARCHETYPES))}"
        parts = {
            name: (kinds if value.dtype.kind == "U" else value.dtype, value.shape[2:])
            for name, value in one.items()
        }
        return assemble(made, counts, len(self.there), parts)


def _blank(values: dict[str, Array], missing: NDArray[np.bool_]) -> None:
    """Set what is said of rankings that are not there to 0, NaN or no name."""
    if missing.any():
        for value in values.values():
            value[missing] = {"f": np.nan, "i": 0, "U": ""}[value.dtype.kind]


def _measure(
    grade: Array, expected: ExpectedRanks, length: Array, crossing: Crossing
) -> dict[str, Array]:
    R = recall_base(expected)
    position = relative_position(grade, expected)
    curve = np.cumsum(position, axis=-1, dtype=np.int32 if grade.shape[-1] <= SHORT else np.int64)
    inside = np.arange(1, grade.shape[-1]) < length
    ideal = ~position.any(axis=-1, keepdims=True)
    first = np.where(ideal, 1.0, first_crossing(crosses(curve, crossing) & inside))
    balance = np.maximum(R, first)
    numbers = {"first_crossing": first, "balance_point": balance, "rho": R / balance}
    numbers |= _spaces(position, full_scale(expected, length))
    numbers["twist"] = (numbers["rho"] + numbers["sigma"]) / 2
    kinds = [
        ideal,
        ~(grade >= expected.level.min(initial=127)).any(axis=-1, keepdims=True),
        _reversed(grade, expected, length),
        first <= R,
        np.isinf(first),
    ]
    archetype = np.select(kinds, ARCHETYPES[:-1], ARCHETYPES[-1])
    values = {name: np.where(R > 0, value, np.nan)[..., 0] for name, value in numbers.items()}
    named = np.where(R > 0, archetype, "")[..., 0]
    return {"rp": position, "crp": curve} | values | {"archetype": named}


def _spaces(position: Array, worst: tuple[Array, Array]) -> dict[str, Array]:
    forward = np.maximum(position, 0).sum(axis=-1, dtype=np.int64, keepdims=True)
    backward = forward - position.sum(axis=-1, dtype=np.int64, keepdims=True)
    plus, minus, sigma = space_ratios(forward, backward, worst)
    return {
        "s_plus": forward,
        "s_minus": backward,
        "sigma_plus": plus,
        "sigma_minus": minus,
        "sigma": sigma,
    }


def _reversed(grade: Array, expected: ExpectedRanks, length: Array) -> NDArray[np.bool_]:
    """Say which rankings are the ideal one reversed, shape (..., 1)."""
    rank = np.arange(1, grade.shape[-1] + 1)
    placed = np.zeros(grade.shape[:-1], np.int64)
    for number, level in enumerate(expected.level):
        low = length + 1 - expected.last[..., number]
        high = length + 1 - expected.first[..., number]
        placed += ((grade == level) & (rank >= low) & (rank <= high)).sum(axis=-1)
    return np.asarray(placed[..., np.newaxis] == recall_base(expected))


def _label(cube: xr.Dataset, values: dict[str, Array], of_topics: dict[str, Array]) -> xr.Dataset:
    variables = {name: (CELL[: value.ndim], value) for name, value in values.items()}
    variables |= {name: ((TOPIC,), value) for name, value in of_topics.items()}
    coordinates = {
        name: cube[name]
        for name in cube.coords
        if set(cube[name].dims) <= {*LIST} and name not in {*variables, *CODES.values()}
    }
    return xr.Dataset(variables, coordinates | {DEPTH: np.arange(1, values["rp"].shape[-1] + 1)})
