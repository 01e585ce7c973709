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

// Annotation projects that the service keeps for a team: their list, or null where it keeps none.
export async function teamProjects() {
  const { projects } = await request("/v1/annotation/projects");
  return projects;
}

export async function addTeamProject(project) {
  return request("/v1/annotation/projects", { method: "POST", body: JSON.stringify(project) });
}

// -> { project, revision, revisions }
export async function teamProject(id) {
  return request(`/v1/annotation/projects/${id}`);
}

// What others did since a revision: { revision, steps | null }.
export async function teamSteps(id, since) {
  return request(`/v1/annotation/projects/${id}/steps?since=${since}`);
}

// Make a step, { step, by, base, changes }; a ServiceError of status 409 if others were faster.
export async function makeTeamStep(id, step) {
  return request(`/v1/annotation/projects/${id}/steps`, { method: "POST", body: JSON.stringify(step) });
}
