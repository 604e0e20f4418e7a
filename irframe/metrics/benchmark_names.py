"""Names of measures as benchmarks of embeddings and question answering write them.

MTEB, BEIR, DPR and sentence-transformers have names of their own; some look like those of other
tools and mean something else, which is said where they are asked for.
"""

import re

from irframe.errors import MetricError, warn

SPELLED = (
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
    (r"rbp\.(\d+)", "{0}", "RBP(p=0.{1})", "ranx adds up grades there, which is no share"),
    (r"hole(?:@|_at_)(\d+)", "{0}", "Judged@{1}", "BEIR's asks whether any topic has it judged"),
    (r"map@r", "MAP@R", "Rprec", "no list is cut at a topic's number of relevant documents"),
    (r"nerr@(\d+)", "{0}", "ERR@{1}", "ERR is not divided by that of an ideal ranking"),
)
"""Form of a name that names no metric, how it is written, what to ask for, and why."""
DOUBTED = (
    (r"(?i:accuracy)@1", "{0} is NaN: one document makes no pair. Is Success@1 meant?"),
    (r"(?i:accuracy)@(\d+)", "{0} is the share of pairs in order. Is Success@{1} meant?"),
    (r"dcg(?:@(\d+))?", "{0} is ranx's, which adds up grades; DCG takes shares of the top grade"),
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
    for form, name, instead, why in REFUSED:
        if found := re.fullmatch(form, text, re.IGNORECASE):
            told = (found[0], *found.groups())
            wanted = f"a metric such as {instead.format(*told)}"
            raise MetricError(wanted, f"{name.format(*told)!r}: {why}")
    for form, ours in SPELLED:
        if found := re.fullmatch(form, text, re.IGNORECASE):
            return ours.format(found[1])
    return None


def warn_of_doubt(text: str) -> None:
    """Warn of a name that may be taken for another metric."""
    for form, words in DOUBTED:
        if found := re.fullmatch(form, text):
            warn(words.format(found[0], *found.groups()))
            return
