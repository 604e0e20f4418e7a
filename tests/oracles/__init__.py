"""Reference implementations of the metrics with loops.

An oracle is a plain loop over one ranking, and shares no code with the package. An oracle is
written from the definition of the metric: Lu et al. 2016 (Table 2, doi:10.1007/s10791-016-9282-6),
or the documentation of trec_eval. An oracle takes a `Topic`, an evaluation depth, and the
parameters of the metric as keywords with the same defaults. An oracle returns one number:

>>> topic = Topic(serp=(1, None, 0, 2), judged=(2, 1, 1, 0, 0), gmax=2)
>>> ORACLES["AP"](topic, 4, norm="min")
0.5

`ORACLES` contains the oracles by the class name of the metric. These rules are common to all
oracles:

- `k` may exceed the length of the ranking. Ranks past the end of the ranking contribute nothing.
- Unjudged documents (None) and documents with negative grades have no gain and are not relevant.
  Negative grades are judged, except that for Bpref, InfAP, InfNDCG and NumNonrelJudgedRet they mark
  documents that were pooled but not judged.
- `gain` is "binary", "linear" (g / gmax), "exp" ((2^g - 1) / 2^gmax) or a mapping from grade to
  gain, where unlisted grades have gain 0.
- `rel` is the lowest relevant grade. Binary gain also uses `rel`.
- Scores that are divided by the number of relevant documents are 0 if there are no relevant
  documents.
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
