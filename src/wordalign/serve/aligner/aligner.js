// Two sentences -> word links with probabilities, as `wordalign.Aligner` finds them.

import { align, signature } from "../page/align.js";
import { endsOf } from "../page/links.js";
import { METHODS, methodSpec, parseMethod } from "../page/methods.js";
import { situationOf } from "../page/situation.js";
import { Encoder, similarities } from "./encoder.js";
import { splitWords } from "./split.js";
import { METHOD_DEFAULTS, VERSION } from "./tables.js";

const MOST_CELLS = 1_000_000; // of a similarity matrix: a thousand words on each side
const LEVELS = ["word", "subword"];

export class Aligner {
  #encoder;
  #facts;

  // The library onnxruntime-web or onnxruntime-node, and the files of a model (see `encoder.js`) -> an aligner.
  static async open(ort, files, sessionOptions) {
    const aligner = new Aligner();
    aligner.#facts = files.facts;
    aligner.#encoder = await Encoder.open(ort, files, sessionOptions);
    return aligner;
  }

  // ISO 639-3 codes of the languages that the model was made for.
  get languages() {
    return [...this.#facts.languages];
  }

  // The links of two sentences, each a text or a list of words.
  async align(source, target, options = {}) {
    const { level = "word", distortion = 0, null: tau = 1, threshold = 0 } = options;
    checkShares({ distortion, null: tau, threshold });
    const method = methodOf(options.method ?? "calibrated", this.#facts);
    const found = await this.compare(source, target, level);
    const { links } = align(found.units, this.#facts.calibration, { method, distortion, tau, threshold });
    return {
      source: withPlaces(found.source),
      target: withPlaces(found.target),
      links: [...links].map(([key, probability]) => {
        const [i, j] = endsOf(key);
        return { source: i, target: j, probability };
      }),
      signature: signature(found.signature, { method, distortion, tau, threshold }),
    };
  }

  // The similarities of two sentences: { source, target, units (see page/align.js), rowTexts, columnTexts, signature },
  // where a sentence is { words, text, offsets }, the last two null where words were given.
  async compare(source, target, level = "word") {
    if (!LEVELS.includes(level)) {
      throw new RangeError(`The level is "word" or "subword", not ${JSON.stringify(level)}.`);
    }
    const [left, right] = [sentenceOf(source), sentenceOf(target)];
    refuseTooLong(left.words.length, right.words.length);
    const one = await this.#encoder.encode(left.words, level);
    const other = await this.#encoder.encode(right.words, level);
    refuseTooLong(one.vectors.length, other.vectors.length);
    const situation = situationOf(left.words, right.words);
    return {
      source: left,
      target: right,
      units: { similarity: similarities(one, other), rows: one.wordOf, columns: other.wordOf, situation },
      rowTexts: one.texts,
      columnTexts: other.texts,
      signature: `${this.#facts.name}@${this.#facts.version} | level=${level} | wordalign ${VERSION}`,
    };
  }

  // Give back the memory of the model; nothing can be aligned afterwards.
  async release() {
    await this.#encoder.release();
  }

  // All that a chooser of methods needs to know of a model, by its `model.json`.
  static describe(facts) {
    const methods = Object.fromEntries(Object.keys(METHODS).map((name) => [name, defaultsOf(name, facts)]));
    const method = methodSpec(methodOf("calibrated", facts));
    return { name: facts.name, level: "word", method, methods, calibration: facts.calibration };
  }
}

function methodOf(spec, facts) {
  const method = parseMethod(spec, defaultsOf(String(spec).split(":")[0], facts));
  if (method) return method;
  throw new RangeError(
    `There is no method ${JSON.stringify(spec)}: use ${Object.keys(METHODS).join(", ")}, ` +
      "with parameters as in itermax:n_max=3,alpha=0.95.",
  );
}

function defaultsOf(method, { thresholds }) {
  return method === "calibrated" ? { ...thresholds } : { ...METHOD_DEFAULTS[method] };
}

function sentenceOf(given) {
  if (typeof given === "string") return splitWords(given);
  if (Array.isArray(given) && given.every((word) => typeof word === "string")) {
    return { words: given, text: null, offsets: null };
  }
  throw new TypeError("A sentence is a text or a list of words.");
}

function withPlaces({ words, offsets }) {
  return { words: words.map((text, k) => (offsets ? { text, start: offsets[k][0], end: offsets[k][1] } : { text })) };
}

function refuseTooLong(rows, columns) {
  if (rows * columns <= MOST_CELLS) return;
  throw new RangeError(
    `The similarity matrix would have ${rows * columns} cells, but at most ${MOST_CELLS} are possible here: ` +
      "shorten the sentences.",
  );
}

function checkShares(options) {
  for (const [name, value] of Object.entries(options)) {
    if (!(value >= 0 && value <= 1)) throw new RangeError(`The option ${name} lies between 0 and 1, not ${value}.`);
  }
}
