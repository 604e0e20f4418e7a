"""Names of metrics in other tools, benchmarks and experiment trackers."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from irframe.errors import MetricError, warn
from irframe.metrics.base import ALIASES, Metric

TWO_MEANINGS = {"sDCG": ("DCG", "SDCG"), "Hits": ("Success", "NumRelRet")}
"""Mapping from an ambiguous name to the names of the metrics that it may stand for."""
SETTINGS: dict[str, tuple[str, dict[str, object]]] = {
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
"""Mapping from the name of a preset to the name of its metric class and the parameters that the
preset sets."""

CWL_ALIKE: dict[str, str] = {"AP": "AP", "P@20": "P", "RR": "RR"}
"""Mapping from names in cwl_eval that other tools also use to names in irframe."""

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
"""Mapping from the name of a measure in trec_eval, without a cutoff, to the name of the metric in
irframe."""

NDEVAL = r"^(alpha|n?ERR|M?AP|P)-(n?DCG|IA)"
"""Pattern of prefixes of names in ndeval whose hyphen irframe writes as an underscore."""

# DCG depends on the scale of the gains, and gain='exp' divides them by 2**top, unlike ranx
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
"""Mapping from the name of a metric in ranx, without a cutoff, to the metric in irframe. Gains of
DCG are not scaled in ranx."""

RANX_UNCUT: dict[str, str] = {"f1": "SetF", "precision": "SetP"}
"""Mapping from the name of a metric in ranx that is used without a cutoff to a metric of the
retrieved set."""

CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_RECALLS = tuple(f"{level / 10:.2f}" for level in range(11))

DEFAULTS: dict[str, tuple[str, ...]] = {
    "iprec_at_recall": _RECALLS,
    "map_cut": CUTOFFS,
    "ndcg_cut": CUTOFFS,
}
"""Mapping from the name of a measure in trec_eval to its default parameters, which are cutoffs or
recall levels."""

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
"""Mapping from the name of a set of measures in trec_eval to the measures of the set, without
``runid`` and ``relstring``."""


def each_of_set(name: str) -> Iterator[str]:
    """Yield the measures of a set in trec_eval's order.

    Examples
    --------
    >>> list(each_of_set("official"))[4:8], list(each_of_set("official"))[-1]
    (['map', 'gm_map', 'Rprec', 'bpref'], 'P_1000')
    """
    for measure in SETS[name].split():
        parameters = _IN_SETS.get(measure)
        yield from [measure] if parameters is None else (f"{measure}_{p}" for p in parameters)


_NORM_LETTERS = {"a": "R", "b": "min", "c": "pool"}
_IDEAL_LETTERS = {"i": "judged", "ii": "pool"}
PAPERS = (
    (r"ASL@g1", "ASL(first=1)"),
    (r"ASL@g1-(\d+)", "ASL(first={})"),
    (r"succ(@\d+)?", "Success{}"),
    (r"prec(@\d+)?", "P{}"),
    (r"R-prec", "Rprec"),
    (r"Q[-_]measure(@\d+)?", "Q{}"),
    *((rf"AP_{{?{a}}}?(@\d+)?", f"AP(norm='{norm}'){{}}") for a, norm in _NORM_LETTERS.items()),
    (r"NDCG_{?a}?(@\d+)?", "nDCG{}"),
    (r"NDCG_{?b}?(@\d+)?", "nDCG(ideal='pool'){}"),
    *(
        (rf"QM_{{?{a},{i}}}?{argument}(@\d+)?", f"Q(norm='{norm}', ideal='{ideal}'{beta}){{}}")
        for a, norm in _NORM_LETTERS.items()
        for i, ideal in _IDEAL_LETTERS.items()
        for argument, beta in (("", ""), (r"\(([\d.]+)\)", ", beta={}"))
    ),
)
"""Pairs of a pattern that matches names of metrics in papers, and a template for the text of the
metric. Case is ignored."""
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
"""Pairs of a pattern that matches names in papers or benchmarks, and a template for the text of the
metric."""
REFUSED = (
    (r"(.+)@[kn]", "'{1}' or '{1}@10'", "the depth is not a number"),
    (r"rbp\.(\d+)", "RBP(p=0.{1})", "in ranx this metric sums grades without scaling"),
    (r"hole(?:@|_at_)(\d+)", "Judged@{1}", "BEIR counts documents judged for no topic"),
    (r"map@r", "Rprec", "irframe does not cut lists at the number of relevant documents"),
    (r"nerr@(\d+)", "ERR@{1}", "irframe does not normalise ERR by an ideal ranking"),
)
"""Triples of a pattern that matches unsupported names, the suggested alternatives, and the reason
why the names are unsupported."""
AMBIGUOUS = (
    (r"(?i:accuracy)@1", "{0} is NaN, because one document has no pairs. Did you mean Success@1?"),
    (r"(?i:accuracy)@(\d+)", "{0} is a share of document pairs. Did you mean Success@{1}?"),
)
"""Pairs of a pattern that matches names with another meaning in other tools, and the text of a
warning."""


def benchmark_name(text: str) -> str | None:
    """Return irframe's name for a name in benchmarks or papers.

    Parameters
    ----------
    text
        A name.

    Returns
    -------
    str or None
        The name in irframe, or None if the name is not used by benchmarks or papers.

    Raises
    ------
    MetricError
        If irframe does not implement the metric. The message suggests an alternative.

    Examples
    --------
    >>> benchmark_name("ndcg_at_10"), benchmark_name("HR@5"), benchmark_name("AP")
    ('nDCG@10', 'Success@5', None)
    """
    for pattern, alternative, reason in REFUSED:
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            expected = f"a metric such as {alternative.format(text, *match.groups())}"
            raise MetricError(expected, f"{text!r}: {reason.format(text, *match.groups())}")
    for pattern, template in SPELLED:
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            return template.format(*(group or "" for group in match.groups()))
    return None


def warn_of_ambiguity(text: str) -> None:
    """Warn if a name has another meaning in other tools."""
    for pattern, message in AMBIGUOUS:
        if match := re.fullmatch(pattern, text):
            warn(message.format(match[0], *match.groups()))
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
"""Mapping from the name of a metric to a template of its name in cwl_eval. Fields in angle brackets
are names of parameters in irframe."""

NUMBER = r"-?[0-9.]+"
"""Pattern of a number in a name of cwl_eval."""
NUMBERS = {"depth": r"\d+", "p": r"0?\.\d+"}
"""Mapping from the name of a parameter to the pattern of its values in cwl_eval. All other
parameters have the pattern `NUMBER`."""


def from_cwl(text: str) -> Metric | None:
    """Return the metric for a name in cwl_eval, or None.

    Examples
    --------
    >>> from_cwl("INST-T=2"), from_cwl("NDCG-k@10"), from_cwl("RBP@10")
    (INST(T=2.0), SDCG()@10, None)
    """
    for name, template in CWL_NAMES.items():
        # a field such as <T> becomes the named group (?P<T>...)
        pattern = re.sub(
            r"<(\w+)>", lambda field: f"(?P{field[0]}{NUMBERS.get(field[1], NUMBER)})", template
        )
        if match := re.fullmatch(pattern, text, re.IGNORECASE):
            pairs = match.groupdict().items()
            metric: Metric = ALIASES[name](
                **{key: int(value) if key == "depth" else float(value) for key, value in pairs}
            )
            return metric
    return None


_NUMBER = r"-?(?:\d+(?:\.\d*)?|\.\d+)"
_PAIR = rf"\d+={_NUMBER}"
_FORM = re.compile(rf"(.+?)(?:[_.]({_NUMBER}(?:,{_NUMBER})*|{_PAIR}(?:,{_PAIR})*))?", re.IGNORECASE)

PRINTED = (*SETS["all_trec"].split(), "map_avgjg", "P_avgjg", "yaap")
"""Names of measures in the order of trec_eval's output."""
_SHARES = {"iprec_at_recall", "Rprec_mult"}
"""Names of measures whose parameter is printed with two decimals by trec_eval."""
_SINGLE = {"11pt_avg", "set_F", "utility"}
"""Names of measures whose parameters all belong to one measure, so that names are not split at
commas."""
_UTILITY_VALUES = ("a", "b", "c", "d")


