"""Parse metrics from text and from measures of ir_measures."""

import ast
import re
from collections.abc import Iterable
from dataclasses import MISSING, fields, replace
from functools import partial
from typing import Any

from irframe.elsewhere import nearest, suggest
from irframe.errors import MetricError, warn
from irframe.gains import (
    GAINS,
    SPELT,
    Binary,
    Exponential,
    GainMap,
    Linear,
    from_ir_measures,
    parse_gain,
)
from irframe.metrics import spellings
from irframe.metrics.base import ALIASES, METRICS, PARSED, Metric, MetricType

GDEVAL_TOP = 4
"""Highest grade in gdeval, which does not depend on the judgments."""


class Preset(partial[Metric]):
    """A metric class with some parameters set.

    Examples
    --------
    >>> from irframe.metrics import GMAP
    >>> GMAP @ 10
    AP(average='geometric')@10
    """

    @property
    def at(self) -> str:
        """Name of the parameter that is written after ``@``."""
        return str(self.kind.at)

    @property
    def kind(self) -> Any:
        """The metric class."""
        return self.func

    def __matmul__(self, depth: float) -> Metric:
        return self(**{self.at: depth})


def is_foreign(metric: object) -> bool:
    """Return whether an object is a measure of ir_measures."""
    return type(metric).__module__.partition(".")[0] == "ir_measures"


def _from_object(measure: Any) -> Metric:
    """Return the metric for a measure of ir_measures."""
    name = measure.NAME
    params = dict(measure.params)
    if "gains" in params or params.get("max_rel") is not None:
        return _with_gains(name, params, str(measure))
    if name == "SetF":  # the parameter beta of ir_measures is the square of beta, as in trec_eval
        measure = measure(beta=measure["beta"] ** 0.5)
    metric = parse_metric(str(measure))
    gain: dict[str, Any] = {"ERR": {"gain": Exponential(top=GDEVAL_TOP)}}  # ir_measures runs gdeval
    # RBP of ir_measures has graded gain, unless a lowest relevant grade is passed
    gain |= {} if "rel" in params else {"RBP": {"gain": Linear()}}
    return replace(metric, **gain.get(name, {}))


def _with_gains(name: str, params: dict[str, Any], text: str) -> Metric:
    """Return the metric for the gain parameters of ir_measures."""
    log2 = params.pop("dcg", "log2") == "log2"
    if "gains" in params:  # in ir_measures, a grade that gains= does not list is its own gain
        expected = "either gains= or dcg="
        gains = {grade: grade for grade in SPELT} | params.pop("gains")
    else:
        expected = "min_rel and max_rel with linear gain (dcg='log2')"
        low, high = params.pop("min_rel", 0), params.pop("max_rel")
        gains = {grade: min(max((grade - low) / (high - low), 0), 1) for grade in SPELT}
    if not log2:
        raise MetricError(expected, text)
    metric: Metric = ALIASES[name](gain=GainMap(gains), depth=params.pop("cutoff", None), **params)
    return metric


SYNONYMS: dict[str, str] = {"cutoff": "depth", "gains": "gain", "dcg": "gain"}
"""Mapping from the name of a parameter in ir_measures to its name in irframe."""

VALUES: dict[str, str] = {"log2": "linear", "exp-log2": "exp"}
"""Mapping from each value of the parameter ``dcg`` of ir_measures to the name of a gain map."""


LONGEST = 4000
"""Maximum number of characters in the text of a metric. Gain maps with one gain for every grade are
shorter."""

CACHED = 1000
"""Maximum number of texts in the cache of parsed metrics."""


