"""Metrics from text, and from objects of ir_measures: one grammar for the names of all tools."""

import ast
import re
from collections.abc import Iterable
from dataclasses import MISSING, fields, replace
from typing import Any

from irframe.elsewhere import nearest, suggest
from irframe.errors import MetricError, warn
from irframe.gains import GAINS, SPELT, Binary, Exponential, GainMap, Linear, moved, parse_gain
from irframe.metrics import spellings
from irframe.metrics.base import ALIASES, METRICS, PARSED, Metric, MetricType, Preset

GDEVAL_TOP = 4
"""The top grade that gdeval has for any judgments."""


def is_foreign(metric: Any) -> bool:
    """Tell whether this is a measure of the package ir_measures."""
    return type(metric).__module__.partition(".")[0] == "ir_measures"


def _from_object(measure: Any) -> Metric:
    """Return the metric that a measure of ir_measures is, most of which are written as here."""
    name, given = measure.NAME, dict(measure.params)
    if "gains" in given or given.get("max_rel") is not None:
        return _with_gains(name, given, str(measure))
    if name == "SetF":  # whose beta is squared already there, as in trec_eval
        measure = measure(beta=measure["beta"] ** 0.5)
    metric = parse_metric(str(measure))
    gain: dict[str, Any] = {"ERR": {"gain": Exponential(top=GDEVAL_TOP)}}  # that of gdeval
    gain |= {} if "rel" in given else {"RBP": {"gain": Linear()}}  # which is graded there
    return replace(metric, **gain.get(name, {}))


def _with_gains(name: str, given: dict[str, Any], text: str) -> Metric:
    """Return a metric of gains as given, or as the share of the way between two grades."""
    grades, log2 = SPELT, given.pop("dcg", "log2") == "log2"
    if "gains" in given:  # grades without one gain what they are
        wanted, gains = "gains or a formula of DCG", {g: g for g in grades} | given.pop("gains")
    else:
        wanted = "a gain that rises evenly from min_rel to max_rel"
        low, high = given.pop("min_rel", 0), given.pop("max_rel")
        gains = {grade: min(max((grade - low) / (high - low), 0), 1) for grade in grades}
    if not log2:
        raise MetricError(wanted, text)
    metric: Metric = ALIASES[name](gain=GainMap(gains), depth=given.pop("cutoff", None), **given)
    return metric


SYNONYMS: dict[str, str] = {"cutoff": "depth", "gains": "gain", "dcg": "gain"}
"""Parameter names of ir_measures, and ours."""

VALUES: dict[str, str] = {"log2": "linear", "exp-log2": "exp"}
"""Values of the parameter ``dcg`` of ir_measures, and our gain maps."""


LONGEST = 4000
"""Characters of a text that may name a metric; a gain for every grade there is fits."""

REMEMBERED = 1000
"""How many texts are known with the metrics that they stand for."""


