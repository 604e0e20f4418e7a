"""What every metric shares: a frozen value whose text reads back, registered under its names."""

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import partial, wraps
from typing import Any, ClassVar, Literal, Self

import numpy as np

from irframe.arrays import Array, Floats
from irframe.checks import choice, number, whole
from irframe.errors import DepthError, MetricError
from irframe.gains import Gain, GainMap, gain_text, parse_gain
from irframe.metrics.evidence import Evidence
from irframe.names import HIGHEST_GRADE, as_html


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
    name = f"{spec.name} of {metric}"
    words, limits = spec.metadata.get("choices"), spec.metadata.get("limits", {})
    if words and (isinstance(value, str) or not limits):
        return choice(name, value, words, MetricError)
    if words:
        return whole(name, value, **limits, error=MetricError)
    if limits or spec.type in {"float", float}:
        number(name, value, **limits, error=MetricError)
    return value


Summary = Literal["mean", "sum", "harmonic", "geometric"]
"""How scores are averaged over topics."""

Average = Literal["mean", "geometric"]
"""The same, where a metric leaves it to choose."""

METRICS: dict[str, type["Metric"]] = {}
"""Every metric by its class name, those of irframe in the order of their names."""

ALIASES: dict[str, Any] = {}
"""Every name a metric answers to, its own included; the class, or a `Setting` of it."""

WRITTEN_LAST = {"rel": 1, "depth": 2}
"""The last fields in the text of a metric, in their order."""

PARSED: dict[str, "Metric"] = {}
"""Metrics by texts that they were parsed from, for as long as no further class is defined."""


def parameter(
    default: Any = MISSING,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: tuple[str, ...] = (),
    shown: bool = False,
) -> Any:
    """Declare a field of a metric with its range, checked when a value is made.

    Parameters
    ----------
    default
        The default; without one the parameter must be given.
    low, high
        Smallest and largest value allowed.
    above, below
        Bounds that are not themselves allowed.
    choices
        The words allowed.
    shown
        Whether the text of a metric names the parameter even at its default.

    Returns
    -------
    dataclasses.Field
        For use in a class body.
    """
    ends = {"low": low, "high": high, "above": above, "below": below}
    limits = {name: end for name, end in ends.items() if end is not None}
    metadata = {"limits": limits, "choices": choices, "shown": shown}
    return field(default=default, metadata=metadata)


def _summed(terms: Callable[..., Floats]) -> Callable[..., Floats]:
    """Return the kernel whose score at each depth is the sum of the terms of the ranks so far."""

    @wraps(terms)
    def kernel(metric: Any, **words: Any) -> Floats:
        return np.asarray(terms(metric, **words).cumsum(axis=-1))

    return kernel


def _divided(
    parts: Callable[..., tuple[Array, Array]],
) -> tuple[Callable[..., Floats], Callable[..., Floats]]:
    """Return the kernel and the terms of a score that is a sum over ranks, divided at the end.

    Dividing what each rank adds would round elsewhere than trec_eval does, and at times turn the
    last of four decimals.
    """

    @wraps(parts)
    def kernel(metric: Any, **words: Any) -> Floats:
        added, total = parts(metric, **words)
        return np.asarray(added.cumsum(axis=-1) / total)

    @wraps(parts)
    def terms(metric: Any, **words: Any) -> Floats:
        added, total = parts(metric, **words)
        return np.asarray(added / total[..., -1:])

    return kernel, terms


class MetricType(type):
    """Class of the metric classes: lets ``nDCG @ 10`` stand for ``nDCG() @ 10``."""

    def __matmul__(cls, depth: float) -> "Metric":
        metric: Metric = cls(**{cls.at: depth})  # type: ignore[attr-defined]
        return metric


