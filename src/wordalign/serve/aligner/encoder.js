// Words -> vectors of length 1, one for each word or subword, by a model in ONNX format; and two sentences' vectors ->
// their similarities.

import { Matrix } from "../page/matrix.js";
import { isPunctuation, readable } from "./characters.js";
import { WINDOW } from "./tables.js";
import { Tokenizer } from "./tokenizer.js";
import { windowsOf } from "./windows.js";

export class Encoder {
  #ort;
  #session;
  #tokenizer;
  #room;

  // `ort` is the library onnxruntime-web or onnxruntime-node, `files` are those of a model, read already:
  // { facts: model.json, tokenizer: tokenizer.json, onnx: the bytes of model.onnx }.
  static async open(ort, { facts, tokenizer, onnx }, sessionOptions) {
    const encoder = new Encoder();
    encoder.#ort = ort;
    encoder.#tokenizer = new Tokenizer(tokenizer);
    encoder.#session = await ort.InferenceSession.create(onnx, sessionOptions);
    encoder.#room = Math.min(facts.max_positions, WINDOW);
    return encoder;
  }

  // Give back the memory of the model.
  async release() {
    await this.#session.release();
  }

  // The numbers of a sentence's subwords, and the word that each belongs to.
  #subwords(words) {
    const ids = words.map((word) => this.#tokenizer.encode(readable(word)));
    return { ids: ids.flat(), wordOf: ids.flatMap((some, word) => some.map(() => word)) };
  }

  // -> { vectors: [Float32Array], wordOf, groups, texts }, a place in each for every unit of the level. Words and
  // punctuation are different groups, which are never linked with each other.
  async encode(words, level) {
    const { ids, wordOf } = this.#subwords(words);
    const vectors = await this.#vectors(ids);
    const units = level === "word" ? means(vectors, wordOf) : { vectors, wordOf };
    return {
      vectors: units.vectors.map(unit),
      wordOf: units.wordOf,
      groups: units.wordOf.map((word) => isPunctuation(words[word])),
      texts: level === "word" ? units.wordOf.map((word) => words[word]) : ids.map((id) => this.#tokenizer.textOf(id)),
    };
  }

  async #vectors(ids) {
    const vectors = [];
    if (!ids.length) return vectors;
    for (const { start, end, from, to } of windowsOf(ids.length, this.#room)) {
      const { data, dims } = await this.#run(ids.slice(start, end));
      const size = dims[2];
      for (let row = from - start; row < to - start; row++) vectors.push(data.slice(row * size, (row + 1) * size));
    }
    return vectors;
  }

  async #run(ids) {
    const { Tensor } = this.#ort;
    const shape = [1, ids.length];
    const { vectors } = await this.#session.run({
      input_ids: new Tensor("int64", BigInt64Array.from(ids, BigInt), shape),
      attention_mask: new Tensor("int64", new BigInt64Array(ids.length).fill(1n), shape),
    });
    return vectors;
  }
}

// One vector a word, the mean of its subwords'. Words without a subword have none.
function means(vectors, wordOf) {
  const found = [];
  const words = [];
  for (let start = 0; start < wordOf.length; ) {
    let end = start + 1;
    while (end < wordOf.length && wordOf[end] === wordOf[start]) end++;
    const sum = vectors[start].slice();
    for (let row = start + 1; row < end; row++) vectors[row].forEach((value, k) => (sum[k] += value));
    found.push(sum.map((value) => value / (end - start)));
    words.push(wordOf[start]);
    start = end;
  }
  return { vectors: found, wordOf: words };
}

function unit(vector) {
  const length = Math.fround(Math.sqrt(dot(vector, vector)));
  return length > 0 ? vector.map((value) => value / length) : vector;
}

function dot(one, other) {
  let sum = 0;
  for (let k = 0; k < one.length; k++) sum += one[k] * other[k];
  return sum;
}

// The cosine of any two units, brought to the range from 0 to 1; 0 for units of different groups.
export function similarities(source, target) {
  const width = target.vectors.length;
  const matrix = new Matrix(source.vectors.length, width);
  source.vectors.forEach((one, i) =>
    target.vectors.forEach((other, j) => {
      const cosine = Math.fround(dot(one, other));
      const alike = source.groups[i] === target.groups[j];
      if (alike) matrix.values[i * width + j] = Math.min(Math.max(Math.fround(cosine + 1) / 2, 0), 1);
    }),
  );
  return matrix;
}