def parse_metric(text: Any) -> Metric:
    """Return the metric that a text stands for.

    Parameters
    ----------
    text
        ``"nDCG"``, ``"nDCG@10"``, ``"RBP(p=0.5, gain='linear')@20"``; a name of trec_eval such
        as ``"ndcg_cut_10"`` or ``"map"``, of ranx such as ``"hit_rate@5"`` or ``"precision@5-l2"``,
        of cwl_eval such as ``"RBP@0.8"``, of MTEB, BEIR or DPR such as ``"ndcg_at_10"``, ``"HR@5"``
        or ``"top_1_accuracy"``; a plain one, ``"RBP.p-0.8_at_10"``; a measure of the package
        ir_measures, which means what it does there: ``ERR`` has gdeval's top grade of 4, ``RBP``
        without ``rel`` is graded, and beta of ``SetF`` is squared already; or a metric, which is
        returned as it is. Case does not matter where only one
        metric can be meant.

    Returns
    -------
    Metric
        The metric; ``parse_metric(str(metric)) == metric``.

    Raises
    ------
    MetricError
        For an unknown name or parameter, listing what there is, and for a text of more than 4,000
        characters.

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
    metric = PARSED.get(text) or _parsed(_fitting(text))
    if len(PARSED) >= REMEMBERED:
        PARSED.clear()
    PARSED[text] = metric
    return metric


def _parsed(text: str) -> Metric:
    """Return the metric that a text stands for, by the first tool that has it."""
    words = re.sub(spellings.NDEVAL, r"\1_\2", text)
    words = spellings.benchmark_name(words) or spellings.from_plain(words) or words
    words = spellings.benchmark_name(words) or words
    if len(several := listed_measures(words)) > 1:
        shown = f"{len(several)} measures in {words!r}"
        raise MetricError("one metric", shown, "score them all, or name one", several)
    name, level = spellings.split_level(words)
    known = _from_trec(name) or spellings.from_cwl(name) or _from_ranx(name)
    known = known or _from_expression(re.sub(r"^([A-Za-z]{2,})_(\d+)$", r"\1@\2", name))
    if level is None:
        return known
    if not has_level(known):
        raise MetricError(f"parameters of {type(known).__name__}", repr(words), "", ["rel"])
    if getattr(known, "rel") != 1:  # noqa: B009
        raise MetricError("one lowest relevant grade", f"{words!r}, which has two")
    given: dict[str, Any] = {"rel": level}
    return replace(known, **given)


def parse_named(metric: Any) -> list[Metric]:
    """Return the metrics that a text stands for, each under the name by which it was asked for.

    Parameters
    ----------
    metric
        What `parse_metric` takes; or a text that stands for several metrics as in trec_eval:
        ``"P.5,10"``, ``"ndcg_cut"``, ``"official"``.

    Returns
    -------
    list of Metric
        Metrics whose text is the name asked for. Of a set of trec_eval those that irframe has.

    Warns
    -----
    IrframeWarning
        For measures of a set that irframe does not have.

    Examples
    --------
    >>> [str(metric) for metric in parse_named("P.5,10")], [str(m) for m in parse_named("R@5")]
    (['P_5', 'P_10'], ['R@5'])
    """
    if is_foreign(metric):  # by the name that it has there, if that means the same here
        parsed, name = parse_metric(metric), str(metric)
        same = metric.NAME not in {"ERR", "RBP", "SetF"} or parse_metric(name) == parsed
        return [parsed.named(name) if same else parsed]
    if not isinstance(metric, str):
        return [parse_metric(metric)]
    labels = [str(metric)] if str(metric) in PARSED else listed_measures(_fitting(str(metric)))
    if len(labels) == 1:
        spellings.warn_of_doubt(str(metric).strip())
        return [parse_metric(metric).named(str(metric))]
    known = [label for label in labels if _from_trec(spellings.split_level(label)[0])]
    if missing := ", ".join(label for label in labels if label not in known):
        warn(f"measures of {metric!r} that irframe does not have are left out: {missing}")
    return [parse_metric(label).named(label) for label in known]


def _fitting(text: str) -> str:
    """Return a text without blanks around it, refusing one that no parser is to be asked about."""
    text = text.strip()
    if len(text) > LONGEST:
        found = f"{len(text):,} characters that begin with {text[:20]!r}"
        raise MetricError(f"a metric in at most {LONGEST:,} characters", found)
    name, _, depth = text.partition("@")
    if name in spellings.TWO_MEANINGS:
        advice = " or ".join(f"{m}@{depth}" if depth else m for m in spellings.TWO_MEANINGS[name])
        raise MetricError("a name of one meaning", f"{text!r}, which has two", f"write {advice}")
    return text


def listed_measures(text: str) -> list[str]:
    """Return the measures that a text of trec_eval stands for, or the text itself.

    Examples
    --------
    >>> listed_measures("P.5,10"), listed_measures("map")
    (['P_5', 'P_10'], ['map'])
    """
    name, level = spellings.split_level(text)
    end = "" if level is None else f"-l{level}"
    if name in spellings.SETS:
        pairs = ((label, _from_trec(label)) for label in spellings.each_of_set(name))
        return [label + end * bool(known and has_level(known)) for label, known in pairs]
    parsed = spellings.trec_name(name)
    if parsed is None:
        return [text]
    if name in spellings.DEFAULTS:
        parsed = spellings.TrecName(name, spellings.DEFAULTS[name])
    several = parsed.measures
    return [text] if len(several) == 1 else [f"{measure}{end}" for measure in several]


def has_level(metric: Metric) -> bool:
    """Return whether there is a lowest relevant grade: where grades gain differently is none.

    Examples
    --------
    >>> has_level(parse_metric("AP")), has_level(parse_metric("nDCG"))
    (True, False)
    """
    graded = parse_gain(getattr(metric, "gain", "binary")) != Binary()
    return hasattr(metric, "rel") and not graded


def names_exactly(text: str) -> bool:
    """Tell whether a text names a metric in the very letters of the name.

    Examples
    --------
    >>> names_exactly("nDCG@10"), names_exactly("map_cut_10-l2"), names_exactly("JUDGED")
    (True, True, False)
    """
    name, _ = spellings.split_level(text.strip())
    known = ALIASES.keys() | spellings.TREC_NAMES.keys() | spellings.RANX_NAMES.keys()
    return re.split(r"[@(.]|_[\d.]", name)[0] in known


def _from_trec(text: str) -> Metric | None:
    name = None if _is_letter(text) else spellings.trec_name(text)
    if name is None or len(name.measures) > 1:
        return None
    return _build(ALIASES[spellings.TREC_NAMES[name.measure]], spellings.trec_fields(name), text)


def _is_letter(text: str) -> bool:
    """Tell whether this is a small letter, which by itself names too much else, as a p-value."""
    return len(text) == 1 and text.islower()


def _from_ranx(text: str) -> Metric | None:
    """Return the metric of ``name@cutoff``."""
    match = re.fullmatch(r"([A-Za-z][A-Za-z0-9_-]*?)(?:([@.])(\d+))?", text)
    if match is None:
        return None
    name, sign, number = match.groups()
    others = {known.lower() for known in (*ALIASES, *spellings.TREC_NAMES)}  # in other letters
    name = name if name in spellings.RANX_NAMES or name.lower() in others else name.lower()
    if name not in spellings.RANX_NAMES:
        return None
    if sign and name == "rbp":
        advice = f"write 'RBP@{number}' for the depth, 'RBP(p=0.{number})' for the persistence"
        raise MetricError("one meaning of a number", f"{text!r}, which has two", advice)
    if sign == ".":
        return None
    if not sign:
        return _from_expression(spellings.RANX_UNCUT.get(name, spellings.RANX_NAMES[name]))
    return replace(_from_expression(spellings.RANX_NAMES[name]), depth=int(number))


def _from_expression(text: str) -> Metric:
    try:
        expression: ast.expr = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two if nested
        raise MetricError("a metric such as 'nDCG@10' or 'RBP(p=0.8)'", repr(text)) from None
    node, at = expression, None
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.MatMult):
        node, at = expression.left, _value(expression.right, text)
    arguments: dict[str, Any] = {}
    positional: list[ast.expr] = []
    if isinstance(node, ast.Call):
        positional = node.args
        arguments = {str(k.arg): _value(k.value, text) for k in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name):
        raise MetricError("a metric such as 'nDCG@10' or 'RBP(p=0.8)'", repr(text))
    kind = _kind(node.id, bare=node is expression)
    arguments |= _by_place(kind, [_value(value, text) for value in positional], text)
    if at is not None:
        arguments["depth" if kind.at in arguments else kind.at] = at
    return _build(kind, arguments, text)


def _by_place(kind: Any, values: list[Any], text: str) -> dict[str, Any]:
    """Return a parameter that is given without its name, as a metric's only one may be."""
    known = [
        spec.name for spec in fields(getattr(kind, "kind", kind)) if spec.metadata.get("shown")
    ]
    if len(values) > 1 or (values and len(known) != 1):
        raise MetricError("parameters by name, as in 'RBP(p=0.8)'", repr(text))
    return dict(zip(known, values, strict=False))


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        gains = {kind.__name__: kind for kind in GAINS.values()}
        if (kind := gains.get(node.func.id)) and not node.args:
            given = {str(key.arg): _value(key.value, text) for key in node.keywords}
            _refuse_unknown(given, [spec.name for spec in fields(kind)], kind.__name__, text)
            return kind(**given)
        if node.func.id == "GainMap" and len(node.args) == 1:
            return parse_gain(_value(node.args[0], text))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise MetricError("numbers, words in quotes and gain maps", repr(text)) from None


