"""Slow reference implementations of the metrics.

An oracle is a plain loop over one ranking, written from the definition (Lu et al. 2016,
Table 2, doi:10.1007/s10791-016-9282-6; trec_eval's documentation for its classics), and shares no
code with the package: it takes a `Topic`, an evaluation depth and the fields of the metric as
keywords, with the metric's defaults, and returns one number:

>>> topic = Topic(serp=(1, None, 0, 2), judged=(2, 1, 1, 0, 0), gmax=2)
>>> ORACLES["AP"](topic, 4, norm="min")
0.5

`ORACLES` lists them under the class name of the metric. Rules common to all of them:

- `k` may exceed the length of the ranking; absent ranks add nothing.
- Unjudged documents (None) and negative grades have no gain and are not relevant; negative grades
  are judged. Bpref, InfAP, InfNDCG and NumNonrelJudgedRet take them for pooled but not judged.
- `gain` is "binary", "linear" (g / gmax), "exp" ((2^g - 1) / 2^gmax) or a mapping from grade to
  gain in which absent grades are worth 0; `rel` is the lowest relevant grade, which binary gain
  uses too.
- What would be divided by no relevant documents is 0.
"""

from . import binary, graded, misplacement, reading, sampled, searching, trec
from .topic import Topic

__all__ = ["ORACLES", "Topic"]

ORACLES = {
    "Accuracy": binary.accuracy,
    "All": binary.all_found,
    "AP": binary.average_precision,
    "ASL": searching.atomized_search_length,
    "AtomizedP": searching.atomized_precision,
    "BPM": reading.utility("BPM"),
    "BalancePoint": misplacement.balance_point,
    "BinG": trec.binary_g,
    "Bpref": sampled.binary_preference,
    "CRP": misplacement.cumulated_relative_position,
    "Compat": misplacement.compatibility,
    "DCG": graded.discounted_cumulative_gain,
    "DynamicBPM": reading.utility("DynamicBPM"),
    "ERR": graded.expected_reciprocal_rank,
    "ESL": searching.expected_search_length,
    "F": binary.f_measure,
    "G": trec.g_measure,
    "IFT": reading.utility("IFT"),
    "INSQ": reading.utility("INSQ"),
    "INST": reading.utility("INST"),
    "IPrec": binary.interpolated_precision,
    "InfAP": sampled.inferred_average_precision,
    "InfNDCG": sampled.inferred_ndcg,
    "InterpolatedAP": trec.interpolated_average_precision,
    "InverseASL": searching.inverse_search_length,
    "Judged": binary.judged,
    "NERR": reading.utility("NERR"),
    "NumNonrelJudgedRet": trec.number_nonrelevant_judged,
    "NumQ": binary.number_topics,
    "NumRel": binary.number_relevant,
    "NumRelRet": binary.number_relevant_retrieved,
    "NumRet": binary.number_retrieved,
    "P": graded.precision,
    "Q": graded.q_measure,
    "RBP": graded.rank_biased_precision,
    "RR": binary.reciprocal_rank,
    "Recall": binary.recall,
    "RecoveryRatio": misplacement.recovery_ratio,
    "RelativeP": trec.relative_precision,
    "RnDCG": trec.ndcg_over_levels,
    "Rprec": binary.r_precision,
    "RprecMult": trec.r_precision_at_multiple,
    "SDCG": reading.utility("SDCG"),
    "SetAP": trec.set_average_precision,
    "SetF": binary.set_f,
    "SetP": binary.set_precision,
    "SetRelativeP": trec.set_relative_precision,
    "SpaceRatio": misplacement.space_ratio,
    "Success": binary.success,
    "Twist": misplacement.twist,
    "Utility": trec.utility,
    "YAAP": trec.yet_another_average_precision,
    "nDCG": graded.normalised_discounted_cumulative_gain,
    "nDCGRel": trec.ndcg_over_relevant,
}
