"""Methods of choosing documents to judge, as option values."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Literal, Self

import pandas as pd

from irframe.checks import as_written, check_int, choice
from irframe.errors import ParameterError
from irframe.option_values import OptionValue

MethodName = Literal["pool", "mtf", "maxmean", "leverage"]
Credit = Literal["all", "run"]
NAMES: tuple[MethodName, ...] = ("pool", "mtf", "maxmean", "leverage")


@dataclass(frozen=True, repr=False, eq=False)
class JudgingMethod(OptionValue):
    """Method of choosing the next document to judge.

    `judge_next` takes one method as ``method=``, and `replay` takes several as ``methods=``. The
    name of a method is enough if the other fields have their defaults.

    Parameters
    ----------
    method
        ``"pool"``, ``"mtf"``, ``"maxmean"`` or ``"leverage"``, see `judge_next`; by default the
        default of the verb.
    credit
        Which runs a judgment counts for, under ``"maxmean"``: every run that retrieved the document
        (``"all"``), or only the run for which it was chosen (``"run"``).
    batch
        Number of documents per topic that are chosen before any of them is judged, at least 1.
        Until a document is judged, its probability of relevance is used.
    prior
        A model's judgments: topic, doc, and ``grade`` or ``probability``, from 0 to 1. With grades,
        the probability of relevance of each grade is learned from all judgments. The probability
        multiplies the priority of a method. ``"mtf"`` accepts no prior.

    Raises
    ------
    ParameterError
        If the method is unknown, or if a method other than ``"maxmean"`` has a credit.

    Examples
    --------
    >>> JudgingMethod("maxmean", credit="run", batch=5)
    JudgingMethod('maxmean', credit='run', batch=5)
    >>> str(JudgingMethod("maxmean", credit="run"))
    "maxmean(credit='run')"
    """

    method: MethodName | None = None
    _: KW_ONLY
    credit: Credit = "all"
    batch: int = 1
    prior: pd.DataFrame | None = None

    def __post_init__(self) -> None:
        """Check the fields that can be checked without documents."""
        check_int("batch", self.batch, low=1)
        credit = choice("credit", self.credit, ("all", "run"))
        method = None if self.method is None else choice("method", self.method, NAMES)
        if credit == "run" and method not in {None, "maxmean"}:
            raise ParameterError("method 'maxmean' with credit='run'", repr(method))

    @classmethod
    def read(cls, value: Any, default: Any = None) -> Self:
        """Return a value unchanged, or the method named by text."""
        kinds: dict[str, Any] = {name: partial(cls, name) for name in NAMES}
        return super().read(as_written(value, kinds | {cls.__name__: cls}) or value, default)

    def __str__(self) -> str:
        """Return the method as it is named in results."""
        others = repr(self).partition(", ")[2]
        return f"{self.method}({others}" if others else str(self.method)

    @property
    def key(self) -> str:
        """Return the name in the registry of methods."""
        return f"{self.method}(credit='run')" if self.credit == "run" else str(self.method)
