"""Captions of results: tests, intervals and data."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from irframe.agreements.correlations import AGREEMENTS
from irframe.arrays import low_to_high
from irframe.checks import listed
from irframe.comparing.corrections import parse_test
from irframe.errors import cautions_of
from irframe.names import (
    DIRECTION,
    GIVEN_RESAMPLES,
    OF_REFERENCE,
    ORDERINGS,
    REPEAT,
    RESULT,
    Attributes,
    counted,
    plural,
)
from irframe.paired import Bootstrap
from irframe.record import OBJECTS, SOURCES, Step, default_options, steps_of
from irframe.stops import AXES, axis_from_attrs
from irframe.tables.quantities import SHOWN, topics_text

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
"""Methods of rank intervals that draw random samples."""
ALWAYS_DRAWING = {"compare_judges", "leaderboard", "rank_intervals", "replay"}
TEST_WORDS = {"anova": "one-way analysis of variance", GIVEN_RESAMPLES: Bootstrap.title}
"""Names of tests without a class: the analysis of variance of `topics_needed`, and the bootstrap
with resamples that the user passes."""
PLAN = "topics_needed"
MARGIN_WORDS = {
    "": "margin {}, one-sided t-tests against it",
    "ablation": "margin {} of a system's mean",
    "reordering": "margin {} of a system's mean",
    "compare": "margin {}, not worse and equivalent by one-sided t-tests",
    PLAN: "not worse by margin {}, by a one-sided t-test",
}
"""Mapping from verbs ("" for other verbs) to texts about margins and tests against margins."""
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
"""Mapping from attributes of scores to the texts in captions that state their values."""
POLICY = {"ties", "score_dtype", "topics", "seed"}
"""Options of `evaluate` that captions state. `ORIGIN_WORDS` contains the text of each option."""
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
"""Mapping from options of verbs to the texts in captions that state their values. All other options
are stated by the names of their parameters."""
SHOWN_BY = {
    *("adjust", "alpha", "at", "best_of", "budgets", "by", "effects", "family", "human"),
    *("coefficients", "interval", "interval_of", "margin", "methods", "metrics", "original"),
    *("over", "relative_margin", "repeats", "samples", "scaling", "shares", "simultaneous"),
    *("test", "worst_of", *METHODS),
}
"""Options that captions omit, because the caption or the table shows them elsewhere."""
PAIRED = {"compare", "compare_orderings", "outcomes", "risk", "rrie"}
"""Verbs whose results name the baseline in every row."""
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
"""Mapping from verbs to texts about how they changed the judgments, systems or scores."""
UNRECORDED = "how these numbers were decided is not recorded: the attributes are lost"
JUDGING = {"sample", "pooled", "draw_to_judge", "qrels"}
"""Steps that change judgments. They are not described after `rejudge` replaces the judgments."""
STATED_OPTIONS = POLICY | SHOWN_BY | {"depth", "metric", "of", "rel", "share", "unit"}
"""Options of steps that captions already state in the texts of `STEP_WORDS` or `ORIGIN_WORDS`."""
USUAL = {"depth": "", "share": "", "seed": 0, "metric": "", "scaling": "", "by": ""}


def caption_text(attributes: Attributes, *leading: str, interval: str = "{}") -> str:
    """Return the caption of a result.

    The caption names the test, the options, the intervals, the cautions, and the data behind the
    scores.

    Parameters
    ----------
    attributes
        Attributes of the result.
    leading
        Texts at the beginning of the caption.
    interval
        Template for the text about intervals. Pass an empty string for tables without intervals.

    Examples
    --------
    >>> import irframe as ir
    >>> frame = ir.evaluate(*ir.example_track(), "AP")
    >>> caption_text(ir.verbs.compare(frame).attrs, interval="").split("; ")[0]
    'paired t-test, Holm per metric and depth (28 comparisons), alpha = 0.05'
    """
    texts = [*leading, decision_text(attributes) if RESULT in attributes else UNRECORDED]
    texts.append(options_text(attributes))
    if interval and "alpha" in attributes:
        texts.append(interval.format(interval_label(attributes)))
    texts += [repeats_text(attributes), draws_text(attributes), design_text(attributes)]
    texts += [str(attributes.get(name, "")) for name in ("bound", "frozen", DIRECTION, "first")]
    if OF_REFERENCE[1] in attributes:
        topics, reference = (topics_text(attributes[name]) for name in OF_REFERENCE)
        texts.append(f"{topics}, of the reference {reference}")
    texts += cautions_of(attributes)
    return "; ".join(filter(None, (*texts, origin_text(attributes))))


def decision_text(attributes: Attributes) -> str:
    """Name the test, its correction, the method and the margin."""
    margin = attributes.get("margin", attributes.get("relative_margin", ""))
    verb = str(attributes.get(RESULT))
    template = MARGIN_WORDS.get(verb, MARGIN_WORDS[""]) if margin else ""
    margin_text = template.format(margin if isinstance(margin, str) else f"{margin:g}")
    goal = _goal_text(attributes) if verb == PLAN else ""
    test = "" if verb == PLAN and "width" in attributes else significance_text(attributes)
    method = "" if verb in STEP_WORDS else method_text(attributes)
    return ", ".join(filter(None, (test, method, margin_text, goal)))


def _goal_text(attributes: Attributes) -> str:
    """Return the planned power or interval width as text."""
    if "width" not in attributes:
        return f"power {attributes['power']:g}"
    ends = interval_label({"interval": "t"} | dict(attributes))
    return f"{ends} of a difference, {attributes['width']:g} wide on average"


def significance_text(attributes: Attributes) -> str:
    """Name the test, the correction and the level.

    Examples
    --------
    >>> significance_text({"test": "t", "adjust": "holm", "family": "depth", "alpha": 0.05})
    'paired t-test, Holm per metric and depth, alpha = 0.05'
    >>> significance_text({"test": "Permutation(samples=999)", "adjust": "none", "alpha": 0.05})
    'paired permutation test (samples=999, seed=0), uncorrected, alpha = 0.05'
    """
    tests = [test for test in listed(attributes.get("test")) if test]
    alpha = attributes.get("alpha")
    names = " and ".join(map(_test_name, tests))
    correction = _correction(attributes) if "adjust" in attributes else ""
    level = f"alpha = {alpha:g}" if (tests or correction) and alpha is not None else ""
    texts = [", ".join(filter(None, (names, correction, level)))]
    if ORDERINGS in attributes:
        texts.append(f"orderings by the {_test_name(attributes[ORDERINGS])}")
    return "; ".join(filter(None, texts))


def _correction(attributes: Attributes) -> str:
    """Name the correction and the number of comparisons."""
    adjust = str(attributes["adjust"])
    tests = listed(attributes.get("test"))
    if adjust == "none":
        joint = any(parse_test(test).joint for test in tests if test)
        return "" if joint else ADJUST_WORDS[adjust]  # joint tests correct p-values for all pairs
    name, bracket, options = adjust.partition("(")
    title = ADJUST_WORDS.get(name, name) + f" {bracket}{options}".rstrip()
    number = attributes.get("comparisons")
    size = f"({counted(low_to_high(number), 'comparison')})" if number is not None else ""
    family = FAMILY_WORDS.get(attributes.get("family", ""), "")
    family = family.format(axis_from_attrs(origin(attributes)).dim)
    return " ".join(filter(None, (title, family, size)))


def _test_name(text: Any) -> str:
    """Return the name of a test with its changed options."""
    if text in TEST_WORDS:
        return TEST_WORDS[text]
    test = parse_test(text)
    values = {field.name: (getattr(test, field.name), field.default) for field in fields(test)}
    shown = {"samples", "seed"}
    options = [f"{k}={v!r}" for k, (v, default) in values.items() if v != default or k in shown]
    return f"{test.title} ({', '.join(options)})" if options else str(test.title)


def interval_label(attributes: Attributes) -> str:
    """Name the level and the kind of intervals.

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
    alpha = attributes.get("alpha")
    coverage = str(attributes.get("intervals", ""))
    name = str(attributes.get("interval", ""))
    kind = INTERVAL_WORDS.get(name, "")
    text = f"{kind}interval" if alpha is None else f"{100 * (1 - alpha):.4g}% {kind}interval"
    text += f" ({name})" if name and not kind else ""
    text += f" of what is {attributes['interval_of']}" if "interval_of" in attributes else ""
    if coverage == "simultaneous":
        return f"simultaneous {text}"
    return f"{text}, {coverage}" if coverage else text


