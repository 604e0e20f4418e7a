"""The gate: what comes back as it was built, and the words with which the rest is refused."""

import numpy as np
import pytest
import xarray as xr

import irframe as ir
from irframe.cubes.gate import read_cube, unknown_tail
from irframe.cubes.layout import FACTS, PARTS
from irframe.cubes.recall_base import gather
from irframe.errors import DepthError, IdError, InputError
from irframe.names import EMPTY


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


SAME = {
    "as it is": lambda c: c,
    "transposed": lambda c: c.transpose("depth", "topic", "system", ...),
    "numbers of another type": lambda c: c.astype(float).assign_coords(
        {name: c[name].astype(float) for name in ("retrieved", "top", "contributing", "took_part")}
    ),
    "depths reversed": lambda c: c.isel(depth=slice(None, None, -1)),
    "masked by nothing": lambda c: c.where(c.topic != "none"),
    "reindexed and back": lambda c: c.reindex(topic=c.topic.values[::-1]).reindex(topic=c.topic),
}


@pytest.mark.parametrize("change", SAME)
def test_a_cube_comes_back_as_it_was_built(cube, change):
    found = read_cube(SAME[change](cube))
    xr.testing.assert_identical(found, cube)
    for name, part in PARTS.items():
        assert found[name].dims == part.dims
        assert part.dtype is object or found[name].dtype == part.dtype


def test_a_cube_in_order_is_passed_on(cube):
    assert read_cube(cube) is cube


def test_one_label_is_a_dimension_of_one(cube):
    for label in ({"system": "ance"}, {"topic": "104"}):
        expected = cube.sel({dim: [name] for dim, name in label.items()})
        xr.testing.assert_identical(read_cube(cube.sel(label)), gather(expected))
    both = read_cube(cube.sel(system="ance", topic="104"))
    assert both.sizes["system"] == both.sizes["topic"] == 1


@pytest.mark.parametrize("chunks", [None, {"system": 2}])
def test_masked_lists_did_not_take_part(cube, chunks):
    inside = (cube["topic"] != "103") | (cube["system"] != "ance")
    found = read_cube((cube.chunk(chunks) if chunks else cube).where(inside)).compute()
    expected = inside.transpose("system", "topic").to_numpy()
    np.testing.assert_array_equal(found["took_part"], expected)
    gone = found.sel(system="ance", topic="103")
    assert not gone["took_part"]
    assert (gone["grade"] == EMPTY).all()
    assert (gone["doc"] == -1).all()
    assert not gone["tied"].any()


@pytest.mark.parametrize("chunks", [None, {"system": 2}])
def test_lists_masked_in_part_are_refused(cube, chunks):
    masked = cube.where((cube["depth"] != 4) | ~cube["topic"].isin(["102", "105"]))
    if chunks:
        with pytest.raises(InputError, match="masked as a whole or not at all"):
            read_cube(masked.chunk(chunks)).compute()
        return
    with pytest.raises(InputError, match="masked as a whole or not at all"):
        read_cube(masked.assign(grade=masked["grade"].chunk())).compute()
    with pytest.raises(InputError, match="16 masked in part: bm25 on 102, bm25 on 105.*at=") as e:
        read_cube(masked)
    assert len(e.value.offenders) == 16


def test_one_variable_masked_is_masked_in_part(cube):
    doc = cube["doc"].where(cube["topic"] != "101")
    with pytest.raises(InputError, match="8 masked in part: bm25 on 101"):
        read_cube(cube.assign(doc=doc))


@pytest.mark.parametrize(
    ("depths", "words"),
    [
        ([5, 10], r"depths \[5, 10\]\. .*at=\[5, 10\]"),
        (list(range(11, 51)), r"depths \[11, 12, 13, 14, 15\] and more"),
        (3, r"depths \[3\]\. .*at=\[3\]"),
    ],
)
def test_some_depths_are_to_be_asked_for_with_at(cube, depths, words):
    with pytest.raises(DepthError, match=words):
        read_cube(cube.sel(depth=depths))


def test_without_depths(cube):
    with pytest.raises(DepthError, match="labels for every depth; found none"):
        read_cube(cube.drop_vars("depth"))


