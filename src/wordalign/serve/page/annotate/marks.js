// How an annotated pair is drawn: its links as marks of the rows (rows.js), and the classes of its words.

import { endsOf } from "../links.js";

export const SIGNS = { possible: "?", only: "◆", hand: "+", removed: "×", doubt: "○" };
export const WORDS = {
  sure: "sure",
  possible: "possible",
  only: "only one annotator has it",
  hand: "added by hand",
  removed: "suggested, removed by hand",
  doubt: "not linked, but not improbable",
};

// options: { doubt: the key of a doubtful place or null, differences: whether removed suggestions are drawn, flipped }
export function marksOf(pair, { doubt = null, differences = false, flipped = false } = {}) {
  const marks = Object.entries(pair.links).map(([key, state]) => {
    const kind = [state];
    if (pair.votes[key] && !pair.checked[key]) kind.push("only");
    if (pair.suggested_by && !(key in pair.suggested)) kind.push("hand");
    return mark(key, pair.suggested[key] ?? 1, kind, flipped);
  });
  const drawn = (key) => key in pair.links;
  if (doubt && !drawn(doubt)) marks.push(mark(doubt, pair.faint[doubt] ?? 0.3, ["doubt"], flipped));
  if (differences) {
    const removed = Object.keys(pair.suggested).filter((key) => !drawn(key) && key !== doubt);
    marks.push(...removed.map((key) => mark(key, 0.3, ["removed"], flipped)));
  }
  return marks;
}

function mark(key, score, kind, flipped) {
  const [i, j] = flipped ? endsOf(key).reverse() : endsOf(key);
  const sign = ["only", "possible", "hand", "removed", "doubt"].find((name) => kind.includes(name));
  return { key: `${i}-${j}`, i, j, score, kind, sign: sign ? SIGNS[sign] : "", signKind: sign ?? "" };
}
