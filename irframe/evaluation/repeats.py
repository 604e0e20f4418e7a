"""Repeated runs of systems, scored as one system per repeat.

A repeat is one of several runs of the same system, for example with another seed. A run frame has
repeats if a column, such as ``seed``, distinguishes several lists of one system and topic. A
dictionary with repeats has the form ``{system: {repeat: run}}``. `fold` makes every repeat a
separate system with a name such as ``dpr [seed 2]``. `Folded` maps these names back to systems and
repeats.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from irframe import names as words
from irframe.checks import choice, refuse_equal_names
from irframe.errors import IdError, ParameterError, warn
from irframe.experiments.choices import Contributing
from irframe.experiments.lists import LACKING, UNLISTED
from irframe.files import as_runs as foreign
from irframe.files.answers import unpacked
from irframe.files.read_runs import named_groups, with_names
from irframe.files.scan_runs import ScannedRuns
from irframe.files.sources import stem
from irframe.frames.kinds import RUN
from irframe.frames.likeness import repeat_candidates, repeat_column
from irframe.frames.tables import collected, columns_of, height, is_dictionary, is_mteb

LAYOUT_WORDS = {
    "system": "drawn for each system, such as the training seeds of a model",
    "shared": "drawn once for all systems, such as passes of a judge or shards of documents",
    "topic": "drawn within each topic, such as variations of a query or sampled answers",
}
"""Mapping from each layout of repeats to its description in messages."""


class Folded(NamedTuple):
    """Runs with one system per repeat."""

    runs: Any
    repeat: str | None
    """The column of repeats, such as "seed". None if there are no repeats."""
    owners: Mapping[Any, tuple[Hashable, Hashable]]
    """Mapping from the name of each repeat, such as "dpr [seed 2]", to its system and its label."""
    role: Hashable = words.SYSTEM
    """The column of systems."""
    types: tuple[Any, Any] = (None, None)
    """The dtypes of the columns of systems and of repeats."""

    @property
    def lists(self) -> pd.MultiIndex:
        """The pairs of repeat and topic that have a list."""
        if isinstance(self.runs, ScannedRuns):
            blocks = [_lists_of(frame, words.SYSTEM) for frame in self.runs.readable().frames()]
            return blocks[0].append(blocks[1:])
        # A frame may contain labels of nuggets instead of runs, which `as_runs` would refuse.
        framed = isinstance(self.runs, pd.DataFrame)
        runs = self.runs if framed else foreign.as_runs(foreign.split_empty(self.runs)[0])
        return _lists_of(runs, self.role)

    def contributing(self, systems: Contributing) -> Contributing:
        """Replace each contributing system by its repeats."""
        if self.repeat is None or systems is None or isinstance(systems, str):
            return systems
        expected = set(systems)
        repeated_systems = {system for system, _ in self.owners.values()}
        names = [name for name, (system, _) in self.owners.items() if system in expected]
        # other names are kept, so that the check of contributing systems reports unknown names
        return [*names, *(system for system in systems if system not in repeated_systems)]

    def refuse_others(self, of_judgments: str) -> None:
        """Raise if both judgments and systems are repeated."""
        if self.repeat is not None:
            expected = "repeats of systems, or repeats of judgments"
            advice = f"average over {self.repeat} or {of_judgments} first"
            raise ParameterError(expected, f"both: {self.repeat}, {of_judgments}", advice)

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes of a score frame that describe its repeats."""
        if self.repeat is None:
            return {}
        inside = {words.REPEATS: "topic"} if self.repeat in words.REPEATS_IN_TOPICS else {}
        return {words.REPEATED: self.repeat} | inside

    def unfold(self, table: pd.DataFrame) -> pd.DataFrame:
        """Replace names of repeats in scores by systems and repeats."""
        attrs = self.attributes
        if self.repeat is None:
            return table
        names = list(table.index.names)
        pos = names.index(self.role if self.role in names else words.SYSTEM)
        # seeds and other repeats of a system cover all topics, so a missing list counts as empty
        if self.repeat not in words.OWN_REPEATS:
            table = self._inside(table, pos)
        index: Any = table.index
        # names are looked up once per level value, not once per row
        labels = index.levels[pos]
        codes = index.codes[pos]
        sides = zip(*(self.owners[name] for name in labels), strict=True)
        both = [pd.Index(s, dtype=dtype) for s, dtype in zip(sides, self.types, strict=True)]
        levels = [index.get_level_values(n) for n in range(len(names))]
        levels[pos : pos + 1] = [side.take(codes) for side in both]
        names[pos + 1 : pos + 1] = [self.repeat]
        result = table.set_axis(pd.MultiIndex.from_arrays(levels, names=names))
        result.attrs = dict(table.attrs) | dict(attrs)
        # A system is reported for having no judged document only if none of its repeats has one.
        if unknown := {*result.attrs.pop(words.UNKNOWN, ())}:
            with_judged = {
                str(system) for name, (system, _) in self.owners.items() if str(name) not in unknown
            }
            every = {str(system) for system, _ in self.owners.values()}
            result.attrs |= (
                {words.UNKNOWN: sorted(every - with_judged)} if every - with_judged else {}
            )
        return result

    def _inside(self, table: pd.DataFrame, pos: int) -> pd.DataFrame:
        """Drop the scores of repeats without a list.

        If a system has no list for a topic in any repeat, its lists count as empty in all repeats.
        """
        names, topics = (table.index.get_level_values(n) for n in (pos, table.index.nlevels - 1))
        listed = pd.MultiIndex.from_arrays([names, topics]).isin(self.lists)
        systems = [self.owners[name][0] for name in names]
        has_any = (
            pd.Series(listed).groupby([systems, topics.to_numpy()]).transform("any").to_numpy()
        )
        inside = self.repeat in words.REPEATS_IN_TOPICS
        # Only the name of the column shows whether missing lists are empty or do not exist.
        if not inside and (has_any & ~listed).any():
            expected = f"a list of each {self.repeat} for every topic of its system"
            advice = (
                f"rename the column {self.repeat!r} to 'repeat' if missing lists are empty, or to "
                "'variation' if topics have different numbers of repeats"
            )
            got = f"{(has_any & ~listed).sum()} missing lists"
            raise ParameterError(expected, got, advice)
        lacking = len(pd.MultiIndex.from_arrays([systems, topics])[~has_any].unique())
        if lacking and inside:
            warn(f"{LACKING}: {lacking} of topics for which a system has no {self.repeat}")
        result = pd.DataFrame(table[listed | ~has_any])
        result.attrs = dict(table.attrs)
        return result


