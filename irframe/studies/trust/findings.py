"""What a check of runs and judgments reports."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import astuple, dataclass, fields
from typing import Any

import pandas as pd
from numpy.typing import NDArray

from irframe.errors import IrframeError

SEVERITIES = ("error", "warning", "note")
"""Nothing can be scored; numbers may mislead; worth saying beside the numbers."""
SHOWN = 5
"""How many places a finding lists."""

_EVERY: ContextVar[bool] = ContextVar("every", default=False)

LU = "Lu, Moffat, Culpepper 2016, doi:10.1007/s10791-016-9282-6"
ALEX = "Alex, Hall, Metzler 2022, doi:10.48550/arXiv.2201.01745"
YILMAZ = "Yilmaz, Aslam 2006, doi:10.1145/1183614.1183633"
TREC_EVAL = "trec_eval, https://github.com/usnistgov/trec_eval"


@dataclass(frozen=True)
class Finding:
    """One thing to know before trusting a number.

    Attributes
    ----------
    severity
        ``"error"``, ``"warning"`` or ``"note"``.
    what
        What was found.
    where
        The first places.
    how_many
        How many there are.
    advice
        What to do.
    reference
        Where this is explained.
    """

    severity: str
    what: str
    where: str
    how_many: int
    advice: str
    reference: str


def listed(places: Iterable[object], total: int | None = None) -> str:
    """Return the first places as text.

    Examples
    --------
    >>> listed(range(9))
    '0, 1, 2, 3, 4, ...'
    """
    names = [str(place) for place in places]
    more = (len(names) if total is None else total) > SHOWN
    if _EVERY.get() or not more:
        return ", ".join(names)
    return ", ".join(names[:SHOWN]) + ", ..."


def listed_rows(describe: Callable[[Any], Iterable[object]], rows: NDArray[Any]) -> str:
    """Return the first rows as a table describes them; the others need no description."""
    return listed(describe(rows if _EVERY.get() else rows[: SHOWN + 1]), len(rows))


@contextmanager
def every_place() -> Iterator[None]:
    """List every place of a finding for as long as this lasts.

    Examples
    --------
    >>> with every_place():
    ...     listed(range(9))
    '0, 1, 2, 3, 4, 5, 6, 7, 8'
    """
    token = _EVERY.set(True)
    try:
        yield
    finally:
        _EVERY.reset(token)


def finding_of(error: IrframeError) -> Finding:
    """Return an error as a finding."""
    what = f"wanted {error.wanted}; found {error.found}"
    return Finding(
        "error",
        what,
        listed(error.offenders),
        max(1, len(error.offenders)),
        error.advice,
        TREC_EVAL,
    )


class Findings(pd.DataFrame):
    """A frame of findings, which a notebook shows with all their words; parts of it are plain."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def _repr_html_(self) -> str | None:
        with pd.option_context("display.max_colwidth", None):
            shown: str | None = pd.DataFrame(self)._repr_html_()  # type: ignore[operator]
        return shown


def to_frame(findings: Sequence[Finding]) -> Findings:
    """Return findings as a frame, the gravest first."""
    columns = [spec.name for spec in fields(Finding)]
    ordered = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
    return Findings([astuple(finding) for finding in ordered], columns=columns)
