// What the page shows, and what is to be drawn again when that changes.
const state = {
  view: 0, metric: 0, depth: facts.at, baseline: facts.baselines[0] ?? null, sort: "rank_low", down: false, find: "",
  drawn: new Set(facts.drawn), a: facts.duel[0], b: facts.duel[1], topic: facts.duel[2], own: facts.own,
};
const watchers = [];
let waiting = false;

function change(values) {
  Object.assign(state, values);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; watchers.forEach((draw) => draw()); });
}

const view = () => facts.views[state.view];
const of = (name, ...places) => row(`${state.view}/${name}`, ...places);
const now = (name) => of(name, state.metric, state.depth);
const local = (system) => view().systems.indexOf(system);
const said = (name, view = state.view) => {
  const sentences = texts.said[view][name];
  return (sentences[state.metric] ?? sentences[0])[state.depth];
};

// The quartiles of the scores of the view's systems on a topic.
const quartiles = (topic) => [0, 1, 2].map((place) => at("quartiles", state.metric, 3 * state.view + place, topic, state.depth));

// Positions in the view of its systems, the best first.
function ladderOrder() {
  const mean = now("mean"), rank = now("rank"), sign = facts.signs[state.metric];
  return [...mean.keys()].sort((a, b) => rank[a] - rank[b] || sign * (mean[b] - mean[a]) || a - b);
}

// Position of the median run, which may be the baseline, whoever it is at a metric and a depth.
const median = () => ladderOrder()[(view().systems.length - 1) >> 1];
const MEDIAN = facts.systems.length;

// Below how many of the levels the p-value of two systems of the view is.
function strength(a, b) {
  return now("strength")[pairOf(a, b)];
}

// Position of two systems of the view among its pairs.
function pairOf(a, b) {
  const [low, high] = a < b ? [a, b] : [b, a], count = view().systems.length;
  return low * count - (low * (low + 1)) / 2 + high - low - 1;
}

// Only systems that are chosen have a colour, which they keep; one more gets the rarest.
const owned = new Map(facts.hues.flatMap((hue, system) => (hue < 0 ? [] : [[system, hue]])));
const chosen = () => new Set([...state.drawn, state.a, state.b, state.own]);
const HUES = 8;

function dealHues() {
  const now = chosen();
  for (const system of [...owned.keys()]) if (!now.has(system)) owned.delete(system);
  for (const system of now) if (!owned.has(system)) {
    const used = Array(HUES).fill(0);
    for (const hue of owned.values()) used[hue] += 1;
    owned.set(system, used.indexOf(Math.min(...used)));
  }
}
const hueOf = (system) => owned.get(system) ?? 0;
watchers.push(dealHues);

function sayNow() {
  for (const place of document.querySelectorAll("[data-said]")) {
    const sentence = said(place.dataset.said, place.dataset.view);
    place.textContent = sentence && place.tagName !== "H2" ? `${sentence}.` : sentence;
  }
  const sizes = { topics: view().topics.length, systems: view().systems.length };
  document.querySelector("[data-sizes]").textContent = say("now.sizes", sizes);
  const shown = { metric: facts.metrics[state.metric], depth: facts.depths[state.depth] };
  const text = (number) => say(facts.views.length > 1 ? "now.track" : "now.page", { ...shown, view: facts.views[number].name });
  document.querySelectorAll("[data-metric]").forEach((place) => { place.textContent = facts.metrics[state.metric]; });
  document.querySelectorAll("[data-now]").forEach((place) => { place.textContent = text(place.dataset.view ?? state.view); });
}
watchers.push(sayNow);

// What is shown stands in the address, as far as it is not what the page opens with, behind the
// place to which it leads: #duel?depth=20&a=bm25.
const named = { metric: facts.metrics, depth: facts.depths, view: facts.views.map((each) => each.name),
  baseline: [...facts.systems, "the median run"], a: facts.systems, b: facts.systems, topic: facts.topics, own: facts.systems };
const opening = { ...state };
const anchor = () => location.hash.split("?")[0];
const address = (kind, name) => `#${kind}/${encodeURIComponent(name)}`;

function keepAddress() {
  const asked = new URLSearchParams();
  for (const [key, names] of Object.entries(named)) if (state[key] !== opening[key]) asked.set(key, names[state[key]] ?? "");
  if (state.find) asked.set("find", state.find);
  const text = String(asked) ? `${anchor() || "#"}?${asked}` : anchor();
  if (text !== location.hash) try { history.replaceState(null, "", text || location.pathname + location.search); } catch { /* of a page in a page */ }
}
watchers.push(keepAddress);

function readAddress() {
  const asked = new URLSearchParams(location.hash.split("?")[1] ?? "");
  for (const [key, names] of Object.entries(named)) {
    const place = asked.has(key) ? names.map(String).indexOf(asked.get(key)) : -1;
    if (place >= 0) state[key] = place;
    else if (key === "baseline" && asked.has(key)) state[key] = null;
  }
  state.find = asked.get("find") ?? state.find;
  for (const key of ["own", "a", "b"]) if (local(state[key]) < 0) state[key] = view().systems[0];
  if (!view().topics.includes(state.topic)) state.topic = view().topics[0];
}

// Lead to a part of the page, opening what it is folded in.
function lead(id, focused) {
  const target = element(id);
  target?.querySelectorAll("details.fold").forEach((each) => { each.open = true; });
  target?.closest("details")?.setAttribute("open", "");
  target?.scrollIntoView();
  if (focused) element(focused).focus({ preventScroll: true });
}
