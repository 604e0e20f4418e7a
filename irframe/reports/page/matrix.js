// Who beats whom: a cell for every pair, in the order of the ladder.
const board = document.createElement("canvas");
board.tabIndex = 0;
board.setAttribute("role", "img");
element("board").querySelector("img").replaceWith(board);
let cursor = null;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function cellSize(count) {
  return Math.max(3, Math.floor(1000 / count));
}

function drawMatrix() {
  const order = ladderOrder(), mean = now("mean"), size = cellSize(order.length);
  board.width = board.height = order.length * size;
  board.setAttribute("aria-label", `Matrix of significant differences: ${said("apart")}. Arrow keys move over its cells.`);
  const pen = board.getContext("2d");
  const shades = { [1]: colour("--better"), [-1]: colour("--worse") }, full = facts.levels.length;
  order.forEach((a, line) => order.forEach((b, column) => {
    const level = a === b ? 0 : strength(a, b);
    if (!level) return;
    const ahead = Math.sign((mean[a] - mean[b]) * facts.signs[state.metric]) || 1;
    pen.globalAlpha = level / full;
    pen.fillStyle = shades[ahead];
    pen.fillRect(column * size, line * size, size, size);
    if (size >= 24) mark(pen, ahead, column * size + size / 2, line * size + size / 2, size);
  }));
  if (cursor) outline(pen, size);
  nameRows(order);
  sayCell(order);
}

const NAMED = 40;

function nameRows(order) {
  element("board").classList.toggle("many", order.length > NAMED);
  const names = order.length > NAMED ? [] : order.map((place) => facts.systems[view().systems[place]]);
  element("board-names").style.setProperty("--rows", names.length);
  element("board-names").replaceChildren(...names.map((name) => {
    const item = document.createElement("li");
    item.textContent = short(name);
    item.title = name;
    return item;
  }));
}

function mark(pen, ahead, x, y, size) {
  pen.globalAlpha = 1;
  pen.fillStyle = colour("--ink");
  pen.font = `${size / 2.2}px sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(ahead > 0 ? "+" : "−", x, y);
}

function outline(pen, size) {
  pen.globalAlpha = 1;
  pen.strokeStyle = colour("--ink");
  pen.lineWidth = Math.max(2, size / 8);
  pen.strokeRect(cursor[1] * size, cursor[0] * size, size, size);
}

// Topics on which every system of the view has a score; a comparison is of these.
function matched() {
  const there = (topic) => (system) => !Number.isNaN(at("scores", state.metric, system, topic, state.depth));
  return view().topics.filter((topic) => view().systems.every(there(topic)));
}

// Relative to the largest score: differences that vary by no more are one and the same, since the
// scores of a page have this many bits.
const ROUNDING = 2 ** -15;

// By how much the first of two systems scores more, between what and what that is, and on how
// many topics it scores better, alike and worse.
function compared(a, b, topics) {
  const [left, right] = [a, b].map((system) => topics.map((topic) => at("scores", state.metric, view().systems[system], topic, state.depth)));
  const apart = left.map((score, place) => score - right[place]), counts = [0, 0, 0];
  for (const each of apart) counts[1 - Math.sign(each * facts.signs[state.metric])] += 1;
  const centre = apart.reduce((sum, each) => sum + each, 0) / apart.length;
  const spread = Math.sqrt(apart.reduce((sum, each) => sum + (each - centre) ** 2, 0) / (apart.length - 1));
  const difference = now("mean")[a] - now("mean")[b];
  const constant = spread <= ROUNDING * Math.max(...left.map(Math.abs), ...right.map(Math.abs));
  const counting = held[`${state.view}/half`], own = counting ? now("half")[pairOf(a, b)] : of("reach", state.metric)[state.depth] * spread;
  const half = constant && !counting ? NaN : own;
  return { difference, low: difference - half, high: difference + half, counts, constant };
}

function levelText(level) {
  return level ? `p < ${facts.levels[level - 1]}` : `not significant at ${facts.levels[0]}`;
}

function sayCell(order) {
  if (!cursor || cursor[0] === cursor[1]) {
    element("cell").textContent = "Point at a cell, or move over them by the arrow keys; a click sets the two side by side.";
    return;
  }
  const [a, b] = cursor.map((place) => order[place]), topics = matched();
  const { difference, low, high, counts: [won, tied, lost], constant } = compared(a, b, topics);
  const why = topics.length < 2 ? "of one topic" : constant ? "the same on all topics" :
    `as ${facts.metrics[state.metric]} is not averaged as a mean`;
  const interval = Number.isNaN(low) ? `no interval, ${why}` :
    `${signed(low)} to ${signed(high)}, Student's interval of this pair alone at ${facts.sure}`;
  const [row, column] = [a, b].map((place) => nameOf(view().systems[place]));
  element("cell").textContent = `${row} against ${column}: ${signed(difference)} (${interval}), ` +
    `${levelText(strength(a, b))}; ${won} wins, ${tied} ties, ${lost} losses`;
}

function point(line, column) {
  const last = view().systems.length - 1, inside = (place) => Math.min(last, Math.max(0, place));
  cursor = [inside(line), inside(column)];
  drawMatrix();
}

function under(event) {
  const box = board.getBoundingClientRect(), count = view().systems.length;
  return [event.clientY - box.top, event.clientX - box.left].map((place) => Math.floor((place / box.width) * count));
}

function choose() {
  if (!cursor || cursor[0] === cursor[1]) return;
  const [a, b] = cursor.map((place) => view().systems[ladderOrder()[place]]);
  change({ a, b });
}

board.addEventListener("pointermove", (event) => {
  const [line, column] = under(event);
  if (!cursor || cursor[0] !== line || cursor[1] !== column) point(line, column);
});
board.addEventListener("click", choose);
board.addEventListener("keydown", (event) => {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  if (event.key === "Enter") choose();
  if (!steps[event.key]) return;
  event.preventDefault();
  const [line, column] = cursor ?? [0, 0];
  point(line + steps[event.key][0], column + steps[event.key][1]);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMatrix);
watchers.push(drawMatrix);

exports.pairs = () => {
  const order = ladderOrder(), systems = view().systems, topics = matched();
  const names = ["difference", "ci_low", "ci_high", "p_below", "wins", "ties", "losses"];
  const rows = [["metric", "depth", "system_a", "system_b", ...names]];
  order.forEach((a, place) => order.slice(place + 1).forEach((b) => {
    const { difference, low, high, counts } = compared(a, b, topics), pair = [a, b].map((each) => facts.systems[systems[each]]);
    const below = facts.levels[strength(a, b) - 1] ?? "";
    rows.push([facts.metrics[state.metric], facts.depths[state.depth], ...pair, difference, low, high, below, ...counts]);
  }));
  return rows;
};
