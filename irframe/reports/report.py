"""The report: an experiment on one page that needs no network, and where its numbers are from.

Verbs: report.
"""

import hashlib
import inspect
import platform
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

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
from irframe.experiments.choices import BudgetAlone
from irframe.experiments.policy import Metrics
from irframe.files.as_runs import Qrels, Runs, as_qrels, as_runs
from irframe.files.atomic import write_whole
from irframe.files.compression import look, refuse_strange
from irframe.files.repeats import fold
from irframe.metrics import Metric
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC, counted, plural
from irframe.option_values import OptionValue, slots_of
from irframe.paired import PairedTest
from irframe.record import INPUTS, Step, all_steps, refuse_unused, signature_of, steps_of
from irframe.reports import figures
from irframe.reports.beside import PAGE_BYTES, beside, by_spread, choose, first_runs, top_lists
from irframe.reports.page import Page
from irframe.reports.setting import ALONG, PagePart, Setting, say, text, texts
from irframe.reports.trust import findings, trust, verdicts
from irframe.reports.view import views
from irframe.scores.read_scores import Baselines
from irframe.scores.repeats import Over
from irframe.scores.resampling import Resampling
from irframe.tables.captions import (
    ORIGIN_WORDS,
    design_text,
    repeats_text,
    significance_text,
    step_texts,
)
from irframe.tables.cite import papers

LIBRARIES = ("numpy", "pandas", "scipy", "xarray", "altair", "vl-convert-python")
"""What else numbers and figures depend on."""
SPELLED = {
    "ties": "order of equal scores (ties)",
    "score_dtype": "precision of scores (score_dtype)",
    "topics": "topics that count (topics)",
    "top": "highest grade",
    "rel": "lowest relevant grade",
    "depth": "lists are cut at (depth)",
    "collection": "topics come in tracks by (collection)",
}
"""What decides numbers, in words, with the argument that sets it."""
MADE: ContextVar[str] = ContextVar("irframe_made", default="")
"""The line of a shell that makes a report, if that is how it is made."""


VERBS = ("rank_intervals", "compare", "volatility")
"""What a page says of means, of ranks and pairs, and of orders by depth, is what these return."""


def named_after(setting: Setting) -> str:
    """Return the title of a page: the folder of what was read, or else what is compared."""
    files = [Path(name).absolute() for name, *_ in setting.whole.attrs[EXPERIMENT].files]
    above = files[0].parents if files else ()
    shared = (folder for folder in above if all(path.is_relative_to(folder) for path in files))
    if name := next(shared, Path()).name:
        return text(name)
    sizes = setting.cube.sizes
    return f"{counted(sizes[SYSTEM], 'system')} on {counted(sizes[TOPIC], 'topic')}"


def asked(setting: Setting, ranks: xr.Dataset) -> list[tuple[str, str]]:
    """Return what was asked of a cube, in words."""
    design, repeats = design_text(ranks.attrs), repeats_text(dict(ranks.attrs))
    each = f"{len(setting.depths)}, {setting.depths[0]} to {setting.depths[-1]}"
    return [
        ("metrics", ", ".join(setting.metrics)),
        ("test and correction", significance_text(setting.pairing.words)),
        (plural(setting.axis.dim), f"{each} {setting.axis.unit}".strip()),
        ("resamples of topics", f"{setting.samples}, seed {setting.seed}"),
        *([("margin", f"{setting.margin:g}")] if setting.margin is not None else []),
        ("topics (sampling design)", design or "drawn one by one, each counts alike"),
        *([("repeats", repeats)] if repeats else []),
    ]


def told_origins(setting: Setting, ranks: xr.Dataset) -> dict[str, Any]:
    """Return where the numbers come from: lists by heading, the papers, and what was read."""
    cube = setting.whole
    read, used = inputs(cube), {"metrics": setting.metrics, "test": setting.pairing.test}
    cited = papers([*steps_of(cube), *(Step(verb, used) for verb in VERBS)])
    parts = (
        PagePart("papers", say("origins.papers"), [say("origins.cited")], data=cited),
        PagePart("inputs", say("origins.inputs", n=len(read)), [say("origins.how")], data=read),
    )
    versions = [("python", platform.python_version()), *((n, version(n)) for n in LIBRARIES)]
    settings = [*asked(setting, ranks), *policies(cube)]
    return {"lists": {"Settings": settings, "Versions": versions}, "parts": parts}


