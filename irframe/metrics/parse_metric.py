"""Metrics from text: the grammar of ir_measures, the names of trec_eval."""

import ast
import difflib
import re
from dataclasses import MISSING, fields
from typing import Any

from irframe.errors import MetricError
from irframe.gains import GAINS, Gain, Linear, parse_gain
from irframe.metrics.base import ALIASES, METRICS, Metric
from irframe.metrics.cwl_names import from_cwl

TREC_NAMES: dict[str, str] = {
    "map": "AP",
    "map_cut": "AP",
    "P": "P",
    "recall": "Recall",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "infAP": "InfAP",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG",
    "iprec_at_recall": "IPrec",
    "success": "Success",
    "set_P": "SetP",
    "set_recall": "Recall",
    "set_F": "SetF",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelJudgedRet",
    "relative_P": "RelativeP",
    "set_relative_P": "SetRelativeP",
    "set_map": "SetAP",
    "11pt_avg": "InterpolatedAP",
    "Rprec_mult": "RprecMult",
    "G": "G",
    "binG": "BinG",
    "utility": "Utility",
    "yaap": "YAAP",
    "ndcg_rel": "nDCGRel",
    "Rndcg": "RnDCG",
    "gm_map": "GMAP",
    "gm_bpref": "GMBpref",
    "map_avgjg": "AP",
    "P_avgjg": "P",
}
"""trec_eval's name of a measure, without its cutoff, and ours."""

SYNONYMS: dict[str, str] = {"cutoff": "depth", "gains": "gain", "dcg": "gain"}
"""Parameter names of ir_measures, and ours."""

VALUES: dict[str, str] = {"log2": "linear", "exp-log2": "exp"}
"""Values of the parameter ``dcg`` of ir_measures, and our gain maps."""


def parse_metric(text: Any) -> Metric:
    """Return the metric that a text stands for.

    Parameters
    ----------
    text
        ``"nDCG"``, ``"nDCG@10"``, ``"RBP(p=0.5, gain='linear')@20"``; a name of trec_eval such
        as ``"ndcg_cut_10"`` or ``"map"``; a measure of the package ir_measures; or a metric,
        which is returned as it is.

    Returns
    -------
    Metric
        The metric; ``parse_metric(str(metric)) == metric``.

    Raises
    ------
    MetricError
        For an unknown name or parameter, listing what there is.

    Examples
    --------
    >>> parse_metric("nDCG(gain='exp')@10"), parse_metric("map_cut_10"), parse_metric("MRR@10")
    (nDCG(gain='exp')@10, AP()@10, RR()@10)
    """
    if isinstance(text, Metric):
        return text
    if isinstance(text, type) and issubclass(text, Metric):
        return _build(text, {}, text.__name__)
    if type(text).__module__.partition(".")[0] == "ir_measures":
        text = str(text)
    if not isinstance(text, str):
        raise MetricError("a metric or its name", repr(text))
    text = text.strip()
    return _from_trec(text) or from_cwl(text) or _from_expression(text)


def _from_trec(text: str) -> Metric | None:
    found = re.fullmatch(r"(.+?)(?:[_.](\d+(?:\.\d+)?))?", text)
    if found is None or found[1] not in TREC_NAMES:
        return None
    kind = ALIASES[TREC_NAMES[found[1]]]
    return _build(kind, {} if found[2] is None else _trec_parameter(found[1], found[2]), text)


def _trec_parameter(name: str, number: str) -> dict[str, Any]:
    """Return what the number in a name of trec_eval stands for; of set_F it is beta squared."""
    kind = ALIASES[TREC_NAMES[name]]
    if name == "set_F":
        return {"beta": float(number) ** 0.5}
    return {kind.at: float(number) if "." in number or kind.at == "recall" else int(number)}


def _from_expression(text: str) -> Metric:
    try:
        expression: ast.expr = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
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
    kind = _kind(node.id)
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
    except (ValueError, TypeError):
        raise MetricError("numbers, words in quotes and gain maps", repr(text)) from None


def _gain(kind: type[Gain], keywords: list[ast.keyword], text: str) -> Gain:
    given = {str(key.arg): _value(key.value, text) for key in keywords}
    known = [spec.name for spec in fields(kind)]
    unknown = [name for name in given if name not in known]
    if unknown:
        wanted = f"parameters of {kind.__name__}: {', '.join(known) or 'none'}"
        raise MetricError(wanted, repr(text), "", unknown)
    return kind(**given)


def _kind(name: str) -> type[Metric]:
    if name in ALIASES:
        return ALIASES[name]
    near = difflib.get_close_matches(name, [*ALIASES, *TREC_NAMES], n=3, cutoff=0.6)
    advice = "did you mean " + " or ".join(near) if near else ""
    raise MetricError(
        "one of " + ", ".join(sorted(METRICS, key=str.lower)),
        f"the unknown metric {name!r}",
        advice,
    )


def _build(kind: type[Metric], arguments: dict[str, Any], text: str) -> Metric:
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
