// The pair at hand: drawing it, and turning what the annotator does with words and links into changes.

import { direction } from "../direction.js";
import { drawLegend } from "../legend.js";
import { endsOf } from "../links.js";
import { Rows } from "../rows.js";
import { percent } from "../speech.js";
import { find } from "./dom.js";
import { bindDrag } from "./drag.js";
import { looked, product, removeLinks, toggleLinks, toggleNulls, toggleState } from "./edits.js";
import { marksOf, SIGNS, WORDS } from "./marks.js";
import { undecided, wordKey } from "./project.js";
import { clicked, collected, dragged, isEmpty, NOTHING, stretched } from "./selection.js";
import { aboutLink, aboutPair, aboutWord, wordLabels } from "./speech.js";

const across = (side) => (side === "source" ? "target" : "source");

export class Desk {
  // tell: { do(label, makeChanges), say(text) }, where makeChanges(project, place) gives the changes.
  constructor(tell) {
    this.tell = tell;
    this.flipped = false;
    this.several = false;
    const hover = (focus) => this.#hovered(focus);
    const choose = ({ side, index }) => this.#clicked(this.#side(side), index);
    const cancel = () => this.#cancelled();
    this.rows = new Rows(find("rows"), { hover, choose, cancel }, true);
    bindDrag(find("rows"), {
      over: (side, from, to) => this.#preview(this.#side(side), from, to),
      end: (side, from, to) => this.#use(dragged(this.selection, this.#side(side), from, to)),
    });
    find("rows").addEventListener("click", (event) => {
      const { key } = event.target.dataset ?? {};
      if (key) this.#linkClicked(this.#key(key));
    });
    find("rows").addEventListener("keydown", (event) => this.#pressed(event));
    find("swap").addEventListener("click", () => this.#swap());
    find("several").addEventListener("click", () => this.collect());
    find("link-several").addEventListener("click", () => this.linkSeveral());
    find("toggle-state").addEventListener("click", () => this.toggleState());
    find("remove-link").addEventListener("click", () => this.remove());
    find("toggle-null").addEventListener("click", () => this.toggleNull());
    for (const input of document.getElementsByName("view")) {
      input.addEventListener("change", () => this.rows.setColumns(input.value === "columns"));
    }
  }

  // Another pair, or the same after a change.
  show(pair, { fresh = false, doubt = null, differences = false, focus = false } = {}) {
    this.pair = pair;
    if (fresh) {
      this.selection = NOTHING;
      this.at = null; // the word at hand
      this.link = doubt; // the link at hand
      Object.assign(this, { doubt, differences });
    }
    if (this.link && this.link !== this.doubt && !(this.link in pair.links)) this.link = null;
    this.#draw();
    if (focus) this.#focusOn(doubt);
  }

  #draw() {
    const { pair, flipped } = this;
    const shown = (side) => {
      const words = pair[this.#side(side)];
      const label = this.#side(side) === "source" ? "Sentence" : "Translation";
      return { words, direction: direction(words.join(" ")), label };
    };
    const sentences = { source: shown("source"), target: shown("target") };
    const suggested = Object.keys(pair.suggested).length ? pair.suggested : pair.links;
    const anchors = Object.keys(suggested).map((key) => endsOf(this.#key(key)));
    this.rows.setSentences(sentences, anchors);
    const marks = marksOf(pair, { doubt: this.doubt, differences: this.differences, flipped });
    const labels = wordLabels(pair);
    this.rows.setMarks(marks, flipped ? { source: labels.target, target: labels.source } : labels);
    for (const side of ["source", "target"]) {
      this.rows.words[side].forEach((word, index) => {
        word.classList.toggle("nulled", Boolean(pair.nulls[wordKey(this.#side(side), index)]));
      });
    }
    // Of several signs a link shows one.
    const shownKinds = marks.map(({ kind, signKind }) => ({ kind: [kind[0], signKind] }));
    drawLegend(find("legend"), shownKinds, false, WORDS, SIGNS);
    this.#showSelection();
  }

  #showSelection() {
    for (const side of ["source", "target"]) {
      this.rows.words[side].forEach((word, index) => {
        word.setAttribute("aria-pressed", String(this.selection[this.#side(side)].has(index)));
      });
    }
    const { source, target } = this.selection;
    find("link-several").hidden = !(this.several && source.size && target.size);
    find("several").setAttribute("aria-pressed", String(this.several));
    this.#lit(null);
  }

  // What is pointed at, or else the link at hand, lights up; the line below says what it is.
  #lit(focus) {
    const { pair } = this;
    const links = this.#linksAt(focus ?? (this.link ? { key: this.link } : null));
    const lit = { source: new Set(), target: new Set(), links: new Map() };
    for (const key of links) {
      const [i, j] = endsOf(this.#key(key));
      lit.source.add(i);
      lit.target.add(j);
      const score = pair.suggested[key] ?? pair.faint[key];
      lit.links.set(this.#key(key), score === undefined ? pair.links[key] : percent(score));
    }
    if (focus?.side) lit[this.#side(focus.side)].add(focus.index);
    this.rows.highlight(focus || links.length ? lit : null);
    const line = find("inspector");
    const shown = focus ?? (this.link ? { key: this.link } : null);
    if (shown?.key) line.replaceChildren(...aboutLink(pair, shown.key));
    else if (shown) line.replaceChildren(...aboutWord(pair, shown));
    else line.replaceChildren(...aboutPair(pair, undecided(pair), !isEmpty(this.selection)));
    const touchable = this.#linksAtHand().length > 0;
    find("toggle-state").disabled = find("remove-link").disabled = !touchable;
    find("toggle-null").disabled = !this.#wordsAtHand();
  }

  #linksAt(focus) {
    if (!focus) return [];
    if (focus.key) return [focus.key];
    const at = focus.side === "source" ? 0 : 1;
    return Object.keys(this.pair.links).filter((key) => endsOf(key)[at] === focus.index);
  }

  // The link at hand, or else all of the word at hand.
  #linksAtHand() {
    if (this.link) return this.link in this.pair.links ? [this.link] : [];
    return this.#linksAt(this.at);
  }

  // { side, indices }: the words that are chosen on one side, or else the word at hand.
  #wordsAtHand() {
    const { source, target } = this.selection;
    if (source.size && !target.size) return { side: "source", indices: [...source] };
    if (target.size && !source.size) return { side: "target", indices: [...target] };
    return this.at ? { side: this.at.side, indices: [this.at.index] } : null;
  }

  // Commands, for buttons and keys.

  toggleState() {
    const keys = this.#linksAtHand();
    if (!keys.length) return this.tell.say("There is no link here.");
    this.tell.do("sure or possible", (project, place) => toggleState(project, place, keys));
    this.tell.say(`Now ${this.pair.links[keys[0]]}.`);
  }

  remove() {
    const keys = this.#linksAtHand();
    if (!keys.length) return this.tell.say("There is no link here.");
    this.tell.do("removed link", (project, place) => removeLinks(project, place, keys));
    this.tell.say(keys.length === 1 ? "Link removed." : `${keys.length} links removed.`);
  }

  toggleNull() {
    const words = this.#wordsAtHand();
    if (!words) return this.tell.say("Choose a word first.");
    const { side, indices } = words;
    this.selection = NOTHING;
    this.tell.do("no counterpart", (project, place) => toggleNulls(project, place, side, indices));
    const marked = this.pair.nulls[wordKey(side, indices[0])];
    this.tell.say(marked ? "Marked as without a counterpart." : "Not marked any more.");
  }

  // Go through the links of the word at hand.
  nextLink() {
    const keys = this.#linksAt(this.at);
    if (!keys.length) return this.tell.say("This word has no link.");
    this.link = keys[(keys.indexOf(this.link) + 1) % keys.length];
    this.#lit(null);
    this.tell.say(find("inspector").textContent);
  }

  collect() {
    this.several = !this.several;
    this.selection = NOTHING;
    this.#showSelection();
    this.tell.say(this.several ? "Choose several words on both sides, then link them." : "One word at a time.");
  }

  linkSeveral() {
    const { source, target } = this.selection;
    if (!source.size || !target.size) return this.tell.say("Choose words on both sides first.");
    this.several = false;
    this.#use({ selection: NOTHING, linked: { source, target } });
  }

  // The doubtful place is right as it is.
  confirm() {
    if (!this.doubt) return;
    const key = this.doubt;
    this.tell.do("right as it is", (project, place) => looked(project, place, key));
  }

  focusWords() {
    this.rows.focus();
  }

  #clicked(side, index) {
    this.at = { side, index };
    this.link = this.before = null;
    if (this.several) {
      this.selection = collected(this.selection, side, index);
      this.#showSelection();
    } else this.#use(clicked(this.selection, side, index));
  }

  #use({ selection, linked }) {
    this.selection = selection;
    this.before = null;
    if (linked) {
      const keys = product(linked.source, linked.target);
      const adds = !keys.every((key) => key in this.pair.links);
      this.tell.do(adds ? "linked" : "unlinked", (project, place) => toggleLinks(project, place, keys));
      const words = (side) => [...linked[side]].sort((a, b) => a - b).map((k) => this.pair[side][k]).join(" ");
      this.tell.say(`${adds ? "Linked" : "Unlinked"} ${words("source")} – ${words("target")}.`);
      return;
    }
    this.#showSelection();
    const words = ["source", "target"].flatMap((side) => [...selection[side]].map((k) => this.pair[side][k]));
    if (words.length) this.tell.say(`${words.join(" ")} chosen. Now choose the counterpart.`);
  }

  // While words are dragged over.
  #preview(side, from, to) {
    this.before ??= this.selection;
    this.selection = stretched(this.before, side, from, to);
    this.#showSelection();
    this.selection = this.before;
  }

  #linkClicked(key) {
    this.link = key;
    this.at = null;
    if (key in this.pair.links) this.toggleState();
    else this.#lit(null);
  }

  #hovered(focus) {
    if (!this.pair) return;
    if (!focus) return this.#lit(null);
    if ("i" in focus) return this.#lit({ key: this.#key(`${focus.i}-${focus.j}`) });
    const place = { side: this.#side(focus.side), index: focus.index };
    if (document.activeElement?.matches("#rows .word") && this.#focused(place)) {
      if (this.at?.side !== place.side || this.at?.index !== place.index) this.link = null;
      this.at = place;
    }
    this.#lit(place);
  }

  #focused({ side, index }) {
    return this.rows.words[this.#side(side)][index] === document.activeElement;
  }

  #pressed(event) {
    const { side, index } = event.target.dataset ?? {};
    if (!side || !event.shiftKey || !event.key.startsWith("Arrow")) {
      if (event.key !== "Shift") this.start = null;
      return;
    }
    // The rows have moved the focus already.
    const { side: nowSide, index: now } = document.activeElement.dataset;
    if (nowSide !== side) return;
    const real = this.#side(side);
    if (this.start?.side !== real) this.start = { side: real, index: Number(index) };
    this.selection = stretched(this.selection, real, this.start.index, Number(now));
    this.#showSelection();
    this.tell.say([...this.selection[real]].map((k) => this.pair[real][k]).join(" "));
  }

  #cancelled() {
    if (isEmpty(this.selection) && !this.several) find("figure").focus({ preventScroll: true });
    this.several = false;
    this.selection = NOTHING;
    this.link = this.doubt;
    this.#showSelection();
  }

  #swap() {
    this.flipped = !this.flipped;
    find("swap").setAttribute("aria-pressed", String(this.flipped));
    this.#draw();
  }

  // From a side or a key of the drawing to that of the pair, and back.
  #side(side) {
    return this.flipped ? across(side) : side;
  }

  #key(key) {
    return this.flipped ? key.split("-").reverse().join("-") : key;
  }

  #focusOn(doubt) {
    if (!doubt) return this.rows.focus();
    const [i] = endsOf(this.#key(doubt));
    this.rows.words.source[i]?.focus({ preventScroll: true });
    this.link = doubt;
    this.#lit(null);
  }
}
