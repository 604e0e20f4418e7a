"""Checksums of a cube: what was overwritten since it was built no longer agrees with them.

Operations of xarray that select, mask or reorder systems and topics move the checksums along with
the lists they are of; those that put other values into lists leave them behind.

A list has a checksum of what is known of it, of its topic, its system and the attributes, and one
for each span of its ranks. Spans are 1, 1, 2, 4, ... and at most 64 ranks long, so that a cube that
was cut at any depth can still be checked: where the cut falls within a span, the ranks of that
span are held against the judgments instead.
"""

from collections.abc import Iterable, Mapping
from typing import Any
from zlib import crc32

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.cubes.hashing import Words, mixed, narrow, numbers, runs_of
from irframe.cubes.layout import (
    CHECKSUMS,
    LEVEL,
    LIST,
    PARTS,
    PROVENANCE,
    RANKINGS,
    SPAN,
    SUBTOPIC_GRADE,
    variable,
)
from irframe.cubes.recall_base import gather
from irframe.errors import InputError
from irframe.names import DEPTH, EMPTY, PROBABILITY, STRATUM, SYSTEM, TOPIC, UNJUDGED
from irframe.threads import tiles

Parts = dict[str, xr.Variable]
Variables = Mapping[Any, xr.Variable]

SPAN_LENGTH = 64
"""Ranks of the longest span: shorter ones cost more bytes, longer ones more where lists are cut."""

KNOWN = ("retrieved", "unjudged", "took_part")
LISTED = (*KNOWN, "of_topic", "of_system")
"""What `checksum` is of: lists, and sums of their topic and of their system and the attributes."""
BASE = ("judged_start", "judged_count")
"""Where the judged documents of topics are."""
JUDGED = ("judged_doc", "judged_grade", "pool_rank", SUBTOPIC_GRADE, STRATUM, PROBABILITY)
TOPICAL = (*JUDGED, *BASE, "top", "pool_depth")
"""What sums of topics are of."""
RANKED = (*RANKINGS, "tail", "tail_size", "filed")
"""What `rank_checksum` is of: its first span of all but rankings, the others of ranks."""

WANTED = "a cube as it was built, if selected, masked or reordered"
ADVICE = (
    "select with isel or sel, mask with where(condition) and no other value, put cubes together "
    "with irframe.concat, and change runs or judgments before the cube is built"
)


