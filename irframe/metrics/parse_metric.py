"""Metrics from text: the grammar of ir_measures, the names of trec_eval, ranx and cwl_eval."""

import ast
import difflib
import re
from collections.abc import Iterable
from dataclasses import MISSING, fields, replace
from typing import Any

from irframe.errors import MetricError, warn
from irframe.gains import GAINS, Binary, Gain, Linear, parse_gain
from irframe.metrics.base import ALIASES, METRICS, Metric
from irframe.metrics.cwl_names import from_cwl
from irframe.metrics.spellings import (
    DEFAULTS,
    NDEVAL,
    RANX_NAMES,
    RANX_UNCUT,
    SETS,
    TREC_NAMES,
    each_of_set,
)

SYNONYMS: dict[str, str] = {"cutoff": "depth", "gains": "gain", "dcg": "gain"}
"""Parameter names of ir_measures, and ours."""

VALUES: dict[str, str] = {"log2": "linear", "exp-log2": "exp"}
"""Values of the parameter ``dcg`` of ir_measures, and our gain maps."""


LONGEST = 4000
"""Characters of a text that may name a metric; a gain for every grade there is fits."""


def parse_metric(text: Any) -> Metric:
    """Return the metric that a text stands for.

    Parameters
    ----------
    text
        ``"nDCG"``, ``"nDCG@10"``, ``"RBP(p=0.5, gain='linear')@20"``; a name of trec_eval such
        as ``"ndcg_cut_10"`` or ``"map"``, of ranx such as ``"hit_rate@5"``, ``"rbp.80"`` or
        ``"precision@5-l2"``, of cwl_eval such as ``"RBP@0.8"``; a measure of the package
        ir_measures; or a metric, which is returned as it is. Case does not matter where only one
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
    if isinstance(text, type) and issubclass(text, Metric):
        return _build(text, {}, text.__name__)
    if is_foreign(text):
        text = str(text)
    if not isinstance(text, str):
        raise MetricError("a metric or its name", repr(text))
    words = re.sub(NDEVAL, r"\1_\2", _fitting(text))
    if len(several := listed_measures(words)) > 1:
        shown = f"{len(several)} measures in {words!r}"
        raise MetricError("one metric", shown, "score them all, or name one", several)
    known = _from_trec(words) or from_cwl(words) or _from_ranx(words)
    return known or _from_expression(words)


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
    if not isinstance(metric, str) and not is_foreign(metric):
        return [parse_metric(metric)]
    labels = listed_measures(_fitting(str(metric)))
    if len(labels) == 1:
        return [parse_metric(metric).named(str(metric))]
    known = [label for label in labels if _from_trec(label)]
    if missing := [label for label in labels if label not in known]:
        warn(
            f"measures of {metric!r} that irframe does not have are left out: {', '.join(missing)}"
        )
    return [parse_metric(label).named(label) for label in known]


def _fitting(text: str) -> str:
    """Return a text without blanks around it, refusing one that no parser is to be asked about."""
    text = text.strip()
    if len(text) > LONGEST:
        found = f"{len(text):,} characters that begin with {text[:20]!r}"
        raise MetricError(f"a metric in at most {LONGEST:,} characters", found)
    return text


def is_foreign(metric: Any) -> bool:
    """Tell whether this is a measure of the package ir_measures."""
    return type(metric).__module__.partition(".")[0] == "ir_measures"


def listed_measures(text: str) -> list[str]:
    """Return the measures that a text of trec_eval stands for, or the text itself.

    Examples
    --------
    >>> listed_measures("P.5,10"), listed_measures("map")
    (['P_5', 'P_10'], ['map'])
    """
    if text in SETS:
        return list(each_of_set(text))
    if text in DEFAULTS:
        return [f"{text}_{parameter}" for parameter in DEFAULTS[text]]
    found = re.fullmatch(r"(.+?)[_.](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)+)", text)
    if found is None or _spelled(found[1], TREC_NAMES) is None:
        return [text]
    return [f"{found[1]}_{parameter}" for parameter in found[2].split(",")]


def names_exactly(text: str) -> bool:
    """Tell whether a text names a metric in the very letters of the name.

    Examples
    --------
    >>> names_exactly("nDCG@10"), names_exactly("map_cut_10"), names_exactly("JUDGED")
    (True, True, False)
    """
    return re.split(r"[@(.]|_\d", text.strip())[0] in {*ALIASES, *TREC_NAMES, *RANX_NAMES}


def _spelled(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is meant, in its own letters; None if none or several are."""
    if name in names:
        return name
    near = [each for each in names if each.lower() == name.lower()]
    return near[0] if len(near) == 1 else None


