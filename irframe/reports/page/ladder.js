// Leaderboard with a row per system, sorted and filtered.
const body = element("rungs").tBodies[0];
const rungs = new Map([...body.rows].map((line) => [Number(line.dataset.system), line]));

function newRung(system) {
  const line = body.rows[0].cloneNode(true);
  line.dataset.system = system;
  if (facts.known.length) line.querySelector(".known").textContent = facts.known.map((name) => facts.groups[name][system]).join(", ");
  line.querySelector(".name a").textContent = nameOf(system);
  line.querySelector(".name a").title = facts.systems[system];
  return line;
}
facts.systems.forEach((_, system) => { if (!rungs.has(system)) rungs.set(system, newRung(system)); });

function rungValues() {
  const names = ["rank", "rank_low", "rank_high", "tier", "mean", "ci_low", "ci_high", "could_be_first"];
  const found = Object.fromEntries(names.map((name) => [name, now(name)]));
  found.unjudged = of("unjudged", state.depth);
  const base = state.baseline === null ? -1 : state.baseline === MEDIAN ? median() : local(state.baseline);
  found.change = found.mean.map((mean) => (base < 0 ? NaN : mean - found.mean[base]));
  found.base = base;
  return found;
}

// Return the texts of a row of the leaderboard.
function spelled(found, place) {
  const [from, to] = [found.rank_low[place], found.rank_high[place]], open = found.unjudged[place];
  const none = Number.isNaN(found.ci_low[place]);
  return {
    rank: found.rank[place] || "-",
    ranks: from === 0 ? "-" : from === to ? from : `${from}–${to}`,
    tier: found.tier[place] || "-",
    mean: fixed(found.mean[place]),
    interval: none ? "-" : `${fixed(found.ci_low[place])} to ${fixed(found.ci_high[place])}`,
    unjudged: Number.isNaN(open) ? "-" : `${Math.round(100 * open)}\u00a0%`,
  };
}

// Write the names and means of a system's repeats, and draw a dot at each mean.
function repeatsOf(place) {
  const names = view().repeats, first = names.slice(0, place).reduce((sum, each) => sum + each.length, 0);
  const means = names[place].length ? now("repeats").subarray(first, first + names[place].length) : [];
  return names[place].map((name, number) => ({ name, mean: means[number] }));
}

function fillRepeats(line, place, share) {
  const found = repeatsOf(place), part = (kind, text) => Object.assign(document.createElement(kind), { textContent: text });
  line.querySelector(".repeats").hidden = !found.length;
  line.querySelector(".repeats summary").textContent = `${found.length} ${facts.repeated[found.length === 1 ? 0 : 1]}`;
  line.querySelector(".repeats dl").replaceChildren(...found.map(({ name, mean }) => {
    const pair = document.createElement("div");
    pair.append(part("dt", `${facts.repeated[0]} ${name}`), part("dd", fixed(mean)));
    return pair;
  }));
  line.querySelector(".bar i").replaceChildren(...found.filter(({ mean }) => !Number.isNaN(mean)).map(({ mean }) => {
    const dot = document.createElement("b");
    dot.style.setProperty("--at", `${share(mean)}%`);
    return dot;
  }));
}

