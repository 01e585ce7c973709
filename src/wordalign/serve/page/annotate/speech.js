// What the page says of an annotated pair in words: under the drawing, and to screen readers.

import { endsOf } from "../links.js";
import { percent } from "../speech.js";
import { element } from "./dom.js";
import { wordKey } from "./project.js";

const bold = (text) => element("b", { dir: "auto" }, text);

// The accessible names of the words: "nicht, linked to not, possible" or "nicht, marked as without a counterpart".
export function wordLabels(pair) {
  const names = { source: pair.source.map(() => []), target: pair.target.map(() => []) };
  for (const [key, state] of Object.entries(pair.links)) {
    const [i, j] = endsOf(key);
    const how = state === "possible" ? " (possible)" : "";
    names.source[i].push(pair.target[j] + how);
    names.target[j].push(pair.source[i] + how);
  }
  const label = (side) => (word, k) => {
    if (pair.nulls[wordKey(side, k)]) return `${word}, marked as without a counterpart`;
    return names[side][k].length ? `${word}, linked to ${names[side][k].join(" and ")}` : `${word}, no link`;
  };
  return { source: pair.source.map(label("source")), target: pair.target.map(label("target")) };
}

export function aboutLink(pair, key) {
  const [i, j] = endsOf(key);
  const said = [pair.links[key] ?? "not linked"];
  const score = pair.suggested[key] ?? pair.faint[key];
  if (score !== undefined) said.push(`${percent(score)} likely`);
  if (pair.suggested_by && !(key in pair.suggested) && pair.links[key]) said.push("added by hand");
  if (pair.votes[key]) said.push(`only ${pair.votes[key]} has it`);
  if (pair.checked[key]) said.push("looked at");
  return [bold(pair.source[i]), " – ", bold(pair.target[j]), `: ${said.join(", ")}`];
}

export function aboutWord(pair, { side, index }) {
  const at = side === "source" ? 0 : 1;
  const other = side === "source" ? "target" : "source";
  const links = Object.entries(pair.links).filter(([key]) => endsOf(key)[at] === index);
  const word = bold(pair[side][index]);
  if (pair.nulls[wordKey(side, index)]) return [word, " is marked as without a counterpart."];
  if (!links.length) return [word, " has no link and no mark."];
  const named = links.flatMap(([key, state], k) => {
    const score = pair.suggested[key];
    const details = [state === "possible" && "possible", score !== undefined && percent(score)].filter(Boolean);
    return [k ? ", " : "", bold(pair[other][endsOf(key)[1 - at]]), details.length ? ` (${details.join(", ")})` : ""];
  });
  return [word, " ↔ ", ...named];
}

export function aboutPair(pair, { source, target }, choosing) {
  if (choosing) return ["Now choose the counterpart, or press Escape."];
  const links = Object.keys(pair.links).length;
  const count = `${links} ${links === 1 ? "link" : "links"}`;
  const open = [...source.map((k) => pair.source[k]), ...target.map((k) => pair.target[k])];
  if (!open.length) return [`${count}. Every word is linked or marked.`];
  const words = open.slice(0, 6).flatMap((word, k) => [k ? ", " : "", bold(word)]);
  return [`${count}. Undecided: `, ...words, open.length > 6 ? ` and ${open.length - 6} more` : ""];
}
