// Two rows of words with curved links. Words are real text (buttons where links can be edited), so that every
// script is shaped and ordered by the browser; the links are one drawing behind them.

import { bands, crossing } from "./bands.js";
import { curve, strength, svgElement } from "./curves.js";
import { wordDirection } from "./direction.js";
import { endsOf } from "./links.js";

const NARROW = 480; // pixels
const SMALLEST = 0.72; // of the usual size of words
const MANY = 0.12; // of the links
const GAPS = { widest: 104, least: 44 }; // pixels between two columns

export class Rows {
  // tell: { hover(focus | null), choose({ side, index }), cancel() }; a focus is { side, index } or { i, j }.
  constructor(root, tell, editable) {
    this.root = root;
    this.tell = tell;
    this.editable = editable;
    this.words = { source: [], target: [] };
    this.marks = [];
    this.wanted = false; // whether words must stand in columns
    this.layout = "";
    this.svg = svgElement("svg", { class: "links", "aria-hidden": "true" });
    root.addEventListener("pointerover", (event) => this.#hovered(event.target));
    root.addEventListener("pointerleave", () => tell.hover(null));
    root.addEventListener("focusin", (event) => this.#focused(event.target));
    root.addEventListener("focusout", () => tell.hover(null));
    root.addEventListener("click", (event) => this.#clicked(event.target));
    root.addEventListener("keydown", (event) => this.#pressed(event));
    new ResizeObserver(() => this.#refit()).observe(root);
  }

  // sentences: { source, target }, each { words, direction } and perhaps a label; anchors: [[i, j], ...], the links that lines are
  // broken by. They do not change with the sliders, so words stay where they are while links come and go.
  setSentences(sentences, anchors) {
    const key = JSON.stringify(sentences);
    if (key === this.sentencesKey) return;
    this.sentencesKey = key;
    this.sentences = {
      source: { label: "Sentence", ...sentences.source },
      target: { label: "Translation", ...sentences.target },
    };
    this.anchors = anchors;
    this.layout = "";
    for (const side of ["source", "target"]) {
      this.words[side] = sentences[side].words.map((text, index) => this.#word(text, side, index));
    }
    this.#refit();
  }

  setMarks(marks, labels) {
    this.marks = marks;
    for (const side of ["source", "target"]) {
      const linked = new Set(
        marks
          .filter(({ kind }) => !kind.includes("missed"))
          .map((mark) => (side === "source" ? mark.i : mark.j)),
      );
      this.words[side].forEach((word, index) => {
        word.classList.toggle("free", !linked.has(index));
        if (this.editable) word.setAttribute("aria-label", labels[side][index]);
      });
    }
    this.#drawLinks();
  }

  // lit: { source: Set, target: Set, links: Map key -> label } or null.
  highlight(lit) {
    this.lit = lit;
    this.svg.querySelectorAll(".score").forEach((label) => label.remove());
    this.svg.classList.toggle("dimmed", Boolean(lit?.links.size));
    for (const side of ["source", "target"]) {
      this.words[side].forEach((word, index) =>
        word.classList.toggle("lit", Boolean(lit?.[side].has(index))),
      );
    }
    for (const part of this.svg.querySelectorAll("[data-key]")) {
      part.classList.toggle("lit", Boolean(lit?.links.has(part.dataset.key)));
    }
    for (const { key, middle } of lit ? this.drawn : []) {
      if (!lit.links.has(key)) continue;
      const [x, y] = middle;
      this.svg.append(svgElement("text", { class: "score", x, y }, lit.links.get(key)));
    }
  }

  setChosen(chosen) {
    for (const side of ["source", "target"]) {
      this.words[side].forEach((word, index) => {
        if (this.editable)
          word.setAttribute("aria-pressed", String(chosen?.side === side && chosen.index === index));
      });
    }
  }

  focus() {
    this.words.source[0]?.focus();
  }

  // Words in two columns, or wherever they fit best.
  setColumns(wanted) {
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    this.layout = "";
    this.#refit();
  }

  // Where everything stands, for pictures: { fontSize, sideways, words: [{ text, side, index, direction, box }] }.
  geometry() {
    const words = ["source", "target"].flatMap((side) =>
      this.words[side].map((word, index) => ({
        side,
        index,
        text: this.sentences[side].words[index],
        direction: this.sentences[side].direction,
        box: this.#box(word),
      })),
    );
    const fontSize = parseFloat(getComputedStyle(this.words.source[0]).fontSize);
    return { fontSize, sideways: this.sideways, words };
  }

  #word(text, side, index) {
    const word = document.createElement(this.editable ? "button" : "span");
    word.className = "word";
    word.textContent = text;
    word.dir = wordDirection(text, this.sentences[side].direction);
    word.dataset.side = side;
    word.dataset.index = index;
    if (this.editable) {
      word.type = "button";
      word.tabIndex = index === 0 ? 0 : -1;
      word.setAttribute("aria-pressed", "false");
    }
    return word;
  }

  // Fit the words to the width, then draw: on one line each if they need not become much smaller; else in bands
  // or, where lines would be very short or many links would leave their band, in two columns.
  #refit() {
    if (!this.sentences || !this.root.offsetParent) return;
    const page = this.root.clientWidth - 2 * parseFloat(getComputedStyle(this.root).paddingInlineStart);
    const { sizes: natural, gap } = this.#measured();
    const fit = (side) => natural[side].map((size) => Math.min(size, page)); // a longer word is broken
    const sizes = { source: fit("source"), target: fit("target") };
    const needed = Math.max(
      ...[sizes.source, sizes.target].map((side) => side.reduce((sum, size) => sum + size + gap, 0)),
    );
    const scale = Math.min(1, (page - 2) / needed);
    const oneLine = scale >= SMALLEST;
    const texts = [this.sentences.source.words, this.sentences.target.words];
    const pieces = bands(sizes.source, sizes.target, this.anchors, oneLine ? needed : page, gap, texts);
    const crowded = page < NARROW || crossing(pieces, this.anchors) > MANY;
    this.sideways = this.wanted || (pieces.length > 1 && crowded);
    this.root.style.setProperty("--scale", oneLine && !this.sideways ? scale : 1);
    this.#fitColumns(sizes, page);
    const layout = this.sideways ? "columns" : JSON.stringify(pieces);
    if (layout !== this.layout) {
      const focused = document.activeElement;
      this.layout = layout;
      this.root.classList.toggle("long", pieces.length > 1);
      this.root.classList.toggle("columns", this.sideways);
      const lines = this.sideways
        ? [this.#line("source", 0, undefined, ""), this.#line("target", 0, undefined, "")]
        : pieces.map((piece, k) =>
            this.#band(piece, pieces.length > 1 ? `, part ${k + 1} of ${pieces.length}` : ""),
          );
      this.root.replaceChildren(this.svg, ...lines);
      if (this.root.contains(focused)) focused.focus({ preventScroll: true });
    }
    this.#drawLinks();
  }

  // Two columns share the page: a gap for the links, and half of the rest for each side, or more where the other
  // needs less.
  #fitColumns(sizes, page) {
    const widest = {
      source: Math.ceil(Math.max(...sizes.source)),
      target: Math.ceil(Math.max(...sizes.target)),
    };
    const free = page - widest.source - widest.target;
    const gap = Math.min(Math.max(free, GAPS.least), GAPS.widest);
    const half = (page - gap) / 2;
    const share = (other) => Math.ceil(Math.max(half, page - gap - other));
    this.root.style.setProperty("--columns-gap", `${Math.floor(gap)}px`);
    this.root.style.setProperty("--source-width", `${share(widest.target)}px`);
    this.root.style.setProperty("--target-width", `${share(widest.source)}px`);
  }

  #measured() {
    if (this.sizes?.of === this.sentencesKey && this.sizes.font === this.#font()) return this.sizes;
    const line = document.createElement("div");
    line.className = "line";
    const copies = ["source", "target"].map((side) => this.words[side].map((word) => word.cloneNode(true)));
    line.append(...copies.flat());
    line.style.cssText =
      "position: absolute; visibility: hidden; width: max-content; flex-direction: row; --scale: 1";
    this.root.append(line);
    const [source, target] = copies.map((words) => words.map((word) => word.getBoundingClientRect().width));
    const gap = parseFloat(getComputedStyle(line).columnGap) || 0;
    this.sizes = { of: this.sentencesKey, font: this.#font(), sizes: { source, target }, gap };
    line.remove();
    return this.sizes;
  }

  // Narrow screens have smaller words.
  #font() {
    return matchMedia("(max-width: 40rem)").matches;
  }

  #band([i, i2, j, j2], part) {
    const band = document.createElement("div");
    band.className = "band";
    band.append(this.#line("source", i, i2, part), this.#line("target", j, j2, part));
    return band;
  }

  #line(side, start, end, part) {
    const line = document.createElement("div");
    line.className = `line ${side}`;
    line.dir = this.sideways ? "ltr" : this.sentences[side].direction;
    line.setAttribute("role", "group");
    line.setAttribute("aria-label", this.sentences[side].label + part);
    line.append(...this.words[side].slice(start, end));
    return line;
  }

  #box(word) {
    const outer = this.root.getBoundingClientRect();
    const inner = word.getBoundingClientRect();
    return {
      x: inner.left - outer.left + this.root.scrollLeft,
      y: inner.top - outer.top + this.root.scrollTop,
      width: inner.width,
      height: inner.height,
    };
  }

  #drawLinks() {
    this.drawn = [];
    this.svg.replaceChildren();
    if (!this.layout) return;
    this.svg.setAttribute("width", 0);
    this.svg.setAttribute("height", 0);
    const boxes = {
      source: this.words.source.map((word) => this.#box(word)),
      target: this.words.target.map((word) => this.#box(word)),
    };
    this.svg.setAttribute("width", this.root.scrollWidth);
    this.svg.setAttribute("height", this.root.scrollHeight);
    const signs = [];
    for (const { key, i, j, score, kind, sign, signKind } of this.marks) {
      if (!boxes.source[i] || !boxes.target[j]) continue;
      const { path, middle } = curve(boxes.source[i], boxes.target[j], this.sideways);
      this.drawn.push({ key, path, middle });
      const classes = ["link", ...kind].join(" ");
      this.svg.append(
        svgElement("path", { class: classes, d: path, "data-key": key, ...strength(score) }),
        svgElement("path", { class: "reach", d: path, "data-key": key }),
      );
      if (sign) signs.push(signAt(middle, sign, signKind, key));
    }
    this.svg.append(...signs);
    if (this.lit) this.highlight(this.lit);
  }

  #hovered(target) {
    if (target.dataset.key) {
      const [i, j] = endsOf(target.dataset.key);
      this.tell.hover({ i, j });
    } else this.tell.hover(placeOf(target));
  }

  #focused(target) {
    const place = placeOf(target);
    if (!place) return;
    this.words[place.side].forEach((word) => (word.tabIndex = word === target ? 0 : -1));
    this.tell.hover(place);
  }

  #clicked(target) {
    const place = this.editable && placeOf(target);
    if (place) this.tell.choose(place);
  }

