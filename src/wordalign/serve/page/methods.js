// Extraction methods by name, with their parameters: `itermax`, `itermax:n_max=3,alpha=0.95`. What a parameter is
// by default, the service says for each of its models.

import { argmax, calibrated, forward, itermax, reverse } from "./extract.js";
import { match } from "./match.js";

const share = { min: 0, max: 1, step: 0.01 };

export const METHODS = {
  calibrated: {
    run: calibrated,
    says: "links that are probably right",
    parameters: {
      always: { ...share, label: "Link above" },
      mutual: { ...share, label: "Link mutual best above" },
    },
  },
  itermax: {
    run: itermax,
    says: "argmax in rounds: balanced",
    parameters: {
      n_max: { min: 1, max: 5, step: 1, label: "Rounds", whole: true },
      alpha: { ...share, label: "Weight of linked words" },
    },
  },
  argmax: { run: argmax, says: "mutual best: most precise", parameters: {} },
  match: { run: match, says: "one to one: most links", parameters: {} },
  forward: { run: forward, says: "each word’s best translation", parameters: {} },
  reverse: { run: reverse, says: "each translation’s best word", parameters: {} },
};

// "itermax:n_max=3", { n_max: 2, alpha: 0.9 } -> { name: "itermax", parameters: { n_max: 3, alpha: 0.9 } }; null
// if there is no such method, or if it has no such parameter.
export function parseMethod(spec, defaults = {}) {
  const [name, rest = ""] = String(spec).split(":");
  if (!Object.hasOwn(METHODS, name)) return null;
  const known = METHODS[name].parameters;
  const parameters = { ...defaults };
  for (const setting of rest.split(",").filter(Boolean)) {
    const [key, value] = setting.split("=");
    if (!Object.hasOwn(known, key) || value === undefined || !Number.isFinite(Number(value))) return null;
    parameters[key] = Math.min(Math.max(Number(value), known[key].min), known[key].max);
    if (known[key].whole) parameters[key] = Math.round(parameters[key]);
  }
  return { name, parameters };
}

// The way back, written as the library writes it: floats keep their ".0".
export function methodSpec({ name, parameters }) {
  const settings = Object.entries(parameters).map(([key, value]) => {
    const whole = METHODS[name].parameters[key]?.whole;
    return `${key}=${Number.isInteger(value) && !whole ? value.toFixed(1) : value}`;
  });
  return settings.length ? `${name}:${settings.join(",")}` : name;
}
