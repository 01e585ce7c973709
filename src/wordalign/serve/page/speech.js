// What the page says in words: for the line under the drawing, for labels, and for screen readers.

import { endsOf, keyOf } from "./links.js";

const READ_OUT = 40; // links that are read one by one; of longer sentences only the number

export function percent(score) {
  return `${Math.round(score * 100)} %`;
}

// The accessible names of the words: "nicht, linked to not" or "nicht, no link".
export function wordLabels(source, target, links) {
  const partners = { source: source.map(() => []), target: target.map(() => []) };
  for (const key of links.keys()) {
    const [i, j] = endsOf(key);
    partners.source[i]?.push(target[j]);
    partners.target[j]?.push(source[i]);
  }
  const label = (word, found) =>
    found.length ? `${word}, linked to ${found.join(" and ")}` : `${word}, no link`;
  return {
    source: source.map((word, i) => label(word, partners.source[i])),
    target: target.map((word, j) => label(word, partners.target[j])),
  };
}

export function linksSummary(source, target, links, title) {
  const count = `${title}: ${links.size} ${links.size === 1 ? "link" : "links"}`;
  if (!links.size || links.size > READ_OUT) return `${count}.`;
  const named = [...links.keys()].map((key) => {
    const [i, j] = endsOf(key);
    return `${source[i]} – ${target[j]}`;
  });
  return `${count}. ${named.join(", ")}.`;
}

// A focus on a pair: "nicht – not: similarity 0.91, 98 % likely, linked".
export function pairText(source, target, { i, j }, alignment, links, calibrated) {
  const score = calibrated ? `, ${percent(alignment.scoreOf(i, j))} likely` : "";
  const linked = links.has(keyOf(i, j)) ? "linked" : "not linked";
  return [
    bold(source[i]),
    " – ",
    bold(target[j]),
    `: similarity ${alignment.similarityOf(i, j).toFixed(3)}${score}, ${linked}`,
  ];
}

// A focus on a word: its counterparts with their scores, and the best of the others.
export function wordText(source, target, { side, index }, alignment, links) {
  const ahead = side === "source";
  const [own, other] = ahead ? [source, target] : [target, source];
  const candidates = other
    .map((word, k) => {
      const [i, j] = ahead ? [index, k] : [k, index];
      const key = keyOf(i, j);
      return { word, linked: links.has(key), score: links.get(key) ?? alignment.scoreOf(i, j) };
    })
    .sort((one, two) => two.linked - one.linked || two.score - one.score);
  const linked = candidates.filter((found) => found.linked);
  const rest = candidates.filter((found) => !found.linked && found.score > 0).slice(0, linked.length ? 1 : 3);
  const listed = (found) =>
    found.flatMap(({ word, score }, k) => [k ? ", " : "", bold(word), ` ${percent(score)}`]);
  const start = [bold(own[index]), linked.length ? " ↔ " : " has no link"];
  const tail = rest.length ? ["; nearest other: ", ...listed(rest)] : [];
  if (!linked.length && tail.length) tail[0] = "; nearest: ";
  return [...start, ...listed(linked), ...tail];
}

export function bold(text) {
  const element = document.createElement("b");
  element.dir = "auto";
  element.textContent = text;
  return element;
}
