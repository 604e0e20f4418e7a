"""Verdicts on every system with a margin: better, worse, equivalent, not worse, or undecided."""

import numpy as np
import pandas as pd

from irframe.comparing.compare import compare
from irframe.comparing.significance import VERDICTS
from irframe.errors import IrframeError
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.reports import figures
from irframe.reports.part import Part, untold
from irframe.reports.setting import text
from irframe.reports.view import View
from irframe.reports.words import say

KEPT = ("verdict", "difference", "ci_low", "ci_high", "p_adjusted", "detectable")
"""What is shown of a comparison."""


def verdicts(view: View) -> list[Part]:
    """Return the verdicts on the systems of a view, nothing where no margin was given."""
    if view.setting.margin is None or view.alone:
        return []
    try:
        return [_verdicts(view)]
    except IrframeError as error:
        return [untold("verdicts", "The verdicts", error, GUIDE)]


GUIDE = "questions/comparing"
"""The page of the documentation."""


def _verdicts(view: View) -> Part:
    setting, pairing = view.setting, view.setting.pairing
    labels = view.cube[SYSTEM].to_numpy()
    first = labels[view.order(0, setting.place)[0]]
    against = setting.baseline if setting.baseline in labels else first
    found = compare(
        view.scores.isel({DEPTH: [setting.place]}),
        pairing.test,
        adjust=pairing.adjust,
        baseline=against,
        alpha=setting.alpha,
        margin=setting.margin,
    )
    frame = found[[METRIC, "system_a", *KEPT]].rename(columns={"system_a": SYSTEM})
    metric = setting.metrics[0]
    own = frame[frame[METRIC] == metric].copy()
    counts = own["verdict"].value_counts()
    told = {"metric": metric, "depth": setting.at, "against": text(against)}
    told |= {"margin": setting.margin, "alpha": setting.alpha, "n": int(found["n_topics"].max())}
    words = ", ".join(f"{counts[word]} {word}" for word in VERDICTS if word in counts)
    says = say("verdicts.says", counts=words, **told)
    least = own["detectable"].median()
    how = [say("verdicts.how", **told)]
    how += [say("verdicts.detect", least=least, **told)] if np.isfinite(least) else []
    drawn = own.sort_values("difference", ascending=facts(metric).sign < 0)
    drawn = drawn.assign(place=np.arange(1, len(drawn) + 1))
    named = {"difference": "mean", "ci_low": "lower", "ci_high": "upper"}
    lines = pd.DataFrame({"value": [0.0, -facts(metric).sign * float(setting.margin or 0)]})
    figure = figures.ranges(
        drawn.rename(columns=named), f"difference in {metric}", "systems by difference", lines
    )
    return Part("verdicts", says, how, data=frame, figure=figure, guide=GUIDE)