def parse_metric(text: object) -> Metric:
    """Parse the name of a metric.

    Parameters
    ----------
    text
        A name in irframe, a name in another tool or benchmark, or a metric object:

        - irframe: ``"nDCG"``, ``"nDCG@10"``, ``"RBP(p=0.5, gain='linear')@20"``.
        - trec_eval: ``"ndcg_cut_10"``, ``"map"``.
        - ranx: ``"hit_rate@5"``, ``"precision@5-l2"``.
        - cwl_eval: ``"RBP@0.8"``.
        - MTEB, BEIR or DPR: ``"ndcg_at_10"``, ``"HR@5"``, ``"top_1_accuracy"``.
        - Experiment trackers: ``"RBP.p-0.8_at_10"``.
        - A measure object of the package ir_measures, with the same meaning as in ir_measures. In
          ir_measures, ``ERR`` has the top grade 4 of gdeval, ``RBP`` without ``rel`` has graded
          gain, and ``beta`` of ``SetF`` is the square of beta.
        - A metric, which is returned unchanged.

        Case is ignored if only one metric matches.

    Returns
    -------
    Metric
        The metric. If the text of this metric is parsed, the result is an equal metric.

    Raises
    ------
    MetricError
        If the name or a parameter is unknown, or if the text has more than 4,000 characters.

    Examples
    --------
    >>> parse_metric("nDCG(gain='exp')@10"), parse_metric("map_cut_10"), parse_metric("MRR@10")
    (nDCG(gain='exp')@10, AP()@10, RR()@10)
    """
    if isinstance(text, Metric):
        return text
    if isinstance(text, MetricType | Preset):
        return _build(text, {}, repr(text))
    if is_foreign(text):
        return _from_object(text)
    if not isinstance(text, str):
        raise MetricError("a metric or its name", repr(text))
    metric = PARSED.get(text) or _parsed(_validated(text))
    if len(PARSED) >= CACHED:
        PARSED.clear()
    PARSED[text] = metric
    return metric


def _parsed(text: str) -> Metric:
    """Parse text, trying the names of each tool in turn."""
    text = re.sub(spellings.NDEVAL, r"\1_\2", text)
    text = spellings.benchmark_name(text) or spellings.from_plain(text) or text
    # the decoded name of a tracker may be a name in benchmarks, so benchmarks are tried again
    text = spellings.benchmark_name(text) or text
    if len(several := listed_measures(text)) > 1:
        described = f"{text!r}, which has {len(several)} measures"
        raise MetricError("one metric", described, "pass a list of names, or one name", several)
    name, level = spellings.split_level(text)
    metric = _from_trec(name) or spellings.from_cwl(name) or _from_ranx(name)
    metric = metric or _from_expression(re.sub(r"^([A-Za-z]{2,})_(\d+)$", r"\1@\2", name))
    if level is None:
        return metric
    if not has_level(metric):
        raise MetricError("a metric with a lowest relevant grade before -l", repr(text))
    if getattr(metric, "rel") != 1:  # noqa: B009
        raise MetricError("one lowest relevant grade", f"two lowest relevant grades in {text!r}")
    rel: dict[str, Any] = {"rel": level}
    return replace(metric, **rel)


def parse_named(metric: Any) -> list[Metric]:
    """Parse a name as one or more metrics with labels.

    Parameters
    ----------
    metric
        Any argument of `parse_metric`, or a name that stands for several measures in trec_eval,
        such as ``"P.5,10"``, ``"ndcg_cut"`` or ``"official"``.

    Returns
    -------
    list of Metric
        Metrics with the requested names as labels. Measures that irframe does not implement are
        left out of sets such as ``"official"``.

    Warns
    -----
    IrframeWarning
        If a set contains measures that irframe does not implement.

    Examples
    --------
    >>> [str(metric) for metric in parse_named("P.5,10")], [str(m) for m in parse_named("R@5")]
    (['P_5', 'P_10'], ['R@5'])
    """
    if is_foreign(metric):  # the label is kept only if irframe parses it to the same metric
        parsed = parse_metric(metric)
        name = str(metric)
        is_equal = metric.NAME not in {"ERR", "RBP", "SetF"} or parse_metric(name) == parsed
        return [parsed.named(name) if is_equal else parsed]
    if not isinstance(metric, str):
        return [parse_metric(metric)]
    labels = [str(metric)] if str(metric) in PARSED else listed_measures(_validated(str(metric)))
    if len(labels) == 1:
        spellings.warn_of_ambiguity(str(metric).strip())
        return [parse_metric(metric).named(str(metric))]
    supported = [label for label in labels if _from_trec(spellings.split_level(label)[0])]
    if missing := ", ".join(label for label in labels if label not in supported):
        warn(f"measures of {metric!r} that irframe does not have are left out: {missing}")
    return [parse_metric(label).named(label) for label in supported]


def _validated(text: str) -> str:
    """Return the text without outer whitespace, or raise if invalid."""
    text = text.strip()
    if len(text) > LONGEST:
        described = f"{len(text):,} characters that begin with {text[:20]!r}"
        raise MetricError(f"a metric of at most {LONGEST:,} characters", described)
    name, _, depth = text.partition("@")
    if name in spellings.TWO_MEANINGS:
        advice = " or ".join(f"{m}@{depth}" if depth else m for m in spellings.TWO_MEANINGS[name])
        described = f"{text!r}, which has two meanings"
        raise MetricError("an unambiguous name", described, f"write {advice}")
    return text


