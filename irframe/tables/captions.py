"""What is said of a result: how it was decided, and from what."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from functools import cache
from typing import Any

import numpy as np

from irframe.agreements.correlations import AGREEMENTS
from irframe.checks import listed
from irframe.errors import cautions_of
from irframe.names import (
    DIRECTION,
    GIVEN_RESAMPLES,
    OF_REFERENCE,
    ORDERINGS,
    REPEAT,
    RESULT,
    counted,
    plural,
)
from irframe.option_values import slot_of
from irframe.paired import Bootstrap, parse_test
from irframe.record import (
    OBJECTS,
    SOURCES,
    Step,
    function_of,
    signature_of,
    spread_option,
    steps_of,
)
from irframe.stops import AXES, axis_from_attrs
from irframe.tables.quantities import SHOWN, low_to_high_of, topics_text

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
FAMILY_WORDS = {"depth": "per metric and {}", "metric": "per metric", "all": "over all"}
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
    "bootstrap": "spread of ranks under resampling, first in equal parts where means tie",
}
INTERVAL_WORDS = {
    "logit": "logit ",
    "t": "Student's ",
    "max-t": "max-T ",
    "permutation": "permutation ",
    "bootstrap": "bootstrap ",
    "tukey": "Tukey's ",
}
REPEAT_WORDS = {"system": "of each system", "shared": "for all systems", "topic": "of each topic"}
DRAWING = {"bootstrap", "max-t"}
"""Methods of rank intervals that draw."""
ALWAYS_DRAWING = {"compare_judges", "leaderboard", "rank_intervals", "replay"}
TEST_WORDS = {"anova": "one-way analysis of variance", GIVEN_RESAMPLES: Bootstrap.title}
"""Tests that are no values: that of `topics_needed`, and the bootstrap by resamples of a caller."""
PLAN = "topics_needed"
MARGIN_WORDS = {
    "": "margin {}, one-sided t-tests against it",
    "ablation": "margin {} of a system's mean",
    "reordering": "margin {} of a system's mean",
    "compare": "margin {}, not worse and equivalent by one-sided t-tests",
    PLAN: "not worse by margin {}, by a one-sided t-test",
}
"""Verb -> what its margin is of, and what is one-sided beside a test that is two-sided."""
ORIGIN_WORDS = {
    "ties": "ties {}",
    "seed": "seed {}",
    "score_dtype": "scores as {}",
    "topics": "topics {}",
    "collection": "collections by {}",
    "rel": "relevant from grade {}",
    "task_metrics": "scoring {}",
    "depth": "lists cut at {}",
    "unit": "units: {}",
    "copies": "later copies {}",
    "search": "searches by {}, one after the other",
    "each": "the first {} of each search",
    **{axis.attribute: axis.origin for axis in AXES.values() if axis.attribute},
    "lower": "lower is better: {}",
    "top": "top grade {}",
    "pool_depth": "every pooled list, as filed, judged to depth {}",
    "irframe": "irframe {}",
}
"""How a caption tells of what decided scores."""
POLICY = {"ties", "score_dtype", "topics", "seed"}
"""Options of verbs of runs and judgments that say how these became an experiment."""
METHODS = "coefficient", "rank_interval", "method"
OPTION_WORDS = {
    "baseline": "compared with {}",
    "depth": "lists to depth {}",
    "leave_out.depth": "pools of depth {}",
    "gain": "{} gains",
    "leaderboard.baseline": "compared with {}, a family of its own",
    "reference": "against {}",
    "rel": "relevant from grade {}",
    "task_metrics": "scoring {}",
    "topics_needed.difference": "true difference {}",
    "topics_needed.topics": "on {} topics",
}
"""How it tells of other options of a verb; of those that are not here by their names."""
SHOWN_BY = {
    *("adjust", "alpha", "at", "best_of", "budgets", "by", "effects", "family", "human"),
    *("coefficients", "interval", "interval_of", "margin", "methods", "metrics", "original"),
    *("over", "relative_margin", "repeats", "samples", "scaling", "shares", "simultaneous"),
    *("test", "worst_of", *METHODS),
}
"""Options that other words of a caption tell, or rows and columns."""
PAIRED = {"compare", "compare_orderings", "outcomes", "risk", "rrie"}
"""Verbs whose rows name their baseline."""
COPY_WORDS = {"spend": "keep their ranks and gain nothing", "skip": "are taken out"}
STEP_WORDS = {
    "condense": "unjudged documents left out",
    "pooled": "judgments of a pool of depth {depth}",
    "sample": "a sample of judgments, share {share}, seed {seed}",
    "draw_to_judge": "documents drawn to be judged, share {share}, seed {seed}",
    "select_top": "the best {share} of systems by {metric}",
    "collapse": "chunks collapsed by {by}",
    "standardise": "scores standardised, {scaling}",
    "bounds": "bounds of scores under unjudged documents",
}
"""How it tells of verbs that gave other judgments, systems or scores."""
UNRECORDED = "how these numbers were decided is not recorded: the attributes are lost"
JUDGING = {"sample", "pooled", "draw_to_judge", "qrels"}
"""What judgments were done to, which new ones undo."""
STATED_OPTIONS = POLICY | SHOWN_BY | {"depth", "metric", "of", "rel", "share", "unit"}
"""Options of what was done before that these words tell, or those of the experiment."""
USUAL = {"depth": "", "share": "", "seed": 0, "metric": "", "scaling": "", "by": ""}


def caption_text(attributes: Mapping[Any, Any], *parts: str, interval: str = "{}") -> str:
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
    >>> caption_text(ir.verbs.compare(frame).attrs, interval="").split("; ")[0]
    'paired t-test, Holm per metric and depth (28 comparisons), alpha = 0.05'
    """
    said = [*parts, decision_text(attributes) if RESULT in attributes else UNRECORDED]
    said.append(options_text(attributes))
    if interval and "alpha" in attributes:
        said.append(interval.format(interval_label(attributes)))
    said += [repeats_text(attributes), draws_text(attributes), design_text(attributes)]
    said += [str(attributes.get(name, "")) for name in ("bound", "frozen", DIRECTION, "first")]
    if OF_REFERENCE[1] in attributes:
        here, there = (topics_text(attributes[name]) for name in OF_REFERENCE)
        said.append(f"{here}, of the reference {there}")
    said += cautions_of(attributes)
    return "; ".join(filter(None, (*said, origin_text(attributes))))


