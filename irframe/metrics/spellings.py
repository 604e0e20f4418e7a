"""What other tools call the metrics, beside the names that the metrics carry themselves."""

from collections.abc import Iterator
from typing import Any

__all__ = [
    "CUTOFFS",
    "CWL_ALIKE",
    "DEFAULTS",
    "IR_MEASURES",
    "NDEVAL",
    "RANX_NAMES",
    "RANX_UNCUT",
    "SETS",
    "SETTINGS",
    "TREC_NAMES",
    "each_of_set",
]

IR_MEASURES = frozenset(
    {"AP", "AP_IA", "Accuracy", "BPM", "BPref", "Bpref", "Compat", "ERR", "ERR_IA", "INSQ", "INST"}
    | {"IPrec", "Judged", "MAP", "MAP_IA", "MRR", "NDCG", "NERR10", "NERR11", "NERR8", "NERR9"}
    | {"NRBP", "NumQ", "NumRel", "NumRelRet", "NumRet", "P", "P_IA", "Precision", "R", "RBP"}
    | {"RPrec", "RR", "Recall", "Rprec", "SDCG", "SetAP", "SetF", "SetP", "SetR", "SetRelP"}
    | {"StRecall", "Success", "alpha_DCG", "alpha_nDCG", "infAP", "nDCG", "nERR_IA", "nNRBP"}
    | {"\u03b1_DCG", "\u03b1_nDCG"}
)
"""The names of ir_measures, some of which irframe has as well."""

SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "AP_IA": ("IA", {"metric": "AP"}),
    "MAP_IA": ("IA", {"metric": "AP"}),
    "P_IA": ("IA", {"metric": "P"}),
    "GMAP": ("AP", {"average": "geometric"}),
    "GMBpref": ("Bpref", {"average": "geometric"}),
    "IFTGoal": ("IFT", dict.fromkeys(("A", "b2", "R2"))),
    "IFTRate": ("IFT", dict.fromkeys(("T", "b1", "R1"))),
    "IFTGoalRate": ("IFT", {}),
    "NERR8": ("NERR", {"stop": "satisfied"}),
    "NERR9": ("NERR", {"stop": "rank"}),
    "NERR10": ("NERR", {"stop": "RBP"}),
    "NERR11": ("NERR", {"stop": "INSQ"}),
}
"""A name of its own, the metric that has it, and the parameters that are set with it."""

CWL_ALIKE: dict[str, str] = {"AP": "AP", "P@20": "P", "RR": "RR"}
"""Names of cwl_eval that mean the same elsewhere, with an example of their depth, and ours."""

TREC_NAMES: dict[str, str] = {
    "map": "AP",
    "map_cut": "AP",
    "P": "P",
    "recall": "Recall",
    "recip_rank": "RR",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "infAP": "InfAP",
    "ndcg": "nDCG",
    "ndcg_cut": "nDCG",
    "iprec_at_recall": "IPrec",
    "success": "Success",
    "set_P": "SetP",
    "set_recall": "Recall",
    "set_F": "SetF",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelJudgedRet",
    "relative_P": "RelativeP",
    "set_relative_P": "SetRelativeP",
    "set_map": "SetAP",
    "11pt_avg": "InterpolatedAP",
    "Rprec_mult": "RprecMult",
    "G": "G",
    "binG": "BinG",
    "utility": "Utility",
    "yaap": "YAAP",
    "ndcg_rel": "nDCGRel",
    "Rndcg": "RnDCG",
    "gm_map": "GMAP",
    "gm_bpref": "GMBpref",
    "map_avgjg": "AP",
    "P_avgjg": "P",
}
"""trec_eval's name of a measure, without its cutoff, and ours."""

NDEVAL = r"^(alpha|n?ERR|M?AP|P)-(n?DCG|IA)"
"""What begins a name of ndeval, which has a hyphen where others have an underscore."""

_DOUBLING = {grade: 2**grade - 1 for grade in range(1, 17)}

RANX_NAMES: dict[str, str] = {
    "average_precision": "AP",
    "bpref": "Bpref",
    "dcg": "DCG(gain=Linear(top=1))",
    "dcg_burges": f"DCG(gain={_DOUBLING})",
    "f1": "F",
    "hit_rate": "Success",
    "hits": "NumRelRet",
    "map": "AP",
    "mrr": "RR",
    "ndcg": "nDCG",
    "ndcg_burges": "nDCG(gain='exp')",
    "precision": "P",
    "r-precision": "Rprec",
    "rbp": "RBP",
    "recall": "Recall",
    "reciprocal_rank": "RR",
}
"""Name of a metric in ranx, without its cutoff, and ours; ranx never scales the gains of DCG."""

RANX_UNCUT: dict[str, str] = {"f1": "SetF", "precision": "SetP"}
"""What a name of ranx means without a cutoff: all that was retrieved."""

CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_RECALLS = tuple(f"{level / 10:.2f}" for level in range(11))

DEFAULTS: dict[str, tuple[str, ...]] = {
    "iprec_at_recall": _RECALLS,
    "map_cut": CUTOFFS,
    "ndcg_cut": CUTOFFS,
}
"""Names that stand for several measures by themselves, and their parameters, as in trec_eval."""

_IN_SETS: dict[str, tuple[str, ...]] = DEFAULTS | {
    "P": CUTOFFS,
    "Rprec_mult": tuple(f"{fifths / 5:.2f}" for fifths in range(1, 11)),
    "recall": CUTOFFS,
    "relative_P": CUTOFFS,
    "success": ("1", "5", "10"),
}

SETS: dict[str, str] = {
    "official": (
        "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
    ),
    "set": (
        "num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map set_F"
    ),
    "all_trec": (
        "num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P "
        "recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G ndcg ndcg_rel Rndcg ndcg_cut "
        "map_cut relative_P success set_P set_relative_P set_recall set_map set_F "
        "num_nonrel_judged_ret"
    ),
}
"""The sets of measures of trec_eval, in its order; ``runid`` and ``relstring`` are no measures."""


def each_of_set(name: str) -> Iterator[str]:
    """Yield the measures of a set as trec_eval prints them.

    Examples
    --------
    >>> list(each_of_set("official"))[4:8], list(each_of_set("official"))[-1]
    (['map', 'gm_map', 'Rprec', 'bpref'], 'P_1000')
    """
    for measure in SETS[name].split():
        parameters = _IN_SETS.get(measure)
        yield from [measure] if parameters is None else (f"{measure}_{p}" for p in parameters)
