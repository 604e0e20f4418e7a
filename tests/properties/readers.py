"""Readers of objects in memory, for property tests."""

import math
from collections import Counter, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from properties.oddities import Case, Rows, lists_of, named_alike

import irframe as ir
from irframe.errors import IrframeError

METRICS = ["AP", "RR", "NumRet", "nDCG"]


class CannotError(Exception):
    """Error of readers that cannot represent a case's rows."""


class LossyError(Exception):
    """Error for ambiguous input, which readers may refuse."""


Reader = Callable[[Case], Any]
READERS: dict[str, Reader] = {}


def reader(name: str) -> Callable[[Reader], Reader]:
    """Register a reader under a name."""

    def register(make: Reader) -> Reader:
        READERS[name] = make
        return make

    return register


def reading(act: Callable[[], Any], *, lossless: bool) -> Any:
    """Return scores, or raise LossyError if the input is ambiguous."""
    try:
        result = act()
    except (LossyError, CannotError):
        raise
    except Exception as error:
        if lossless:
            raise
        raise LossyError(error) from error
    if not lossless:
        raise LossyError(result)
    return result


def need(holds: Any) -> None:
    """Raise CannotError if a condition is false."""
    if not holds:
        raise CannotError


def kind(value: Any) -> str:
    """Return the name of the type of a value."""
    kinds = {
        "text": str,
        "truth": bool | np.bool_,
        "whole": int | np.integer,
        "float": float | np.floating,
    }
    return next(
        (name for name, cls in kinds.items() if isinstance(value, cls)), type(value).__name__
    )


def nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def columns(case: Case, rows: Rows, last: str) -> list[str]:
    """Return the column names, even without rows."""
    names = [*rows[0]] if rows else ["topic", "doc", last]
    return [case.called.get(name, name) for name in names]


def frame(case: Case, rows: Rows, last: str) -> pd.DataFrame:
    """Return rows as a frame of objects."""
    return inferred(case, rows, last, object)


def inferred(case: Case, rows: Rows, last: str, dtype: Any = None) -> pd.DataFrame:
    """Return rows as a frame with inferred dtypes."""
    need(not case.empty and not case.unjudged)
    try:
        table = pd.DataFrame(case.write(rows), columns=columns(case, rows, last), dtype=dtype)
    except (UnicodeError, OverflowError):  # of pandas itself
        raise CannotError from None
    if case.twice:
        table = pd.concat([table, table[[case.twice]]], axis=1)
    return table


def faithful(table: pd.DataFrame, rows: Rows, case: Case) -> pd.DataFrame:
    """Return a frame if it preserves all values and types."""
    need(not case.twice)
    for row, got in zip(case.write(rows), table.to_dict("records"), strict=True):
        for key, value in row.items():
            missing = value is None or nan(value)
            need(
                pd.isna(got[key])
                if missing
                else got[key] == value and kind(got[key]) == kind(value)
            )
    return table


def converted(case: Case, rows: Rows, last: str, backend: str) -> pd.DataFrame:
    table = inferred(case, rows, last)
    try:
        changed = table.convert_dtypes(dtype_backend=backend)  # type: ignore[call-overload]
    except Exception:  # noqa: BLE001 - of pandas, whatever it is
        raise CannotError from None
    return faithful(changed, rows, case)


def sides(case: Case, make: Callable[..., Any]) -> tuple[Any, Any]:
    return make(case, case.run, "score"), make(case, case.judged, "grade")


def evaluated(result: Any) -> dict[Any, Any]:
    """Return scores of irframe by system and topic."""
    return named_alike(
        {key: tuple(row) for key, row in zip(result.index, result[METRICS].to_numpy(), strict=True)}
    )


def evaluate(runs: Any, qrels: Any) -> dict[Any, Any]:
    return evaluated(ir.evaluate(runs, qrels, METRICS))


def in_categories(case, rows, last):
    table = inferred(case, rows, last)
    need(rows and not case.twice)
    keys = [case.called.get(key, key) for key in ("system", "topic", "doc") if key in rows[0]]
    try:
        return faithful(table.astype(dict.fromkeys(keys, "category")), rows, case)
    except (TypeError, ValueError):
        raise CannotError from None


def in_index(case, rows, last):
    table = inferred(case, rows, last)
    need(not case.twice)
    keys = [case.called.get(key, key) for key in ("system", "topic", "doc")]
    return table.set_index([key for key in keys if key in table])


@reader("accessor")
def _(case):
    runs, qrels = sides(case, inferred)
    try:
        verbs = runs.ireval
    except AttributeError as error:  # as pandas asks
        raise IrframeError("a run", str(error), "") from error
    return evaluated(verbs.evaluate(qrels, METRICS))


@reader("cube")
def _(case):
    found = ir.cube(*sides(case, inferred)).ireval.score(*METRICS).isel(depth=-1)
    return evaluated(found.to_series().unstack("metric"))