def not_lacking(repeat: object, no_rel: object) -> tuple[str, ...]:
    """Return the first words of warnings that are not issued."""
    if no_rel == "silence":
        return LACKING, UNLISTED
    return (LACKING,) if repeat in words.REPEATS_IN_TOPICS else ()


def _lists_of(frame: pd.DataFrame, role: Hashable) -> pd.MultiIndex:
    """Return the pairs of system and topic in runs."""
    pairs = frame[[role, words.roles(frame.columns)[words.TOPIC]]].drop_duplicates()
    return pd.MultiIndex.from_frame(pairs)


def checked_layout(repeats: words.Layout | None) -> words.Layout | None:
    """Validate the layout of repeats.

    Examples
    --------
    >>> checked_layout("shared")
    'shared'
    """
    return repeats if repeats is None else choice("repeats", repeats, words.LAYOUTS)


def layout_of(attributes: Mapping[Hashable, Any], column: str) -> words.Layout:
    """Return the declared layout of repeats, or the usual layout.

    Raises
    ------
    ParameterError
        If the layout is neither declared in the attributes nor known from the name of the column.

    Examples
    --------
    >>> layout_of({}, "seed"), layout_of({"repeats": "topic"}, "seed")
    ('system', 'topic')
    """
    declared = attributes.get(words.REPEATS)
    if declared is not None:
        return choice("repeats", declared, words.LAYOUTS)
    if column in words.OWN_REPEATS or column == words.SHARD:
        return "shared" if column == words.SHARD else "system"
    if column in words.REPEATS_IN_TOPICS:
        return "topic"
    choices = [f"{name!r}: {meaning}" for name, meaning in LAYOUT_WORDS.items()]
    advice = "choose one: scores.ireval.design(repeats=...)"
    expected = f"a declaration of how the values of {column!r} were drawn"
    got = "none of the choices"
    raise ParameterError(expected, got, advice, choices)


def fold(runs: object, search: str | None = None) -> Folded:
    """Return runs with one system per repeat.

    Parameters
    ----------
    runs
        Any object that `as_runs` converts, or ``{system: {repeat: run}}``.
    search
        The column that numbers searches. Lists of different searches are not repeats.

    Returns
    -------
    Folded
        Runs with one system per repeat. Runs without repeats are unchanged.

    Raises
    ------
    IdError
        If a system has several repeats, and some of its rows have no label of a repeat. If the
        names of two repeats are equal as text.

    Examples
    --------
    >>> folded = fold({"dpr": {1: {"q": {"d": 0.5}}, 2: {"q": {"d": 0.7}}}})
    >>> list(folded.runs), folded.owners["dpr [repeat 2]"]
    (['dpr [repeat 1]', 'dpr [repeat 2]'], ('dpr', 2))
    """
    runs = runs if isinstance(runs, pd.DataFrame) else unpacked(collected(runs))
    nothing = Folded(runs, None, {})
    if isinstance(runs, ScannedRuns):
        return nothing if runs.repeat is None else _of_files(runs)
    if is_dictionary(runs):
        several = _repeated(runs)
        pairs = [(s, r) for s, repeats in several.items() for r in repeats]
        owners = _owners(words.REPEAT, pairs)
        named = {name: several[s][r] for name, (s, r) in owners.items()}
        return Folded(named, words.REPEAT, owners) if several else nothing
    if not repeat_candidates(_names(runs)):
        return nothing
    frame, columns = foreign.by_role(runs, RUN, search)
    roles = {**columns, **({} if search is None else {words.SEARCH: search})}
    return fold_rows(frame, roles, (words.SYSTEM, words.TOPIC, words.DOC, words.SEARCH))


