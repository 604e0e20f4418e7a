"""Gain maps, which turn grades into gains."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.checks import as_written, check_int
from irframe.errors import MetricError
from irframe.names import HIGHEST_GRADE, as_html

__all__ = ["Binary", "Exponential", "Gain", "GainMap", "Linear", "parse_gain"]


@dataclass(frozen=True, kw_only=True)
class Gain(ABC):
    """Base class of gain maps, which are frozen dataclasses.

    Examples
    --------
    >>> isinstance(Linear(), Gain)
    True
    """

    _repr_html_ = as_html

    @abstractmethod
    def map(self, grade: NDArray[np.integer[Any]], *, rel: int, top: int) -> NDArray[np.float64]:
        """Return the gain of each grade.

        Parameters
        ----------
        grade
            Judged grades, in an array of any shape. The gain of a negative grade is 0.
        rel
            The relevance threshold of the metric: the lowest relevant grade.
        top
            The highest grade in the judgments of all topics, at least 1.

        Returns
        -------
        numpy.ndarray
            Gains, in the shape of `grade`.
        """


@dataclass(frozen=True, kw_only=True)
class Binary(Gain):
    """Gain 1 from the relevance threshold `rel` on, else 0.

    Notes
    -----
    ``G = [g >= rel]``.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import numpy as np
    >>> Binary().map(np.array([-1, 0, 1, 2]), rel=2, top=2)
    array([0., 0., 0., 1.])
    """

    def map(self, grade: NDArray[np.integer[Any]], *, rel: int, top: int) -> NDArray[np.float64]:  # noqa: ARG002
        """Return 1 for grades of at least `rel`, else 0."""
        return (grade >= rel).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class _Scaled(Gain):
    top: int | None = None

    def __post_init__(self) -> None:
        if self.top is not None:
            check_int("top", self.top, low=1, high=HIGHEST_GRADE, error=MetricError)


def _floats(grade: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return grades in double precision, with 0 for negative grades.

    Without the conversion, functions of numpy return half precision for 8-bit grades.
    """
    return np.asarray(np.maximum(grade, 0), dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Linear(_Scaled):
    """Gain proportional to the grade, 1 for the top grade.

    Parameters
    ----------
    top
        Top of the grade scale, 1 to 32,767. The default is the highest grade in the judgments of
        all topics.

    Notes
    -----
    ``G = g / top``, and 0 for negative grades.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import numpy as np
    >>> Linear().map(np.array([-1, 0, 1, 2]), rel=1, top=2)
    array([0. , 0. , 0.5, 1. ])
    """

    def map(self, grade: NDArray[np.integer[Any]], *, rel: int, top: int) -> NDArray[np.float64]:  # noqa: ARG002
        """Return the grade as a share of the top grade."""
        return np.asarray(_floats(grade) / (self.top or top))


@dataclass(frozen=True, kw_only=True)
class Exponential(_Scaled):
    """Gain that roughly doubles with every grade.

    Parameters
    ----------
    top
        Top of the grade scale, 1 to 32,767. The default is the highest grade in the judgments of
        all topics.

    Notes
    -----
    ``G = (2**g - 1) / 2**top``, and 0 for negative grades. The gain of the top grade is slightly
    below 1.

    References
    ----------
    .. [1] Chapelle, Metlzer, Zhang, Grinspan. Expected reciprocal rank for graded relevance.
       CIKM 2009. doi:10.1145/1645953.1646033

    Examples
    --------
    >>> import numpy as np
    >>> Exponential().map(np.array([-1, 0, 1, 2]), rel=1, top=2)
    array([0.  , 0.  , 0.25, 0.75])
    """

    def map(self, grade: NDArray[np.integer[Any]], *, rel: int, top: int) -> NDArray[np.float64]:  # noqa: ARG002
        """Return the exponential gain."""
        # the top grade is subtracted in the exponent, because 2**grade may overflow
        above = float(self.top or top)
        return np.asarray(np.exp2(_floats(grade) - above) - np.exp2(-above))


@dataclass(frozen=True, init=False, repr=False)
class GainMap(Gain):
    """Gain that the caller lists for each grade.

    Parameters
    ----------
    gains
        Mapping from grades to gains of at least 0. The gain of negative grades must be 0. Scoring
        raises an error if the judgments contain a positive grade without a gain. The gain of all
        other unlisted grades is 0.

    Examples
    --------
    >>> import numpy as np
    >>> GainMap({1: 0.2, 2: 1}).map(np.array([0, 1, 2]), rel=1, top=2)
    array([0. , 0.2, 1. ])
    """

    pairs: tuple[tuple[int, float], ...] = field(default=())

    def __init__(self, gains: Mapping[int, float]) -> None:
        bad = [
            f"{grade!r}: {gain!r}"
            for grade, gain in gains.items()
            if not isinstance(grade, int | np.integer)
            or not isinstance(gain, int | float | np.number)
            or not 0 <= gain < np.inf
            or grade < 0 < gain
        ]
        if bad or not gains:
            expected = "a map from integer grades to finite gains of at least 0"
            raise MetricError(f"{expected}, and of 0 for negative grades", "", "", bad)
        pairs = tuple(sorted((int(grade), float(gain)) for grade, gain in gains.items()))
        # a frozen dataclass refuses plain assignment; pairs, unlike a dictionary, can be hashed
        object.__setattr__(self, "pairs", pairs)

    def __repr__(self) -> str:
        return f"GainMap({dict(self.pairs)!r})"

    def map(self, grade: NDArray[np.integer[Any]], *, rel: int, top: int) -> NDArray[np.float64]:  # noqa: ARG002
        """Return the gain of each grade, or 0 if unlisted."""
        listed, gains = np.transpose(self.pairs)
        # a grade above all listed grades gets the last position, and differs from the grade there
        index = np.searchsorted(listed, grade).clip(max=len(listed) - 1)
        return np.where(listed[index] == grade, gains[index], 0.0)

    def missing(self, levels: NDArray[np.integer[Any]]) -> list[int]:
        """Return the positive grades in `levels` that have no gain."""
        listed = {grade for grade, _ in self.pairs}
        return [int(level) for level in levels if level > 0 and int(level) not in listed]


GAINS: dict[str, type[Gain]] = {"binary": Binary, "linear": Linear, "exp": Exponential}
"""Mapping from short names of gain maps to classes."""
LONG_NAMES = {"exponential": "exp"}
"""Mapping from long names of gain maps to short names."""


def parse_gain(gain: Gain | type[Gain] | str | Mapping[int, float]) -> Gain:
    """Convert a name, mapping or text to a gain map.

    Parameters
    ----------
    gain
        ``"binary"``, ``"linear"``, ``"exp"`` or ``"exponential"``; a mapping from grades to gains;
        a `Gain`; or a `Gain` as a string, such as ``"Linear(top=3)"``.

    Returns
    -------
    Gain
        The gain map.

    Examples
    --------
    >>> parse_gain("linear"), parse_gain({1: 0.5, 2: 1})
    (Linear(top=None), GainMap({1: 0.5, 2: 1.0}))
    """
    if isinstance(gain, Gain):
        return gain
    if isinstance(gain, type) and issubclass(gain, Gain):
        return gain()
    if isinstance(gain, Mapping):
        return GainMap(gain)
    if isinstance(gain, str) and LONG_NAMES.get(gain, gain) in GAINS:
        return GAINS[LONG_NAMES.get(gain, gain)]()
    kinds = {"GainMap": GainMap} | {kind.__name__: kind for kind in GAINS.values()}
    written: Gain | None = as_written(gain, kinds)
    if written is not None:
        return written
    names = ", ".join(map(repr, GAINS))
    kinds_of = f"{names}, a mapping from grades to gains, or a Gain"
    raise MetricError(f"a gain map ({kinds_of})", repr(gain))


SPELT = range(1, 128)
"""Grades that ir_measures uses as gains, unless the user sets other gains for them."""


def from_ir_measures(gains: Mapping[int, float]) -> Gain:
    """Convert the argument `gains` of ir_measures to a gain map.

    In ir_measures, the gain of an unlisted grade is the grade itself.

    Examples
    --------
    >>> import numpy as np
    >>> from_ir_measures({}), from_ir_measures({1: 5}).map(np.array([1, 2]), rel=1, top=2)
    (Linear(top=None), array([5., 2.]))
    """
    # Linear divides all gains by the top grade, which does not change nDCG
    if all(grade == gain for grade, gain in gains.items()):
        return Linear()
    return GainMap({grade: grade for grade in SPELT} | dict(gains))


def gain_text(gain: Gain) -> str:
    """Return the shortest string that `parse_gain` converts to the gain.

    Examples
    --------
    >>> gain_text(Linear()), gain_text(Linear(top=3)), gain_text(GainMap({1: 1}))
    ("'linear'", 'Linear(top=3)', '{1: 1.0}')
    """
    for name, kind in GAINS.items():
        if type(gain) is kind and gain == kind():
            return repr(name)
    return repr(dict(gain.pairs)) if isinstance(gain, GainMap) else repr(gain)
