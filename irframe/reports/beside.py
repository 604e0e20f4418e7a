"""What there is besides means: outcomes, search lengths, innate orderings, effort."""

from functools import partial
from typing import Any

import pandas as pd
import xarray as xr

from irframe.comparing.compare import compare
from irframe.cubes.score import score
from irframe.errors import ParameterError
from irframe.metrics.facts import TIE, facts
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.reports import figures
from irframe.reports.part import Part, parts
from irframe.reports.setting import text
from irframe.reports.view import View
from irframe.reports.words import say
from irframe.scores.summary import summary
from irframe.studies.orderings import orderings
from irframe.studies.outcomes import outcomes

NAMES = {
    "**ns": "first ahead, then undecided",
    "ns": "ahead",
    "=": "equal",
    "ni": "behind",
    "**ni": "first behind, then undecided",
}
"""What an innate ordering of the baseline against a system says of the system."""
OUTCOMES = ["neither", "a_only", "b_only", "both", "p_answered", "esl_a", "esl_b"]
VERDICTS = ["p_esl_wilcoxon", "better", "significantly_better", "no_harm"]


def beside(view: View) -> list[Part]:
    """Return what holds each system against the baselines without a mean score."""
    makers = []
    for number, name in enumerate(view.setting.baselines, start=1):
        own = [("outcomes", "Who answers more, and who ranks answers higher,", _outcomes)]
        own += [("orderings", "Who is ahead whatever the metric", _orderings)]
        for key, subject, make in own:
            named = key if number == 1 else f"{key}-{number}"
            makers.append((named, subject, partial(make, view, name, named)))
    makers += [
        ("lengths", "How many documents users read", partial(_lengths, view, "ASL")),
        ("effort", "How much effort rankings cost", partial(_lengths, view, "Twist")),
    ]
    return parts(makers)


def _refuse_absent(view: View, named: Any) -> None:
    """Raise where a baseline is not here."""
    if named not in view.cube.indexes[SYSTEM]:
        raise ParameterError("a baseline that took part", repr(named))


def _outcomes(view: View, baseline: Any, key: str) -> Part:
    _refuse_absent(view, baseline)
    depth = min(100, view.cube.sizes[DEPTH])
    found = outcomes(view.cube, baseline=baseline, depth=depth).summary
    better = int(found["significantly_better"].sum())
    says = say("outcomes.says", better=better, n=len(found), baseline=text(baseline))
    how = [say("outcomes.how", depth=depth)]
    kept = found[["system_b", *OUTCOMES, *VERDICTS]].rename(columns={"system_b": SYSTEM})
    return Part(key, says, how, "10.1145/3404835.3463034", kept, guide="questions/state-of-the-art")


def _orderings(view: View, baseline: Any, key: str) -> Part:
    _refuse_absent(view, baseline)
    depth = view.setting.at
    found = orderings(view.cube, baseline, depth=depth, labels=False).isel({DEPTH: -1})
    names = [NAMES[text(group)] for group in found["group"].to_numpy()]
    counts = pd.DataFrame(found["count"].to_numpy(), columns=names)
    counts.insert(0, SYSTEM, found["system_b"].to_numpy())
    counts["p"] = found["p"].to_numpy()
    counts = counts.sort_values("ahead", ascending=False, ignore_index=True)
    ahead = int(((counts["ahead"] > counts["behind"]) & (counts["p"] < view.setting.alpha)).sum())
    says = say("orderings.says", ahead=ahead, n=len(counts), baseline=text(baseline))
    how = [say("orderings.how", depth=depth, alpha=view.setting.alpha)]
    return Part(key, says, how, "10.1002/asi.24874", counts, guide="questions/hedge")


def _against(view: View, scored: xr.DataArray) -> pd.DataFrame:
    """Return the change of every system against each baseline, nothing where there is none."""
    asked, pairing, systems = view.setting, view.setting.pairing, view.cube.indexes[SYSTEM]
    there = [name for name in asked.baselines if name in systems]
    columns = pd.DataFrame(index=systems)
    if not there or view.alone:
        return columns
    held = compare(scored, pairing.test, adjust=pairing.adjust, baseline=there, alpha=asked.alpha)
    turned = {"system_a": "system_b", "system_b": "system_a"}
    both = pd.concat([held, held.rename(columns=turned).assign(difference=-held["difference"])])
    for name in there:
        rows = both[both["system_b"] == name].drop_duplicates("system_a").set_index("system_a")
        which = f" from {text(name)}" if len(there) > 1 else ""
        columns[f"change{which}"] = rows["difference"]
        columns[f"p{which} (corrected)" if which else "p (corrected)"] = rows["p_adjusted"]
    return columns


SUBJECTS = {
    "ASL": ("lengths", "10.48550/arXiv.2201.01745", "questions/beyond-the-top"),
    "Twist": ("effort", "10.1002/asi.23416", "questions/effort"),
}
"""Metric -> key, source, page of the documentation."""


def _lengths(view: View, metric: str) -> Part:
    key, source, guide = SUBJECTS[metric]
    cost = facts(metric).sign < 0
    depth = view.setting.at if cost else view.cube.sizes[DEPTH]
    scored = score(view.cube, metric, at=depth)
    found = summary(scored).isel({METRIC: 0, DEPTH: 0}, drop=True)
    frame = found.to_dataframe().reset_index()
    frame = frame.sort_values("mean", ascending=cost, ignore_index=True, kind="stable")
    columns = frame[[SYSTEM, "mean", "ci_low", "ci_high", "n"]].join(_against(view, scored), SYSTEM)
    how = [say("lengths.cost" if cost else "lengths.gain", metric=metric, depth=depth)]
    means = frame["mean"].round(TIE)
    best = frame[SYSTEM][means == means.iloc[0]].map(text).tolist()
    says = say(f"lengths.{metric}" if best else "lengths.unscored", metric=metric, names=best)
    named = {"ci_low": "lower", "ci_high": "upper"}
    drawn = frame.rename(columns=named).assign(place=range(1, len(frame) + 1))
    figure = figures.ranges(drawn, f"mean {metric}", "systems, the best first")
    return Part(key, says, how, source, columns, figure, guide)