def decision_text(attributes: Mapping[Any, Any]) -> str:
    """Say by which test and correction, or which method, a result was decided."""
    margin = attributes.get("margin", attributes.get("relative_margin", ""))
    verb = str(attributes.get(RESULT))
    words = MARGIN_WORDS.get(verb, MARGIN_WORDS[""]) if margin else ""
    spelled = words.format(margin if isinstance(margin, str) else f"{margin:g}")
    planned = _planned(attributes) if verb == PLAN else ""
    tested = "" if verb == PLAN and "width" in attributes else test_text(attributes)
    method = "" if verb in STEP_WORDS else method_text(attributes)
    return ", ".join(filter(None, (tested, method, spelled, planned)))


def _planned(attributes: Mapping[Any, Any]) -> str:
    """Say what a number of topics is to reach: how wide intervals, or how often a test finds it."""
    if "width" not in attributes:
        return f"power {attributes['power']:g}"
    ends = interval_label({"interval": "t"} | dict(attributes))
    return f"{ends} of a difference, {attributes['width']:g} wide on average"


def test_text(attributes: Mapping[Any, Any]) -> str:
    """Say which test was made, how it was corrected, and at which level.

    Examples
    --------
    >>> test_text({"test": "t", "adjust": "holm", "family": "depth", "alpha": 0.05})
    'paired t-test, Holm per metric and depth, alpha = 0.05'
    >>> test_text({"test": "Permutation(samples=999)", "adjust": "none", "alpha": 0.05})
    'paired permutation test (samples=999, seed=0), uncorrected, alpha = 0.05'
    """
    tests, alpha = [*filter(None, listed(attributes.get("test")))], attributes.get("alpha")
    words = " and ".join(map(_words, tests))
    corrected = _correction(attributes) if "adjust" in attributes else ""
    decided = tests or corrected
    level = f"alpha = {alpha:g}" if decided and alpha is not None else ""
    beside = f"orderings by the {_words(attributes[ORDERINGS])}" if ORDERINGS in attributes else ""
    return "; ".join(filter(None, (", ".join(filter(None, (words, corrected, level))), beside)))


