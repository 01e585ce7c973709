// The similarity matrix as a map: dark cells are similar, circles are links (of the second alignment: boxes).
// With gold links, cells can show these instead: dark green sure, light green possible, as in the paper.
// Labels are real text in sticky margins, so that a large matrix can be scrolled; cells are one canvas.

import { direction, wordDirection } from "./direction.js";
import { keyOf } from "./links.js";

const SMALLEST = 15;
const LARGEST = 38;
const LABELS = 130; // pixels for the words beside the cells and above them

export class SimilarityMap {
  // tell: { hover({ i, j } | null), toggle({ i, j }), announce({ i, j }), leave() } with word numbers.
  constructor(root, tell) {
    this.root = root;
    this.tell = tell;
    this.cursor = { row: 0, column: 0 };
    this.#build();
    new ResizeObserver(() => this.data && this.draw(this.data)).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener(
      "change",
      () => this.data && this.draw(this.data),
    );
  }

  // data: { similarity: Matrix, rows, columns (word numbers), rowText, columnText, circles, boxes (for each cell
  // 0 or 1; boxes may be null), gold: { sure, possible } or null, cells: "similarity" | "gold" }
  draw(data) {
    this.data = data;
    if (!this.root.offsetParent) return;
    const { similarity, rowText, columnText } = data;
    const across = (this.root.clientWidth - LABELS) / Math.max(similarity.width, 1);
    const down = (0.8 * window.innerHeight - LABELS) / Math.max(similarity.height, 1);
    this.size = Math.max(SMALLEST, Math.min(LARGEST, Math.floor(Math.min(across, down))));
    this.grid.style.fontSize = `${Math.min(17, Math.max(11, this.size * 0.6))}px`;
    this.rowLabels = this.#labels(this.rowMargin, rowText, "height");
    this.columnLabels = this.#labels(this.columnMargin, columnText, "width");
    this.#paint();
    this.highlight(null);
    const { scroll } = this;
    const cut = scroll.scrollHeight > scroll.clientHeight + 1 || scroll.scrollWidth > scroll.clientWidth + 1;
    this.note.hidden = !cut;
    const size = `${similarity.height} rows and ${similarity.width} columns`;
    this.note.textContent = `The map has ${size}: scroll in it to see all of them.`;
  }

  // lit: { source: Set, target: Set } of words, or null; `pair` the one cell that is meant, if any.
  highlight(lit, pair = null) {
    if (!this.rowLabels) return;
    const { rows, columns } = this.data;
    this.rowLabels.forEach((label, row) =>
      label.classList.toggle("lit", Boolean(lit?.source.has(rows[row]))),
    );
    this.columnLabels.forEach((label, column) =>
      label.classList.toggle("lit", Boolean(lit?.target.has(columns[column]))),
    );
    this.overlays.replaceChildren();
    if (!lit) return;
    const { size } = this;
    const across = size * columns.length;
    const down = size * rows.length;
    rows.forEach((word, row) => lit.source.has(word) && this.#overlay("stripe", 0, row * size, across, size));
    columns.forEach(
      (word, column) => lit.target.has(word) && this.#overlay("stripe", column * size, 0, size, down),
    );
    if (!pair) return;
    const box = this.#cellsOf(pair);
    if (box) this.#overlay("", box.x, box.y, box.width, box.height);
  }

  #build() {
    this.root.replaceChildren();
    const make = (name, parent, tag = "div") => {
      const element = document.createElement(tag);
      if (name) element.className = name;
      parent.append(element);
      return element;
    };
    this.scroll = make("map-scroll", this.root);
    this.note = make("map-note", this.root, "p");
    this.grid = make("map-grid", this.scroll);
    make("map-corner", this.grid);
    this.columnMargin = make("map-columns", this.grid);
    this.rowMargin = make("map-rows", this.grid);
    this.area = make("map-cells", this.grid);
    for (const margin of [this.columnMargin, this.rowMargin]) margin.setAttribute("aria-hidden", "true");
    this.area.tabIndex = 0;
    this.area.setAttribute("role", "application");
    this.area.setAttribute(
      "aria-label",
      "Similarity map. Arrow keys go from cell to cell, Enter adds or removes a link.",
    );
    this.canvas = make("", this.area, "canvas");
    this.overlays = make("", this.area);
    this.area.addEventListener("pointermove", (event) => this.tell.hover(this.#pairAt(event)));
    this.area.addEventListener("pointerleave", () => this.tell.hover(null));
    this.area.addEventListener("click", (event) => {
      const pair = this.#pairAt(event);
      if (pair) this.tell.toggle(pair);
    });
    this.area.addEventListener("focus", () => this.area.matches(":focus-visible") && this.#moved());
    this.area.addEventListener("blur", () => this.tell.hover(null));
    this.area.addEventListener("keydown", (event) => this.#pressed(event));
    this.columnMargin.addEventListener("pointerover", (event) => this.#overLabel(event, "target"));
    this.rowMargin.addEventListener("pointerover", (event) => this.#overLabel(event, "source"));
    for (const margin of [this.columnMargin, this.rowMargin]) {
      margin.addEventListener("pointerleave", () => this.tell.hover(null));
    }
  }

  #labels(margin, texts, along) {
    const sentence = direction(texts.join(" "));
    const labels = texts.map((text) => {
      const label = document.createElement("div");
      label.className = "map-label";
      label.style[along] = `${this.size}px`;
      const inner = document.createElement("bdi");
      inner.textContent = text;
      inner.dir = wordDirection(text, sentence);
      label.title = text;
      label.append(inner);
      return label;
    });
    margin.replaceChildren(...labels);
    return labels;
  }

  #paint() {
    const { similarity, circles, boxes } = this.data;
    const { height, width, values } = similarity;
    const { size, canvas } = this;
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    canvas.width = Math.max(1, width * size * scale);
    canvas.height = Math.max(1, height * size * scale);
    canvas.style.width = `${width * size}px`;
    canvas.style.height = `${height * size}px`;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const colour = mapColours(getComputedStyle(this.root));
    const fill = cellFill(this.data, colour);
    for (let cell = 0; cell < values.length; cell++) {
      pen.fillStyle = fill(cell);
      pen.fillRect((cell % width) * size, Math.floor(cell / width) * size, size - 1, size - 1);
    }
    for (let cell = 0; cell < values.length; cell++) {
      const x = ((cell % width) + 0.5) * size - 0.5;
      const y = (Math.floor(cell / width) + 0.5) * size - 0.5;
      if (circles[cell]) outline(pen, colour, () => pen.arc(x, y, size * 0.24, 0, 2 * Math.PI));
      if (boxes?.[cell])
        outline(pen, colour, () => pen.rect(x - size * 0.37, y - size * 0.37, size * 0.74, size * 0.74));
    }
  }

  #overlay(kind, x, y, width, height) {
    const element = document.createElement("div");
    element.className = `map-cross ${kind}`;
    element.style.cssText = `left: ${x}px; top: ${y}px; width: ${width - 1}px; height: ${height - 1}px`;
    this.overlays.append(element);
  }

  #cellsOf({ i, j }) {
    const { rows, columns } = this.data;
    const [top, left] = [rows.indexOf(i), columns.indexOf(j)];
    if (top < 0 || left < 0) return null;
    const tall = rows.lastIndexOf(i) - top + 1;
    const wide = columns.lastIndexOf(j) - left + 1;
    const { size } = this;
    return { x: left * size, y: top * size, width: wide * size, height: tall * size };
  }

  #pairAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / this.size);
    const row = Math.floor((event.clientY - box.top) / this.size);
    const { rows, columns } = this.data;
    if (!(row in rows) || !(column in columns)) return null;
    return { i: rows[row], j: columns[column] };
  }

  #overLabel(event, side) {
    const label = event.target.closest(".map-label");
    if (!label) return;
    const place = [...label.parentElement.children].indexOf(label);
    const { rows, columns } = this.data;
    this.tell.hover({ side, index: side === "source" ? rows[place] : columns[place] });
  }

