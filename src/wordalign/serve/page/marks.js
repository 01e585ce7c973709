// What each link is: found, right, wrong, missed, only here, made by hand. Colour, dash and sign say the same.
//
// A mark is { key, i, j, score, kind, sign }; `kind` is a list of class names of figure.css.

import { endsOf } from "./links.js";

export const SIGNS = { only: "◆", wrong: "×", missed: "○", hand: "+" };

// links and other: Map "i-j" -> score; gold: { sure, possible } or null; edits: the links made by hand.
export function marksOf(links, { other = null, gold = null, edits = [] } = {}) {
  const byHand = new Set(edits.filter(({ on }) => on).map(({ key }) => key));
  const marks = [...links].map(([key, score]) => {
    const kind = [];
    if (gold) kind.push(gold.sure.has(key) ? "sure" : gold.possible.has(key) ? "possible" : "wrong");
    if (other && !other.has(key)) kind.push("only");
    if (byHand.has(key)) kind.push("hand");
    return mark(key, score, kind);
  });
  const missed = gold ? [...gold.sure].filter((key) => !links.has(key)) : [];
  return [...marks, ...missed.map((key) => mark(key, 0.3, ["missed"]))];
}

function mark(key, score, kind) {
  const [i, j] = endsOf(key);
  const sign = ["wrong", "missed", "only", "hand"].find((name) => kind.includes(name));
  return { key, i, j, score, kind, sign: sign ? SIGNS[sign] : "", signKind: sign ?? "" };
}

// The links of two alignments: shared, only in the first, only in the second.
export function disagreement(one, other) {
  const onlyOne = [...one.keys()].filter((key) => !other.has(key));
  const onlyOther = [...other.keys()].filter((key) => !one.has(key));
  return { shared: one.size - onlyOne.length, onlyOne, onlyOther };
}
