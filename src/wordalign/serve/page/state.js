// The reader's choices, in one value: what a link shares, what the controls show, what is drawn.

import { METHODS, parseMethod } from "./methods.js";

export function defaultsFor(model) {
  return {
    source: "",
    target: "",
    spaced: false, // words are separated by spaces already
    model: model.name,
    level: model.level,
    method: parseMethod(model.method),
    compare: null, // { model, method }
    distortion: 0,
    tau: 1, // null: links of higher entropy are dropped
    threshold: 0,
    gold: "",
    edits: [],
    view: "rows",
    cells: "similarity",
  };
}

// A model as the page uses it: `start(name)` is a method with the parameters that this model does best with.
export function preparedModel(model) {
  const start = (name) => parseMethod(model.method.split(":")[0] === name ? model.method : name);
  return { ...model, methods: model.methods.filter((name) => name in METHODS), start };
}

// Changes that drag others along: another model has its own level and method, another text its own edits.
export function withConsequences(state, changes, models) {
  const next = { ...state, ...changes };
  const known = (name) => models.find((model) => model.name === name);
  if (!known(next.model)) next.model = models.find((model) => model.isDefault).name;
  const model = known(next.model);
  if ("model" in changes && changes.model !== state.model) {
    if (!("level" in changes)) next.level = model.level;
    if (!("method" in changes) && model.methods.includes(state.method.name))
      next.method = model.start(state.method.name);
  }
  if (!next.method || !model.methods.includes(next.method.name)) next.method = parseMethod(model.method);
  if (next.compare && !known(next.compare.model)?.methods.includes(next.compare.method.name))
    next.compare = null;
  const other = ["source", "target", "spaced"].some(
    (name) => name in changes && changes[name] !== state[name],
  );
  if (other && !("edits" in changes)) next.edits = [];
  if (next.gold.trim() && !state.gold.trim() && !("cells" in changes)) next.cells = "gold";
  return next;
}

// What the service is given for a side: raw text, or words.
export function askedFor(side, spaced) {
  if (Array.isArray(side)) return side;
  return spaced ? side.split(/[ \t\n]+/).filter(Boolean) : side.trim();
}

export function shownText(side) {
  return Array.isArray(side) ? side.join(" ") : side;
}
