// The aligner of the page without a service. It answers the requests that the page makes as the service does: see
// docs/service.md for what goes in and out.

import { Aligner } from "./aligner/aligner.js";
import { splittingWarnings } from "./aligner/warnings.js";
import { curveIn, probabilities } from "./page/extract.js";
import * as ort from "./runtime/ort.js";

let opening = null; // the aligner, or the promise of one

self.addEventListener("message", async ({ data: { number, address, body } }) => {
  try {
    self.postMessage({ number, answer: await answerTo(address, body && JSON.parse(body)) });
  } catch (error) {
    const mistaken = error instanceof RangeError || error instanceof TypeError;
    self.postMessage({ number, error: { message: error.message, status: mistaken ? 422 : 0 } });
  }
});

async function answerTo(address, given) {
  if (address === "/v1/models") return models();
  if (address === "/v1/align") return align(given);
  if (address === "/v1/annotation/projects") return { projects: null }; // they stay in the browser
  throw new RangeError("This page has no service behind it, and cannot do that.");
}

async function models() {
  const { name, level, method, methods, calibration } = Aligner.describe(await facts());
  return {
    models: [{ name, level, method, methods, calibration, default: true }],
    defaults: { distortion: 0, null: null, threshold: 0 },
  };
}

async function align({ pairs, source, target, level }) {
  opening ??= open();
  const aligner = await opening;
  const results = [];
  let signature;
  for (const pair of pairs ?? [{ source, target }]) {
    const found = await aligner.compare(pair.source, pair.target, level);
    signature = found.signature;
    results.push(await resultOf(found, level));
  }
  return { signature: { found: signature }, results };
}

async function resultOf({ source, target, units, rowTexts, columnTexts }, level) {
  const { name, languages, calibration } = await facts();
  return {
    source: inCharacters(source),
    target: inCharacters(target),
    matrix: {
      level,
      situation: units.situation,
      similarity: rowsOf(units.similarity),
      word_of_row: units.rows,
      word_of_column: units.columns,
      row_text: rowTexts,
      column_text: columnTexts,
      probability: rowsOf(probabilities(units.similarity, curveIn(calibration, units.situation))),
    },
    warnings: splittingWarnings(source, target, name, languages),
  };
}

function rowsOf({ height, width, values }) {
  return Array.from({ length: height }, (_, i) => Array.from(values.subarray(i * width, (i + 1) * width)));
}

// Places in a text as the service counts them: characters, of which JavaScript counts some twice.
function inCharacters({ words, text, offsets }) {
  if (text === null) return { words, text, offsets };
  const place = new Map();
  let count = 0;
  let start = 0;
  for (const letter of text) {
    place.set(start, count++);
    start += letter.length;
  }
  place.set(start, count);
  return { words, text, offsets: offsets.map((ends) => ends.map((end) => place.get(end))) };
}

async function open() {
  try {
    const loaded = { done: 0 };
    const [wasm, onnx, tokenizer, known] = await Promise.all([
      load("runtime/ort.wasm", loaded),
      load("model/model.onnx", loaded),
      load("model/tokenizer.json", loaded),
      facts(),
    ]);
    self.postMessage({ loading: "Starting the model …" });
    ort.env.wasm.wasmBinary = wasm.buffer;
    ort.env.wasm.numThreads = 1; // more need a host that isolates the page from others
    const files = { facts: known, tokenizer: JSON.parse(new TextDecoder().decode(tokenizer)), onnx };
    const aligner = await Aligner.open(ort, files);
    self.postMessage({ loading: null, ready: true });
    return aligner;
  } catch (error) {
    opening = null; // the next request tries again
    self.postMessage({ loading: null });
    throw new Error(`The model cannot be loaded (${error.message}). Is there a connection?`);
  }
}

let known = null;
async function facts() {
  known ??= await json("model/model.json");
  return known;
}

let sizes = null;

// The bytes of a file of this page, told while they come.
async function load(name, loaded) {
  sizes ??= (await json("files.json")).files;
  const response = await fetched(name);
  const bytes = new Uint8Array(sizes[name]);
  const reader = response.body.getReader();
  let place = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes.set(value, place);
    place += value.length;
    loaded.done += value.length;
    tell(loaded.done);
  }
  if (place !== bytes.length) throw new Error(`${name} is cut short`);
  return bytes;
}

let toldMegabytes = -1;
function tell(bytes) {
  const megabytes = Math.floor(bytes / 1e6);
  if (megabytes === toldMegabytes) return;
  toldMegabytes = megabytes;
  const all = ["runtime/ort.wasm", "model/model.onnx", "model/tokenizer.json"];
  const total = Math.ceil(all.reduce((sum, name) => sum + sizes[name], 0) / 1e6);
  self.postMessage({ loading: `Loading the model: ${megabytes} of ${total} MB.` });
}

async function json(name) {
  return (await fetched(name)).json();
}

async function fetched(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} is not there: ${response.status}`);
  return response;
}
