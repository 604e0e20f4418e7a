"""Tests of the page in Chromium."""

import re
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from odd_tracks import BASE, TRACKS, write_report
from paged import DEPTHS, METRICS, SYSTEM, TITLE

import irframe as ir
from irframe.errors import unsaid
from irframe.option_values import gathered

pytestmark = pytest.mark.thorough

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@pytest.fixture(scope="module")
def tab(chromium, path):
    """Return a browser tab that records requests and errors."""
    play = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with play.sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=chromium, args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.heard = []
        tab.on("console", lambda message: tab.heard.append(message.text))
        tab.on("pageerror", lambda error: tab.heard.append(str(error)))
        tab.on("dialog", lambda dialog: (tab.heard.append("dialog"), dialog.dismiss()))
        tab.on("request", lambda request: tab.heard.append(request.url))
        tab.goto(path.as_uri())
        tab.wait_for_selector(".scripted [data-live=differences].vega-embed", state="attached")
        yield tab
        browser.close()


@pytest.fixture(scope="module")
def axe():
    return pytest.importorskip("axe_playwright_python.sync_playwright").Axe()


@pytest.fixture
def moved(tab):
    """Return the tab with depth, metric, search and sorting reset."""
    put(tab, depth=10, metric=0)
    tab.fill("#find", "")
    tab.click("#rungs th.mean button")
    if tab.get_attribute("#rungs th.rank_low", "aria-sort") != "ascending":
        tab.click("#rungs th.rank_low button")
    wait_for_drawing(tab)
    return tab


def put(tab, *, depth, metric):
    tab.select_option("#metric", METRICS[metric])
    tab.locator("#depth").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        DEPTHS.index(depth),
    )
    wait_for_drawing(tab)


def wait_for_drawing(tab):
    """Wait until the browser has drawn all changes."""
    frame = "requestAnimationFrame"
    tab.evaluate(f"() => new Promise((done) => {frame}(() => {frame}(() => setTimeout(done))))")


def opened(tab, address, **options):
    """Return a new tab after it has drawn a page."""
    page = tab.context.browser.new_page(**options)
    page.goto(address)
    page.wait_for_selector(".scripted [data-live=differences].vega-embed", state="attached")
    return page


def column(tab, name):
    return tab.locator(f"#rungs tbody .{name}").all_inner_texts()


def test_page_makes_no_requests_and_logs_no_errors(moved, path):
    assert set(moved.heard) == {path.as_uri()}


@pytest.mark.parametrize(("depth", "metric"), [(1, 1), (20, 0)])
def test_slider_updates_leaderboard_matrix_and_sentences(moved, page, depth, metric):
    put(moved, depth=depth, metric=metric)
    pos = DEPTHS.index(depth)
    mean = page.numbers["0/mean"][metric, pos]
    shown = [float(text) for text in column(moved, "mean")]
    np.testing.assert_allclose(shown, sorted(mean)[::-1], atol=6e-4)
    sentences_by = {name: page.texts["said"][0][name] for name in ("tiers", "apart", "order")}
    for name, sentences in sentences_by.items():
        heading = moved.locator(f"h2[data-said={name}]").first.inner_text()
        assert heading == sentences[metric][pos]
    assert moved.inner_text("#depth-shown") == str(depth)
    assert f"{METRICS[metric]}, depth {depth}" in moved.inner_text("#ladder .how")
    assert filled(moved) == 2 * (page.numbers["0/strength"][metric, pos] > 0).sum()


def filled(tab):
    """Count the coloured cells of the matrix."""
    return tab.evaluate(
        """() => {
        const board = document.querySelector("canvas"), size = board.width / 8;
        const copy = new OffscreenCanvas(board.width, board.height);
        const pen = copy.getContext("2d", {willReadFrequently: true});
        pen.drawImage(board, 0, 0);
        const data = pen.getImageData(0, 0, board.width, board.height).data;
        const places = [...Array(64).keys()].map((cell) => [Math.floor(cell / 8), cell % 8]);
        const shown = places.filter(([line, column]) =>
            data[4 * ((line * size + 30) * board.width + column * size + 30) + 3] > 0);
        return shown.length;
    }"""
    )


