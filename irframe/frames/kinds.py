"""Kinds of tables, such as runs and judgments.

A role is the canonical name of a column, such as "topic". `irframe.names.ALIASES` lists the names
that the column of each role may have.
"""

import re
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
from pandas.api.types import is_list_like

from irframe import names as words
from irframe.errors import FileFormatError, InputError, ParameterError, shortened
from irframe.frames.likeness import (
    Column,
    line_of,
    refuse_rivals,
    refuse_strangers,
    refuse_two_texts,
    without_titles,
)
from irframe.frames.values import SCALED, to_arrow, to_role
from irframe.names import DOC, GRADE, ITERATION, RANK, SCORE, STRATUM, SUBTOPIC, SYSTEM, TOPIC

RENAMED = "frame.rename("
"""First characters of the code in messages that advise to rename columns."""
UNREAD = "Q0"
"""The role of columns that are not read, such as the second column of a TREC run."""
NO_SEPARATORS = '\r\n"'
"""Characters that `sep` cannot contain."""
Columns = Sequence[str] | Mapping[str, str] | None
"""The columns of a file in order, or a mapping from names of columns to roles."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of table: roles, and layouts of text."""

    noun: str
    """The name of the kind in messages, such as "a run"."""
    layouts: tuple[tuple[str, ...], ...] = ()
    """The columns of text without a header, as one tuple per accepted layout."""
    roles: tuple[str, ...]
    needed: tuple[tuple[str, ...], ...]
    """Tuples of alternative roles. A table needs a column for at least one role of each tuple."""
    value: str = ""
    """The role of the numbers in a dictionary or matrix: "score" or "grade"."""
    headed: bool = True
    """Whether the first line of a text file may be a header."""
    surplus: bool = False
    """Whether additional columns at the end of a line are ignored, as in trec_eval."""
    between: str = ""
    """The separator of columns that the caller passed, or an empty string."""
    called: Mapping[str, str] = field(default_factory=dict)
    """Mapping from the name of a column to the role that the caller passed for it."""

    def described(self, columns: Columns, sep: str | None) -> "Kind":
        """Return a copy with the caller's columns and separator.

        Parameters
        ----------
        columns
            The names of the columns in order, for text without a header. Alternatively, a
            dictionary from the name of a column to its role.
        sep
            The separator of columns in text.
        """
        plain = isinstance(sep, str) and len(sep) == 1 and sep.isascii()
        if sep is not None and not (plain and sep not in NO_SEPARATORS):
            expected = "sep= to be one ASCII character other than a quote or a line end"
            raise ParameterError(expected, shortened(sep))
        kind = replace(self, between=sep or "")
        if columns is None:
            return kind
        if isinstance(columns, Mapping):
            return replace(kind, called=self._check_roles(columns))
        listed = [*columns] if is_list_like(columns, allow_sets=False) else []
        if not listed or not all(isinstance(name, str) for name in listed):
            expected = "columns= to list the names of all columns, or to map names to roles"
            raise ParameterError(expected, shortened(columns))
        names = self.named(listed)
        if names is None:
            self.require(listed, "columns=")
            raise ParameterError("distinct names in columns=", shortened(columns))
        return replace(kind, layouts=(names,), headed=False)

    def _check_roles(self, columns: Mapping[str, str]) -> dict[str, str]:
        """Return the caller's roles by column; raise if invalid."""
        listed = [*columns.values()]
        wrong = [role for role in listed if role not in self.roles or listed.count(role) > 1]
        if wrong:
            expected = f"columns= to map names to distinct roles among {', '.join(self.roles)}"
            raise ParameterError(expected, "", "", [*dict.fromkeys(map(repr, wrong))])
        return {str(name): role for name, role in columns.items()}

    @property
    def reader(self) -> str:
        """The function that reads files of this kind."""
        return "ir.read_run" if self.value == SCORE else "ir.read_qrels"

    def advised(self, advice: str) -> str:
        """Rewrite advice about a frame as advice about a file."""
        return advice.partition(SCALED)[0].replace(RENAMED, f"{self.reader}(path, ")

    @property
    def expected(self) -> str:
        """The accepted columns of text, as messages describe them."""
        choices = [" ".join(layout) for layout in self.layouts]
        choices += ["or named by a header"] * self.headed
        return f"{self.noun} in text (columns: {'; '.join(choices)})"

    def find(self, names: Iterable[Hashable]) -> dict[str, str]:
        """Map roles to names of columns.

        A column of scores is read as grades if a table of judgments has no grades, ranks and
        systems.
        """
        names = [*names]
        # str() raises for integers with thousands of digits, so names are only converted if the
        # caller passed roles.
        checked = names if self.called else ()
        columns = words.roles(names) | {
            self.called[str(n)]: n for n in checked if str(n) in self.called
        }
        if GRADE in self.roles and SCORE in columns and not {GRADE, RANK, SYSTEM} & columns.keys():
            columns[GRADE] = columns[SCORE]
        return {role: str(columns[role]) for role in self.roles if role in columns}

    def lacking(self, present: Container[str]) -> list[tuple[str, ...]]:
        """Return the required roles without a column."""
        return [choice for choice in self.needed if not any(role in present for role in choice)]

    def require(
        self,
        names: Iterable[Hashable],
        where: str,
        *,
        optional: Container[str] = (),
        example: Callable[[dict[str, str]], str] = lambda _: "",
    ) -> dict[str, str]:
        """Map roles to columns; raise if roles are missing.

        Parameters
        ----------
        names
            The names of all columns.
        where
            A description of the table or argument for messages, such as "a frame".
        optional
            Roles that may be missing. A tuple of alternative roles is optional if its first role is
            optional.
        example
            A function that receives the columns by role, and returns a line of code for the
            message.

        Examples
        --------
        >>> DOCUMENTS.require(["docno"], "a frame")
        Traceback (most recent call last):
        ...
        irframe.errors.InputError: expected documents with a column for topic, but found a frame
        with other columns: docno. Topic may be named topic, qid, query_id, q_id, query-id, query.
        """
        names = list(names)
        if absent := [name for name in self.called if name not in {*map(str, names)}]:
            expected = f"the columns {', '.join(map(repr, absent))}, which columns= names"
            raise InputError(expected, f"{where} with other columns", "", names)
        columns = self.find(names)
        missing = [choice for choice in self.lacking(columns) if choice[0] not in optional]
        if missing:
            *first_roles, last = map(" or ".join, missing)
            listed = f"{', '.join(first_roles)} and {last}" if first_roles else last
            expected = f"{self.noun} with a column for {listed}"
            accepted = ((role, ", ".join(words.ALIASES[role])) for role in chain(*missing))
            hints = [f"{role} may be named {aliases}" for role, aliases in accepted]
            advice = "; ".join(hints)
            advice += f". For example: {line}" if (line := example(columns)) else ""
            raise InputError(expected, f"{where} with other columns", advice, names)
        twice = [name for name in columns.values() if names.count(name) > 1]
        if twice:
            raise InputError(
                "one column per role", f"several columns of {where} with the name", "", twice
            )
        return columns

    def named(self, fields: Sequence[str]) -> tuple[str, ...] | None:
        """Return the columns of a header; None for other lines."""
        by_role = self.find(fields)
        distinct = len(set(fields)) == len(fields)
        if not self.headed or not distinct or self.lacking(by_role):
            return None
        names = {name: role for role, name in by_role.items()}
        return tuple(names.get(field, field) for field in fields)

    def layouts_of(self, number: int) -> list[tuple[str, ...]]:
        """Return the layouts with a given number of columns."""
        longest = self.layouts[0]
        if self.surplus and number > len(longest):
            beyond = range(len(longest), number)
            return [(*longest, *(f"{UNREAD} {column}" for column in beyond))]
        return [layout for layout in self.layouts if len(layout) == number]


