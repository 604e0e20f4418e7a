// Controls, errors and tooltips of the page.
function within(system) {
  return local(system) >= 0 ? system : view().systems[ladderOrder()[0]];
}

function chooseView(number) {
  state.view = number;
  const [a, b] = [within(state.a), within(state.b)];
  const other = view().systems[ladderOrder()[1] ?? ladderOrder()[0]];
  for (const part of document.querySelectorAll("[data-pairs]")) part.hidden = view().systems.length < 2;
  fillBaselines();
  change({ own: within(state.own), a, b: a === b ? other : b, baseline: state.baseline !== MEDIAN && local(state.baseline) < 0 ? null : state.baseline });
}

function fillBaselines() {
  const systems = view().systems.map((system) => [system, nameOf(system)]);
  const middle = systems.length > 2 ? [[MEDIAN, "the median run"]] : [];
  selectOf([["", "none"], ...middle, ...systems], state.baseline ?? "", element("baseline"));
}

function sayDepth() {
  const depth = facts.depths[state.depth];
  element("depth-shown").textContent = depth;
  element("depth").setAttribute("aria-valuetext", forms.deep(depth));
}
watchers.push(sayDepth);

element("depth").addEventListener("input", (event) => change({ depth: Number(event.target.value) }));
element("metric").addEventListener("change", (event) => change({ metric: event.target.selectedIndex }));
element("view").addEventListener("change", (event) => chooseView(Number(event.target.value)));
element("find").addEventListener("input", (event) => change({ find: event.target.value.trim().toLowerCase() }));
element("baseline").addEventListener("change", (event) =>
  change({ baseline: event.target.value === "" ? null : Number(event.target.value) }));
element("controls").addEventListener("submit", (event) => event.preventDefault());
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));

// Show errors on the page.
function sayFailure(reason) {
  const message = element("failure");
  message.hidden = false;
  message.textContent = `A part of this page failed, and may be missing or out of date: ${reason?.message ?? reason}.`;
}
addEventListener("unhandledrejection", (event) => sayFailure(event.reason));
addEventListener("error", (event) => sayFailure(event.error));

// Marks of static figures have tooltips.
const hint = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
document.body.append(hint);
addEventListener("pointermove", (event) => {
  const mark = event.target.closest?.("figure:not(:has([data-live])) [aria-label]:is(path, line, rect)");
  hint.hidden = !mark;
  if (!mark) return;
  hint.textContent = mark.getAttribute("aria-label");
  hint.style.left = `${Math.min(event.pageX + 12, document.documentElement.clientWidth - hint.offsetWidth - 8)}px`;
  hint.style.top = `${event.pageY + 16}px`;
});

// On narrow screens, secondary sections are closed when the page opens.
if (matchMedia("(max-width: 600px)").matches) document.querySelectorAll("details.fold").forEach((each) => { each.open = false; });
addEventListener("hashchange", () => { if (element(anchor().slice(1))) lead(anchor().slice(1)); });

readAddress();
fillBaselines();
element("metric").selectedIndex = state.metric;
element("depth").value = state.depth;
element("view").value = state.view;
element("find").value = state.find;
element("controls").hidden = false;
document.documentElement.classList.add("scripted");
change({});
openSheet();
openTopic();
if (anchor().length > 1 && element(anchor().slice(1))) lead(anchor().slice(1));
