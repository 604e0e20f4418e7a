// Interactive figures, which Vega draws from rows of the numbers.
// Vega interprets expressions, because the Content-Security-Policy forbids eval.
const quiet = { actions: false, renderer: "svg", ast: true, tooltip: { theme: "custom" } };
const drawings = {};
const dataOf = {};

// Draw a figure, or draw it again. If Vega fails, it draws no marks and logs the reason.
async function show(name) {
  const data = dataOf[name](), place = document.querySelector(`[data-live="${name}"]`);
  const [first] = Object.values(data), known = first.some((each) => !Number.isNaN(each.value ?? each.mean ?? each.difference));
  place.closest("figure").hidden = first.length > 0 && !known;
  if (place.closest("figure").hidden) return;
  if (!drawings[name]) {
    drawings[name] = vegaEmbed(place, { ...facts.figures[name], datasets: data }, quiet);
    await drawings[name];
  } else {
    const { view: drawing } = await drawings[name];
    for (const [key, rows] of Object.entries(data)) drawing.data(key, rows);
    await drawing.runAsync();
  }
  if (first.length && !place.querySelector(".role-mark")) throw new Error(`the figure ${name} could not be drawn`);
}

const marker = () => [{ depth: facts.depths[state.depth] }];

function curveRows() {
  return [...state.drawn].filter((system) => local(system) >= 0).flatMap((system) =>
    facts.depths.map((depth, d) => ({
      depth, mean: of("mean", state.metric, d)[local(system)], system: facts.systems[system], place: system, hue: hueOf(system),
    })));
}

function shareRows(pick) {
  return facts.metrics.flatMap((metric, m) => facts.depths.map((depth, d) => ({ depth, metric, value: pick(m, d) })));
}

const toldRows = () => shareRows((m, d) => of("told", m)[d]);
const orderRows = () => shareRows((m, d) => of("agreement", m, state.depth)[d]);

// Names at the ends of the lines, moved so that they do not overlap.
function ends(lines) {
  const means = lines.map((each) => each.mean), gap = 0.075 * (Math.max(...means) - Math.min(0, ...means) || 1);
  const last = lines.filter((each) => each.depth === facts.depths.at(-1)).sort((a, b) => a.mean - b.mean);
  last.forEach((each, place) => { if (place) each.mean = Math.max(each.mean, last[place - 1].mean + gap); });
  let roof = Math.max(...means);
  for (const each of [...last].reverse()) { each.mean = Math.min(each.mean, roof); roof = each.mean - gap; }
  return last.map((each) => ({ ...each, label: short(each.system, LONGEST) }));
}

const LONGEST = 14;

dataOf.curves = () => ({ lines: curveRows(), now: marker(), ends: ends(curveRows()) });
dataOf.told = () => ({ lines: toldRows(), now: marker() });
dataOf.order = () => ({ lines: orderRows(), now: marker() });
watchers.push(() => ["curves", ...(view().systems.length > 1 ? ["told", "order"] : [])].forEach(show));

function drawPicks() {
  const labels = [...state.drawn].filter((system) => local(system) >= 0).map((system) => {
    const label = document.createElement("label"), box = document.createElement("input"), hue = document.createElement("i");
    box.type = "checkbox";
    box.checked = true;
    box.addEventListener("change", () => { state.drawn.delete(system); change({}); });
    hue.className = "hue";
    hue.style.setProperty("--hue", `var(--c${hueOf(system)})`);
    label.append(box, hue, nameOf(system));
    label.title = facts.systems[system];
    return label;
  });
  const others = view().systems.filter((system) => !state.drawn.has(system));
  const more = selectOf([["", "add a system"], ...others.map((system) => [system, nameOf(system)])]);
  more.setAttribute("aria-label", "Add a system to the curves");
  more.addEventListener("change", () => { state.drawn.add(Number(more.value)); change({}); });
  element("picks").replaceChildren(element("picks").firstElementChild, ...labels, more);
}
watchers.push(drawPicks);

const table = (rows) => [Object.keys(rows[0] ?? {}), ...rows.map((each) => Object.values(each))];
exports.curves = () => table(facts.metrics.flatMap((metric, m) => view().systems.flatMap((system, place) =>
  facts.depths.map((depth, d) => ({ metric, system: facts.systems[system], depth, mean: of("mean", m, d)[place] })))));
exports.told = () => table(toldRows());
exports.order = () => table(facts.depths.flatMap((other, o) =>
  shareRows((m, d) => of("agreement", m, o)[d]).map((each) => ({ ...each, depth_other: other }))));
