"""Tests of the accessor ``.ireval`` and of its verbs."""

import copy
import inspect
import pickle
import re
import sys

import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.accessor import Verbs
from irframe.errors import InputError, IrframeError
from irframe.files.scan_runs import ScannedRuns
from irframe.kinds import (
    CUBE,
    HOME,
    JUDGMENTS,
    KINDS,
    NUGGETS,
    RUNS,
    SCANNED,
    SCORES,
    offered,
    takes,
    verbs,
)

HOMES = (HOME, "irframe.plots")
PACKAGES = pytest.mark.parametrize("package", [ir.verbs, ir.plots], ids=lambda p: p.__name__)
BOUND = [
    (package, name, kind)
    for package in (ir.verbs, ir.plots)
    for name, (_, kinds) in verbs(package.__name__).items()
    for kind in kinds
]


@pytest.fixture(scope="module")
def subjects():
    """Return an object of every type with an accessor."""
    runs, qrels = ir.example_track()
    cube = runs.ireval.cube(qrels)
    scanned = ScannedRuns(("bm25.gz",))
    scores = runs.ireval.evaluate(qrels, "AP")
    frames = {RUNS: runs, JUDGMENTS: qrels, SCORES: scores}
    several = (runs, cube, cube.ireval.score("AP"), scanned)
    return {type(subject): subject for subject in several} | {"frames": frames}


def reach(subject, package):
    return subject.ireval if package is ir.verbs else subject.ireval.plot


@PACKAGES
def test_public_functions_that_take_such_an_object_first_are_verbs(package):
    taking = {}
    for name in package.__all__:
        function = getattr(package, name)
        if inspect.isfunction(function):
            first = next(iter(inspect.signature(function).parameters.values()), "")
            types = {text.strip() for text in str(first).partition(":")[2].split("|")}
            kinds = {kind for kind in KINDS if types & {full_name(kind), repr(kind)}}
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
def test_a_verb_calls_its_function_with_the_object_as_first_argument(package, name, kind, subjects):
    function = getattr(package, name)
    accepted = takes(name, function)
    frames = subjects["frames"] if kind is pd.DataFrame else {}
    cubes = kind is xr.Dataset and accepted and CUBE not in accepted
    usual = kind() if cubes else subjects[kind]
    subject = next((frames[kind_name] for kind_name in accepted if kind_name in frames), usual)
    verb = getattr(reach(subject, package), name)
    assert inspect.unwrap(verb.__func__) is inspect.unwrap(function)
    assert verb.__self__ is subject
    expected = list(inspect.signature(function).parameters.values())[1:]
    assert list(inspect.signature(verb).parameters.values()) == expected
    assert verb.__doc__ == function.__doc__


@pytest.mark.parametrize(
    "subject", [3, "x", pd.Series([1])], ids=lambda param: type(param).__name__
)
@pytest.mark.parametrize("home", HOMES)
def test_verbs_refuse_objects_of_the_wrong_type(home, subject, subjects, tmp_path):
    values = {
        "qrels": subjects["frames"][JUDGMENTS],
        "path": tmp_path / "out",
        "directory": tmp_path,
        "dates": {},
    }
    for function, _ in verbs(home).values():
        _, *more = inspect.signature(function).parameters.values()
        needed = [param.name for param in more if param.default is param.empty]
        arguments = {param_name: values.get(param_name, "AP") for param_name in needed}
        with pytest.raises(IrframeError):
            function(subject, **arguments)


def test_every_verb_names_the_accepted_kinds_of_objects():
    """The docstring of the first parameter names the kinds."""
    functions = {name: function for home in HOMES for name, (function, _) in verbs(home).items()}
    kinds_of_content = {RUNS, JUDGMENTS, SCORES, CUBE, SCANNED, NUGGETS}
    strange = {
        name: kinds
        for name, function in functions.items()
        if not (kinds := set(takes(name, function)))
        <= kinds_of_content | functions.keys() | {"compare_judges", "enumerate_rankings"}
    }
    assert strange == {}
    assert {name for name, function in functions.items() if not takes(name, function)} == {
        "cite",
        "styled",
        "groupby",
    }


def test_dir_and_repr_of_the_accessor_list_suitable_verbs(subjects, tmp_path):
    runs, qrels = ir.example_track()
    runs.ireval.write_run(tmp_path / "runs.parquet")
    scanned = ir.scan_runs(tmp_path / "runs.parquet")
    scores = runs.ireval.evaluate(qrels, "AP")
    offered = {
        "runs": (runs, {"evaluate", "cube", "check"}, {"compare", "score", "sample", "styled"}),
        "judgments": (qrels, {"sample", "write_qrels"}, {"evaluate", "compare", "styled"}),
        "scores": (scores, {"compare", "leaderboard", "sheet"}, {"evaluate", "collapse", "score"}),
        "result": (scores.ireval.compare(), {"styled"}, {"compare", "evaluate"}),
        "cube": (subjects[xr.Dataset], {"score", "outcomes"}, {"compare", "archetypes", "styled"}),
        "scanned runs: 1 file": (scanned, {"evaluate", "cube"}, {"score", "sample"}),
    }
    for begins, (subject, included, excluded) in offered.items():
        names = set(dir(subject.ireval))
        assert included <= names
        assert not excluded & names
        text = repr(subject.ireval)
        assert text.startswith(begins)
        assert len(text.splitlines()) == 2 + ("result" in getattr(subject, "attrs", {}))
        nexts = re.findall(r"[ (]\.([a-z_]+)\(", text.splitlines()[-1])
        assert set(nexts) <= names
        assert subject.ireval._repr_html_().count("<code>") == text.count(", .") + 1


