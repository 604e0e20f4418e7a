"""Names of metrics in letters, digits, underscores, points and hyphens, as trackers take them."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

PLAIN = re.compile(r"[A-Za-z0-9_.\-]+")
"""What trackers of experiments take for a name: mlflow, TensorBoard, Weights & Biases."""
CUT = re.compile(r"(.+)_at_(\d+)")
FIELD = re.compile(r"\.(?=[A-Za-z]\w*-)")
"""What parts the fields of a plain name, as in ``RBP.p-0.8``."""
ESCAPED = re.compile(r"_x([0-9a-f]+)_")
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")


def plain_name(name: str, parse: Callable[[str], Any]) -> str:
    """Return a plain name for a metric, which is read back as that metric.

    Parameters
    ----------
    name
        The metric, as printed or as asked for.
    parse
        What reads names: `parse_metric`.

    Examples
    --------
    >>> from irframe.metrics.parse_metric import parse_metric
    >>> names = ["nDCG@10", "RBP(p=0.8)", "nDCG(gain='exp')@10", "map_cut_10"]
    >>> [plain_name(name, parse_metric) for name in names]
    ['nDCG_at_10', 'RBP.p-0.8', 'nDCG.gain-exp_at_10', 'map_cut_10']
    """
    metric = parse(name)
    return next(text for text in _spelled(name) if _reads(text, metric, parse))


def from_plain(text: str) -> str | None:
    """Return the name of a metric that stands in a plain one, None if it is none.

    Examples
    --------
    >>> from_plain("nDCG.gain-exp_at_10"), from_plain("RBP_x40_0.8"), from_plain("AP")
    ("nDCG(gain='exp')@10", 'RBP@0.8', None)
    """
    if not PLAIN.fullmatch(text):
        return None
    if ESCAPED.search(text):
        return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    cut = CUT.fullmatch(text)
    named, depth = (cut[1], f"@{cut[2]}") if cut else (text, "")
    name, *parts = FIELD.split(named)
    if not (parts or depth):
        return None
    fields = [part.partition("-")[::2] for part in parts]
    told = ", ".join(f"{key}={_value(value)}" for key, value in fields)
    return f"{name}({told}){depth}" if told else f"{name}{depth}"


def _spelled(name: str) -> Iterator[str]:
    """Yield plain forms of a name, the shortest first."""
    yield name
    found = re.fullmatch(r"(\w+)(?:\((.*)\))?(@\d+)?", name)
    fields = _fields(found[2] or "") if found else None
    if found and fields is not None:
        told = "".join(f".{key}-{value}" for key, value in fields.items())
        yield f"{found[1]}{told}{(found[3] or '').replace('@', '_at_')}"
    yield re.sub(r"[^A-Za-z0-9.\-_]", lambda each: f"_x{ord(each[0]):x}_", name)


def _fields(text: str) -> dict[str, Any] | None:
    """Return the fields of a metric, None if one has a value that is no number or word."""
    try:
        call: Any = ast.parse(f"f({text})", mode="eval").body
        found = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except (SyntaxError, ValueError):
        return None
    plain = all(_is_plain(value) for value in found.values())
    return found if plain and not call.args else None


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return bool(WORD.fullmatch(value)) and value not in {"True", "False", "None", "inf", "nan"}
    return value is None or isinstance(value, bool | int | float)


def _value(text: str) -> str:
    """Return a value as Python writes it: numbers as they are, words in quotes."""
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return repr(text)
    return text


def _reads(text: str, metric: Any, parse: Callable[[str], Any]) -> bool:
    try:
        return bool(PLAIN.fullmatch(text)) and bool(parse(text) == metric)
    except ValueError:  # of which all errors of irframe are
        return False
