"""Groups of systems or of topics."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import one_column, refuse_any
from irframe.errors import ParameterError, listing, warn
from irframe.experiments.coded_tables import QrelsTable, RunTable, row_slices
from irframe.experiments.spans import borders
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs
from irframe.files.scan_runs import ScannedRuns
from irframe.frames.ids import Codes
from irframe.names import GROUP, ITERATION, SET, SUBTOPIC, SYSTEM, TOPIC, roles

# fmt: off
RESERVED = frozenset((
    "Q0", "contributing", "depth", "doc", "grade", "iter", "judged", "level", "metric",
    "pool_depth", "probability", "retrieved", "stratum", "subtopic", "system_code", "tied",
    "took_part", "top", "topic_code", "unjudged",
))
# fmt: on
"""Names that group columns cannot have, because cubes or file formats use these names."""

OWN_NAME = "an unused name for the groups"
"""Description of the expected value, for errors about an invalid name of the group column."""

GroupBy = str | Mapping[Any, Any] | pd.Series
"""The name of a group column, or a mapping from topics or systems to groups."""


def given_groups(
    by: Mapping[Hashable, object] | pd.Series,
    labels: Mapping[str, Iterable[Hashable]],
    used_names: Iterable[Hashable],
) -> tuple[str, str, pd.Series]:
    """Return the name, dimension and groups of a group mapping.

    Parameters
    ----------
    by
        A mapping from topics to groups, or from systems to groups.
    labels
        A mapping from the dimensions "topic" and "system" to their labels.
    used_names
        Names that groups cannot have, in addition to `RESERVED`.

    Raises
    ------
    ParameterError
        If the keys of `by` match neither topics nor systems, or match both topics and systems. If
        a topic or system has no group or several groups. If the name of the groups is in
        `RESERVED` or `used_names`.

    Examples
    --------
    >>> name, dim, groups = given_groups({"1": "short", "2": "long"}, {"topic": ["2", "1"]}, ())
    >>> name, dim, groups.to_dict()
    ('group', 'topic', {'2': 'long', '1': 'short'})
    """
    name = getattr(by, "name", None) or GROUP
    if name in {*used_names} | RESERVED:
        advice = "choose another name: pd.Series(by, name='part')"
        raise ParameterError(OWN_NAME, repr(name), advice)
    keys = pd.Index([*by.keys()])
    repeated = keys[keys.duplicated()].unique()
    refuse_any(ParameterError, repeated, "one group for every key", "repeated keys")
    dims = [dim for dim, names in labels.items() if keys.isin([*names]).any()]
    if len(dims) != 1:
        expected = f"by to be a mapping of {' or of '.join(f'{dim}s' for dim in labels)}"
        got = "keys that match both" if dims else "keys that match none of them"
        advice = "name a column or coordinate instead" if dims else ""
        raise ParameterError(expected, got, advice, keys)
    names_of_dim = pd.Index([*labels[dims[0]]])
    group_of = pd.Series([*by.values] if isinstance(by, pd.Series) else [*by.values()], keys)
    groups = group_of.astype(object).reindex(names_of_dim)
    refuse_missing(name, dims[0], groups.to_numpy(), names_of_dim)
    return name, dims[0], groups.infer_objects()


def with_given_groups(runs: Runs, qrels: Qrels, by: Any) -> tuple[Runs, Qrels, Any]:
    """Add a group mapping as a column of the frames.

    A column name is returned unchanged.
    """
    if not isinstance(by, Mapping | pd.Series):
        return runs, qrels, by
    qrels = as_qrels(qrels)
    frames = {TOPIC: qrels}
    judged = qrels[roles(qrels.columns)[TOPIC]].unique()
    if isinstance(runs, pd.DataFrame) or not pd.Index([*by.keys()]).isin(judged).any():
        frame = runs.readable().frame() if isinstance(runs, ScannedRuns) else as_runs(runs)
        frames[SYSTEM] = runs = frame
    named = {dim: roles(frame.columns).get(dim) for dim, frame in frames.items()}
    labels = {dim: frames[dim][name].unique() for dim, name in named.items() if name is not None}
    if (name := getattr(by, "name", None)) in qrels.columns:
        topics = qrels[named[TOPIC]].map(by)
        if topics.equals(qrels[name]):  # the qrels already contain this mapping as a column
            return frames.get(SYSTEM, runs), qrels, name
    columns = {column for frame in frames.values() for column in frame.columns}
    name, dim, groups = given_groups(by, labels, columns)
    frame = frames[dim]
    frames[dim] = frame.assign(**{name: groups.reindex(frame[named[dim]]).to_numpy()})
    return frames.get(SYSTEM, runs), frames[TOPIC], name


class Groups(NamedTuple):
    """Groups of systems or topics."""

    by: str
    """The name of the column with the groups."""
    dim: str
    """The grouped dimension, "system" or "topic"."""
    keys: Array
    """The group of each system or topic."""

    @classmethod
    def read(
        cls, table: RunTable, qrels: QrelsTable, placed: Codes, codes: Codes, by: str
    ) -> "Groups":
        """Read groups from a column of the runs or qrels.

        All parameters except the name of the column are described in `constant_columns`.

        Raises
        ------
        ParameterError
            If the column does not exist, or varies within both systems and topics. If a system or
            topic has no group.
        """
        constant = constant_columns(table, qrels, placed, codes)
        if by not in constant:
            if by not in {SYSTEM, TOPIC}:
                for frame in (table.frame, qrels.frame):
                    refuse_rows(frame, by)
            refuse_unknown(by, constant)
        dim, keys = constant[by]
        labels = table.systems if dim == SYSTEM else qrels.topics[codes]
        refuse_missing(by, dim, keys, labels)
        return cls(by, dim, keys)

    def members(
        self,
        systems: pd.Index,
        took_part: NDArray[np.bool_],
        listed: NDArray[np.bool_],
        *,
        stated: bool,
    ) -> dict[Hashable, tuple[Codes, Codes]]:
        """Return the systems and topics of each group.

        Parameters
        ----------
        systems
            The names of the systems.
        took_part
            Whether each system took part in each topic, shape (system, topic).
        listed
            Whether each system has a list for each topic, shape (system, topic).
        stated
            Whether collections decide which systems take part. If `stated` is False, systems
            without a list for any topic of a group are left out of this group.

        Returns
        -------
        dict
            Mapping from group to a tuple: the positions of its systems, and the positions of its
            topics.

        Warns
        -----
        IrframeWarning
            If systems are left out of a group because they have no list for its topics.
        """
        codes, labels = pd.factorize(self.keys)
        of_topics = self.dim == TOPIC
        participated, participating = (
            mask.T if of_topics else mask for mask in (took_part, listed)
        )
        taking_part = participants(grouped(participated, codes, len(labels)))
        inside = [np.flatnonzero(codes == code) for code in range(len(labels))]
        if of_topics and not stated:
            # A system without a list in any group is not left out, but scores 0.
            elsewhere = participating.any(axis=0)
            absent = taking_part & ~grouped(participating, codes, len(labels)) & elsewhere
            without = {key: systems[row] for key, row in zip(labels, absent, strict=True)}
            warn_without_rows(self.by, without)
            taking_part &= ~absent
        members = [np.flatnonzero(row) for row in taking_part]
        sides = (members, inside) if of_topics else (inside, members)
        return dict(zip(labels, zip(*sides, strict=True), strict=True))


def constant_columns(
    table: RunTable, qrels: QrelsTable, placed: Codes, codes: Codes
) -> dict[str, tuple[str, Array]]:
    """Return columns that are constant per topic or per system.

    Parameters
    ----------
    table, qrels
        The runs and judgments, with coded ids.
    placed
        For each topic of the runs, its code in the qrels, or -1 if the topic is not judged.
    codes
        The codes in the qrels of the selected topics.

    Returns
    -------
    dict
        Mapping from the name of a column to a tuple (dimension, values). The dimension of a column
        of the runs is "topic" if the column has one value per topic, and "system" if it has one
        value per system. If the column has one value per topic and one value per system, the
        dimension is "system" if all topics have the same value, and "topic" otherwise.
    """
    columns: dict[str, tuple[str, pd.Series]] = {}
    for name in _extra(table.frame):
        column = table.frame[name]
        by_topic = _constant(column, table.topic, len(table.topics))
        by_system = _constant(column, table.system, len(table.systems))
        if by_topic is not None and (by_system is None or not by_topic.duplicated()[1:].all()):
            judged = pd.Series(by_topic.to_numpy(), index=placed)
            columns[name] = TOPIC, judged[judged.index >= 0].reindex(codes)
        elif by_system is not None:
            columns[name] = SYSTEM, by_system
    for name in _extra(qrels.frame):
        values = _constant(qrels.frame[name], qrels.topic, len(qrels.topics))
        if values is not None:
            columns[name] = (TOPIC, values.take(codes))
    return {
        name: (dim, np.asarray(v if isinstance(v.dtype, np.dtype) else v.astype(object)))
        for name, (dim, v) in columns.items()
    }


def warn_without_rows(by: str, absent: Mapping[Hashable, Iterable[object]]) -> None:
    """Warn of systems without rows in a group.

    Parameters
    ----------
    by
        The column with the groups.
    absent
        Mapping from group to the systems without rows in this group.
    """
    lacking = [f"{key} ({listing(names)})" for key, names in absent.items() if [*names]]
    if lacking:
        warn(
            f"systems without rows in a group of {by} are left out of this group: "
            f"{'; '.join(lacking)}; pass collection={by!r} if these systems did not take part"
        )


def grouped(participated: NDArray[np.bool_], codes: Codes, groups: int) -> NDArray[np.bool_]:
    """Return whether each group contains any participating label.

    Parameters
    ----------
    participated
        Whether each label takes part, shape (label, ...).
    codes
        The group of each label.
    groups
        The number of groups.

    Examples
    --------
    >>> grouped(np.array([[True, False], [False, False]]), np.array([1, 0]), 2).tolist()
    [[False, False], [True, False]]
    """
    participating = np.zeros((groups, *participated.shape[1:]), bool)
    np.logical_or.at(participating, codes, participated)
    return participating


def participants(participated: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which labels take part in each group.

    Parameters
    ----------
    participated
        Whether each label has a score or a list in each group, shape (group, label). A label
        that is absent from all groups takes part in every group. If a group has no scores and no
        lists, all labels take part in this group.

    Returns
    -------
    numpy.ndarray
        Whether each label takes part in each group, shape (group, label).

    Examples
    --------
    >>> participants(np.array([[True, False, False], [True, True, False]])).tolist()
    [[True, False, True], [True, True, True]]
    """
    return np.asarray(
        participated | ~participated.any(axis=0) | ~participated.any(axis=1, keepdims=True)
    )