@dataclass(frozen=True, kw_only=True, repr=False)
class Metric(metaclass=MetricType):
    """Base of the metrics: a frozen value, its parameters are its fields.

    Parameters
    ----------
    depth
        Fixed evaluation depth, at least 1, usually written ``metric @ depth``. Without one a
        metric is scored at every depth asked for.
    judged_only
        Whether unjudged documents are removed from a list, and its ranks closed up, before it is
        scored or cut, as `condense` and trec_eval -J do. Such a metric has no bounds, and lists
        must be there as a whole.

    Notes
    -----
    Facts of a class that studies read: `needs_depth`, whether the value changes with the depth
    even where nothing more is retrieved; `additive`, whether it adds up gain, each rank counting
    no more than the one above; `average`, how topics are averaged; `sees_length`, whether it sees
    how long a list is; `favours_short`, whether a list that ends earlier may look better though it
    finds less; `unit`, whether gains must not exceed 1; `subtopics`, whether it reads
    judgments by subtopic, None for one that reads either; `spans`, the same of judgments by spans
    of text; `timed`, whether it reads how long documents are; `least_topics`, from how many topics
    on an interval of its mean holds as often as it says; `order`, what must rank higher for the
    score to be highest at every depth,
    ``"reward"`` being gain that only relevant documents are paid for; `by_grade`, which follows
    from the others: whether that order is by grade, and one document more never lowers its score;
    `ceiling`, a second kernel
    for the score if unjudged documents and unread ranks held all that they might,
    for metrics without a recall base, whose lowest score is the score itself; `fillings`, for
    metrics with one: ``"cut"`` where a relevant document past the depth can only lower the score,
    ``"list"`` where it may also raise it, see `irframe.extremes.labelings`; `graded`, what else it
    takes where grades gain differently: ``"labelings"`` or ``"ratios"``, the modules of
    `irframe.extremes`; `terms`, a further kernel for what each rank
    adds to the score at the last depth, for metrics that are such a sum; where the terms are the
    same at every depth, no other kernel is needed; `parts`, in place of both, what each rank adds
    and by what the sum is divided; `linear`, whether it is linear in what single documents gain, so
    that the mean over all orders of tied documents is the score of shared gains; `expected`, a
    further kernel for that mean where it has another closed form; `by_gain`, whether it reads
    nothing of a document but its gain, so that any number will do; `reading`,
    what users do who follow the metric, an `irframe.metrics.reading.Reading`, for those of the
    C/W/L framework. A class made with ``abstract=True`` is none of the metrics, but what some
    share.

    Examples
    --------
    >>> from irframe.metrics import RBP, nDCG
    >>> nDCG() @ 10, str(nDCG @ 10), RBP(p=0.5) == RBP(p=0.5)
    (nDCG()@10, 'nDCG@10', True)
    """

    depth: int | None = None
    judged_only: bool = False

    aliases: ClassVar[tuple[str, ...]] = ()
    at: ClassVar[str] = "depth"
    cost: ClassVar[bool] = False
    linear: ClassVar[bool] = False
    by_gain: ClassVar[bool] = False
    needs_depth: ClassVar[bool] = False
    additive: ClassVar[bool] = False
    sees_length: ClassVar[bool] = False
    favours_short: ClassVar[bool] = False
    unit: ClassVar[bool] = False
    subtopics: ClassVar[bool | None] = False
    spans: ClassVar[bool | None] = False
    timed: ClassVar[bool] = False
    average: ClassVar[Summary] = "mean"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    least_topics: ClassVar[int] = 2
    order: ClassVar[Literal["", "relevance", "gain", "reward", "preference", "judged"]] = ""
    fillings: ClassVar[Literal["", "cut", "list"]] = ""
    by_grade: ClassVar[bool] = False
    graded: ClassVar[Literal["", "labelings", "ratios"]] = ""
    ceiling: ClassVar[Callable[..., Floats] | None] = None
    terms: ClassVar[Callable[..., Floats] | None] = None
    expected: ClassVar[Callable[..., Floats] | None] = None
    reading: ClassVar[Callable[..., Any] | None] = None
    kernel: ClassVar[Callable[..., Floats]]

    def __init_subclass__(cls, *, abstract: bool = False) -> None:
        super().__init_subclass__()
        sees_more = cls.sees_length or cls.favours_short or cls.subtopics is not False
        cls.by_grade = cls.order not in {"", "judged"} and not sees_more
        if "parts" in vars(cls):
            cls.kernel, cls.terms = _divided(cls.parts)  # type: ignore[attr-defined]
        elif cls.terms and not hasattr(cls, "kernel"):
            cls.kernel = _summed(cls.terms)
        if abstract:
            return
        identity = cls.__module__, cls.__qualname__  # the same class made again keeps its names
        taken = [
            f"{name} of {other.__module__}"
            for name in (cls.__name__, *cls.aliases)
            if (other := ALIASES.get(name)) and (other.__module__, other.__qualname__) != identity
        ]
        if taken:
            wanted = f"names of its own for the metric {identity[1]}"
            raise MetricError(wanted, "taken ones", "", taken)
        PARSED.clear()
        METRICS[cls.__name__] = cls
        ALIASES.update(dict.fromkeys((cls.__name__, *cls.aliases), cls))

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = getattr(self, spec.name)
            plain = value.item() if isinstance(value, np.generic) else value
            object.__setattr__(self, spec.name, checked(type(self).__name__, spec, plain))
        gain = getattr(self, "gain", None)
        if self.unit and isinstance(gain, GainMap):
            large = [f"{grade}: {value}" for grade, value in gain.pairs if value > 1]
            if large:
                name = type(self).__name__
                raise MetricError(f"gains of at most 1 for {name}", "more", "", large)

    def __matmul__(self, depth: int) -> Self:
        return replace(self, depth=depth)

    def uncut(self) -> Self | None:
        """Return the metric of all that was retrieved, or None if its value needs a depth."""
        return None if self.needs_depth else self

    @property
    def by_prefix(self) -> bool:
        """Whether the score at a depth is, to the last bit, that of lists cut there."""
        return not self.judged_only

    def _arguments(self, at: str) -> str:
        shown = []
        for spec in sorted(fields(self), key=lambda spec: WRITTEN_LAST.get(spec.name, 0)):
            value: Any = getattr(self, spec.name)
            default: Any = spec.default
            usual = value == (parse_gain(default) if spec.name == "gain" else default)
            if spec.name != at and (spec.metadata.get("shown") or not usual):
                text = gain_text(value) if isinstance(value, Gain) else repr(value)
                shown.append(f"{spec.name}={text}")
        return ", ".join(shown)

    _repr_html_ = as_html

    def __repr__(self) -> str:
        text = f"{type(self).__name__}({self._arguments('depth')})"
        return text if self.depth is None else f"{text}@{self.depth!r}"

    def named(self, label: str) -> Self:
        """Return the same metric under a name that a caller gave it, which is then its text.

        Examples
        --------
        >>> from irframe.metrics import Recall
        >>> str((Recall @ 5).named("R@5")), (Recall @ 5).named("R@5") == Recall @ 5
        ('R@5', True)
        """
        other = copy(self)
        object.__setattr__(other, "_label", label)
        return other

    def without_depth(self) -> Self:
        """Return the same metric at every depth, under a name of its own.

        Examples
        --------
        >>> from irframe.metrics import nDCG
        >>> (nDCG @ 10).without_depth() == nDCG()
        True
        """
        other = copy(self)
        object.__setattr__(other, "depth", None)
        other.__dict__.pop("_label", None)
        return other

    def __str__(self) -> str:
        label: str | None = self.__dict__.get("_label")
        if label is not None:
            return label
        arguments, at = self._arguments(self.at), getattr(self, self.at)
        text = type(self).__name__ + (f"({arguments})" if arguments else "")
        return text if at is None else f"{text}@{at!r}"

    def __call__(self, labels: Any, scores: Any = None, *, listed: Any = None) -> Any:
        """Score candidates by their labels, ranked by their scores: arrays, no ids, no frames.

        Parameters
        ----------
        labels
            Grades of candidates, whole numbers, shape (..., n); NaN where unjudged.
        scores
            What candidates are ranked by, highest first and ties in the order given, of a shape
            that goes with that of the labels; -inf for those that are not retrieved. Without
            scores candidates are in the order of their ranks.
        listed
            Which candidates are retrieved, False for padding; by default all.

        Returns
        -------
        numpy.ndarray
            Scores at the metric's depth or, without one, where rows end; shape (...). Labels that
            are an xarray.DataArray, or scores, give one, without the dimension of candidates,
            which is the last one of the labels.

        Raises
        ------
        IrframeError
            For a metric that reads more than grades, subtopics, strata, the pool, spans or
            lengths; for labels that are no grades, scores that are missing, and shapes that do
            not go together.

        Notes
        -----
        To the last bit what `irframe.evaluate` gives for the same lists with ``ties="order"``. All
        labels of a row that are numbers are its judgments, also those that are not listed, so
        padding is labelled NaN. Gains are scaled by the highest label of the call, where they do
        not say by what: ``ERR(gain=Linear(top=3))`` scores a batch as its rows.

        Examples
        --------
        >>> from irframe.metrics import nDCG
        >>> round(nDCG(depth=10)([0, 2, 1], [0.3, 0.2, 0.1]).item(), 4)
        0.6697
        >>> (nDCG @ 10)([[2, 1], [0, 1]])
        array([1.        , 0.63092975])
        """
        return self._on_arrays(labels, scores, listed, every=False)

    def curve(self, labels: Any, scores: Any = None, *, listed: Any = None) -> Any:
        """Score candidates at every depth, as the metric called on the same arrays at its own.

        Parameters
        ----------
        labels, scores, listed
            As for a call.

        Returns
        -------
        numpy.ndarray
            Scores, shape (..., n); of a DataArray with the dimension ``depth``.

        Examples
        --------
        >>> from irframe.metrics import P
        >>> P().curve([1, 0, 1], listed=[True, True, False])
        array([1.        , 0.5       , 0.33333333])
        """
        return self._on_arrays(labels, scores, listed, every=True)

    def _on_arrays(self, *given: Any, every: bool) -> Any:
        from irframe.metrics.labels import score_labels  # noqa: PLC0415 - which reads its facts

        return score_labels(self, *given, every=every)

    def score(self, evidence: Evidence) -> Floats:
        """Score rankings at every depth.

        Parameters
        ----------
        evidence
            The rankings and what is known of their topics.

        Returns
        -------
        numpy.ndarray
            Scores, shape (..., depth); a metric with a fixed depth stays constant past it.
        """
        seen = self._seen(evidence)
        return self._hold(self._every_depth(seen), seen.grade.shape)

    def _seen(self, evidence: Evidence) -> Evidence:
        """Return the rankings that count."""
        return evidence.condensed() if self.judged_only else evidence

    def _every_depth(self, evidence: Evidence) -> Floats:
        """Return what the kernel gives, once for all depths that a metric is fixed to."""
        name = "expected" if evidence.over_orders and self.expected else "kernel"
        if self.depth is None:
            return np.asarray(self._call(name, evidence))
        free = self.without_depth()
        if free not in evidence.scored:
            evidence.scored[free] = self._call(name, evidence)
        return evidence.scored[free]

    def _call(self, name: str, evidence: Evidence) -> Any:
        """Return what one of the kernels gives."""
        return getattr(self, name)(**evidence.read(self, name))

    def highest(self, evidence: Evidence) -> Floats:
        """Score rankings as if unjudged documents and unread ranks held all that they might.

        Parameters
        ----------
        evidence
            The rankings and what is known of their topics.

        Returns
        -------
        numpy.ndarray
            Scores, shape (..., depth), as the metric's ``ceiling`` has them.
        """
        return self._hold(self._call("ceiling", evidence), evidence.grade.shape)

    def read(self, evidence: Evidence) -> list[Floats]:
        """Say what users do who follow the metric.

        Parameters
        ----------
        evidence
            The rankings and what is known of their topics.

        Returns
        -------
        list of numpy.ndarray
            The five quantities of `irframe.metrics.reading.QUANTITIES`, shape (..., depth) each.
        """
        evidence = self._seen(evidence)
        quantities = self._call("reading", evidence).quantities().values()
        return [self._hold(values, evidence.grade.shape) for values in quantities]

    def _hold(self, values: Floats, shape: tuple[int, ...]) -> Floats:
        if values.shape != shape:
            values = np.broadcast_to(values, shape)
        if self.depth is not None and self.depth < shape[-1]:
            values = values.copy()
            values[..., self.depth :] = values[..., self.depth - 1 : self.depth]
        return values


@dataclass(frozen=True, kw_only=True, repr=False)
class Thresholded(Metric, abstract=True):
    """A metric that tells relevant documents from others: those of a grade from `rel` on."""

    rel: int = parameter(1, low=1, high=HIGHEST_GRADE)


class Preset(partial[Metric]):
    """A metric with some of its parameters set, for a name of its own; used as a class is.

    Examples
    --------
    >>> from irframe.metrics import GMAP
    >>> GMAP @ 10
    AP(average='geometric')@10
    """

    @property
    def at(self) -> str:
        """The parameter that stands behind ``@``."""
        return str(self.kind.at)

    @property
    def kind(self) -> Any:
        """The metric."""
        return self.func

    def __matmul__(self, depth: float) -> Metric:
        return self(**{self.at: depth})
