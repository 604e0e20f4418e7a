"""Files with a wrong structure and valid checksums are refused."""

import copy
import json
import os
import threading
from pathlib import Path

import pytest

import irframe as ir
from irframe.comparing import freeze
from irframe.errors import IrframeError, StoreError
from irframe.experiments import folder
from irframe.files import write_run

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
RUNS, QRELS = ir.example_track()
VALUES = (None, -1, 0, 7, 1.5, 1e9, True, "x", "1", [], {}, ["a", "a"], {"a": 1}, float("inf"))
GONE = object()


def places(value, path=()):
    """Yield the path of every item in nested values.

    Lists are represented by their first two items.
    """
    yield path
    entries = value.items() if isinstance(value, dict) else ()
    for key, item in [*entries, *(enumerate(value[:2]) if isinstance(value, list) else ())]:
        yield from places(item, (*path, key))


def changed(content, path, value):
    content = copy.deepcopy(content)
    *before, last = path
    inside = content
    for key in before:
        inside = inside[key]
    if value is GONE:
        del inside[last]
    else:
        inside[last] = value
    return content


def mutants(content):
    for path in list(places(content))[1:]:
        for value in (*VALUES, GONE):
            mutant = changed(content, path, value)
            if json.dumps(mutant) != json.dumps(content):
                yield path, value, mutant


WELL_FORMED = {"system", "judgments", "policy", "scores", "columns"}
"""Entries of a baseline file for which some of the values that tests try are valid."""


def test_frozen_baselines_of_a_wrong_shape_are_refused(tmp_path):
    scores, path = RUNS.ireval.evaluate(QRELS, ["AP", "nDCG@10"]), tmp_path / "b.irframe"
    scores.ireval.freeze(path, baseline="bm25")
    content = json.loads(path.read_text())
    del content["checksum"]
    expected = scores.ireval.compare(baseline=path).drop(columns="system_b")
    tried = 0
    for item_path, value, mutant in mutants(content):
        path.write_text(json.dumps({**mutant, "checksum": freeze._checksum(mutant)}))
        tried += 1
        try:
            baseline = freeze.Frozen.read(path)
        except StoreError:
            continue
        fits = isinstance(value, str | int | float) or value in (None, [], ["a", "a"], {}, GONE)
        assert fits, (item_path, value)
        assert item_path[0] in WELL_FORMED or item_path[0] in {"date", "irframe"}, (
            item_path,
            value,
        )
        values = baseline.table.stack().dropna()
        assert values.between(0, 1).all()
        if item_path[0] not in WELL_FORMED:
            comparison = scores.ireval.compare(baseline=path).drop(columns="system_b")
            assert comparison.equals(expected), (item_path, value)
    assert tried > 300
    path.write_text("[" * 100_000)
    with pytest.raises(StoreError, match="deep"):
        freeze.Frozen.read(path)


def test_saved_cubes_of_a_wrong_shape_are_refused(tmp_path):
    cube = ir.cube(RUNS, QRELS).ireval.save(tmp_path / "cube")
    expected, path = cube.ireval.score("AP").compute(), tmp_path / "cube" / folder.FACTS
    content, tried = json.loads(path.read_bytes()), 0
    for item_path, value, mutant in list(mutants(content))[::2]:
        path.write_text(json.dumps(mutant))
        tried += 1
        try:
            scores = ir.open_cube(tmp_path / "cube").ireval.score("AP").compute()
        except StoreError:
            continue
        assert scores.equals(expected), (item_path, value)
    assert tried > 150
    path.write_text('{"files": ' + "[" * 100_000)
    with pytest.raises(StoreError, match="cut or changed"):
        ir.open_cube(tmp_path / "cube")


def test_two_writers_of_different_cubes_do_not_interfere(tmp_path):
    cubes = [ir.cube(RUNS, QRELS), ir.cube(RUNS, QRELS, ties="doc"), ir.cube(RUNS, QRELS, depth=5)]
    for turn in range(3):
        results, barrier = [], threading.Barrier(len(cubes))

        def write(cube, path=tmp_path / f"cube{turn}", results=results, barrier=barrier):
            barrier.wait()
            try:
                cube.ireval.save(path)
                results.append(cube)
            except StoreError as error:
                assert "no other cube" in str(error)  # noqa: PT017 - in a thread

        threads = [threading.Thread(target=write, args=(cube,)) for cube in cubes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (winner,) = results
        assert ir.open_cube(tmp_path / f"cube{turn}").compute().equals(winner)
    assert len(list(tmp_path.iterdir())) == 3


def test_reading_a_replaced_store_raises(tmp_path):
    cube = ir.cube(RUNS, QRELS).ireval.save(tmp_path / "cube")
    replacement = ir.cube(RUNS, QRELS, ties="doc").ireval.save(tmp_path / "other")
    (tmp_path / "cube").rename(tmp_path / "old")
    replacement.ireval.save(tmp_path / "cube")
    with pytest.raises(StoreError, match="Open it again"):
        cube.ireval.score("AP").compute()


def test_judgments_that_evaluate_refuses_are_refused_by_check():
    twice = QRELS.iloc[[0, 0, 1]].assign(grade=[0, 1, 1])
    messages = []
    for verb in (lambda: RUNS.ireval.evaluate(twice, "AP"), lambda: RUNS.ireval.check(twice)):
        with pytest.raises(IrframeError) as raised:
            verb()
        messages.append(str(raised.value))
    assert messages[0] == messages[1]


def test_writers_remove_only_temporary_files_of_killed_writers(tmp_path):
    target = tmp_path / "out.txt"
    remains, written, strange = (
        write_run.temporary_path(tmp_path / n) for n in ("out.txt",) * 2 + ("b",)
    )
    folder = write_run.temporary_path(target)
    for path in (remains, written, strange, folder / "x"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("half")
    for path in (remains, written, strange, folder):
        os.utime(path, (0, 0))
    with write_run.locked(written) as alone:
        assert alone
        write_run.write_file(target, "whole")
    assert {*map(Path, tmp_path.iterdir())} == {target, written, strange}
