"""Runs sorted into blocks of topics, and the lazy cube made of them."""

import json
import shutil
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from damage import DAMAGES, files_in, kill_at
from hypothesis import given
from hypothesis import strategies as st
from incomplete import incomplete
from laws.experiments import experiment
from planned import only_planned

import irframe as ir
from irframe.cubes.stored import sorted_rows
from irframe.cubes.stored.folder import Folder
from irframe.errors import (
    FileFormatError,
    IdError,
    InputError,
    IrframeWarning,
    ParameterError,
    RankingError,
    StoreError,
)
from irframe.experiments import coded_tables


def file_runs(runs, folder, files=3):
    """Write runs into some Parquet files, whole systems each."""
    folder.mkdir()
    for number, names in enumerate(np.array_split(runs["system"].unique(), files)):
        part = runs[runs["system"].isin(names)]
        part = part.drop(columns=["team", "track"], errors="ignore")
        if len(part):
            part.assign(rank=np.arange(len(part))).to_parquet(folder / f"{number}.parquet")


def quietly(make, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        return make(*arguments, **options)


@pytest.fixture
def folder(tmp_path):
    file_runs(ir.example_track()[0], tmp_path / "runs")
    return tmp_path / "runs"


@pytest.fixture
def qrels():
    return ir.example_track()[1]


def built(*arguments, **options):
    return ir.cube(*arguments, **options)


def store(folder, qrels, name="store", **options):
    return ir.scan_runs(folder).ireval.store(folder.parent / name, qrels, **options)


POLICIES = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["trec", "doc", "order", "rank", "random", "mean"]),
        "depth": st.sampled_from([None, 1, 3, 5, 99]),
        "score_dtype": st.sampled_from(["float64", "float32"]),
        "collection": st.sampled_from([None, "track"]),
        "contributing": st.sampled_from([None, ["s0"], ["s1", "s3"], "contributing"]),
        "pool_depth": st.sampled_from([None, 0, 2]),
        "topics": st.sampled_from(["qrels", "runs", "common", ["w2", "n1", "n4"], ["n3"]]),
        "seed": st.just(7),
    }
)


@given(st.integers(0, 99), POLICIES, st.integers(1, 9), st.integers(1, 4), st.booleans())
def test_the_cube_is_that_of_memory(tmp_path_factory, seed, policy, topics, files, shuffled):
    runs, qrels = experiment(seed, ties=True)
    runs = runs.sample(frac=1, random_state=seed) if shuffled else runs
    if policy["collection"] is None:
        qrels = qrels.drop(columns="track")
    folder = tmp_path_factory.mktemp("runs") / "runs"
    file_runs(runs, folder, files)
    made = store(folder, qrels, topics=topics)
    found = quietly(made.cube, **policy)
    assert found["grade"].chunks
    expected = quietly(built, ir.read_runs(folder), qrels, **policy)
    xr.testing.assert_identical(found.compute(), expected)


def test_blocks_and_topics_without_a_row(folder, qrels):
    more = pd.concat([pd.DataFrame({"topic": ["0"], "doc": ["x"], "grade": [1]}), qrels])
    more = pd.concat([more, pd.DataFrame({"topic": ["999"], "doc": ["y"], "grade": [0]})])
    told = "no system has a list for 2 of 18 judged topics: 0, 999; topics='runs'"
    made = store(folder, more, topics=1)
    with pytest.warns(IrframeWarning, match=told):
        found = made.cube()
    with pytest.warns(IrframeWarning, match=told):
        expected = built(ir.read_runs(folder), more)
    xr.testing.assert_identical(found.compute(), expected)