def draws_text(attributes: Attributes) -> str:
    """Return the number of random samples and their seed.

    Examples
    --------
    >>> draws_text({"rank_interval": "bootstrap", "samples": 1000, "seed": 3})
    '1,000 samples, seed 3'
    """
    drawn = attributes.get("rank_interval") in DRAWING or attributes.get(RESULT) in ALWAYS_DRAWING
    drawn |= any(step.options.get("interval_of") for step in steps_of(attributes)[-1:])
    over_tasks = attributes.get(RESULT) == "leaderboard" and "n_tasks" in attributes
    if "samples" not in attributes or not (drawn or over_tasks):
        return ""
    spread = "spread of win rates and Borda counts under resampling, " if over_tasks else ""
    return f"{spread}{attributes['samples']:,} samples, seed {attributes.get('seed', 0)}"


def repeats_text(attributes: Attributes) -> str:
    """Describe the repeats and their role in intervals and tests.

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
    name = attributes.get("repeated", REPEAT)
    layout = attributes.get("repeats")
    text = f"{counted(attributes['n_repeats'], name)} {REPEAT_WORDS.get(str(layout), '')}".rstrip()
    if "alpha" not in attributes:
        return text
    if layout == "topic":
        return f"{text}, averaged in each topic"
    counts = {
        "topic": f"averaged: intervals and tests are of these {plural(name)}",
        "repeat": "which intervals and tests count, on these topics",
    }
    default = "which intervals and tests count beside topics"
    return f"{text}, {counts.get(attributes.get('over', ''), default)}"


def design_text(attributes: Attributes) -> str:
    """Describe the design of topics: weights, clusters and tasks.

    Examples
    --------
    >>> design_text({"cluster": "document", "n_clusters": "5", "weight": "frequency"})
    'topics weighted by frequency, drawn in 5 clusters (document)'
    >>> design_text({"task": "collection", "n_tasks": "8"})
    'mean of 8 tasks (collection), each alike; over new topics of these tasks'
    """
    if attributes.get(RESULT) == "preferences":
        return ""
    texts = [f"topics weighted by {attributes['weight']}"] if "weight" in attributes else []
    if "n_clusters" in attributes:
        topics = "" if texts else "topics "
        clusters = f"drawn in {attributes['n_clusters']} clusters ({attributes['cluster']})"
        texts.append(f"{topics}{clusters}")
    if "n_tasks" in attributes:
        tasks = f"mean of {attributes['n_tasks']} tasks ({attributes['task']}), each alike"
        texts.append(f"{tasks}; over new topics of these tasks")
    elif attributes.get("over") == "task":
        texts.append("over new tasks, of which these are a draw")
    return ", ".join(texts)


def options_text(attributes: Attributes) -> str:
    """Return the changed options that captions do not show elsewhere.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.verbs.score(ir.cube(*ir.example_track()), "AP")
    >>> options_text(ir.verbs.coverage(scores, reference=20).attrs)
    'against depth 20'
    >>> options_text(ir.verbs.compare(scores.sel(depth=5), power=0.9).attrs)
    'power 0.9'
    """
    texts = []
    axis = axis_from_attrs(origin(attributes))
    stop_text = axis.describe(axis.stop_text, "{}")
    for step in [step for step in steps_of(attributes) if step.verb not in SOURCES]:
        hidden = SHOWN_BY | OBJECTS | ({"baseline"} if step.verb in PAIRED else set())
        hidden |= POLICY if "ties" in step.options else set()
        hidden |= {"power", "width"} if step.verb == PLAN else set()
        hidden |= {"seed"} if "samples" in step.options else set()
        hidden |= {"topics"} if "reference" in step.options else set()
        texts += _unusual(step, hidden, stop_text)
    return ", ".join(texts)


def _unusual(step: Step, hidden: Collection[str], depth: str = "{}") -> list[str]:
    """Return the options of a step that differ from defaults."""
    defaults = default_options(step.verb)
    texts = []
    for name, value in step.options.items():
        if name not in hidden and value != defaults.get(name):
            bare = f"{name.replace('_', ' ')} {{}}"
            template = OPTION_WORDS.get(f"{step.verb}.{name}", OPTION_WORDS.get(name, bare))
            texts.append(template.format(_option_text(name, value, depth)))
    return texts


def _option_text(name: str, value: object, depth: str) -> str:
    """Return the value of an option as text.

    A numeric ``reference`` is a depth.
    """
    if isinstance(value, Mapping) and name == "reference":
        return "other scores"
    if isinstance(value, Mapping):
        texts = [f"{key} by {text}" for key, text in value.items() if isinstance(text, str)]
        return ", ".join(texts) if len(texts) == len(value) <= SHOWN else "given"
    if isinstance(value, list):
        return f"{len(value)} of them" if len(value) > SHOWN else ", ".join(map(str, value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return depth.format(value) if name == "reference" else f"{value:g}"


def origin_text(attributes: Attributes) -> str:
    """Describe the scores behind a result.

    The text names the policies for rankings and judgments, and the steps that changed them.

    Examples
    --------
    >>> import irframe as ir
    >>> origin_text(ir.verbs.score(ir.cube(*ir.example_track()), "AP").attrs)
    'ties trec; scores as float64; ...; every pooled list, as filed, judged to depth 10; ...'
    >>> origin_text({"top": [2, 3], "collection": "track"})
    'collections by track; top grade 2 and 3'
    """
    facts = origin(attributes)
    values = {key: " and ".join(map(str, np.atleast_1d(value))) for key, value in facts.items()}
    if "pool_depth" in facts:
        values["pool_depth"] = low_to_high(facts["pool_depth"])
    if "copies" in values:
        values["copies"] = COPY_WORDS.get(values["copies"], values["copies"])
    steps = steps_of(attributes)
    from_caller = steps and "pool_depth" in steps[0].options
    templates = ORIGIN_WORDS | ({"pool_depth": "pool depth {}"} if from_caller else {})
    texts = [
        template.format(values[name]) for name, template in templates.items() if name in values
    ]
    return "; ".join([*step_texts(steps), *texts])


def step_texts(steps: Iterable[Step]) -> list[str]:
    """Describe the steps that changed runs, judgments or scores.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(ir.verbs.sample(qrels, 0.5), "AP", no_rel="nan")
    >>> step_texts(steps_of(scores))
    ['a sample of judgments, share 0.5, seed 0', 'topics without relevant documents left out']
    """
    # maps the text of each step to the verb or object that the text describes
    source: dict[str, str] = {}
    for verb, options in steps:
        if verb == "rejudge":
            source = {text: by for text, by in source.items() if by not in JUDGING}
        for name in [name for name in ("runs", "qrels") if isinstance(options.get(name), list)]:
            source |= dict.fromkeys(step_texts(Step(*step) for step in options[name]), name)
        cubes = [step_texts(Step(*step) for step in cube) for cube in options.get("cubes", [])]
        for text in dict.fromkeys(text for cube in cubes for text in cube):
            in_all = all(text in cube for cube in cubes)
            source[text if in_all else f"in a part of the cubes {text}"] = verb
        if verb in STEP_WORDS:
            further = _unusual(Step(verb, options), STATED_OPTIONS)
            source[", ".join([STEP_WORDS[verb].format(**USUAL | options), *further])] = verb
        if options.get("no_rel") == "nan":
            source["topics without relevant documents left out"] = verb
        elif options.get("no_rel") == "silence":
            source["of topics without relevant documents silence scores 1"] = verb
    return list(source)


def origin(attributes: Attributes) -> dict[str, Any]:
    """Return the attributes that determined the scores."""
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
        # options of later verbs replace attributes of the same name; the record has the first value
        args = steps[0].options if steps[0].verb in SOURCES else {}
        recorded = {name: args[name] for name in analysed & args.keys() & ORIGIN_WORDS.keys()}
        decided = {name: v for name, v in decided.items() if name not in analysed} | recorded
    if decided.get("ties") != "random":  # other policies draw no random numbers
        decided.pop("seed", None)
    depths = np.atleast_1d(decided.get("pool_depth", 0))
    if not depths.all() or attributes.get("pool") == "unknown":  # an unjudged list
        decided.pop("pool_depth", None)
    return decided


def method_text(attributes: Attributes) -> str:
    """Name the measure of agreement with its changed parameters.

    Examples
    --------
    >>> method_text({"coefficient": "RBO(p=0.8, ties='w')"}), method_text({"method": "kendall"})
    ("rank-biased overlap (p=0.8, ties='w')", "Kendall's tau")
    """
    method = str(next((attributes[option] for option in METHODS if option in attributes), ""))
    text = repr(AGREEMENTS[method]) if method in AGREEMENTS else method
    name, bracket, options = text.partition("(")
    defaults = {repr(type(measure)()) for measure in AGREEMENTS.values()}
    title = METHOD_WORDS.get(name, name)
    return title if text in defaults else f"{title} {bracket}{options}".strip()
