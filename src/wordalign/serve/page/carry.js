// Carrying a span: while “Carry” is on, words are selected by dragging over them or with Shift and the arrow keys,
// and the words of the other side that belong to them are marked. The service decides which those are.

import { endsOf } from "./links.js";
import { carrySpan } from "./service.js";
import { bold, percent } from "./speech.js";

const PIECES = 3; // that a span may come out as, if it may lie apart
const OTHER = { source: "target", target: "source" };

const find = (name) => document.getElementById(name);

export class Carry {
  // rows: the drawing whose words are selected; tell: { begin(), fail(error, again), mend() }
  constructor(rows, tell) {
    this.rows = rows;
    this.tell = tell;
    this.on = false;
    this.scene = null; // what `show` was given
    this.span = null; // { side, start, end }, the words that are selected; the end belongs to them
    this.anchor = null; // the word that a selection begins at
    this.dragging = false;
    find("carry").addEventListener("click", () => this.#turn(!this.on));
    find("carry-apart").addEventListener("change", () => this.span && this.#ask());
    const { root } = rows;
    // What the words do otherwise, they do not do while this is on.
    const first = { capture: true };
    root.addEventListener("pointerdown", (event) => this.#grasp(event), first);
    root.addEventListener("pointermove", (event) => this.#drag(event), first);
    root.addEventListener("click", (event) => this.#clicked(event), first);
    document.addEventListener("pointerup", () => this.#release());
    document.addEventListener("pointercancel", () => this.#release());
    root.addEventListener("keydown", (event) => this.#escape(event), first);
    root.addEventListener("keydown", (event) => this.#extend(event)); // after the focus has moved
  }

  // After each drawing: words are those of both sides, links a Map "i-j" -> score, model the name of the one that
  // they come from, calibrated whether their scores are probabilities. A span stays as long as its words do.
  show({ words, links, model, calibrated, hidden }) {
    find("carrying").hidden = hidden;
    const [key, along] = [JSON.stringify(words), JSON.stringify([...links])];
    const [same, asks] = [this.scene?.key === key, this.scene?.along !== along];
    this.scene = { words, links, model, calibrated, key, along };
    if (!same || hidden) this.#select(null);
    else if (this.span && asks) this.#ask();
    else this.#mark();
  }

  #turn(on) {
    this.#select(null);
    this.on = on;
    find("carry").setAttribute("aria-pressed", String(on));
    find("carry-options").hidden = !on;
    this.rows.root.classList.toggle("carrying", on);
    if (on) this.tell.begin();
    this.#hint();
  }

  #grasp(event) {
    const place = this.on && event.isPrimary && event.button === 0 && placeOf(event.target);
    if (!place) return;
    event.stopPropagation();
    event.target.releasePointerCapture?.(event.pointerId); // a finger, too, may move to other words
    this.dragging = true;
    this.anchor = place;
    this.#select({ side: place.side, start: place.index, end: place.index });
  }

  #drag(event) {
    if (!this.dragging) return;
    const place = placeOf(document.elementFromPoint(event.clientX, event.clientY));
    if (place?.side === this.anchor.side) this.#select(between(this.anchor, place));
  }

  #release() {
    if (!this.dragging) return;
    this.dragging = false;
    if (this.span) this.#ask();
  }

  // A click ends a drag, which has asked already; Enter or Space on a word is a click without one.
  #clicked(event) {
    const place = this.on && placeOf(event.target);
    if (!place) return;
    event.stopPropagation();
    if (event.detail > 0) return;
    this.anchor = place;
    this.#select(between(place, place));
    this.#ask();
  }

  #escape(event) {
    if (!this.on || event.key !== "Escape" || !this.span) return;
    event.stopPropagation();
    this.#select(null);
  }

  #extend(event) {
    if (!this.on || !event.shiftKey || !(event.key.startsWith("Arrow") || /^(Home|End)$/.test(event.key))) return;
    const from = placeOf(event.target);
    const to = placeOf(document.activeElement);
    if (!from || to?.side !== from.side) return;
    if (this.span?.side !== from.side) this.anchor = from;
    this.#select(between(this.anchor, to));
    this.#ask();
  }

  #select(span) {
    if (JSON.stringify(span) === JSON.stringify(this.span) && span) return;
    this.asking?.abort();
    this.span = span;
    this.found = null;
    this.#mark();
    this.#hint();
  }

  #hint() {
    const hint = this.on && !this.span ? "Drag over words of one side, or use Shift and the arrow keys." : "";
    find("carried").textContent = hint;
  }

  async #ask() {
    this.asking?.abort();
    const { signal } = (this.asking = new AbortController());
    const { side, start, end } = this.span;
    const { words, links, model } = this.scene;
    const asked = {
      ...words,
      links: [...links.keys()].map(endsOf),
      scores: [...links.values()].map((score) => Math.min(Math.max(score, 0), 1)),
      model,
      spans: [[start, end + 1]],
      reverse: side === "target",
      intervals: find("carry-apart").checked ? PIECES : 1,
    };
    try {
      this.found = await carrySpan(asked, signal);
      this.tell.mend();
      this.#mark();
      find("carried").replaceChildren(...this.#told());
    } catch (error) {
      if (error.name !== "AbortError") this.tell.fail(error, () => this.span && this.#ask());
    }
  }

  // Selected words are pressed; those that they came out at have a mark of their own.
  #mark() {
    const { span, found, rows } = this;
    for (const side of ["source", "target"]) {
      rows.words[side].forEach((word, index) => {
        const selected = span?.side === side && span.start <= index && index <= span.end;
        if (this.on) word.setAttribute("aria-pressed", String(selected));
        const at = span && side === OTHER[span.side];
        word.classList.toggle("carried", Boolean(at && found?.intervals.some(([a, b]) => a <= index && index < b)));
        word.classList.toggle("left-out", Boolean(selected && found?.missing.includes(index)));
      });
    }
  }

  // “New York → New York, 98 % likely. Left out: …”
  #told() {
    const { span, found, scene } = this;
    const own = scene.words[span.side];
    const other = scene.words[OTHER[span.side]];
    const listed = (words, indices) => indices.flatMap((k, n) => [n ? ", " : "", bold(words[k])]);
    const start = bold(own.slice(span.start, span.end + 1).join(" "));
    if (!found.intervals.length) return [start, ` is not carried: ${found.reason}.`];
    const pieces = found.intervals.flatMap(([a, b], n) => [n ? " … " : "", bold(other.slice(a, b).join(" "))]);
    const sure = scene.calibrated ? `${percent(found.probability)} likely` : `score ${found.probability.toFixed(2)}`;
    const parts = [start, " → ", ...pieces, `, ${sure}.`];
    if (found.missing.length) parts.push(" Without a counterpart there: ", ...listed(own, found.missing), ".");
    if (found.outside.length) parts.push(" Linked with it, but left out: ", ...listed(other, found.outside), ".");
    if (found.shared.length) parts.push(" Also linked with other words: ", ...listed(other, found.shared), ".");
    return parts;
  }
}

function placeOf(element) {
  const { side, index } = element?.dataset ?? {};
  return side && index !== undefined ? { side, index: Number(index) } : null;
}

function between(one, other) {
  return { side: one.side, start: Math.min(one.index, other.index), end: Math.max(one.index, other.index) };
}
