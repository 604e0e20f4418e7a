// Numbers of the page as typed arrays, and functions that read them.
const facts = JSON.parse(document.getElementById("facts").textContent);

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// Vega is compressed too, because it is the larger part of the page.
const code = document.createElement("script");
code.textContent = new TextDecoder().decode(await unpack(document.getElementById("vega").textContent));
document.head.append(code);

const buffer = await unpack(document.getElementById("numbers").textContent);
const kinds = { Float32Array, Uint8Array, Uint16Array, Int16Array, Int32Array };
const held = Object.fromEntries(Object.entries(facts.contents).map(([name, { kind, start, shape }]) => {
  const length = shape.reduce((product, size) => product * size, 1);
  return [name, { values: new kinds[kind](buffer, start, length), shape }];
}));
const texts = JSON.parse(new TextDecoder().decode(held.texts.values));

// Return the last axis of an array at given indices, such as the systems at a metric and depth.
function row(name, ...places) {
  const { values, shape } = held[name];
  const size = shape.slice(places.length).reduce((product, each) => product * each, 1);
  const first = places.reduce((sum, place, axis) => sum * shape[axis] + place, 0) * size;
  return values.subarray(first, first + size);
}

// Return one number of an array.
function at(name, ...places) {
  const { values, shape } = held[name];
  return values[places.reduce((sum, place, axis) => sum * shape[axis] + place, 0)];
}
const fixed = (value) => (Number.isNaN(value) ? "-" : value.toFixed(Math.abs(value) < 100 ? 3 : 1).replace(/^-(?=[0.]*$)/, ""));
const signed = (value) => (Number.isNaN(value) ? "" : (value > 0 && /[1-9]/.test(fixed(value)) ? "+" : "") + fixed(value));
const short = (name, most = 40) => (name.length <= most ? name : `${name.slice(0, most / 2 - 1)}…${name.slice(1 - most / 2)}`);
const nameOf = (system) => short(facts.systems[system]);

// Fill a template. The format "+noun" writes a number with the singular or plural of a noun.
const forms = { fixed: (value) => fixed(value), short, deep: (depth) => (facts.unit ? `${depth} ${facts.unit}` : `depth ${depth}`) };
const say = (key, values) => facts.words[key].replace(/\{(\w+)(?::([^}]*))?\}/g, (_, name, form) => {
  const value = values[name];
  if (form?.startsWith("+")) return `${value} ${form.slice(1)}${value === 1 ? "" : "s"}`;
  return form ? forms[form](value) : value;
});
const element = (id) => document.getElementById(id);