def _correction(attributes: Mapping[Any, Any]) -> str:
    """Say which correction was applied, over how many comparisons."""
    adjust, tests = str(attributes["adjust"]), listed(attributes.get("test"))
    if adjust == "none":
        joint = any(parse_test(test).joint for test in tests if test)
        return "" if joint else ADJUST_WORDS[adjust]
    name, bracket, options = adjust.partition("(")
    word = ADJUST_WORDS.get(name, name) + f" {bracket}{options}".rstrip()
    number = attributes.get("comparisons")
    size = f"({counted(low_to_high_of(number), 'comparison')})" if number is not None else ""
    family = FAMILY_WORDS.get(attributes.get("family", ""), "")
    family = family.format(axis_from_attrs(origin(attributes)).dim)
    return " ".join(filter(None, (word, family, size)))


def _words(text: Any) -> str:
    """Return the name of a test, with those of its options that are not the usual ones."""
    if text in TEST_WORDS:
        return TEST_WORDS[text]
    test: Any = parse_test(text)
    values = {field.name: (getattr(test, field.name), field.default) for field in fields(test)}
    drawn = {"samples", "seed"}
    options = [f"{k}={v!r}" for k, (v, usual) in values.items() if v != usual or k in drawn]
    return f"{test.title} ({', '.join(options)})" if options else str(test.title)


def interval_label(attributes: Mapping[Any, Any]) -> str:
    """Say of which level and kind intervals are.

    Examples
    --------
    >>> interval_label({"alpha": 0.05})
    '95% interval'
    >>> interval_label({"alpha": 0.05, "intervals": "for its pair alone"})
    '95% interval, for its pair alone'
    >>> interval_label({"alpha": 0.1, "interval": "logit"})
    '90% logit interval'
    >>> interval_label({"alpha": 0.05, "interval": "logit, but t of DCG"})
    '95% interval (logit, but t of DCG)'
    """
    alpha, held = attributes.get("alpha"), str(attributes.get("intervals", ""))
    given = str(attributes.get("interval", ""))
    kind = INTERVAL_WORDS.get(given, "")
    words = f"{kind}interval" if alpha is None else f"{100 * (1 - alpha):.4g}% {kind}interval"
    words += f" ({given})" if given and not kind else ""
    words += f" of what is {attributes['interval_of']}" if "interval_of" in attributes else ""
    if held == "simultaneous":
        return f"simultaneous {words}"
    return f"{words}, {held}" if held else words


def draws_text(attributes: Mapping[Any, Any]) -> str:
    """Say how many samples were drawn, and from which seed, where some were.

    Examples
    --------
    >>> draws_text({"rank_interval": "bootstrap", "samples": 1000, "seed": 3})
    '1,000 samples, seed 3'
    """
    drawn = attributes.get("rank_interval") in DRAWING or attributes.get(RESULT) in ALWAYS_DRAWING
    drawn |= any(step.options.get("interval_of") for step in steps_of(attributes)[-1:])
    boards = attributes.get(RESULT) == "leaderboard" and "n_tasks" in attributes
    if "samples" not in attributes or not (drawn or boards):
        return ""
    spread = "spread of win rates and Borda counts under resampling, " * boards
    return f"{spread}{attributes['samples']:,} samples, seed {attributes.get('seed', 0)}"


def repeats_text(attributes: Mapping[Any, Any]) -> str:
    """Say what was repeated, how often, and whether intervals and tests count it.

    Examples
    --------
    >>> repeats_text({"repeats": "system", "repeated": "seed", "n_repeats": "3 to 5"})
    '3 to 5 seeds of each system'
    >>> shared = {"repeats": "shared", "repeated": "pass", "n_repeats": "3", "alpha": 0.05}
    >>> repeats_text(shared | {"over": "topic"})
    '3 passes for all systems, averaged: intervals and tests are of these passes'
    >>> repeats_text(shared | {"over": "both"})
    '3 passes for all systems, which intervals and tests count beside topics'
    """
    if "n_repeats" not in attributes:
        return ""
    one, layout = attributes.get("repeated", REPEAT), attributes.get("repeats")
    of_what = REPEAT_WORDS.get(str(layout), "")
    said = f"{counted(attributes['n_repeats'], one)} {of_what}".rstrip()
    if "alpha" not in attributes:
        return said
    if layout == "topic":
        return f"{said}, averaged in each topic"
    counts = {
        "topic": f"averaged: intervals and tests are of these {plural(one)}",
        "repeat": "which intervals and tests count, on these topics",
    }
    other = "which intervals and tests count beside topics"
    return f"{said}, {counts.get(attributes.get('over', ''), other)}"


