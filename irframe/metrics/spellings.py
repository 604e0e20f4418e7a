"""What trec_eval, cwl_eval, ir_measures, ranx, benchmarks and trackers call the metrics."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from irframe.errors import MetricError, warn
from irframe.metrics.base import ALIASES, Metric

TWO_MEANINGS = {"sDCG": ("DCG", "SDCG"), "Hits": ("Success", "NumRelRet")}
"""Name that is used for two metrics -> these."""
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
    "dcg": "DCG",
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


_AVERAGED = {"a": "R", "b": "min", "c": "pool"}
_IDEALS = {"i": "judged", "ii": "pool"}
PAPERS = (
    (r"ASL@g1", "ASL(first=1)"),
    (r"ASL@g1-(\d+)", "ASL(first={})"),
    (r"succ(@\d+)?", "Success{}"),
    (r"prec(@\d+)?", "P{}"),
    (r"R-prec", "Rprec"),
    (r"Q[-_]measure(@\d+)?", "Q{}"),
    *((rf"AP_{{?{a}}}?(@\d+)?", f"AP(norm='{norm}'){{}}") for a, norm in _AVERAGED.items()),
    (r"NDCG_{?a}?(@\d+)?", "nDCG{}"),
    (r"NDCG_{?b}?(@\d+)?", "nDCG(ideal='pool'){}"),
    *(
        (rf"QM_{{?{a},{i}}}?{given}(@\d+)?", f"Q(norm='{norm}', ideal='{ideal}'{beta}){{}}")
        for a, norm in _AVERAGED.items()
        for i, ideal in _IDEALS.items()
        for given, beta in (("", ""), (r"\(([\d.]+)\)", ", beta={}"))
    ),
)
"""Form of a name as papers print it, in any case, and the metric, what varies being left open."""
SPELLED = (
    *PAPERS,
    (r"ndcg_at_(\d+)", "nDCG@{}"),
    (r"map_at_(\d+)", "AP@{}"),
    (r"recall_at_(\d+)", "Recall@{}"),
    (r"precision_at_(\d+)", "P@{}"),
    (r"mrr_at_(\d+)", "RR@{}"),
    (r"(?:hit_rate|success|accuracy|acc)_at_(\d+)", "Success@{}"),
    (r"(?:recall_cap|r_cap)(?:@|_at_)(\d+)", "RelativeP@{}"),
    (r"(?:hit|hr|s|acc)@(\d+)", "Success@{}"),
    (r"top_?(\d+)_acc(?:uracy)?", "Success@{}"),
)
"""Form of a name, in any case, and the metric, with its depth left open."""
REFUSED = (
    (r"(.+)@[kn]", "'{1}' or '{1}@10'", "a letter stands for any depth, at which cubes score"),
    (r"rbp\.(\d+)", "RBP(p=0.{1})", "ranx adds up grades there, which is no share"),
    (r"hole(?:@|_at_)(\d+)", "Judged@{1}", "BEIR's asks whether any topic has it judged"),
    (r"map@r", "Rprec", "no list is cut at a topic's number of relevant documents"),
    (r"nerr@(\d+)", "ERR@{1}", "ERR is not divided by that of an ideal ranking"),
)
"""Form of a name that names no metric, what to ask for, and why."""
DOUBTED = (
    (r"(?i:accuracy)@1", "{0} is NaN: one document makes no pair. Is Success@1 meant?"),
    (r"(?i:accuracy)@(\d+)", "{0} is the share of pairs in order. Is Success@{1} meant?"),
)
"""Form of a name that may be taken for another metric, and what it is."""


def benchmark_name(text: str) -> str | None:
    """Return a metric in our words for a name of a benchmark, refusing one that is no metric here.

    Parameters
    ----------
    text
        A name.

    Raises
    ------
    MetricError
        For a name of what irframe does not compute, with what it does.

    Examples
    --------
    >>> benchmark_name("ndcg_at_10"), benchmark_name("HR@5"), benchmark_name("AP")
    ('nDCG@10', 'Success@5', None)
    """
    for form, instead, why in REFUSED:
        if match := re.fullmatch(form, text, re.IGNORECASE):
            wanted = f"a metric such as {instead.format(text, *match.groups())}"
            raise MetricError(wanted, f"{text!r}: {why.format(text, *match.groups())}")
    for form, ours in SPELLED:
        if match := re.fullmatch(form, text, re.IGNORECASE):
            return ours.format(*(part or "" for part in match.groups()))
    return None


def warn_of_doubt(text: str) -> None:
    """Warn of a name that may be taken for another metric."""
    for form, words in DOUBTED:
        if match := re.fullmatch(form, text):
            warn(words.format(match[0], *match.groups()))
            return


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

NUMBER, NUMBERS = r"-?[0-9.]+", {"depth": r"\d+", "p": r"0?\.\d+"}
"""What stands for a parameter, and where that is not any number."""


def from_cwl(text: str) -> Metric | None:
    """Return the metric that cwl_eval calls by a name, or None.

    Examples
    --------
    >>> from_cwl("INST-T=2"), from_cwl("NDCG-k@10"), from_cwl("RBP@10")
    (INST(T=2.0), SDCG()@10, None)
    """
    for name, form in CWL_NAMES.items():
        pattern = re.sub(
            r"<(\w+)>", lambda word: f"(?P{word[0]}{NUMBERS.get(word[1], NUMBER)})", form
        )
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            given = match.groupdict().items()
            metric: Metric = ALIASES[name](
                **{key: int(value) if key == "depth" else float(value) for key, value in given}
            )
            return metric
    return None


_NUMBER = r"-?(?:\d+(?:\.\d*)?|\.\d+)"
_PAIR = rf"\d+={_NUMBER}"
_FORM = re.compile(rf"(.+?)(?:[_.]({_NUMBER}(?:,{_NUMBER})*|{_PAIR}(?:,{_PAIR})*))?", re.IGNORECASE)

PRINTED = (*SETS["all_trec"].split(), "map_avgjg", "P_avgjg", "yaap")
"""Measures as trec_eval prints them, one after the other."""
_SHARES = {"iprec_at_recall", "Rprec_mult"}
"""Measures whose parameter is written with two decimals."""
_TOGETHER = {"11pt_avg", "set_F", "utility"}
"""Measures of which all parameters make one."""
_PRICES = ("a", "b", "c", "d")


class TrecName(NamedTuple):
    """A measure of trec_eval and its parameters, as they are written."""

    measure: str
    parameters: tuple[str, ...] = ()

    @property
    def measures(self) -> list["TrecName"]:
        """The measures that this stands for: one for each parameter, where each makes one."""
        one = self.measure in _TOGETHER or "=" in "".join(self.parameters)
        if one or len(self.parameters) < 2:
            return [self]
        return [TrecName(self.measure, (parameter,)) for parameter in self.parameters]

    def __str__(self) -> str:
        return "_".join([self.measure, *([",".join(self.parameters)] if self.parameters else [])])

    @property
    def label(self) -> str:
        """The name that trec_eval prints.

        Examples
        --------
        >>> TrecName("Rprec_mult", ("0.2",)).label, TrecName("utility", ("2", "-1", "0", "0")).label
        ('Rprec_mult_0.20', 'utility_2,-1,0,0')
        """
        if self.measure in _SHARES and self.parameters:
            return f"{self.measure}_{float(self.parameters[0]):.2f}"
        return str(self)

    @property
    def place(self) -> tuple[float, ...]:
        """Where trec_eval prints it: in an order of measures, then of parameters."""
        numbers = () if "=" in "".join(self.parameters) else map(float, self.parameters)
        return (PRINTED.index(self.measure), *numbers)


def trec_name(text: str) -> TrecName | None:
    """Read a name of trec_eval; None if it is none.

    Examples
    --------
    >>> trec_name("P.5,10"), trec_name("iprec_at_recall..10").label, trec_name("AP")
    (TrecName(measure='P', parameters=('5', '10')), 'iprec_at_recall_0.10', None)
    """
    match = _FORM.fullmatch(text)
    measure = None if match is None else _known_name(match[1], TREC_NAMES)
    if match is None or measure is None:
        return None
    return TrecName(measure, tuple(match[2].split(",")) if match[2] else ())


def _known_name(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is meant, in its own letters; None if none or several are."""
    if name in names:
        return name
    near = [known for known in names if known.lower() == name.lower()]
    return near[0] if len(near) == 1 else None