def _refuse_unknown(given: Iterable[str], known: Iterable[str], kind: str, text: str) -> None:
    """Raise for a parameter that a metric or gain map does not have."""
    for name in given:
        if name not in known:
            found = f"{name} in {text!r}{suggest(name, [*known])}"
            advice = f"{kind} has {', '.join(sorted(known)) or 'none'}"
            raise MetricError(f"parameters of {kind}", found, advice)


def _kind(name: str, *, bare: bool) -> Any:
    """Return the metric of a name; a small letter names one only where a depth follows."""
    kinds = {known: ALIASES[ours] for known, ours in spellings.TREC_NAMES.items()} | ALIASES
    if name in ALIASES:
        return ALIASES[name]
    meant = {kinds[known] for known in kinds if known.lower() == name.lower()}
    if len(meant) == 1 and not (bare and _is_letter(name)):
        return meant.pop()
    if len(meant) > 1:
        names = sorted({getattr(kind, "kind", kind).__name__ for kind in meant})
        raise MetricError("one metric", f"{name!r}, which may be any of", "", names)
    begun = sorted((known for known in kinds if known.startswith(name)), key=len)[: len(name) > 3]
    hint = suggest(name, [*METRICS, *kinds, *spellings.RANX_NAMES])
    hint = f" (did you mean {begun[0]}?)" if begun else hint or nearest(name, METRICS)
    advice = "the command irframe metrics lists all of them, as does irframe.metrics.METRICS"
    raise MetricError("a known metric", f"{name!r}{hint}", advice)


