// Matrix of significant differences, in the order of the leaderboard.
// Colours are on a canvas. Signs and the cursor are in an SVG above it, which is sharp at any size.
const board = document.createElement("canvas");
const signs = document.createElementNS("http://www.w3.org/2000/svg", "svg");
board.tabIndex = 0;
board.setAttribute("role", "img");
signs.setAttribute("aria-hidden", "true");
const cells = Object.assign(document.createElement("div"), { className: "cells" });
cells.append(board, signs);
element("board").querySelector("img").replaceWith(cells);
let cursor = null;
let pinned = false;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function cellSize(count) {
  return Math.max(3, Math.floor(1000 / count));
}

function drawMatrix() {
  const order = ladderOrder(), mean = now("mean"), size = cellSize(order.length);
  if (pinned) cursor = [state.a, state.b].map((system) => order.indexOf(local(system)));
  board.width = board.height = order.length * size;
  board.setAttribute("aria-label", `Matrix of significant differences: ${said("apart")}. Arrow keys move over its cells.`);
  const pen = board.getContext("2d");
  const shades = { [1]: colour("--better"), [-1]: colour("--worse") }, full = facts.levels.length;
  const sought = order.map((place) => !state.find || matches(view().systems[place])), marks = [];
  order.forEach((a, line) => order.forEach((b, column) => {
    const level = a === b ? 0 : strength(a, b);
    if (!level) return;
    const ahead = Math.sign((mean[a] - mean[b]) * facts.signs[state.metric]) || 1;
    pen.globalAlpha = (level / full) * (sought[line] || sought[column] ? 1 : 0.2);
    pen.fillStyle = shades[ahead];
    pen.fillRect(column * size, line * size, size, size);
    marks.push([ahead > 0 ? "+" : "−", column + 0.5, line + 0.5]);
  }));
  drawSigns(order.length > NAMED ? [] : marks, order.length);
  nameRows(order, sought);
  sayCell(order);
}

const NAMED = 40;

const ACROSS = 12;

// Write the names of rows, and of columns if they fit. Systems that match the search are marked.
function nameRows(order, sought) {
  element("board").classList.toggle("many", order.length > NAMED);
  element("board-names").style.setProperty("--rows", order.length);
  for (const [id, most] of [["board-names", NAMED], ["board-columns", ACROSS]]) {
    element(id).replaceChildren(...(order.length > most ? [] : order).map((place, n) => {
      const name = facts.systems[view().systems[place]];
      const item = Object.assign(document.createElement("li"), { textContent: short(name, id === "board-names" ? 40 : 20), title: name });
      item.classList.toggle("sought", Boolean(state.find) && sought[n]);
      return item;
    }));
  }
  element("board-columns").style.setProperty("--names", `${cells.offsetLeft}px`);
}

function drawSigns(marks, count) {
  signs.setAttribute("viewBox", `0 0 ${count} ${count}`);
  const part = (kind, values) => {
    const made = document.createElementNS(signs.namespaceURI, kind);
    Object.entries(values).forEach(([name, value]) => made.setAttribute(name, value));
    return made;
  };
  signs.replaceChildren(...marks.map(([sign, x, y]) => {
    const text = part("text", { x, y });
    text.textContent = sign;
    return text;
  }), ...(cursor ? [part("rect", { x: cursor[1], y: cursor[0], width: 1, height: 1 })] : []));
}

// Topics on which every system of the view has a score. Comparisons use these topics.
function matched() {
  const there = (topic) => (system) => !Number.isNaN(at("scores", state.metric, system, topic, state.depth));
  return view().topics.filter((topic) => view().systems.every(there(topic)));
}

// Tolerance relative to the largest score: scores of a page have only this many bits, so that
// differences that vary less than this are equal.
const ROUNDING = 2 ** -15;

// Return the difference between two systems, its interval, and the numbers of topics on which the
// first system wins, ties and loses.
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
  element("tip").hidden = !cursor || cursor[0] === cursor[1] || Math.min(...cursor) < 0 || Math.max(...cursor) >= order.length;
  element("compare").hidden = !pinned;
  if (element("tip").hidden) return;
  const [a, b] = cursor.map((place) => order[place]), topics = matched();
  const { difference, low, high, counts: [won, tied, lost], constant } = compared(a, b, topics);
  const why = topics.length < 2 ? "of one topic" : constant ? "the same on all topics" :
    `as ${facts.metrics[state.metric]} is not averaged as a mean`;
  const interval = Number.isNaN(low) ? `no interval, ${why}` :
    `${signed(low)} to ${signed(high)}, Student's interval of this pair alone at ${facts.sure}`;
  const [row, column] = [a, b].map((place) => nameOf(view().systems[place]));
  element("cell").textContent = `${row} against ${column}: ${signed(difference)} (${interval}), ` +
    `${levelText(strength(a, b))}; ${won} wins, ${tied} ties, ${lost} losses`;
  placeTip(order.length);
}

// Place the tooltip beside the cell, within the window.
function placeTip(count) {
  const tip = element("tip"), cell = board.clientWidth / count, [line, column] = cursor;
  const left = cells.offsetLeft + (column + 1) * cell, { left: from } = element("board").getBoundingClientRect();
  const room = document.documentElement.clientWidth - from - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(-from + 8, Math.min(left, room))}px`;
  tip.style.top = `${(line + 1) * cell + 4}px`;
}

function point(line, column) {
  const last = view().systems.length - 1, inside = (place) => Math.min(last, Math.max(0, place));
  cursor = [inside(line), inside(column)];
  pinned = false;
  drawMatrix();
}

function under(event) {
  const box = board.getBoundingClientRect(), count = view().systems.length;
  return [event.clientY - box.top, event.clientX - box.left].map((place) => Math.floor((place / box.width) * count));
}

function choose() {
  if (!cursor || cursor[0] === cursor[1]) return;
  const [a, b] = cursor.map((place) => view().systems[ladderOrder()[place]]);
  pinned = true;
  change({ a, b });
}

board.addEventListener("pointermove", (event) => {
  const [line, column] = under(event);
  if (pinned || event.pointerType === "touch") return;
  if (!cursor || cursor[0] !== line || cursor[1] !== column) point(line, column);
});
board.addEventListener("pointerleave", () => { if (!pinned) { cursor = null; drawMatrix(); } });
board.addEventListener("click", (event) => { point(...under(event)); choose(); });
element("compare").addEventListener("click", (event) => { event.preventDefault(); lead("duel", "says-duel"); });
addEventListener("pointerdown", (event) => {
  if (pinned && !event.target.closest("#board")) { pinned = false; cursor = null; drawMatrix(); }
});
board.addEventListener("keydown", (event) => {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  if (event.key === "Enter") { choose(); lead("duel", "says-duel"); }
  if (event.key === "Escape") { cursor = null; pinned = false; drawMatrix(); }
  if (!steps[event.key]) return;
  event.preventDefault();
  const [line, column] = cursor ?? [0, 0];
  point(line + steps[event.key][0], column + steps[event.key][1]);
});
addEventListener("resize", drawMatrix);
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