def nameless(case: Case) -> None:
    """Raise CannotError if the case has other column names."""
    need(not case.twice and not {*case.called} - {"system"})


def textual(rows: Rows) -> None:
    """Raise CannotError if ids are neither all text nor integers."""
    for role in ("system", "topic", "doc"):
        need({kind(row[role]) for row in rows if role in row} in ({"text"}, {"whole"}, set()))


def nested(case: Case, rows: Rows, value: str, empty: tuple[Any, ...]) -> dict[Any, dict[Any, Any]]:
    """Return dictionaries of values by system, topic and document.

    Raise if dictionaries cannot represent the rows.
    """
    nameless(case)
    need(not rows or value in rows[0])
    need(not rows or not {*rows[0]} - {"system", "topic", "doc", value})
    dictionaries: dict[Any, Any] = {}
    for row in rows:
        docs = dictionaries.setdefault(row.get("system", "run"), {}).setdefault(row["topic"], {})
        need(row["doc"] not in docs)
        docs[row["doc"]] = row[value]
    for topic in empty:
        dictionaries.setdefault("run", {}).setdefault(topic, {})
    return dictionaries


def one(made: dict[Any, Any]) -> Any:
    need(len(made) <= 1)
    return next(iter(made.values()), {})


def dictionaries(case: Case) -> tuple[Any, Any]:
    runs = nested(case, case.run, "score", case.empty)
    return runs, one(nested(case, case.judged, "grade", case.unjudged))


@reader("dict")
def _(case):
    runs, qrels = dictionaries(case)
    return evaluate(one(runs), qrels)


@reader("dict of systems")
def _(case):
    runs, qrels = dictionaries(case)
    return evaluate(runs or {"run": {}}, qrels)


@reader("dict of frames")
def _(case):
    need(case.run)
    runs, qrels = sides(case, inferred)
    name = case.called.get("system", "system")
    grouped = runs.groupby(name, dropna=False) if "system" in case.run[0] else [("run", runs)]
    parts = {key: part.drop(columns=name, errors="ignore") for key, part in grouped}
    return evaluate(parts, qrels)


@reader("scorer(dict)")
def _(case):
    runs, qrels = dictionaries(case)
    return evaluated(ir.scorer(qrels, METRICS)(one(runs)))


@reader("scorer(frame)")
def _(case):
    runs, qrels = sides(case, inferred)
    return evaluated(ir.scorer(qrels, METRICS)(runs))


def arrays(case: Case) -> dict[str, Any]:
    nameless(case)
    need(case.run and not case.empty and not {*case.run[0]} - {"topic", "doc", "score"})
    columns_by_role = {}
    for role in ("topic", "doc", "score"):
        values = [row[role] for row in case.run]
        need(
            role != "score" or len({kind(value) for value in values if value is not None}) == 1
        )  # an array has a single dtype
        columns_by_role[role] = (
            np.array(values) if role == "score" else np.array(values, dtype=object)
        )
    return columns_by_role


@reader("arrays")
def _(case):
    scorer = ir.scorer(inferred(case, case.judged, "grade"), METRICS)
    return evaluated(scorer(**arrays(case)))


@reader("positions")
def _(case):
    columns = arrays(case)
    docs = list(dict.fromkeys(row["doc"] for row in case.run))
    need(not any(doc is None or nan(doc) for doc in docs))
    found = ir.scorer(inferred(case, case.judged, "grade"), METRICS, docs=docs)
    known, topics = list(found.docs), list(found.topics)
    need({*columns["topic"]} <= {*topics} and {*columns["doc"]} <= {*known})
    columns["topic"] = np.array([topics.index(topic) for topic in columns["topic"]])
    columns["doc"] = np.array([known.index(doc) for doc in columns["doc"]])
    # Integer ids could be ids or positions.
    kinds = {kind(row[role]) for row in case.run for role in ("topic", "doc")}
    return reading(lambda: evaluated(found(**columns)), lossless=not kinds & {"whole", "float"})


@reader("positions in docs=")
def _(case):
    columns = arrays(case)
    docs = list(dict.fromkeys(row["doc"] for row in case.run))[::-1]
    need(not any(kind(doc) not in {"text", "whole"} for doc in docs))
    found = ir.scorer(inferred(case, case.judged, "grade"), METRICS, docs=docs)
    columns["doc"] = np.array([docs.index(doc) for doc in columns["doc"]])
    return evaluated(found(**columns))


