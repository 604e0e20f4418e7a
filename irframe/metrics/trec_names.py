"""How trec_eval spells its measures: a name, then parameters after a point or an underscore."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from irframe.errors import MetricError
from irframe.metrics.base import ALIASES
from irframe.metrics.spellings import SETS, TREC_NAMES

__all__ = ["PRINTED", "RELSTRING", "TrecName", "split_level", "trec_fields", "trec_name"]

_NUMBER = r"-?(?:\d+(?:\.\d*)?|\.\d+)"
_PAIR = rf"\d+={_NUMBER}"
_FORM = re.compile(rf"(.+?)(?:[_.]({_NUMBER}(?:,{_NUMBER})*|{_PAIR}(?:,{_PAIR})*))?", re.IGNORECASE)

RELSTRING = "relstring"
"""What trec_eval prints among its measures, though it is none."""
_MEASURES = SETS["all_trec"].split()
_MEASURES.insert(_MEASURES.index("recall"), RELSTRING)
PRINTED = (*_MEASURES, "map_avgjg", "P_avgjg", "yaap")
"""Measures as trec_eval prints them, one after the other."""
_SHARES = {"iprec_at_recall", "Rprec_mult"}
"""Measures whose parameter is written with two decimals."""
_TOGETHER = {"11pt_avg", "set_F", "utility"}
"""Measures of which all parameters make one."""
_PRICES = ("a", "b", "c", "d")


class TrecName(NamedTuple):
    """A measure of trec_eval and its parameters, as they are written."""

    measure: str
    parameters: tuple[str, ...] = ()

    @property
    def measures(self) -> list["TrecName"]:
        """The measures that this stands for: one for each parameter, where each makes one."""
        one = self.measure in _TOGETHER or "=" in "".join(self.parameters)
        if one or len(self.parameters) < 2:
            return [self]
        return [TrecName(self.measure, (parameter,)) for parameter in self.parameters]

    def __str__(self) -> str:
        return "_".join([self.measure, *([",".join(self.parameters)] if self.parameters else [])])

    @property
    def label(self) -> str:
        """The name that trec_eval prints.

        Examples
        --------
        >>> TrecName("Rprec_mult", ("0.2",)).label, TrecName("utility", ("2", "-1", "0", "0")).label
        ('Rprec_mult_0.20', 'utility_2,-1,0,0')
        """
        if self.measure in _SHARES and self.parameters:
            return f"{self.measure}_{float(self.parameters[0]):.2f}"
        return str(self)

    @property
    def place(self) -> tuple[float, ...]:
        """Where trec_eval prints it: in an order of measures, then of parameters."""
        numbers = () if "=" in "".join(self.parameters) else map(float, self.parameters)
        return (PRINTED.index(self.measure), *numbers)


def trec_name(text: str) -> TrecName | None:
    """Read a name of trec_eval; None if it is none.

    Examples
    --------
    >>> trec_name("P.5,10"), trec_name("iprec_at_recall..10").label, trec_name("AP")
    (TrecName(measure='P', parameters=('5', '10')), 'iprec_at_recall_0.10', None)
    """
    found = _FORM.fullmatch(text)
    measure = None if found is None else _spelled(found[1], TREC_NAMES)
    if found is None or measure is None:
        return None
    return TrecName(measure, tuple(found[2].split(",")) if found[2] else ())


def _spelled(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is meant, in its own letters; None if none or several are."""
    if name in names:
        return name
    near = [each for each in names if each.lower() == name.lower()]
    return near[0] if len(near) == 1 else None


def split_level(text: str) -> tuple[str, int | None]:
    """Part a name from the lowest relevant grade that may end it, as in ranx.

    Examples
    --------
    >>> split_level("P_5-l2"), split_level("map")
    (('P_5', 2), ('map', None))
    """
    name, _, level = text.rpartition("-l")
    return (name, int(level)) if name and level.isdecimal() else (text, None)


def trec_fields(name: TrecName) -> dict[str, Any]:
    """Return what the parameters in a name of trec_eval stand for; of set_F it is beta squared.

    Examples
    --------
    >>> trec_fields(TrecName("set_F", ("4",))), trec_fields(TrecName("P", ("5",)))
    ({'beta': 2.0}, {'depth': 5})
    """
    measure, given = name
    if not given:
        return {}
    if "=" in given[0]:
        pairs = (pair.split("=") for pair in given)
        return {"gain": {int(grade): float(gain) for grade, gain in pairs}}
    if measure == "11pt_avg":
        return {"levels": tuple(map(float, given))}
    if measure == "utility":
        if len(given) != len(_PRICES):
            raise MetricError("four coefficients of utility, as in utility.1,-1,0,0", str(name))
        return dict(zip(_PRICES, map(float, given), strict=True))
    if measure == "set_F":
        if len(given) > 1:
            raise MetricError("one parameter of set_F, beta squared", str(name))
        return {"beta": float(given[0]) ** 0.5}
    at = ALIASES[TREC_NAMES[measure]].at
    (number,) = given
    return {at: float(number) if "." in number or at == "recall" else int(number)}