def _from_trec(text: str) -> Metric | None:
    gains = re.fullmatch(r"ndcg[_.](\d+=\d+(?:\.\d+)?(?:,\d+=\d+(?:\.\d+)?)*)", text, re.IGNORECASE)
    if gains:
        pairs = (pair.split("=") for pair in gains[1].split(","))
        return _build(ALIASES["nDCG"], {"gain": {int(g): float(v) for g, v in pairs}}, text)
    found = re.fullmatch(r"(.+?)(?:[_.](\d+(?:\.\d+)?))?", text)
    name = None if found is None else _spelled(found[1], TREC_NAMES)
    if found is None or name is None or _is_letter(text):
        return None
    kind = ALIASES[TREC_NAMES[name]]
    return _build(kind, {} if found[2] is None else _trec_parameter(name, found[2]), text)


def _is_letter(text: str) -> bool:
    """Tell whether this is a small letter, which by itself names too much else, as a p-value."""
    return len(text) == 1 and text.islower()


def _from_ranx(text: str) -> Metric | None:
    """Return the metric of ``name@cutoff-llevel`` or ``rbp.persistence``."""
    found = re.fullmatch(r"([A-Za-z][A-Za-z0-9_-]*?)(?:([@.])(\d+))?(?:-l(\d+))?", text)
    if found is None or (name := _named_by_ranx(found[1])) is None:
        return None
    _, sign, number, level = found.groups()
    ours = RANX_NAMES[name] if number else RANX_UNCUT.get(name, RANX_NAMES[name])
    given: dict[str, Any] = {} if level is None else {"rel": int(level)}
    if sign and name == "rbp":
        if sign == "@":
            advice = f"write 'RBP@{number}' for the depth, 'rbp.{number}' for the persistence"
            raise MetricError("one meaning of a number", f"{text!r}, which has two", advice)
        given["p"] = float(f"0.{number}")
    elif sign == ".":
        return None
    elif sign:
        given["depth"] = int(number)
    plain = _from_expression(ours)
    known = {spec.name for spec in fields(plain)}
    graded = parse_gain(getattr(plain, "gain", "binary")) != Binary()  # its gains need no level
    unknown = [key for key in given if key not in known or (key == "rel" and graded)]
    if unknown:
        raise MetricError(f"parameters of {type(plain).__name__}", repr(text), "", unknown)
    return replace(plain, **given)


def _named_by_ranx(name: str) -> str | None:
    """Return a name of ranx in its own letters, if no other tool has the name in other letters."""
    if name in RANX_NAMES:
        return name
    others = {known.lower() for known in (*ALIASES, *TREC_NAMES)}
    return name.lower() if name.lower() in RANX_NAMES.keys() - others else None


def _trec_parameter(name: str, number: str) -> dict[str, Any]:
    """Return what the number in a name of trec_eval stands for; of set_F it is beta squared."""
    kind = ALIASES[TREC_NAMES[name]]
    if name == "set_F":
        return {"beta": float(number) ** 0.5}
    return {kind.at: float(number) if "." in number or kind.at == "recall" else int(number)}