  #pressed(event) {
    if (event.key === "Escape") this.tell.leave();
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.tell.toggle(this.#pair());
      this.#moved();
    } else if (steps[event.key] && !event.altKey) {
      event.preventDefault();
      const [down, along] = steps[event.key];
      const { height, width } = this.data.similarity;
      this.cursor.row = Math.min(Math.max(this.cursor.row + down, 0), height - 1);
      this.cursor.column = Math.min(Math.max(this.cursor.column + along, 0), width - 1);
      this.#moved();
    }
  }

  #pair() {
    const { rows, columns } = this.data;
    const row = Math.min(this.cursor.row, rows.length - 1);
    const column = Math.min(this.cursor.column, columns.length - 1);
    return { i: rows[row], j: columns[column] };
  }

  #moved() {
    const pair = this.#pair();
    if (pair.i === undefined || pair.j === undefined) return;
    this.tell.hover(pair);
    this.tell.announce(pair);
    this.overlays.lastElementChild?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

// The colours of the page at hand: light or dark.
export function mapColours(style) {
  const named = (name) => style.getPropertyValue(name).trim();
  return {
    empty: `rgb(${named("--shade")} / 0.05)`,
    shade: (share) => `rgb(${named("--shade")} / ${(0.05 + 0.85 * share).toFixed(3)})`,
    sure: named("--sure"),
    possible: named("--possible"),
    ink: named("--ink"),
    paper: named("--raised"),
  };
}

// A function from a cell to its colour. Shades go from the matrix's least to its greatest similarity.
export function cellFill({ similarity, rows, columns, gold, cells }, colour) {
  const { values, width } = similarity;
  if (gold && cells === "gold") {
    return (cell) => {
      const key = keyOf(rows[Math.floor(cell / width)], columns[cell % width]);
      return gold.sure.has(key) ? colour.sure : gold.possible.has(key) ? colour.possible : colour.empty;
    };
  }
  const present = values.filter((value) => value > 0);
  const least = present.reduce((low, value) => Math.min(low, value), 1);
  const greatest = present.reduce((high, value) => Math.max(high, value), 0);
  const span = Math.max(greatest - least, 1e-6);
  return (cell) => (values[cell] > 0 ? colour.shade(((values[cell] - least) / span) ** 1.6) : colour.empty);
}

// Dark with a light rim, so that it shows on every shade.
function outline(pen, colour, shape) {
  for (const [stroke, width] of [
    [colour.paper, 4.5],
    [colour.ink, 2],
  ]) {
    pen.beginPath();
    shape();
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    pen.stroke();
  }
}
