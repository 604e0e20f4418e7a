"""What is said of a result, how it was decided, and means of systems as a table."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.agreements.correlations import AGREEMENTS
from irframe.checks import places
from irframe.errors import ParameterError
from irframe.metrics.facts import READ_IN, TIE, best_first, facts, label_at
from irframe.names import (
    BUDGETS,
    CAUTION,
    DEPTH,
    METRIC,
    REPEAT,
    RESULT,
    SYSTEM,
    TOPIC,
    counted,
    plural,
)
from irframe.paired import parse_test
from irframe.record import SOURCES, steps_of

ADJUST_WORDS = {
    "none": "uncorrected",
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "sidak": "Sidak",
    "holm-sidak": "Holm-Sidak",
    "simes-hochberg": "Simes-Hochberg",
    "hommel": "Hommel",
    "fdr_bh": "Benjamini-Hochberg",
    "fdr_by": "Benjamini-Yekutieli",
    "fdr_tsbh": "two-stage Benjamini-Hochberg",
    "fdr_tsbky": "two-stage Benjamini-Krieger-Yekutieli",
    "max-t": "max-T",
    "MaxT": "max-T",
}
FAMILY_WORDS = {"depth": "per metric and depth", "metric": "per metric", "all": "over all"}
METHOD_WORDS = {
    "Kendall": "Kendall's tau",
    "TauAP": "AP correlation",
    "RBO": "rank-biased overlap",
    "Spearman": "Spearman's rho",
    "Pearson": "Pearson's r",
    "RMSE": "root mean squared error",
    "pairs": "rank intervals from the pairs that differ significantly",
    "holm": "rank intervals from one-sided t-tests, Holm",
    "max-t": "rank intervals from t-tests, max-T",
    "bootstrap": "spread of ranks under resampling",
}
INTERVAL_WORDS = {
    "logit": "logit ",
    "t": "Student's ",
    "permutation": "permutation ",
    "bootstrap": "bootstrap ",
    "tukey": "Tukey's ",
}
REPEAT_WORDS = {"system": "of each system", "shared": "for all systems", "topic": "of each topic"}
DRAWING = {"bootstrap", "max-t"}
"""Methods of rank intervals that draw."""
ALWAYS_DRAWING = {"bootstrap_sensitivity", "budget", "replay"}
ORIGIN_WORDS = {
    "ties": "ties {}",
    "seed": "seed {}",
    "score_dtype": "scores as {}",
    "topics": "topics {}",
    "collection": "collections by {}",
    "rel": "relevant from grade {}",
    "depth": "lists cut at {}",
    "unit": "units: {}",
    "copies": "later copies {}",
    "budgets": "budgets in {}",
    "lower": "lower is better: {}",
    "top": "top grade {}",
    "pool_depth": "judged to depth {} by these runs",
    "irframe": "irframe {}",
}
"""How a caption tells of what decided scores."""
COPY_WORDS = {"spend": "keep their ranks and gain nothing", "skip": "are taken out"}
STEP_WORDS = {
    "condense": "unjudged documents left out",
    "pooled": "judgments of a pool of depth {depth}",
    "sample": "a sample of judgments, share {share}, seed {seed}",
    "draw_to_judge": "documents drawn to be judged, share {share}, seed {seed}",
    "select_top": "the best {share} of systems by {metric}",
    "collapse": "chunks collapsed by {by}",
    "standardise": "scores standardised, {method}",
}
"""How it tells of verbs that gave other judgments, systems or scores."""
UNRECORDED = "how these numbers were decided is not recorded: the attributes are lost"
SHOWN = 4
"""How many depths are listed."""


def told(attributes: Mapping[Any, Any], *parts: str, interval: str = "{}") -> str:
    """Return all that is said of a result: some parts, how it was decided, and from what.

    Parameters
    ----------
    attributes
        Those of the result.
    parts
        What is said first.
    interval
        How the words for its intervals are put, if it shows any; "" if it shows none.

    Examples
    --------
    >>> import irframe as ir
    >>> frame = ir.evaluate(*ir.example_track(), "AP")
    >>> told(ir.verbs.compare(frame, at=None).attrs, interval="").split("; ")[0]
    'paired t-test, Holm per metric and depth (28 comparisons), alpha = 0.05'
    """
    said = [*parts, told_decision(attributes) if RESULT in attributes else UNRECORDED]
    if interval and "alpha" in attributes:
        said.append(interval.format(told_interval(attributes)))
    said += [told_repeats(attributes), told_draws(attributes), told_weights(attributes)]
    said += [str(attributes.get(name, "")) for name in ("frozen", CAUTION)]
    return "; ".join(filter(None, (*said, told_origin(attributes))))


def told_decision(attributes: Mapping[Any, Any]) -> str:
    """Say by which test and correction, or which method, a result was decided."""
    margin = attributes.get("margin", "")
    spelled = f"margin {margin if isinstance(margin, str) else f'{margin:g}'}" if margin else ""
    return ", ".join(filter(None, (told_test(attributes), told_method(attributes), spelled)))


def told_test(attributes: Mapping[Any, Any]) -> str:
    """Say which test was made, how it was corrected, and at which level.

    Examples
    --------
    >>> told_test({"test": "t", "adjust": "holm", "family": "depth", "alpha": 0.05})
    'paired t-test, Holm per metric and depth, alpha = 0.05'
    >>> told_test({"test": "Permutation(samples=999)", "adjust": "none", "alpha": 0.05})
    'paired permutation test (samples=999, seed=0), uncorrected, alpha = 0.05'
    """
    test, alpha = str(attributes.get("test", "")), attributes.get("alpha")
    words = _words(test) if test else ""
    corrected = _correction(attributes) if "adjust" in attributes else ""
    level = f"alpha = {alpha:g}" if test and alpha is not None else ""
    return ", ".join(filter(None, (words, corrected, level)))


def _correction(attributes: Mapping[Any, Any]) -> str:
    """Say which correction was applied, over how many comparisons."""
    adjust, test = str(attributes["adjust"]), str(attributes.get("test", ""))
    if adjust == "none":
        return "" if test and parse_test(test).joint else ADJUST_WORDS[adjust]  # type: ignore[arg-type]
    name, bracket, options = adjust.partition("(")
    word = ADJUST_WORDS.get(name, name) + f" {bracket}{options}".rstrip()
    counted = attributes.get("comparisons")
    size = f"({_range(counted)} comparisons)" if counted is not None else ""
    family = FAMILY_WORDS.get(attributes.get("family", ""), "")
    family = family.replace("depth", "budget") if BUDGETS in attributes else family
    return " ".join(filter(None, (word, family, size)))


def _range(numbers: Any) -> str:
    low, high = int(np.min(numbers)), int(np.max(numbers))
    return f"{high}" if low == high else f"{low} to {high}"


def _words(text: str) -> str:
    """Return the name of a test, with those of its options that are not the usual ones."""
    test: Any = parse_test(text)  # type: ignore[arg-type]
    values = {field.name: (getattr(test, field.name), field.default) for field in fields(test)}
    drawn = {"samples", "seed"}
    options = [f"{k}={v!r}" for k, (v, usual) in values.items() if v != usual or k in drawn]
    return f"{test.title} ({', '.join(options)})" if options else str(test.title)


def told_interval(attributes: Mapping[Any, Any]) -> str:
    """Say of which level and kind intervals are.

    Examples
    --------
    >>> told_interval({"alpha": 0.05})
    '95% interval'
    >>> told_interval({"alpha": 0.05, "intervals": "for its pair alone"})
    '95% interval, for its pair alone'
    >>> told_interval({"alpha": 0.1, "interval": "logit"})
    '90% logit interval'
    >>> told_interval({"alpha": 0.05, "interval": "logit, but t of DCG"})
    '95% interval (logit, but t of DCG)'
    """
    alpha, held = attributes.get("alpha"), str(attributes.get("intervals", ""))
    given = str(attributes.get("interval", ""))
    kind = INTERVAL_WORDS.get(given, "")
    words = f"{kind}interval" if alpha is None else f"{100 * (1 - alpha):.4g}% {kind}interval"
    words += f" ({given})" if given and not kind else ""
    if held == "simultaneous":
        return f"simultaneous {words}"
    return f"{words}, {held}" if held else words


def told_draws(attributes: Mapping[Any, Any]) -> str:
    """Say how many samples were drawn, and from which seed, where some were.

    Examples
    --------
    >>> told_draws({"method": "bootstrap", "samples": 1000, "seed": 3})
    '1,000 samples, seed 3'
    """
    drawn = attributes.get("method") in DRAWING or attributes.get(RESULT) in ALWAYS_DRAWING
    for step in steps_of(attributes)[-1:]:
        drawn |= step.options.get("interval") is True  # a word says how, without samples
    if "samples" not in attributes or not drawn:
        return ""
    return f"{attributes['samples']:,} samples, seed {attributes.get('seed', 0)}"


def told_repeats(attributes: Mapping[Any, Any]) -> str:
    """Say what was repeated, how often, and whether intervals and tests count it.

    Examples
    --------
    >>> told_repeats({"repeats": "system", "repeated": "seed", "n_repeats": "3 to 5"})
    '3 to 5 seeds of each system'
    >>> shared = {"repeats": "shared", "repeated": "pass", "n_repeats": "3", "alpha": 0.05}
    >>> told_repeats(shared | {"over": "topic"})
    '3 passes for all systems, averaged: intervals and tests are of these passes'
    >>> told_repeats(shared | {"over": "both"})
    '3 passes for all systems, which intervals and tests count beside topics'
    """
    if "n_repeats" not in attributes:
        return ""
    counted, layout = attributes["n_repeats"], attributes.get("repeats")
    one = attributes.get("repeated", REPEAT)
    word = plural(one)
    of_what = REPEAT_WORDS.get(str(layout), "")
    said = f"{counted} {one if counted == '1' else word} {of_what}".rstrip()
    if "alpha" not in attributes:
        return said
    if layout == "topic":
        return f"{said}, averaged in each topic"
    counts = {
        "topic": f"averaged: intervals and tests are of these {word}",
        "repeat": "which intervals and tests count, on these topics",
    }
    other = "which intervals and tests count beside topics"
    return f"{said}, {counts.get(attributes.get('over', ''), other)}"


def told_weights(attributes: Mapping[Any, Any]) -> str:
    """Say by what topics are weighted, if they are."""
    return f"topics weighted by {attributes['weights']}" if "weights" in attributes else ""


def told_origin(attributes: Mapping[Any, Any]) -> str:
    """Say what decided the scores behind a result: rankings, judgments, and what was done to them.

    Examples
    --------
    >>> import irframe as ir
    >>> told_origin(ir.verbs.score(ir.cube(*ir.example_track()), "AP").attrs)
    'ties trec; scores as float64; topics qrels; top grade 3; judged to depth 10 by these runs; ...'
    >>> told_origin({"top": [2, 3], "collection": "track"})
    'collections by track; top grade 2 and 3'
    """
    facts = origin(attributes)
    made = {name: " and ".join(map(str, np.atleast_1d(value))) for name, value in facts.items()}
    made |= {"copies": COPY_WORDS[made["copies"]]} if made.get("copies") in COPY_WORDS else {}
    words = dict(ORIGIN_WORDS)
    steps = steps_of(attributes)
    if steps and "pool_depth" in steps[0].options:
        words["pool_depth"] = "pool depth {}"
    said = [words[name].format(made[name]) for name in words if name in made]
    usual = {"depth": "", "share": "", "seed": 0, "metric": "", "method": "", "by": ""}
    phrases = [(STEP_WORDS[s.verb], usual | s.options) for s in steps if s.verb in STEP_WORDS]
    return "; ".join([*(word.format(**options) for word, options in phrases), *said])


def origin(attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what decided scores, by name; a pool whose depth nobody knows is left out."""
    decided = {name: attributes[name] for name in ORIGIN_WORDS if name in attributes}
    steps = steps_of(attributes)
    if len(steps) > 1 or (steps and steps[0].verb not in SOURCES):
        analysed = {name for step in steps if step.verb not in SOURCES for name in step.options}
        made = steps[0].options if steps[0].verb in SOURCES else {}
        decided = {name: value for name, value in decided.items() if name not in analysed}
        decided |= {name: made[name] for name in analysed & made.keys() & ORIGIN_WORDS.keys()}
    if decided.get("ties") != "random":
        decided.pop("seed", None)
    if np.array_equal(decided.get("pool_depth", ""), 0):
        del decided["pool_depth"]
    return decided


