"""What every verb does alike: the gate, groups, trees, and where its numbers come from."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any, TypeVar, overload

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.gate import read_cube
from irframe.cubes.grouping import each_group, read_groups
from irframe.cubes.layout import LIST, PARTS, PROVENANCE
from irframe.errors import InputError, IrframeError, ParameterError
from irframe.names import GRADE, RESULT, SYSTEM, TOPIC

Function = TypeVar("Function", bound=Callable[..., Any])

PAIR, SIDES = "pair", ("system_a", "system_b")
"""Dimension of pairs of systems, and the coordinates that name them."""

VERBS: dict[str, Callable[..., Any]] = {}
"""Every verb of cubes, of scores and of what they return, by name."""


@overload
def verb(function: Function) -> Function: ...
@overload
def verb(*, itself: tuple[type, ...]) -> Callable[[Function], Function]: ...
def verb(function: Function | None = None, *, itself: tuple[type, ...] = ()) -> Any:
    """Make a function of a cube, of scores or of what a verb returned a verb.

    A cube is read through the gate. A dimension of which one label was selected is one of the
    result's scalar coordinates. ``by=`` gives one result per group, labelled with the group; so
    does a DataTree for its branches. The result's attributes say how its numbers came about.

    Parameters
    ----------
    function
        Its first parameter is the object; ``by``, if it has one, it need not read.
    itself
        Of which kinds of object the function reads ``by`` itself, as its groups share something.
    """
    if function is None:
        return partial(_verb, itself=itself)
    return _verb(function, itself)


def _verb(function: Function, itself: tuple[type, ...]) -> Function:
    signature = inspect.signature(function)
    of_cubes = next(iter(signature.parameters)) == "cube"

    @wraps(function)
    def call(subject: Any, /, *arguments: Any, **options: Any) -> Any:
        bound = signature.bind(subject, *arguments, **options)
        if isinstance(subject, xr.DataTree):
            return _over_tree(call, subject, bound)
        whole = read_cube(subject) if of_cubes else _read(subject)
        by = None if isinstance(subject, itself) else bound.arguments.pop("by", None)
        scalars = [dim for dim in LIST if _is_scalar(subject, dim) and dim in whole.dims]
        if by is None:
            result = _once(function, whole, bound)
        else:
            result = join(_each(function, whole, by, bound), by, whole)
        return _stamped(_squeezed(result, scalars), function.__name__, whole)

    VERBS[function.__name__] = call
    return call  # type: ignore[return-value]


def _read(subject: Any) -> Any:
    """Return a cube through the gate; of scores and results a selected label as one of each."""
    if not isinstance(subject, xr.Dataset | xr.DataArray):
        return subject
    if isinstance(subject, xr.Dataset) and GRADE in subject:
        return read_cube(subject)
    scalars = [dim for dim in LIST if dim in subject.coords and subject[dim].ndim == 0]
    return subject.expand_dims(scalars) if scalars else subject


def _is_scalar(subject: Any, dim: str) -> bool:
    return isinstance(subject, xr.Dataset | xr.DataArray) and dim not in subject.dims


def _each(
    function: Callable[..., Any], whole: Any, by: Any, bound: inspect.BoundArguments
) -> dict[Any, Any]:
    """Return the result of every group; scores among the arguments are split alike."""
    parts = dict(groups(whole, by))
    given = dict(bound.arguments)
    others = {
        name: dict(groups(value, by))
        for name, value in list(given.items())[1:]
        if isinstance(value, pd.DataFrame | xr.DataArray)
    }
    for other in others.values():
        differing = sorted(map(str, set(parts) ^ set(other)))
        if differing:
            wanted = f"the same groups ({by}) on both sides"
            raise ParameterError(wanted, "others", "", differing)
    results = {}
    for key, part in parts.items():
        bound.arguments.update({name: other[key] for name, other in others.items()})
        with naming_group(key, by):
            results[key] = _once(function, part, bound)
    return results


@contextmanager
def naming_group(key: Any, by: str | None) -> Iterator[None]:
    """Name a group in the errors that it raises; without groups nothing."""
    try:
        yield
    except IrframeError as error:
        if by is None:
            raise
        found = f"{error.found} in the group {key} ({by})"
        raise type(error)(error.wanted, found, error.advice, error.offenders) from error


def _once(function: Callable[..., Any], subject: Any, bound: inspect.BoundArguments) -> Any:
    """Call a function on a subject, without its users' coordinates unless it asks for one."""
    names = _riders(subject)
    asks = any(bound.arguments.get(name) is not None for name in ("by", "together"))
    first = next(iter(bound.signature.parameters))
    bound.arguments[first] = subject.drop_vars(names) if names and not asks else subject
    result = function(*bound.args, **bound.kwargs)
    return _with_riders(result, subject, names) if names else result


