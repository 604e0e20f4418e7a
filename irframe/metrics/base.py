"""Base class and registry of the metrics."""

from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import wraps
from typing import Any, ClassVar, Literal, Self

import numpy as np

from irframe.arrays import Array, Floats
from irframe.checks import check_int, choice, number
from irframe.errors import DepthError, MetricError
from irframe.gains import Gain, GainMap, gain_text, parse_gain
from irframe.names import HIGHEST_GRADE, as_html
from irframe.quantities.evidence import Evidence


def checked(metric: str, spec: Field[Any], value: Any) -> Any:
    """Return a parameter's value, or raise if invalid."""
    if spec.name == "gain":
        return parse_gain(value)
    if value is None and spec.default is None:
        return None
    if spec.name == "depth":
        return check_int(f"depth of {metric}", value, low=1, error=DepthError)
    # the type is a string if the module that defines the metric postpones annotations
    if spec.type in {"bool", bool} and not isinstance(value, bool):
        raise MetricError(f"{spec.name} of {metric} to be True or False", repr(value))
    name = f"{spec.name} of {metric}"
    choices = spec.metadata.get("choices")
    limits = spec.metadata.get("limits", {})
    if choices and (isinstance(value, str) or not limits):
        return choice(name, value, choices, MetricError)
    if choices:
        return check_int(name, value, **limits, error=MetricError)
    if limits or spec.type in {"float", float}:
        number(name, value, **limits, error=MetricError)
    return value


Summary = Literal["mean", "sum", "harmonic", "geometric"]
"""Type of the ways to combine the scores of all topics."""

Average = Literal["mean", "geometric"]
"""Type of the parameter `average` of a metric."""

METRICS: dict[str, type["Metric"]] = {}
"""Mapping from the name of each metric class to the class, sorted by name."""

ALIASES: dict[str, Any] = {}
"""Mapping from each name of a metric, including alternative names, to its class, or to a `Preset`
of the class."""

WRITTEN_LAST = {"rel": 1, "depth": 2}
"""Mapping from the name of a parameter to its sort key in the text of a metric. All other
parameters have the key 0, and are printed first."""

PARSED: dict[str, "Metric"] = {}
"""Cache that maps the text of a metric to the parsed metric. Defining a metric class clears the
cache."""


def parameter(
    default: object = MISSING,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: tuple[str, ...] = (),
    shown: bool = False,
) -> Any:
    """Declare a parameter of a metric with its valid range.

    Values are checked when a metric is created.

    Parameters
    ----------
    default
        Default value. A parameter without a default is required.
    low, high
        Smallest and largest valid value.
    above, below
        Exclusive lower and upper bound.
    choices
        Valid strings.
    shown
        Whether the text of a metric contains the parameter even if the parameter has its default
        value.

    Returns
    -------
    dataclasses.Field
        The field, to be assigned to a name in the class body.
    """
    ends = {"low": low, "high": high, "above": above, "below": below}
    limits = {name: end for name, end in ends.items() if end is not None}
    metadata = {"limits": limits, "choices": choices, "shown": shown}
    return field(default=default, metadata=metadata)


def _summed(terms: Callable[..., Floats]) -> Callable[..., Floats]:
    """Return a kernel that sums terms down to each depth."""

    # `wraps` keeps the signature, which tells `Evidence.read` the quantities to pass
    @wraps(terms)
    def kernel(metric: object, **quantities: object) -> Floats:
        return np.asarray(terms(metric, **quantities).cumsum(axis=-1))

    return kernel


def _divided(
    terms_and_divisor: Callable[..., tuple[Array, Array]],
) -> tuple[Callable[..., Floats], Callable[..., Floats]]:
    """Return kernel and terms of a sum with a divisor."""

    @wraps(terms_and_divisor)
    def kernel(metric: object, **quantities: object) -> Floats:
        added, divisor = terms_and_divisor(metric, **quantities)
        # dividing each term instead of the sum would change the fourth decimal of some scores
        return np.asarray(added.cumsum(axis=-1) / divisor)

    @wraps(terms_and_divisor)
    def terms(metric: object, **quantities: object) -> Floats:
        added, divisor = terms_and_divisor(metric, **quantities)
        return np.asarray(added / divisor[..., -1:])

    return kernel, terms


