"""Fewer judgments on the same rankings, without building a cube again."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.cube import JUDGED
from irframe.errors import DepthError, InputError
from irframe.frames.sampling import refuse_marks
from irframe.names import DEPTH, EMPTY, TOPIC, UNJUDGED

DOCUMENTS = ("doc", "judged_doc", "judged_grade", "pool_rank", "filed")
"""Variables that say which document is where."""


def require_documents(cube: xr.Dataset, *names: str) -> None:
    """Raise if a cube does not say which documents it holds, or holds grades that are none.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> require_documents(cube.drop_vars("doc"))
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: wanted a cube that knows its documents...; found no variable: doc...
    """
    if not isinstance(cube, xr.Dataset):
        raise InputError("a cube made by irframe.cube", type(cube).__name__)
    needed = ("grade", "retrieved", *(names or DOCUMENTS))
    missing = [name for name in needed if name not in cube.data_vars]
    if missing:
        wanted = "a cube that knows its documents, as irframe.cube makes it"
        raise InputError(wanted, "no variable", "keep all variables of the cube", missing)
    refuse_marks(cube["judged_grade"].to_numpy())


def keep_judgments(cube: xr.Dataset, kept: NDArray[np.bool_]) -> xr.Dataset:
    """Return a cube in which only some judgments remain; the other documents become unjudged.

    Parameters
    ----------
    cube
        A cube.
    kept
        Which judgments, shape (topic, judged).

    Returns
    -------
    xarray.Dataset
        The cube, with the same dimensions and the same top grade.

    Raises
    ------
    DepthError
        If documents below the last depth share their gain with those above.
    """
    base = (TOPIC, JUDGED)
    remaining = xr.DataArray(kept, dims=base)
    grade, doc = xr.apply_ufunc(
        _forget,
        cube["grade"],
        cube["doc"],
        remaining,
        input_core_dims=[[DEPTH], [DEPTH], [JUDGED]],
        output_core_dims=[[DEPTH], [DEPTH]],
        dask="parallelized",
        output_dtypes=[np.int8, np.int32],
    )
    dims = cube["grade"].dims
    changed = {
        "grade": grade.transpose(*dims),
        "doc": doc.transpose(*dims),
        "judged_grade": cube["judged_grade"].where(remaining, EMPTY).astype(np.int8),
        "pool_rank": cube["pool_rank"].where(remaining, 0).astype(np.int32),
    }
    return _without_tail(cube).assign(changed)


def pool_depth_of(cube: xr.Dataset, depth: int | None = None) -> int:
    """Return a pool depth within the cube's, by default that itself.

    Raises
    ------
    DepthError
        If it is none from 1 to the pool depth of the cube.
    """
    deepest = int(cube.attrs["pool_depth"])
    wanted = deepest if depth is None else depth
    whole = isinstance(wanted, int | np.integer) and wanted is not True
    if not whole or not 1 <= wanted <= deepest:
        advice = "tell cube() the pool_depth= or the contributing= runs if they are known better"
        found = f"{wanted!r}" if depth is not None else "a pool that is complete to no depth"
        raise DepthError(
            f"a pool depth from 1 to {deepest}, the depth of the cube's pool", found, advice
        )
    return int(wanted)


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
    shorter = cube.isel({DEPTH: slice(depth)}).drop_vars(["tail", "tail_size"], errors="ignore")
    return shorter.assign(retrieved=np.minimum(cube["retrieved"], depth).astype(np.int32))


def _forget(
    grade: NDArray[np.int8], doc: NDArray[np.int32], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    wide = np.broadcast_to(kept, (*doc.shape[:-1], kept.shape[-1]))
    known = np.take_along_axis(wide, np.maximum(doc, 0), axis=-1)
    lost = (doc >= 0) & ~known
    return np.where(lost, np.int8(UNJUDGED), grade), np.where(lost, np.int32(-1), doc)


def _without_tail(cube: xr.Dataset) -> xr.Dataset:
    """Drop the counts of judged documents past the last depth, if there are any to go stale."""
    if "tail" not in cube or not bool(cube["tail"].any()):
        return cube
    if cube.attrs.get("ties") == "mean":
        found = "tied documents below it whose judgments may be lost"
        raise DepthError("a cube as deep as its lists", found, "build it without depth=")
    return cube.drop_vars(["tail", "tail_size"])
