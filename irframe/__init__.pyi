# The public names, each imported when first used.

from . import accessor, errors, metrics, names, paired
from .agreement import RBO, RMSE, Kendall, Pearson, Spearman, TauAP
from .agreement.innate import random_separability
from .cube.bounds import bounds
from .cube.building import cube
from .cube.condensing import condense
from .cube.evaluating import evaluate
from .cube.judgments import pooled
from .cube.sampling import downsample
from .cube.scoring import score
from .frames.example import example_track
from .frames.judging import judge
from .frames.pooling import pool, restrict
from .frames.ranking import rank
from .frames.reading import read_qrels, read_run, read_runs
from .frames.sampling import sample
from .frames.simulating import simulate_track
from .frames.writing import write_qrels, write_run
from .gains import Binary, Exponential, Gain, GainMap, Linear
from .inference.agreement import agreement
from .inference.compare import compare
from .inference.coverage import coverage, inversions
from .inference.deciding import decide
from .inference.discrimination import discrimination, median_p
from .inference.power import discriminative_power
from .inference.styling import styled
from .inference.summary import summary
from .metrics import (
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
from .paired import (
    Bootstrap,
    PairedT,
    Permutation,
    RankSum,
    Sign,
    TukeyHSD,
    Wilcoxon,
)
from .studies.archetypes import archetypes
from .studies.cross_checking import cross_check
from .studies.diagnosing import diagnose
from .studies.effort import effort_gain
from .studies.enumerating import enumerate_rankings
from .studies.headroom import best_systems, rrie
from .studies.hedging import corroborate
from .studies.histograms import difference_histogram, length_histogram
from .studies.lining_up import line_up
from .studies.misplacement import misplacement
from .studies.orderings import display_order, orderings, separability
from .studies.outcomes import Outcomes, outcomes, run_outcomes
from .studies.pools import pool_growth, pool_statistics
from .studies.reordering import ablation, delta_sort, reordering
from .studies.reusability import leave_out
from .studies.robustness import robustness
from .studies.search_lengths import search_lengths
from .studies.selection import select_top
from .studies.ties import tie_agreement, tie_ranges, tie_rates
from .studies.volatility import stability, volatility
from .studies.weighting import effective_count, effective_top, reweight

__version__: str

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
    "diagnose",
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
