"""Collections in the arguments of verbs: ``by="collection"``, and `rel` for some of them."""

import inspect
from collections.abc import Mapping
from typing import Any

import pandas as pd
import xarray as xr

from irframe.experiments.group_columns import Thresholds
from irframe.names import TOPIC, TOPICS_OF, roles

COLLECTION = "collection"


def settle_collection(bound: inspect.BoundArguments) -> None:
    """Put the column that told collections apart in place of the word, if that is no column itself.

    Parameters
    ----------
    bound
        Arguments of a verb, the first of them its subject. Frames of scores get the column.
    """
    subject = next(iter(bound.arguments.values()))
    by = getattr(subject, "attrs", {}).get(COLLECTION)
    if bound.arguments.get("by") != COLLECTION or by is None or COLLECTION in _names(subject):
        return
    known = {id(value): _with_column(value, by) for value in bound.arguments.values()}
    settled = {name: known[id(value)] for name, value in bound.arguments.items()}
    bound.arguments.update(settled | {"by": by})


def refuse_collections(bound: inspect.BoundArguments) -> None:
    """Raise if `rel` is given for collections that neither a cube nor a tree of cubes has."""
    subject, rel = next(iter(bound.arguments.values())), bound.arguments.get("rel")
    if not isinstance(rel, Mapping):
        return
    nodes: Any = subject.subtree if isinstance(subject, xr.DataTree) else [subject]
    known = [
        label
        for node in nodes
        if (name := node.attrs.get(COLLECTION)) in node.coords
        for label in pd.unique(node[name].to_numpy().ravel())
    ]
    if known:
        Thresholds(rel, ()).refuse_unknown(known)


def _names(subject: Any) -> list[Any]:
    if isinstance(subject, pd.DataFrame):
        return [*subject.index.names, *subject.columns]
    return list(subject.coords) if isinstance(subject, xr.Dataset | xr.DataArray) else []


def _with_column(value: Any, by: str) -> Any:
    """Return a frame of scores with the collection of every row, anything else as it is."""
    names = _names(value)
    if not isinstance(value, pd.DataFrame) or by in names or TOPICS_OF not in value.attrs:
        return value
    topic: Any = roles([name for name in names if name is not None])[TOPIC]
    of = {one: label for label, topics in value.attrs[TOPICS_OF] for one in topics}
    topics = value[topic] if topic in value.columns else value.index.get_level_values(topic)
    return value.assign(**{by: topics.map(of).to_numpy()})