def split_level(text: str) -> tuple[str, int | None]:
    """Part a name from the lowest relevant grade that may end it, as in ranx.

    Examples
    --------
    >>> split_level("P_5-l2"), split_level("map")
    (('P_5', 2), ('map', None))
    """
    name, _, level = text.rpartition("-l")
    return (name, int(level)) if name and level.isdecimal() else (text, None)


def trec_fields(name: TrecName) -> dict[str, Any]:
    """Return what the parameters in a name of trec_eval stand for; of set_F it is beta squared.

    Examples
    --------
    >>> trec_fields(TrecName("set_F", ("4",))), trec_fields(TrecName("P", ("5",)))
    ({'beta': 2.0}, {'depth': 5})
    """
    measure, given = name
    if not given:
        return {}
    if "=" in given[0]:
        pairs = (pair.split("=") for pair in given)
        return {"gain": {int(grade): float(gain) for grade, gain in pairs}}
    if measure == "11pt_avg":
        return {"levels": tuple(map(float, given))}
    if measure == "utility":
        if len(given) != len(_PRICES):
            raise MetricError("four coefficients of utility, as in utility.1,-1,0,0", str(name))
        return dict(zip(_PRICES, map(float, given), strict=True))
    if measure == "set_F":
        if len(given) > 1:
            raise MetricError("one parameter of set_F, beta squared", str(name))
        return {"beta": float(given[0]) ** 0.5}
    at = ALIASES[TREC_NAMES[measure]].at
    (number,) = given
    return {at: float(number) if "." in number or at == "recall" else int(number)}


