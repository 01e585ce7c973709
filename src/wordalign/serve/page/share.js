// The state in the address's fragment, which browsers send to no server: `#source=…&target=…&method=argmax`.
// Only what differs from the defaults is written.

import { editsFromText, editsToText } from "./edits.js";
import { methodSpec, parseMethod } from "./methods.js";

const NUMBERS = ["distortion", "tau", "threshold"];
const CHOICES = { level: ["word", "subword"], view: ["rows", "map", "both"], cells: ["similarity", "gold"] };

export function toFragment(state, defaults) {
  const fields = new URLSearchParams();
  const listed = ["source", "target"].filter((side) => Array.isArray(state[side]));
  for (const side of ["source", "target"]) {
    fields.set(side, listed.includes(side) ? JSON.stringify(state[side]) : state[side]);
  }
  if (listed.length) fields.set("words", listed.join(" "));
  if (state.spaced) fields.set("spaced", "1");
  if (state.model && state.model !== defaults.model) fields.set("model", state.model);
  const method = methodSpec(state.method);
  if (method !== methodSpec(defaults.method)) fields.set("method", method);
  if (state.compare) fields.set("compare", `${state.compare.model} ${methodSpec(state.compare.method)}`);
  for (const name of [...NUMBERS, ...Object.keys(CHOICES)]) {
    if (state[name] !== defaults[name]) fields.set(name, state[name]);
  }
  if (state.gold.trim()) fields.set("gold", state.gold.trim());
  if (state.edits.length) fields.set("edits", editsToText(state.edits));
  return fields.toString();
}

// What a fragment says, and nothing it does not: a partial state. Values that mean nothing are passed over.
export function fromFragment(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = {};
  for (const side of ["source", "target"]) {
    const text = fields.get(side);
    const listed = (fields.get("words") ?? "").split(" ").includes(side);
    if (text !== null) state[side] = listed ? wordsFrom(text) : text;
  }
  if (fields.get("spaced") === "1") state.spaced = true;
  if (fields.has("model")) state.model = fields.get("model");
  const method = fields.has("method") && parseMethod(fields.get("method"));
  if (method) state.method = method;
  const [model, spec] = (fields.get("compare") ?? "").split(" ");
  const other = spec && parseMethod(spec);
  if (other) state.compare = { model, method: other };
  for (const name of NUMBERS) {
    const value = Number(fields.get(name) ?? NaN);
    if (value >= 0 && value <= 1) state[name] = value;
  }
  for (const [name, known] of Object.entries(CHOICES)) {
    if (known.includes(fields.get(name))) state[name] = fields.get(name);
  }
  if (fields.has("gold")) state.gold = fields.get("gold");
  if (fields.has("edits")) state.edits = editsFromText(fields.get("edits"));
  return state;
}

function wordsFrom(text) {
  try {
    const words = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
  } catch {
    // Not a list after all.
  }
  return text;
}