RUN = Kind(
    noun="a run",
    # any rank is a valid score, so the layout with ranks is tried before the one with scores
    layouts=((TOPIC, UNREAD, DOC, RANK, SCORE, SYSTEM), (TOPIC, DOC, RANK), (TOPIC, DOC, SCORE)),
    roles=(SYSTEM, TOPIC, DOC, RANK, SCORE),
    needed=((TOPIC,), (DOC,), (SCORE, RANK)),
    value=SCORE,
    surplus=True,
)
"""The kind of runs.

Text files have the columns of TREC or of MS MARCO, or columns for topic, document and score."""

QRELS = Kind(
    noun="judgments",
    layouts=((TOPIC, ITERATION, DOC, GRADE), (TOPIC, ITERATION, DOC, STRATUM, GRADE)),
    roles=(TOPIC, DOC, GRADE, ITERATION, SUBTOPIC, STRATUM, words.PROBABILITY),
    needed=((TOPIC,), (DOC,), (GRADE,)),
    value=GRADE,
)
"""The kind of judgments.

Text files have the columns of TREC, and optionally a column of sampling strata."""

DOCUMENTS = Kind(
    noun="documents", layouts=((TOPIC, DOC),), roles=(TOPIC, DOC), needed=((TOPIC,), (DOC,))
)
"""Tables of documents by topic, such as the documents that a judge should label."""

