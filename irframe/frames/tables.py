"""Run and qrels frames read by role: checked, coded, ready for arrays."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.errors import GradeError, IdError, InputError
from irframe.frames.ids import Codes, code_labels, identifiers
from irframe.names import (
    ALIASES,
    DOC,
    GRADE,
    HIGHEST_GRADE,
    LOWEST_GRADE,
    RANK,
    SCORE,
    SYSTEM,
    TOPIC,
    roles,
)

ROWS = 1 << 20
"""Rows of a run frame taken at a time where whole columns would cost memory."""

ONLY_SYSTEM = "run"
"""Label of the system in a run frame that has no system column."""


@dataclass(frozen=True, eq=False)
class RunTable:
    """A run frame by role, identifiers coded as integers."""

    frame: pd.DataFrame
    columns: Mapping[str, Hashable]
    system: Codes
    systems: pd.Index
    topic: Codes
    topics: pd.Index
    doc: pa.ChunkedArray

    @cached_property
    def score(self) -> NDArray[np.float64] | None:
        """Scores, None if the frame has none."""
        return _numbers(self.frame, self.columns, SCORE)

    @cached_property
    def rank(self) -> NDArray[np.float64] | None:
        """Ranks as filed, None if the frame has none."""
        return _numbers(self.frame, self.columns, RANK)

    @property
    def group(self) -> Codes:
        """One number per list, in the order of systems and topics."""
        return self.system.astype(np.int64) * len(self.topics) + self.topic

    def take(self, rows: Codes | slice) -> "RunTable":
        """Return some rows, labels and codes unchanged."""
        part = self.frame.iloc[rows]
        if isinstance(rows, slice):
            doc = self.doc.slice(rows.start, rows.stop - rows.start)
        else:
            doc = self.doc.take(pa.array(rows))
        return replace(self, frame=part, system=self.system[rows], topic=self.topic[rows], doc=doc)

    def describe(self, row: int) -> str:
        """Return what identifies a row, for messages."""
        system, topic = self.systems[self.system[row]], self.topics[self.topic[row]]
        return f"{system} {topic} {self.doc[int(row)].as_py()}"


@dataclass(frozen=True)
class QrelsTable:
    """A qrels frame by role, identifiers coded as integers."""

    columns: Mapping[str, Hashable]
    topic: Codes
    topics: pd.Index
    doc: pa.ChunkedArray
    grade: NDArray[np.int8]

    def describe(self, row: int) -> str:
        """Return what identifies a row, for messages."""
        return f"{self.topics[self.topic[row]]} {self.doc[int(row)].as_py()}"


def read_table(runs: pd.DataFrame) -> RunTable:
    """Read a run frame by role.

    Parameters
    ----------
    runs
        Columns topic, doc, and score or rank; usually system. Aliases are accepted.

    Returns
    -------
    RunTable
        The frame, coded.

    Raises
    ------
    InputError
        For an empty frame or a missing role.
    """
    columns = _columns(runs, "run", (TOPIC, DOC))
    if SCORE not in columns and RANK not in columns:
        raise _missing("run", runs, [SCORE])
    if SYSTEM in columns:
        system, systems = code_labels(runs[columns[SYSTEM]], SYSTEM)
    else:
        system, systems = np.zeros(len(runs), np.int32), pd.Index([ONLY_SYSTEM])
    topic, topics = code_labels(runs[columns[TOPIC]], TOPIC)
    return RunTable(
        frame=runs,
        columns=columns,
        system=system,
        systems=systems,
        topic=topic,
        topics=topics,
        doc=identifiers(runs[columns[DOC]], DOC),
    )


def read_qrels_table(qrels: pd.DataFrame) -> QrelsTable:
    """Read a qrels frame by role.

    Parameters
    ----------
    qrels
        Columns topic, doc and grade. Aliases are accepted.

    Returns
    -------
    QrelsTable
        The frame, coded.

    Raises
    ------
    InputError
        For an empty frame or a missing role.
    GradeError
        For grades that are not whole numbers from -126 to 127.
    """
    columns = _columns(qrels, "qrels", (TOPIC, DOC, GRADE))
    topic, topics = code_labels(qrels[columns[TOPIC]], TOPIC)
    return QrelsTable(
        columns=columns,
        topic=topic,
        topics=topics,
        doc=identifiers(qrels[columns[DOC]], DOC),
        grade=_grades(qrels[columns[GRADE]]),
    )


def row_slices(rows: int) -> Iterator[slice]:
    """Yield slices that cover so many rows, `ROWS` at a time."""
    for start in range(0, rows, ROWS):
        yield slice(start, min(start + ROWS, rows))


def _columns(frame: Any, kind: str, needed: tuple[str, ...]) -> dict[str, Hashable]:
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"a {kind} frame, a pandas DataFrame", type(frame).__name__)
    found = roles(frame.columns)
    missing = [role for role in needed if role not in found]
    if missing:
        raise _missing(kind, frame, missing)
    repeated = [name for name in found.values() if sum(frame.columns == name) > 1]
    if repeated:
        raise InputError("distinct column names", "repeated ones", "", repeated)
    if not len(frame):
        raise InputError(f"a {kind} frame with rows", "an empty one")
    return found


def _missing(kind: str, frame: pd.DataFrame, missing: list[str]) -> InputError:
    wanted = " and ".join(f"{role} (one of {', '.join(ALIASES[role])})" for role in missing)
    names = [str(name) for name in frame.columns]
    return InputError(f"a {kind} frame with a column for {wanted}", "the columns", "", names)


def _numbers(
    frame: pd.DataFrame, columns: Mapping[str, Hashable], role: str
) -> NDArray[np.float64] | None:
    if role not in columns:
        return None
    column = frame[columns[role]]
    try:
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        bad = column[pd.to_numeric(column, errors="coerce").isna() & column.notna()]
        raise InputError(f"numbers in column {column.name!r}", "others", "", bad) from None


def _grades(column: pd.Series) -> NDArray[np.int8]:
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    whole = numbers == np.round(numbers)
    bad = ~(whole & (numbers >= LOWEST_GRADE) & (numbers <= HIGHEST_GRADE))
    if bad.any():
        raise GradeError(
            f"grades that are whole numbers from {LOWEST_GRADE} to {HIGHEST_GRADE}",
            f"{int(bad.sum())} others",
            "",
            column[bad],
        )
    return numbers.astype(np.int8)


def refuse_twice_judged(table: QrelsTable, codes: Codes) -> None:
    """Raise if a document is judged twice for a topic, given document codes."""
    ordered = np.sort(codes)
    if not (ordered[1:] == ordered[:-1]).any():
        return
    again = np.flatnonzero(pd.Series(codes).duplicated().to_numpy())
    offenders = [table.describe(row) for row in again[:6]]
    found = f"{len(again)} judged again"
    raise IdError("one judgment per topic and document", found, "keep one of them", offenders)