def _from_expression(text: str) -> Metric:
    try:
        expression: ast.expr = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the last two if nested
        raise MetricError("a metric such as 'nDCG@10' or 'RBP(p=0.8)'", repr(text)) from None
    node, at = expression, None
    if isinstance(expression, ast.BinOp) and isinstance(expression.op, ast.MatMult):
        node, at = expression.left, _value(expression.right, text)
    arguments: dict[str, Any] = {}
    if isinstance(node, ast.Call):
        if node.args:
            raise MetricError("parameters by name, as in 'RBP(p=0.8)'", repr(text))
        arguments = {str(key.arg): _value(key.value, text) for key in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name):
        raise MetricError("a metric such as 'nDCG@10' or 'RBP(p=0.8)'", repr(text))
    kind = _kind(node.id, bare=node is expression)
    if at is not None:
        arguments["depth" if kind.at in arguments else kind.at] = at
    return _build(kind, arguments, text)


def _value(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        gains = {kind.__name__: kind for kind in GAINS.values()}
        if node.func.id in gains and not node.args:
            return _gain(gains[node.func.id], node.keywords, text)
        if node.func.id == "GainMap" and len(node.args) == 1:
            return parse_gain(_value(node.args[0], text))
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise MetricError("numbers, words in quotes and gain maps", repr(text)) from None


def _gain(kind: type[Gain], keywords: list[ast.keyword], text: str) -> Gain:
    given = {str(key.arg): _value(key.value, text) for key in keywords}
    known = [spec.name for spec in fields(kind)]
    unknown = [name for name in given if name not in known]
    if unknown:
        wanted = f"parameters of {kind.__name__}: {', '.join(known) or 'none'}"
        raise MetricError(wanted, repr(text), "", unknown)
    return kind(**given)


def _kind(name: str, *, bare: bool) -> type[Metric]:
    """Return the metric of a name; a small letter names one only where a depth follows."""
    kinds = {known: ALIASES[ours] for known, ours in TREC_NAMES.items()} | ALIASES
    if name in ALIASES:
        return ALIASES[name]
    meant = {kinds[known] for known in kinds if known.lower() == name.lower()}
    if len(meant) == 1 and not (bare and _is_letter(name)):
        return meant.pop()
    if len(meant) > 1:
        names = sorted(kind.__name__ for kind in meant)
        raise MetricError("one metric", f"{name!r}, which may be any of", "", names)
    near = [known for known in kinds if known.lower() == name.lower()]
    near += difflib.get_close_matches(name, [*kinds, *RANX_NAMES], n=4, cutoff=0.6)
    near = [each for each in dict.fromkeys(near) if each != name][:3]
    advice = "did you mean " + " or ".join(near) if near else ""
    raise MetricError(
        "one of " + ", ".join(sorted(METRICS, key=str.lower)),
        f"the unknown metric {name!r}",
        advice,
    )


def _build(kind: type[Metric], arguments: dict[str, Any], text: str) -> Metric:
    if kind.__name__ == "NumRet" and "rel" in arguments:  # as ir_measures has it
        kind = ALIASES["NumRelRet"]
    if kind.__name__ == "SetP" and arguments.pop("relative", False):
        kind = ALIASES["SetRelativeP"]
    if arguments.pop("min_rel", 0):
        raise MetricError("a linear gain from grade 0 on", f"min_rel in {text!r}")
    if "max_rel" in arguments:
        arguments["gain"] = Linear(top=arguments.pop("max_rel"))
    if "dcg" in arguments:
        arguments["dcg"] = VALUES.get(str(arguments["dcg"]), arguments["dcg"])
    known = {spec.name: spec for spec in fields(kind)}
    given = {
        name if name in known else SYNONYMS.get(name, name): arguments[name] for name in arguments
    }
    unknown = [name for name in given if name not in known]
    missing = [
        name for name, spec in known.items() if spec.default is MISSING and name not in given
    ]
    if unknown:
        listed = ", ".join(sorted(known))
        raise MetricError(f"parameters of {kind.__name__}: {listed}", repr(text), "", unknown)
    if missing:
        raise MetricError(f"{kind.__name__} with {', '.join(missing)}", repr(text))
    return kind(**given)
