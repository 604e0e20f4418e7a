"""Variants of metrics that cover every option."""

import itertools
from dataclasses import dataclass
from functools import cached_property
from types import new_class
from typing import Any

import numpy as np
from oracles import ORACLES

from irframe.gains import GainMap, gain_text
from irframe.metrics import Evidence
from irframe.metrics.facts import facts
from irframe.metrics.parse_metric import parse_metric

COMMON = ("average", "depth", "judged_only")
"""Fields of metrics that oracles do not accept as arguments."""


@dataclass(frozen=True)
class Variant:
    """A metric with options, parsed from its text."""

    text: str

    def __str__(self):
        return self.text

    @cached_property
    def metric(self):
        return parse_metric(self.text)

    @cached_property
    def facts(self):
        return facts(self.text)

    @cached_property
    def name(self):
        return type(self.metric).__name__

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The fields of the metric, as arguments of its oracle."""
        fields = {name: value for name, value in vars(self.metric).items() if name not in COMMON}
        if "gain" in fields:
            gain = fields["gain"]
            mapped = isinstance(gain, GainMap)
            fields["gain"] = dict(gain.pairs) if mapped else gain_text(gain).strip("'")
        return fields

    @property
    def rising(self) -> bool:
        """Whether a higher grade never has a lower gain."""
        gain = self.facts.gain
        return gain is None or bool((np.diff(gain.map(np.arange(4), rel=1, top=3)) >= 0).all())

    @property
    def ordered(self) -> bool:
        """Whether one order of grades is best for every ranking."""
        paid_below = self.metric.order == "reward" and self.metric.beta and self.facts.rel > 1
        return bool(self.metric.order) and not (paid_below and self.fields["gain"] != "binary")

    def oracle(self, topic, k):
        """Return a score computed by the reference implementation."""
        return ORACLES[self.name](topic, k, **self.fields)

    def score(self, block):
        """Return the scores of a block at every depth."""
        return self.metric.score(Evidence(block))


VARIANTS = [
    Variant(text)
    for text in (
        "Accuracy",
        "Accuracy(rel=2)",
        "All",
        "All(rel=2)",
        "All(share=0.5)",
        "AP",
        "AP(norm='min')",
        "AP(norm='pool')",
        "AP(rel=2)",
        "ASL",
        "ASL(first=1)",
        "ASL(first=3, unretrieved='irrel+1')",
        "ASL(rel=2)",
        "ASL(unretrieved=9)",
        "InverseASL(unretrieved=9)",
        "AtomizedP",
        "AtomizedP(mean='harmonic', unretrieved='irrel+1')",
        "AtomizedP(rel=2)",
        "BPM(T=1.0)",
        "BPM(T=1.5, gain='binary', rel=2)",
        "BalancePoint",
        "BalancePoint(crossing='definition', rel=2)",
        "BalancePoint(crossing='matters')",
        "BinG",
        "BinG(rel=2)",
        "Bpref",
        "Bpref(rel=2)",
        "Bpref(variant='2004')",
        "CRP",
        "CRP(rel=2)",
        "Compat(p=0.95)",
        "Compat(p=0.5, normalize=False, rel=2)",
        "DCG",
        "DCG(discount='jk', base=3)",
        "DCG(gain='binary', rel=2)",
        "DCG(gain='exp', discount='zipf')",
        "DCG(gain={0: 0, 1: 5, 2: 7, 3: 10}, discount='jk', base=10)",
        "DynamicBPM(T=1.0, K=3)",
        "DynamicBPM(T=2.0, K=4, hb=-0.5, hc=2.0, median=0.2, gain='binary', rel=2, horizon=7)",
        "ERR",
        "ERR(gain='binary', rel=2)",
        "ERR(gain='linear')",
        "ESL",
        "ESL(rel=2)",
        "F",
        "F(beta=2.0, rel=2)",
        "G",
        "G(gain='binary', rel=2)",
        "G(gain='linear')",
        "G(gain={1: 0.5, 2: 3, 3: 4})",
        "GMAP",
        "GMAP(norm='min')",
        "GMAP(norm='pool', rel=2)",
        "GMBpref",
        "GMBpref(rel=2, variant='2004')",
        "IFTGoal(T=1.0, b1=0.9, R1=10, horizon=30)",
        "IFTGoal(T=2.5, b1=0.5, R1=0.5, gain='binary', rel=2, horizon=None)",
        "IFTGoalRate(T=1.0, b1=0.9, R1=2, A=0.2, b2=0.9, R2=10, horizon=30)",
        "IFTGoalRate(T=2.0, b1=0.5, R1=1, A=0.5, b2=0.3, R2=1, gain='binary', rel=2, horizon=6)",
        "IFTRate(A=0.2, b2=0.9, R2=10, horizon=30)",
        "IFTRate(A=0.5, b2=0.2, R2=1, gain='binary', rel=2, horizon=5)",
        "INSQ(T=1.0, horizon=30)",
        "INSQ(T=0.2, horizon=6)",
        "INSQ(T=2.5, gain='binary', rel=2, horizon=None)",
        "INST(T=0.5, horizon=6)",
        "INST(T=1.0, horizon=40)",
        "INST(T=2.5, gain='binary', rel=2, horizon=None)",
        "IPrec(rel=2)@1.0",
        "IPrec(rounding='nearest')@0.5",
        "IPrec@0.0",
        "IPrec@0.3",
        "InfAP",
        "InfAP(rel=2)",
        "InfNDCG",
        "InfNDCG(gain='binary', rel=2)",
        "InfNDCG(ideal='judged')",
        "InterpolatedAP",
        "InterpolatedAP(levels=(0.2, 0.5, 0.8), rounding='nearest', rel=2)",
        "InverseASL",
        "InverseASL(rel=2, unretrieved='irrel+1')",
        "Judged",
        "NERR10(p=0.5, gain='binary', rel=2, horizon=None)",
        "NERR10(p=0.9, horizon=40)",
        "NERR11(T=1.0, horizon=40)",
        "NERR11(T=2.0, gain='exp', rel=2, horizon=None)",
        "NERR8",
        "NERR8(gain='binary', rel=2)",
        "NERR9",
        "NERR9(gain='exp', rel=2)",
        "NumNonrelJudgedRet",
        "NumNonrelJudgedRet(rel=2)",
        "NumQ",
        "NumRel",
        "NumRel(rel=2)",
        "NumRelRet",
        "NumRelRet(rel=2)",
        "NumRet",
        "P",
        "P(gain='linear')",
        "P(rel=2)",
        "Q",
        "Q(beta=0)",
        "Q(beta=0.2, gain='exp', norm='min')",
        "Q(beta=10.0, rel=2)",
        "Q(gain='binary')",
        "Q(gain='exp', ideal='pool', rel=2)",
        "Q(norm='pool')",
        "Q(norm='pool', ideal='pool')",
        "RBP(p=0.5)",
        "RBP(p=0.8, gain='linear')",
        "RBP(p=0.95)",
        "RBP(p=0.95, gain='exp')",
        "RBP(p=0.95, rel=2)",
        "RR",
        "RR(rel=2)",
        "Recall",
        "Recall(rel=3)",
        "RecoveryRatio",
        "RecoveryRatio(crossing='definition')",
        "RecoveryRatio(crossing='matters', rel=2)",
        "RelativeP",
        "RelativeP(rel=2)",
        "RnDCG",
        "RnDCG(gain='binary', rel=2)",
        "RnDCG(gain='exp')",
        "Rprec",
        "Rprec(rel=2)",
        "RprecMult(rel=2)@0.6",
        "RprecMult@0.2",
        "RprecMult@1.4",
        "SDCG",
        "SDCG(gain='binary', rel=2)",
        "SetAP",
        "SetAP(rel=2)",
        "SetF",
        "SetF(beta=0.5, rel=2)",
        "SetP",
        "SetP(rel=2)",
        "SetRelativeP",
        "SetRelativeP(rel=2)",
        "SpaceRatio",
        "SpaceRatio(rel=2)",
        "Success",
        "Success(rel=3)",
        "Twist",
        "Twist(crossing='definition')",
        "Twist(crossing='matters')",
        "Twist(rel=2)",
        "Utility",
        "Utility(a=2.0, b=-0.5, c=-1.0, d=0.1, docs=1000, rel=2)",
        "YAAP",
        "YAAP(rel=2)",
        "nDCG",
        "nDCG(discount='jk', base=3, ideal='full')",
        "nDCG(discount='zipf', ideal='pool')",
        "nDCG(gain='binary')",
        "nDCG(gain='binary', rel=2)",
        "nDCG(gain='exp')",
        "nDCG(gain={1: 0.1, 2: 0.2, 3: 1})",
        "nDCG(gain={1: 1, 2: 0.5, 3: 1})",
        "nDCGRel",
        "nDCGRel(gain='binary', rel=2)",
        "nDCGRel(gain='exp')",
    )
]

_by_name = itertools.groupby(sorted(VARIANTS, key=lambda v: v.name), key=lambda v: v.name)
BY_NAME = {name: [variant.metric for variant in variants] for name, variants in _by_name}
"""Mapping from names of metrics to variants with different options."""


def changed(metric, **values):
    """Return a copy of a metric with unchecked field values."""
    copy = object.__new__(new_class("Changed", (type(metric),), {"abstract": True}))
    for name, value in (vars(metric) | values).items():
        object.__setattr__(copy, name, value)
    return copy


TIMED = ("AP", "nDCG", "ERR", "RBP(p=0.95)", "Q")
"""Metrics that benchmarks time at every depth of a large cube."""
EIGHT = ("AP", "AP(norm='min')", "nDCG", "ERR", "RBP(p=0.95)", "P", "Recall", "RR")
"""Metrics that benchmarks time in one call."""