class MetricType(type):
    """Metaclass of metrics, which makes ``nDCG @ 10`` valid."""

    def __new__(
        mcs, name: str, bases: tuple[type, ...], body: dict[str, object], *, abstract: bool = False
    ) -> "MetricType":
        """Create a metric class."""
        # To copy a class that a notebook defines, cloudpickle creates an empty class and fills it
        # later. To name lazy arrays, dask makes such copies, and drops them without filling them.
        copied = not body.keys() - {"__module__"}
        return super().__new__(mcs, name, bases, body | {"abstract": abstract or copied})

    def __matmul__(cls, depth: float) -> "Metric":
        metric: Metric = cls(**{cls.at: depth})  # type: ignore[attr-defined]
        return metric


@dataclass(frozen=True, kw_only=True, repr=False)
class Metric(metaclass=MetricType):
    """Base class of metrics, which are frozen dataclasses.

    Parameters
    ----------
    depth
        Fixed evaluation depth, at least 1, usually written ``metric @ depth``.
    judged_only
        Whether to remove unjudged documents before lists are cut and scored, as ``trec_eval -J``
        does. If True, lists must be read to the end, and score bounds are not available.

    Notes
    -----
    Each class declares these properties of its metric:

    - `needs_depth`: whether the score of a list still changes at depths beyond the end of the list,
      as for `P`.
    - `average`: the kind of average over topics that summaries report.
    - `sees_length`: whether the score depends on the length of the list.
    - `favours_short`: whether a list may score better if its only relevant document is removed.
    - `unit`: whether gains must be at most 1.
    - `subtopics`, `spans`, `timed`: whether the metric requires judgments by subtopic, judgments by
      spans of text, or lengths of documents. None means that these judgments or lengths are
      optional.
    - `least_topics`: minimum number of topics for nominal coverage of confidence intervals of
      means.
    - `order`: the sort key of the ranking that is best at every depth, or an empty string if there
      is no such key. ``"reward"`` is the gain of relevant documents, with all other documents last.
    - `linear`: whether the score is linear in the gains of documents. If True, the mean score over
      all orders of tied documents equals the score computed from their mean gains.
    - `fillings`: for metrics with a recall base, ``"cut"`` if a relevant document past the depth
      can only lower the score, and ``"list"`` if the document may also raise the score.
    - `graded`: the method for bounds if relevant grades differ in gain, ``"labelings"`` or
      ``"ratios"``, as described in `irframe.extremes`.

    Two properties are derived from these properties:

    - `additive`: whether the score is a sum of gains with weights that do not rise with rank.
    - `by_grade`: whether `order` is by grade and the score does not depend on the length of the
      list. If `by_grade` is true, a document appended to a list never lowers the score.

    A class defines a `kernel`, which scores rankings at every depth. A class may define further
    kernels:

    - `ceiling`: the highest score for any labels of unjudged and unread documents, for metrics
      without a recall base. For metrics with a `ceiling`, the lower bound is the score itself.
    - `terms`: the contribution of each rank to the score at the last depth, for metrics that are
      sums. No `kernel` is needed if the terms do not depend on the depth.
    - `parts`: the terms before division, and their divisor. A class that defines `parts` needs no
      `kernel` and no `terms`.
    - `expected`: the mean score over all orders of tied documents, for metrics that are not linear.
    - `reading`: the expected gain and cost of reading, for metrics of the C/W/L framework.

    A class created with ``abstract=True`` is not registered as a metric.

    Examples
    --------
    >>> from irframe.metrics import RBP, nDCG
    >>> nDCG() @ 10, str(nDCG @ 10), RBP(p=0.5) == RBP(p=0.5)
    (nDCG()@10, 'nDCG@10', True)
    """

    depth: int | None = None
    judged_only: bool = False

    abstract: ClassVar[bool]
    aliases: ClassVar[tuple[str, ...]] = ()
    at: ClassVar[str] = "depth"
    cost: ClassVar[bool] = False
    linear: ClassVar[bool] = False
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
    order: ClassVar[Literal["", "relevance", "gain", "reward", "judged"]] = ""
    fillings: ClassVar[Literal["", "cut", "list"]] = ""
    by_grade: ClassVar[bool] = False
    graded: ClassVar[Literal["", "labelings", "ratios"]] = ""
    ceiling: ClassVar[Callable[..., Floats] | None] = None
    terms: ClassVar[Callable[..., Floats] | None] = None
    expected: ClassVar[Callable[..., Floats] | None] = None
    reading: ClassVar[Callable[..., Any] | None] = None
    kernel: ClassVar[Callable[..., Floats]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        depends_on_more = cls.sees_length or cls.favours_short or cls.subtopics is not False
        cls.additive = cls.linear and cls.order == "gain" and not cls.sees_length
        cls.by_grade = cls.order not in {"", "judged"} and not depends_on_more
        if "parts" in vars(cls):
            cls.kernel, cls.terms = _divided(cls.parts)  # type: ignore[attr-defined]
        elif cls.terms and not hasattr(cls, "kernel"):
            cls.kernel = _summed(cls.terms)
        if cls.abstract:
            return
        # rerunning a notebook cell defines its class again, which is not a conflict
        identity = cls.__module__, cls.__qualname__
        conflicts = [
            f"{name} of {kind.__module__}"
            for name in (cls.__name__, *cls.aliases)
            if (kind := ALIASES.get(name)) and (kind.__module__, kind.__qualname__) != identity
        ]
        if conflicts:
            expected = f"names for the metric {identity[1]} that no other metric has"
            raise MetricError(expected, "names in use", "", conflicts)
        PARSED.clear()
        METRICS[cls.__name__] = cls
        ALIASES.update(dict.fromkeys((cls.__name__, *cls.aliases), cls))

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = getattr(self, spec.name)
            # numpy prints its numbers as np.float64(0.5), which metrics would repeat in their text
            plain = value.item() if isinstance(value, np.generic) else value
            object.__setattr__(self, spec.name, checked(type(self).__name__, spec, plain))
        gain = getattr(self, "gain", None)
        pairs = gain.pairs if self.unit and isinstance(gain, GainMap) else ()
        if large := [f"{grade}: {value}" for grade, value in pairs if value > 1]:
            expected = f"gains of at most 1 for {type(self).__name__}"
            raise MetricError(expected, "larger gains", "", large)

    def __matmul__(self, depth: int) -> Self:
        return replace(self, depth=depth)

    def uncut(self) -> Self | None:
        """Return the metric without cutoff, or None if undefined."""
        return None if self.needs_depth else self

    @property
    def by_prefix(self) -> bool:
        """Whether cutting lists leaves scores down to the cut unchanged."""
        return not self.judged_only

    def _arguments(self, at: str) -> str:
        shown = []
        for spec in sorted(fields(self), key=lambda spec: WRITTEN_LAST.get(spec.name, 0)):
            value: object = getattr(self, spec.name)
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
        """Return the metric with a label that `str` prints.

        Examples
        --------
        >>> from irframe.metrics import Recall
        >>> str((Recall @ 5).named("R@5")), (Recall @ 5).named("R@5") == Recall @ 5
        ('R@5', True)
        """
        renamed = copy(self)
        # the label is not a field, so that it changes neither equality nor the hash
        object.__setattr__(renamed, "_label", label)
        return renamed

    def without_depth(self) -> Self:
        """Return the same metric without fixed depth and label.

        Examples
        --------
        >>> from irframe.metrics import nDCG
        >>> (nDCG @ 10).without_depth() == nDCG()
        True
        """
        # a copy takes 7 us, and `replace`, which checks all parameters again, takes 48 us
        free = copy(self)
        object.__setattr__(free, "depth", None)
        free.__dict__.pop("_label", None)
        return free

    def __str__(self) -> str:
        label: str | None = self.__dict__.get("_label")
        if label is not None:
            return label
        arguments = self._arguments(self.at)
        value = getattr(self, self.at)
        text = type(self).__name__ + (f"({arguments})" if arguments else "")
        return text if value is None else f"{text}@{value!r}"

    def __call__(self, labels: Any, scores: Any = None, *, listed: Any = None) -> Any:
        """Score labels of candidates, ranked by retrieval scores.

        Parameters
        ----------
        labels
            Integer grades of the candidates, shape (..., n). NaN means unjudged.
        scores
            Retrieval scores, in a shape that broadcasts with the labels. Candidates are ranked by
            decreasing score, and candidates with equal scores keep their order. A candidate with a
            score of -inf was not retrieved. By default, candidates are in the order of their ranks.
        listed
            Whether each candidate was retrieved, False for padding. By default, all candidates were
            retrieved.

        Returns
        -------
        numpy.ndarray
            Scores of rankings, shape (...). Rankings are cut at the fixed depth of the metric. If
            labels or scores are an xarray.DataArray, the result is an xarray.DataArray without the
            dimension of the candidates, which is the last dimension of the labels.

        Raises
        ------
        IrframeError
            If the metric reads subtopics, strata, the pool, spans or lengths. If labels are not
            grades, if scores are missing, or if the shapes do not broadcast.

        Notes
        -----
        The scores are bitwise equal to those of `irframe.evaluate` with ``ties="order"``. All
        labels except NaN are judgments, including those of candidates that were not retrieved.
        Padding therefore needs the label NaN. Gain maps without a top grade are scaled by the
        highest label in the call. To score rows independently of each other, set the top grade, for
        example with ``ERR(gain=Linear(top=3))``.

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
        """Score labels of candidates at every depth.

        Parameters
        ----------
        labels, scores, listed
            Labels, retrieval scores and retrieved candidates, as in `__call__`.

        Returns
        -------
        numpy.ndarray
            Scores, shape (..., n). The last dimension of a DataArray is called ``depth``.

        Examples
        --------
        >>> from irframe.metrics import P
        >>> P().curve([1, 0, 1], listed=[True, True, False])
        array([1.        , 0.5       , 0.33333333])
        """
        return self._on_arrays(labels, scores, listed, every=True)

    def _on_arrays(self, *arrays: Any, every: bool) -> Any:
        from irframe.metrics.labels import score_labels  # noqa: PLC0415 - it imports this module

        return score_labels(self, *arrays, every=every)

    def score(self, evidence: Evidence) -> Floats:
        """Score rankings at every depth.

        Parameters
        ----------
        evidence
            The rankings and the judgments of their topics.

        Returns
        -------
        numpy.ndarray
            Scores, shape (..., depth). Scores are constant past the fixed depth of the metric.
        """
        evidence = self._condensed(evidence)
        return self._constant_past_depth(self._every_depth(evidence), evidence.grade.shape)

    def _condensed(self, evidence: Evidence) -> Evidence:
        """Return the evidence, without unjudged documents if `judged_only` is True."""
        return evidence.condensed() if self.judged_only else evidence

    def _every_depth(self, evidence: Evidence) -> Floats:
        """Return scores at every depth, cached for all fixed depths."""
        name = "expected" if evidence.over_orders and self.expected else "kernel"
        if self.depth is None:
            return np.asarray(self._call(name, evidence))
        free = self.without_depth()
        if free not in evidence.scored:
            evidence.scored[free] = self._call(name, evidence)
        return evidence.scored[free]

    def _call(self, name: str, evidence: Evidence) -> Any:
        """Call a kernel with the quantities that it reads."""
        return getattr(self, name)(**evidence.read(self, name))

    def highest(self, evidence: Evidence) -> Floats:
        """Return the highest score that unjudged documents allow.

        Parameters
        ----------
        evidence
            The rankings and the judgments of their topics.

        Returns
        -------
        numpy.ndarray
            Upper bounds of the scores from the kernel `ceiling`, shape (..., depth).
        """
        return self._constant_past_depth(self._call("ceiling", evidence), evidence.grade.shape)

    def read(self, evidence: Evidence) -> list[Floats]:
        """Return the C/W/L quantities of the metric's user model.

        Parameters
        ----------
        evidence
            The rankings and the judgments of their topics.

        Returns
        -------
        list of numpy.ndarray
            The five quantities of `irframe.metrics.reading.QUANTITIES`, each of shape (..., depth).
        """
        evidence = self._condensed(evidence)
        shape = evidence.grade.shape
        quantities = self._call("reading", evidence).quantities().values()
        return [self._constant_past_depth(values, shape) for values in quantities]

    def _constant_past_depth(self, values: Floats, shape: tuple[int, ...]) -> Floats:
        """Broadcast values, and make them constant past the fixed depth."""
        if values.shape != shape:
            values = np.broadcast_to(values, shape)
        if self.depth is not None and self.depth < shape[-1]:
            values = values.copy()  # metrics that differ only in depth share the cached scores
            values[..., self.depth :] = values[..., self.depth - 1 : self.depth]
        return values


@dataclass(frozen=True, kw_only=True, repr=False)
class Thresholded(Metric, abstract=True):
    """Base class of metrics with a relevance threshold `rel`."""

    rel: int = parameter(1, low=1, high=HIGHEST_GRADE)
