"""Tests of the numbers on a page and their sources."""

import base64
import gzip
import hashlib
import re
import sys
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from dense import nameless
from paged import DEPTHS, DOC, METRICS, SYSTEM, TITLE, TOPIC, Page, attacked, report_of, view_of
from refusals import refused
from scipy.stats import rankdata

import irframe as ir
from irframe.errors import DepthError, InputError, unsaid
from irframe.escaping import visible
from irframe.names import UNJUDGED, printable
from irframe.reports import figures
from irframe.reports.report import inputs
from irframe.reports.setting import DOCS
from irframe.reports.view import rounded, rounded_in_order
from irframe.reports.words import fixed


def test_page_shows_the_same_numbers_as_the_functions(page, scores):
    drawn = scores.ireval.rank_intervals("bootstrap", resamples=100)["first"]
    ranks = scores.ireval.rank_intervals().assign(first=drawn).transpose("metric", "depth", ...)
    for name in ("mean", "ci_low", "ci_high", "rank", "tier", "first"):
        np.testing.assert_allclose(page.numbers[f"0/{name}"], ranks[name], rtol=2e-5)
    np.testing.assert_allclose(page.numbers["scores"], scores, rtol=2e-5)
    tau = scores.ireval.volatility().transpose("metric", "depth", ...)
    np.testing.assert_allclose(page.numbers["0/agreement"], tau, rtol=2e-5)


def test_strength_counts_levels_above_the_corrected_p_value(page, scores):
    compared = scores.ireval.compare("t", adjust="holm")
    p = compared["p_adjusted"].to_numpy().reshape(len(METRICS), len(DEPTHS), -1)
    strength = page.numbers["0/strength"]
    np.testing.assert_array_equal(strength, sum((p < level) * 1 for level in (0.05, 0.01, 0.001)))
    assert set(strength.ravel()) == {0, 1, 2, 3}
    lead = np.sign(compared["difference"].to_numpy().reshape(p.shape)) * (p < 0.05)
    first, second = np.triu_indices(8, 1)
    for system in range(8):
        won = (lead[..., first == system] > 0).sum(-1) + (lead[..., second == system] < 0).sum(-1)
        lost = (lead[..., first == system] < 0).sum(-1) + (lead[..., second == system] > 0).sum(-1)
        np.testing.assert_array_equal(page.numbers["0/rank_low"][..., system], 1 + lost)
        np.testing.assert_array_equal(page.numbers["0/rank_high"][..., system], 8 - won)
    np.testing.assert_allclose(page.numbers["0/told"], (p < 0.05).mean(axis=-1), rtol=2e-5)


def test_p_value_equal_to_alpha_is_not_significant(cube):
    p = np.sort(cube.ireval.score("AP", at=[10]).ireval.compare(adjust=None)["p"])
    view = view_of(cube, ["AP"], [10], adjust=None, alpha=p[9])
    assert (view.strength > 0).sum() == 9


def test_rounding_preserves_the_order_of_scores():
    values = np.random.default_rng(1).integers(0, 300, (400, 3)) * 1e-7 + 0.25
    values[0] = np.nan
    values[1] += 1e-15
    result = rounded_in_order(values, 0)
    ranks = [
        rankdata(array, "min", axis=0, nan_policy="omit") for array in (values.round(12), result)
    ]
    np.testing.assert_array_equal(*ranks)
    np.testing.assert_allclose(result, values, rtol=6e-5)
    assert len(np.unique(rounded(values[1:]))) < 10


def halves_up(value, decimals):
    """Return a rounded number; halves are rounded up."""
    precision = Decimal(1).scaleb(-decimals)
    return str(Decimal(float(value)).quantize(precision, ROUND_HALF_UP))


@pytest.mark.parametrize("most", [16, 160, 80, 10**6])
def test_javascript_and_python_format_numbers_equally(most):
    values = np.random.default_rng(most).integers(-most, 40 * most, 3000) / most
    for exact, approximate in zip(values, rounded(values), strict=True):
        assert halves_up(approximate, 3) == fixed(exact)
    shares = values % 1
    for exact, approximate in zip(shares, rounded(shares, percents=True), strict=True):
        assert halves_up(100 * float(approximate), 0) == f"{100 * exact:.0f}"
    np.testing.assert_allclose(rounded(values), values, rtol=2e-5)
    odd = [np.inf, -np.inf, np.nan, 1e6, 0]
    np.testing.assert_array_equal(rounded(np.array(odd)), np.array(odd, np.float32))


