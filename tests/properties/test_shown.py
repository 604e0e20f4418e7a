"""Every result has tables and figures, or a clear error.

The tests use the results of all verbs. They also use results with tasks, results by group, results
for one metric or depth, some columns of results, and results with other column names.
"""

from contextlib import suppress
from itertools import product

import matplotlib.pyplot as plt
import pandas as pd
import pytest
import xarray as xr
from incomplete import incomplete, though_incomplete
from properties.experiments import experiment
from properties.test_figures import FIGURES, GIVEN
from properties.verbs import SCORED, VERBS, asked, call
from turns import few_of

import irframe as ir
from irframe.errors import IrframeError
from irframe.kinds import kind_of
from irframe.record import signature_of

pytestmark = [incomplete, pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")]
with though_incomplete():
    RUNS, QRELS = experiment(0)
    CUBE = ir.cube(RUNS, QRELS, collection="track")
    TASKS = CUBE.ireval.design(task="track")
OWN_NAMES = {"system": "name", "topic": "qid", "doc": "docno"}
FORMS = (
    *({}, {"marks": "daggers"}, {"marks": "verdicts", "best": False}),
    *({"marks": "none", "intervals": True}, {"intervals": False, "sort": True}),
    {"relative_to": "s1"},
)


def under_own_names(_):
    """Evaluate frames with other column names."""
    runs, qrels = RUNS.rename(columns=OWN_NAMES), QRELS.rename(columns=OWN_NAMES)
    return ir.evaluate(runs, qrels, list(SCORED))


def one_metric(result):
    """Yield a result with one metric selected, in several ways."""
    if "metric" in getattr(result, "dims", ()):
        yield from (result.isel(metric=0), result.isel(metric=[0]))
    elif isinstance(result, pd.DataFrame) and "metric" in result.columns:
        yield result[result["metric"] == result["metric"].iloc[0]]
    elif isinstance(result, pd.DataFrame) and "metric" in result.index.names:
        first = result.index.get_level_values("metric")[0]
        yield from (
            result.xs(first, level="metric"),
            result.xs(first, level="metric", drop_level=False),
        )


def one_depth(result):
    """Yield a result with one depth selected."""
    if "depth" in getattr(result, "dims", ()):
        yield result.isel(depth=-1)


def some_columns(result):
    """Yield each of the last two columns as a frame."""
    if isinstance(result, pd.DataFrame):
        yield from (result[[column]] for column in result.columns[-2:])


MADE = {
    "plain": lambda name: [call(name, CUBE)],
    "tasks": lambda name: [call(name, TASKS.isel(system=slice(1, None)))],
    "tasks with holes": lambda name: [call(name, TASKS)],
    "groups": lambda name: [grouped(name)],
    "scores of one metric": lambda name: [call(name, CUBE, lambda scores: scores.isel(metric=0))],
    "own names": lambda name: [call(name, CUBE, under_own_names)],
    "one metric": lambda name: one_metric(call(name, CUBE)),
    "one depth": lambda name: one_depth(call(name, CUBE)),
    "some columns": lambda name: some_columns(call(name, CUBE)),
}


def grouped(name):
    """Return the result of a verb by group."""
    subject, options = asked(name, CUBE, by="track")
    return getattr(subject.ireval.groupby("track"), name)(**options)


def shown(result):
    """Format a result with all options; draw all its figures."""
    assert repr(result)
    for form in FORMS:
        with suppress(IrframeError):
            table = ir.verbs.styled(result, **form)
            assert table.to_html()
            assert table.to_latex()
    for name in [name for name, kinds in FIGURES.items() if kind_of(result) in kinds]:
        parameters = signature_of(getattr(ir.plots, name)).parameters
        values = GIVEN | {"scores": ir.verbs.score(CUBE, "DCG"), "topic": "n1", "cube": CUBE}
        options = {word: values[word] for word in [*parameters][1:] if word in values}
        needed = {
            word for word, parameter in parameters.items() if parameter.default is parameter.empty
        }
        for chosen in (options, {word: options[word] for word in options if word in needed}):
            with suppress(IrframeError):
                getattr(ir.plots, name)(result, **chosen)
            plt.close("all")


def made(name, how):
    """Return the results of a verb, empty after an error."""
    try:
        results = [getattr(result, "summary", result) for result in MADE[how](name)]
    except IrframeError:
        return []
    return [
        result for result in results if isinstance(result, pd.DataFrame | xr.Dataset | xr.DataArray)
    ]


@pytest.mark.parametrize(("name", "how"), few_of(product(sorted(VERBS), MADE), 14))
def test_results_are_shown_or_refused_by_name(name, how):
    for result in made(name, how):
        shown(result)


def test_most_verbs_return_results_to_show():
    assert all(made("summary", how) for how in MADE if how != "some columns")
    assert all(made("compare", how) for how in ("plain", "tasks", "groups", "one metric"))
    assert "track" in grouped("summary").dims
    assert "track" in grouped("compare").columns
