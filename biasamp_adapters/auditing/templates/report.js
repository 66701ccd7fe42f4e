"use strict";
// Tables can be sorted, and long ones filtered. The text of cells is never turned into markup.
const first = (text) => {
  // For an interval, this is the lower end. A number later in the text belongs to a note.
  const match = text.replaceAll(",", "").replaceAll("\u2212", "-").match(/^\s*\[?([+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)/i);
  return match ? Number(match[1]) : NaN;
};
const compare = (number) => (a, b) => {
  if (!number) return a.localeCompare(b, undefined, { numeric: true });
  const [x, y] = [first(a), first(b)];
  return x - y;
};
for (const scroll of document.querySelectorAll(".scroll")) {
  const table = scroll.querySelector("table");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  if (rows.length < 2) continue;
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const number = head.classList.contains("number");
      const order = compare(number);
      const text = (row) => row.cells[column].textContent;
      // Cells without a number come last in both orders.
      const last = (row) => number && Number.isNaN(first(text(row)));
      const sorted = [...rows].sort(
        (a, b) => last(a) - last(b) || (last(a) ? 0 : (down ? -1 : 1) * order(text(a), text(b)))
      );
      body.append(...sorted);
    });
  });
  const controls = scroll.previousElementSibling;
  if (!controls?.classList.contains("controls")) continue;
  const search = controls.querySelector("input[type=search]");
  const clear = controls.querySelector("input[type=checkbox]");
  const output = controls.querySelector("output");
  const texts = rows.map((row) => [...row.cells].map((cell) => cell.textContent).join("\n").toLowerCase());
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every((word) => texts[i].includes(word)) || (clear?.checked && !row.classList.contains("clear"));
      shown += !row.hidden;
    });
    output.textContent = `${shown} of ${rows.length} rows`;
  };
  search.addEventListener("input", filter);
  clear?.addEventListener("change", filter);
  controls.hidden = false;
  filter();
}
// A link to a folded part opens it.
for (const link of document.querySelectorAll('a[href^="#"]')) {
  link.addEventListener("click", () => {
    const part = document.getElementById(link.hash.slice(1));
    if (part instanceof HTMLDetailsElement) part.open = true;
  });
}