def _take_over(kind: Any, arguments: dict[str, Any], text: str) -> None:
    """Put our gain maps for parameters of ir_measures."""
    if arguments.pop("min_rel", 0):
        raise MetricError("a linear gain from grade 0 on", f"min_rel in {text!r}")
    if "max_rel" in arguments:
        arguments["gain"] = Linear(top=arguments.pop("max_rel"))
    if kind.__name__ == "nDCG" and isinstance(arguments.get("gains"), dict):
        if arguments.pop("dcg", "log2") != "log2":
            raise MetricError("gains= with dcg='log2'", repr(text))
        arguments["gains"] = moved(arguments["gains"])
    if "dcg" in arguments:
        arguments["dcg"] = VALUES.get(str(arguments["dcg"]), arguments["dcg"])


def _build(named: MetricType | Preset, arguments: dict[str, Any], text: str) -> Metric:
    kind: Any = named
    fixed: dict[str, Any] = {}
    if isinstance(named, Preset):
        kind, fixed = named.kind, named.keywords
    if kind.__name__ == "NumRet" and "rel" in arguments:  # as ir_measures has it
        kind = ALIASES["NumRelRet"]
    if kind.__name__ == "SetP" and arguments.pop("relative", False):
        kind = ALIASES["SetRelativeP"]
    _take_over(kind, arguments, text)
    known = {spec.name: spec.default for spec in fields(kind) if spec.name not in fixed}
    given = {n if n in known else SYNONYMS.get(n, n): value for n, value in arguments.items()}
    _refuse_unknown(given, known, kind.__name__, text)
    missing = [n for n, default in known.items() if default is MISSING and n not in given]
    if missing:
        raise MetricError(f"{kind.__name__} with {', '.join(missing)}", repr(text))
    metric: Metric = kind(**fixed, **given)
    return metric