def design_text(attributes: Mapping[Any, Any]) -> str:
    """Say how topics were drawn: what they are weighted by, clusters, and tasks.

    Examples
    --------
    >>> design_text({"cluster": "document", "n_clusters": "5", "weight": "frequency"})
    'topics weighted by frequency, drawn in 5 clusters (document)'
    >>> design_text({"task": "collection", "n_tasks": "8"})
    'mean of 8 tasks (collection), each alike; over new topics of these tasks'
    """
    if attributes.get(RESULT) == "preferences":
        return ""
    said = [f"topics weighted by {attributes['weight']}"] if "weight" in attributes else []
    if "n_clusters" in attributes:
        which = "" if said else "topics "
        drawn = f"drawn in {attributes['n_clusters']} clusters ({attributes['cluster']})"
        said.append(f"{which}{drawn}")
    if "n_tasks" in attributes:
        each = f"mean of {attributes['n_tasks']} tasks ({attributes['task']}), each alike"
        said.append(f"{each}; over new topics of these tasks")
    elif attributes.get("over") == "task":
        said.append("over new tasks, of which these are a draw")
    return ", ".join(said)


def options_text(attributes: Mapping[Any, Any]) -> str:
    """Say which further options a result has that are not the usual ones.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.verbs.score(ir.cube(*ir.example_track()), "AP")
    >>> options_text(ir.verbs.coverage(scores, reference=20).attrs)
    'against depth 20'
    >>> options_text(ir.verbs.compare(scores.sel(depth=5), power=0.9).attrs)
    'power 0.9'
    """
    said, axis = [], axis_from_attrs(origin(attributes))
    place = axis.describe(axis.stop_text, "{}")
    for step in [step for step in steps_of(attributes) if step.verb not in SOURCES]:
        hidden = SHOWN_BY | OBJECTS | ({"baseline"} if step.verb in PAIRED else set())
        hidden |= POLICY if "ties" in step.options else set()
        hidden |= {"power", "width"} if step.verb == PLAN else set()
        hidden |= {"seed"} if "samples" in step.options else set()
        hidden |= {"topics"} if "reference" in step.options else set()
        said += _unusual(step, hidden, place)
    return ", ".join(said)


def _unusual(step: Step, hidden: Collection[str], depth: str = "{}") -> list[str]:
    """Say the options of a step that are not the usual ones, a number as a reference as a depth."""
    usual = usual_options(step.verb)
    said = []
    for name in [name for name in step.options if name not in hidden]:
        value, bare = step.options[name], f"{name.replace('_', ' ')} {{}}"
        words = OPTION_WORDS.get(f"{step.verb}.{name}", OPTION_WORDS.get(name, bare))
        said += [words.format(_option_text(name, value, depth))] * (value != usual.get(name))
    return said


