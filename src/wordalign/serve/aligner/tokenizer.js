// Words -> numbers of subwords, by a `tokenizer.json` of the kind that wordalign's models have: a unigram model whose
// unknown letters are cut into bytes. It gives what the Python package gives, but for ways to cut a long word that are
// almost equally likely.

import { TOO_NEW } from "./tables.js";

const UNKNOWN_PENALTY = 10; // a letter that is no subword costs so much more than the rarest one
const REMEMBERED = 50_000; // words

export class Tokenizer {
  #normalize;
  #space;
  #scores = new Map(); // subword -> [number, score]
  #signs = new Map(); // what stands for no text, such as a byte -> number
  #texts; // number -> subword
  #longest = 0; // letters of a subword
  #unknown; // the score of an unknown letter
  #remembered = new Map();

  constructor({ normalizer, pre_tokenizer: words, model }) {
    if (model.type !== "Unigram" || !model.byte_fallback || words?.type !== "Metaspace") {
      throw new Error("This tokenizer is of a kind that cannot be read here: use a model of wordalign.");
    }
    this.#normalize = normalization(normalizer);
    this.#space = words.replacement;
    this.#texts = model.vocab.map(([text]) => text);
    let least = Infinity;
    model.vocab.forEach(([text, score], number) => {
      if (score === 0) {
        this.#signs.set(text, number);
        return;
      }
      this.#scores.set(text, [number, score]);
      this.#longest = Math.max(this.#longest, text.length);
      least = Math.min(least, score);
    });
    this.#unknown = least - UNKNOWN_PENALTY;
  }

  // The numbers of one word's subwords; none for a word without text.
  encode(word) {
    let ids = this.#remembered.get(word);
    if (!ids) {
      ids = this.#parts(this.#normalize(word)).flatMap((part) => this.#cut(part));
      if (this.#remembered.size >= REMEMBERED) this.#remembered.clear();
      this.#remembered.set(word, ids);
    }
    return ids;
  }

  textOf(id) {
    return this.#texts[id];
  }

  // Each part begins with the sign for a space: " a b" -> ▁ ▁a ▁b
  #parts(text) {
    if (!text) return [];
    const marked = text.replaceAll(" ", this.#space);
    const whole = marked.startsWith(this.#space) ? marked : this.#space + marked;
    return whole.split(this.#space).slice(1).map((part) => this.#space + part);
  }

  // The subwords with the largest sum of scores. Of equal ones the path that was found first stays.
  #cut(part) {
    const best = new Float64Array(part.length + 1).fill(-Infinity);
    const from = new Int32Array(part.length + 1).fill(-1);
    const number = new Int32Array(part.length + 1);
    best[0] = 0;
    for (let start = 0; start < part.length; ) {
      const letter = part.codePointAt(start) > 0xffff ? 2 : 1;
      const reach = (end, score, id) => {
        if (from[end] >= 0 && best[end] >= best[start] + score) return;
        [best[end], from[end], number[end]] = [best[start] + score, start, id];
      };
      let isKnown = false;
      for (let end = start + 1; end <= Math.min(part.length, start + this.#longest); end++) {
        const known = this.#scores.get(part.slice(start, end));
        if (!known) continue;
        reach(end, known[1], known[0]);
        isKnown ||= end - start === letter;
      }
      if (!isKnown) reach(start + letter, this.#unknown, -1);
      start += letter;
    }
    const ids = [];
    for (let end = part.length; end > 0; end = from[end]) {
      if (number[end] >= 0) ids.unshift(number[end]);
      else ids.unshift(...this.#bytes(part.slice(from[end], end)));
    }
    return ids;
  }

  #bytes(letter) {
    const name = (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
    return Array.from(new TextEncoder().encode(letter), (byte) => this.#signs.get(name(byte)));
  }
}

// A normaliser of tokenizer.json -> a function from text to text.
function normalization(given) {
  if (!given) return (text) => text;
  if (given.type === "Sequence") {
    const steps = given.normalizers.map(normalization);
    return (text) => steps.reduce((result, step) => step(result), text);
  }
  if (["NFC", "NFD", "NFKC", "NFKD"].includes(given.type)) {
    // A browser may have newer tables than the tokenizer that the model was trained with.
    const known = (part, place) => (place % 2 ? part : part.normalize(given.type));
    return (text) => (TOO_NEW.test(text) ? text.split(TOO_NEW).map(known).join("") : text.normalize(given.type));
  }
  // Letter by letter: a Σ at the end of a word is no other letter here.
  if (given.type === "Lowercase") return (text) => Array.from(text, (letter) => letter.toLowerCase()).join("");
  if (given.type === "Replace") {
    const { Regex: regex, String: string } = given.pattern;
    const pattern = regex === undefined ? string : new RegExp(regex, "gu");
    return (text) => text.replaceAll(pattern, () => given.content);
  }
  throw new Error(`The normaliser ${given.type} of this tokenizer cannot be used here: use a model of wordalign.`);
}
