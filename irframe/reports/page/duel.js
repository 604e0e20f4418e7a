// Comparison of two systems by topic, and by document on one topic.
const EMPTY = -32768, UNJUDGED = -32767;
const grades = (mark) => (mark === UNJUDGED ? "?" : mark === EMPTY ? "" : String(mark));

function selectOf(options, chosen, select = document.createElement("select")) {
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value, false, String(value) === String(chosen))));
  return select;
}

function differences() {
  const pick = (system, topic) => at("scores", state.metric, system, topic, state.depth);
  return view().topics
    .map((topic) => ({ place: topic, topic: facts.topics[topic], a: pick(state.a, topic), b: pick(state.b, topic) }))
    .map((each) => ({ ...each, difference: each.a - each.b }))
    .filter((each) => !Number.isNaN(each.difference))
    .map((each) => ({ ...each, ahead: ["b", "neither", "a"][1 + Math.sign(each.difference * facts.signs[state.metric])] }))
    .sort((one, other) => other.difference - one.difference);
}

dataOf.differences = () => ({ bars: differences().map(({ topic, difference, ahead }, place) =>
  ({ topic, difference, place, hue: hueOf(ahead === "b" ? state.b : state.a) })) });

function drawDifferences() {
  const rows = differences(), count = (who) => rows.filter((each) => each.ahead === who).length;
  const counts = { a: facts.systems[state.a], b: facts.systems[state.b], ahead: count("a"), behind: count("b"), n: rows.length };
  element("says-duel").textContent = say(counts.ahead + counts.behind ? "duel.says" : "duel.same", counts);
  element("duel-more").textContent = further().map((each) => `${each}. `).join("").trim();
  if (!rows.some((each) => each.place === state.topic) && rows.length) state.topic = rows[0].place;
  show("differences");
  const systems = view().systems.map((system) => [system, nameOf(system)]);
  for (const side of ["a", "b"]) {
    document.querySelector(`.hue.${side}`).style.setProperty("--hue", `var(--c${hueOf(state[side])})`);
  }
  selectOf(systems, state.a, element("side-a"));
  selectOf(systems, state.b, element("side-b"));
  selectOf(rows.map((each) => [each.place, `${each.topic} (${signed(each.difference)})`]), state.topic, element("topic"));
}

// Sentences on other depths, the median run and unjudged documents.
function further() {
  const places = [local(state.a), local(state.b)], systems = view().systems, sentences = [];
  if (systems.length < 2 || places[0] === places[1]) return sentences;
  const all = facts.depths.map((_, d) => of("strength", state.metric, d)[pairOf(...places)] > 0), spans = [];
  all.forEach((apart, d) => { if (apart) (all[d - 1] ? spans.at(-1) : spans[spans.push([]) - 1]).push(facts.depths[d]); });
  const words = spans.map((span) => (span.length > 1 ? `${span[0]} to ${span.at(-1)}` : `${span[0]}`));
  if (words.length > 3) words.splice(3, words.length, `and ${words.length - 3} more`);
  const n = all.filter(Boolean).length, what = facts.along;
  if (all.length > 1) sentences.push(say(`duel.${n === all.length ? "all" : n ? "some" : "no"}_depths`, { n, of: all.length, what, spans: words.join(", ") }));
  const middle = median(), mean = now("mean");
  const against = places.filter((place) => place !== middle).map((place) => {
    const level = strength(place, middle), how = level ? `p < ${facts.levels[level - 1]}` : "not significant";
    return `${nameOf(systems[place])} ${signed(mean[place] - mean[middle])} (${how})`;
  });
  if (systems.length > 2) sentences.push(say("duel.median", { median: facts.systems[systems[middle]], differences: against.join(", ") }));
  const limits = facts.limits[facts.metrics[state.metric]];
  if (limits && !state.view && state.depth === facts.at) {
    const [[lowA, lowB], [highA, highB]] = limits.map((ends) => places.map((place) => ends[place]));
    const low = lowA - highB, high = highA - lowB;
    sentences.push(say(low * high > 0 ? "duel.holds" : "duel.open", { low, high }));
  }
  return sentences;
}

function entries(system) {
  const doc = row("doc", system, state.topic), grade = row("grade", system, state.topic);
  return [...doc].map((place, rank) => ({
    doc: grade[rank] === EMPTY ? "" : texts.documents[place] ?? "(unjudged)", grade: grades(grade[rank]),
    snippet: grade[rank] === EMPTY ? "" : texts.snippets[place] ?? "",
  }));
}

function drawLists() {
  const [left, right] = [entries(state.a), entries(state.b)];
  const parting = left.findIndex((entry, rank) => entry.doc !== right[rank].doc);
  const topic = facts.topics[state.topic];
  element("says-lists").textContent = parting < 0 ? say("lists.same", { topic, rank: left.length })
    : say("lists.parting", { topic, rank: parting + 1 });
  const query = texts.queries[state.topic], known = [...(query ? [query] : []),
    ...Object.entries(facts.properties).map(([name, values]) => `${name} ${values[state.topic]}`)];
  element("about-topic").textContent = known.length ? say("lists.query", { topic, query: known.join(", ") }) : "";
  for (const side of ["a", "b"]) {
    element(`name-${side}`).textContent = nameOf(state[side]);
    element(`name-${side}`).title = facts.systems[state[side]];
  }
  [...element("lists").tBodies[0].rows].forEach((line, rank) => {
    line.classList.toggle("parting", rank === parting);
    [left[rank], right[rank]].forEach((entry, side) => {
      const cell = line.cells[1 + 2 * side];
      cell.textContent = entry.doc;
      if (entry.snippet) {
        const text = document.createElement("span");
        text.className = "snippet";
        text.textContent = entry.snippet;
        cell.append(text);
      }
      line.cells[2 + 2 * side].textContent = line.cells[2 + 2 * side].dataset.grade = entry.grade;
    });
  });
}
watchers.push(drawDifferences, drawLists);

element("side-a").addEventListener("change", (event) => change({ a: Number(event.target.value) }));
element("side-b").addEventListener("change", (event) => change({ b: Number(event.target.value) }));
element("topic").addEventListener("change", (event) => change({ topic: Number(event.target.value) }));

exports.topics = () => [
  ["metric", "depth", "system", ...Object.keys(facts.properties), "topic", "score"],
  ...facts.metrics.flatMap((metric, m) => view().systems.flatMap((system) => view().topics.map((topic) => [
    metric, facts.depths[state.depth], facts.systems[system], ...Object.values(facts.properties).map((values) => values[topic]),
    facts.topics[topic], at("scores", m, system, topic, state.depth)]))),
];
exports.lists = () => [
  ["topic", "system", "rank", "doc", "grade"],
  ...[state.a, state.b].flatMap((system) => entries(system).map((entry, rank) => [
    facts.topics[state.topic], facts.systems[system], rank + 1, entry.doc, entry.grade])),
];