function fill(line, found, place, [low, high]) {
  const cell = (name) => line.querySelector(`.${name}`);
  const share = (value) => (Number.isNaN(value) ? 0 : (100 * (value - low)) / (high - low || 1));
  const { rank, ranks, tier, mean, interval, unjudged } = spelled(found, place);
  Object.entries({ rank, rank_low: ranks, tier, mean, unjudged }).forEach(([name, text]) => { cell(name).textContent = text; });
  cell("bar").title = cell("bar").lastChild.textContent = interval;
  const ends = { low: found.ci_low, mean: found.mean, high: found.ci_high };
  for (const [end, values] of Object.entries(ends)) {
    cell("bar").firstChild.style.setProperty(`--${end}`, `${share(values[place])}%`);
  }
  if (facts.repeated) fillRepeats(line, place, share);
  const differs = (other) => other >= 0 && place !== other && strength(place, other) > 0;
  const several = facts.baselines.length > 1, apart = !several && differs(found.base);
  const raised = document.createElement("sup");
  if (several) raised.textContent = facts.baselines.flatMap((other, n) => (differs(local(other)) ? [n + 1] : [])).join(",");
  cell("change").replaceChildren(signed(found.change[place]) + (apart ? " *" : ""), raised);
  cell("change").title = apart ? "differs significantly from the baseline" : "";
  line.classList.toggle("baseline", place === found.base);
  line.classList.toggle("leads", found.could_be_first[place] === 1);
  const system = view().systems[place], hue = line.querySelector(".hue");
  hue.hidden = !chosen().has(system);
  hue.style.setProperty("--hue", `var(--c${hueOf(system)})`);
}

function sorted(found) {
  const order = ladderOrder(), key = state.sort, sign = state.down ? -1 : 1;
  if (key === "rank_low") return state.down ? order.reverse() : order;
  const name = (place) => facts.systems[view().systems[place]];
  if (key === "name") return order.sort((a, b) => sign * name(a).localeCompare(name(b)));
  return order.sort((a, b) => sign * ((found[key][a] || 0) - (found[key][b] || 0)));
}

function matches(system) {
  const known = [facts.systems[system], ...Object.values(facts.groups).map((values) => values[system])];
  return known.some((text) => text.toLowerCase().includes(state.find));
}

function drawLadder() {
  const found = rungValues();
  const ends = [...found.ci_low, ...found.ci_high, ...found.mean, ...(held[`${state.view}/repeats`] ? now("repeats") : []), 0].filter((value) => !Number.isNaN(value));
  const limits = [Math.min(...ends), Math.max(...ends)];
  const lines = sorted(found).filter((place) => matches(view().systems[place])).map((place, number, all) => {
    const line = rungs.get(view().systems[place]);
    fill(line, found, place, limits);
    const opens = number > 0 && found.tier[place] !== found.tier[all[number - 1]];
    line.classList.toggle("opens", opens && ["rank_low", "tier"].includes(state.sort));
    return line;
  });
  body.replaceChildren(...lines);
  const based = found.base >= 0;
  element("rungs").classList.toggle("based", based);
  if (element("starred")) element("starred").hidden = !based;
  element("found").textContent = state.find ? `${lines.length} of ${view().systems.length} systems` : "";
  for (const head of document.querySelectorAll("#rungs th[data-key]")) {
    if (head.dataset.key === state.sort) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}
watchers.push(drawLadder);

for (const head of document.querySelectorAll("#rungs th[data-key]")) {
  const key = head.dataset.key;
  if (key === "bar") continue;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = head.textContent;
  head.replaceChildren(button);
  const falls = ["mean", "change", "unjudged"].includes(key);
  button.addEventListener("click", () => change({ sort: key, down: state.sort === key ? !state.down : falls }));
}

exports.repeats = () => table(facts.views.flatMap((each, number) => facts.metrics.flatMap((metric, m) => facts.depths.flatMap((depth, d) =>
  each.repeats.flatMap((names, place) => names.map((name) => [facts.systems[each.systems[place]], name]))
    .map(([system, repeat], list) => ({ view: each.name, metric, depth, system, repeat, mean: at(`${number}/repeats`, m, d, list) }))))));
exports.ladder = () => {
  const names = ["rank", "rank_low", "rank_high", "could_be_first", "first", "tier", "mean", "ci_low", "ci_high"];
  const rows = [["view", "metric", facts.unit ? "budget" : "depth", "system", ...names, "unjudged"]];
  facts.views.forEach((each, number) => facts.metrics.forEach((metric, m) => facts.depths.forEach((depth, d) =>
    each.systems.forEach((system, place) => rows.push([each.name, metric, depth, facts.systems[system],
      ...names.map((name) => at(`${number}/${name}`, m, d, place)), at(`${number}/unjudged`, d, place)])))));
  return rows;
};
