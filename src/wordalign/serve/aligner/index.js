// Word alignment in browsers and in Node: which word of a sentence corresponds to which word of its translation?

import { Aligner } from "./aligner.js";
import { splitWords } from "./split.js";
import { VERSION } from "./tables.js";

export { VERSION as version };

// The model that the package carries. Bundlers find files that are named like this.
const TINY = {
  facts: new URL("../models/tiny/model.json", import.meta.url),
  tokenizer: new URL("../models/tiny/tokenizer.json", import.meta.url),
  onnx: new URL("../models/tiny/model.onnx", import.meta.url),
};

// -> an aligner. See index.d.ts for the options.
export async function load({ model = "tiny", ort, runtime, sessionOptions } = {}) {
  const [files, library] = await Promise.all([filesOf(model), ort ?? defaultRuntime(runtime)]);
  // `import()` of a library in CommonJS format puts all of it under `default`.
  const runner = library.InferenceSession ? library : library.default;
  const aligner = await Aligner.open(runner, files, sessionOptions);
  return {
    languages: aligner.languages,
    align: (source, target, options) => aligner.align(source, target, options),
    release: () => aligner.release(),
  };
}

// The words of a text, each with its place in it.
export function split(text) {
  const { words, offsets } = splitWords(text);
  return words.map((word, k) => ({ text: word, start: offsets[k][0], end: offsets[k][1] }));
}

async function defaultRuntime(folder) {
  const ort = await import("onnxruntime-web/wasm");
  if (folder) ort.env.wasm.wasmPaths = asFolder(folder).href;
  ort.env.wasm.numThreads = 1; // more need a page that is isolated from others
  return ort;
}

async function filesOf(model) {
  if (model && typeof model === "object" && !(model instanceof URL)) return model;
  const places = model === "tiny" ? TINY : placesIn(model);
  const [facts, tokenizer, onnx] = await Promise.all([
    read(places.facts).then(asJson),
    read(places.tokenizer).then(asJson),
    read(places.onnx),
  ]);
  return { facts, tokenizer, onnx };
}

function placesIn(folder) {
  const place = (name) => new URL(name, asFolder(folder));
  return { facts: place("model.json"), tokenizer: place("tokenizer.json"), onnx: place("model.onnx") };
}

function asFolder(address) {
  return new URL(String(address).replace(/\/?$/, "/"), globalThis.location?.href ?? import.meta.url);
}

async function read(place) {
  // Node does not fetch files. An import of its module would stop bundlers that build for browsers.
  const files = place.protocol === "file:" && globalThis.process?.getBuiltinModule?.("node:fs/promises");
  if (files) return files.readFile(place).catch((error) => refuse(place, error.code));
  const response = await fetch(place).catch((error) => refuse(place, error.message));
  if (!response.ok) refuse(place, response.status);
  return new Uint8Array(await response.arrayBuffer());
}

function refuse(place, reason) {
  throw new Error(`The model file ${place} cannot be loaded (${reason}): give the address of a model's folder.`);
}

function asJson(bytes) {
  return JSON.parse(new TextDecoder().decode(bytes));
}
