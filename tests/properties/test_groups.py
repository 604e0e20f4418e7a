"""Results by group equal results on each group alone."""

import inspect
import warnings
from contextlib import suppress
from functools import cache, wraps
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xarray as xr
from dense import dense
from hypothesis import given
from incomplete import incomplete
from properties.experiments import THOROUGH, TRACKS, experiment, few, seeds
from properties.test_records import FRAMES, With, another, another_of_frames, result_of
from properties.verbs import GROUPED as RESULTS
from properties.verbs import VERBS, asked, assert_same, bare, call, outcome
from turns import few_of

import irframe as ir
from irframe.cubes.parse_scores import as_scores
from irframe.errors import IrframeError, IrframeWarning, ParameterError
from irframe.names import UNJUDGED
from irframe.option_values import plain_parameters
from irframe.record import InGroups

pytestmark = incomplete
GROUPED = sorted(VERBS)
FIRST = {name: next(iter(inspect.signature(verb).parameters)) for name, verb in VERBS.items()}
OF_CUBES = [name for name in GROUPED if FIRST[name] in {"cube", "data"}]


def alone(frames, track):
    """Build the cube of one track from its rows."""
    runs, qrels = (frame[frame["track"] == track] for frame in frames)
    return ir.cube(runs.reset_index(drop=True), qrels, pool=ir.Pool(contributing="contributing"))


@cache
def outcome_per_track(name, seed):
    """Return the outcome of a verb on each track alone."""
    frames = experiment(seed)
    return {track: outcome(name, alone(frames, track)) for track in TRACKS}


def branch(result, track):
    """Select the result of one group from results by group."""
    if isinstance(result, InGroups):
        return result.subject[track]
    if isinstance(result, pd.DataFrame):
        if "track" in result.columns:
            rows = result[result["track"] == track]
            return rows.drop(columns="track").reset_index(drop=True)
        if "track" not in result.index.names:
            return result
        return result.xs(track, level="track")
    if hasattr(result, "summary"):
        return {name: branch(getattr(result, name), track) for name in ("summary", "queries")}
    return result.sel(track=track, drop=True)


def assert_groups(joined, expected):
    """Assert that results by group equal results on each group.

    If the call on one group raises an error, the call by group must raise an error.
    """
    wrong = any(isinstance(result, type) for result in expected.values())
    assert isinstance(joined, type) == wrong
    if not wrong:
        for track, result in expected.items():
            assert_group(joined, result, track)


def assert_group(joined, expected, track):
    """Assert that results by group contain one group's result."""
    group = branch(joined, track)
    if isinstance(group, pd.DataFrame) and isinstance(expected, xr.Dataset):
        expected = bare(expected).to_dataframe([*expected.dims])
    if isinstance(expected, xr.Dataset | xr.DataArray):
        if isinstance(group, xr.Dataset) and isinstance(expected, xr.DataArray):
            group = next(iter(group.data_vars.values()))
        group, expected = bare(group), bare(expected)
        labels = {dim: expected[dim] for dim in expected.dims if dim in expected.coords}
        group = group.sel({dim: label for dim, label in labels.items() if dim in group.dims})
        sizes = {dim: slice(size) for dim, size in expected.sizes.items() if dim not in labels}
        group = group.isel(sizes).transpose(*expected.dims)
        if isinstance(expected, xr.Dataset):
            for name in expected.data_vars:
                assert_values(group[name], expected[name])
        else:
            assert_values(group, expected)
    elif isinstance(expected, pd.DataFrame):
        assert_same(group, expected)
    else:
        for name in ("summary", "queries"):
            assert_same(group[name], getattr(expected, name))


def assert_values(found, expected):
    found = found.transpose(*expected.dims).drop_vars([*found.coords])
    expected = expected.drop_vars([*expected.coords])
    if expected.dtype.kind in "fiub" and found.dtype.kind in "fiub":
        xr.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=1e-10)
    else:
        assert (found.to_numpy() == expected.to_numpy()).all()