def order(case: Case) -> dict[Any, Any]:
    """Map topics to ranked documents; raise if documents are tied."""
    nameless(case)
    need(not any({*row} - {"topic", "doc", "score", "rank"} for row in case.run))
    need(not ("rank" in (case.run or [{}])[0] and "score" in case.run[0]))
    keys = Counter((row["topic"], row.get("score", row.get("rank"))) for row in case.run)
    need(max(keys.values(), default=0) < 2)
    need(all(type(key) in (int, float) and abs(key) < 2**53 for _, key in keys))
    need(all(row.get("rank", 0) == int(row.get("rank", 0)) for row in case.run))
    lists = one(lists_of(case.run))
    return lists | {topic: [] for topic in case.empty}


@reader("lists of ids")
def _(case):
    made = order(case)
    need(0 <= min((row.get("rank", 0) for row in case.run), default=0) < 3)
    return evaluate(made, one(nested(case, case.judged, "grade", case.unjudged)))


def _hits(make: Callable[[Any, Any], Any], around: Callable[[list[Any]], Any] = list) -> Reader:
    """Return a reader for the hit lists that `make` creates."""

    def act(case):
        nameless(case)
        need(case.run and not any({*row} != {"topic", "doc", "score"} for row in case.run))
        lists: dict[Any, Any] = {topic: [] for topic in case.empty}
        for row in case.run:
            lists.setdefault(row["topic"], []).append(make(row["doc"], row["score"]))
        answers = {topic: around(hits) for topic, hits in lists.items()}
        return evaluate(answers, one(nested(case, case.judged, "grade", case.unjudged)))

    return act


READERS["lists of hits"] = _hits(lambda doc, score: {"id": doc, "score": score})
READERS["answers"] = _hits(
    lambda doc, score: {"_id": doc, "_score": score, "_source": {"title": "t"}},
    lambda hits: {"took": 3, "hits": {"total": {"value": len(hits)}, "hits": hits}},
)


def matrix(nested: dict[Any, Any]) -> pd.DataFrame:
    """Return nested dictionaries as a frame with named axes."""
    values = [value for docs in nested.values() for value in docs.values()]
    need(values and all(type(value) in (int, float) and not nan(value) for value in values))
    need(all(nested.values()) and all(abs(value) < 2**53 for value in values))
    docs = [*dict.fromkeys(doc for row_values in nested.values() for doc in row_values)]
    need(not any(doc is None or nan(doc) for doc in (*docs, *nested)))
    rows = [[row_values.get(doc, np.nan) for doc in docs] for row_values in nested.values()]
    try:
        axes = pd.Index([*nested], name="topic"), pd.Index(docs, name="docno")
        return pd.DataFrame(rows, *axes)
    except UnicodeError:  # of pandas itself
        raise CannotError from None


@reader("matrices")
def _(case):
    runs, qrels = dictionaries(case)
    return evaluate(matrix(one(runs)), matrix(qrels))


@reader("records")
def _(case):
    need(not case.twice and not case.empty and not case.unjudged)
    return evaluate(case.write(case.run), case.write(case.judged))


@reader("named tuples")
def _(case):
    need(not case.twice and not case.empty and not case.unjudged)

    def tuples(rows):
        need(all(key.isidentifier() for row in rows for key in row))
        return [namedtuple("Row", row)(**row) for row in rows]  # noqa: PYI024

    return evaluate(tuples(case.write(case.run)), tuples(case.write(case.judged)))


def column_lists(case, rows, last):
    need(not case.twice and not case.empty and not case.unjudged)
    return {name: [row[name] for row in case.write(rows)] for name in columns(case, rows, last)}


def arrow_table(case, rows, last):
    need(not case.twice and not case.empty and not case.unjudged)
    names = columns(case, rows, last)
    plain = case.write(rows)
    try:
        arrays = {name: pa.array([row[name] for row in plain], from_pandas=False) for name in names}
        table = pa.table(
            {
                n: c.cast(pa.string()) if c.type == pa.null() and not rows and n != last else c
                for n, c in arrays.items()
            }
        )
        got = table.to_pylist()
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise CannotError from None
    for row, back in zip(plain, got, strict=True):
        need(
            all(
                (nan(row[n]) and nan(back[n]))
                or (back[n] == row[n] and kind(back[n]) == kind(row[n]))
                for n in names
            )
        )
    return table


def as_columns(case, rows, last):
    need(not case.twice)
    return inferred(case, rows, last).to_dict()


SHAPES = {
    "frame": frame,
    "inferred": inferred,
    "nullable": lambda *side: converted(*side, "numpy_nullable"),
    "arrow dtypes": lambda *side: converted(*side, "pyarrow"),
    "categories": in_categories,
    "index": in_index,
    "dict of columns": column_lists,
    "frame.to_dict()": as_columns,
    "arrow table": arrow_table,
    "polars": lambda *side: pl.from_arrow(arrow_table(*side)),
}
"""Mapping from shapes to functions that convert rows of runs or judgments to the shape."""
for _name, _make in SHAPES.items():
    READERS[_name] = lambda case, make=_make: evaluate(*sides(case, make))
