"""HTML report of an experiment.

Verbs: report.
"""

import hashlib
import inspect
import platform
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import replace
from importlib.metadata import version
from os import PathLike
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import usual_errors
from irframe.comparing.corrections import TestedByMetric
from irframe.comparing.explain import Texts, read_texts
from irframe.cubes.cube import cube
from irframe.cubes.groups import provenance
from irframe.cubes.verb import loaded
from irframe.cubes.view import EXPERIMENT, experiment_of, read_cube
from irframe.errors import InputError, OneCall, ParameterError, during, shortened
from irframe.evaluation.repeats import fold
from irframe.experiments.choices import BudgetAlone
from irframe.experiments.policy import Metrics
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs
from irframe.files.sources import refuse_strange
from irframe.files.write_run import look, write_file
from irframe.metrics import Metric
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC, counted, plural
from irframe.option_values import OptionValue, slots_of
from irframe.paired import PairedTest
from irframe.progress import elapsed
from irframe.record import INPUTS, Step, all_steps, refuse_unused, signature_of, steps_of
from irframe.reports import figures
from irframe.reports.beside import PAGE_BYTES, by_spread, choose, comparisons, first_runs, top_lists
from irframe.reports.page import Page
from irframe.reports.setting import PagePart, Setting
from irframe.reports.trust import findings, trust, verdicts
from irframe.reports.view import views
from irframe.reports.words import ALONG, Values, say, text, texts
from irframe.scores.averages import Resampling
from irframe.scores.read_scores import Baselines
from irframe.tables import captions
from irframe.tables.cite import papers

LIBRARIES = ("numpy", "pandas", "scipy", "xarray", "altair", "vl-convert-python")
"""Libraries whose versions the page lists."""
SPELLED = {
    "ties": "order of equal scores (ties)",
    "score_dtype": "precision of scores (score_dtype)",
    "topics": "topics that count (topics)",
    "top": "highest grade",
    "rel": "lowest relevant grade",
    "depth": "lists are cut at (depth)",
    "collection": "topics come in tracks by (collection)",
}
"""The text on the page for each option of a cube."""
MADE: ContextVar[str] = ContextVar("irframe_made", default="")
"""The command line that writes the report, or "" if Python code writes the report."""


VERBS = ("rank_intervals", "compare", "volatility")
"""Verbs whose papers the page cites.

They compute ranks, differences, and agreement between depths.
"""


def named_after(setting: Setting) -> str:
    """Return the default title of a page.

    The title is the folder of the input files, or the numbers of systems and topics.
    """
    files = [Path(name).absolute() for name, *_ in setting.full_cube.attrs[EXPERIMENT].files]
    above = files[0].parents if files else ()
    common = (folder for folder in above if all(path.is_relative_to(folder) for path in files))
    if name := next(common, Path()).name:
        return text(name)
    sizes = setting.cube.sizes
    return f"{counted(sizes[SYSTEM], 'system')} on {counted(sizes[TOPIC], 'topic')}"


def settings_of(setting: Setting, ranks: xr.Dataset) -> list[tuple[str, str]]:
    """Return the names and values of a report's settings."""
    design = captions.design_text(ranks.attrs)
    repeats = captions.repeats_text(ranks.attrs)
    depths = f"{len(setting.depths)}, {setting.depths[0]} to {setting.depths[-1]}"
    return [
        ("metrics", ", ".join(setting.metrics)),
        ("test and correction", captions.significance_text(setting.pairing.described)),
        (plural(setting.axis.dim), f"{depths} {setting.axis.unit}".strip()),
        ("resamples of topics", f"{setting.samples}, seed {setting.seed}"),
        *([("margin", f"{setting.margin:g}")] if setting.margin is not None else []),
        ("topics (sampling design)", design or "simple random sample with equal weights"),
        *([("repeats", repeats)] if repeats else []),
    ]


def origins_of(setting: Setting, ranks: xr.Dataset) -> Values:
    """Return the settings, versions, papers and inputs of a report."""
    cube = setting.full_cube
    files = inputs(cube)
    used = {"metrics": setting.metrics, "test": setting.pairing.test}
    first, *verbs = VERBS
    steps = Step(first, used), *(Step(verb, {}) for verb in verbs)
    cited = papers([*steps_of(cube), *steps])
    sections = (
        PagePart("papers", say("origins.papers"), [say("origins.cited")], data=cited),
        PagePart("inputs", say("origins.inputs", n=len(files)), [say("origins.how")], data=files),
    )
    versions = [("python", platform.python_version()), *((n, version(n)) for n in LIBRARIES)]
    settings = [*settings_of(setting, ranks), *policies(cube)]
    return {"lists": {"Settings": settings, "Versions": versions}, "parts": sections}


def policies(cube: xr.Dataset) -> list[tuple[str, str]]:
    """Return the policies of a cube as texts."""
    decided = provenance(cube)
    steps = [("runs and judgments", line) for line in captions.step_texts(steps_of(cube))]
    return steps + [
        (SPELLED.get(name, name), ", ".join(texts(np.atleast_1d(decided[name]))))
        for name in captions.ORIGIN_WORDS
        # The depth of the pool is not an option if it was derived from the depth of the runs.
        if name in decided and name != "pool_depth"
    ]