def test_several_columns_as_collection_are_refused():
    with pytest.raises(ParameterError, match="collection to be one column"):
        ir.cube(*experiment(3), collection=["track", "team"])


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(GROUPED, 16, 3, drawn=False))
def test_results_are_of_the_types_that_signatures_name(name):
    annotation = str(inspect.signature(VERBS[name]).return_annotation)
    cube = ir.cube(*experiment(3), collection="track")
    for returned in (outcome(name, cube), outcome(name, cube, by="track")):
        result = getattr(returned, "example", returned)  # grouped cubes contain an example
        kinds = [kind.__name__ for kind in type(result).__mro__[:3]]  # a result is a frame
        assert isinstance(result, type) or any(kind in annotation for kind in kinds)


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(GROUPED, 16, 0, drawn=False))
@few
@given(seed=seeds)
def test_a_verb_by_group_equals_each_group_alone(name, seed):
    joined = outcome(name, ir.cube(*experiment(seed), collection="track"), by="track")
    assert_groups(joined, outcome_per_track(name, seed))


UNDRAWN = [name for name in OF_CUBES if name != "estimate"]
"""Verbs that take a cube, except `estimate`, which cannot run on the random judgments."""


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(UNDRAWN, 16, 1, drawn=False))
@few
@given(seed=seeds)
def test_a_verb_of_cubes_by_group_equals_each_group_alone(name, seed):
    runs, qrels = experiment(seed)
    cubes = ir.verbs.groupby(runs, "track").cube(qrels, collection="track")._groups
    try:
        with warnings.catch_warnings(action="ignore", category=IrframeWarning):
            joined = VERBS[name](cubes, **asked(name, ir.cube(runs, qrels))[1])
    except IrframeError as error:
        joined = type(error)
    assert_groups(joined, outcome_per_track(name, seed))


@pytest.mark.thorough
@pytest.mark.property
@few
@given(seed=seeds)
def test_results_of_a_track_do_not_depend_on_the_other_track(seed):
    both = ir.cube(*experiment(seed), collection="track")
    for track, topics in TRACKS.items():
        track_cube = ir.concat([both.sel(topic=topics)])
        track_cube = track_cube.isel(system=dense(track_cube).took_part.any(axis=1).nonzero()[0])
        for name in sorted(VERBS)[:: 1 if THOROUGH else 3]:
            assert_same(outcome(name, track_cube), outcome_per_track(name, seed)[track])


SCORED = [name for name in GROUPED if FIRST[name] == "scores"]
OF_GROUPS = {name for name in GROUPED if FIRST[name] in RESULTS}
"""Verbs that take results. They read groups from columns or coordinates of the result."""
BASED = [name for name in GROUPED if "baseline" in inspect.signature(VERBS[name]).parameters]


def uneven(seed):
    """Return two tracks that differ in systems and depths."""
    runs, qrels = experiment(seed)
    rank = runs.groupby(["system", "topic"]).cumcount()
    absent = (runs["system"] == "s2") & (runs["track"] == "web")
    return runs[((runs["track"] == "news") | (rank < 4)) & ~absent], qrels


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(GROUPED, 16, 2, drawn=False))
@few
@given(seed=seeds)
def test_results_by_group_equal_results_on_selected_topics(name, seed):
    cube = ir.cube(*uneven(seed))
    expected = {track: outcome(name, cube.sel(topic=topics)) for track, topics in TRACKS.items()}
    assert_groups(outcome(name, cube, by="track"), expected)


OPTIONS = [
    (name, option, number)
    for name in GROUPED
    for option in list(plain_parameters(inspect.signature(VERBS[name])))[1:]
    # with the option `family`, p-values of a group may depend on the other groups
    if option != "family"
    for number in range(len(another(name, option)))
]
"""Each item contains a verb, one of its options, and the position of the option's value in
`another`.
"""


@pytest.mark.property
@pytest.mark.parametrize(("name", "option", "number"), few_of(OPTIONS, 60))
def test_an_option_by_group_equals_each_group_alone(name, option, number):
    value = another(name, option)[number]
    options = value if isinstance(value, With) else {option: value}
    cube = ir.cube(*experiment(3))
    expected = {
        track: outcome(name, cube.sel(topic=topics), **options) for track, topics in TRACKS.items()
    }
    assert_groups(outcome(name, cube, by="track", **options), expected)


def function_of(name):
    return getattr(ir, name, None) or getattr(ir.verbs, name)


OF_FRAMES = [
    (name, number, option)
    for name in ("collapse", "cube", "evaluate", "rank", "split")
    for number, (_, usual) in enumerate(FRAMES[name])
    for option in list(plain_parameters(inspect.signature(function_of(name))))[1:]
    if option not in {"contributing", "topics"}  # the values are labels of one group
    if another_of_frames(name, option) and not ({"at", "stop"} & {option, *usual})
]