def listed_measures(text: str) -> list[str]:
    """Return the measures that a name in trec_eval stands for.

    Text that is not such a name is returned as the only item.

    Examples
    --------
    >>> listed_measures("P.5,10"), listed_measures("map")
    (['P_5', 'P_10'], ['map'])
    """
    name, level = spellings.split_level(text)
    end = "" if level is None else f"-l{level}"
    if name in spellings.SETS:
        pairs = ((label, _from_trec(label)) for label in spellings.each_of_set(name))
        return [
            f"{label}{end}" if metric and has_level(metric) else label for label, metric in pairs
        ]
    parsed = spellings.trec_name(name)
    if parsed is None:
        return [text]
    if name in spellings.DEFAULTS:
        parsed = spellings.TrecName(name, spellings.DEFAULTS[name])
    several = parsed.measures
    return [text] if len(several) == 1 else [f"{measure}{end}" for measure in several]


def has_level(metric: Metric) -> bool:
    """Return whether a lowest relevant grade applies to a metric.

    A lowest relevant grade does not apply to metrics with graded gain.

    Examples
    --------
    >>> has_level(parse_metric("AP")), has_level(parse_metric("nDCG"))
    (True, False)
    """
    graded = parse_gain(getattr(metric, "gain", "binary")) != Binary()
    return hasattr(metric, "rel") and not graded


def names_exactly(text: str) -> bool:
    """Return whether a metric has exactly this name, including case.

    Examples
    --------
    >>> names_exactly("nDCG@10"), names_exactly("map_cut_10-l2"), names_exactly("JUDGED")
    (True, True, False)
    """
    name, _ = spellings.split_level(text.strip())
    names = ALIASES.keys() | spellings.TREC_NAMES.keys() | spellings.RANX_NAMES.keys()
    return re.split(r"[@(.]|_[\d.]", name)[0] in names


def _from_trec(text: str) -> Metric | None:
    name = None if _is_letter(text) else spellings.trec_name(text)
    if name is None or len(name.measures) > 1:
        return None
    return _build(ALIASES[spellings.TREC_NAMES[name.measure]], spellings.trec_fields(name), text)


def _is_letter(text: str) -> bool:
    """Return whether a string is a single lower-case letter.

    Single letters are not names of metrics, because they often mean something else, such as a
    p-value.
    """
    return len(text) == 1 and text.islower()


def _from_ranx(text: str) -> Metric | None:
    """Return the metric for a name of ranx, or None."""
    match = re.fullmatch(r"([A-Za-z][A-Za-z0-9_-]*?)(?:([@.])(\d+))?", text)
    if match is None:
        return None
    name, separator, number = match.groups()
    names = {candidate.lower() for candidate in (*ALIASES, *spellings.TREC_NAMES)}
    # case is ignored only for names that no other tool uses, because Precision is P, but precision
    # in ranx is SetP
    name = name if name in spellings.RANX_NAMES or name.lower() in names else name.lower()
    if name not in spellings.RANX_NAMES:
        return None
    if separator and name == "rbp":
        advice = f"write 'RBP@{number}' for a depth, or 'RBP(p=0.{number})' for a persistence"
        raise MetricError("an unambiguous name", f"{text!r}, which has two meanings", advice)
    if separator == ".":
        return None
    if not separator:
        return _from_expression(spellings.RANX_UNCUT.get(name, spellings.RANX_NAMES[name]))
    return replace(_from_expression(spellings.RANX_NAMES[name]), depth=int(number))


def _from_expression(text: str) -> Metric:
    try:
        expression: ast.expr = ast.parse(text, mode="eval").body
    # deeply nested text raises RecursionError or MemoryError
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise MetricError("a metric such as 'nDCG@10' or 'RBP(p=0.8)'", repr(text)) from None
    node = expression
    at = None
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.MatMult):
        node = expression.left
        at = _value(expression.right, text)
    arguments: dict[str, Any] = {}
    positional: list[ast.expr] = []
    if isinstance(node, ast.Call):
        positional = node.args
        arguments = {str(k.arg): _value(k.value, text) for k in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name):
        raise MetricError("a metric such as 'nDCG@10' or 'RBP(p=0.8)'", repr(text))
    kind = _kind(node.id, bare=node is expression)
    arguments |= _positional(kind, [_value(value, text) for value in positional], text)
    if at is not None:
        arguments["depth" if kind.at in arguments else kind.at] = at
    return _build(kind, arguments, text)