def test_clicking_a_heading_sorts_the_leaderboard(moved, page):
    moved.click("#rungs th.name button")
    wait_for_drawing(moved)
    plain = [name for name in column(moved, "name a") if name[0].isalpha()]
    assert plain == sorted(name for name in page.facts["systems"] if name[0].isalpha())
    moved.click("#rungs th.unjudged button")
    wait_for_drawing(moved)
    shares = [int(text.removesuffix("\xa0%")) for text in column(moved, "unjudged")]
    assert shares == sorted(shares, reverse=True)
    assert moved.get_attribute("#rungs th.unjudged", "aria-sort") == "descending"
    assert moved.get_attribute("#rungs th.name", "aria-sort") is None


def test_search_matches_names_and_groups(moved):
    moved.fill("#find", "bm25")
    wait_for_drawing(moved)
    assert sorted(column(moved, "name a")) == ["bm25", "bm25+rm3"]
    assert moved.inner_text("#found") == "2 of 8 systems"
    moved.fill("#find", "rerankers")
    wait_for_drawing(moved)
    assert SYSTEM in column(moved, "name a")


def test_figures_draw_every_curve_and_bar(moved, page):
    marks = {"curves": ".mark-line path", "told": ".mark-line path"}
    counts = {
        name: moved.locator(f"[data-live={name}] {selector}").count()
        for name, selector in marks.items()
    }
    assert counts == {"curves": len(page.facts["drawn"]), "told": len(METRICS)}
    bars = moved.locator("[data-live=differences] .mark-rect path").count()
    assert bars == len(page.facts["topics"])


def test_selected_systems_are_compared_by_topic(moved, page):
    moved.select_option("#side-a", label=SYSTEM)
    moved.select_option("#side-b", label="ance")
    wait_for_drawing(moved)
    moved.select_option("#topic", index=2)
    wait_for_drawing(moved)
    a, b = page.facts["systems"].index(SYSTEM), page.facts["systems"].index("ance")
    difference = np.subtract(*page.numbers["scores"][0, [a, b], :, DEPTHS.index(10)])
    ahead, behind = (difference > 0).sum(), (difference < 0).sum()
    assert moved.inner_text("#says-duel") == (
        f"{SYSTEM} is ahead of ance on {ahead} topics and behind on {behind} of 16"
    )
    topic = int(np.argsort(-difference, kind="stable")[2])
    names = [page.texts["documents"][doc] for doc in page.numbers["doc"][b, topic]]
    assert moved.locator("#lists tbody td:nth-child(4)").all_inner_texts() == names
    parting = moved.locator("#lists tr.parting th").inner_text()
    same = page.numbers["doc"][a, topic] == page.numbers["doc"][b, topic]
    assert int(parting) == 1 + int(np.argmin(same))


def test_script_escapes_names(moved):
    moved.select_option("#baseline", label=SYSTEM)
    wait_for_drawing(moved)
    assert moved.title() == TITLE
    assert "dialog" not in moved.heard
    assert moved.locator("#rungs img, #rungs script, #lists b, #controls script").count() == 0
    names = moved.locator("[data-live=curves] text").all_text_contents()
    assert [name for name in names if name == "<scrip\u2026cript>"]


def saved(tab, name):
    """Return the table that a CSV button downloads."""
    with tab.expect_download() as waiting:
        tab.click(f"[data-csv={name}] button")
    return pd.read_csv(waiting.value.path(), dtype={"topic": str})


def either_way(compared):
    """Return each comparison twice, with both orders of the systems."""
    turned = compared.assign(
        system_a=compared["system_b"],
        system_b=compared["system_a"],
        difference=-compared["difference"],
        ci_low=-compared["ci_high"],
        ci_high=-compared["ci_low"],
        wins=compared["losses"],
        losses=compared["wins"],
    )
    return pd.concat([compared, turned]).set_index(["system_a", "system_b"])


