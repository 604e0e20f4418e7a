"""Findings about runs and judgments, as rows of a frame."""

import textwrap
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import IrframeError, during
from irframe.escaping import visible
from irframe.printed import FIRST, WIDTH, Kept, fitted

SEVERITIES = ("error", "warning", "note")
"""Severities of findings, in descending order."""
IN_CODE = ", in code: "
"""Separator between the advice in words and the advice in code."""
SHOWN = 5
"""Maximum number of locations that a finding lists outside the context of `every_place`."""
_EVERY: ContextVar[bool] = ContextVar("every", default=False)
LU = "Lu, Moffat, Culpepper 2016, doi:10.1007/s10791-016-9282-6"
SAKAI = "Sakai, Dou 2013, doi:10.1145/2484028.2484031"
TREC_EVAL = "trec_eval, https://github.com/usnistgov/trec_eval"


@dataclass(frozen=True)
class Finding:
    """A finding about runs or judgments.

    Attributes
    ----------
    severity
        ``"error"``, ``"warning"`` or ``"note"``.
    what
        Description of the problem.
    where
        The first locations of the problem, separated by commas.
    how_many
        The number of all locations of the problem.
    advice
        Recommended action.
    reference
        A publication or page that explains the problem.
    """

    severity: str
    what: str
    where: str
    how_many: int
    advice: str
    reference: str


def listed_findings(positions: Iterable[object], total: int | None = None) -> str:
    """Return the first five locations, separated by commas.

    Examples
    --------
    >>> listed_findings(range(9))
    '0, 1, 2, 3, 4, ...'
    """
    names = [str(cell) for cell in positions]
    more = (len(names) if total is None else total) > SHOWN
    if _EVERY.get() or not more:
        return ", ".join(names)
    return ", ".join(names[:SHOWN]) + ", ..."


def findings_at(
    severity: str,
    problem: str,
    positions: Any,
    advice: str,
    reference: str = TREC_EVAL,
    how_many: int | None = None,
    describe: Callable[[Any], Iterable[object]] | None = None,
) -> Iterator[Finding]:
    """Yield a finding unless `positions` is empty.

    If the locations are row numbers, `describe` returns a string for each row.
    """
    if number := len(positions):
        # texts are made only for the rows that are shown, which are few
        if describe is not None:
            positions = describe(positions if _EVERY.get() else positions[: SHOWN + 1])
        where = listed_findings(positions, number)
        yield Finding(severity, problem, where, how_many or number, advice, reference)


def findings_of(
    severity: str,
    problem: str,
    systems: pd.Index,
    lists: NDArray[np.bool_],
    advice: str,
    reference: str = TREC_EVAL,
) -> Iterator[Finding]:
    """Yield a finding about lists, with counts by system.

    `lists` is a boolean array of shape (system, topic) that is True for the lists to report.
    """
    counts = lists.sum(axis=1)
    # the sort is stable, so systems with equal counts keep their order
    order = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    positions = [f"{systems[row]} ({counts[row]})" for row in order]
    yield from findings_at(severity, problem, positions, advice, reference, int(counts.sum()))


def every_place() -> AbstractContextManager[None]:
    """Return a context in which findings list every location.

    Examples
    --------
    >>> with every_place():
    ...     listed_findings(range(9))
    '0, 1, 2, 3, 4, 5, 6, 7, 8'
    """
    return during(_EVERY, value=True)


def finding_of(error: IrframeError) -> Finding:
    """Convert an error to a finding."""
    problem = f"expected {error.expected}, but found {error.found}"
    where = listed_findings(error.offenders)
    number = max(1, len(error.offenders))
    return Finding("error", problem, where, number, error.advice, TREC_EVAL)


def until_error(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield findings, and convert an error to the last finding."""
    try:
        yield from findings
    except IrframeError as error:
        yield finding_of(error)


class Findings(Kept):
    """Frame with problems that is printed without empty columns.

    If a cell contains a tuple, the first five elements are printed. A selection of rows or columns
    is also a `Findings` frame.
    """

    def _shown(self) -> pd.DataFrame:
        texts = pd.DataFrame(self).map(
            lambda value: listed_findings(value) if isinstance(value, tuple) else value
        )
        return texts.loc[:, ~(texts.map(lambda value: isinstance(value, str) and not value)).all()]

    def __repr__(self) -> str:
        # only results of `diagnose` have these columns; results of `check` are printed as tables
        if {"severity", "what", "how_many", "advice"} <= {*self.columns}:
            return visible("\n".join(map(_as_lines, self.to_dict("records")))) or "nothing found"
        shown, note = fitted(self._shown(), FIRST["check"])
        return visible("\n\n".join(filter(None, [repr(shown), textwrap.fill(note, WIDTH)])))

    def _repr_html_(self) -> str | None:
        with pd.option_context("display.max_colwidth", None):
            shown: str | None = self._shown()._repr_html_()  # type: ignore[operator]
        return shown


def _as_lines(finding: Mapping[Hashable, Any]) -> str:
    """Return a finding and its advice as lines of text."""
    where = finding.get("where") or ""
    positions = where if isinstance(where, str) else listed_findings(where)
    text = f"{finding['severity']:8}{finding['how_many']:>6}  {finding['what']}"
    text += f": {positions}" if positions else ""
    indent = " " * 16
    lines = textwrap.fill(text, WIDTH, subsequent_indent=indent)
    advice = textwrap.fill(
        str(finding["advice"]), WIDTH, initial_indent=indent, subsequent_indent=indent
    )
    return f"{lines}\n{advice}" if finding["advice"] else lines


def findings_frame(findings: Sequence[Finding]) -> Findings:
    """Return findings as a frame, in order of severity."""
    columns = [spec.name for spec in fields(Finding)]
    ordered = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return Findings([astuple(finding) for finding in ordered], columns=columns)
