// SPDX-License-Identifier: Apache-2.0
"use strict";

// What a cell is sorted by: its number where its column has numbers, its text otherwise.
function keyOf(cell) {
  if (cell.dataset.key === undefined) return cell.textContent;
  return cell.dataset.key === "" ? null : Number(cell.dataset.key);
}

function compareKeys(a, b) {
  return typeof a === "number" ? a - b : a.localeCompare(b, "en", {numeric: true});
}

function sortBy(header) {
  const column = header.cellIndex;
  const body = header.closest("table").tBodies[0];
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = Array.from(body.rows, row => ({row, key: keyOf(row.cells[column])}));
  rows.sort((a, b) => {
    // What has no value stands last, whichever way the others go.
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return ascending ? compareKeys(a.key, b.key) : compareKeys(b.key, a.key);
  });
  body.append(...rows.map(entry => entry.row));
}

function filter(input) {
  const rows = Array.from(document.getElementById(input.dataset.filters).tBodies[0].rows);
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(word => text.includes(word));
    shown += row.hidden ? 0 : 1;
  }
  const all = rows.length === shown;
  input.closest("p").querySelector("output").textContent =
    all ? `${rows.length} rows` : `${shown} of ${rows.length} rows`;
}

for (const button of document.querySelectorAll(".sortable th button")) {
  button.addEventListener("click", () => sortBy(button.closest("th")));
}
for (const input of document.querySelectorAll("input[data-filters]")) {
  input.addEventListener("input", () => filter(input));
}