@pytest.mark.thorough
@pytest.mark.parametrize("rows", [7, 1 << 20])
def test_pieces_and_chunks_do_not_show(folder, qrels, monkeypatch, rows):
    monkeypatch.setattr(coded_tables, "ROWS", rows)
    monkeypatch.setattr("irframe.files.run_files.ROWS", 100)
    monkeypatch.setattr(sorted_rows, "PIECE", rows)
    monkeypatch.setattr(sorted_rows, "STRETCH", 1 + rows // 3)
    found = store(folder, qrels, topics=5).cube()
    assert found["grade"].chunks[1] == (5, 5, 5, 1)
    xr.testing.assert_identical(found.compute(), built(ir.read_runs(folder), qrels))


@pytest.mark.thorough
@pytest.mark.parametrize("suffix", ["txt", "gz", "bz2", "xz", "zst"])
def test_files_of_text_are_read_piece_by_piece(tmp_path, qrels, monkeypatch, suffix):
    runs = ir.example_track()[0]
    (tmp_path / "runs").mkdir()
    for system, part in runs.groupby("system"):
        ir.verbs.write_run(part, tmp_path / "runs" / f"{system}.{suffix}")
    monkeypatch.setattr("irframe.files.run_files.PIECE", 1000)
    found = store(tmp_path / "runs", qrels, topics=4).cube().compute()
    xr.testing.assert_identical(found, built(ir.read_runs(tmp_path / "runs"), qrels))


def test_nothing_is_read_before_it_is_wanted(folder, qrels):
    made = store(folder, qrels, topics=5)
    cube = made.cube()
    with only_planned():
        part = cube.isel(system=slice(3)).sel(topic=["116", "101"])
        scores = part.ireval.score("AP(norm='pool')", "nDCG")
        with pytest.raises(AssertionError, match="while it was planned"):
            scores.compute()


def test_a_store_that_is_there_is_not_made_again(folder, qrels, monkeypatch):
    made = store(folder, qrels, topics=5)
    monkeypatch.setattr("irframe.cubes.stored.store.sort_runs", None)
    monkeypatch.setattr("irframe.cubes.stored.contents.sort_block", None)
    assert store(folder, qrels, topics=5) == made
    assert repr(made).endswith("of 8 systems and 16 topics")
    for other in ({"topics": 6}, {"qrels": qrels.iloc[1:]}):
        with pytest.raises(StoreError, match="a store of these runs; found one made of other"):
            store(folder, **{"qrels": qrels, "topics": 5} | other)
    (folder / "0.parquet").touch()
    with pytest.raises(StoreError, match="made of other files"):
        store(folder, qrels, topics=5)


def test_other_things_are_left_alone(folder, qrels, tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "thesis.tex").write_text("dear to me")
    with pytest.raises(StoreError, match="an empty folder, or a store; found other things"):
        store(folder, qrels)
    assert (tmp_path / "store" / "thesis.tex").read_text() == "dear to me"


@pytest.mark.thorough
@pytest.mark.parametrize("after", [False, True])
def test_work_that_was_cut_short_anywhere_goes_on(folder, qrels, monkeypatch, after):
    """Whichever file was being written, the same call makes the same store."""
    expected = built(ir.read_runs(folder), qrels)
    for at in range(99):
        with monkeypatch.context() as context:
            killed = kill_at(context, at, after=after)
            try:
                store(folder, qrels, str(at), topics=9)
            except KeyboardInterrupt:
                assert killed
        whole = after and len(list((folder.parent / str(at)).rglob("rows/*"))) == 2
        if killed and not whole:
            with pytest.raises(StoreError, match="a store of runs that is whole"):
                ir.Store(str(folder.parent / str(at))).cube()
            assert repr(ir.Store(str(folder.parent / str(at)))).endswith("which is not whole")
        made = store(folder, qrels, str(at), topics=9)
        xr.testing.assert_identical(made.cube().compute(), expected)
        if not killed:
            break
    assert at > 10


def test_a_full_disk_leaves_no_store(folder, qrels, monkeypatch):
    def full(self, place, content):
        if "/rows/000001" in place:
            raise OSError(28, "No space left on device")
        return put(self, place, content)

    put = type(Folder("", "").files).pipe_file
    with monkeypatch.context() as context:
        context.setattr(type(Folder("", "").files), "pipe_file", full)
        with pytest.raises(StoreError, match="rows/000001.*failing.*No space left"):
            store(folder, qrels, topics=5)
    with pytest.raises(StoreError, match="that is whole"):
        ir.Store(str(folder.parent / "store")).cube()
    assert store(folder, qrels, topics=5).cube().sizes["topic"] == 16


@pytest.mark.law
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named_and_mended(folder, qrels, damage):
    """Whatever happens to whichever file: an error that names it, and the cure helps."""
    made = store(folder, qrels, topics=9)
    expected = made.cube().compute()
    files = files_in(folder.parent / "store")
    assert len(files) == 10
    for file in files:
        content = file.read_bytes()
        damage(file)
        missing = file.name == "store.json" and not file.exists()
        with pytest.raises(StoreError, match="found none at" if missing else file.name):
            made.cube().compute()
        if file.suffix == ".json" or "rows" in file.parts:
            made = store(folder, qrels, topics=9)
            xr.testing.assert_identical(made.cube().compute(), expected)
        file.write_bytes(content)


def test_blocks_that_were_exchanged_are_named(folder, qrels):
    made = store(folder, qrels, topics=9)
    for kind in ("rows", "lists", "hits", "qrels"):
        first, second = sorted((folder.parent / "store" / kind).iterdir())
        contents = first.read_bytes(), second.read_bytes()
        first.write_bytes(contents[1])
        second.write_bytes(contents[0])
        with pytest.raises(StoreError, match=f"{kind}/00000.* changed since it was written"):
            made.cube().compute()
        first.write_bytes(contents[0])
        second.write_bytes(contents[1])


def test_one_writes_at_a_time(folder, qrels):
    made = store(folder, qrels)
    held = Folder(str(folder.parent / "store"), "")
    with held.locked("store.lock"):
        for write in (lambda: store(folder, qrels), lambda: made.append(ir.scan_runs(folder))):
            with pytest.raises(StoreError, match="no other writer; found another one at"):
                write()
    assert store(folder, qrels) == made
    assert not (folder.parent / "store" / "store.lock").exists()


def test_blocks_are_sized_by_bytes(folder, qrels, monkeypatch):
    rows = pd.concat([pd.read_parquet(file) for file in folder.iterdir()]).groupby("topic").size()
    monkeypatch.setattr("irframe.cubes.stored.contents.BYTES", 3 * rows.max() * 200)
    chunks = store(folder, qrels).cube()["grade"].chunks[1]
    assert sum(chunks) == 16
    assert max(chunks) in {2, 3, 4}
    more = pd.DataFrame({"topic": [f"n{each}" for each in range(99)], "doc": "x", "grade": 1})
    with pytest.warns(match="no system has a list for 99 of 115"):
        chunks = store(folder, pd.concat([qrels, more]), "other").cube()["grade"].chunks[1]
    assert max(chunks) * 8 * 50 * 6 <= 3 * rows.max() * 200  # cells without rows take room, too


def test_files_that_changed_since_are_told(folder, qrels):
    made = store(folder, qrels)
    (folder / "0.parquet").touch()
    (folder / "1.parquet").unlink()
    with pytest.warns(IrframeWarning, match="2 files that this store was made from are gone"):
        made.cube()


def test_no_topic_in_common(folder, qrels):
    made = store(folder, qrels.assign(topic="q" + qrels["topic"]))
    with pytest.raises(IdError, match="topics that occur in runs and qrels"):
        made.cube()


def test_damaged_inputs_are_mended_and_the_work_begins_anew(folder, qrels):
    expected = built(ir.read_runs(folder), qrels)
    content = (folder / "2.parquet").read_bytes()
    (folder / "2.parquet").write_bytes(content[:-50])
    with pytest.raises(FileFormatError, match="2.parquet damaged"):
        store(folder, qrels, topics=5)
    (folder / "2.parquet").write_bytes(content)
    xr.testing.assert_identical(store(folder, qrels, topics=5).cube().compute(), expected)


def parted(runs, qrels, days, tmp_path):
    """Write runs of some topics each, and return what is scanned and judged on each day."""
    for day, topics in enumerate(days):
        (tmp_path / str(day)).mkdir()
        part = runs[runs["topic"].isin(topics)]
        for system, rows in part.groupby("system", sort=False):
            ir.verbs.write_run(rows, tmp_path / str(day) / f"{system}.txt")
    return [
        (ir.scan_runs(tmp_path / str(day)), qrels[qrels["topic"].isin(topics)])
        for day, topics in enumerate(days)
    ]


def put_together(*folders):
    return pd.concat([ir.read_runs(folder) for folder in folders], ignore_index=True)


@pytest.mark.parametrize("topics", [None, 3])
def test_topics_are_appended(qrels, tmp_path, topics):
    runs = ir.example_track()[0]
    ids = qrels["topic"].unique()
    days = parted(runs, qrels, np.split(ids, [7, 8]), tmp_path)
    made = days[0][0].ireval.store(tmp_path / "store", days[0][1], topics=topics)
    for scanned, judged in days[1:]:
        assert made.append(scanned, judged) == made
    expected = built(put_together(*map(tmp_path.joinpath, "012")), qrels)
    xr.testing.assert_identical(made.cube().compute(), expected)
    with pytest.raises(IdError, match="lists that the store does not have; .*: ance on 1"):
        made.append(ir.scan_runs(copied(tmp_path / "2", tmp_path / "copy")))
    xr.testing.assert_identical(made.append(days[1][0]).cube().compute(), expected)


def copied(folder, target):
    shutil.copytree(folder, target)
    return target


@pytest.mark.thorough
def test_systems_and_judgments_are_appended_whatever_comes_between(
    folder, qrels, tmp_path, monkeypatch
):
    """An append that ends anywhere leaves the store as it was, and is done by the next one."""
    files = sorted(folder.iterdir())
    fewer = qrels.drop(index=qrels.index[::7])
    before = built(ir.read_runs(files[:2]), fewer)
    judged = pd.concat([fewer, qrels.iloc[::7]])
    after = built(ir.read_runs(files), judged)
    made = ir.scan_runs(files[:2]).ireval.store(tmp_path / "begun", fewer, topics=9)
    for at in range(99):
        here = ir.Store(str(copied(tmp_path / "begun", tmp_path / str(at))))
        with monkeypatch.context() as context:
            killed = kill_at(context, at, after=bool(at % 2))
            try:
                here.append(ir.scan_runs(files), qrels)
            except KeyboardInterrupt:
                assert killed
        if killed and here.cube().sizes["system"] == before.sizes["system"]:
            xr.testing.assert_identical(here.cube().compute(), before)
        here.append(ir.scan_runs(files), qrels)
        xr.testing.assert_identical(here.cube().compute(), after)
        if not killed:
            break
    assert at > 8
    assert len(files_in(tmp_path / str(at))) == len(files_in(tmp_path / "begun")) == 10
    assert made.cube().compute().identical(before)


def test_systems_of_mended_files_are_replaced(folder, qrels, tmp_path):
    made = store(folder, qrels, topics=5)
    run = pd.read_parquet(folder / "1.parquet")
    mended = run[run["topic"] != "104"].assign(score=-run["score"])
    before = made.cube()
    mended.to_parquet(folder / "1.parquet")
    made.append(ir.scan_runs(folder))
    found = quietly(made.cube).compute()
    with pytest.raises(
        StoreError, match=r"before runs were added .* Take it again: store.cube\(\)"
    ):
        before.compute()
    xr.testing.assert_identical(found, quietly(built, ir.read_runs(folder), qrels))
    mended[mended["system"] != mended["system"].iloc[0]].to_parquet(folder / "1.parquet")
    with pytest.raises(
        StoreError, match="the systems of files that have changed; found .* without"
    ):
        made.append(ir.scan_runs(folder))
    more = mended[mended["topic"] == "105"].assign(topic="999")
    more.to_parquet(tmp_path / "more.parquet")
    made.append(ir.scan_runs(tmp_path / "more.parquet"), qrels.tail(1).assign(topic="999"))
    with pytest.raises(StoreError, match="all files of systems of which one has changed.*more.par"):
        made.append(ir.scan_runs(folder))


def test_what_cannot_be_appended(folder, qrels, tmp_path):
    made = store(folder, qrels[qrels["topic"] != "103"], topics=5)
    with pytest.raises(StoreError, match="found 1 that runs in the store had .*: 103"):
        made.append(ir.scan_runs(folder), qrels)
    with pytest.raises(InputError, match="columns of those in the store; .*: iteration"):
        made.append(ir.scan_runs(folder), qrels.assign(iteration=0))
    run = pd.read_parquet(folder / "1.parquet").assign(system="new", contributing=True)
    run.drop(columns="score").to_parquet(tmp_path / "new.parquet")
    with pytest.raises(FileFormatError, match="files with rank and score; found rank"):
        made.append(ir.scan_runs(tmp_path / "new.parquet"))
    with pytest.raises(StoreError, match="found none at"):
        ir.Store(str(tmp_path / "none")).append(ir.scan_runs(folder))


def test_files_that_cannot_be_read_are_skipped_and_appended_when_mended(folder, qrels, tmp_path):
    whole = built(ir.read_runs(folder), qrels)
    content = (folder / "2.parquet").read_bytes()
    (folder / "2.parquet").write_bytes(content[:-50])
    again = pd.read_parquet(folder / "0.parquet")
    again.to_parquet(folder / "9.parquet")
    scanned = ir.scan_runs(folder, on_error="skip")
    with pytest.warns(IrframeWarning, match="2 files of runs are left out: .*2.parquet.*9.parquet"):
        made = scanned.ireval.store(tmp_path / "store", qrels)
    assert made.problems["file"].str[-9:].tolist() == ["2.parquet", *["9.parquet"] * 3]
    (folder / "2.parquet").write_bytes(content)
    (folder / "9.parquet").unlink()
    made.append(ir.scan_runs(folder, on_error="skip"))
    assert made.problems.empty
    xr.testing.assert_identical(made.cube().compute(), whole)


LAZY = {
    "score": ("AP", "nDCG(ideal='pool')", "Bpref"),
    "bounds": ("AP", "RBP(p=0.8)"),
    "tie_ranges": ("AP",),
    "tie_rates": (),
    "condense": (),
    "pooled": (4,),
    "sample": (0.4,),
    "misplacement": (),
}
"""Verbs that return arrays, and read nothing until these are wanted."""
READING = {
    "outcomes": {"relevant": "first", "baseline": "ance"},
    "search_lengths": {},
    "pool_growth": {},
    "orderings": {"a": "ance", "b": "bm25"},
    "leave_out": {"at": 5},
}
"""Verbs that read rankings when they are called."""


@pytest.mark.thorough
@pytest.mark.parametrize("ties", ["trec", "order"])
@pytest.mark.parametrize("verb", LAZY)
def test_verbs_that_plan(folder, qrels, verb, ties):
    cube = store(folder, qrels, topics=5).cube(ties=ties)
    with only_planned():
        planned = quietly(getattr(cube.ireval, verb), *LAZY[verb])
    expected = quietly(
        getattr(built(ir.read_runs(folder), qrels, ties=ties).ireval, verb), *LAZY[verb]
    )
    xr.testing.assert_identical(planned.compute(), expected)


@pytest.mark.parametrize("verb", READING)
def test_verbs_that_read(folder, qrels, verb):
    cubes = store(folder, qrels, topics=5).cube(), built(ir.read_runs(folder), qrels)
    arguments = ("AP",) if verb == "leave_out" else ()
    found, expected = (getattr(each.ireval, verb)(*arguments, **READING[verb]) for each in cubes)
    if verb == "outcomes":
        pd.testing.assert_frame_equal(found.queries, expected.queries, check_dtype=False)
        found, expected = found.summary, expected.summary
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    else:
        xr.testing.assert_allclose(found, expected, rtol=1e-12)


def test_large_cubes_are_not_loaded(folder, qrels, monkeypatch):
    made = store(folder, qrels, topics=5)
    deep, small = made.cube(depth=9_000_000), made.cube()
    for verb, arguments in {
        "leave_out": ("AP",),
        "robustness": ("AP",),
        "separability": (),
    }.items():
        with (
            only_planned(),
            pytest.raises(InputError, match=f"for {verb}; found a lazy one of .* GiB"),
        ):
            getattr(deep.ireval, verb)(*arguments)
    monkeypatch.setattr("irframe.cubes.requirements.LOADED", 1000)
    with only_planned(), pytest.raises(InputError, match="Name two systems"):
        small.ireval.orderings("ance", "bm25")


@incomplete
def test_what_makes_no_cube_is_named_with_its_block(tmp_path):
    runs, qrels = experiment(1)
    again = pd.concat([runs, runs[(runs["topic"] == "w1") & (runs["system"] == "s2")].head(1)])
    file_runs(again, tmp_path / "again")
    with pytest.raises(IdError, match=r"listed again \(in block 2\): s2 w1"):
        store(tmp_path / "again", qrels.drop(columns="track"), "one", topics=2)
    missing = runs.assign(score=runs["score"].where(runs["topic"] != "n1"))
    (tmp_path / "missing").mkdir()
    missing.drop(columns=["team", "track"]).assign(rank=1).to_parquet(
        tmp_path / "missing" / "a.parquet"
    )
    with pytest.raises(ir.errors.InputError, match="no missing values in column 'score'"):
        store(tmp_path / "missing", qrels, "two")
    equal = tmp_path / "equal"
    equal.mkdir()
    runs.drop(columns=["team", "track"]).assign(rank=1).to_parquet(equal / "a.parquet")
    cube = store(equal, qrels.drop(columns="track"), "three").cube(ties="rank")
    with pytest.raises(RankingError, match=r"distinct ranks.*\(in block 0\)"):
        cube.compute()


def test_a_system_in_two_files_is_refused(folder, qrels):
    first = pd.read_parquet(folder / "0.parquet")
    first.head(5).to_parquet(folder / "9.parquet")
    with pytest.raises(IdError, match="each system in one file"):
        store(folder, qrels)


def test_columns_that_are_left_out_are_told(tmp_path, qrels):
    (tmp_path / "runs").mkdir()
    runs = ir.example_track()[0]
    runs.to_parquet(tmp_path / "runs" / "a.parquet")
    with pytest.warns(IrframeWarning, match="columns of the runs are left out: team"):
        store(tmp_path / "runs", qrels)


def test_a_system_contributes_or_does_not(tmp_path, qrels):
    (tmp_path / "runs").mkdir()
    runs = ir.example_track()[0].drop(columns="team")
    runs.loc[3, "contributing"] = ~runs.loc[3, "contributing"]
    runs.to_parquet(tmp_path / "runs" / "a.parquet")
    with pytest.raises(ParameterError, match="one value of 'contributing' per system"):
        store(tmp_path / "runs", qrels)


def test_addresses(folder, qrels):
    pytest.importorskip("fsspec", reason="addresses need fsspec")
    made = ir.scan_runs(folder).ireval.store("memory://stores/one", qrels, topics=5)
    assert made.path == "memory://stores/one"
    xr.testing.assert_identical(made.cube().compute(), built(ir.read_runs(folder), qrels))


def test_progress_is_shown_when_asked_for(folder, qrels, capsys):
    store(folder, qrels, topics=5)
    assert not capsys.readouterr().out
    store(folder, qrels, "other", topics=5, progress=True)
    assert "Completed" in capsys.readouterr().out


def test_what_a_store_says_of_itself(folder, qrels):
    store(folder, qrels, topics=5)
    told = json.loads((folder.parent / "store" / "store.json").read_text())
    assert told["judged"] == 16
    assert told["made"]["irframe"] == ir.__version__
    assert not (folder.parent / "store" / "raw").exists()
