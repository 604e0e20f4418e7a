"""How documents are chosen to be judged, as one value."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Literal, Self

import pandas as pd

from irframe.checks import as_written, choice, whole
from irframe.errors import ParameterError
from irframe.option_values import OptionValue

MethodName = Literal["pool", "mtf", "maxmean", "leverage"]
Credit = Literal["all", "run"]
NAMES: tuple[MethodName, ...] = ("pool", "mtf", "maxmean", "leverage")


@dataclass(frozen=True, repr=False, eq=False)
class JudgingMethod(OptionValue):
    """How the next document to judge is chosen.

    `judge_next` takes one as ``method=``, `replay` several as ``methods=``. The name of a method is
    enough where the other fields have their defaults.

    Parameters
    ----------
    method
        ``"pool"``, ``"mtf"``, ``"maxmean"`` or ``"leverage"``, see `judge_next`; by default that of
        the verb.
    credit
        For ``"maxmean"``: whether a judgment counts for every run that has the document (``"all"``)
        or for that on whose account it was made (``"run"``).
    batch
        How many documents of a topic are chosen on what is known before the first of them, at
        least 1. After that they count, until they are judged, with how likely they are relevant.
    prior
        A model's judgments: topic, doc, and ``grade`` or ``probability``, from 0 to 1. By grade
        it is learned from all judgments how likely documents are relevant. Multiplies what a
        method goes by; ``"mtf"`` takes none.

    Raises
    ------
    ParameterError
        For an unknown method, and a credit of another method than ``"maxmean"``.

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
        """Check what can be checked without documents."""
        whole("batch", self.batch, low=1)
        credit = choice("credit", self.credit, ("all", "run"))
        method = None if self.method is None else choice("method", self.method, NAMES)
        if credit == "run" and method not in {None, "maxmean"}:
            raise ParameterError("method 'maxmean' for credit='run'", repr(method))

    @classmethod
    def read(cls, value: Any, default: Any = None) -> Self:
        """Return a value as it is, a text as the method that it names or writes."""
        kinds: dict[str, Any] = {name: partial(cls, name) for name in NAMES}
        return super().read(as_written(value, kinds | {cls.__name__: cls}) or value, default)

    def __str__(self) -> str:
        """Return the method as results name it."""
        others = repr(self).partition(", ")[2]
        return f"{self.method}({others}" if others else str(self.method)

    @property
    def key(self) -> str:
        """The name in the registry of methods."""
        return f"{self.method}(credit='run')" if self.credit == "run" else str(self.method)
