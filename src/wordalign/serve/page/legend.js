// The legend: only of what is in the drawing now.

import { svgElement } from "./curves.js";
import { SIGNS } from "./marks.js";
import { signAt } from "./rows.js";

const WORDS = {
  sure: "sure, found",
  possible: "possible, found",
  wrong: "not in the gold links",
  missed: "sure, not found",
  only: "only in this one",
  hand: "added by hand",
};

// marks: those of the rows that are shown; boxes: whether the map shows two alignments; words and signs: of the kinds.
export function drawLegend(list, marks, boxes, words = WORDS, signs = SIGNS) {
  const kinds = Object.keys(words).filter((kind) => marks.some((mark) => mark.kind.includes(kind)));
  const items = kinds.map((kind) => item(sample(kind, signs[kind]), words[kind]));
  if (boxes) items.push(item(shape("circle"), "links of the first"), item(shape("box"), "of the second"));
  list.replaceChildren(...items);
  list.hidden = !items.length;
}

function item(picture, words) {
  const element = document.createElement("li");
  element.append(picture, words);
  return element;
}

function sample(kind, sign) {
  const svg = svgElement("svg", { viewBox: "0 0 44 18", "aria-hidden": "true" });
  svg.append(svgElement("path", { class: `link ${kind}`, d: "M2 9H42", "stroke-width": 2.5 }));
  if (sign) svg.append(signAt([22, 9], sign, kind, ""));
  return svg;
}

function shape(kind) {
  const svg = svgElement("svg", { viewBox: "0 0 18 18", "aria-hidden": "true", style: "width: 1.125rem" });
  const line = { fill: "none", stroke: "currentColor", "stroke-width": 2 };
  if (kind === "circle") svg.append(svgElement("circle", { cx: 9, cy: 9, r: 5, ...line }));
  else svg.append(svgElement("rect", { x: 2, y: 2, width: 14, height: 14, ...line }));
  return svg;
}