def fold_rows(
    frame: pd.DataFrame, columns: Mapping[str, Hashable], row_key: Iterable[str]
) -> Folded:
    """Return a frame with one system per repeat.

    Parameters
    ----------
    frame
        Runs, or labels of nuggets.
    columns
        Mapping from role to the name of a column of `frame`.
    row_key
        Roles of the columns that together identify a row if there are no repeats.

    Examples
    --------
    >>> rows = pd.DataFrame({"system": "a", "topic": ["1", "1"], "seed": [1, 2]})
    >>> fold_rows(rows, {"system": "system", "topic": "topic"}, ["system", "topic"]).runs
             system topic
    0  a [seed 1]     1
    1  a [seed 2]     1
    """
    keys = [columns[role] for role in row_key if role in columns]
    # Shards divide the documents of one run, so they are not repeats of a run.
    column = repeat_column(frame.drop(columns=words.SHARD, errors="ignore"), keys)
    if column is None:
        return Folded(frame, None, {})
    return _folded(frame, column, columns.get(words.SYSTEM))


def _names(runs: object) -> Iterable[Hashable]:
    if isinstance(runs, pd.DataFrame):
        return [*runs.columns, *runs.index.names]
    table = columns_of(runs) if hasattr(runs, "__arrow_c_stream__") else None
    return () if table is None else table.columns


def _of_files(runs: ScannedRuns) -> Folded:
    """Return files with names such as ``dpr [seed 2]``."""
    names = pd.Series([stem(file) for file in runs.files]).unique()
    frame = with_names(pd.DataFrame({words.SYSTEM: names}), named_groups(runs.repeat))
    folded = _folded(frame, words.REPEAT, words.SYSTEM)
    labels = dict(zip(names, folded.runs[words.SYSTEM], strict=True))
    return folded._replace(runs=replace(runs, labels=labels))


def _repeated(runs: Mapping[Hashable, object]) -> Mapping[Hashable, Mapping[Hashable, object]]:
    """Return ``{system: {repeat: run}}``; empty if nothing is repeated.

    A system with a single run gets the label of the first repeat of another system.
    """
    nested = [repeats for repeats in runs.values() if isinstance(repeats, Mapping)]
    if not nested or is_mteb(runs) or any(map(is_mteb, nested)):
        return {}
    several = {
        name: repeats
        for name, repeats in runs.items()
        if isinstance(repeats, Mapping)
        and repeats
        and all(isinstance(run, pd.DataFrame) or height(run) == 2 for run in repeats.values())
    }
    if not several:
        return {}
    label = next(iter(next(iter(several.values()))))
    return {name: several.get(name, {label: repeats}) for name, repeats in runs.items()}


def _folded(frame: pd.DataFrame, column: str, system: Hashable) -> Folded:
    """Return a frame with names such as ``dpr [seed 2]``."""
    role = words.SYSTEM if system is None else system
    systems = pd.Series(foreign.ONLY_SYSTEM, frame.index) if system is None else frame[system]
    repeats = with_labels(systems, frame[column])
    codes, pairs = pd.factorize(pd.MultiIndex.from_arrays([systems, repeats]))
    owners = _owners(column, pairs)
    folded = frame.drop(columns=[column, *([] if system is None else [system])])
    folded.insert(0, role, pd.Index(owners).take(codes))
    folded.attrs = dict(frame.attrs)
    # names are paired with Python objects, so `unfold` needs the dtypes to restore the columns
    types = systems.dtype, repeats.dtype
    return Folded(folded, column, owners, role, types)


def _owners(column: str, pairs: Iterable[tuple[Any, Any]]) -> dict[str, tuple[Any, Any]]:
    """Return the system and the label of each named repeat."""
    named = [(f"{system} [{column} {repeat}]", (system, repeat)) for system, repeat in pairs]
    refuse_equal_names("repeat", [name for name, _ in named])
    return dict(named)


def with_labels(systems: pd.Series, repeats: pd.Series) -> pd.Series:
    """Fill in missing labels of systems with a single repeat.

    Examples
    --------
    >>> with_labels(pd.Series(["a", "a", "b"]), pd.Series([1.0, 2.0, None])).tolist()
    [1, 2, 1]
    """
    missing = repeats.isna()
    if not missing.any():
        return repeats
    several = systems[missing & systems.isin(systems[~missing])].unique()
    if len(several) or missing.all():
        expected = "a label for every repeat of a system"
        advice = "fill the missing labels, or drop these rows"
        raise IdError(expected, f"{missing.sum()} rows without a label in", advice, several)
    filled = repeats.fillna(repeats[~missing].iloc[0])
    # pandas reads a column of integers with missing labels as floats
    are_integers = filled.dtype.kind == "f" and (filled == filled.round()).all()
    return filled.astype("int64") if are_integers else filled