def policies(cube: xr.Dataset) -> list[tuple[str, str]]:
    """Return what decided the numbers of a cube, in words."""
    decided = provenance(cube)
    done = [("runs and judgments", words) for words in step_texts(steps_of(cube))]
    return done + [
        (SPELLED.get(name, name), ", ".join(texts(np.atleast_1d(decided[name]))))
        for name in ORIGIN_WORDS
        if name in decided and name != "pool_depth"  # which may be read off the runs
    ]


def inputs(cube: xr.Dataset) -> pd.DataFrame:
    """Return what was read, with its SHA-256: files, or else frames, or else the cube."""
    files = [_of_file(*state) for state in cube.attrs[EXPERIMENT].files]
    if files:
        return pd.DataFrame(files, columns=["input", "bytes", "SHA-256"])
    rows = [each for _, options in all_steps(steps_of(cube)) for each in options.get(INPUTS, [])]
    if not rows:
        grade, docs = cube["grade"], experiment_of(cube).dense(cube.sizes[DEPTH], "doc")
        digest = hashlib.sha256(grade.to_numpy().tobytes() + docs.tobytes()).hexdigest()
        rows = [["the cube's grades and documents", " x ".join(map(str, grade.shape)), digest]]
    return pd.DataFrame(rows, columns=["input", "size", "SHA-256"])


def _of_file(name: str, size: int, changed: str) -> tuple[str, str, str]:
    """Return name, size and hash of a file, unless it is no longer what was read."""
    path = Path(name)
    if not path.is_file():
        return path.name, str(size), "not here any more"
    now = path.stat()
    if (now.st_size, str(now.st_mtime_ns)) != (int(size), str(changed)):
        return path.name, str(size), "changed since it was read"
    return path.name, str(size), hashlib.sha256(path.read_bytes()).hexdigest()


def call_of(names: str, options: Mapping[str, Any], defaults: Mapping[str, Any]) -> str:
    """Return the call that makes a report, with what was not left at its default.

    Examples
    --------
    >>> call_of("cube, 'a.html'", {"baseline": "bm25", "alpha": 0.05}, {"alpha": 0.05})
    "ir.report(cube, 'a.html', baseline='bm25')"
    """
    if MADE.get():
        return MADE.get()
    said = [
        f"{name}={_as_code(value)}"
        for name, value in options.items()
        if name not in defaults or repr(value) != repr(defaults[name])
    ]
    return f"ir.report({', '.join([names, *said])})"


