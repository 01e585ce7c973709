// The state in the address's fragment, which browsers send to no server: `#source=…&target=…&method=argmax`.
// Only what differs from the defaults is written.

import { editsFromText, editsToText } from "./edits.js";
import { methodSpec } from "./methods.js";
import { askedFor, newPair } from "./pair.js";

const SIDES = ["source", "target"];
const NUMBERS = ["distortion", "tau", "threshold"];
const CHOICES = { level: ["word", "subword"], view: ["rows", "columns", "map", "both"], cells: ["similarity", "gold"] };

export function toFragment(state, defaults) {
  const fields = new URLSearchParams();
  const listed = SIDES.filter((side) => Array.isArray(state[side]));
  for (const side of SIDES) {
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
  if (state.edits.length) {
    fields.set("edits", editsToText(state.edits));
    // Edits belong to words, so an address with edits says where its words stand in the texts.
    for (const side of SIDES) {
      const offsets = state.words?.[side].offsets;
      if (offsets && !state.moved) fields.set(`${side}-words`, offsets.map((ends) => ends.join("-")).join(" "));
    }
  }
  return fields.toString();
}

// What a fragment says, and nothing it does not: a partial state, with methods as their specs. Values that mean
// nothing are passed over.
export function fromFragment(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = {};
  for (const side of SIDES) {
    const text = fields.get(side);
    const listed = (fields.get("words") ?? "").split(" ").includes(side);
    if (text !== null) state[side] = listed ? wordsFrom(text) : text;
  }
  if (fields.get("spaced") === "1") state.spaced = true;
  for (const name of ["model", "method", "gold"]) if (fields.has(name)) state[name] = fields.get(name);
  // A model's name may hold spaces, a method's does not.
  const [, model, method] = /^(.*) (\S+)$/.exec(fields.get("compare") ?? "") ?? [];
  if (method) state.compare = { model, method };
  for (const name of NUMBERS) {
    const value = Number(fields.get(name) ?? NaN);
    if (value >= 0 && value <= 1) state[name] = value;
  }
  for (const [name, known] of Object.entries(CHOICES)) {
    if (known.includes(fields.get(name))) state[name] = fields.get(name);
  }
  if (fields.has("edits")) {
    state.edits = editsFromText(fields.get("edits"));
    state.words = boundWords(state, fields);
  }
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

// The words that the address's edits were made for; null if it does not say.
function boundWords(state, fields) {
  const asked = askedFor(newPair({ ...state, words: null }));
  const sides = SIDES.map((side, k) => {
    if (Array.isArray(asked[k])) return { words: asked[k], text: null, offsets: null };
    return sentenceFrom(asked[k], fields.get(`${side}-words`) ?? "");
  });
  return sides.every(Boolean) ? { source: sides[0], target: sides[1] } : null;
}

// "The museum", "0-3 4-10" -> { words: ["The", "museum"], text, offsets }; offsets count code points.
export function sentenceFrom(text, given) {
  const characters = [...text];
  const offsets = given.split(" ").map((ends) => ends.split("-").map(Number));
  const rising = offsets.every(
    ([start, end], k) => start < end && end <= characters.length && (k === 0 || start >= offsets[k - 1][1]),
  );
  if (!rising) return null;
  return { words: offsets.map(([start, end]) => characters.slice(start, end).join("")), text, offsets };
}
