// Table of topics, the hardest first.
const topicBody = element("topic-rows").tBodies[0];
const topicAddress = (topic) => address("topic", facts.topics[topic]);

function hardness(topic) {
  const sign = facts.signs[state.metric];
  const there = view().systems.map((system) => ({ system, score: at("scores", state.metric, system, topic, state.depth) }))
    .filter((each) => !Number.isNaN(each.score));
  if (!there.length) return null;
  const all = there.map((each) => each.score);
  const best = there.reduce((kept, each) => (sign * (each.score - kept.score) > 0 ? each : kept));
  const [low, high] = [Math.min(...all), Math.max(...all)], [q1, median, q3] = quartiles(topic);
  const without = sign > 0 ? there.filter((each) => each.score === 0).length : 0;
  const more = there.filter((each) => each.score === best.score).length - 1;
  return { topic, low, q1, median, q3, high, best: best.system, more, top: best.score, without, n: there.length };
}

function hardnesses() {
  const sign = facts.signs[state.metric];
  return view().topics.map(hardness).filter((each) => each)
    .sort((a, b) => sign * (a.median - b.median) || sign * (a.top - b.top) || a.topic - b.topic);
}

function topicRow(each, low, high) {
  const line = topicBody.rows[0].cloneNode(true), cell = (name) => line.querySelector(`.${name}`);
  for (const name of ["low", "q1", "median", "q3", "high"]) {
    cell("bar").firstChild.style.setProperty(`--${name}`, `${(100 * (each[name] - low)) / (high - low || 1)}%`);
  }
  const link = line.querySelector("a");
  link.textContent = facts.topics[each.topic];
  link.href = topicAddress(each.topic);
  for (const name of ["median", "top"]) cell(name).textContent = fixed(each[name]);
  cell("spread").textContent = `${fixed(each.q1)} to ${fixed(each.q3)}`;
  cell("best").textContent = nameOf(each.best) + (each.more ? ` and ${each.more} more` : "");
  cell("best").title = facts.systems[each.best];
  cell("without").textContent = `${each.without} of ${each.n}`;
  return line;
}

function drawTopics() {
  const rows = hardnesses(), low = Math.min(0, ...rows.map((each) => each.low)), high = Math.max(...rows.map((each) => each.high));
  topicBody.replaceChildren(...rows.map((each) => topicRow(each, low, high)));
}
watchers.push(drawTopics);

// The address may contain a topic. The page then shows the lists of its best system and another.
function openTopic() {
  const topic = facts.topics.findIndex((_, place) => topicAddress(place) === anchor());
  if (topic < 0) return;
  if (!view().topics.includes(topic)) chooseView(facts.views.findIndex((each) => each.topics.includes(topic)));
  const { best } = hardness(topic) ?? { best: state.a };
  change({ topic, a: best, b: best === state.b ? state.a : state.b });
  lead("says-lists", "says-lists");
}
addEventListener("hashchange", openTopic);
topicBody.addEventListener("click", (event) => {
  if (event.target.closest("a")?.hash === anchor()) openTopic();
});

exports.hard = () => [
  ["metric", "depth", "topic", "lowest", "lower quartile", "median", "upper quartile", "highest", "best system", "its score", "systems at 0", "systems"],
  ...hardnesses().map((each) => [facts.metrics[state.metric], facts.depths[state.depth], facts.topics[each.topic],
    each.low, each.q1, each.median, each.q3, each.high, facts.systems[each.best], each.top, each.without, each.n]),
];
