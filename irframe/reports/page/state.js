// State of the page, and functions that draw after it changes.
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

// Return the quartiles of scores on a topic over the systems of the view.
const quartiles = (topic) => [0, 1, 2].map((place) => at("quartiles", state.metric, 3 * state.view + place, topic, state.depth));

// Return the positions of the systems in the view, the best first.
function ladderOrder() {
  const mean = now("mean"), rank = now("rank"), sign = facts.signs[state.metric];
  return [...mean.keys()].sort((a, b) => rank[a] - rank[b] || sign * (mean[b] - mean[a]) || a - b);
}

// Return the position of the median run. The baseline may be the median run of each depth.
const median = () => ladderOrder()[(view().systems.length - 1) >> 1];
const MEDIAN = facts.systems.length;

// Return the number of significance levels above the p-value of two systems.
function strength(a, b) {
  return now("strength")[pairOf(a, b)];
}

// Return the position of two systems among all pairs of the view.
function pairOf(a, b) {
  const [low, high] = a < b ? [a, b] : [b, a], count = view().systems.length;
  return low * count - (low * (low + 1)) / 2 + high - low - 1;
}

// Only selected systems have a colour, which they keep. A new system gets the least used colour.
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

// The address contains the changed state after the anchor, as in #duel?depth=20&a=bm25.
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
  if (text !== location.hash) try { history.replaceState(null, "", text || location.pathname + location.search); } catch { /* refused in a frame without an address */ }
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

// Move to an element of the page, and open the closed sections around it.
function lead(id, focused) {
  const target = element(id);
  target?.querySelectorAll("details.fold").forEach((each) => { each.open = true; });
  target?.closest("details")?.setAttribute("open", "");
  target?.scrollIntoView();
  if (focused) element(focused).focus({ preventScroll: true });
}
