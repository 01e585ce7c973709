// The service behind the page: which models there are, and what they say of a pair. Answers are kept, so that
// going back to a sentence, a level or a model asks nothing.

import * as transport from "./transport.js";

const { request } = transport;

// The page without a service aligns, and does no more.
export const carries = Boolean(transport.CARRIES);

const KEPT = 200;

// -> { models: [{ name, level, method (a spec), methods: { name: parameters }, curve | null, isDefault }],
// defaults: { distortion, null, threshold } }
export async function fetchModels() {
  const { models, defaults } = await request("/v1/models");
  const named = models.map(({ name, level, method, methods, calibration: curve, default: isDefault }) => {
    return { name, level, method, methods, curve, isDefault };
  });
  return { models: named, defaults };
}

const kept = new Map();

// The answer for one pair: { source, target, matrix, signature, warnings }.
export async function alignPair(source, target, model, level, signal) {
  const key = JSON.stringify([source, target, model, level]);
  if (!kept.has(key)) {
    const [answer] = await alignPairs([{ source, target }], model, level, signal);
    kept.set(key, answer);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  }
  return kept.get(key);
}

export async function alignPairs(pairs, model, level, signal) {
  // What is wrong with a single pair is told without a number.
  const given = pairs.length === 1 ? pairs[0] : { pairs };
  const body = JSON.stringify({ ...given, model, level, scores: false, matrix: true });
  const answer = await request("/v1/align", { method: "POST", body, signal });
  const [signature] = Object.values(answer.signature);
  return answer.results.map((result) => ({ ...result, signature }));
}

// Where a span comes out, along given links: { intervals, probability, missing, outside, shared, reason }.
export async function carrySpan(asked, signal) {
  const body = JSON.stringify(asked);
  const { results } = await request("/v1/project", { method: "POST", body, signal });
  return results[0].spans[0];
}

// The translation with the markup of the source: { text, elements: [{ element, probability }] }.
export async function transferMarkup(source, target, syntax, options, signal) {
  const body = JSON.stringify({ source, target, syntax: syntax || null, ...options });
  const { results } = await request("/v1/transfer", { method: "POST", body, signal });
  return results[0];
}