def _riders(subject: Any) -> list[Any]:
    """Return the coordinates of systems and topics that users have put there."""
    if not isinstance(subject, xr.Dataset | xr.DataArray):
        return []
    return [
        name
        for name, coordinate in subject.coords.variables.items()
        if name not in PARTS
        and name not in subject.xindexes
        and coordinate.dims
        and {*coordinate.dims} <= {*LIST}
    ]


def _with_riders(result: Any, whole: xr.Dataset | xr.DataArray, names: list[Any]) -> Any:
    """Return a result with coordinates of its systems and topics, its own names before them."""
    if not isinstance(result, xr.Dataset | xr.DataArray):
        return result
    taken = {*result.coords, *(result if isinstance(result, xr.Dataset) else ())}
    fitting = [
        name
        for name in names
        if name not in taken and {*whole[name].dims} <= {*result.dims} & {*result.coords}
    ]
    if not fitting:
        return result
    labels: dict[Any, Any] = {
        dim: result[dim] for dim in LIST if dim in result.coords and dim in whole.dims
    }
    riders = {name: whole[name] for name in fitting}
    return result.assign_coords(
        {
            name: (rider.dims, rider.sel({d: labels[d] for d in rider.dims}).to_numpy())
            for name, rider in riders.items()
        }
    )


def _over_tree(call: Callable[..., Any], tree: xr.DataTree, bound: inspect.BoundArguments) -> Any:
    """Return the results of the branches: a tree of arrays, or a frame with the group."""
    name = tree.name or "group"
    results = {key: _once(call, part, bound) for key, part in branches(tree).items()}
    if not all(isinstance(result, xr.Dataset | xr.DataArray) for result in results.values()):
        return join(results, name, tree)
    nodes = {
        key: result if isinstance(result, xr.Dataset) else result.to_dataset(name=_name(result))
        for key, result in results.items()
    }
    return xr.DataTree.from_dict(nodes, name=tree.name)


def branches(tree: xr.DataTree) -> dict[str, xr.Dataset | xr.DataArray]:
    """Return the cubes, results or arrays of a tree by their paths."""
    found: dict[str, xr.Dataset | xr.DataArray] = {}
    for node in tree.subtree:
        if node.has_data:
            data = node.to_dataset()
            key = node.relative_to(tree) if node is not tree else ""
            lone = len(data.data_vars) == 1 and RESULT in next(iter(data.data_vars.values())).attrs
            found[key] = next(iter(data.data_vars.values())) if lone else data
    if not found:
        raise InputError("a tree of cubes or of what verbs returned", "an empty one")
    return found


def _name(result: xr.DataArray) -> str:
    return str(result.name or result.attrs.get(RESULT, "value"))