def sealed(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube with the checksums of what it holds, lazily where it is lazy.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> sealed(cube).identical(cube)
    True
    """
    cube = gather(cube).drop_vars(CHECKSUMS, errors="ignore")
    return cube.assign_coords(checksums(cube.variables, cube.attrs))


def checksums(held: Variables, attrs: Mapping[Any, Any]) -> Parts:
    """Return the checksums of a cube, of its topics' judged documents alone, from what it holds."""
    lists = _apply(_of_lists, _known(held, attrs), {"checksum": ()})
    ranked = _parts(held, _ranked(held))
    levels = held[LEVEL].to_numpy()
    ranks = _apply(_of_ranks, ranked, {"rank_checksum": (SPAN,)}, levels=levels)
    return {**lists, **ranks}


def check_lists(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube, refusing one of which lists, topics, systems or attributes were changed.

    Parameters
    ----------
    cube
        A cube with all variables in their dimensions and types, and the judged documents of its
        topics. Of a lazy one the error is raised when it is computed.
    """
    _refuse_levels(cube)
    parts = _known(cube.variables, cube.attrs) | _parts(cube.variables, ["checksum"])
    found = _checked(cube, _check_lists, parts, KNOWN)
    return cube.assign_coords(found) if found else cube


def check_ranks(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube, refusing one whose rankings were changed, in the same way.

    Lists that are not there must be empty, whatever they were.
    """
    names = (*_ranked(cube.variables), "retrieved", "took_part", *BASE, "rank_checksum")
    told = {
        "levels": cube.variables[LEVEL].to_numpy(),
        "judged": cube.variables["judged_grade"].to_numpy(),
        "cut": cube.attrs.get(DEPTH) != cube.sizes[DEPTH],
    }
    found = _checked(cube, _check_ranks, _parts(cube.variables, names), RANKINGS, **told)
    return cube.assign(found) if found else cube


def _parts(held: Variables, names: Iterable[str]) -> Parts:
    return {name: _whole(held[name].to_base_variable(), PARTS[name].fill) for name in names}


def _whole(part: xr.Variable, fill: Any) -> xr.Variable:
    """Return a variable that has, if it is lazy, each list in one chunk, which is not empty."""
    if part.chunks is None:
        return part
    if 0 in part.shape[: len(LIST)]:
        return part.compute()
    if not part.size:
        shape = [max(1, length) for length in part.shape]
        return variable(part.dims, np.full(shape, fill, part.dtype))
    return part.chunk(dict.fromkeys(part.dims[len(LIST) :], -1))


def _known(held: Variables, attrs: Mapping[Any, Any]) -> Parts:
    """Return what the checksum of a list is of."""
    made = [(name, _text(attrs[name])) for name in PROVENANCE if name in attrs]
    contributing = held["contributing"].to_numpy().astype(np.uint64)
    of_system = contributing + np.uint64(crc32(repr(made).encode())) * mixed(1)
    sums = variable((TOPIC,), _of_topics(held)), variable((SYSTEM,), of_system * mixed(1))
    return _parts(held, KNOWN) | dict(zip(LISTED[len(KNOWN) :], sums, strict=True))


def _text(value: Any) -> list[str]:
    """Return an attribute as text, whatever type netCDF or Zarr made it."""
    return [str(each) for each in np.atleast_1d(value).tolist()]


def _apply(function: Any, parts: Parts, outputs: Mapping[str, tuple[Any, ...]], **told: Any) -> Any:
    """Return what a function makes of variables, blockwise where some are lazy."""
    if not any(part.chunks for part in parts.values()):
        columns = {name for name, part in parts.items() if part.dims == (SYSTEM,)}
        whole = {name: part.to_numpy() for name, part in parts.items()}
        arrays = [v[:, np.newaxis] if name in columns else v for name, v in whole.items()]
        made = function(*arrays, names=tuple(parts), **told)
        given = zip(outputs.items(), made if len(outputs) > 1 else (made,), strict=True)
        return {name: variable((*LIST, *dims), result) for (name, dims), result in given}
    new = {dim for dims in outputs.values() for dim in dims if dim == SPAN}
    sizes = {dim: 1 + len(_spans(parts["doc"].sizes[DEPTH])) for dim in new}
    found = xr.apply_ufunc(
        function,
        *parts.values(),
        kwargs={"names": tuple(parts)} | told,
        input_core_dims=[[dim for dim in part.dims if dim not in LIST] for part in parts.values()],
        output_core_dims=list(outputs.values()),
        dask="parallelized",
        output_dtypes=[parts[name].dtype if name in parts else np.int32 for name in outputs],
        dask_gufunc_kwargs={"output_sizes": sizes},
    )
    return dict(zip(outputs, found if len(outputs) > 1 else (found,), strict=True))


def _checked(
    cube: xr.Dataset, function: Any, parts: Parts, names: Iterable[str], **told: Any
) -> Parts:
    """Call a function that raises; of lazy variables return those that raise when computed."""
    outputs = {name: parts[name].dims[len(LIST) :] for name in names}
    lazy = any(part.chunks for part in parts.values())
    places = {dim: variable((dim,), np.arange(cube.sizes[dim])) for dim in LIST}
    told |= {"labels": [cube[dim].to_numpy() for dim in LIST], "kept": tuple(outputs)}
    found: Parts = _apply(function, parts | places, outputs, **told)
    return found if lazy else {}


def _check_lists(
    *arrays: Array, names: tuple[str, ...], kept: tuple[str, ...], labels: list[Array]
) -> tuple[Any, ...]:
    part = dict(zip(names, arrays, strict=True))
    found = _of_lists(*(part[name] for name in LISTED), names=LISTED)
    _refuse(
        found != part["checksum"],
        part,
        labels,
        "{} lists whose lengths, judgments or attributes changed",
    )
    return tuple(part[name] for name in kept)


def _check_ranks(
    *arrays: Array,
    names: tuple[str, ...],
    kept: tuple[str, ...],
    labels: list[Array],
    levels: Array,
    judged: Array,
    cut: bool,
) -> tuple[Any, ...]:
    part = dict(zip(names, arrays, strict=True))
    ranked = _ranked(part)
    found = _of_ranks(*(part[name] for name in ranked), names=ranked, levels=levels)
    known, spans = np.zeros_like(found), found.shape[-1]
    known[..., : part["rank_checksum"].shape[-1]] = part["rank_checksum"][..., :spans]
    known[..., 1:] *= part["took_part"][..., np.newaxis]
    wrong = found != known
    depth = part["doc"].shape[-1]
    open_ = cut & part["took_part"] & (part["retrieved"] > depth)
    if open_.any():
        begun = _spans(depth)
        if len(_spans(depth + 1)) == len(begun):
            wrong[..., -1] &= ~open_
        grade, doc = (part[name][..., begun[-1] :][open_] for name in ("grade", "doc"))
        start, count = (np.broadcast_to(part[name], open_.shape)[open_] for name in BASE)
        wrong[open_, -1] |= _strange(grade, doc, start, count, judged)
    _refuse(wrong.any(axis=-1), part, labels, "{} lists with other documents or grades")
    return tuple(part[name] for name in kept)


def _strange(
    grade: Array, doc: Array, start: Array, count: Array, judged: Array
) -> NDArray[np.bool_]:
    """Return which lists, shape (list, rank), have holes, others' documents, or one twice."""
    lost = (grade == EMPTY) | ((doc >= 0) != (grade > UNJUDGED))
    row, rank = np.nonzero(doc >= 0)
    slot = doc[row, rank]
    own = slot < count[row]
    place = start[row] + np.where(own, slot, 0)
    own &= np.append(judged, EMPTY).take(place, mode="clip") == grade[row, rank]
    others = np.bincount(row[~own], minlength=len(doc))
    ordered = np.sort(np.where(doc >= 0, doc, ~np.arange(doc.shape[1])), axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    return np.asarray(lost.any(axis=1) | twice | (others > 0))


def _refuse(
    wrong: NDArray[np.bool_], part: Mapping[str, Array], labels: list[Array], found: str
) -> None:
    """Raise for lists that are wrong, by system and topic."""
    if wrong.any():
        places = [np.broadcast_to(part[dim], wrong.shape)[wrong] for dim in LIST]
        pairs = [label[place] for label, place in zip(labels, places, strict=True)]
        offenders = [f"{system} on {topic}" for system, topic in zip(*pairs, strict=True)]
        raise InputError(WANTED, found.format(len(offenders)), ADVICE, offenders)


def _refuse_levels(cube: xr.Dataset) -> None:
    """Raise for a cube whose levels are not those of its judgments, ascending."""
    levels = cube.variables[LEVEL].to_numpy() if LEVEL in cube.coords else np.zeros(0, np.int8)
    grades = {"judged_grade", SUBTOPIC_GRADE} & cube.variables.keys()
    there = np.zeros(256, bool)
    for name in grades:
        there |= (
            np.bincount(cube.variables[name].to_numpy().ravel().view(np.uint8), minlength=256) > 0
        )
    there[np.asarray([*levels, EMPTY]).astype(np.uint8)] = False
    lacking = np.flatnonzero(there).astype(np.int8)
    if lacking.size or (np.diff(levels) <= 0).any():
        found = "levels in another order" if not lacking.size else "levels without the grades"
        raise InputError(WANTED, found, ADVICE, lacking.tolist())


def _of_lists(*arrays: Array, names: tuple[str, ...]) -> NDArray[np.int32]:
    """Return the checksum of lists of what is known of them, shape (system, topic)."""
    part = dict(zip(names, arrays, strict=True))
    total = part["of_topic"] + part["of_system"]
    for name, weight in zip(KNOWN, mixed(len(KNOWN), 1), strict=True):
        total = total + part[name].astype(np.uint64) * weight
    return (total >> np.uint64(32)).astype(np.uint32).view(np.int32)


def _of_topics(variables: Variables) -> Words:
    """Return a sum of what is known of every topic and its judged documents, in their order."""
    held = {name: variables[name].to_numpy() for name in TOPICAL if name in variables}
    start, count = held["judged_start"], held["judged_count"]
    each = np.zeros(len(held["judged_doc"]), np.uint64)
    for salt, name in enumerate(JUDGED[1:], 2):
        if name in held:
            values = numbers(np.atleast_2d(held[name].T).T)
            each += (values * mixed(values.shape[1], salt)).sum(axis=1, dtype=np.uint64)
    place = np.arange(len(each)) - np.repeat(start, count)
    weighted = each * mixed(int(count.max(initial=0)), 9)[place]
    sums = np.append(np.uint64(0), np.cumsum(weighted))
    total = sums[start + count] - sums[start] + runs_of(held["judged_doc"], start, count)
    for weight, name in zip(mixed(3, 13), TOPICAL[-3:], strict=True):
        total = total + held[name].astype(np.uint64) * weight
    return np.asarray(total, np.uint64)


def _of_ranks(*arrays: Array, names: tuple[str, ...], levels: Array) -> NDArray[np.int32]:
    """Return the checksums of lists by span, shape (system, topic, span)."""
    part = dict(zip(names, arrays, strict=True))
    shape = part["doc"].shape
    spans = _spans(shape[-1])
    found = np.zeros((*shape[:-1], 1 + len(spans)), np.uint32)
    for some in tiles(*shape):
        few = {name: array[some] for name, array in part.items()}
        found[(*some, 0)] = _below(few, levels)
        np.add.reduceat(_cells(few), spans, axis=-1, out=found[(*some, slice(1, None))])
    return found.view(np.int32)


def _cells(part: Mapping[str, Array]) -> NDArray[np.uint32]:
    """Return a number for every cell that changes with its values, 0 where there is nothing."""
    cells = np.invert(part["doc"]).view(np.uint32)
    cells <<= np.uint32(9)
    cells |= part["grade"].view(np.uint8) ^ np.uint8(-EMPTY)
    if part["tied"].any():
        cells |= part["tied"].astype(np.uint32) << np.uint32(8)
    cells *= narrow(cells.shape[-1])
    return cells


def _below(part: Mapping[str, Array], levels: Array) -> NDArray[np.uint32]:
    """Return a number for every list that changes with what is known beside its ranks."""
    by_level = narrow(256, 10)[levels.astype(np.int64) - EMPTY]
    total = (part["tail"].astype(np.uint32) * by_level).sum(axis=-1, dtype=np.uint32)
    for salt, name in ((11, "filed"), (14, "listed")):
        if name in part:
            places = np.invert(part[name]).view(np.uint32) * narrow(part[name].shape[-1], salt)
            total = total + places.sum(axis=-1, dtype=np.uint32)
    return np.asarray(total + part["tail_size"].astype(np.uint32) * narrow(1, 12)[0], np.uint32)


def _ranked(known: Iterable[Any]) -> tuple[str, ...]:
    """Return what `rank_checksum` is of, among what a cube has."""
    there = {*known}
    return tuple(name for name in RANKED if name in there)


def _spans(depth: int) -> Array:
    """Return where spans of ranks begin.

    Examples
    --------
    >>> _spans(200)
    array([  0,   1,   2,   4,   8,  16,  32,  64, 128, 192])
    """
    rising = 1 << np.arange(SPAN_LENGTH.bit_length())
    starts = np.concatenate([[0], rising[:-1], np.arange(SPAN_LENGTH, depth, SPAN_LENGTH)])
    return starts[starts < depth]