def told_topics(numbers: Any) -> str:
    """Say of how many topics there are numbers: one count, or the fewest and the most.

    Examples
    --------
    >>> told_topics([16, 16]), told_topics([1])
    ('16 topics', '1 topic')
    """
    return counted(_range(numbers), TOPIC)


def told_depths(result: pd.DataFrame) -> str:
    """Say at which depths a frame looks, and nothing where it does not say."""
    if DEPTH not in result or result[DEPTH].isna().any():
        return ""
    depths, unit = sorted(result[DEPTH].unique()), READ_IN.get()
    if len(depths) > SHOWN:
        what = f"budgets of {unit}" if unit else "depths"
        return f"{len(depths)} {what} from {depths[0]} to {depths[-1]}"
    return " and ".join(f"{depth} {unit}" if unit else f"depth {depth}" for depth in depths)


def told_method(attributes: Mapping[Any, Any]) -> str:
    """Say by which method agreement was measured, with its parameters where it has some.

    Examples
    --------
    >>> told_method({"method": "RBO(p=0.8, ties='w')"}), told_method({"method": "kendall"})
    ("rank-biased overlap (p=0.8, ties='w')", "Kendall's tau")
    """
    given = str(attributes.get("method", ""))
    text = repr(AGREEMENTS[given]) if given in AGREEMENTS else given
    name, bracket, options = text.partition("(")
    usual = {repr(type(method)()) for method in AGREEMENTS.values()}
    words = METHOD_WORDS.get(name, name)
    return words if text in usual else f"{words} {bracket}{options}".strip()


