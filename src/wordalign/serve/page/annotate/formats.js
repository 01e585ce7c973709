// A project's links as files that `wordalign evaluate` and other programs read. Pure functions from pairs to text.

import { byPosition, endsOf } from "../links.js";

const SIDES = ["source", "target"];
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

// Every format: what it is called, the end of its file names, and how it is written.
export const FORMATS = {
  pharaoh: { label: "Pharaoh: 0-0 1p2", ending: "gold.txt", write: lines(pharaoh) },
  naacl: { label: "NAACL (WPT): 0001 1 1 S", ending: "naacl.txt", write: naacl },
  talp: { label: "TALP: 1s1 2p3", ending: "talp.txt", write: lines(talp) },
  jsonl: { label: "JSONL: words and links", ending: "jsonl", write: lines(jsonl), type: "application/json" },
  tmx: { label: "TMX: a translation memory", ending: "tmx", write: tmx, type: "application/xml" },
  source: { label: "Words of the sentences", ending: "source.txt", write: lines(wordsOf("source")) },
  target: { label: "Words of the translations", ending: "target.txt", write: lines(wordsOf("target")) },
};

// [["0-0", "sure"], …] in the order of the words.
function sorted({ links }) {
  return Object.entries(links).sort(byPosition);
}

function lines(write) {
  return (pairs) => pairs.map((pair, k) => `${write(pair, k)}\n`).join("");
}

export function pharaoh(pair) {
  return sorted(pair)
    .map(([key, state]) => (state === "sure" ? key : key.replace("-", "p")))
    .join(" ");
}

function talp(pair) {
  return sorted(pair)
    .map(([key, state]) => {
      const [i, j] = endsOf(key);
      return `${i + 1}${state === "sure" ? "s" : "p"}${j + 1}`;
    })
    .join(" ");
}

// One line for each link. A pair without links has none, so that its number says which pair a line belongs to.
function naacl(pairs) {
  const rows = pairs.flatMap((pair, k) =>
    sorted(pair).map(([key, state]) => {
      const [i, j] = endsOf(key);
      return `${String(k + 1).padStart(4, "0")} ${i + 1} ${j + 1} ${state === "sure" ? "S" : "P"}\n`;
    }),
  );
  return rows.join("");
}

function jsonl(pair) {
  const record = {};
  for (const side of ["source", "target"]) {
    record[side] = pair[side];
    if (pair[`${side}_offsets`]) {
      record[`${side}_text`] = pair[`${side}_text`];
      record[`${side}_offsets`] = pair[`${side}_offsets`];
    }
  }
  record.links = sorted(pair).map(([key]) => endsOf(key));
  record.gold = pharaoh(pair);
  if (Object.keys(pair.nulls).length) record.nulls = Object.keys(pair.nulls).join(" ");
  if (pair.comment) record.comment = pair.comment;
  record.done = pair.done;
  return JSON.stringify(record);
}

function wordsOf(side) {
  return (pair, k) => {
    const bad = pair[side].find((word) => !word || /\s/u.test(word));
    if (bad !== undefined) {
      throw new Error(
        `Pair ${k + 1} has the word “${bad}”, which cannot stand in a text whose words are separated by ` +
          "spaces. Export JSONL instead, which keeps words as they are.",
      );
    }
    return pair[side].join(" ");
  };
}

function tmx(pairs) {
  const units = pairs.map((pair, k) => {
    if ([textOf(pair, "source"), textOf(pair, "target"), pair.comment].some((text) => NOT_XML.test(text))) {
      throw new Error(`Pair ${k + 1} has a control character, which XML cannot hold. Export JSONL instead.`);
    }
    const property = (name, value) => `      <prop type="x-wordalign-${name}">${value}</prop>\n`;
    return (
      "    <tu>\n" +
      (pair.comment ? `      <note>${escaped(pair.comment)}</note>\n` : "") +
      property("links", pharaoh(pair)) +
      SIDES.map((side) => property(`${side}-words`, placesOf(pair, side))).join("") +
      SIDES.map(
        (side) =>
          `      <tuv xml:lang="und-x-${side}"><seg>${escaped(textOf(pair, side))}</seg></tuv>\n`,
      ).join("") +
      "    </tu>\n"
    );
  });
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n' +
    '  <header creationtool="wordalign" creationtoolversion="1" segtype="sentence" o-tmf="wordalign" ' +
    'adminlang="en" srclang="und-x-source" datatype="plaintext"/>\n' +
    `  <body>\n${units.join("")}  </body>\n</tmx>\n`
  );
}

// Where the words stand in the text, "0-3 4-10": without it the links of a text would mean nothing.
function placesOf(pair, side) {
  const offsets = pair[`${side}_offsets`] ?? offsetsBetweenSpaces(pair[side]);
  return offsets.map((ends) => ends.join("-")).join(" ");
}

function offsetsBetweenSpaces(words) {
  let start = 0;
  return words.map((word) => {
    const ends = [start, start + [...word].length];
    start = ends[1] + 1;
    return ends;
  });
}

export function textOf(pair, side) {
  return pair[`${side}_text`] ?? pair[side].join(" ");
}

function escaped(text) {
  const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (sign) => signs[sign]);
}