def refuse_several(by: object, topics: Iterable[object]) -> None:
    """Raise an error that lists topics with several groups."""
    repeated = [*topics]
    expected = f"the group column {by!r} to have one value per topic or one value per system"
    advice = "give different topics different ids"
    raise ParameterError(expected, f"several values for {len(repeated)} topics", advice, repeated)


def refuse_unknown(by: object, coords: Iterable[str]) -> None:
    """Raise for an unknown group column; list the valid names."""
    one_column("by", by)
    names = [*coords]
    got = f"{by!r}; the coordinates are" if names else f"{by!r}, and there are no coordinates"
    raise ParameterError("by to be a coordinate of systems or topics", got, "", names)


def refuse_missing(by: object, dim: str, keys: Array, labels: pd.Index | Array) -> None:
    """Raise if systems or topics have no group."""
    expected = f"a group ({by}) for every {dim}"
    advice = "add the missing groups, or drop these rows"
    refuse_any(ParameterError, labels[pd.isna(keys)], expected, "none for {}", advice)


def refuse_rows(frame: pd.DataFrame, by: Hashable) -> None:
    """Raise if a group column varies within topics."""
    topic = roles(frame.columns).get(TOPIC)
    if by not in frame.columns or topic is None:
        return
    refuse_name(frame, by)
    pairs = frame[[topic, by]].drop_duplicates()[topic]
    if pairs.duplicated().any():
        refuse_several(by, pairs[pairs.duplicated()].unique())


