"""Tests of ambiguous columns, ids and texts in tables."""

import pandas as pd
import pyarrow as pa
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import IdError, InputError, IrframeError, MetricError

QRELS = {"1": {"a": 1}, "2": {"a": 1}}
ROWS = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "b", 2.0), ("2", "a", 1.0)]
RUN = pd.DataFrame(ROWS, columns=["qid", "docno", "score"])


def _arrow(frame):
    arrays = [pa.array(frame.iloc[:, n].tolist()) for n in range(frame.shape[1])]
    return pa.Table.from_arrays(arrays, names=[*frame.columns])


def _file(frame, ending, tmp_path):
    path = tmp_path / f"run{ending}"
    if ending == ".parquet":
        pa.parquet.write_table(_arrow(frame), path)
    elif ending == ".jsonl":
        rows = zip(*(frame.iloc[:, n].tolist() for n in range(frame.shape[1])), strict=True)
        pairs = ([f'"{n}": {v!r}' for n, v in zip(frame.columns, row, strict=True)] for row in rows)
        path.write_text("".join(f"{{{', '.join(row)}}}\n".replace("'", '"') for row in pairs))
    else:
        frame.to_csv(path, index=False, sep="," if ending == ".csv" else "\t")
    return ir.read_run(path)


def _duckdb(frame):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.from_arrow(_arrow(frame))


TABLES = {
    "frame": lambda frame, _: frame,
    "levels": lambda frame, _: frame.set_index("qid"),
    "Arrow": lambda frame, _: _arrow(frame),
    "DuckDB": lambda frame, _: _duckdb(frame),
    "dictionary of columns": lambda frame, _: frame.to_dict("list"),
    "rows": lambda frame, _: frame.to_dict("records"),
    "CSV": lambda frame, folder: _file(frame, ".csv", folder),
    "TSV": lambda frame, folder: _file(frame, ".tsv", folder),
    "JSON lines": lambda frame, folder: _file(frame, ".jsonl", folder),
    "Parquet": lambda frame, folder: _file(frame, ".parquet", folder),
}
KEYED = {"dictionary of columns", "rows"}
"""Kinds of tables in which two columns cannot have the same name."""


@pytest.mark.parametrize("table", TABLES)
def test_two_columns_that_may_name_systems_are_refused(table, tmp_path):
    both = pd.concat([RUN, RUN.assign(docno=RUN["docno"] + "z")])
    mixed = both.assign(run=["1"] * 8, model=["x"] * 4 + ["y"] * 4)

    def scored(frame):
        return ir.evaluate(TABLES[table](frame, tmp_path), QRELS, "RR")

    message = "one column for system, but found columns 'run' and 'model' with different values"
    refused(InputError, message, scored, mixed)
    renamed = scored(mixed.drop(columns="run"))
    assert scored(mixed.rename(columns={"model": "system"}))["RR"].equals(renamed["RR"])
    of_one_model = both.assign(run=["x"] * 4 + ["y"] * 4, model="m")
    assert scored(of_one_model)["RR"].tolist() == renamed["RR"].tolist() == [1.0, 0.5, 0.0, 0.0]


@pytest.mark.parametrize("table", TABLES.keys() - KEYED)
@pytest.mark.parametrize("name", ["qid", "docno", "score"])
def test_a_repeated_column_is_refused(table, name, tmp_path):
    twice = pd.concat([RUN, RUN[[name]].iloc[::-1].reset_index(drop=True)], axis=1)
    with pytest.raises(IrframeError):
        ir.evaluate(TABLES[table](twice, tmp_path), QRELS, "RR")
    plain = pd.concat([RUN.assign(x=1), RUN[["docno"]].set_axis(["x"], axis=1)], axis=1)
    if table not in {"levels", "CSV", "TSV", "JSON lines"}:
        assert ir.evaluate(TABLES[table](plain, tmp_path), QRELS, "RR")["RR"].tolist() == [1.0, 0.5]


TEXTS = RUN.assign(qid="44", docno=list("abcd"), query=["who", "who", "when", "when"])


@pytest.mark.parametrize("table", TABLES)
def test_a_topic_with_two_texts_is_refused(table, tmp_path):
    message = r"several query texts in 'query'.*: '44' \('who', 'when'\).*drop\(columns='query'\)"
    qrels = {"44": {"a": 1}}
    with pytest.raises(InputError, match=message):
        ir.evaluate(TABLES[table](TEXTS, tmp_path), qrels, "RR")
    assert len(ir.evaluate(TEXTS.drop(columns="query"), qrels, "RR")) == 1
    once = TEXTS.assign(query="who")
    assert len(ir.evaluate(TABLES[table](once, tmp_path), qrels, "RR")) == 1