def inputs(cube: xr.Dataset) -> pd.DataFrame:
    """Return the inputs with their SHA-256.

    The inputs are the files or the frames from which the cube was made. If the cube records neither
    files nor frames, the input is the cube.
    """
    files = [_of_file(*state) for state in cube.attrs[EXPERIMENT].files]
    if files:
        return pd.DataFrame(files, columns=["input", "bytes", "SHA-256"])
    rows = [row for _, options in all_steps(steps_of(cube)) for row in options.get(INPUTS, [])]
    if not rows:
        grade = cube["grade"]
        docs = experiment_of(cube).dense(cube.sizes[DEPTH], "doc")
        digest = hashlib.sha256(grade.to_numpy().tobytes() + docs.tobytes()).hexdigest()
        rows = [["the cube's grades and documents", " x ".join(map(str, grade.shape)), digest]]
    return pd.DataFrame(rows, columns=["input", "size", "SHA-256"])


def _of_file(name: str, size: int, changed: str) -> tuple[str, str, str]:
    """Return name, size and hash of a file.

    If the file was removed or has changed, a note replaces the hash.
    """
    path = Path(name)
    if not path.is_file():
        return path.name, str(size), "no longer found"
    now = path.stat()
    if (now.st_size, str(now.st_mtime_ns)) != (int(size), str(changed)):
        return path.name, str(size), "changed after reading"
    return path.name, str(size), hashlib.sha256(path.read_bytes()).hexdigest()


def call_of(names: str, options: Values, defaults: Values) -> str:
    """Return the call that makes a report.

    Arguments with their default values are left out.

    Examples
    --------
    >>> call_of("cube, 'a.html'", {"baseline": "bm25", "alpha": 0.05}, {"alpha": 0.05})
    "ir.report(cube, 'a.html', baseline='bm25')"
    """
    if MADE.get():
        return MADE.get()
    changed = [
        f"{name}={_as_code(value)}"
        for name, value in options.items()
        if name not in defaults or repr(value) != repr(defaults[name])
    ]
    return f"ir.report({', '.join([names, *changed])})"


def _as_code(value: object) -> str:
    """Return an argument as Python code.

    The code works after ``import irframe as ir``.

    Examples
    --------
    >>> from irframe.metrics import AP
    >>> from irframe.paired import PairedT
    >>> _as_code([AP() @ 10, "RR"]), _as_code(PairedT())
    ("['AP@10', 'RR']", 'ir.paired.PairedT()')
    """
    if isinstance(value, Metric):
        return repr(str(value))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_as_code, value))}]"
    if isinstance(value, OptionValue):
        return f"ir.{value.written(_as_code)}"
    return f"ir.paired.{value!r}" if isinstance(value, PairedTest) else repr(value)


Target = str | PathLike[str]
METRICS = ("nDCG", "AP", "RBP(p=0.8)")
"""Default metrics of a report."""
DATA = ("data", "qrels", "path", "texts")
"""Parameters of `report` that the printed call shows as variables."""
TEST_OPTIONS = ("baseline", "test", "resamples", "margin")
"""Parameters of `report` for tests, intervals and verdicts."""