@pytest.fixture(scope="module")
def compared(scores):
    """Return the comparison by the first metric at depth 10."""
    return either_way(scores.isel(metric=[0]).sel(depth=[10]).ireval.compare("t", adjust="holm"))


def test_pairs_equal_the_result_of_compare(moved, compared):
    frame = saved(moved, "pairs").set_index(["system_a", "system_b"])
    assert len(frame) == 28
    expected = compared.loc[frame.index]
    counts = ["wins", "ties", "losses"]
    pd.testing.assert_frame_equal(frame[counts], expected[counts])
    for name in ("difference", "ci_low", "ci_high"):
        np.testing.assert_allclose(frame[name], expected[name], atol=2e-5)
    significant = frame["p_below"].notna()
    np.testing.assert_array_equal(significant, expected["significant"])


def test_matrix_cells_show_the_result_of_compare(moved, compared, page):
    moved.focus("canvas")
    for key in ["ArrowUp", "ArrowLeft"] * 8 + ["ArrowRight"] * 6 + ["ArrowDown"] * 2:
        moved.keyboard.press(key)
    names = column(moved, "name a")
    row = compared.loc[names[2], names[6]]
    numbers = [float(text) for text in re.findall(r"[+-]\d\.\d{3}", moved.inner_text("#cell"))]
    expected = row[["difference", "ci_low", "ci_high"]].astype(float)
    np.testing.assert_allclose(numbers, expected, atol=5.2e-4)
    below = [level for level in page.facts["levels"] if row["p_adjusted"] < level]
    significance = f"p < {below[-1]}" if below else "not significant at 0.05"
    ends = f"{significance}; {row['wins']} wins, {row['ties']} ties, {row['losses']} losses"
    assert moved.inner_text("#cell").startswith(f"{names[2]} against {names[6]}: ")
    assert moved.inner_text("#cell").endswith(
        f", Student's interval of this pair alone at 95 %), {ends}"
    )


def test_address_restores_the_state_of_the_page(tab, path):
    page = opened(tab, path.as_uri())
    assert page.url == path.as_uri()
    page.locator("canvas").click(position={"x": 60, "y": 5})
    wait_for_drawing(page)
    pair = page.inner_text("#cell").partition(":")[0]
    put(page, depth=20, metric=1)
    page.fill("#find", "bm25")
    wait_for_drawing(page)
    names = page.locator("#board-names li").all_text_contents()
    assert len(names) == page.locator("#board-columns li").count() == 8
    assert {*page.locator("#board-names .sought").all_text_contents()} == {"bm25", "bm25+rm3"}
    assert page.inner_text("#cell").startswith(f"{pair}: ")
    strong = page.locator(".cells text").all_text_contents()
    assert len(strong) == filled(page)
    page.click("#compare")
    assert page.evaluate("document.activeElement.id") == "says-duel"
    shown = ["#says-duel", "#duel-more", "#depth-shown", "#found", "#ladder"]
    copy = opened(tab, page.url)
    assert [copy.inner_text(selector) for selector in shown] == [
        page.inner_text(selector) for selector in shown
    ]
    assert copy.input_value("#metric") == METRICS[1]
    page.close()
    copy.close()


def test_links_open_closed_sections(tab, path):
    page = opened(tab, path.as_uri(), viewport={"width": 400, "height": 800})
    assert not page.locator("#effort figure").is_visible()
    links = page.locator(".contents a")
    ends = [link.get_attribute("href") for link in links.all()]
    assert all(page.locator(end).count() == 1 for end in ends)
    links.last.click()
    page.locator(".contents a", has_text="More comparisons").click()
    page.wait_for_function("document.querySelector('#effort figure').checkVisibility()")
    page.locator("#effort svg [aria-label]").first.hover()
    assert "mean Twist" in page.locator("body > .tip").inner_text()
    page.close()


def sheet(tab):
    """Return the sentences and rows of the system sheet."""
    sentences = [tab.text_content(f"#{name}") for name in ("says-sheet", "sheet-known")]
    return sentences, cells(tab, "#sheet-rows")