@pytest.mark.property
@pytest.mark.parametrize(("name", "number", "option"), few_of(OF_FRAMES, 24))
def test_an_option_of_frames_by_group_equals_each_group_alone(name, number, option):
    runs, usual = FRAMES[name][number]
    verb = function_of(name)

    @wraps(verb)
    def by_track(runs, **options):
        return getattr(ir.verbs.groupby(runs, "track"), name)(**options)

    for value in another_of_frames(name, option):
        options = usual | (value if isinstance(value, With) else {option: value})
        joined = result_of(by_track, runs, options)
        for track in TRACKS:
            alone = result_of(verb, of_track(runs, track), of_track(options, track))
            if isinstance(alone, pd.DataFrame):
                alone = alone.drop(columns="track", errors="ignore")
            assert (joined is None) == (alone is None)
            if joined is not None:
                assert_same(branch(bare_groups(joined), track), alone)


def of_track(value, track):
    """Return one track's rows, of a frame or nested dictionaries."""
    if isinstance(value, dict):
        return {name: of_track(item, track) for name, item in value.items()}
    if not isinstance(value, pd.DataFrame):
        return value
    return value[value["track"] == track].reset_index(drop=True)


def partly(seed):
    """Return a cube whose systems lack topics of a group."""
    halves = {"w3": "late", "w4": "late"}
    frames = [
        frame.assign(half=frame["topic"].map(halves).fillna("early")) for frame in uneven(seed)
    ]
    return ir.cube(*frames, collection="half")


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(SCORED, 16, 0, drawn=False))
@few
@given(seed=seeds)
def test_groups_survive_changed_coordinates(name, seed):
    cube = partly(seed)

    def mixed(scores):
        return scores.drop_vars(["took_part", "retrieved"], errors="ignore")

    for by in ("track", "half"):
        assert_same(outcome(name, cube, change=mixed, by=by), outcome(name, cube, by=by))


def last(scores):
    """Return the scores at the greatest depth of an array."""
    return scores.isel(depth=-1, drop=True)


def wide(scores):
    """Return scores with a row per system and topic."""
    frame = as_scores(last(scores))
    for key in ("track", "half", "team"):
        if key in scores.coords:
            frame = frame.join(scores[key].to_series().rename_axis(scores[key].dims[0]))
    return frame


def long(scores):
    """Return scores with a row per system, topic and metric."""
    frame = wide(scores)
    groups = [name for name in ("track", "half", "team") if name in frame]
    frame = frame.reset_index().melt(["system", "topic", *groups], var_name="measure")
    return frame[frame["value"].notna()]


READERS = {
    "columns": lambda scores: wide(scores).reset_index(),
    "levels": lambda scores: wide(scores).set_index(
        [*{"track", "half"} & {*wide(scores)}], append=True
    ),
    "long": long,
    "other names": lambda scores: long(scores).rename(columns={"system": "name", "topic": "qid"}),
    "topics first": lambda scores: wide(scores).reorder_levels(["topic", "system"]),
    "objects": lambda scores: wide(scores).astype(object),
    "arrow": lambda scores: pa.Table.from_pandas(wide(scores).reset_index()),
    "another order of dimensions": lambda scores: last(scores).transpose(),
    "lazy": lambda scores: last(scores).chunk(topic=2),
}
"""Mapping from forms to functions that convert an array of scores at one depth to the form."""


DEEP = {
    "column of pandas": lambda scores: scores.to_series(),
    "frame of pandas": lambda scores: scores.to_dataframe(),
    "all in columns": lambda scores: scores.to_dataframe().reset_index(),
    "column by metric": lambda scores: scores.to_series().unstack("metric"),
    "as_scores": ir.as_scores,
}
"""Mapping from forms to functions that convert an array of scores by depth to the form."""


def as_called(result):
    """Rename columns and levels of a frame to standard names."""
    names = {"name": "system", "qid": "topic"}
    return (
        result.rename(columns=names).rename_axis(index=names)
        if isinstance(result, pd.DataFrame)
        else result
    )


@pytest.mark.property
@pytest.mark.parametrize(
    ("name", "by"), few_of(product(SCORED, (None, "track", "half", "team")), 25, drawn=False)
)
def test_scores_are_equal_in_every_form(name, by):
    assert_readers(name, partly(3), READERS, last, **({} if by is None else {"by": by}))


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(SCORED, 16, 5, drawn=False))
def test_scores_by_depth_are_equal_in_every_form(name):
    cube = ir.cube(*experiment(3, missing=False)).drop_vars(["team", "track"], errors="ignore")
    assert_readers(name, cube, DEEP, lambda scores: scores)


