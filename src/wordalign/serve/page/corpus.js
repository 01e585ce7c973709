// The pairs that are stepped through: those of a file, or the one that was typed. Each keeps its gold and edits.

import { align, signature, unitsOf } from "./align.js";
import { answersFor } from "./answers.js";
import { applied } from "./edits.js";
import { pharaoh, record } from "./export.js";
import { measuresOfAll, parseGold } from "./gold.js";
import { askedFor, exchanged, fieldsOf, newPair, settled } from "./pair.js";

const BATCH = 8;
const WORK = ["source", "target", "gold", "edits"]; // what would be lost with the page

export class Corpus {
  #revision = 0; // counts changes
  #saved = 0; // the revision that was exported

  // `name` is empty if there is no file.
  constructor(name, pairs) {
    this.name = name;
    this.pairs = pairs.map((pair) => ({ ...newPair(pair), revision: 0 }));
    this.index = 0;
  }

  get current() {
    return this.pairs[this.index];
  }

  get unsaved() {
    return this.#revision !== this.#saved;
  }

  // What the reader did to the pair at hand. How words are told apart is the whole file's.
  keep(state) {
    const { current } = this;
    if (WORK.some((name) => state[name] !== current[name])) current.revision = ++this.#revision;
    if (state.spaced !== current.spaced) for (const pair of this.pairs) pair.spaced = state.spaced;
    Object.assign(current, fieldsOf(state));
  }

  // How the file stands: both sides of all pairs are exchanged.
  exchange() {
    const { unsaved } = this;
    this.pairs = this.pairs.map((pair) => ({ ...exchanged(pair), revision: ++this.#revision }));
    if (!unsaved) this.#saved = this.#revision;
  }

  goTo(index) {
    this.index = Math.min(Math.max(index, 0), this.pairs.length - 1);
  }

  // Every pair's links as lines of a file, in order. settings: { model, level, curve, options };
  // -> { lines, failed: [{ number, message }], revision }. A pair that the service refuses has an empty line. Pairs
  // that the reader changes meanwhile are done again, so that the file holds the pairs as they are when it is complete.
  async exportAll(kind, settings, progress) {
    const lines = this.pairs.map(() => "");
    const made = this.pairs.map(() => -1); // the revision that each line was made of
    const failed = new Map();
    for (let due = this.#changed(made); due.length; due = this.#changed(made)) {
      progress(this.pairs.length - due.length, this.pairs.length);
      const places = due.slice(0, BATCH);
      const batch = places.map((place) => ({ ...this.pairs[place] }));
      const answers = await answersFor(batch.map(askedFor), settings);
      places.forEach((place, k) => {
        made[place] = batch[k].revision;
        if (answers[k] instanceof Error) failed.set(place, answers[k].message);
        else failed.delete(place);
        lines[place] = line(kind, batch[k], answers[k], settings);
      });
    }
    const numbered = [...failed].map(([place, message]) => ({ number: place + 1, message }));
    return { lines, failed: numbered.sort((one, other) => one.number - other.number), revision: this.#revision };
  }

  // What was exported of the pairs as they were at a revision is where the reader wanted it.
  markSaved(revision) {
    this.#saved = revision;
  }

  // How well the method's links, without edits, agree with the gold links of all pairs that have some:
  // -> { pairs, precision, recall, f1, aer }. settings and progress are those of exportAll.
  async scoreAll(settings, progress) {
    const places = [...this.pairs.keys()].filter((place) => this.pairs[place].gold.trim());
    const judged = [];
    for (let start = 0; start < places.length; start += BATCH) {
      progress(start, places.length);
      const batch = places.slice(start, start + BATCH).map((place) => this.pairs[place]);
      const answers = await answersFor(batch.map(askedFor), settings);
      batch.forEach((pair, k) => {
        const { source, target, matrix } = answers[k] ?? {};
        if (!matrix) throw answers[k] ?? new Error("A pair with gold links has no words.");
        const gold = parseGold(pair.gold, source.words.length, target.words.length);
        judged.push({ links: align(unitsOf(matrix), settings.curve, settings.options).links, gold });
      });
    }
    return { pairs: judged.length, ...measuresOfAll(judged) };
  }

  #changed(made) {
    return [...this.pairs.keys()].filter((place) => this.pairs[place].revision !== made[place]);
  }

  goldLines() {
    if (this.pairs.every(({ edits }) => !edits.length)) this.#saved = this.#revision;
    return this.pairs.map(({ gold }) => gold.trim());
  }
}

function line(kind, pair, found, { curve, options }) {
  if (!found || found instanceof Error) return "";
  const { answer, edits } = settled(pair, found);
  const { links: plain, scoreOf } = align(unitsOf(answer.matrix), curve, options);
  const links = applied(edits, plain, scoreOf);
  if (kind === "pharaoh") return pharaoh(links);
  return JSON.stringify(record(answer, links, signature(answer.signature, options), { ...pair, edits }));
}