def test_metrics_without_arithmetic_mean_have_no_intervals_of_differences(cube):
    scores = cube.ireval.score("AP", "GMAP", at=[5, 10])
    view = view_of(cube, ["AP", "GMAP"], [10, 5], adjust=None, alpha=0.1)
    compared = scores.ireval.compare("t", alpha=0.1)
    half = (compared["ci_high"] - compared["ci_low"]) / 2
    spread = compared["difference"] / compared["effect_size"]
    reach = (half / spread).to_numpy().reshape(2, 2, -1)
    np.testing.assert_allclose(reach, view.reach[..., np.newaxis] * np.ones(28))
    assert np.isnan(view.reach).tolist() == [[False] * 2, [True] * 2]


def test_lists_equal_the_ranked_runs(page):
    runs, qrels = attacked()
    ranked = runs.ireval.rank().ireval.judge(qrels)
    a = ranked[(ranked["system"] == SYSTEM) & (ranked["topic"] == TOPIC)].head(20)
    cell = page.facts["systems"].index(SYSTEM), page.facts["topics"].index(TOPIC)
    names = [page.texts["documents"][doc] for doc in page.numbers["doc"][cell]]
    assert names == a["doc"].tolist()
    assert names[0] == DOC
    assert page.numbers["grade"][cell].tolist() == a["grade"].fillna(UNJUDGED).tolist()


def test_page_contains_the_leaderboard_without_javascript(page, scores):
    best = scores.isel(metric=0).sel(depth=10).mean("topic").to_series().sort_values()
    ladder = [attrs for tag, attrs in page.tags if tag == "tr" and "data-system" in attrs]
    assert len(ladder) == 8
    assert page.facts["systems"][int(ladder[0]["data-system"])] == best.index[-1]
    assert f"{best.iloc[-1]:.3f}" in page.text
    against = scores.sel(depth=[10]).ireval.compare("t", adjust="holm")
    pairs = against[against["metric"] == METRICS[0]].set_index(["system_a", "system_b"])
    stars = sum(row["significant"] for pair, row in pairs.iterrows() if "bm25" in pair)
    assert len(re.findall(r"[+-]\d\.\d{3} \*", page.text)) == stars > 0
    assert page.count("svg") == 11
    assert page.count("h2") == 9


def test_page_escapes_names(page):
    assert [page.count(tag) for tag in ("script", "img", "b")] == [4, 1, 0]
    assert page.count("i") == 8 * 2 + 16 * 2 + 6
    for name in (SYSTEM, TOPIC, DOC, TITLE):
        assert name in page.text
    assert page.facts["title"] == TITLE


def test_findings_name_all_affected_systems(page, cube):
    lines = page.texts["csv"]["findings"].splitlines()
    row = next(line for line in lines if "in the top 20 (38%)" in line)
    text = page.text.partition("unjudged documents in the top 20 (38%)")[2]
    text = text.partition("section 2.5")[2][:200]
    assert all(name in row and name in text for name in cube["system"].to_numpy())


def test_linked_pages_of_the_documentation_exist(page):
    links = {attrs["href"] for tag, attrs in page.tags if tag == "a" and "href" in attrs}
    names = {link.removeprefix(f"{DOCS}/") for link in links if link.startswith(DOCS)}
    home = Path(__file__).parents[2] / "docs"
    assert names
    assert [name for name in names if not (home / name).with_suffix(".md").exists()] == []


@pytest.mark.thorough
def test_pages_without_a_baseline_have_no_change_column(tmp_path):
    page = report_of(tmp_path, *ir.example_track(), title="One")
    (table,) = (attrs for _, attrs in page.tags if attrs.get("id") == "rungs")
    (star,) = (attrs for _, attrs in page.tags if attrs.get("id") == "starred")
    assert table["class"] == "ladder"
    assert "hidden" in star
    assert "Not known: " not in page.text
    assert "ir.report(runs, qrels, 'page.html', metrics=['AP'], at=[10, 5]" in page.text