def assert_readers(name, cube, readers, plain, **options):
    """Assert that a verb returns equal results for all forms."""
    expected = outcome(name, cube, change=plain, **options)
    for reader, change in readers.items():
        try:
            assert_alike(outcome(name, cube, change=change, **options), expected)
        except AssertionError as error:
            error.add_note(f"as {reader}")
            raise


def assert_alike(frame, expected):
    """Assert that a frame and arrays contain equal results."""
    frame = as_called(frame)
    if isinstance(frame, pd.DataFrame) and not isinstance(expected, pd.DataFrame):
        if isinstance(expected, xr.DataArray):
            expected = expected.to_dataset("metric")
        rows = expected.to_dataframe().reset_index().set_index(frame.index.names)
        absent = rows.loc[rows.index.difference(frame.index), [*frame]]
        assert not absent.drop(columns="n", errors="ignore").notna().to_numpy().any()
        expected = rows.loc[frame.index, [*frame]].rename_axis(columns=frame.columns.name)
    assert_same(frame, expected)


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(sorted({*GROUPED} - OF_GROUPS), 16, 2, drawn=False))
def test_a_mapping_to_groups_equals_a_coordinate(name):
    cube = partly(3).assign_coords(make=("system", list("aabbb")[: len(partly(3).system)]))
    for by in ("track", "make"):
        keys = cube[by].to_series()
        assert_same(outcome(name, cube.drop_vars(by), by=keys), outcome(name, cube, by=by))


def test_a_mapping_to_groups_equals_a_column():
    runs, qrels = uneven(3)
    tracks = qrels.drop_duplicates("topic").set_index("topic")["track"].to_dict()
    bare = [frame.drop(columns="track") for frame in (runs, qrels)]
    kinds = {name: "even" if int(name[1:]) % 2 else "odd" for name in runs["system"].unique()}
    for of, frames in ((tracks, (runs, qrels)), (kinds, bare)):
        named = [frame.assign(group=frame["topic"].map(of)) for frame in frames]
        if of is kinds:
            named = [runs.assign(group=runs["system"].map(of)), qrels]
        for verb, metrics in (("evaluate", ["AP"]), ("cube", [])):
            with warnings.catch_warnings(action="ignore"):
                result = getattr(ir.verbs.groupby(bare[0], of), verb)(bare[1], *metrics)
                expected = getattr(ir.verbs.groupby(named[0], "group"), verb)(named[1], *metrics)
                assert_same(bare_groups(result), bare_groups(expected))
    nested = ir.verbs.to_pytrec_eval(bare[0])
    with warnings.catch_warnings(action="ignore"):
        result = ir.verbs.groupby(nested, tracks).evaluate(bare[1], "AP")
        assert_same(result, ir.verbs.groupby(bare[0], tracks).evaluate(bare[1], "AP"))


def bare_groups(result):
    """Return the cubes of all groups, or a frame unchanged."""
    return getattr(result, "_groups", result)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ({"n1": "a"}, "a group .group. for every topic, but found none for .*: n2"),
        ({"x": "a"}, "mapping of systems or of topics, but found keys that match none of them: x"),
        ({"n1": "a", "s1": "b"}, "found keys that match both: n1, s1"),
        (pd.Series({"n1": "a"}, name="track"), "an unused name for the groups, but found 'track'"),
        (
            pd.Series(["a", "b"], ["n1", "n1"]),
            "one group for every key, but found repeated keys",
        ),
    ],
)
def test_mappings_that_are_not_groups_are_refused(by, message):
    scores = ir.cube(*experiment(3)).ireval.score("AP", at=3)
    with pytest.raises(ParameterError, match=message):
        scores.ireval.groupby(by).summary()


def test_groupby_refuses_columns_that_the_cube_defines():
    runs, qrels = ir.example_track()
    message = "an unused name for the groups, but found 'contributing'.*rename"
    for does in (
        lambda: runs.ireval.groupby("contributing").evaluate(qrels, "AP"),
        lambda: runs.ireval.groupby("contributing").cube(qrels),
    ):
        with pytest.raises(ParameterError, match=message):
            does()


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(BASED, 4, 0, drawn=False))
def test_groups_without_the_baseline_are_left_out_and_named(name):
    cube = ir.cube(*experiment(1), collection="track")
    options = {"baseline": "s0", "by": "track"}
    with warnings.catch_warnings(record=True, action="always") as caught:
        result = loud(name, cube, **options)
    messages = [
        str(warning.message) for warning in caught if issubclass(warning.category, IrframeWarning)
    ]
    assert sum("left out (track): web (no s0)" in message for message in messages) == 1
    alone = outcome(name, cube.sel(topic=TRACKS["news"]), baseline="s0")
    assert_group(result, alone, "news")


