// What an annotator does to a pair, each as the list of its changes (changes.js).

import { byPosition, endsOf, keyOf } from "../links.js";
import { setting } from "./changes.js";
import { wordKey } from "./project.js";

// Link these places, or, where all of them are linked already, unlink them. A word that gets a link is no longer
// marked as one without a counterpart.
export function toggleLinks(project, pair, keys) {
  const { links } = project.pairs[pair];
  const to = keys.every((key) => links[key]) ? null : "sure";
  return keys.flatMap((key) => {
    if (to && links[key]) return [];
    const [i, j] = endsOf(key);
    const unmark = to
      ? [wordKey("source", i), wordKey("target", j)].flatMap((word) => setting(project, pair, "nulls", null, word))
      : [];
    return [...setting(project, pair, "links", to, key), ...unmark, ...looked(project, pair, key)];
  }).filter(first);
}

// Sure links become possible ones, and the other way round: all as the first of them.
export function toggleState(project, pair, keys) {
  const { links } = project.pairs[pair];
  const present = keys.filter((key) => links[key]);
  const to = links[present[0]] === "sure" ? "possible" : "sure";
  return present.flatMap((key) => [
    ...setting(project, pair, "links", to, key),
    ...looked(project, pair, key),
  ]);
}

export function removeLinks(project, pair, keys) {
  return keys.flatMap((key) => [
    ...setting(project, pair, "links", null, key),
    ...looked(project, pair, key),
  ]);
}

// Mark words as having no counterpart, which takes their links away; or, where all are marked, unmark them.
export function toggleNulls(project, pair, side, indices) {
  const { links, nulls } = project.pairs[pair];
  const words = indices.map((index) => wordKey(side, index));
  if (words.every((word) => nulls[word])) return words.flatMap((word) => setting(project, pair, "nulls", null, word));
  const at = side === "source" ? 0 : 1;
  const lost = Object.keys(links).filter((key) => indices.includes(endsOf(key)[at]));
  return [
    ...removeLinks(project, pair, lost),
    ...words.flatMap((word) => setting(project, pair, "nulls", true, word)),
  ];
}

export function setComment(project, pair, comment) {
  return setting(project, pair, "comment", comment);
}

export function setDone(project, pair, done) {
  return setting(project, pair, "done", done);
}

// The place was looked at, and is right as it is.
export function looked(project, pair, key) {
  return setting(project, pair, "checked", true, key);
}

// Suggestions of a method in place of the present ones; the links become the suggested ones where `replace` is
// true. `found` is { links, suggested, faint, suggested_by }.
export function suggest(project, pair, { links, ...found }, replace) {
  const fields = Object.entries(found).flatMap(([field, to]) => setting(project, pair, field, to));
  if (!replace) return fields;
  const none = ["nulls", "checked"].flatMap((field) => setting(project, pair, field, {}));
  return [...fields, ...setting(project, pair, "links", links), ...none];
}

// All places where one of these source words meets one of these target words, in order.
export function product(source, target) {
  return [...source].flatMap((i) => [...target].map((j) => [keyOf(i, j)])).sort(byPosition).flat();
}

// A word of several new links is unmarked once.
function first(change, k, changes) {
  const equal = ({ field, key }) => field === change.field && key === change.key;
  return changes.findIndex(equal) === k;
}