def test_page_shows_the_call_and_hashes(page):
    assert "ir.report(runs, qrels, 'report.html', metrics=['nDCG', " in page.text
    assert "baseline='bm25'" in page.text
    assert "alpha=" not in page.text
    assert "SHA-256" in page.text


def test_each_track_has_its_own_view(tracks):
    sizes = {view["name"]: len(view["systems"]) for view in tracks.facts["views"]}
    assert sizes == {"track odd": 8, "track even": 6}
    even = [tracks.facts["topics"][pos] for pos in tracks.facts["views"][1]["topics"]]
    assert even == [topic for topic in tracks.facts["topics"] if int(topic) % 2 == 0]
    assert np.isnan(tracks.numbers["scores"]).sum() == 2 * 2 * 8 * 2


@pytest.mark.thorough
def test_page_of_one_system_has_no_comparisons(tmp_path):
    runs, qrels = ir.example_track()
    page = report_of(tmp_path, runs[runs["system"] == "bm25"], qrels, baseline="bm25")
    assert "bm25 is the only system" in page.text
    hidden = {attrs.get("id") for _, attrs in page.tags if {"data-pairs", "hidden"} <= {*attrs}}
    assert {"matrix", "duel"} < hidden
    assert "Shortest search length (ASL): bm25" in page.text


@pytest.mark.thorough
def test_pages_accept_names_with_control_characters(tmp_path):
    runs, qrels = ir.example_track()
    odd = "\x01\x1b\ufffe"  # some versions of pandas cut texts at \x00, so names omit it
    runs = runs.assign(**{name: odd + runs[name] for name in ("system", "topic", "doc", "team")})
    qrels = qrels.assign(**{name: odd + qrels[name] for name in ("topic", "doc")})
    path = ir.report(
        runs, qrels, tmp_path / "a.html", metrics="AP", at=[10, 5], baseline=f"{odd}bm25",
        title=f"\x00{odd}\ud800", texts=dict.fromkeys(qrels["doc"], f"\x00{odd}\ud800"),
    )  # fmt: skip
    html = path.read_text(encoding="utf-8")
    assert printable(html) == html
    assert f"{printable(visible(odd))}bm25" in html


def test_figures_with_missing_marks_raise():
    # Vega omits a bar at a position called "constructor".
    bars = pd.DataFrame({"topic": ["a"], "difference": [0.1], "place": ["constructor"], "hue": [0]})
    refused(InputError, "1 layer of marks", figures.svg, figures.differences(bars, "difference"))


def test_security_policy_allows_only_the_two_scripts(page):
    rules = next(attrs for tag, attrs in page.tags if attrs.get("http-equiv"))["content"]
    policy = dict(rule.split(" ", 1) for rule in rules.split("; "))
    assert policy["default-src"] == "'none'"
    assert not {"http:", "https:", "*", "'unsafe-eval'"} & {*rules.replace(";", "").split()}
    vega = gzip.decompress(base64.b64decode(page.scripts[2]))
    run = [page.scripts[3].encode(), vega]
    digests = [base64.b64encode(hashlib.sha256(script).digest()).decode() for script in run]
    assert policy["script-src"] == " ".join(f"'sha256-{digest}'" for digest in digests)


def test_lower_costs_rank_higher(tracks):
    ladder = [attrs for tag, attrs in tracks.tags if tag == "tr" and "data-system" in attrs]
    order = [int(attrs["data-system"]) for attrs in ladder]
    mean = tracks.numbers["0/mean"][0, 1]
    assert order == np.argsort(mean).tolist()
    assert tracks.facts["signs"] == [-1, 1]


def test_changed_files_are_not_hashed(tmp_path):
    runs, qrels = ir.example_track()
    columns = ["system", "topic", "doc", "rank", "score"]
    ir.verbs.write_run(runs[columns], tmp_path / "all.run")
    ir.verbs.write_qrels(qrels, tmp_path / "qrels.txt")
    frames = ir.read_runs([tmp_path / "all.run"]), ir.read_qrels(tmp_path / "qrels.txt")
    (tmp_path / "qrels.txt").write_text("101 0 d1 1\n")
    hashes = inputs(ir.cube(*frames)).iloc[:, -1]
    assert len(hashes.iloc[0]) == 64
    assert hashes.iloc[1].endswith("changed after reading")


