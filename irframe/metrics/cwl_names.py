"""The names by which cwl_eval calls its metrics."""

import re
from typing import Any

from irframe.metrics.base import ALIASES, Metric

CWL_NAMES: dict[str, str] = {
    "BPM": "BPM-Static-T=<T>-K=<depth>",
    "DynamicBPM": "BPM-Dynamic-T=<T>-K=<K>-hb=<hb>-hc=<hc>",
    "IFTGoal": "IFT-C1-T=<T>-b1=<b1>-R1=<R1>",
    "IFTGoalRate": "IFT-C1-C2-T=<T>-b1=<b1>-R1=<R1>-A=<A>-b2=<b2>-R2=<R2>",
    "IFTRate": "IFT-C2-A=<A>-b2=<b2>-R2=<R2>",
    "INSQ": "INSQ-T=<T>",
    "INST": "INST-T=<T>",
    "NERR8": "NERR-EQ8@k=<depth>",
    "NERR9": "NERR-EQ9@k=<depth>",
    "NERR10": "NERR-EQ10@phi=<p>",
    "NERR11": "NERR-EQ11@T=<T>",
    "RBP": "RBP@<p>",
    "SDCG": "NDCG-k@<depth>",
}
"""Our metric, and its name there with our parameters in the places of theirs."""

NUMBERS = {"depth": r"\d+", "p": r"0?\.\d+"}
"""What stands for a parameter, where that is not any number."""


def from_cwl(text: str) -> Metric | None:
    """Return the metric that cwl_eval calls by a name, or None.

    Examples
    --------
    >>> from_cwl("INST-T=2"), from_cwl("NDCG-k@10"), from_cwl("RBP@10")
    (INST(T=2.0), SDCG()@10, None)
    """
    for name, form in CWL_NAMES.items():
        if found := re.fullmatch(_pattern(form), text, re.IGNORECASE):
            values = found.groupdict()
            depth = values.pop("depth", None)
            given: dict[str, Any] = {key: float(value) for key, value in values.items()}
            metric: Metric = ALIASES[name](**given)
            return metric if depth is None else metric @ int(depth)
    return None


def _pattern(form: str) -> str:
    """Return a pattern with a group for every parameter."""
    return re.sub(
        r"<(\w+)>", lambda word: f"(?P<{word[1]}>{NUMBERS.get(word[1], r'-?[0-9.]+')})", form
    )
