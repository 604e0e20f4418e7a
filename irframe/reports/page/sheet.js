// Scores of one system by topic, compared with those of all systems of the view.
const sheetBody = element("sheet-rows").tBodies[0];
const sheetAddress = (system) => address("sheet", facts.systems[system]);

function standing(topic) {
  const pick = (system) => at("scores", state.metric, system, topic, state.depth), sign = facts.signs[state.metric];
  const all = view().systems.map(pick).filter((value) => !Number.isNaN(value)).sort((a, b) => sign * (b - a));
  const score = pick(state.own), n = all.length, median = quartiles(topic)[1];
  const rank = Number.isNaN(score) ? NaN : 1 + all.filter((value) => sign * (value - score) > 0).length;
  return { topic: facts.topics[topic], score, best: all[0], median, worst: all[n - 1], rank, n, better: sign * (score - median) };
}

function standings() {
  const rows = view().topics.map(standing).filter((each) => each.n);
  const least = (each) => (Number.isNaN(each.better) ? Infinity : each.better);
  return element("sheet-order").value === "topic" ? rows : rows.sort((a, b) => (least(a) < least(b) ? -1 : least(a) > least(b) ? 1 : 0));
}

function percent(share) {
  if (Number.isNaN(share)) return "-";
  const rounded = Math.round(100 * share);
  if (rounded === 0 && share > 0) return "less than 1\u00a0%";
  return rounded === 100 && share < 1 ? "more than 99\u00a0%" : `${rounded}\u00a0%`;
}

function saySheet(rows) {
  const count = (holds) => rows.filter(holds).length, place = local(state.own), found = rungValues();
  const alone = view().systems.length < 2, scores = rows.map((each) => each.score);
  const values = {
    ...spelled(found, place), name: facts.systems[state.own], n: rows.length, first: percent(now("first")[place]),
    better: count((each) => each.better > 0), worse: count((each) => each.better < 0), best: count((each) => each.rank === 1),
    low: Math.min(...scores), high: Math.max(...scores),
  };
  element("says-sheet").textContent = say(alone ? "sheet.alone" : "sheet.says", values);
  const known = {
    "sheet.rank": !alone, "sheet.bare": values.interval === "-", "sheet.mean": values.interval !== "-",
    "sheet.first": values.first !== "-", "sheet.unjudged": values.unjudged !== "-", "sheet.best": !alone,
  };
  element("sheet-known").textContent = Object.keys(known).filter((key) => known[key]).map((key) => `${say(key, values)}. `).join("").trim();
}

function sheetRow(each, low, high) {
  const line = sheetBody.rows[0].cloneNode(true), cell = (name) => line.querySelector(`.${name}`);
  const share = (value) => (Number.isNaN(value) ? 0 : (100 * (value - low)) / (high - low || 1));
  const { score, median, best, worst } = each, none = Number.isNaN(score);
  const marks = { median, score, low: Math.min(best, worst), high: Math.max(best, worst) };
  for (const [name, value] of Object.entries(marks)) cell("bar").firstChild.style.setProperty(`--${name}`, `${share(value)}%`);
  cell("bar").firstChild.classList.toggle("none", none);
  for (const name of ["score", "median", "best", "worst"]) cell(name).textContent = fixed(each[name]);
  cell("topic").textContent = each.topic;
  cell("apart").textContent = none ? "-" : signed(score - median);
  cell("rank").textContent = none ? "-" : `${each.rank} of ${each.n}`;
  return line;
}

function drawSheet() {
  const rows = standings(), ends = rows.flatMap(({ best, worst }) => [best, worst]);
  const low = Math.min(0, ...ends), high = Math.max(...ends);
  saySheet(rows);
  sheetBody.replaceChildren(...rows.map((each) => sheetRow(each, low, high)));
  element("sheet").style.setProperty("--hue", `var(--c${hueOf(state.own)})`);
  selectOf(view().systems.map((system) => [system, nameOf(system)]), state.own, element("own"));
}
watchers.push(drawSheet);

// The address may contain the name of the selected system, as links in the leaderboard do.
function openSheet() {
  const system = facts.systems.findIndex((_, place) => sheetAddress(place) === anchor());
  if (system < 0) return;
  if (local(system) < 0) element("view").value = state.view = facts.views.findIndex((each) => each.systems.includes(system));
  change({ own: system, a: system, b: system === state.b ? state.a : state.b });
  chooseView(state.view);
  lead("sheet", "says-sheet");
}
addEventListener("hashchange", openSheet);
body.addEventListener("click", (event) => {
  if (event.target.closest("a")?.hash === anchor()) openSheet();
});
for (const [system, line] of rungs) line.querySelector(".name a").href = sheetAddress(system);

element("own").addEventListener("change", (event) => change({ own: Number(event.target.value) }));
element("sheet-order").addEventListener("change", () => change({}));

exports.sheet = () => [
  ["metric", "depth", "system", "topic", "score", "best", "median", "worst", "rank", "n"],
  ...standings().map(({ topic, score, best, median, worst, rank, n }) => [
    facts.metrics[state.metric], facts.depths[state.depth], facts.systems[state.own], topic, score, best, median, worst, rank, n]),
];