  #pressed(event) {
    const place = placeOf(event.target);
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    const { side, index } = place;
    const leftward = this.sentences[side].direction === "rtl";
    const [forward, backward] = this.sideways
      ? ["ArrowDown", "ArrowUp"]
      : leftward
        ? ["ArrowLeft", "ArrowRight"]
        : ["ArrowRight", "ArrowLeft"];
    const [toTarget, toSource] = this.sideways ? ["ArrowRight", "ArrowLeft"] : ["ArrowDown", "ArrowUp"];
    const last = this.words[side].length - 1;
    const goal = {
      [forward]: () => [side, Math.min(index + 1, last)],
      [backward]: () => [side, Math.max(index - 1, 0)],
      Home: () => [side, 0],
      End: () => [side, last],
      [toTarget]: () => this.#across(place, "target"),
      [toSource]: () => this.#across(place, "source"),
    }[event.key]?.();
    if (event.key === "Escape") this.tell.cancel();
    if (!goal) return;
    event.preventDefault();
    this.words[goal[0]][goal[1]]?.focus();
  }

  // The counterpart on the other side, or the word at about the same place.
  #across({ side, index }, towards) {
    if (side === towards) return [side, index];
    const link = this.marks.find((mark) => (side === "source" ? mark.i : mark.j) === index);
    if (link) return [towards, side === "source" ? link.j : link.i];
    const share = index / Math.max(this.words[side].length - 1, 1);
    return [towards, Math.round(share * Math.max(this.words[towards].length - 1, 0))];
  }
}

function placeOf(element) {
  const { side, index } = element.dataset ?? {};
  return side ? { side, index: Number(index) } : null;
}

export function signAt([x, y], sign, kind, key) {
  const group = svgElement("g", { class: `mark ${kind}`, "data-key": key });
  group.append(svgElement("circle", { cx: x, cy: y, r: 8 }), svgElement("text", { x, y }, sign));
  return group;
}
