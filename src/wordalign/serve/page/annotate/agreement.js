// Two annotators of the same pairs: how far they agree, and one project made of both, in which they settle the rest.

import { newId, newProject } from "./project.js";

// Whether two projects are about the same words; a sentence about the first pair that is not, or "".
export function mismatch(one, other) {
  if (one.pairs.length !== other.pairs.length) {
    return `One project has ${one.pairs.length} pairs, the other ${other.pairs.length}.`;
  }
  const text = ({ source, target }) => JSON.stringify([source, target]);
  const place = one.pairs.findIndex((pair, k) => text(pair) !== text(other.pairs[k]));
  return place < 0 ? "" : `The words of pair ${place + 1} are not the same in both projects.`;
}

// F1 of all links, the AER of each one's links against the other's, and Cohen's kappa over all places where a link
// could be. Only pairs that both have done count; -> null if there is none.
export function agreement(one, other) {
  const places = [...one.pairs.keys()].filter((k) => one.pairs[k].done && other.pairs[k].done);
  if (!places.length) return null;
  const sum = { cells: 0, one: 0, other: 0, both: 0, oneSure: 0, otherSure: 0, oneInSure: 0, otherInSure: 0 };
  for (const place of places) {
    const [a, b] = [one.pairs[place], other.pairs[place]];
    sum.cells += a.source.length * a.target.length;
    const [mine, theirs] = [Object.keys(a.links), Object.keys(b.links)];
    sum.one += mine.length;
    sum.other += theirs.length;
    sum.both += mine.filter((key) => b.links[key]).length;
    sum.oneSure += mine.filter((key) => a.links[key] === "sure").length;
    sum.otherSure += theirs.filter((key) => b.links[key] === "sure").length;
    sum.oneInSure += mine.filter((key) => b.links[key] === "sure").length;
    sum.otherInSure += theirs.filter((key) => a.links[key] === "sure").length;
  }
  const share = (part, whole) => (whole ? part / whole : 1);
  const f1 = share(2 * sum.both, sum.one + sum.other);
  const aer = (inSure, links, sure) => 1 - share(inSure + sum.both, links + sure);
  return {
    pairs: places.length,
    f1,
    aer: [aer(sum.oneInSure, sum.one, sum.otherSure), aer(sum.otherInSure, sum.other, sum.oneSure)],
    kappa: kappa(sum),
  };
}

// (observed - expected) / (1 - expected) agreement on “linked or not”.
function kappa({ cells, one, other, both }) {
  const neither = cells - one - other + both;
  const observed = (both + neither) / cells;
  const expected = (one * other + (cells - one) * (cells - other)) / cells ** 2;
  return expected === 1 ? 1 : (observed - expected) / (1 - expected);
}

// A project made of two: a link that both have is sure, or possible if one of them says so; a link that only one has
// is possible, and the vote says whose it is. Where there is nothing to settle, a pair that both have done is done.
export function common(one, other) {
  const names = [one.annotator || "first", other.annotator || "second"];
  if (names[0] === names[1]) names[1] = `${names[1]} (second)`;
  const pairs = one.pairs.map((mine, k) => {
    const theirs = other.pairs[k];
    const links = {};
    const votes = {};
    for (const key of Object.keys({ ...mine.links, ...theirs.links })) {
      if (mine.links[key] && theirs.links[key]) {
        links[key] = mine.links[key] === "sure" && theirs.links[key] === "sure" ? "sure" : "possible";
      } else {
        links[key] = "possible";
        votes[key] = mine.links[key] ? names[0] : names[1];
      }
    }
    const nulls = Object.fromEntries(Object.keys(mine.nulls).filter((word) => theirs.nulls[word]).map((word) => [word, true]));
    const comments = [mine.comment && `${names[0]}: ${mine.comment}`, theirs.comment && `${names[1]}: ${theirs.comment}`];
    const done = mine.done && theirs.done && !Object.keys(votes).length;
    return { ...mine, links, votes, nulls, checked: {}, comment: comments.filter(Boolean).join("\n"), done };
  });
  const made = newProject({ name: `${one.name}: ${names.join(" and ")}`, annotator: "", pairs });
  return { ...made, id: newId(), annotators: names, agreement: agreement(one, other) };
}
