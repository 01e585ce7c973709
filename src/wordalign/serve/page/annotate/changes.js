// Changes of a project: what they do, how they are taken back, and which could be.
//
// A change is { pair, field, key, from, to }: in a pair (its place, or null for the project itself) a field, or one
// entry of it where it has a key, became `to` and was `from`; null stands for an entry that is not there. A step is
// { label, changes }: what one gesture did, and what one undo takes back. Nothing here changes a value in place.

// -> { project, refused }: the project after the changes, and those of them that were made for something else than
// what is there now. They are left out, so that nobody's work is overwritten unseen.
export function applied(project, changes) {
  const pairs = [...project.pairs];
  const result = { ...project, pairs };
  const refused = [];
  for (const change of changes) {
    const { pair, field, key, to } = change;
    const holder = pair === null ? result : pairs[pair];
    if (!holder || !same(valueAt(holder, field, key), change.from)) refused.push(change);
    else if (pair === null) result[field] = to;
    else pairs[pair] = { ...holder, [field]: key === undefined ? to : withEntry(holder[field], key, to) };
  }
  return { project: result, refused };
}

export function inverse(changes) {
  return changes.map((change) => ({ ...change, from: change.to, to: change.from })).reverse();
}

// The places of the pairs that changes touch.
export function touched(changes) {
  return [...new Set(changes.map(({ pair }) => pair))].filter((pair) => pair !== null);
}

// What makes `field` of a pair into `to`, whole or entry by entry; nothing where it is so already.
export function setting(project, pair, field, to, key = undefined) {
  const holder = pair === null ? project : project.pairs[pair];
  const from = valueAt(holder, field, key);
  return same(from, to) ? [] : [{ pair, field, ...(key === undefined ? {} : { key }), from, to }];
}

// The steps that were made, how many of them are in force, and how many older ones are forgotten.
export const NO_HISTORY = { steps: [], place: 0, forgotten: 0 };
const KEPT = 1000; // steps

export function extended({ steps, place, forgotten }, step) {
  const every = [...steps.slice(0, place), step];
  const kept = every.slice(-KEPT);
  return { steps: kept, place: kept.length, forgotten: forgotten + every.length - kept.length };
}

function valueAt(holder, field, key) {
  return (key === undefined ? holder[field] : holder[field]?.[key]) ?? null;
}

function withEntry(entries, key, to) {
  const { [key]: gone, ...rest } = entries ?? {};
  return to === null ? rest : { ...rest, [key]: to };
}

// Entries may stand in any order.
function same(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => same(one[key], other[key]));
}