@pytest.mark.parametrize("home", HOMES)
def test_errors_about_unsuitable_objects_suggest_a_chain_of_verbs(home, subjects):
    for subject in (*subjects["frames"].values(), subjects[xr.Dataset], subjects[xr.DataArray]):
        methods = subject.ireval if home == HOME else subject.ireval.plot
        for name in verbs(home).keys() - {"score_nuggets", "cite", *offered(subject, home)}:
            with pytest.raises((AttributeError, IrframeError, TypeError)) as caught:
                getattr(methods, name)()
            message = str(caught.value)
            path, _, tail = re.search(" needs .*?: (.*)", message)[1].rpartition(".ireval.")
            assert tail.removeprefix("plot.").startswith(f"{name}("), message
            assert path.partition(".")[0] in {"runs", "qrels", "cube", "ir"}, message


@pytest.mark.parametrize("home", HOMES)
def test_errors_about_missing_arguments_contain_an_example_call(home, subjects):
    for subject in (*subjects["frames"].values(), subjects[xr.Dataset], subjects[xr.DataArray]):
        methods = subject.ireval if home == HOME else subject.ireval.plot
        for name in offered(subject, home):
            _, *params = inspect.signature(verbs(home)[name][0]).parameters.values()
            if any(
                param.default is param.empty and param.kind.name != "VAR_POSITIONAL"
                for param in params
            ):
                with pytest.raises(TypeError, match=rf"as in \.ireval\.(plot\.)?{name}\(.+\)$"):
                    getattr(methods, name)()


@pytest.mark.parametrize("kind", KINDS)
def test_errors_about_misspelled_verbs_suggest_the_verb(kind, subjects):
    verb = next(name for name, (_, kinds) in verbs("irframe.verbs").items() if kind in kinds)
    with pytest.raises(
        AttributeError, match=rf"^{kind.__name__} has no verb '{verb}s'.*\b{verb}\b"
    ):
        getattr(subjects[kind].ireval, f"{verb}s")


def test_chains_of_verbs_that_errors_suggest_run(subjects):
    runs, qrels = ir.example_track()
    scope = {"runs": runs, "qrels": qrels, "cube": subjects[xr.Dataset]}
    unsuitable = [
        ("runs", "compare"),
        ("cube", "leaderboard"),
        ("runs", "archetypes"),
        ("cube", "evaluate"),
    ]
    for root, name in unsuitable:
        with pytest.raises(AttributeError) as caught:
            getattr(scope[root].ireval, name)
        chain = str(caught.value).partition(": ")[2]
        assert eval(chain, scope) is not None  # noqa: S307 - what our own error says


def test_errors_about_unrelated_names_suggest_no_verb(subjects):
    with pytest.raises(AttributeError, match=r"^Dataset has no verb 'zzzz'$"):
        subjects[xr.Dataset].ireval.zzzz  # noqa: B018 - what raises


def test_metrics_are_not_verbs(subjects):
    with pytest.raises(AttributeError, match="no verb 'RBP'"):
        subjects[xr.Dataset].ireval.RBP  # noqa: B018 - what raises


def test_private_names_are_not_verbs():
    assert not hasattr(Verbs(pd.DataFrame()), "_hidden")


@pytest.mark.parametrize("name", sorted({*ir.plots.__all__} - {"paper"}))
def test_errors_of_figures_without_matplotlib_name_the_extra(name, monkeypatch):
    figure = getattr(ir.plots, name)
    loaded = [path for path in sys.modules if path.partition(".")[0] == "matplotlib"]
    for module in ["matplotlib", "matplotlib.pyplot", *loaded]:
        monkeypatch.setitem(sys.modules, module, None)
    refused(InputError, r"matplotlib.*irframe\[plots\]", lambda: figure(None))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "duplicate",
    [lambda subject: pickle.loads(pickle.dumps(subject)), copy.deepcopy],  # noqa: S301 - our own bytes
    ids=["pickle", "deepcopy"],
)
def test_objects_with_an_accessor_can_be_pickled_and_copied(kind, duplicate, subjects):
    assert dir(subjects[kind].ireval)
    restored = duplicate(subjects[kind])
    assert restored.equals(subjects[kind]) if hasattr(restored, "equals") else restored
    assert dir(restored.ireval) == dir(subjects[kind].ireval)


def test_a_frame_without_roles_has_no_accessor():
    frame = pd.DataFrame({"x": [1]})
    assert not hasattr(frame, "ireval")
    with pytest.raises(AttributeError, match="topic: topic, qid"):
        frame.ireval  # noqa: B018 - what raises
