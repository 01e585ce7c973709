// Links set or removed by hand, on top of whatever the method finds: a list of { key, on }, oldest first.
// The last word on a link wins, and undo takes the last one back.

import { byPosition, endsOf } from "./links.js";

export function toggled(edits, links, key) {
  return [...edits, { key, on: !applied(edits, links).has(key) }];
}

export function undone(edits) {
  return edits.slice(0, -1);
}

// The method's links with the edits made, and `scoreOf` for the new ones.
export function applied(edits, links, scoreOf = () => 1) {
  const result = new Map(links);
  for (const { key, on } of edits) {
    if (!on) result.delete(key);
    else if (!result.has(key)) result.set(key, scoreOf(...endsOf(key)));
  }
  return new Map([...result].sort(byPosition));
}

// "+1-2 -0-3" and back, for the address line.
export function editsToText(edits) {
  return edits.map(({ key, on }) => (on ? "+" : "-") + key).join(" ");
}

export function editsFromText(text) {
  return [...text.matchAll(/([+-])(\d+-\d+)(?=\s|$)/g)].map(([, sign, key]) => ({ key, on: sign === "+" }));
}