def test_systems_and_searches_may_have_their_own_queries():
    qrels = {"44": {"a": 1}}
    expanded = [TEXTS.assign(system=s, query=s) for s in ("bm25", "rm3")]
    assert len(ir.evaluate(pd.concat(expanded), qrels, "RR")) == 2
    searched = TEXTS.assign(search=[1, 1, 2, 2], score=[4.0, 3.0, 2.0, 1.0])
    assert len(ir.evaluate(searched, qrels, "RR", search="search")) == 1
    judged = pd.DataFrame({"qid": "44", "docno": ["a", "b"], "grade": 1, "query": ["who", "when"]})
    refused(InputError, "'44'", ir.as_qrels, judged)


def test_topics_of_two_collections_are_refused():
    runs = pd.DataFrame(
        [("A", "1", "a", 2.0), ("A", "1", "b", 1.0), ("B", "1", "c", 2.0), ("B", "1", "d", 1.0)],
        columns=["collection", "topic", "doc", "score"],
    )
    qrels = runs.iloc[[0, 2]].drop(columns="score").assign(grade=1)
    message = "rows of one topic with different values in 'collection'"
    with pytest.raises(InputError, match=message) as error:
        ir.evaluate(runs, qrels, "RR")
    assert "groupby('collection')" in str(error.value)
    single, two = runs.assign(system="s"), runs.assign(system=["s", "s", "t", "t"])
    for frame in (single, two):
        for act in (lambda x: ir.evaluate(x, qrels, "RR"), lambda x: ir.cube(x, qrels)):
            refused(IdError, "1 topic with several values of 'collection': 1.*groupby", act, frame)
    for frame in (runs, single):
        assert frame.ireval.groupby("collection").evaluate(qrels, "RR")["RR"].tolist() == [1.0, 1.0]
    anew = [frame.assign(topic=frame["collection"] + frame["topic"]) for frame in (single, qrels)]
    assert ir.evaluate(*anew, "RR")["RR"].tolist() == [1.0, 1.0]


def test_mappings_of_metrics_are_refused():
    runs, qrels = ir.example_track()
    for act in (ir.evaluate, lambda r, q, m: ir.scorer(q, m)(r)):
        with pytest.raises(MetricError, match=r"a mapping: 10.*\['ndcg@10', 'AP'\]") as error:
            act(runs, qrels, {"ndcg": 10, "AP": True})
        names = eval(error.value.advice.partition(": ")[2])  # noqa: S307 - of a message
        assert [*ir.evaluate(runs, qrels, names)] == ["ndcg@10", "AP"]


def test_check_reports_ids_that_differ_only_in_spelling():
    runs = pd.DataFrame({"qid": "1", "docno": ["A.md", "./b", "cafe\u0301", "d", "e"]})
    runs = runs.assign(score=range(5), text=list("vwxyz"))
    qrels = {"1": {"a.md": 1, "b": 1, "caf\u00e9": 1, "d": 1, "f": 0}}
    result = ir.verbs.check(runs, qrels)
    assert {*result["ids_alike"].iloc[0]} == {"1 A.md", "1 ./b", "1 cafe\u0301"}
    findings = ir.verbs.diagnose(runs, qrels)
    assert findings.loc[findings["what"].str.contains("Unicode form"), "how_many"].tolist() == [3]
    assert not ir.verbs.check(runs, {"1": dict.fromkeys(runs["docno"], 1)})["ids_alike"].iloc[0]


def test_check_reports_documents_with_several_texts():
    runs = pd.DataFrame({"qid": list("1122"), "docno": list("abab"), "score": [2.0, 1, 2, 1]})
    for name in ("text", "document"):
        texts = runs.assign(**{name: ["x", "y", "x", "z"]})
        assert ir.verbs.check(texts, QRELS)["texts_differ"].iloc[0] == ("2 b",)
        findings = ir.verbs.diagnose(texts, QRELS)
        assert findings.loc[
            findings["what"].str.contains("several texts"), "how_many"
        ].tolist() == [1]
    assert not ir.verbs.check(runs.assign(text="x"), QRELS)["texts_differ"].iloc[0]