def report(
    data: xr.Dataset | Runs,
    qrels: Qrels | Target | None = None,
    path: Target | None = None,
    *,
    metrics: Metrics = METRICS,
    baseline: Baselines = None,
    at: int | Sequence[int] | None = None,
    stop: BudgetAlone = None,
    title: str | None = None,
    test: TestedByMetric = "t",
    resamples: Resampling | int = 1000,
    margin: float | None = None,
    texts: Texts | None = None,
) -> Path:
    """Write a report of an experiment to one HTML file.

    The page needs no network, and can be read without JavaScript. With JavaScript, readers choose
    a metric and a depth for the leaderboard, the matrix of significant differences and the curves.
    Readers can also compare two systems by topic and document. This function needs the extra
    ``report``. A terminal or notebook shows the elapsed seconds.

    Parameters
    ----------
    data
        A cube made by `irframe.cube`, or runs in any form that `as_runs` reads. If the cube was
        built with ``collection=``, the page has a view of each collection. The page also has a view
        of all topics if every system took part in all collections. If systems have repeats, the
        page shows the mean of each repeat and the lists of the first repeat. Tests treat repeats as
        `compare` does.
    qrels
        Judgments, in any form that `as_qrels` reads. If `data` is a cube, pass the path instead.
    path
        The file to write.
    metrics
        Metrics or their names. The page opens with the first metric.
    baseline
        A system or a list of systems with which all other systems are compared. The page opens with
        the first baseline. If there are several baselines, each system is marked with the numbers
        of the baselines from which it differs significantly.
    at
        Depths to show, in any order. The page opens with the first depth. By default, the page
        shows up to 48 depths, most of which are small, and opens with the largest depth up to 10.
    stop
        An `irframe.Budget` with the amounts of text to show in place of depths. The cube must have
        been built with lengths of hits. The page opens with the first amount.
    title
        Title of the page. The default is the folder of the files that were read.
    test
        Test of differences: an `irframe.Significance` or the name of a test of `compare`. P-values
        are corrected for all pairs of systems, separately for each metric and depth. The confidence
        level of intervals is 1 - `alpha`.
    resamples
        An `irframe.Resampling` with the options for resampling topics, or the number of resamples,
        at least 100. For each system, the page shows the share of resamples in which it is first.
    margin
        Largest difference that does not matter, above 0. If a margin is passed, the page shows the
        verdict of `compare` on every system. The systems are compared with the first baseline.
        Without baselines, they are compared with the best system.
    texts
        Texts of documents and queries, in any form that `explain` accepts. The page shows the first
        300 characters beside the two lists. Texts of the topics with the largest differences are
        added first. The page grows to at most 3 MB.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Raises
    ------
    InputError, ParameterError
        If the extra ``report`` is missing, or frames cannot be read.
    MetricError
        For an unknown metric, or one that does not apply to the cube.
    DepthError
        For depths beyond the cube.
    ParameterError
        For an unknown system, test or correction.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> with TemporaryDirectory() as folder:
    ...     page = ir.report(runs, qrels, f"{folder}/report.html", metrics=["AP"], at=[10, 5])
    ...     "3 of 8 systems could be first" in page.read_text(encoding="utf-8")
    True
    """
    # `locals` must be called before any other name is assigned
    arguments = {name: value for name, value in locals().items() if name not in DATA}
    if not isinstance(title, str | None):
        raise ParameterError("title= to be a text", shortened(title))
    # A missing extra or a wrong path must raise an error before the computation, which takes 10 CPU
    # seconds for the 143 systems of TREC-COVID, round 1.
    figures.drawing()
    refuse_unused(slots_of(signature_of(report))["test"], test, "report", "test")
    look(target := Path(_target(data, qrels, path)))
    with elapsed("report"):
        frames, full_cube = _frames_and_cube(data, qrels)
        options = {name: arguments[name] for name in TEST_OPTIONS}
        setting = Setting.read(full_cube, metrics, at, options, stop)
        names = f"{'cube' if isinstance(data, xr.Dataset) else 'runs, qrels'}, {target.name!r}"
        names += ", texts=texts" * (texts is not None)
        call = call_of(names, arguments, _defaults())
        with usual_errors(), OneCall(), during(ALONG, setting.axis):
            page = _page(title or named_after(setting), setting, frames, call)
            page = page if texts is None else _with_texts(page, texts)
            write_file(target, page.render())
    return target


def _with_texts(page: Page, texts: Texts) -> Page:
    """Return a page with as many texts as fit."""
    topics = [*map(str, page.setting.cube.indexes[TOPIC])]
    all_texts = read_texts(texts, page.lists.ids, topics)
    # a page with texts is rendered twice, because its size without texts is known only then
    room = PAGE_BYTES - len(page.render().encode())
    every = {dim: page.setting.cube.indexes[dim] for dim in (SYSTEM, TOPIC)}
    shown = page.opening.scores.isel({METRIC: 0, DEPTH: page.setting.pos})
    # a page may open with one collection, but positions of topics refer to all topics
    scores = shown.reindex(every).to_numpy()
    first = page.topics.index(page.duel.topic)
    order = by_spread(scores)
    order = np.r_[first, order[order != first]]
    return replace(page, snippets=choose(all_texts, page.lists, topics, order, room))


def _frames_and_cube(
    data: xr.Dataset | Runs, qrels: Qrels | Target | None
) -> tuple[dict[str, pd.DataFrame], xr.Dataset]:
    """Return the frames, if there are any, and their cube."""
    if isinstance(data, xr.Dataset):
        return {}, loaded(read_cube(data), "report")
    folded = fold(data)
    frames = {"runs": as_runs(folded.runs), "qrels": as_qrels(qrels)}
    runs = frames["runs"] if folded.repeat is None else data
    return frames, cube(runs, frames["qrels"])


def _target(data: object, qrels: object, path: Target | None) -> Target:
    """Return the path of the page.

    The path is the second argument if the first argument is a cube.
    """
    chosen = qrels if isinstance(data, xr.Dataset) and path is None else path
    if not isinstance(chosen, str | PathLike):
        advice = "call ir.report(runs, qrels, path) or cube.ireval.report(path)"
        raise InputError("a path to write the report to", repr(type(chosen).__name__), advice)
    refuse_strange(chosen)
    return chosen


def _defaults() -> Values:
    return {name: option.default for name, option in inspect.signature(report).parameters.items()}


def _page(title: str, setting: Setting, frames: dict[str, pd.DataFrame], call: str) -> Page:
    """Return the page, whose static sections describe the first view."""
    shown = list(views(setting))
    opening = shown[0]
    problems = findings(opening.full_cube, setting, frames)
    listed = first_runs(setting.full_cube, frames["runs"]) if frames else None
    return Page(
        title=title,
        setting=setting,
        views=shown,
        lists=top_lists(setting.cube, listed),
        trust=trust(opening, problems),
        verdicts=verdicts(opening),
        comparisons=comparisons(opening),
        origins=origins_of(setting, opening.ranks),
        call=call,
    )