def _as_code(value: Any) -> str:
    """Return an argument as a call with ``import irframe as ir`` has it.

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
"""What a report is about where nothing else is asked for."""
DATA = ("data", "qrels", "path", "texts")
"""Arguments that a call names, and does not spell."""
ASKED = ("baseline", "test", "resamples", "margin", "over")
"""Arguments of the statistics."""


def report(
    data: xr.Dataset | Runs,
    qrels: Qrels | Target | None = None,
    path: Target | None = None,
    *,
    metrics: Metrics = METRICS,
    baseline: Baselines = None,
    depths: int | Sequence[int] | None = None,
    at: int | None = None,
    stop: BudgetAlone = None,
    title: str | None = None,
    test: TestedByMetric = "t",
    resamples: Resampling | int = 1000,
    margin: float | None = None,
    over: Over = "both",
    texts: Texts | None = None,
) -> Path:
    """Write all that an experiment says to one HTML file that needs no network.

    The page reads without a script, which makes it move: a depth and a metric for the ladder of
    systems, the matrix of who beats whom and the curves at once; two systems topic by topic and
    document by document. Needs the extra ``report``.

    Parameters
    ----------
    data
        A cube made by `irframe.cube`; or a run frame, or what `as_runs` makes one of, followed by
        its judgments, from which the cube is built by default. A cube with a ``collection=`` has a
        page for each behind a choice; all topics together are shown if every system took part in
        all of them. Where systems have repeats, the mean of each stands beside that of its system,
        tests count them as `compare` does, and lists are those of the first.
    qrels
        Qrels frame, or what `as_qrels` takes; with a cube, the path.
    path
        The file to write.
    metrics
        Metrics or their names; the page opens with the first.
    baseline
        A system to hold every other one against, or a list of some: the page opens with the first,
        and numbers say from which of them each system differs significantly.
    depths
        Depths to show, within the cube; by default up to 48, close together near the top.
    at
        The depth that the page opens with, one of those; by default 10, or the next above it.
    stop
        An `irframe.Budget` of text in place of depths, where the cube has lengths; the page opens
        with `at`, by default the middle one.
    title
        Title of the page; by default the folder of the files that were read.
    test
        How a difference is called significant, as for `compare`: an `irframe.Significance`, or the
        name of a test. The pairs of a metric at a depth are corrected together; intervals are at
        1 - `alpha` of it.
    resamples
        Resamples of the topics that say how often a system comes first, at least 100: an
        `irframe.Resampling`, or their number.
    margin
        How much worse a system may be without being called so, above 0: every system then has a
        verdict against the first baseline, or else the first system, as for `compare`.
    over
        What differences are generalised over where systems have repeats, as for `compare`.
    texts
        Texts of documents and queries, as for `explain`, which stand beside two lists, cut to 300
        characters; those of the topics on which systems differ most, as far as the page stays
        below 3 MB.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Raises
    ------
    InputError, ParameterError
        Where the extra ``report`` is missing, and for frames that cannot be read.
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
    ...     page = ir.report(runs, qrels, f"{folder}/report.html", metrics=["AP"], depths=[5, 10])
    ...     "3 of 8 systems could be first" in page.read_text(encoding="utf-8")
    True
    """
    said = {name: value for name, value in locals().items() if name not in DATA}
    if not isinstance(title, str | None):
        raise ParameterError("title, a text", shortened(title))
    figures.drawing()
    refuse_unused(slots_of(signature_of(report))["test"], test, "report", "test")
    look(target := Path(_target(data, qrels, path)))
    frames, whole = _frames_and_cube(data, qrels)
    options = {name: said[name] for name in ASKED}
    setting = Setting.read(whole, metrics, depths, at, options, stop)
    names = f"{'cube' if isinstance(data, xr.Dataset) else 'runs, qrels'}, {target.name!r}"
    names += ", texts=texts" * (texts is not None)
    call = call_of(names, said, _defaults())
    with usual_errors(), OneCall(), during(ALONG, setting.axis):
        page = _page(title or named_after(setting), setting, frames, call)
        told = page if texts is None else _with_texts(page, texts)
        write_whole(target, told.render())
    return target


def _with_texts(page: Page, texts: Texts) -> Page:
    """Return a page with as many texts as it has room for."""
    topics = [*map(str, page.setting.cube.indexes[TOPIC])]
    known_texts = read_texts(texts, page.lists.ids, topics)
    room = PAGE_BYTES - len(page.render().encode())
    every = {dim: page.setting.cube.indexes[dim] for dim in (SYSTEM, TOPIC)}
    shown = page.opening.scores.isel({METRIC: 0, DEPTH: page.setting.place})
    scores = shown.reindex(every).to_numpy()
    first = page.topics.index(page.duel.topic)
    order = by_spread(scores)
    order = np.r_[first, order[order != first]]
    return replace(page, snippets=choose(known_texts, page.lists, topics, order, room))


def _frames_and_cube(data: Any, qrels: Any) -> tuple[dict[str, pd.DataFrame], xr.Dataset]:
    """Return the frames, if there are any, and their cube."""
    if isinstance(data, xr.Dataset):
        return {}, loaded(read_cube(data), "report")
    folded = fold(data)
    frames = {"runs": as_runs(folded.runs), "qrels": as_qrels(qrels)}
    runs = frames["runs"] if folded.word is None else data
    return frames, cube(runs, frames["qrels"])


def _target(data: Any, qrels: Any, path: Target | None) -> Target:
    """Return the path, which of a cube comes second."""
    chosen = qrels if isinstance(data, xr.Dataset) and path is None else path
    if not isinstance(chosen, str | PathLike):
        advice = "ir.report(runs, qrels, path) or cube.ireval.report(path)"
        raise InputError("a path to write the report to", repr(type(chosen).__name__), advice)
    refuse_strange(chosen)
    return chosen


def _defaults() -> dict[str, Any]:
    return {name: option.default for name, option in inspect.signature(report).parameters.items()}


def _page(title: str, setting: Setting, frames: dict[str, pd.DataFrame], call: str) -> Page:
    """Put the page together; its sections that do not move are about the first view."""
    shown = list(views(setting))
    opening = shown[0]
    problems = findings(opening.whole, setting, frames)
    listed = first_runs(setting.whole, frames["runs"]) if frames else None
    return Page(
        title=title,
        setting=setting,
        views=shown,
        lists=top_lists(setting.cube, listed),
        trust=trust(opening, problems),
        verdicts=verdicts(opening),
        beside=beside(opening),
        origins=told_origins(setting, opening.ranks),
        call=call,
    )
