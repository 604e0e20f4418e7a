"""The accessor: every verb is the function of the same name."""

import copy
import inspect
import pickle

import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.accessor import KINDS, Verbs, verbs
from irframe.cubes.verb import VERBS

PACKAGES = pytest.mark.parametrize("package", [ir, ir.plots], ids=lambda p: p.__name__)
BOUND = [
    (package, name, kind)
    for package in (ir, ir.plots)
    for name, (_, kinds) in verbs(package.__name__).items()
    for kind in kinds
]


@pytest.fixture(scope="module")
def subjects():
    """Return an object of every kind that has an accessor, by its kind."""
    runs, qrels = ir.example_track()
    cube = runs.ireval.cube(qrels)
    half = runs["system"].isin(runs["system"].unique()[:4])
    tree = runs.assign(half=half).ireval.cube(qrels, by="half")
    scanned = ir.ScannedRuns(("bm25.gz",))
    return {type(each): each for each in (runs, cube, cube.ireval.score("AP"), tree, scanned)}


def reach(subject, package):
    return subject.ireval if package is ir else subject.ireval.plot


@PACKAGES
def test_verbs_are_the_public_functions_that_take_what_has_an_accessor(package):
    taking = {}
    for name in package.__all__:
        function = getattr(package, name)
        if inspect.isfunction(function):
            first = next(iter(inspect.signature(function).parameters.values()), "")
            words = {word.strip() for word in str(first).partition(":")[2].split("|")}
            kinds = {kind for kind in KINDS if words & {full_name(kind), repr(kind)}}
            if VERBS.get(name) is function and kinds != {pd.DataFrame}:
                kinds.add(xr.DataTree)
            if kinds:
                taking[name] = kinds
    assert {name: set(kinds) for name, (_, kinds) in verbs(package.__name__).items()} == taking


def full_name(kind):
    return f"{kind.__module__}.{kind.__name__}"


@pytest.mark.parametrize(
    ("package", "name", "kind"),
    BOUND,
    ids=[f"{kind.__name__}-{package.__name__}.{name}" for package, name, kind in BOUND],
)
def test_a_verb_is_its_function_with_the_first_argument_given(package, name, kind, subjects):
    function = getattr(package, name)
    verb = getattr(reach(subjects[kind], package), name)
    assert verb.__func__ is function
    assert verb.__self__ is subjects[kind]
    expected = list(inspect.signature(function).parameters.values())[1:]
    assert list(inspect.signature(verb).parameters.values()) == expected
    assert verb.__doc__ == function.__doc__


@PACKAGES
def test_dir_lists_the_verbs_of_an_object(package, subjects):
    for kind, subject in subjects.items():
        mine = {name for name, (_, kinds) in verbs(package.__name__).items() if kind in kinds}
        assert set(dir(reach(subject, package))) == mine | ({"plot"} if package is ir else set())


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_verb_suggests_a_near_one(kind, subjects):
    verb = next(name for name, (_, kinds) in verbs("irframe").items() if kind in kinds)
    with pytest.raises(
        AttributeError, match=rf"^{kind.__name__} has no verb '{verb}s'.*\b{verb}\b"
    ):
        getattr(subjects[kind].ireval, f"{verb}s")


def test_what_resembles_no_verb_suggests_none(subjects):
    with pytest.raises(AttributeError, match=r"^Dataset has no verb 'zzzz'$"):
        subjects[xr.Dataset].ireval.zzzz  # noqa: B018 - what raises


def test_a_verb_of_another_kind_says_whose_it_is(subjects):
    with pytest.raises(
        AttributeError, match=r"^score is a verb of Dataset and DataTree, not of DataFrame$"
    ):
        subjects[pd.DataFrame].ireval.score  # noqa: B018 - what raises


def test_public_names_that_are_no_functions_are_no_verbs(subjects):
    with pytest.raises(AttributeError, match="no verb 'RBP'"):
        subjects[xr.Dataset].ireval.RBP  # noqa: B018 - what raises


def test_hidden_names_are_no_verbs():
    assert not hasattr(Verbs(pd.DataFrame()), "_repr_html_")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "again",
    [lambda each: pickle.loads(pickle.dumps(each)), copy.deepcopy],  # noqa: S301 - our own bytes
    ids=["pickle", "deepcopy"],
)
def test_what_was_asked_for_verbs_can_be_pickled_and_copied(kind, again, subjects):
    assert dir(subjects[kind].ireval)
    restored = again(subjects[kind])
    assert restored.equals(subjects[kind]) if hasattr(restored, "equals") else restored
    assert dir(restored.ireval) == dir(subjects[kind].ireval)


def test_a_frame_without_roles_has_no_accessor():
    frame = pd.DataFrame({"x": [1]})
    assert not hasattr(frame, "ireval")
    with pytest.raises(AttributeError, match="topic: topic, qid"):
        frame.ireval  # noqa: B018 - what raises