@dataclass(frozen=True, eq=False)
class Means:
    """Means of systems.

    Parameters
    ----------
    table
        A row per system; a column per metric and depth, under its group.
    signs
        1 for each column where higher is better, -1 where lower is.
    keys
        The group, metric and depth of each column.
    """

    table: pd.DataFrame
    signs: NDArray[np.integer]
    keys: pd.DataFrame

    @classmethod
    def of(cls, frame: pd.DataFrame, groups: list[Any]) -> "Means":
        """Lay out a frame with the columns system, mean, metric, depth and those of groups."""
        keys = frame[[*groups, METRIC, DEPTH]].drop_duplicates(ignore_index=True)
        signs = np.array([facts(str(metric)).sign for metric in keys[METRIC]])
        systems = pd.Index(frame[SYSTEM].unique(), name=SYSTEM)
        bare = cls(pd.DataFrame(np.nan, systems, _labels(keys, groups)), signs, keys)
        return replace(bare, table=bare.spread(frame, frame["mean"]))

    def spread(self, frame: pd.DataFrame, numbers: Any, role: str = SYSTEM) -> pd.DataFrame:
        """Put numbers, one for each row of a frame, where the means of these rows are.

        Parameters
        ----------
        frame
            The frame laid out, or one with groups, metrics and depths in the same order.
        numbers
            Numbers, or texts.
        role
            The column of the systems.
        """
        row, column = self.places(frame, role)
        numbers = np.asarray(numbers)
        text = numbers.dtype.kind not in "fiub"
        filled = np.full(self.table.shape, "" if text else np.nan, object if text else np.float64)
        filled[row, column] = numbers
        return pd.DataFrame(filled, self.table.index, self.table.columns)

    def places(
        self, frame: pd.DataFrame, role: str = SYSTEM
    ) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Return the table's row and column for every row of a frame."""
        names = list(self.keys.columns)
        column = frame.groupby(names, sort=False, dropna=False, observed=True).ngroup()
        return self.table.index.get_indexer(pd.Index(frame[role])), column.to_numpy()

    def best(self) -> pd.DataFrame:
        """Return which of the means are the best of their column, ties among them."""
        return best_of((self.table * self.signs).round(TIE))

    def sorted(self, sort: Hashable) -> "Means":
        """Return the systems best first, by a column; by the first one if `sort` is True."""
        if sort is False:
            return self
        labels = list(self.table.columns)
        (place,) = [0] if sort is True else places("sort= a column", [sort], labels)
        order = best_first(self.table.iloc[:, place].to_numpy(), self.signs[place])
        return replace(self, table=self.table.iloc[order])

    def relative_to(self, system: Any) -> pd.DataFrame:
        """Return differences from a system's means in per cent of those, as texts."""
        if system not in self.table.index:
            known = self.table.index.tolist()
            raise ParameterError("relative_to= to be one of the systems", repr(system), "", known)
        base: Any = self.table.loc[system]
        percent = 100 * (self.table - base) / base.abs().where(base != 0)
        percent.loc[system] = np.nan
        texts: pd.DataFrame = percent.map(lambda x: "" if np.isnan(x) else f"{x:+.1f}")
        return texts


def best_of(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return which numbers are the highest of their column, where there are others."""
    return numbers.eq(numbers.max()) & (numbers.count() > 1)


def _labels(keys: pd.DataFrame, groups: list[Any]) -> pd.Index:
    """Return the labels of columns for groups, metrics and depths."""
    labels = [
        str(metric) if pd.isna(depth) else label_at(str(metric), depth)
        for metric, depth in zip(keys[METRIC], keys[DEPTH], strict=True)
    ]
    if not groups:
        return pd.Index(labels, name=METRIC)
    levels = [keys[group].to_numpy() for group in groups]
    return pd.MultiIndex.from_arrays([*levels, labels], names=[*groups, METRIC])
