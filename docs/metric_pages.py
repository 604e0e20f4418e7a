"""Pages of the metrics, made from their docstrings and fields."""

import inspect
import re
import warnings
from collections import Counter
from contextlib import suppress
from functools import cache
from itertools import starmap

import ir_measures
import numpy as np
from verbs import GUIDES, SHOWN, showing

import irframe as ir
from irframe.errors import IrframeError, MetricError
from irframe.gains import parse_gain
from irframe.metrics import METRICS
from irframe.metrics.facts import class_of, names_of
from irframe.metrics.facts import facts as known_of
from irframe.metrics.spellings import CWL_ALIKE, CWL_NAMES, RANX_NAMES, TREC_NAMES
from irframe.tables.cite import references

TOOLS = ["ir_measures", "trec_eval", "ranx", "cwl_eval"]
"""Other tools, in the order in which `row_of` gives their names."""
USUAL = ("nDCG", "AP", "RR", "P", "Recall", "RBP", "ERR", "Success", "Rprec", "Bpref")
"""What most papers report."""
FAMILIES = {
    "Precision and recall": "P Recall F Rprec RprecMult RelativeP IPrec InterpolatedAP Accuracy",
    "The first relevant document": "RR Success ESL",
    "Average precision": "AP YAAP Q G BinG",
    "Discounted gain": "DCG nDCG nDCGRel RnDCG SDCG Compat",
    "Users who read on from rank to rank": "RBP ERR NERR INST INSQ BPM DynamicBPM IFT",
    "Incomplete judgments": "Bpref Judged InfAP InfNDCG",
    "How far to search": "ASL InverseASL AtomizedP",
    "Effort": "Twist RecoveryRatio SpaceRatio BalancePoint CRP",
    "Subtopics": "alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP StRecall IA",
    "Spans of text": "SpanR SpanP SpanF SpanIoU All U TBG",
    "Sets": "SetP SetF SetAP SetRelativeP Utility",
    "Counts": "NumQ NumRet NumRel NumRelRet NumNonrelJudgedRet",
}
"""Family -> its metrics."""
STANDS_FOR = {
    "Accuracy": "accuracy of pairs",
    "All": "all evidence found",
    "alpha_DCG": "discounted gain of covered subtopics",
    "alpha_nDCG": "normalised discounted gain of covered subtopics",
    "AP": "average precision",
    "ASL": "atomized search length",
    "AtomizedP": "atomized precision",
    "BalancePoint": "balance point",
    "BinG": "binary G",
    "BPM": "bejeweled player model",
    "Bpref": "binary preference",
    "Compat": "compatibility with an ideal ranking",
    "CRP": "cumulated relative position",
    "DCG": "discounted cumulated gain",
    "DynamicBPM": "dynamic bejeweled player model",
    "ERR": "expected reciprocal rank",
    "ERR_IA": "intent-aware expected reciprocal rank",
    "ESL": "expected search length",
    "F": "F measure of the top of a ranking",
    "G": "gain that counts what was missed before",
    "IA": "the intent-aware mean of any metric",
    "IFT": "information foraging",
    "InfAP": "inferred average precision",
    "InfNDCG": "inferred normalised discounted cumulated gain",
    "INSQ": "inverse squares",
    "INST": "inverse squares that adapt to what was found",
    "IPrec": "interpolated precision at a level of recall",
    "InterpolatedAP": "interpolated precision averaged over levels of recall",
    "InverseASL": "inverse atomized search length",
    "Judged": "share of judged documents",
    "nDCG": "normalised discounted cumulated gain",
    "nDCGRel": "nDCG averaged over the relevant documents",
    "NERR": "nearly expected reciprocal rank",
    "nERR_IA": "normalised intent-aware expected reciprocal rank",
    "nNRBP": "normalised novelty- and rank-biased precision",
    "NRBP": "novelty- and rank-biased precision",
    "P": "precision",
    "Q": "Q-measure",
    "RBP": "rank-biased precision",
    "RecoveryRatio": "recovery ratio",
    "RelativeP": "precision relative to the best that a depth allows",
    "RnDCG": "nDCG averaged over the levels of the ideal ranking",
    "Rprec": "R-precision",
    "RprecMult": "precision at a multiple of R",
    "RR": "reciprocal rank",
    "SDCG": "scaled discounted cumulated gain",
    "SetAP": "average precision of the retrieved set",
    "SetF": "F measure of the retrieved set",
    "SetP": "precision of the retrieved set",
    "SetRelativeP": "precision of the retrieved set relative to the best for its size",
    "SpaceRatio": "space ratio",
    "SpanF": "span F measure",
    "SpanIoU": "span intersection over union",
    "SpanP": "span precision",
    "SpanR": "span recall",
    "StRecall": "subtopic recall",
    "TBG": "time-biased gain",
    "U": "U-measure",
    "Utility": "utility of the retrieved set",
    "YAAP": "yet another average precision",
}
"""Metric -> what its name stands for, unless it says that itself."""
HEAD = ["metric", "what it tells", "range", "no relevant documents", "also read as", "paper"]
RANKING, JUDGED = [3, 0, 1, 0, 2], [3, 2, 2, 1, 0, 0]
"""Grades of the example of every page, and of all judged documents of its topic."""
GAINS = {"Binary": "'binary'", "Linear": "'linear'", "Exponential": "'exp'"}
"""Gain map -> its name as text."""
PAGE = """# {title}

{summary}

{formula}

{known}

{glance}

{gains}{example}## Definition

```{{eval-rst}}
.. autoclass:: irframe.metrics.{name}
```

{also}"""