def groups(subject: Any, by: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the groups of a cube, of scores or of a result: the group's name and its part.

    Without a group, everything is one, which has no name.

    Raises
    ------
    ParameterError
        If there is no such group, or a label has none.
    """
    if by is None:
        yield None, subject
    elif isinstance(subject, pd.DataFrame):
        yield from _frame_groups(subject, by)
    elif isinstance(subject, xr.Dataset) and GRADE in subject:
        yield from each_group(subject, by)
    elif isinstance(subject, xr.Dataset | xr.DataArray):
        yield from _labelled_groups(subject, by)
    else:
        raise InputError("something with groups", type(subject).__name__)


def _frame_groups(frame: pd.DataFrame, by: Any) -> Iterator[tuple[Any, pd.DataFrame]]:
    known = [name for name in (*frame.index.names, *frame.columns) if name is not None]
    if isinstance(by, list | dict) or by not in known:
        wanted = "by to be an index level or a column"
        raise ParameterError(wanted, repr(by), "", map(str, known))
    keys = frame[by] if by in frame.columns else frame.index.get_level_values(by)
    missing = np.flatnonzero(pd.isna(keys))
    if len(missing):
        rows = [str(label) for label in frame.index[missing]]
        raise ParameterError(f"a group ({by}) in every row", f"none in {len(rows)}", "", rows)
    for key, part in frame.groupby(by, sort=False, observed=True):
        inside = part.drop(columns=by) if by in part.columns else part.droplevel(by)
        inside.attrs = dict(frame.attrs)
        yield key, inside


def _labelled_groups(
    labelled: xr.Dataset | xr.DataArray, by: Any
) -> Iterator[tuple[Any, xr.Dataset | xr.DataArray]]:
    dim, keys = read_groups(labelled, by)
    across = SYSTEM if dim == TOPIC else TOPIC
    there = _there(labelled)
    for key in pd.unique(keys):
        inside = np.flatnonzero(keys == key)
        part = labelled.isel({dim: inside})
        if there is not None:
            own = there.isel({dim: inside}).any(dim).to_numpy()
            part = part.isel({across: np.flatnonzero(own)})
        yield key, part


def _there(labelled: xr.Dataset | xr.DataArray) -> xr.DataArray | None:
    """Return which systems have a list on which topics, as far as this can be told."""
    if not {*LIST} <= {*labelled.dims}:
        return None
    if "retrieved" in labelled.coords:
        return labelled["retrieved"] > 0
    if isinstance(labelled, xr.DataArray):
        others = [dim for dim in labelled.dims if dim not in LIST]
        return labelled.notnull().any(others)
    return None


def join(results: Mapping[Any, Any], by: str, whole: Any) -> Any:
    """Put the results of groups together, labelled with the group.

    Parameters
    ----------
    results
        Group -> result.
    by
        What the groups are called.
    whole
        What the groups are parts of.

    Returns
    -------
    object
        Of frames one frame, the group its first column or index level; of arrays one array, the
        group its first dimension; of cubes a DataTree.
    """
    first = next(iter(results.values()))
    if isinstance(first, pd.DataFrame | pd.Series):
        return join_frames(results, by)
    if isinstance(first, xr.Dataset) and GRADE in first:
        return xr.DataTree.from_dict({str(key): part for key, part in results.items()}, name=by)
    if not isinstance(first, xr.Dataset | xr.DataArray):
        return type(first).join(results, by)
    bare: list[Any] = [_bare(part) for part in results.values()]
    joined = xr.concat(bare, dim=pd.Index(list(results), name=by), join="outer")
    if not {*SIDES} <= {*first.xindexes} and {*SIDES} <= {*joined.xindexes}:
        joined = joined.reset_index(PAIR)
    if not isinstance(whole, xr.Dataset | xr.DataArray):
        return joined
    dims = [dim for dim in LIST if dim in joined.dims and dim in whole.dims]
    order = {dim: whole[dim].to_numpy() for dim in dims}
    joined = joined.sel(
        {dim: labels[np.isin(labels, joined[dim])] for dim, labels in order.items()}
    )
    return _with_riders(joined, whole, _riders(whole))


def _bare(part: xr.Dataset | xr.DataArray) -> xr.Dataset | xr.DataArray:
    """Return a result without coordinates that label nothing, pairs by their systems."""
    if PAIR in part.dims and PAIR not in part.xindexes:
        part = part.set_index({PAIR: SIDES})
    return part.drop_vars([name for name in part.coords if name not in part.xindexes])


def join_frames(results: Mapping[Any, Any], by: str) -> pd.DataFrame:
    """Put frames of groups together, the group the first column, or the first index level."""
    frames = [part.copy(deep=False) for part in results.values()]
    for frame in frames:
        frame.attrs = {}
    first = frames[0]
    if not (isinstance(first.index, pd.RangeIndex) and first.index.name is None):
        return pd.DataFrame(pd.concat(dict(zip(results, frames, strict=True)), names=[by]))
    for key, frame in zip(results, frames, strict=True):
        frame.insert(0, by, key)
    return pd.DataFrame(pd.concat(frames, ignore_index=True))


def _squeezed(result: Any, scalars: list[str]) -> Any:
    if not scalars or not isinstance(result, xr.Dataset | xr.DataArray):
        return result
    return result.isel({dim: 0 for dim in scalars if result.sizes.get(dim) == 1})


def _stamped(result: Any, name: str, whole: Any) -> Any:
    """Say in a result's attributes which verb made it, and from what."""
    if isinstance(result, xr.Dataset) and GRADE in result:
        return result
    if hasattr(result, "attrs"):
        result.attrs = {**provenance(whole), **result.attrs, RESULT: name}
    return result


def provenance(whole: Any) -> dict[Any, Any]:
    """Return what decided the numbers of a cube, of scores or of a result."""
    attributes = getattr(whole, "attrs", {})
    found = {name: attributes[name] for name in PROVENANCE if name in attributes}
    for name in ("top", "pool_depth"):
        if name in attributes:
            found[name] = attributes[name]
        elif isinstance(whole, xr.Dataset) and name in whole.coords and whole[name].size:
            values = np.unique(whole[name].to_numpy()).tolist()
            found[name] = values[0] if len(values) == 1 else values
    return found
