"""Fewer judgments on the same rankings, without building a cube again."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import whole
from irframe.cubes.gate import unknown_tail
from irframe.cubes.layout import JUDGED, LIST, SOMETIMES, UNKNOWN
from irframe.errors import DepthError
from irframe.experiments.sampling import refuse_marks
from irframe.names import DEPTH, EMPTY, UNJUDGED


def keep_judgments(cube: xr.Dataset, kept: NDArray[np.bool_]) -> xr.Dataset:
    """Return a cube in which only some judgments remain; the other documents become unjudged.

    Parameters
    ----------
    cube
        A cube.
    kept
        Which judgments, shape (judged,).

    Returns
    -------
    xarray.Dataset
        The cube, with the same dimensions and the same top grade.

    Raises
    ------
    DepthError
        If documents below the last depth share their gain with those above.
    GradeError
        If grade -1 marks unjudged documents.
    """
    refuse_marks(cube["judged_grade"].to_numpy())
    remaining = xr.Variable(JUDGED, kept)
    grade, doc = xr.apply_ufunc(
        _forget,
        cube["grade"].variable,
        cube["doc"].variable,
        cube["judged_start"].variable,
        remaining,
        input_core_dims=[[DEPTH], [DEPTH], [], [JUDGED]],
        output_core_dims=[[DEPTH], [DEPTH]],
        dask="parallelized",
        output_dtypes=[np.int8, np.int32],
    )
    dims = cube["grade"].dims
    base: dict[str, Any] = {
        "judged_grade": (JUDGED, np.where(kept, cube["judged_grade"], np.int8(EMPTY))),
        "pool_rank": (JUDGED, np.where(kept, cube["pool_rank"], np.int32(0))),
    }
    for name in SOMETIMES.keys() & cube.variables.keys():
        part = SOMETIMES[name]
        values = np.where(np.expand_dims(kept, [*range(1, len(part.dims))]), cube[name], part.fill)
        base[name] = (part.dims, values.astype(part.dtype))
    fewer = without_tail(cube).assign(grade=grade.transpose(*dims), doc=doc.transpose(*dims))
    return with_unjudged(fewer.assign_coords(base))


def with_unjudged(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube that counts its unjudged documents anew, where its lists are whole."""
    shown = (cube["grade"].variable == UNJUDGED).sum(DEPTH)
    cut_off = cube["retrieved"].variable > cube.sizes[DEPTH]
    counted = xr.where(cut_off, UNKNOWN, shown).astype(np.int32)  # type: ignore[no-untyped-call]
    return cube.assign_coords(unjudged=(LIST, counted.data))


def pool_depth_of(cube: xr.Dataset, depth: int | None = None) -> int:
    """Return a pool depth within the cube's, by default that itself.

    Raises
    ------
    DepthError
        If it is none from 1 to the pool depth of the cube.
    """
    depths = cube["pool_depth"].to_numpy()
    deepest = int(depths.min(initial=np.iinfo(np.int32).max)) if depths.size else 0
    wanted = deepest if depth is None else depth
    advice = "pass pool_depth= or contributing= to cube()"
    if deepest < 1:
        raise DepthError("a known pool depth", "an unknown one", advice)
    return whole("pool depth", wanted, low=1, high=deepest, error=DepthError, advice=advice)


def cut(cube: xr.Dataset, depth: int) -> xr.Dataset:
    """Return the cube with lists cut at a depth.

    Parameters
    ----------
    cube
        A cube.
    depth
        Ranks to keep; as many as there are, at most.

    Returns
    -------
    xarray.Dataset
        The cube, without the counts of documents tied across its end.
    """
    if depth >= cube.sizes[DEPTH]:
        return cube
    return _no_tail(cube.isel({DEPTH: slice(depth)})).assign_attrs(depth=depth)


def _forget(
    grade: NDArray[np.int8],
    doc: NDArray[np.int32],
    start: NDArray[np.int64],
    kept: NDArray[np.bool_],
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    lost = doc >= 0
    lost[lost] = ~kept[(start[..., np.newaxis] + doc)[lost]]
    return np.where(lost, np.int8(UNJUDGED), grade), np.where(lost, np.int32(-1), doc)


def without_tail(cube: xr.Dataset) -> xr.Dataset:
    """Forget the judged documents past the last depth, refusing where their gain is shared."""
    if cube.attrs["ties"] == "mean" and bool(cube["tail_size"].any()):
        found = "tied documents below it whose judgments may be lost"
        raise DepthError("a cube as deep as its lists", found, "build it without depth=")
    return _no_tail(cube)


def _no_tail(cube: xr.Dataset) -> xr.Dataset:
    return cube.assign_coords(unknown_tail(cube))