def cells(tab, table):
    """Return the texts of the cells of a table."""
    texts = "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    return tab.locator(f"{table} tbody tr").evaluate_all(texts)


def unscripted(tab, path):
    """Open a page in a tab without JavaScript."""
    bare = tab.context.browser.new_context(java_script_enabled=False).new_page()
    bare.goto(path.as_uri())
    return bare


def test_enter_key_opens_the_sheet_of_a_system(moved, scores):
    moved.locator("#rungs a", has_text="bm25+rm3").focus()
    moved.keyboard.press("Enter")
    moved.wait_for_selector("#says-sheet:focus")
    put(moved, depth=5, metric=1)
    expected = scores.isel(metric=[1]).sel(depth=[5]).ireval.sheet("bm25+rm3").to_dataframe()
    expected = expected.droplevel(["metric", "depth"])
    lead = (expected["score"] - expected["median"]).round(12)
    assert moved.inner_text("#says-sheet") == (
        f"bm25+rm3 is better than the median on {(lead > 0).sum()} topics "
        f"and worse on {(lead < 0).sum()} of 16"
    )
    frame = saved(moved, "sheet").set_index("topic")
    assert frame.index.tolist() == [row[0] for row in sheet(moved)[1]]
    assert lead[frame.index].is_monotonic_increasing
    expected = expected.loc[frame.index]
    np.testing.assert_allclose(frame[[*expected]], expected, atol=2e-5)
    np.testing.assert_array_equal(frame["rank"], expected["rank"])
    moved.select_option("#sheet-order", label="topic")
    wait_for_drawing(moved)
    assert [row[0] for row in sheet(moved)[1]] == scores["topic"].to_numpy().tolist()
    moved.select_option("#sheet-order", label="against the median")


def test_system_sheet_is_the_same_without_javascript(moved, path):
    moved.select_option("#own", label=SYSTEM)
    wait_for_drawing(moved)
    scripted = sheet(moved)
    bare = unscripted(moved, path)
    assert sheet(bare) == scripted
    assert bare.locator("#rungs a[href]").count() == 1
    bare.context.close()


def topics(tab):
    """Return the heading and rows of the table of topics."""
    return tab.text_content("#says-topics"), cells(tab, "#topic-rows")


def test_table_of_topics_is_the_same_without_javascript(moved, path, scores):
    scripted = topics(moved)
    bare = unscripted(moved, path)
    assert topics(bare) == scripted
    bare.context.close()
    put(moved, depth=5, metric=1)
    frame = saved(moved, "hard").set_index("topic")
    values = scores.isel(metric=1).sel(depth=5)
    np.testing.assert_allclose(
        frame["median"], values.median("system").sel(topic=frame.index).to_numpy(), atol=2e-5
    )
    assert frame["median"].is_monotonic_increasing
    last = frame.index[-1]
    moved.locator("#topic-rows tbody a").last.click()
    moved.wait_for_selector("#says-lists:focus")
    wait_for_drawing(moved)
    assert moved.inner_text("#says-lists").startswith(f"On topic {last} ")
    assert moved.inner_text("#name-a") == frame["best system"].iloc[-1]


def test_page_with_tied_medians_is_the_same_without_javascript(tab, tmp_path):
    shown = {"metrics": ["P"], "at": [10], "resamples": 100}
    runs, qrels = ir.example_track()
    qrels = qrels.assign(length=qrels["topic"].astype(int) % 4, kind="navigational")
    path = ir.report(runs, qrels, tmp_path / "report.html", **shown)
    page, bare = opened(tab, path.as_uri()), unscripted(tab, path)
    heading, rows = topics(page)
    assert (heading, rows) == topics(bare)
    for selector in ("#about-topic", "#says-lists", "#says-sheet", "#sheet-known", "#verdict"):
        assert page.text_content(selector) == bare.text_content(selector)
    assert page.text_content("#about-topic").count("kind navigational, length") == 1
    for selector in ("#rungs .mean", "#sheet-rows .apart"):
        assert (
            page.locator(selector).all_text_contents() == bare.locator(selector).all_text_contents()
        )
    assert heading.endswith(f" are {rows[0][0]}, {rows[1][0]} and {rows[2][0]}")
    bare.context.close()
    page.close()