def _option_text(name: str, value: Any, depth: str) -> str:
    """Return the value of an option as it is said."""
    if isinstance(value, Mapping):
        words = [f"{key} by {word}" for key, word in value.items() if isinstance(word, str)]
        few = len(words) == len(value) <= SHOWN
        return "other scores" if name == "reference" else ", ".join(words) if few else "given"
    if isinstance(value, list):
        return f"{len(value)} of them" if len(value) > SHOWN else ", ".join(map(str, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return depth.format(value) if name == "reference" else f"{value:g}"


@cache
def usual_options(verb: str) -> dict[str, Any]:
    """Return the options of a verb that it has unless others are given, as a record holds them.

    Examples
    --------
    >>> usual_options("risk")
    {'a': 1.0}
    """
    function, usual = function_of(verb), dict[str, Any]()
    for each in signature_of(function).parameters.values() if function else ():
        if each.default is not each.empty:
            usual |= spread_option(each.name, each.default, slot_of(each.annotation))
    return usual


def origin_text(attributes: Mapping[Any, Any]) -> str:
    """Say what decided the scores behind a result: rankings, judgments, and what was done to them.

    Examples
    --------
    >>> import irframe as ir
    >>> origin_text(ir.verbs.score(ir.cube(*ir.example_track()), "AP").attrs)
    'ties trec; scores as float64; ...; every pooled list, as filed, judged to depth 10; ...'
    >>> origin_text({"top": [2, 3], "collection": "track"})
    'collections by track; top grade 2 and 3'
    """
    facts = origin(attributes)
    made = {key: " and ".join(map(str, np.atleast_1d(value))) for key, value in facts.items()}
    made |= {"pool_depth": low_to_high_of(facts["pool_depth"])} if "pool_depth" in facts else {}
    made |= {"copies": COPY_WORDS[made["copies"]]} if made.get("copies") in COPY_WORDS else {}
    steps = steps_of(attributes)
    as_given = steps and "pool_depth" in steps[0].options
    words = ORIGIN_WORDS | ({"pool_depth": "pool depth {}"} if as_given else {})
    said = [words[name].format(made[name]) for name in words if name in made]
    return "; ".join([*step_texts(steps), *said])


def step_texts(steps: Iterable[Step]) -> list[str]:
    """Say what was done to runs, judgments and scores before anything was concluded from them.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(ir.verbs.sample(qrels, 0.5), "AP", no_rel="nan")
    >>> step_texts(steps_of(scores))
    ['a sample of judgments, share 0.5, seed 0', 'topics without relevant documents left out']
    """
    said: dict[str, str] = {}
    for verb, options in steps:
        if verb == "rejudge":
            said = {words: by for words, by in said.items() if by not in JUDGING}
        for name in [name for name in ("runs", "qrels") if isinstance(options.get(name), list)]:
            said |= dict.fromkeys(step_texts(Step(*step) for step in options[name]), name)
        parts = [step_texts(Step(*step) for step in part) for part in options.get("cubes", [])]
        for words in dict.fromkeys(words for part in parts for words in part):
            of_all = all(words in part for part in parts)
            said[words if of_all else f"in a part of the cubes {words}"] = verb
        if verb in STEP_WORDS:
            further = _unusual(Step(verb, options), STATED_OPTIONS)
            said[", ".join([STEP_WORDS[verb].format(**USUAL | options), *further])] = verb
        if options.get("no_rel") == "nan":
            said["topics without relevant documents left out"] = verb
        elif options.get("no_rel") == "silence":
            said["of topics without relevant documents silence scores 1"] = verb
    return [*said]


def origin(attributes: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what decided scores, by name; a pool whose depth nobody knows is left out."""
    decided = {name: attributes[name] for name in ORIGIN_WORDS if name in attributes}
    steps = steps_of(attributes)
    if len(steps) > 1 or (steps and steps[0].verb not in SOURCES):
        analysed = {
            name
            for step in steps
            if step.verb not in SOURCES
            for name in step.options
            if "ties" not in step.options or name not in POLICY
        }
        made = steps[0].options if steps[0].verb in SOURCES else {}
        caption_text = {name: made[name] for name in analysed & made.keys() & ORIGIN_WORDS.keys()}
        decided = {name: v for name, v in decided.items() if name not in analysed} | caption_text
    if decided.get("ties") != "random":
        decided.pop("seed", None)
    depths = np.atleast_1d(decided.get("pool_depth", 0))
    if not depths.all() or attributes.get("pool") == "unknown":  # some list is not judged so far
        decided.pop("pool_depth", None)
    return decided


def method_text(attributes: Mapping[Any, Any]) -> str:
    """Say by which method agreement was measured, with its parameters where it has some.

    Examples
    --------
    >>> method_text({"coefficient": "RBO(p=0.8, ties='w')"}), method_text({"method": "kendall"})
    ("rank-biased overlap (p=0.8, ties='w')", "Kendall's tau")
    """
    given = str(next((attributes[word] for word in METHODS if word in attributes), ""))
    text = repr(AGREEMENTS[given]) if given in AGREEMENTS else given
    name, bracket, options = text.partition("(")
    usual = {repr(type(method)()) for method in AGREEMENTS.values()}
    words = METHOD_WORDS.get(name, name)
    return words if text in usual else f"{words} {bracket}{options}".strip()