class TrecName(NamedTuple):
    """Name in trec_eval, split into measure and parameters."""

    measure: str
    parameters: tuple[str, ...] = ()

    @property
    def measures(self) -> list["TrecName"]:
        """The single measures of the name, usually one per parameter."""
        # pairs such as 1=0.5 are gains of one measure, for example in ndcg_1=0.5,2=1
        single = self.measure in _SINGLE or "=" in "".join(self.parameters)
        if single or len(self.parameters) < 2:
            return [self]
        return [TrecName(self.measure, (parameter,)) for parameter in self.parameters]

    def __str__(self) -> str:
        return "_".join([self.measure, *([",".join(self.parameters)] if self.parameters else [])])

    @property
    def label(self) -> str:
        """The name in the output of trec_eval.

        Examples
        --------
        >>> TrecName("Rprec_mult", ("0.2",)).label, TrecName("utility", ("2", "-1", "0", "0")).label
        ('Rprec_mult_0.20', 'utility_2,-1,0,0')
        """
        if self.measure in _SHARES and self.parameters:
            return f"{self.measure}_{float(self.parameters[0]):.2f}"
        return str(self)

    @property
    def sort_key(self) -> tuple[float, ...]:
        """Sort key for the order of trec_eval's output."""
        numbers = () if "=" in "".join(self.parameters) else map(float, self.parameters)
        return (PRINTED.index(self.measure), *numbers)