def test_interval_bars_have_the_minimum_width(moved, page):
    widths = moved.locator("#rungs td.bar").evaluate_all("(all) => all.map((e) => e.offsetWidth)")
    assert min(widths) >= 120
    box = moved.locator("#ladder .scroll")
    assert box.evaluate("(each) => each.scrollWidth <= each.clientWidth + 1")
    names = moved.locator("#rungs .hue:not([hidden])").count()
    assert sum(hue >= 0 for hue in page.facts["hues"]) <= names < 8


def test_selected_track_shows_only_its_systems(tab, tracks_path, tracks):
    page = tab.context.browser.new_page()
    page.on("console", lambda message: tab.heard.append(message.text))
    page.goto(f"{tracks_path.as_uri()}#sheet/monot5")
    page.wait_for_selector(".scripted [data-live=differences].vega-embed", state="attached")
    assert page.input_value("#own") == str(tracks.facts["systems"].index("monot5"))
    page.select_option("#view", label="track even")
    wait_for_drawing(page)
    system = int(page.input_value("#own"))
    assert system in tracks.facts["views"][1]["systems"]
    systems = [tracks.facts["systems"][pos] for pos in tracks.facts["views"][1]["systems"]]
    mean = tracks.numbers["1/mean"][0, 1]
    assert column(page, "name a") == [systems[pos] for pos in np.argsort(mean)]
    options = page.locator("#baseline option").all_text_contents()
    assert options == ["none", "the median run", *systems]
    assert set(column(page, "change")) == {""}
    page.select_option("#baseline", label="the median run")
    wait_for_drawing(page)
    assert column(page, "change")[(len(systems) - 1) // 2] == "0.000"
    assert "of 8" in page.inner_text("#says-duel")
    costs = tracks.numbers["scores"][0, :, tracks.facts["views"][1]["topics"], 1]
    frame = saved(page, "sheet").set_index("topic").sort_index()
    np.testing.assert_allclose(frame["best"], np.nanmin(costs, axis=1), rtol=2e-5)
    np.testing.assert_array_equal(frame["rank"], 1 + (costs < costs[:, [system]]).sum(axis=1))
    assert set(frame["n"]) == {6}
    page.close()


def violations(result):
    assert result.response["passes"]
    return [violation["id"] for violation in result.response["violations"]]


def test_page_has_no_accessibility_violations(moved, axe):
    assert violations(axe.run(moved)) == []


def test_dark_page_has_sufficient_contrast(moved, axe):
    moved.emulate_media(color_scheme="dark")
    sections = {"include": [["#ladder"], ["#controls"], ["#sheet"], ["#lists"], [".findings"]]}
    result = axe.run(moved, context=sections, options={"runOnly": ["color-contrast"]})
    moved.emulate_media(color_scheme="light")
    assert violations(result) == []


def test_print_opens_all_tables(tab, tmp_path):
    metrics = [f"RBP(p=0.{digit})" for digit in range(1, 8)]
    shown = {"metrics": metrics, "at": [10], "resamples": 100, "baseline": "bm25"}
    address = ir.report(*ir.example_track(), tmp_path / "report.html", **shown).as_uri()
    printed = tab.context.browser.new_page(java_script_enabled=False)
    printed.goto(address)
    about = printed.locator("#bounds .rows summary")
    assert about.inner_text() == "56 rows"
    printed.emulate_media(media="print")
    summary = "56 rows: prints show the first 50; the page and its CSV contain all"
    assert about.inner_text() == summary
    assert printed.locator("#bounds tbody tr:visible").count() == 50
    tables = printed.locator("details table").all()
    assert {table.is_visible() for table in tables} == {True}
    assert "print" not in printed.inner_text("#pool .rows summary")
    printed.set_viewport_size({"width": 688, "height": 900})  # A4 without margins, in CSS pixels
    assert printed.evaluate("document.documentElement.scrollWidth") == 688
    printed.close()


@pytest.mark.filterwarnings("ignore:.* agreements are undefined")
def test_constant_differences_have_no_interval(tab, tmp_path):
    runs, qrels = TRACKS["all tied"][0]()
    path = write_report(runs, qrels, tmp_path / "page.html", BASE)
    page = opened(tab, path.as_uri())
    page.focus("canvas")
    page.keyboard.press("ArrowRight")
    assert "(no interval, the same on all topics), not significant" in page.inner_text("#cell")
    page.close()


def test_numbers_of_repeats_change_with_the_slider(tab, tmp_path):
    make, options = TRACKS["seeds"]
    runs, qrels = make()
    with unsaid():
        arguments = gathered(signature(ir.report), BASE | options)
        path = ir.report(runs, qrels, tmp_path / "page.html", **arguments)
        scores = ir.cube(runs, qrels).ireval.score("nDCG", at=[5])
        comparison = scores.ireval.compare()
    page = opened(tab, path.as_uri())
    page.locator("#depth").evaluate(
        "(slider) => { slider.value = 1; slider.dispatchEvent(new Event('input')); }"
    )
    wait_for_drawing(page)
    first = page.locator("#rungs tbody tr").first
    name = first.locator(".name a").inner_text()
    first.locator("summary").click()
    means = scores.sel(system=name).mean("topic").to_numpy().ravel()
    assert first.locator("dd").all_inner_texts() == [f"{mean:.3f}" for mean in means]
    assert first.locator(".bar b").count() == 3
    with page.expect_download() as download:
        page.click("[data-csv=repeats] button")
    table = pd.read_csv(download.value.path())
    assert [*table] == ["view", "metric", "depth", "system", "repeat", "mean"]
    rows = table.query("system == @name and metric == 'nDCG' and depth == 5")
    np.testing.assert_allclose(rows["mean"], means, rtol=1e-4)
    page.focus("canvas")
    page.keyboard.press("ArrowRight")
    second = page.locator("#rungs tbody tr").nth(1).locator(".name a").inner_text()
    pair = comparison[
        comparison["system_a"].isin([name, second]) & comparison["system_b"].isin([name, second])
    ]
    sign = 1 if pair["system_a"].item() == name else -1
    low, high = sorted(sign * pair[["ci_low", "ci_high"]].to_numpy()[0])
    assert f"({low:+.3f} to {high:+.3f}, Student's" in page.inner_text("#cell")
    page.close()


def test_page_fits_a_narrow_window(moved):
    moved.set_viewport_size({"width": 320, "height": 640})
    width = moved.evaluate("document.documentElement.scrollWidth")
    moved.set_viewport_size({"width": 1280, "height": 900})
    assert width <= 320


@pytest.mark.parametrize(
    "name", ["long names", "texts", "unequal tracks", "nothing relevant", "seeds", "budgets"]
)
def test_pages_of_unusual_tracks_are_accessible_on_narrow_dark_screens(tab, axe, tmp_path, name):
    make, options = TRACKS[name]
    runs, qrels, *texts = make()
    arguments = BASE | options | ({"texts": texts[0]} if texts else {})
    with unsaid():
        path = write_report(runs, qrels, tmp_path / "page.html", arguments)
    narrow = {"viewport": {"width": 400, "height": 800}, "color_scheme": "dark"}
    page = opened(tab, path.as_uri(), **narrow)
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    assert page.inner_text("#failure") == ""
    sizes = page.locator("#board-names li").evaluate_all(
        "(all) => all.map((e) => [e.offsetHeight, e.parentElement.offsetHeight / all.length])"
    )
    assert all(height <= room + 1 for height, room in sizes)
    first, second = (page.locator(f"#lists tbody tr:first-child td:nth-child({n})") for n in (2, 4))
    assert second.bounding_box()["y"] >= first.bounding_box()["y"] + first.bounding_box()["height"]
    assert violations(axe.run(page)) == []
    page.close()