def refuse_name(frame: pd.DataFrame, by: Hashable) -> None:
    """Raise for reserved names of groups and floating-point groups."""
    if by in RESERVED:
        advice = f"rename the column: frame.rename(columns={{{by!r}: 'part'}})"
        raise ParameterError(OWN_NAME, repr(by), advice)
    if pd.api.types.is_float_dtype(frame[by]):
        got = f"floating-point numbers in {by!r}"
        advice = "convert them to text or whole numbers"
        raise ParameterError("groups that are text or whole numbers", got, advice)


def share_names(qrels: pd.DataFrame, by: str) -> bool:
    """Return whether a topic name occurs in several groups."""
    one_column("by", by)
    topic = roles(qrels.columns).get(TOPIC)
    if by not in qrels.columns or topic is None or by == topic:
        return False
    return len(qrels[[topic, by]].drop_duplicates()) > qrels[topic].nunique()


def _extra(frame: pd.DataFrame) -> list[str]:
    """Return the columns of a frame that can contain groups."""
    columns = roles(frame.columns)
    # Qrels no longer have a subtopic column at this point, and in runs this column has no special
    # meaning.
    columns.pop(SUBTOPIC, None)
    of_spans = borders(frame.columns)
    with_role = {*columns.values(), *RESERVED, ITERATION}
    with_role |= {*of_spans.values(), SET} if of_spans else set()
    once = frame.columns[~frame.columns.duplicated(keep=False)]
    without_role = [name for name in once if isinstance(name, str) and name not in with_role]
    return [name for name in without_role if not pd.api.types.is_float_dtype(frame[name].dtype)]


def _constant(column: pd.Series, codes: Codes, groups: int) -> pd.Series | None:
    """Return the value of each group; None if values vary.

    Parameters
    ----------
    column
        A value per row.
    codes
        The group of each row.
    groups
        The number of groups.
    """
    slices = row_slices(len(codes))
    first = np.full(groups, -1)
    # NumPy keeps the last of several values that are assigned to an element. Rows are assigned in
    # reverse order, so that the first row of each group is kept.
    for rows in reversed(slices):
        first[codes[rows][::-1]] = np.arange(rows.start, rows.stop)[::-1]
    if (first < 0).any():
        return None
    values = column.iloc[first].reset_index(drop=True)
    for rows in slices:
        block = column.iloc[rows]
        expected = values.take(codes[rows]).set_axis(block.index)
        if not ((block == expected) | (block.isna() & expected.isna())).all():
            return None
    return values