def metric_page(name):
    """Return the page of one metric."""
    metric = METRICS[name]
    irframe_name, *names_elsewhere = row_of(metric)
    aliases = irframe_name.partition(", ")[2]
    lines = [f"Also read as {aliases}."] if aliases else []
    lines += [
        f"In {tool}: {cell}." for tool, cell in zip(TOOLS, names_elsewhere, strict=True) if cell
    ]
    return PAGE.format(
        title=title(name),
        summary=summary(metric),
        formula=formula(name),
        known=" ".join(lines),
        glance=glance(metric),
        gains=gains(metric),
        example=example(name),
        name=name,
        also=also(name),
    )


def title(name):
    """Return the name of a metric and its long form."""
    return f"{name}: {STANDS_FOR[name]}" if name in STANDS_FOR else name


def summary(metric):
    """Return the description of a metric from its docstring."""
    return inspect.getdoc(metric).partition("\n\nParameters\n")[0].replace("``", "`")


def formula(name):
    """Return the formula of a metric, with links."""
    notes = inspect.getdoc(METRICS[name]).partition("\nNotes\n-----\n")[2]
    match = re.match(r"``(.+?)``", notes, re.DOTALL)
    if not match:
        return ""
    text = " ".join(match[1].split())
    named = [metric for metric in METRICS if metric != name and re.search(rf"\b{metric}\b", text)]
    links = ", ".join(f"[{metric}]({metric}.md)" for metric in named if len(metric) > 1)
    return f"`{text}`" + (f", with {links}." if links else "")


def glance(metric):
    """Return a table of the properties of a metric."""
    span, _, barren, unjudged = facts(metric)
    better = "" if "better" in span else "; lower is better" if metric.cost else ""
    rows = [
        ["range", f"{span}{better}"],
        ["equal scores", ties(metric)],
        ["no relevant documents", barren],
        ["unjudged documents", unjudged],
    ]
    return table(["at a glance", ""], [[cell.replace("``", "`") for cell in row] for row in rows])


def ties(metric):
    """Return what a metric makes of documents with equal scores."""
    text = "one order for all metrics, by `ties=` ([ties](../../guide/policies.md#ties))"
    shares = known_of(metric).shares
    if "mean" in shares:
        text += '; `ties="mean"` takes the mean over all orders'
    if "block" in shares:
        text += '; `ties="block"` the mean gain of a block at each of its ranks'
    if metric.order:
        text += "; `tie_ranges` gives the lowest and highest score that any order has"
    return text


def gains(metric):
    """Return the default gains of grades."""
    field = metric.__dataclass_fields__.get("gain")
    if field is None or field.default is None:
        return ""
    gain, grades = parse_gain(field.default), np.arange(4)
    gained = gain.map(grades, rel=1, top=3)
    listed = table(["grade", *map(str, grades)], [["gain", *(f"{value:.3g}" for value in gained)]])
    map_name = GAINS.get(type(gain).__name__, str(gain))
    other_maps = ", ".join(f"`{name}`" for name in GAINS.values() if name != map_name)
    text = (
        f"By default `gain={map_name}`, here on a scale with top grade 3; others are {other_maps} "
        "or a mapping such as `{1: 1, 2: 5}`."
    )
    return f"{text}\n\n{listed}\n\n"


CALL = """\
The means of the best and the worst system of the example track:

```python
runs, qrels = ir.example_track()
runs.ireval.evaluate(qrels, "{metric}").ireval.summary()["mean"]
```

{means}

"""
ARITHMETIC = """\
And one ranking at every depth, of a topic whose judged documents have the grades {judged}:

{scores}

"""


def example(name):
    """Return examples with the default parameters."""
    shown = called(name) + arithmetic(name)
    return f"## Example\n\n{shown}" if shown else ""


def called(name):
    """Return the call on runs and its result."""
    for metric in (name, f"{name}@10"):
        with warnings.catch_warnings(action="ignore"), suppress(IrframeError, TypeError):
            means = ir.evaluate(*track(), metric).ireval.leaderboard()[metric].iloc[[0, -1]]
            row = [f"`{metric}`", *(f"{mean:.3f}" for mean in means)]
            return CALL.format(metric=metric, means=table(["", *map(str, means.index)], [row]))
    return ""


