"""The measures of ir_measures as objects, which mean what its providers compute."""

from collections.abc import Callable
from typing import Any

from irframe.errors import MetricError
from irframe.gains import Exponential, GainMap, Linear
from irframe.metrics.base import ALIASES, Metric
from irframe.names import HIGHEST_GRADE

GDEVAL_TOP = 4
"""The top grade that gdeval has for any judgments."""
CLIPPED = ("BPM", "INSQ", "INST", "NERR10", "NERR11", "NERR8", "NERR9", "SDCG")
"""Measures whose gain is the share of the way from one grade to another."""

Parse = Callable[[Any], Metric]


def is_foreign(metric: Any) -> bool:
    """Tell whether this is a measure of the package ir_measures."""
    return type(metric).__module__.partition(".")[0] == "ir_measures"


def from_object(measure: Any, parse: Parse) -> Metric:
    """Return the metric that a measure of ir_measures is.

    Parameters
    ----------
    measure
        The measure.
    parse
        Returns the metric of a text, which most of them are written as.

    Raises
    ------
    MetricError
        For what irframe does not have.
    """
    return _OTHERWISE.get(measure.NAME, _alike)(measure, parse)


def _alike(measure: Any, parse: Parse) -> Metric:
    return parse(str(measure))


def _balanced(measure: Any, parse: Parse) -> Metric:
    """Return SetF, whose beta is squared already in ir_measures, as in trec_eval."""
    return parse(str(measure(beta=measure["beta"] ** 0.5)))


def _of_gdeval(measure: Any, parse: Parse) -> Metric:
    metric: Metric = ALIASES["ERR"](
        **vars(parse(str(measure))) | {"gain": Exponential(top=GDEVAL_TOP)}
    )
    return metric


def _binary_or_graded(measure: Any, parse: Parse) -> Metric:
    """Return RBP of relevant documents; without a threshold it is graded in ir_measures."""
    fields = vars(parse(str(measure)))
    graded: Metric = ALIASES["RBP"](**fields | {"gain": Linear()})
    return parse(str(measure)) if "rel" in measure.params else graded


def _with_gains(measure: Any, parse: Parse) -> Metric:
    """Return nDCG, where grades without a gain of their own gain what they are."""
    given = dict(measure.params)
    if "gains" not in given:
        return parse(str(measure))
    if given.pop("dcg", "log2") != "log2":
        raise MetricError("gains or a formula of DCG", str(measure))
    gains = {grade: grade for grade in range(1, HIGHEST_GRADE + 1)} | given.pop("gains")
    metric: Metric = ALIASES["nDCG"](gain=GainMap(gains), depth=given.pop("cutoff", None), **given)
    return metric


def _clipped(measure: Any, parse: Parse) -> Metric:
    """Return a metric whose gain is the share of the way from one grade to another."""
    given = dict(measure.params)
    low, high = given.pop("min_rel", 0), given.pop("max_rel", None)
    if high is None:
        return parse(str(measure))
    if given.pop("dcg", "log2") != "log2":
        raise MetricError("a gain that rises evenly from min_rel to max_rel", str(measure))
    shares = {
        grade: min(max((grade - low) / (high - low), 0), 1) for grade in range(1, HIGHEST_GRADE + 1)
    }
    depth = given.pop("cutoff", None)
    metric: Metric = ALIASES[measure.NAME](**given, gain=GainMap(shares), depth=depth)
    return metric


_OTHERWISE: dict[str, Callable[[Any, Parse], Metric]] = {
    "ERR": _of_gdeval,
    "RBP": _binary_or_graded,
    "SetF": _balanced,
    "nDCG": _with_gains,
} | dict.fromkeys(CLIPPED, _clipped)
"""Measures that are called or parametrised otherwise in ir_measures."""
