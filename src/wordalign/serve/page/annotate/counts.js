// What can be counted in a project: progress, doubts, disagreements; and the orders and searches made of them.

import { measuresOfAll } from "../gold.js";
import { endsOf } from "../links.js";
import { undecided } from "./project.js";

export const isDone = ({ done }) => done;

export function progress({ pairs }) {
  return { done: pairs.filter(isDone).length, all: pairs.length };
}

// The places of a pair whose link, or whose lack of one, is doubtful: [{ key, linked, doubt }], the most doubtful
// first. `doubt` is the probability that the suggestion is wrong there. Places that somebody looked at are certain.
export function doubts(pair) {
  const open = (entries, linked) =>
    Object.entries(entries)
      .filter(([key]) => !pair.checked[key])
      .map(([key, score]) => ({ key, linked, doubt: linked ? 1 - score : score }));
  return [...open(pair.suggested, true), ...open(pair.faint, false)].sort(
    (one, other) => other.doubt - one.doubt,
  );
}

// How many of a pair's suggestions are expected to be wrong.
export function expectedErrors(pair) {
  return pair.done ? 0 : doubts(pair).reduce((sum, { doubt }) => sum + doubt, 0);
}

// Where opinions differ: links that only one annotator had, or else links that a method suggested otherwise. Places
// that somebody looked at in a common project are settled.
export function disagreements(pair) {
  const votes = Object.keys(pair.votes);
  if (votes.length) return votes.filter((key) => !pair.checked[key]);
  if (!pair.suggested_by) return [];
  const present = Object.keys(pair.links);
  return [
    ...present.filter((key) => !(key in pair.suggested)),
    ...Object.keys(pair.suggested).filter((key) => !(key in pair.links)),
  ];
}

// The mean probability of a pair's suggested links; null where there is none.
export function certainty({ suggested }) {
  const scores = Object.values(suggested);
  return scores.length ? scores.reduce((sum, score) => sum + score, 0) / scores.length : null;
}

export function length({ source, target }) {
  return source.length + target.length;
}

// The orders of a project's pairs: a value for each pair, the largest first; equal ones stay in their order.
export const ORDERS = {
  file: { label: "as in the file", value: () => 0 },
  doubt: { label: "least certain first", value: expectedErrors },
  disagreement: { label: "most differences first", value: (pair) => disagreements(pair).length },
  score: { label: "lowest probability first", value: (pair) => -(certainty(pair) ?? 2) },
  long: { label: "longest first", value: length },
  short: { label: "shortest first", value: (pair) => -length(pair) },
  undecided: {
    label: "most undecided words first",
    value: (pair) => undecided(pair).source.length + undecided(pair).target.length,
  },
};

// -> the places of the pairs in an order.
export function ordered({ pairs }, order) {
  const values = pairs.map(ORDERS[order].value);
  return [...pairs.keys()].sort((one, other) => values[other] - values[one] || one - other);
}

// What to look for: words of either side, "house = Haus" for linked words, or a comment. Case does not matter.
export function matcher(query) {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return () => true;
  const [left, right] = wanted.split(/\s*=\s*/);
  if (right !== undefined) return (pair) => hasLink(pair, left, right);
  return ({ source, target, comment }) =>
    [source.join(" "), target.join(" "), comment].some((text) => text.toLowerCase().includes(wanted));
}

function hasLink({ source, target, links }, left, right) {
  const is = (word, wanted) => !wanted || word.toLowerCase() === wanted;
  return Object.keys(links).some((key) => {
    const [i, j] = endsOf(key);
    return is(source[i], left) && is(target[j], right);
  });
}

// The next place after `from` in a list of places whose pair is wanted, going round; null if there is none.
export function nextPlace(places, from, wanted) {
  const start = places.indexOf(from);
  for (let step = 1; step <= places.length; step++) {
    const place = places[(start + step) % places.length];
    if (place !== from && wanted(place)) return place;
  }
  return null;
}

// How well the suggested links agree with the links of the pairs that are done, or, where all links came with the
// files (`given`), with those of all pairs; null where there is nothing to compare.
export function suggestionScores({ pairs, given = false }) {
  const judged = pairs.filter(({ done, suggested_by }) => (done || given) && suggested_by);
  if (!judged.length) return null;
  const found = measuresOfAll(
    judged.map(({ links, suggested }) => {
      const possible = new Set(Object.keys(links));
      const sure = new Set([...possible].filter((key) => links[key] === "sure"));
      return { links: new Map(Object.entries(suggested)), gold: { sure, possible } };
    }),
  );
  return { pairs: judged.length, given, ...found };
}
