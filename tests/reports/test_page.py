"""The page in a real browser."""

import numpy as np
import pytest
from paged import DEPTHS, METRICS, SYSTEM, TITLE

pytestmark = pytest.mark.xdist_group("report")

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


@pytest.fixture(scope="module")
def tab(chromium, path):
    """A tab in which the page has been opened, and what it did meanwhile."""
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
    """The tab, and how to put what it shows: a depth, a metric, a sorting."""
    put(tab, depth=10, metric=0)
    tab.fill("#find", "")
    tab.click("#rungs th.mean button")
    if tab.get_attribute("#rungs th.rank_low", "aria-sort") != "ascending":
        tab.click("#rungs th.rank_low button")
    settle(tab)
    return tab


def put(tab, *, depth, metric):
    tab.select_option("#metric", METRICS[metric])
    tab.locator("#depth").evaluate(
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }",
        DEPTHS.index(depth),
    )
    settle(tab)


def settle(tab):
    """Wait until what was changed has been drawn, which happens at the next frame."""
    frame = "requestAnimationFrame"
    tab.evaluate(f"() => new Promise((done) => {frame}(() => {frame}(() => setTimeout(done))))")


def column(tab, name):
    return tab.locator(f"#rungs tbody .{name}").all_inner_texts()


def test_nothing_is_asked_of_a_network_and_nothing_goes_wrong(moved, path):
    assert set(moved.heard) == {path.as_uri()}


@pytest.mark.parametrize(("depth", "metric"), [(1, 1), (20, 0)])
def test_the_slider_moves_ladder_matrix_and_words_together(moved, page, depth, metric):
    put(moved, depth=depth, metric=metric)
    place = DEPTHS.index(depth)
    mean = page.numbers["0/mean"][metric, place]
    shown = [float(text) for text in column(moved, "mean")]
    np.testing.assert_allclose(shown, sorted(mean)[::-1], atol=6e-4)
    said = {name: page.texts["said"][0][name] for name in ("first", "apart", "order")}
    for name, sentences in said.items():
        heading = moved.locator(f"h2[data-said={name}]").first.inner_text()
        assert heading == sentences[metric][place]
    assert moved.inner_text("#depth-shown") == str(depth)
    assert f"{METRICS[metric]}, depth {depth}" in moved.inner_text("#ladder .how")
    assert filled(moved) == 2 * (page.numbers["0/strength"][metric, place] > 0).sum()


def filled(tab):
    """Count the cells of the matrix that have a colour."""
    return tab.evaluate(
        """() => {
        const board = document.querySelector("canvas"), size = board.width / 8;
        const data = board.getContext("2d").getImageData(0, 0, board.width, board.height).data;
        const places = [...Array(64).keys()].map((cell) => [Math.floor(cell / 8), cell % 8]);
        const shown = places.filter(([line, column]) =>
            data[4 * ((line * size + 30) * board.width + column * size + 30) + 3] > 0);
        return shown.length;
    }"""
    )


def test_heads_sort_the_ladder(moved, page):
    moved.click("#rungs th.name button")
    settle(moved)
    names = column(moved, "name")
    assert names == sorted(page.facts["systems"], key=str.lower)
    moved.click("#rungs th.unjudged button")
    settle(moved)
    shares = [int(text.removesuffix(" %")) for text in column(moved, "unjudged")]
    assert shares == sorted(shares, reverse=True)
    assert moved.get_attribute("#rungs th.unjudged", "aria-sort") == "descending"
    assert moved.get_attribute("#rungs th.name", "aria-sort") is None


def test_systems_are_found_by_name_and_by_group(moved):
    moved.fill("#find", "bm25")
    settle(moved)
    assert sorted(column(moved, "name")) == ["bm25", "bm25+rm3"]
    assert moved.inner_text("#found") == "2 of 8 systems"
    moved.fill("#find", "rerankers")
    settle(moved)
    assert SYSTEM in column(moved, "name")


def test_figures_have_a_mark_for_every_number(moved, page):
    marks = {"curves": ".mark-line path", "told": ".mark-line path"}
    counts = {
        name: moved.locator(f"[data-live={name}] {each}").count() for name, each in marks.items()
    }
    assert counts == {"curves": len(page.facts["drawn"]), "told": len(METRICS)}
    bars = moved.locator("[data-live=differences] .mark-rect path").count()
    assert bars == len(page.facts["topics"])


def test_two_systems_are_held_against_each_other(moved, page):
    moved.select_option("#side-b", label="ance")
    settle(moved)
    moved.select_option("#topic", index=2)
    settle(moved)
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


def test_other_peoples_text_stays_text_when_the_script_writes_it(moved):
    moved.select_option("#baseline", label=SYSTEM)
    settle(moved)
    assert moved.title() == TITLE
    assert "dialog" not in moved.heard
    assert moved.locator("#rungs img, #rungs script, #lists b, #controls script").count() == 0
    names = moved.locator("[data-live=curves] text").all_text_contents()
    assert [name for name in names if name.startswith("<script>a")]


def test_data_come_as_csv(moved, page):
    with moved.expect_download() as waiting:
        moved.click("[data-csv=pairs] button")
    lines = waiting.value.path().read_text(encoding="utf-8").splitlines()
    assert lines[0] == "metric,depth,system_a,system_b,difference,p_below,wins,ties,losses"
    assert len(lines) == 1 + 28
    won = [sum(map(int, line.rsplit(",", 3)[1:])) for line in lines[1:]]
    assert set(won) == {len(page.facts["topics"])}


def test_a_track_brings_its_own_systems(tab, tracks_path, tracks):
    other = tab.context.browser.new_page()
    other.on("console", lambda message: tab.heard.append(message.text))
    other.goto(tracks_path.as_uri())
    other.wait_for_selector(".scripted [data-live=differences].vega-embed", state="attached")
    other.select_option("#view", label="track even")
    settle(other)
    there = [tracks.facts["systems"][place] for place in tracks.facts["views"][1]["systems"]]
    mean = tracks.numbers["1/mean"][0, 1]
    assert column(other, "name") == [there[place] for place in np.argsort(mean)]
    assert other.locator("#baseline option").all_text_contents() == ["none", *there]
    assert set(column(other, "change")) == {""}
    assert "of 8" in other.inner_text("#says-duel")
    other.close()


def test_the_matrix_is_read_by_keyboard(moved):
    moved.focus("canvas")
    for key in ("ArrowDown", "ArrowUp", "ArrowRight"):
        moved.keyboard.press(key)
    assert moved.inner_text("#cell").startswith(f"{SYSTEM} against ")


def violations(found):
    assert found.response["passes"]
    return [violation["id"] for violation in found.response["violations"]]


def test_axe_finds_nothing(moved, axe):
    assert violations(axe.run(moved)) == []


def test_text_stands_out_in_the_dark_too(moved, axe):
    moved.emulate_media(color_scheme="dark")
    parts = {"include": [["#ladder"], ["#controls"], ["#lists"], [".findings"]]}
    found = axe.run(moved, context=parts, options={"runOnly": ["color-contrast"]})
    moved.emulate_media(color_scheme="light")
    assert violations(found) == []


def test_lines_fit_a_narrow_window(moved):
    moved.set_viewport_size({"width": 320, "height": 640})
    width = moved.evaluate("document.documentElement.scrollWidth")
    moved.set_viewport_size({"width": 1280, "height": 900})
    assert width <= 320
