"""Runs and judgments out of whatever other tools hand over, lists of hits as well.

Verbs: as_runs, as_qrels.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from irframe.errors import LONGEST, IdError, InputError
from irframe.files.ids import TEXT, labels_in
from irframe.files.kinds import QRELS, RUN, ByRole, Kind, require_columns
from irframe.files.likeness import names_of_rows
from irframe.files.nested import flatten, height, is_mteb, predictions
from irframe.files.retrieved import holds_hits, of_hits
from irframe.files.values import constant, framed, to_frame
from irframe.names import DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC, roles


def is_ranx(x: Any, holding: str) -> bool:
    """Tell whether something is an object of ranx that has some attribute, without ranx at hand.

    Examples
    --------
    >>> is_ranx({"q1": {"d1": 1}}, "run")
    False
    """
    return type(x).__module__.partition(".")[0] == "ranx" and hasattr(x, holding)


def collected(x: Any) -> Any:
    """Return a lazy frame of polars, or what can be read once, as a table; all else as it is."""
    kind = type(x)  # of which frames of pandas say at once what they have not
    if hasattr(kind, "read_all"):
        return x.read_all()
    return x.collect() if hasattr(kind, "collect") and hasattr(kind, "collect_schema") else x


def columns_of(x: Any) -> pd.DataFrame | None:
    """Return a table of any library as a frame with its ids in columns; None for no table.

    Examples
    --------
    >>> run = pd.DataFrame({"docno": ["d1"], "score": [2.0]}, index=pd.Index(["q1"], name="qid"))
    >>> columns_of(run)
      qid docno  score
    0  q1    d1    2.0
    """
    if isinstance(x, pd.Series) and x.name is not None:
        return _with_levels(x.to_frame())
    if isinstance(x, pd.DataFrame):
        return _with_levels(x)
    x = collected(x)
    if isinstance(x, pd.Series) or is_array(x) or not hasattr(x, "__arrow_c_stream__"):
        return None
    try:
        table = x.to_arrow() if hasattr(x, "to_arrow") else pa.table(x)
        fields = [f.with_type(TEXT) if str(f.type) == "string_view" else f for f in table.schema]
        return to_frame(table.cast(pa.schema(fields)))
    except pa.ArrowException as error:
        wanted, advice = "a table that PyArrow can read", "cast its columns, or hand over a frame"
        raise InputError(wanted, f"{type(x).__name__} ({error})", advice) from error


def is_array(x: Any) -> bool:
    """Tell whether this is xarray's, which speaks Arrow and is a mapping, but is no table."""
    return hasattr(x, "dims")


def _with_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with those levels of its index as columns that play a role no column does."""
    if frame.index.names == [None]:
        return frame
    frame = with_own_levels(frame)
    _refuse_again("every level of the index once", frame.index.names)
    levels = [name for name in frame.index.names if name is not None]
    wanted = [name for name in roles([*frame.columns, *levels]).values() if name in levels]
    wanted = [name for name in wanted if name not in frame.columns]
    if not wanted:
        return frame
    frame = frame.reset_index(level=wanted)
    if frame.index.nlevels > 1:
        return frame
    return frame.reset_index(drop=frame.index.name is None or frame.index.name in frame.columns)


def with_own_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without levels of its index that repeat one of their name.

    pandas puts what it groups by in front, also where it is a level of the index already.
    """
    names = list(frame.index.names)
    if len({*names}) == len(names):
        return frame
    values = frame.index.get_level_values
    again: Any = [
        place
        for place, name in enumerate(names)
        if name is not None
        and name in names[:place]
        and values(place).equals(values(names.index(name)))
    ]
    return frame.set_axis(frame.index.droplevel(again)) if again else frame


def refuse_repeated(frame: pd.DataFrame, where: str = "") -> None:
    """Raise if a column is there twice, or two levels of the index share a name and differ."""
    _refuse_again(f"every column once{where}", frame.columns)
    _refuse_again(f"every level of the index once{where}", frame.index.names)


