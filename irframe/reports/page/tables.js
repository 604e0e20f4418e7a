// CSV data of static figures and tables, or of the numbers of the page.
const exports = {};
const quoted = (value) => {
  // The numbers of the page have five digits, so CSV files contain no more.
  const known = typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
  const text = String(known ?? "");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const csv = (rows) => rows.map((cells) => cells.map(quoted).join(",")).join("\n") + "\n";
const textOf = (name) => texts.csv[name] ?? csv(exports[name]());

function download(name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([textOf(name)], { type: "text/csv" }));
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

for (const place of document.querySelectorAll("[data-csv]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "csv";
  button.textContent = "CSV";
  const heading = place.closest("figure, article, div, section").querySelector("figcaption, h2, h3, h1");
  button.setAttribute("aria-label", `CSV: the data of ${heading?.firstChild?.textContent.trim() || place.dataset.csv}`);
  button.addEventListener("click", () => download(place.dataset.csv));
  place.append(button);
}
