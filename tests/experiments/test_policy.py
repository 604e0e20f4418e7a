"""The choices that decide a cube."""

import pytest

import irframe as ir
from irframe.errors import DepthError, ParameterError
from irframe.experiments.policy import Policy


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"ties": "trek"}, ParameterError, "ties to be one of 'trec', .*; found 'trek'"),
        ({"score_dtype": "float16"}, ParameterError, "score_dtype to be one of"),
        ({"depth": 0}, DepthError, "depth, a whole number of at least 1; found 0"),
        ({"depth": 2.0}, DepthError, "depth, a whole number"),
        (
            {"seed": -1},
            ParameterError,
            "seed, a whole number of at least 0 and .*; found -1",
        ),
        ({"pool_depth": -1}, DepthError, "pool_depth, a whole number of at least 0"),
        (
            {"pool_depth": {"a": 5, "b": 1.5}, "collection": "track"},
            DepthError,
            "pool_depth, a whole number of at least 0; found 1.5",
        ),
        ({"pool_depth": {"a": 5}}, ParameterError, "or collection= to say .* {'a': 5}"),
    ],
)
def test_choices_that_are_none(options, error, words):
    with pytest.raises(error, match=words):
        Policy(**options)
    with pytest.raises(error, match=words):
        ir.cube(*ir.example_track(), **options)


def test_a_cube_says_which_choices_made_it():
    plain = {"ties": "trec", "score_dtype": "float64", "topics": "qrels"}
    assert Policy().attributes == plain
    chosen = Policy(ties="random", seed=0, depth=7, topics=["1"], collection="track")
    assert chosen.attributes == plain | {
        "ties": "random",
        "seed": 0,
        "depth": 7,
        "topics": "listed",
        "collection": "track",
    }
    attrs = ir.cube(*ir.example_track(), ties="random", seed=0, depth=7).attrs
    assert attrs.items() >= {"ties": "random", "seed": 0, "depth": 7}.items()
