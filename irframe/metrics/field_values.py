"""What the fields of a metric may hold."""

from dataclasses import Field
from typing import Any

from irframe.checks import choice, number, whole
from irframe.errors import DepthError, MetricError
from irframe.gains import GainMap, parse_gain


def checked(metric: str, spec: Field[Any], value: Any) -> Any:
    """Return the value of a field, or raise for one outside its range."""
    if spec.name == "gain":
        return parse_gain(value)
    if value is None and spec.default is None:
        return None
    if spec.name == "depth":
        return whole(f"depth of {metric}", value, low=1, error=DepthError)
    if spec.type in {"bool", bool} and not isinstance(value, bool):
        raise MetricError(f"{spec.name} of {metric}, True or False", repr(value))
    limits = dict(spec.metadata)
    name, words = f"{spec.name} of {metric}", limits.pop("choices", ())
    limits.pop("shown", None)
    if words:
        return choice(name, value, words, MetricError)
    if any(limit is not None for limit in limits.values()):
        number(name, value, **limits, error=MetricError)
    return value


def refuse_large_gains(metric: Any) -> None:
    """Raise if a gain map goes above 1, where a metric reads gains as shares or probabilities."""
    gain = metric.gain
    if isinstance(gain, GainMap) and (large := [pair for pair in gain.pairs if pair[1] > 1]):
        listed = [f"{grade}: {value}" for grade, value in large]
        raise MetricError(f"gains of at most 1 for {type(metric).__name__}", "more", "", listed)