def _positional(kind: Any, values: list[object], text: str) -> dict[str, object]:
    """Return a mapping from parameter name to positional value."""
    names = [
        spec.name for spec in fields(getattr(kind, "kind", kind)) if spec.metadata.get("shown")
    ]
    if len(values) > 1 or (values and len(names) != 1):
        raise MetricError("parameters by name, as in 'RBP(p=0.8)'", repr(text))
    return dict(zip(names, values, strict=False))


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        gains = {kind.__name__: kind for kind in GAINS.values()}
        if (kind := gains.get(node.func.id)) and not node.args:
            arguments = {str(key.arg): _value(key.value, text) for key in node.keywords}
            _refuse_unknown(arguments, [spec.name for spec in fields(kind)], kind.__name__, text)
            return kind(**arguments)
        if node.func.id == "GainMap" and len(node.args) == 1:
            return parse_gain(_value(node.args[0], text))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise MetricError("parameters as numbers, quoted text or gain maps", repr(text)) from None


def _refuse_unknown(names: Iterable[str], valid: Iterable[str], kind: str, text: str) -> None:
    """Raise if a parameter is not among the valid ones."""
    for name in names:
        if name not in valid:
            described = f"{name} in {text!r}{suggest(name, [*valid])}"
            advice = f"{kind} has {', '.join(sorted(valid)) or 'none'}"
            raise MetricError(f"parameters of {kind}", described, advice)


def _kind(name: str, *, bare: bool) -> Any:
    """Return the metric class for a name, ignoring case.

    A single lower-case letter is the name of a metric only if a depth follows.
    """
    kinds = {trec: ALIASES[alias] for trec, alias in spellings.TREC_NAMES.items()} | ALIASES
    if name in ALIASES:
        return ALIASES[name]
    matches = {kinds[candidate] for candidate in kinds if candidate.lower() == name.lower()}
    if len(matches) == 1 and not (bare and _is_letter(name)):
        return matches.pop()
    if len(matches) > 1:
        names = sorted({getattr(kind, "kind", kind).__name__ for kind in matches})
        raise MetricError("the name of one metric", f"{name!r}, which may be any of", "", names)
    # the shortest name that begins with the text is the likeliest suggestion
    longer = sorted((candidate for candidate in kinds if candidate.startswith(name)), key=len)
    hint = suggest(name, [*METRICS, *kinds, *spellings.RANX_NAMES]) or nearest(name, METRICS)
    if longer and len(name) > 3:
        hint = f" (did you mean {longer[0]}?)"
    advice = "see irframe.metrics.METRICS or the command irframe metrics for all names"
    raise MetricError("a known metric", f"{name!r}{hint}", advice)


def _replace_gain_parameters(kind: MetricType, arguments: dict[str, Any], text: str) -> None:
    """Replace the gain parameters of ir_measures by gain maps."""
    if arguments.pop("min_rel", 0):
        raise MetricError("linear gain from grade 0 on", f"a min_rel above 0 in {text!r}")
    if "max_rel" in arguments:
        arguments["gain"] = Linear(top=arguments.pop("max_rel"))
    if kind.__name__ == "nDCG" and isinstance(arguments.get("gains"), dict):
        if arguments.pop("dcg", "log2") != "log2":
            raise MetricError("gains= only with dcg='log2'", repr(text))
        arguments["gains"] = from_ir_measures(arguments["gains"])
    if "dcg" in arguments:
        arguments["dcg"] = VALUES.get(str(arguments["dcg"]), arguments["dcg"])


def _build(named: MetricType | Preset, arguments: dict[str, Any], text: str) -> Metric:
    kind: Any = named
    fixed: dict[str, Any] = {}
    if isinstance(named, Preset):
        kind = named.kind
        fixed = named.keywords
    if kind.__name__ == "NumRet" and "rel" in arguments:  # as in ir_measures
        kind = ALIASES["NumRelRet"]
    if kind.__name__ == "SetP" and arguments.pop("relative", False):
        kind = ALIASES["SetRelativeP"]
    _replace_gain_parameters(kind, arguments, text)
    defaults = {spec.name: spec.default for spec in fields(kind) if spec.name not in fixed}
    args = {n if n in defaults else SYNONYMS.get(n, n): value for n, value in arguments.items()}
    _refuse_unknown(args, defaults, kind.__name__, text)
    missing = [n for n, default in defaults.items() if default is MISSING and n not in args]
    if missing:
        expected = f"{kind.__name__} with the parameters {', '.join(missing)}"
        raise MetricError(expected, repr(text))
    metric: Metric = kind(**fixed, **args)
    return metric