NUGGETS = Kind(
    noun="labels of nuggets",
    roles=(SYSTEM, TOPIC, words.NUGGET, words.IMPORTANCE, words.ASSIGNMENT),
    needed=((TOPIC,), (words.NUGGET,), (words.IMPORTANCE,), (words.ASSIGNMENT,)),
)
"""Tables with labels of the nuggets in each answer, read from frames and not from files."""


class ByRole(NamedTuple):
    """A frame, and the names of its columns by role."""

    frame: pd.DataFrame
    columns: Mapping[str, str]


def is_judgments(frame: object) -> bool:
    """Return whether a frame contains judgments.

    Examples
    --------
    >>> is_judgments(pd.DataFrame(columns=["qid", "docno", "label"])), is_judgments([])
    (True, False)
    """
    present = words.roles(frame.columns).keys() if isinstance(frame, pd.DataFrame) else set()
    return {words.TOPIC, words.DOC, words.GRADE} <= present and words.SYSTEM not in present


def check_columns(
    columns: dict[str, str],
    kind: Kind,
    names: Sequence[Hashable],
    get: Column,
    levels: Sequence[Hashable] = (),
) -> dict[str, str]:
    """Check the values of columns that have a role.

    Parameters
    ----------
    columns
        The columns by role, from `Kind.require`.
    kind
        The kind of the table.
    names
        The names of all columns.
    get
        Function that returns the column with a given name.
    levels
        The items of `names` that name index levels.

    Returns
    -------
    dict
        The columns by role. A column of systems is left out if it contains titles of documents.

    Raises
    ------
    InputError
        If two columns for one role have different values, or if a column without a role may name
        the systems.
    """
    named_roles = {role for role, name in columns.items() if kind.called.get(name) == role}
    for role, column in columns.items():
        # a column with the canonical name, or with a role that the caller passed, has no rivals
        rivals = [name for name in words.ALIASES.get(role, ()) if name in names]
        if len(rivals) > 1 and column != role and role not in named_roles:
            refuse_rivals({name: get(name) for name in rivals}, role, column)
    if kind.value != SCORE:
        return columns
    refuse_strangers(columns, names, get, levels)
    return columns if SYSTEM in named_roles else without_titles(columns, get)


def require_columns(
    frame: object, kind: Kind, no_role: str | None = None, levels: Sequence[Hashable] = ()
) -> dict[str, str]:
    """Map the roles of a frame to its columns.

    Raises
    ------
    InputError
        If `frame` is not a pandas DataFrame or has no rows, if a required role has no column, or if
        two columns for one role have different values.

    Examples
    --------
    >>> require_columns(pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [1]}), QRELS)
    {'topic': 'qid', 'doc': 'docno', 'grade': 'label'}
    """
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{kind.noun} as a pandas DataFrame", type(frame).__name__)
    columns = kind.require(frame.columns, "a frame", example=partial(_example, frame, kind))
    if not len(frame):
        raise InputError(f"{kind.noun} with rows", "an empty frame")

    def get(name: Any) -> pd.Series:
        index_names = name in frame.columns
        return frame[name] if index_names else frame.index.get_level_values(name).to_series()

    index_names = [name for name in frame.index.names if name is not None]
    names = [name for name in (*frame.columns, *index_names) if name != no_role]
    if no_role is None:
        refuse_two_texts(columns, names, get, [*index_names, *levels])
    return check_columns(columns, kind, names, get, [*index_names, *levels])


