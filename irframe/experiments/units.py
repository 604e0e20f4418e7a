"""What is judged, and what it costs: ``of=``, ``copies=`` and ``length=`` of the roads to scores.

Chunks are collapsed, copies told from what they are copies of, and lengths read, before anything is
joined or ranked.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from irframe.checks import choice
from irframe.errors import IdError, InputError, ParameterError, warn
from irframe.experiments.coded_tables import RunTable, column_of
from irframe.experiments.collapse import (
    FIRST_CHUNK,
    ChunksOf,
    Named,
    Ordered,
    as_map,
    collapse,
    pairs_of,
    series_of,
)
from irframe.experiments.policy import Policy
from irframe.files.as_runs import Qrels, qrels_by_role, runs_by_role
from irframe.files.columns import numbers
from irframe.files.ids import ByRole, Codes
from irframe.files.scan_runs import ScannedRuns
from irframe.names import (
    BORDERS,
    DOC,
    FILES,
    GRADE,
    LENGTH,
    SUBTOPIC,
    TOPIC,
)

Copies = Mapping[Any, Any] | pd.Series | pd.DataFrame | None
"""Document -> the one that stands for it."""
Lengths = str | Mapping[Any, Any] | pd.Series | pd.DataFrame | None
"""A column of the runs, or document -> length."""
LaterCopies = Literal["spend", "skip"]
"""Whether a copy of what stands above it keeps its rank."""


class Units(NamedTuple):
    """What is judged, and what it costs, as a caller gave it."""

    of: ChunksOf = None
    copies: Copies = None
    later_copies: LaterCopies = "spend"
    length: Lengths = None

    @property
    def asked(self) -> bool:
        """Whether anything is asked of units."""
        return self.of is not None or self.copies is not None or self.length is not None

    def policy(self, policy: Policy) -> Policy:
        """Return how rankings are decided, and what is told of units."""
        choice("later_copies", self.later_copies, ("spend", "skip"))
        length = self.length
        if length is not None and not isinstance(length, str):
            length = str(getattr(series_of(length, LENGTH, (DOC, LENGTH)), "name", None) or LENGTH)
        return replace(
            policy,
            unit=policy.unit if self.of is None else FIRST_CHUNK,
            copies=None if self.copies is None else self.later_copies,
            length=length,
        )

    def runs(self, runs: Any, policy: Policy) -> Any:
        """Return runs of the units that are judged, with their lengths.

        Parameters
        ----------
        runs
            What `as_runs` takes, or scanned files.
        policy
            What `policy` gives.
        """
        table = self.length is not None and not isinstance(self.length, str)
        if self.of is None and self.copies is None and not table:
            return runs
        if isinstance(runs, ScannedRuns):
            runs = runs.readable().frame()
        named = runs_by_role(runs)
        if self.of is not None:
            options: Any = {"score_dtype": policy.score_dtype, "seed": policy.seed}
            named = runs_by_role(collapse(named.frame, of=self.of, ties=policy.ties, **options))
        if self.copies is not None:
            ties = policy.ties if self.of is None else "rank"
            named = self._copied(named, replace(policy, ties=ties))
        return _with_lengths(named, self.length, policy.length).frame if table else named.frame

    def qrels(self, qrels: Qrels) -> Qrels:
        """Return judgments of the documents that stand for their copies."""
        if self.copies is None:
            return qrels
        return _judged_once(qrels_by_role(qrels), self._map, spend=self.later_copies == "spend")

    @property
    def _map(self) -> pd.Series:
        known = as_map(self.copies, "copies", (DOC, "canonical"))
        chained = known[known.isin(known.index) & (known.index != known.to_numpy())]
        chained = chained[known.reindex(chained).to_numpy() != chained.to_numpy()]
        if len(chained):
            wanted = "documents in copies= that stand for others, not for themselves copies"
            raise ParameterError(wanted, "", "name the last one for all", chained.unique())
        return known

    def _copied(self, named: ByRole, policy: Policy) -> ByRole:
        """Return runs in which what comes first of some copies is called what they all are."""
        frame, columns = named
        name, every = columns[DOC], Named(frame, columns, None, frame[columns[DOC]], [])
        ordered = Ordered.of(every, policy, once=True)
        docs = ordered.frame[name].astype(object).reset_index(drop=True)
        stands = docs.map(self._map)
        stands = stands.where(stands.notna(), docs)
        key = pairs_of(ordered.list, stands.to_numpy())
        later = pd.Series(key).duplicated().to_numpy()
        found = ordered.frame.reset_index(drop=True)
        if self.later_copies == "skip":
            found, lists = found[~later].assign(**{name: stands[~later]}), ordered.list[~later]
        else:
            first = docs.groupby(key).transform("first")
            own = docs.where(docs != stands, first)  # the place of the name that the first one took
            found, lists = found.assign(**{name: own.where(later, stands)}), ordered.list
        rank = pd.Series(lists).groupby(lists, sort=False).cumcount().to_numpy() + 1
        found = found.assign(**{ordered.rank: rank}).reset_index(drop=True)
        found.attrs = dict(frame.attrs)
        return runs_by_role(found)


def _judged_once(qrels: ByRole, known: pd.Series, *, spend: bool) -> pd.DataFrame:
    """Return judgments with the highest grade of copies for the one that stands for them."""
    frame, columns = qrels
    if all(any(n in frame.columns for n in names) for names in BORDERS.values()):
        raise ParameterError("judgments of documents for copies=", "spans of text")
    doc, grade = columns[DOC], columns[GRADE]
    stands = frame[doc].astype(object).map(known)
    stands = stands.where(stands.notna(), frame[doc])
    keys = [columns[role] for role in (TOPIC, SUBTOPIC) if role in columns]
    groups = frame.assign(**{doc: stands}).groupby([*keys, doc], sort=False)[grade]
    conflicts = int((groups.max() > groups.min()).sum())
    if conflicts:
        warn(f"{conflicts} documents have copies of other grades; the highest one counts")
    best = groups.transform("max")
    once = frame.assign(**{doc: stands, grade: best}).drop_duplicates([*keys, doc])
    if spend:
        others = known[known.index != known.to_numpy()]
        copies = pd.DataFrame({"_stands": others.to_numpy(), "_copy": others.index})
        more = once.merge(copies, left_on=doc, right_on="_stands").assign(**{grade: 0})
        more = more.drop(columns=[doc, "_stands"]).rename(columns={"_copy": doc})
        once = pd.concat([once, more[list(once.columns)]], ignore_index=True)
    once.attrs = {k: v for k, v in frame.attrs.items() if k == FILES}
    return once.reset_index(drop=True)


def _with_lengths(runs: ByRole, length: Any, name: str | None) -> ByRole:
    """Return runs with a column of lengths."""
    frame, columns = runs
    doc = frame[columns[DOC]]
    if name in columns.values():
        raise ParameterError("lengths with a name of their own", repr(name), "rename them")
    known = as_map(length, LENGTH, (str(doc.name), LENGTH))
    values = known.reindex(doc.astype(object)).to_numpy()
    unknown = doc[pd.isna(values)].unique()
    if len(unknown):
        advice = "add them to length="
        raise IdError("the length of every document", f"{len(unknown)} unknown", advice, unknown)
    found = frame.assign(**{str(name): values})
    found.attrs = dict(frame.attrs)
    return runs_by_role(found)


def lengths_of(table: RunTable, name: str, rows: Codes) -> Any:
    """Return the lengths of some rows, refusing missing and negative ones.

    Raises
    ------
    InputError
        For lengths that are missing, negative or infinite, listing their rows.
    """
    column = column_of(table.frame, LENGTH, name)
    plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"
    values = column.to_numpy()[rows] if plain else numbers(column.iloc[rows])
    least, most = (values.min(initial=0), values.max(initial=0))
    if not (least >= 0 and most < np.inf):  # NaN is neither
        wrong = ~((values >= 0) & (values < np.inf))
        found = f"{wrong.sum()} missing or negative"
        advice = "mend them: what is retrieved must cost something, or nothing, 0"
        told = table.describe(rows[wrong])
        raise InputError(f"lengths from 0 in {name!r}", found, advice, told)
    if values.dtype.kind in "iu" and most < np.iinfo(np.int32).max:
        return values.astype(np.int32)
    return values.astype(np.float64, copy=False)
