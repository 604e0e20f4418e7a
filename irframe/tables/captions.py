"""What a table or a figure says of itself: the test, its level, depths, topics, and the rest."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from irframe.agreements.parsing import AGREEMENTS
from irframe.cubes.provenance import caption
from irframe.names import DEPTH
from irframe.paired import TESTS

TEST_WORDS = {
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    "ranksum": "Wilcoxon's rank-sum test",
    "sign": "sign test",
    "permutation": "paired permutation test",
    "bootstrap": "paired bootstrap test",
    "tukey": "randomised Tukey HSD",
}
FAMILY_WORDS = {"depth": "per metric and depth", "metric": "per metric", "all": "over all"}
METHOD_WORDS = {
    "Kendall": "Kendall's tau",
    "TauAP": "AP correlation",
    "RBO": "rank-biased overlap",
    "Spearman": "Spearman's rho",
    "Pearson": "Pearson's r",
    "RMSE": "root mean squared error",
    "holm": "rank intervals from t-tests, holm",
    "max-t": "rank intervals from t-tests, max-T",
    "bootstrap": "spread of ranks under resampling",
}
SHOWN = 4
"""How many depths are listed."""


def told_test(attributes: Mapping[Any, Any]) -> str:
    """Say which test was made, how it was corrected, and at which level.

    Examples
    --------
    >>> told_test({"test": "t", "adjust": "holm", "family": "depth", "alpha": 0.05})
    'paired t-test, holm per metric and depth, alpha = 0.05'
    """
    test = str(attributes.get("test", ""))
    adjust = attributes.get("adjust")
    family = FAMILY_WORDS.get(attributes.get("family", ""), "")
    level = attributes.get("alpha")
    parts = [
        *([_words(test)] if test else []),
        *([f"{adjust} {family}".strip()] if adjust else []),
        *([f"alpha = {level:g}"] if test and level is not None else []),
    ]
    return ", ".join(parts)


def _words(test: str) -> str:
    """Return the name of a test, with its options if it has some."""
    if test in TEST_WORDS:
        return TEST_WORDS[test]
    name, bracket, options = test.partition("(")
    short = {kind.__name__: short for short, kind in TESTS.items()}.get(name)
    words = TEST_WORDS.get(short or "", name)
    return words if options in {"", ")"} else f"{words} {bracket}{options}"


def told_interval(attributes: Mapping[Any, Any]) -> str:
    """Say of which level intervals are.

    Examples
    --------
    >>> told_interval({"alpha": 0.05})
    '95% interval'
    >>> told_interval({"alpha": 0.05, "intervals": "for its pair alone"})
    '95% interval, for its pair alone'
    >>> told_interval({"alpha": 0.1, "interval": "logit"})
    '90% logit interval'
    """
    alpha = attributes.get("alpha")
    if "intervals" in attributes:
        told = f"{100 * (1 - attributes['alpha']):.4g}% interval"
        together = attributes["intervals"] == "simultaneous"
        return f"simultaneous {told}" if together else f"{told}, {attributes['intervals']}"
    kind = {"logit": "logit ", "t": "Student's "}.get(attributes.get("interval", ""), "")
    return f"{kind}interval" if alpha is None else f"{100 * (1 - alpha):.4g}% {kind}interval"


def told_topics(numbers: Any) -> str:
    """Say of how many topics there are numbers: one count, or the fewest and the most.

    Examples
    --------
    >>> told_topics([16, 16]), told_topics([3, 16])
    ('16 topics', '3 to 16 topics')
    """
    found = np.asarray(numbers)
    low, high = int(found.min()), int(found.max())
    return f"{high} topics" if low == high else f"{low} to {high} topics"


def told_depths(result: pd.DataFrame) -> str:
    """Say at which depths a frame looks, and nothing where it does not say."""
    if DEPTH not in result or result[DEPTH].isna().any():
        return ""
    depths = sorted(result[DEPTH].unique())
    if len(depths) > SHOWN:
        return f"{len(depths)} depths from {depths[0]} to {depths[-1]}"
    return " and ".join(f"depth {depth}" for depth in depths)


def told(attributes: Mapping[Any, Any], *parts: str) -> str:
    """Join what is said, and what decided the numbers."""
    return "; ".join(part for part in (*parts, caption(attributes)) if part)


def told_method(attributes: Mapping[Any, Any]) -> str:
    """Say by which method agreement was measured, with its parameters where it has some.

    Examples
    --------
    >>> told_method({"method": "RBO(p=0.8, ties='w')"}), told_method({"method": "kendall"})
    ("rank-biased overlap (p=0.8, ties='w')", "Kendall's tau")
    """
    given = str(attributes.get("method", ""))
    text = repr(AGREEMENTS[given]) if given in AGREEMENTS else given
    name, bracket, options = text.partition("(")
    usual = {repr(type(method)()) for method in AGREEMENTS.values()}
    words = METHOD_WORDS.get(name, name)
    return words if text in usual else f"{words} {bracket}{options}".strip()


def told_result(result: Any) -> str:
    """Say what test or method made a result."""
    parts = told_test(result.attrs), told_method(result.attrs)
    return ", ".join(part for part in parts if part)