@pytest.mark.thorough
def test_unjudged_documents_of_saved_cubes_have_no_names(tmp_path):
    cube = ir.cube(*ir.example_track())
    unnamed = {}
    for name, source in {"cube": cube, "read": nameless(cube)}.items():
        path = source.ireval.report(tmp_path / f"{name}.html", metrics="AP", at=[10], resamples=100)
        page = Page(path.read_text(encoding="utf-8"))
        unnamed[name] = page.numbers["doc"] < 0
        assert f"ir.report(cube, '{name}.html'" in page.text
    np.testing.assert_array_equal(unnamed["read"], page.numbers["grade"] == UNJUDGED)
    assert unnamed["read"].any()
    assert not unnamed["cube"].any()


@pytest.mark.parametrize("of", ["cube", "saved"])
def test_page_of_spans_does_not_mention_unjudged_documents(tmp_path, of):
    listed = {"a": [0, 100, 300], "b": [300, 0, 100]}
    rows = [
        (system, topic, "d", start, start + 100, 3 - rank, 100)
        for system, starts in listed.items()
        for topic in ("1", "2")
        for rank, start in enumerate(starts)
    ]
    names = ["system", "topic", "doc", "start", "end", "score", "tokens"]
    runs = pd.DataFrame(rows, columns=names)
    spans = ir.as_spans([{"topic": t, "doc": "d", "start": 120, "end": 140} for t in ("1", "2")])
    cube = runs.ireval.cube(spans, units=ir.Units(length="tokens"))
    arguments = {"metrics": ["SpanR", "All"], "resamples": 100, "stop": ir.Budget([50, 100, 300])}
    with unsaid():
        source = cube.ireval.save(tmp_path / "cube") if of == "saved" else cube
        path = ir.report(source, tmp_path / "page.html", **arguments)
    page = Page(path.read_text(encoding="utf-8"))
    documents = page.texts["documents"]
    top = [[documents[doc] for doc in docs] for docs in page.numbers["doc"][:, 0, :3]]
    assert top == [[f"d [{start}, {start + 100})" for start in listed[s]] for s in listed]
    assert page.numbers["grade"][:, 0, :3].tolist() == [[0, 1, 0], [0, 0, 1]]
    assert "whose first document is longer than 50 tokens" in page.text
    assert "Holm per metric and budget" in page.text
    assert not [phrase for phrase in ("marks unjudged", "cannot be told") if phrase in page.text]


def test_wrong_arguments_raise_before_any_computation(tmp_path):
    track, path = ir.example_track(), tmp_path / "page.html"
    cube = ir.cube(*track)
    refused(DepthError, "51", lambda: ir.report(cube, path, at=[51]))
    refused(InputError, "a path", lambda: ir.report(*track, None))
    assert not path.exists()


def test_error_names_a_missing_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    # earlier tests may have imported altair
    figures._needed.cache_clear()
    path = tmp_path / "page.html"
    refused(InputError, r"irframe\[report\]", ir.report, *ir.example_track(), path)


def test_frame_hash_depends_on_values_and_order_of_rows():
    runs, qrels = ir.example_track()
    same = runs.set_axis(range(7, 7 + len(runs)))
    changed = [runs.iloc[::-1], runs.iloc[1:], runs.assign(score=runs["score"] + 1)]
    changed += [runs.assign(team="x"), runs.astype({"doc": "category"})]
    first, second, *different, alike = (
        inputs(ir.cube(frame, qrels)).iloc[0, -1] for frame in (same, runs, *changed)
    )
    assert first == second == alike
    assert len({first, *different}) == 5


def test_derived_cubes_keep_the_list_of_inputs(tmp_path):
    runs, qrels = ir.example_track()
    cube = ir.cube(runs, qrels)
    expected = inputs(cube)
    assert expected["input"].tolist() == ["runs", "qrels"]
    assert expected["size"].tolist() == [f"{len(frame)} rows" for frame in (runs, qrels)]
    for derived in (cube.isel(topic=[1]), cube.ireval.save(tmp_path / "c"), cube.ireval.condense()):
        pd.testing.assert_frame_equal(inputs(derived), expected)
    cubes = [
        ir.cube(runs[runs["topic"] == topic], qrels[qrels["topic"] == topic])
        for topic in ("101", "102")
    ]
    assert len(inputs(ir.concat(cubes))) == 4
