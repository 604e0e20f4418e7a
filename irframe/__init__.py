"""Information-retrieval evaluation at every depth, in pandas and xarray method chains.

Importing irframe registers the accessor ``.ireval`` on DataFrame, Dataset and DataArray.
"""

from typing import TYPE_CHECKING

from irframe import accessor, errors, metrics, names, paired
from irframe.agreement import RBO, RMSE, Kendall, Pearson, Spearman, TauAP
from irframe.agreement.innate import random_separability
from irframe.cube.bounds import bounds
from irframe.cube.building import cube
from irframe.cube.condensing import condense
from irframe.cube.evaluating import evaluate
from irframe.cube.judgments import pooled
from irframe.cube.sampling import downsample
from irframe.cube.scoring import score
from irframe.frames.example import example_track
from irframe.frames.judging import judge
from irframe.frames.pooling import pool, restrict
from irframe.frames.ranking import rank
from irframe.frames.reading import read_qrels, read_run, read_runs
from irframe.frames.sampling import sample
from irframe.frames.simulating import simulate_track
from irframe.frames.writing import write_qrels, write_run
from irframe.gains import Binary, Exponential, Gain, GainMap, Linear
from irframe.inference.agreement import agreement
from irframe.inference.compare import compare
from irframe.inference.coverage import coverage, inversions
from irframe.inference.deciding import decide
from irframe.inference.discrimination import discrimination, median_p
from irframe.inference.power import discriminative_power
from irframe.inference.styling import styled
from irframe.inference.summary import summary
from irframe.metrics import (
    AP,
    ASL,
    CRP,
    DCG,
    ERR,
    ESL,
    METRICS,
    RBP,
    RR,
    AtomizedP,
    BalancePoint,
    Bpref,
    F,
    InfAP,
    InverseASL,
    IPrec,
    Judged,
    Metric,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    Q,
    Recall,
    RecoveryRatio,
    Rprec,
    SetF,
    SetP,
    SetR,
    SpaceRatio,
    Success,
    Twist,
    nDCG,
    parse_metric,
)
from irframe.metrics.base import ALIASES
from irframe.paired import (
    Bootstrap,
    PairedT,
    Permutation,
    RankSum,
    Sign,
    TukeyHSD,
    Wilcoxon,
)
from irframe.studies.archetypes import archetypes
from irframe.studies.cross_checking import cross_check
from irframe.studies.effort import effort_gain
from irframe.studies.enumerating import enumerate_rankings
from irframe.studies.headroom import best_systems, rrie
from irframe.studies.hedging import corroborate
from irframe.studies.histograms import difference_histogram, length_histogram
from irframe.studies.lining_up import line_up
from irframe.studies.misplacement import misplacement
from irframe.studies.orderings import display_order, orderings, separability
from irframe.studies.outcomes import Outcomes, outcomes, run_outcomes
from irframe.studies.pools import pool_growth, pool_statistics
from irframe.studies.reordering import ablation, delta_sort, reordering
from irframe.studies.reusability import leave_out
from irframe.studies.robustness import robustness
from irframe.studies.search_lengths import search_lengths
from irframe.studies.selection import select_top
from irframe.studies.ties import tie_agreement, tie_ranges, tie_rates
from irframe.studies.volatility import stability, volatility
from irframe.studies.weighting import effective_count, effective_top, reweight

__version__ = "0.1.0"

__all__ = [
    "AP",
    "ASL",
    "CRP",
    "DCG",
    "ERR",
    "ESL",
    "METRICS",
    "RBO",
    "RBP",
    "RMSE",
    "RR",
    "AtomizedP",
    "BalancePoint",
    "Binary",
    "Bootstrap",
    "Bpref",
    "Exponential",
    "F",
    "Gain",
    "GainMap",
    "IPrec",
    "InfAP",
    "InverseASL",
    "Judged",
    "Kendall",
    "Linear",
    "Metric",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "Outcomes",
    "P",
    "PairedT",
    "Pearson",
    "Permutation",
    "Q",
    "RankSum",
    "Recall",
    "RecoveryRatio",
    "Rprec",
    "SetF",
    "SetP",
    "SetR",
    "Sign",
    "SpaceRatio",
    "Spearman",
    "Success",
    "TauAP",
    "TukeyHSD",
    "Twist",
    "Wilcoxon",
    "ablation",
    "accessor",
    "agreement",
    "archetypes",
    "best_systems",
    "bounds",
    "compare",
    "condense",
    "corroborate",
    "coverage",
    "cross_check",
    "cube",
    "decide",
    "delta_sort",
    "difference_histogram",
    "discrimination",
    "discriminative_power",
    "display_order",
    "downsample",
    "effective_count",
    "effective_top",
    "effort_gain",
    "enumerate_rankings",
    "errors",
    "evaluate",
    "example_track",
    "inversions",
    "judge",
    "leave_out",
    "length_histogram",
    "line_up",
    "median_p",
    "metrics",
    "misplacement",
    "nDCG",
    "names",
    "orderings",
    "outcomes",
    "paired",
    "parse_metric",
    "pool",
    "pool_growth",
    "pool_statistics",
    "pooled",
    "random_separability",
    "rank",
    "read_qrels",
    "read_run",
    "read_runs",
    "reordering",
    "restrict",
    "reweight",
    "robustness",
    "rrie",
    "run_outcomes",
    "sample",
    "score",
    "search_lengths",
    "select_top",
    "separability",
    "simulate_track",
    "stability",
    "styled",
    "summary",
    "tie_agreement",
    "tie_ranges",
    "tie_rates",
    "volatility",
    "write_qrels",
    "write_run",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> type[Metric]:
        """Return the metric of which a name is an alias, such as ``NDCG`` or ``MAP``."""
        if name in ALIASES:
            return ALIASES[name]
        raise AttributeError(f"module 'irframe' has no attribute {name!r}")