@cache
def track():
    """Return the runs and judgments of the example track."""
    return ir.example_track()


def arithmetic(name):
    """Return the scores of an example ranking."""
    missed = [*(Counter(JUDGED) - Counter(RANKING)).elements()]
    retrieved = [True] * len(RANKING) + [False] * len(missed)
    try:
        scores = METRICS[name]().curve([*RANKING, *missed], listed=retrieved)[: len(RANKING)]
    except (MetricError, TypeError):
        return ""
    rows = [["grade", *map(str, RANKING)], [f"`{name}`", *(f"{score:.3f}" for score in scores)]]
    listed = table(["depth", *(str(depth) for depth in range(1, 1 + len(RANKING)))], rows)
    return ARITHMETIC.format(judged=", ".join(map(str, JUDGED)), scores=listed)


def also(name):
    """Return links to related metrics and pages."""
    text = inspect.getdoc(METRICS[name])
    family = next(names.split() for names in FAMILIES.values() if name in names.split())
    named = [metric for metric in METRICS if re.search(rf"(?<![\w.]){metric}(?=[@(`.,; ]|$)", text)]
    related = [metric for metric in dict.fromkeys([*named, *family]) if metric != name]
    links = [f"- [{metric}]({metric}.md): {first_line(METRICS[metric])}" for metric in related]
    pages = list(showing(rf"""["'`]{name}(?=[@("'`])""", *GUIDES, "papers").items())[:SHOWN]
    shown = ", ".join(f"[{title}](../../{page.as_posix()})" for page, title in pages)
    links += [f"\nShown in {shown}."] * bool(shown)
    return "## See also\n\n" + "\n".join(links) + "\n"


def metrics_table():
    """Return tables of the usual metrics and of families."""
    sections = [section("The usual ten", USUAL)]
    sections += [section(family, names.split()) for family, names in FAMILIES.items()]
    return "\n".join(sections)


def section(heading, names):
    """Return a heading and the table of some metrics."""
    rows = []
    for name in names:
        span, _, barren, _ = facts(METRICS[name])
        link = f"[{name}](../_generated/metrics/{name}.md)"
        aliases = row_of(METRICS[name])[0].partition(", ")[2]
        cited = ", ".join(starmap(short, references(METRICS[name])))
        rows.append([link, first_line(METRICS[name]), span, barren, aliases, cited])
    return f"## {heading}\n\n:::{{div}} verbs\n{table(HEAD, rows)}\n:::\n"


def short(reference, doi):
    """Return the authors and year of a paper, linked.

    >>> short("Moffat, Zobel. Rank-biased precision. ACM TOIS 27, 2008.", "10.1145/1416950")
    '[Moffat and Zobel 2008](https://doi.org/10.1145/1416950)'
    """
    first, *authors = reference.partition(". ")[0].split(", ")
    years, address = (
        re.findall(r"\b(?:19|20)\d\d\b", reference),
        re.search(r"https://\S+", reference),
    )
    who = f"{first} et al." if len(authors) > 1 else " and ".join([first, *authors])
    label = f"{who} {years[-1]}" if years else first
    link = f"https://doi.org/{doi}" if doi else address and address[0]
    return f"[{label}]({link})" if link else label


def names_table():
    """Return a table of the names of metrics in tools."""
    rows = [row_of(metric) for _, metric in sorted(METRICS.items(), key=lambda m: m[0].lower())]
    return table(["irframe", *TOOLS], rows) + "\n"


def row_of(metric):
    """Return the names of a metric in all tools."""
    own_names = names_of(metric)
    cells = [
        own_names,
        [name for name in own_names if name in ir_measures.measures.registry],
        *(
            [name for name in names if type_of(names[name]) is metric]
            for names in (TREC_NAMES, RANX_NAMES)
        ),
        [name for name in CWL_ALIKE if CWL_ALIKE[name] == metric.__name__]
        + [form for name, form in CWL_NAMES.items() if name in own_names],
    ]
    return [", ".join(f"`{name}`" for name in cell) for cell in cells]


def type_of(expression):
    """Return the metric of an expression such as ``DCG(gain='exp')``."""
    return class_of(expression.partition("(")[0])


def first_line(documented):
    """Return the sentence that a docstring begins with."""
    return (inspect.getdoc(documented) or "").partition("\n")[0]


def table(head, rows):
    """Return a Markdown table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])


def facts(metric):
    """Return the properties from the line ``Range: ... Needs: ...``."""
    text = " ".join((inspect.getdoc(metric) or "").split())
    match = re.search(
        r"Range: (.+?)\. Needs: (.+?)\. No relevant documents: (.+?)\. "
        r"Unjudged: (.+?)\.(?: |$)",
        text,
    )
    return match.groups() if match else ("", "", "", "")