PLAIN = re.compile(r"[A-Za-z0-9_.\-]+")
"""What trackers of experiments take for a name: mlflow, TensorBoard, Weights & Biases."""
CUT = re.compile(r"(.+)_at_(\d+)")
FIELD = re.compile(r"\.(?=[A-Za-z]\w*-)")
"""What parts the fields of a plain name, as in ``RBP.p-0.8``."""
ESCAPED = re.compile(r"_x([0-9a-f]+)_")


def plain_name(name: str, parse: Callable[[str], Any]) -> str:
    """Return a plain name for a metric, which is read back as that metric.

    Parameters
    ----------
    name
        The metric, as printed or as asked for.
    parse
        What reads names: `parse_metric`.

    Examples
    --------
    >>> from irframe.metrics.parse_metric import parse_metric
    >>> names = ["nDCG@10", "RBP(p=0.8)", "nDCG(gain='exp')@10", "map_cut_10"]
    >>> [plain_name(name, parse_metric) for name in names]
    ['nDCG_at_10', 'RBP.p-0.8', 'nDCG.gain-exp_at_10', 'map_cut_10']
    """
    metric = parse(name)
    called = re.sub(r"\((.*)\)", lambda call: "".join(map(_dotted, call[1].split(","))), name)
    escaped = re.sub(r"[^A-Za-z0-9.\-_]", lambda sign: f"_x{ord(sign[0]):x}_", name)
    forms = name, re.sub(r"@(\d+)$", r"_at_\1", called), escaped
    return next(form for form in forms if _reads(form, metric, parse))


def _dotted(argument: str) -> str:
    """Return an argument as it stands in a plain name, ``.gain-exp`` for ``gain='exp'``."""
    return "." + argument.strip().replace("=", "-").replace("'", "")


def from_plain(text: str) -> str | None:
    """Return the name of a metric that stands in a plain one, None if it is none.

    Examples
    --------
    >>> from_plain("nDCG.gain-exp_at_10"), from_plain("RBP_x40_0.8"), from_plain("AP")
    ("nDCG(gain='exp')@10", 'RBP@0.8', None)
    """
    if not PLAIN.fullmatch(text):
        return None
    if ESCAPED.search(text):
        return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    cut = CUT.fullmatch(text)
    named, depth = (cut[1], f"@{cut[2]}") if cut else (text, "")
    name, *parts = FIELD.split(named)
    if not (parts or depth):
        return None
    fields = [part.partition("-")[::2] for part in parts]
    arguments = ", ".join(f"{key}={_written(value)}" for key, value in fields)
    return f"{name}({arguments}){depth}" if arguments else f"{name}{depth}"


def _written(text: str) -> str:
    """Return a value as Python writes it: numbers as they are, words in quotes."""
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return repr(text)
    return text


def _reads(text: str, metric: Any, parse: Callable[[str], Any]) -> bool:
    try:
        return bool(PLAIN.fullmatch(text)) and bool(parse(text) == metric)
    except ValueError:  # of which all errors of irframe are
        return False