def _example(frame: pd.DataFrame, kind: Kind, columns: Mapping[str, str]) -> str:
    """Return code that renames columns to the missing roles.

    Runs in place of judgments, and judgments in place of runs, raise an error.
    """
    present = words.roles(frame.columns)
    if kind.value == SCORE and words.GRADE in present:
        raise InputError("a run", "judgments", "pass the runs first, then the judgments")
    if kind.value == GRADE and present.keys() & {words.SCORE, words.RANK}:
        raise InputError("judgments", "a run", "pass the runs first, then the judgments")
    return line_of(frame, columns, [choice[0] for choice in kind.lacking(columns)])


def refuse_two_units(
    frame: pd.DataFrame,
    columns: Mapping[str, Hashable],
    judged: Callable[[], list[Hashable]] = list,
) -> None:
    """Raise if a run has both chunks and documents.

    Parameters
    ----------
    frame, columns
        A run frame, and its columns by role.
    judged
        A function that returns the judged ids. The advice in the message proposes a column that
        contains judged ids.
    """
    doc = columns.get(words.DOC)
    chunks = [name for name in words.CHUNKS if name in frame.columns and name != doc]
    # two columns with the same ids contain one unit under two names
    chunk = next(
        (n for n in chunks if not (frame[n].astype(str) == frame[doc].astype(str)).all()), None
    )
    if chunk is None:
        return
    ways = {
        doc: f"collapse to documents with units={doc!r}",
        chunk: f"if chunks are judged, ir.as_runs(frame).drop(columns={doc!r})",
    }
    # `judged` is a function, because judged ids are only needed for the message
    judged_ids = {*map(str, judged())}
    met = [name for name in ways if not judged_ids.isdisjoint(frame[name].astype(str))]
    advice = "; or, ".join(text for name, text in ways.items() if name in met or not met)
    got = f"chunks in {chunk!r} and documents in {doc!r}"
    raise InputError("either chunks or documents in a run", got, advice)


_INDEX = re.compile(r"__index_level_\d+__")
"""Pattern of the names that pandas gives to unnamed index levels in Parquet files."""


def in_types(table: pa.Table | pd.DataFrame, source: str, kind: Kind) -> pa.Table:
    """Convert columns to the types of their roles.

    In the result, the columns with a role come first. Columns without a role follow unchanged.
    """
    arrow: Any = table
    frame = table if isinstance(table, pd.DataFrame) else None
    names = [*(arrow.column_names if frame is None else frame.columns)]

    def line(by_role: dict[str, str]) -> str:
        columns_of_file = arrow.to_pandas() if frame is None else frame
        text = line_of(columns_of_file, by_role, [choice[0] for choice in kind.lacking(by_role)])
        # the option columns= of readers can rename columns, but cannot melt or negate them
        return kind.advised(text) if text.startswith(RENAMED) else ""

    by_role = kind.require(names, source, example=line)
    if not len(table):
        raise FileFormatError(kind.noun, f"no rows in {source}")

    def get(name: Hashable) -> pd.Series:
        pos = names.index(name)
        return arrow.column(pos).to_pandas() if frame is None else frame.iloc[:, pos]

    refuse_two_texts(by_role, names, get)
    by_role = check_columns(by_role, kind, names, get)
    columns = {
        role: to_role(table[name], role, name, ranked=SCORE in by_role)
        for role, name in by_role.items()
    }
    for pos, name in enumerate(names):
        if name not in by_role.values() and not _INDEX.fullmatch(str(name)):
            column = arrow.column(pos) if frame is None else to_arrow(frame.iloc[:, pos])
            columns.setdefault(name, column)
    return pa.table(columns)