def trec_name(text: str) -> TrecName | None:
    """Split a name of trec_eval, or return None.

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
    """Return the name that matches, ignoring case, or None."""
    if name in names:
        return name
    matches = [candidate for candidate in names if candidate.lower() == name.lower()]
    return matches[0] if len(matches) == 1 else None


def split_level(text: str) -> tuple[str, int | None]:
    """Split a name into metric name and lowest relevant grade.

    In ranx, the suffix ``-l2`` means that grades from 2 on are relevant.

    Examples
    --------
    >>> split_level("P_5-l2"), split_level("map")
    (('P_5', 2), ('map', None))
    """
    name, _, level = text.rpartition("-l")
    return (name, int(level)) if name and level.isdecimal() else (text, None)


def trec_fields(name: TrecName) -> dict[str, object]:
    """Return the parameters of the metric for a trec_eval name.

    The parameter of ``set_F`` is the square of beta.

    Examples
    --------
    >>> trec_fields(TrecName("set_F", ("4",))), trec_fields(TrecName("P", ("5",)))
    ({'beta': 2.0}, {'depth': 5})
    """
    measure, values = name
    if not values:
        return {}
    if "=" in values[0]:
        pairs = (pair.split("=") for pair in values)
        return {"gain": {int(grade): float(gain) for grade, gain in pairs}}
    if measure == "11pt_avg":
        return {"levels": tuple(map(float, values))}
    if measure == "utility":
        if len(values) != len(_UTILITY_VALUES):
            raise MetricError("utility with four parameters, as in utility.1,-1,0,0", str(name))
        return dict(zip(_UTILITY_VALUES, map(float, values), strict=True))
    if measure == "set_F":
        if len(values) > 1:
            raise MetricError("set_F with one parameter, the square of beta", str(name))
        return {"beta": float(values[0]) ** 0.5}
    at = ALIASES[TREC_NAMES[measure]].at
    (number,) = values
    return {at: float(number) if "." in number or at == "recall" else int(number)}


PLAIN = re.compile(r"[A-Za-z0-9_.\-]+")
"""Pattern of the names that mlflow, TensorBoard and Weights & Biases accept."""
CUT = re.compile(r"(.+)_at_(\d+)")
FIELD = re.compile(r"\.(?=[A-Za-z]\w*-)")
"""Pattern that finds the dot before a parameter in names for trackers, such as ``RBP.p-0.8``."""
ESCAPED = re.compile(r"_x([0-9a-f]+)_")


def plain_name(name: str, parse: Callable[[str], Metric]) -> str:
    """Return a name of a metric for experiment trackers.

    Parsing the returned name gives the same metric.

    Parameters
    ----------
    name
        Text or label of the metric.
    parse
        The function `parse_metric`.

    Examples
    --------
    >>> from irframe.metrics.parse_metric import parse_metric
    >>> names = ["nDCG@10", "RBP(p=0.8)", "nDCG(gain='exp')@10", "map_cut_10"]
    >>> [plain_name(name, parse_metric) for name in names]
    ['nDCG_at_10', 'RBP.p-0.8', 'nDCG.gain-exp_at_10', 'map_cut_10']
    """
    metric = parse(name)
    called = re.sub(r"\((.*)\)", lambda call: "".join(map(_dotted, call[1].split(","))), name)
    escaped = re.sub(r"[^A-Za-z0-9.\-_]", lambda char: f"_x{ord(char[0]):x}_", name)
    forms = name, re.sub(r"@(\d+)$", r"_at_\1", called), escaped
    # the forms are tried from the most to the least readable one, and the last always works
    return next(form for form in forms if _round_trips(form, metric, parse))


def _dotted(argument: str) -> str:
    """Return ``.gain-exp`` for ``gain='exp'``."""
    return "." + argument.strip().replace("=", "-").replace("'", "")


def from_plain(text: str) -> str | None:
    """Return irframe's name for a name in trackers, or None.

    Examples
    --------
    >>> from_plain("nDCG.gain-exp_at_10"), from_plain("RBP_x40_0.8"), from_plain("AP")
    ("nDCG(gain='exp')@10", 'RBP@0.8', None)
    """
    if not PLAIN.fullmatch(text):
        return None
    # an escaped name contains the full text of a metric, so only the escapes are decoded
    if ESCAPED.search(text):
        return ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    cut = CUT.fullmatch(text)
    named, depth = (cut[1], f"@{cut[2]}") if cut else (text, "")
    name, *fields = FIELD.split(named)
    if not (fields or depth):
        return None
    pairs = [field.partition("-")[::2] for field in fields]
    arguments = ", ".join(f"{key}={_literal(value)}" for key, value in pairs)
    return f"{name}({arguments}){depth}" if arguments else f"{name}{depth}"


def _literal(text: str) -> str:
    """Return a parameter value as a Python literal."""
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return repr(text)
    return text


def _round_trips(text: str, metric: Metric, parse: Callable[[str], Metric]) -> bool:
    try:
        return bool(PLAIN.fullmatch(text)) and parse(text) == metric
    except ValueError:  # `parse` raises errors of irframe, which are all ValueErrors
        return False
