// One pair of sentences, what the reader did to it by hand, and the steps that can be undone.
//
// A side is a text or a list of words. `words` are the words that the edits were made for, { source, target } as
// the service gives them; the service is then asked about exactly these, however it would split the text. When
// the reader has changed the text since, `moved` says so, and the edits follow once the new words are known.

import { carried, within } from "./edits.js";

const FIELDS = ["source", "target", "spaced", "gold", "edits", "words", "moved"];
const TYPED = ["text", "gold"]; // of a run of these steps only the first is kept

export function newPair(given) {
  const empty = { source: "", target: "", spaced: false, gold: "", edits: [], words: null, moved: false };
  return { ...empty, past: [], future: [], ...given };
}

export function fieldsOf(pair) {
  return Object.fromEntries(FIELDS.map((name) => [name, pair[name]]));
}

// Keep the pair as it is now, before it is changed: `kind` is "text", "gold" or "edits".
export function remember(pair, kind) {
  pair.future = [];
  if (TYPED.includes(kind) && pair.past.at(-1)?.kind === kind) return;
  pair.past.push({ kind, fields: fieldsOf(pair) });
}

// What the pair was before the last step, or after the one that was taken back; null if there is none.
export function stepBack(pair) {
  return step(pair, pair.past, pair.future);
}

export function stepForward(pair) {
  return step(pair, pair.future, pair.past);
}

function step(pair, from, to) {
  if (!from.length) return null;
  const { kind, fields } = from.pop();
  to.push({ kind, fields: fieldsOf(pair) });
  return fields;
}

// What the service is asked about: two texts or lists of words.
export function askedFor({ source, target, spaced, words, moved }) {
  if (words && !moved) return [words.source.words, words.target.words];
  return [source, target].map((side) => {
    if (Array.isArray(side)) return side;
    return spaced ? splitAtSpaces(side) : side.trim();
  });
}

export function splitAtSpaces(text) {
  return text.split(/[ \t\n]+/).filter(Boolean);
}

// The pair's edits on the words of an answer: { answer, edits, words, lost }, where `lost` counts the links whose
// edits have no words any more.
export function settled({ edits, words, moved }, answer) {
  if (words && !moved) {
    const bound = { ...answer, source: words.source, target: words.target };
    return { answer: bound, ...bind(edits, within(edits, words), words) };
  }
  const now = { source: answer.source, target: answer.target };
  const kept = words ? carried(edits, words, now) : within(edits, now);
  return { answer, ...bind(edits, kept, kept.length ? now : null) };
}

function bind(before, after, words) {
  const links = (list) => new Set(list.map(({ key }) => key)).size;
  const same = after.length === before.length && after.every(({ key }, k) => key === before[k].key);
  return { edits: same ? before : after, words, lost: links(before) - links(after) };
}

// The pair with its sides exchanged, with everything that belongs to them: words, gold links, edits, and the steps
// that can be undone.
export function exchanged(pair) {
  const { source, target, words, gold, edits, past = [], future = [] } = pair;
  const steps = (list) => list.map(({ kind, fields }) => ({ kind, fields: exchanged(fields) }));
  const result = {
    ...pair,
    source: target,
    target: source,
    words: words && { source: words.target, target: words.source },
    gold: gold.replace(/(\d+)([-p])(\d+)/g, "$3$2$1"),
    edits: edits.map(({ key, on }) => ({ key: key.split("-").reverse().join("-"), on })),
  };
  return pair.past ? { ...result, past: steps(past), future: steps(future) } : result;
}

export function shownText(side) {
  return Array.isArray(side) ? side.join(" ") : side;
}