def test_what_is_no_cube(cube):
    for other in (None, cube["grade"], xr.Dataset({"x": 1})):
        with pytest.raises(InputError, match=f"irframe.cube; found {type(other).__name__}"):
            read_cube(other)


def test_lost_parts_are_named(cube):
    with pytest.raises(InputError, match="no variable: doc, top. Keep all of it"):
        read_cube(cube.drop_vars(["top", "doc"]))
    with pytest.raises(InputError, match="lost its attributes"):
        read_cube(cube.drop_attrs())
    for dim in ("system", "topic"):
        with pytest.raises(InputError, match=f"labels for every {dim}; found none"):
            read_cube(cube.drop_vars(dim))
    with pytest.raises(InputError, match="top over topic; found without: topic"):
        read_cube(cube.assign_coords(top=3))


def test_cubes_put_together_by_hand(cube):
    with pytest.raises(InputError, match="grade, .* and 14 more. Put cubes .* with irframe.concat"):
        read_cube(xr.concat([cube, cube], dim="track", coords="all", compat="equals"))
    for dim in ("system", "topic"):
        label = cube[dim].values[0]
        with pytest.raises(IdError, match=f"every {dim} once in a cube; found 1 again: {label}"):
            read_cube(cube.isel({dim: [0, 1, 0]}))


def test_unknown_labels_are_named(cube):
    topics = [*cube["topic"].values, "x", "y"]
    with pytest.raises(InputError, match="every topic; found nothing known of: x, y"):
        read_cube(cube.reindex(topic=topics))
    with pytest.raises(InputError, match="every system; found nothing known of: nobody"):
        read_cube(cube.reindex(system=["bm25", "nobody"]))
    retrieved = cube["retrieved"].where((cube["system"] != "ance") | (cube["topic"] != "101"))
    with pytest.raises(InputError, match="every system; found nothing known of: ance"):
        read_cube(cube.assign_coords(retrieved=retrieved.variable))


def test_unknown_labels_of_a_lazy_cube_are_named(cube):
    lazy = cube.chunk(system=2, topic=5)
    with pytest.raises(InputError, match="every topic; found nothing known of: x"):
        read_cube(lazy.reindex(topic=[*cube["topic"].values, "x"]))
    with pytest.raises(InputError, match="every system; found nothing known of: nobody"):
        read_cube(lazy.reindex(system=["bm25", "nobody"]))


def test_of_a_lazy_cube_only_facts_of_systems_and_of_topics_are_read(cube):
    lazy = cube.chunk(system=2, topic=5)

    def fail(_):
        raise AssertionError("read too early")

    facts = [name for name in FACTS if name != "judged_doc"]
    reals = {name: lazy[name].astype(float) for name in facts}
    unread = {
        name: real.copy(data=real.data.map_blocks(fail, dtype=float))
        for name, real in reals.items()
        if real.ndim > 1
    }
    found = read_cube(lazy.assign_coords(reals | unread))
    assert all(found[name].dtype == FACTS[name].dtype for name in facts)
    with pytest.raises(AssertionError, match="read too early"):
        found.compute()


class TestTail:
    @pytest.fixture
    def tied(self):
        runs, qrels = ir.example_track()
        return runs.assign(score=runs["score"].round()), qrels

    def test_a_cube_cut_when_built_keeps_what_is_tied_below(self, tied):
        built = ir.cube(*tied, depth=20)
        assert (built["tail_size"] > 0).any()
        xr.testing.assert_identical(read_cube(built), built)

    def test_one_cut_later_no_longer_knows(self, tied):
        whole = ir.cube(*tied)
        found = read_cube(whole.isel(depth=slice(20)))
        assert (found["tail_size"] == -1).all()
        assert not found["tail"].any()
        assert (
            ir.cube(*tied, depth=20).isel(depth=slice(5)).pipe(read_cube)["tail_size"] < 0
        ).all()

    def test_lists_that_end_above_the_cut_have_none(self):
        runs, qrels = ir.example_track()
        short = runs[(runs["rank"] <= 3) | (runs["system"] == "ance")]
        tail = unknown_tail(ir.cube(short, qrels).isel(depth=slice(10)))["tail_size"]
        systems = ir.cube(short, qrels)["system"].to_numpy()
        assert (tail.to_numpy() == np.where(systems == "ance", -1, 0)[:, np.newaxis]).all()