def _refuse_again(wanted: str, names: Iterable[Any]) -> None:
    again = named_again(names)
    if again:
        advice = "drop the others, or rename them"
        raise IdError(wanted, f"{len(again)} again", advice, again)


def named_again(names: Iterable[Any]) -> list[Any]:
    """Return names that stand more than once."""
    numbers = Counter(name for name in names if name is not None)
    return [name for name, number in numbers.items() if number > 1]


def once_named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of which every name stands once: a column, or else a level of the index.

    Raises
    ------
    IdError
        If two columns share a name, or two levels that differ.

    Examples
    --------
    >>> frame = pd.DataFrame({"system": ["s"], "AP": [0.5]}).set_index("system", drop=False)
    >>> once_named(frame).index.names
    FrozenList([None])
    """
    frame = with_own_levels(frame)
    refuse_repeated(frame)
    both = [name for name in frame.index.names if name is not None and name in frame.columns]
    return frame.reset_index(level=both, drop=True) if both else frame


def rows_of(x: Any, kind: Kind, columns: list[str]) -> pd.DataFrame:
    """Return rows, each a named tuple or a dictionary, as a frame.

    Parameters
    ----------
    x
        An iterable of rows, read once.
    kind, columns
        What the rows are, and what they might be called, for messages.
    """
    if not isinstance(x, Iterable) or is_array(x) or isinstance(x, str | bytes | PathLike):
        wanted = f"{kind.noun}: a pandas DataFrame, a table, a dictionary or rows"
        advice = f"make a frame of it: pd.DataFrame(rows, columns={columns})"
        if isinstance(x, str | PathLike):
            advice = "read files with ir.read_runs and ir.read_qrels"
        raise InputError(wanted, type(x).__name__, advice)
    rows = list(x)
    if not rows:
        raise InputError(f"{kind.noun} with rows", "an empty one")
    names = sorted({type(row).__name__ for row in rows})
    if len(names) > 1:
        found = f"rows of {len(names)} kinds"
        raise InputError(f"{kind.noun} in rows of one kind", found, "hand them over apart", names)
    if not isinstance(rows[0], Mapping) and not hasattr(rows[0], "_fields"):
        wanted = f"{kind.noun} in rows that name their columns"
        raise InputError(wanted, f"rows of type {names[0]}", _naming(x, rows, kind, columns))
    return framed(rows)


def _naming(x: Any, rows: list[Any], kind: Kind, columns: list[str]) -> str:
    """Return what names the columns of rows that do not."""
    text = all(isinstance(row, str) for row in rows)
    if text and all(len(row) < LONGEST and Path(row).is_file() for row in rows):
        return "read files with ir.read_runs and ir.read_qrels"
    if text and all(len(row.split()) == len(kind.layouts[0]) for row in rows):
        reader = "read_run" if kind is RUN else "read_qrels"
        return f"read lines of a file: ir.{reader}(io.StringIO('\\n'.join(rows)))"
    plain = isinstance(x, Sequence | np.ndarray) and isinstance(rows[0], LIST)
    names = names_of_rows(rows, kind.layouts[0], columns[-1]) if plain else None
    if names is None:
        return f"name them in a list of dictionaries, or a frame, by {', '.join(columns)}"
    return f"name them: pd.DataFrame(rows, columns={names})"


LIST = list, tuple, np.ndarray
Qrels = pd.DataFrame | object
"""A qrels frame, or what `as_qrels` makes one of."""


def as_qrels(x: Qrels) -> pd.DataFrame:
    """Make a qrels frame of what other tools hand over; every verb does so by itself.

    Parameters
    ----------
    x
        - a pandas frame, whose ids may be levels of its index; its grades may be called
          ``score``, as by BEIR, where it has no other grades, no ranks and no systems;
        - any table with ``__arrow_c_stream__``: polars (a lazy one is collected), DuckDB, PyArrow;
        - ``{topic: {doc: grade}}``, as pytrec_eval, ranx and BEIR have it; or ``{topic: docs}``
          with a list or a set of the relevant documents; or a dictionary of columns;
        - a `ranx.Qrels`;
        - named tuples such as `ir_measures.Qrel`, or dictionaries, one for each row, in a list
          or an iterator.

    Returns
    -------
    pandas.DataFrame
        Columns for topic, doc and grade, called as in `x`. A frame that has them is returned as
        it is.

    Raises
    ------
    InputError
        For anything else, with the line that makes a qrels frame of it.

    Examples
    --------
    >>> as_qrels({"q1": {"d1": 0, "d2": 2}})
      topic doc  grade
    0    q1  d1      0
    1    q1  d2      2
    """
    return qrels_by_role(x).frame


def qrels_by_role(x: Qrels | ByRole) -> ByRole:
    """Return what `as_qrels` does with its columns, or as it is where these are known."""
    if isinstance(x, ByRole):
        return x
    x = getattr(x, "qrels") if is_ranx(x, "qrels") else x  # noqa: B009
    if isinstance(x, Mapping) and not is_array(x):
        table = table_in(x, QRELS)
        frame = _relevant(x) if table is None else table
        frame = flatten(x, GRADE) if frame is None else frame
    elif (table := columns_of(x)) is not None:
        frame = table
    else:
        frame = rows_of(x, QRELS, ["topic", "doc", "grade"])
    return ByRole(frame, require_columns(frame, QRELS))


def table_in(x: Mapping[Any, Any], kind: Kind) -> pd.DataFrame | None:
    """Return a dictionary of columns, or of rows, as a frame: keys that play roles are columns.

    Examples
    --------
    >>> table_in({"qid": ["1"], "docno": ["a"], "label": [1]}, QRELS)
      qid docno  label
    0   1     a      1
    """
    if not x:
        return None
    if all(isinstance(key, str) for key in x) and not kind.lacking(kind.find(x)):
        return framed(x)
    rows = [*x.values()]
    first = rows[0]
    if not isinstance(first, Mapping) or kind.lacking(kind.find(first)):
        return None
    alike = all(isinstance(row, Mapping) and row.keys() == first.keys() for row in rows)
    return framed(rows) if alike else None


def _relevant(x: Mapping[Any, Any]) -> pd.DataFrame | None:
    """Return ``{topic: relevant documents}``, each with grade 1; None for anything else."""
    lists = [*x.values()]
    if not lists or not all(isinstance(docs, (*LIST, set, frozenset)) for docs in lists):
        return None
    rows = [(topic, doc) for topic, docs in x.items() for doc in docs]
    if any(isinstance(doc, tuple | list | Mapping) for _, doc in rows):
        return None
    return framed(rows, [TOPIC, DOC]).assign(**{GRADE: 1})


Runs = pd.DataFrame | object
"""A run frame, or what `as_runs` makes one of."""

ONLY_SYSTEM = "run"
"""Label of the system in a run frame that has no system column."""

NOTHING = ByRole(
    pd.DataFrame({TOPIC: [], DOC: [], SCORE: []}).astype({TOPIC: str, DOC: str}),
    {TOPIC: TOPIC, DOC: DOC, SCORE: SCORE},
)
"""A run whose lists are all empty."""


def as_runs(x: Runs, system: str | None = None) -> pd.DataFrame:
    """Make a run frame of what other tools hand over; every verb does so by itself.

    Parameters
    ----------
    x
        - a pandas frame, whose ids may be levels of its index;
        - any table with ``__arrow_c_stream__``: polars (a lazy one is collected), DuckDB, PyArrow;
        - ``{topic: {doc: score}}``, as pytrec_eval, ranx and BEIR have it, or ``{system: run}``
          with a run of any of these kinds; or a dictionary of columns;
        - ``{topic: [doc, ...]}``, lists or arrays, the best first;
        - ``{topic: [hit, ...]}`` with hits of LangChain, LlamaIndex, Haystack or
          sentence-transformers, as objects, dictionaries or pairs with a score: the columns
          ``chunk_id`` and ``doc_id``, or ``doc`` where there is one of them, ``start`` and ``end``
          as far as all hits say them, and ``rank``; or a list of such lists, by topics 0, 1, ...;
        - what MTEB writes to ``*_predictions.json``;
        - a `ranx.Run`, or a list of them;
        - named tuples such as `ir_measures.ScoredDoc`, or dictionaries, one for each row, in a
          list or an iterator.
    system
        Name of the one system; by default what `x` says of it.

    Returns
    -------
    pandas.DataFrame
        Columns for topic, doc, and score or rank, and for system where `x` names it, called as
        in `x`. A frame that has them is returned as it is.

    Raises
    ------
    InputError
        For anything else, with the line that makes a run frame of it.
    IdError
        If there are several systems where one is to be named.

    Examples
    --------
    >>> as_runs({"bm25": {"q1": {"d1": 0.9, "d2": 0.7}}, "ance": {"q1": {"d2": 0.8}}})
      system topic doc  score
    0   bm25    q1  d1    0.9
    1   bm25    q1  d2    0.7
    2   ance    q1  d2    0.8
    """
    frame, columns = runs_by_role(x)
    if system is None:
        return frame
    constant(str(system), 0)
    name = columns.get(SYSTEM, SYSTEM)
    several = frame[name].unique().tolist() if SYSTEM in columns else []
    if len(several) > 1:
        raise IdError(f"one system to be named {system!r}", f"{len(several)}", "", several)
    others = frame.drop(columns=name) if SYSTEM in columns else frame.copy(deep=False)
    others.insert(0, name, system)
    return others


def runs_by_role(x: Runs | ByRole) -> ByRole:
    """Return what `as_runs` does with its columns, or as it is where these are known."""
    if isinstance(x, ByRole):
        return x
    frame = _as_runs_frame(x)
    columns = require_columns(frame, RUN)
    if SYSTEM not in columns and SYSTEM in (other := RUN.find(frame.columns)):
        frame = frame.drop(columns=other[SYSTEM])  # names of documents, as was said
    return ByRole(frame, columns)


def part_empty(x: Runs | ByRole) -> tuple[Runs | ByRole, list[str]]:
    """Part runs from the names of systems whose lists are all empty, which no frame can hold.

    Examples
    --------
    >>> part_empty({"bm25": {"q1": {"d1": 0.9}}, "ance": {"q1": {}}})
    ({'bm25': {'q1': {'d1': 0.9}}}, ['ance'])
    """
    if isinstance(x, pd.DataFrame) and not len(x):
        columns = roles([*x.columns, *x.index.names])
        listed = {TOPIC, DOC} <= columns.keys() and columns.keys() & {SCORE, RANK}
        return (NOTHING, [ONLY_SYSTEM]) if listed and SYSTEM not in columns else (x, [])
    if isinstance(x, Mapping | list | tuple) and not len(x) and not is_array(x):
        return NOTHING, [ONLY_SYSTEM]
    if not isinstance(x, Mapping):
        table = None if isinstance(x, ByRole | pd.DataFrame | list) else columns_of(x)
        return (x, []) if table is None else part_empty(table) if table.empty else (table, [])
    known = is_array(x) or is_mteb(x) or table_in(x, RUN) is not None
    return (x, []) if known else _part_lists(x)


def _part_lists(x: Mapping[Any, Any]) -> tuple[Runs | ByRole, list[str]]:
    empty = [name for name, lists in x.items() if _is_empty(lists)]
    others = {name: lists for name, lists in x.items() if name not in set(empty)}
    systems = any(isinstance(x[name], Mapping) and x[name] for name in empty)
    if not others and not systems:
        return NOTHING, [ONLY_SYSTEM]
    nested = [lists for lists in others.values() if isinstance(lists, Mapping)]
    runs = any((height(lists) or 0) > 1 or _holds_lists(lists) for lists in nested)
    if not empty or not (systems or runs):
        return x, []
    return others or NOTHING, [str(name) for name in empty]


def _is_empty(lists: Any) -> bool:
    """Tell whether this is no document, or topics that have none."""
    inside = lists.values() if isinstance(lists, Mapping) else [lists]
    return all(isinstance(docs, (Mapping, *LIST)) and not len(docs) for docs in inside)


def _as_runs_frame(x: Any) -> pd.DataFrame:
    if is_ranx(x, "run"):
        frame = flatten(x.run, SCORE)
        return frame if x.name is None else as_runs(frame, x.name)
    if isinstance(x, list) and x and all(is_ranx(run, "run") for run in x):
        names = [run.name for run in x]
        if None in names or len(set(names)) < len(names):
            found = "none, or one twice, among"
            raise IdError("runs of ranx with a name of its own each", found, "", names)
        return _one_frame(dict(zip(names, x, strict=True)))
    if isinstance(x, list) and holds_hits(dict(enumerate(x))):
        x = dict(enumerate(x))  # as sentence-transformers has them, by query
    if isinstance(x, Mapping) and not is_array(x):
        return _of_mapping(x)
    table = columns_of(x)
    return rows_of(x, RUN, ["topic", "doc", "score"]) if table is None else table


def _of_mapping(nested: Mapping[Any, Any]) -> pd.DataFrame:
    if is_mteb(nested):
        return predictions(nested, SCORE)
    if (table := table_in(nested, RUN)) is not None:
        return table
    if _holds_lists(nested):
        lists = [(topic, enumerate(docs, start=1)) for topic, docs in nested.items()]
        rows = [(topic, doc, place) for topic, docs in lists for place, doc in docs]
        return framed(rows, [TOPIC, DOC, RANK])
    if holds_hits(nested):
        return of_hits(nested)
    if nested and all(_holds_lists(run) or holds_hits(run) for run in nested.values()):
        return _one_frame(nested)
    heights = {key: height(value) for key, value in nested.items()}
    plain = [repr(key) for key, value in nested.items() if isinstance(value, Number)]
    if plain or set(heights.values()) <= {None}:
        found = "documents without a topic" if plain else "an empty dictionary"
        raise InputError("{topic: {doc: score}} or {system: run}", found, "", plain)
    topics = [key for key, high in heights.items() if high == 1]
    systems = [key for key, high in heights.items() if high not in {1, None}]
    if topics and systems:
        found = (
            f"{topics[0]!r}, taken for a topic, which holds scores, beside {systems[0]!r}, taken "
            "for a system, which holds topics or a table"
        )
        raise InputError("{topic: {doc: score}} or {system: run}", found, "hand them over apart")
    return _one_frame(nested) if systems else flatten(nested, SCORE)


def _holds_lists(nested: Any) -> bool:
    """Tell whether this is ``{topic: [doc, ...]}``."""
    lists = [*nested.values()] if isinstance(nested, Mapping) else []
    held = all(isinstance(docs, LIST) and getattr(docs, "ndim", 1) == 1 for docs in lists)
    return bool(lists) and held and all(map(_is_id, chain(*lists)))


def _is_id(doc: Any) -> bool:
    return isinstance(doc, str | int | np.integer) or (isinstance(doc, float) and doc.is_integer())


def _one_frame(runs: Mapping[Any, Any]) -> pd.DataFrame:
    """Put runs of systems together, under our words where they call their columns differently."""
    names = labels_in(pd.Index([*runs], dtype=object), SYSTEM, SYSTEM)
    parts = [as_runs(run, str(name)) for name, run in zip(names, runs.values(), strict=True)]
    named = [roles(part.columns) for part in parts]
    if any(names != named[0] for names in named):
        turned = [{name: role for role, name in names.items()} for names in named]
        parts = [part.rename(columns=t) for part, t in zip(parts, turned, strict=True)]
    return pd.concat(parts, ignore_index=True)