def loud(name, cube, **options):
    """Call a verb on scores with its warnings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("properties.verbs.warnings.simplefilter", lambda *_, **__: None)
        return call(name, cube, **options)


REFUSED = {
    "topics": lambda scores: xr.concat([scores, scores], "topic"),
    "a topic": lambda scores: scores.isel(topic=[0, *range(scores.sizes["topic"])]),
    "systems": lambda scores: xr.concat([scores, scores], "system"),
    "metrics": lambda scores: xr.concat([scores, scores], "metric"),
    "depths": lambda scores: xr.concat([scores, scores], "depth"),
    "rows": lambda scores: pd.concat([as_scores(scores[..., -1])] * 2),
    "columns": lambda scores: pd.concat([as_scores(scores[..., -1])] * 2, axis=1),
    "columns of a flat frame": lambda scores: pd.concat(
        [as_scores(scores[..., -1]).reset_index()] * 2, axis=1
    ),
    "text": lambda scores: scores.astype(str),
    "columns of text": lambda scores: as_scores(scores[..., -1]).astype(str),
    "metrics without names": lambda scores: scores.drop_vars("metric"),
    "grades of a cube": lambda scores: xr.full_like(scores, UNJUDGED, "int16"),
    "no depths": lambda scores: scores.isel(depth=[]),
    "no metrics": lambda scores: scores.isel(metric=[]),
    "depths between depths": lambda scores: scores.interp(depth=[1.5, 2.5]),
    "depths averaged": lambda scores: scores.isel(depth=slice(4)).coarsen(depth=2).mean(),
}
"""Mapping from names to functions that turn scores into an array that verbs must refuse."""


def in_turn(changes, name):
    """Return the changes to try on one verb.

    All changes are tried if Hypothesis draws many random inputs, and otherwise every third change.
    """
    turns = 1 if THOROUGH else 3
    return list(changes.items())[SCORED.index(name) % turns :: turns]


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(SCORED, 6, 0, drawn=False))
def test_frames_without_scores_are_refused(name):
    cube = ir.cube(*experiment(2))
    for label, change in in_turn(REFUSED, name):
        result = outcome(name, cube, change=change)
        assert isinstance(result, type), label
        assert issubclass(result, IrframeError), label


ALIKE = {
    "in half precision": lambda scores: scores.astype("float16"),
    "in single precision": lambda scores: scores.astype("float32"),
    "as objects": lambda scores: scores.astype("float16").astype(object),
    "without an index": lambda scores: scores.astype("float16").reset_index("topic"),
    "at depths in floats": lambda scores: scores.astype("float16").assign_coords(
        depth=scores["depth"].astype(float)
    ),
}
"""Mapping from names to functions that change the type of scores, or add rounding errors."""


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(SCORED, 6, 1, drawn=False))
def test_scores_are_averaged_in_double_precision(name):
    cube = ir.cube(*experiment(2))
    for _, change in in_turn(ALIKE, name):

        def widened(scores, change=change):
            exact = change(scores).astype(np.float64)
            return exact.assign_coords(topic=scores["topic"], depth=scores["depth"])

        assert_same(outcome(name, cube, change=change), outcome(name, cube, change=widened))


@pytest.mark.property
@pytest.mark.parametrize("name", few_of(SCORED, 6, 2, drawn=False))
def test_renamed_or_added_columns_are_metrics_with_a_warning(name):
    cube = ir.cube(*experiment(2))
    scores = ir.evaluate(*experiment(2), ["AP(norm='min')", "nDCG@3"])
    renamed = scores.rename(columns={"nDCG@3": "mine"})
    options = {"at": None} if "at" in inspect.signature(VERBS[name]).parameters else {}
    for frame in (
        renamed,
        renamed.join(pd.Series(range(8), scores.loc["s1"].index, name="length")),
    ):
        frame.attrs = scores.attrs
        with (
            warnings.catch_warnings(record=True, action="always") as caught,
            suppress(IrframeError),
        ):
            loud(name, cube, change=lambda _: frame, **options)  # noqa: B023 - may look at depths
        messages = [str(warning.message) for warning in caught]
        assert sum("used as metrics: mine;" in message for message in messages) == 1
        assert sum("left out: length" in message for message in messages) == ("length" in frame)
