// The reader's choices, in one value: what a link shares, what the controls show, what is drawn.

import { METHODS, parseMethod } from "./methods.js";
import { fieldsOf, newPair } from "./pair.js";

const TEXTS = ["source", "target", "spaced"];

// What a bare address means: the service's own defaults.
export function defaultsFor(model, { distortion, null: tau, threshold }) {
  return {
    ...fieldsOf(newPair()),
    model: model.name,
    level: model.level,
    method: model.parse(model.method),
    compare: null, // { model, method }
    distortion,
    tau: tau ?? 1, // null: links of higher entropy are dropped
    threshold,
    view: "rows",
    cells: "similarity",
  };
}

// A model as the page uses it: `parse(spec)` is a method with this model's own defaults, null if it has no such
// method; `methods` are the names of those it has.
export function preparedModel(model) {
  const methods = Object.keys(model.methods).filter((name) => name in METHODS);
  const parse = (spec) => {
    const name = String(spec).split(":")[0];
    return methods.includes(name) ? parseMethod(spec, model.methods[name]) : null;
  };
  return { ...model, methods, parse };
}

// The state after a change, with what it drags along: another model has its own level and its own parameters of a
// method, and the edits of another text have to find their words again. A method may be given as its spec.
export function withConsequences(state, changes, models) {
  const next = { ...state, ...changes };
  const known = (name) => models.find((model) => model.name === name);
  if (!known(next.model)) next.model = models.find((model) => model.isDefault).name;
  const model = known(next.model);
  if ("model" in changes && changes.model !== state.model) {
    if (!("level" in changes)) next.level = model.level;
    if (!("method" in changes)) next.method = state.method.name;
  }
  if (typeof next.method === "string") next.method = model.parse(next.method);
  if (!next.method || !model.methods.includes(next.method.name)) next.method = model.parse(model.method);
  next.compare = comparison(next.compare, known);
  const other = TEXTS.some((name) => name in changes && changes[name] !== state[name]);
  if (other && !("edits" in changes)) next.moved = next.words !== null;
  if (next.gold.trim() && !state.gold.trim() && !("cells" in changes)) next.cells = "gold";
  return next;
}

function comparison(compare, known) {
  if (typeof compare?.method !== "string") return compare;
  const method = known(compare.model)?.parse(compare.method);
  return method ? { model: compare.model, method } : null;
}
