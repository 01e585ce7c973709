// Files of pairs: `source ||| target`, TSV, CSV, JSONL, TMX, or two files line by line; and links beside them.
//
// One pair for each line, an empty one for an empty line, so that what is exported stays parallel to it.
// A third column (TSV), a field `gold` or `links` (JSONL) or a third file holds gold links. Records that this page
// wrote have a field `edits`, and come back as they were.

import { readCsv } from "./csv.js";
import { editsFromText } from "./edits.js";
import { parseGold } from "./gold.js";
import { askedFor, newPair } from "./pair.js";
import { readTmx } from "./tmx.js";

// files: [{ name, text }] -> [{ source, target, gold, … }], see pair.js; a side is a text or a list of words.
// Throws a sentence.
export function readPairs(files) {
  const [only] = files;
  const reader = files.length === 1 && readerFor(only);
  if (reader) {
    try {
      return reader(only.text);
    } catch (error) {
      throw new Error(`${only.name}: ${error.message}`);
    }
  }
  const inputs = files.map(({ name, text }) => ({ name, lines: linesOf(text) }));
  if (inputs.length > 3)
    throw new Error("Choose one file of pairs, two files that run in parallel, or these and gold links.");
  if (inputs.length > 1) return parallel(inputs);
  const [{ name, lines }] = inputs;
  const split = splitterFor(name, lines);
  return lines.map((line, k) => {
    if (!line.trim()) return { source: "", target: "", gold: "" };
    try {
      return split(line);
    } catch (error) {
      throw new Error(`${name}, line ${k + 1}: ${error.message}`);
    }
  });
}

// Files that are more than lines.
function readerFor({ name, text }) {
  if (/\.csv$/i.test(name)) return pairsOfCsv;
  if (/\.(tmx|xml)$/i.test(name) || /^\s*(<\?xml|<tmx)/.test(text)) return pairsOfTmx;
  return null;
}

function pairsOfCsv(text) {
  const records = readCsv(text.replace(/^\ufeff/, ""));
  const [source, target] = (records[0]?.cells ?? []).map((name) => name.trim().toLowerCase());
  if (source === "source" && target === "target") records.shift(); // a line of names
  return records.map(({ number, cells }) => {
    if (cells.length === 1 && !cells[0].trim()) return { source: "", target: "", gold: "" };
    if (cells.length < 2) throw new Error(`line ${number}: expected source and target; found one column.`);
    return { source: cells[0], target: cells[1], gold: onlyLinks(cells[2] ?? "") };
  });
}

function pairsOfTmx(text) {
  return readTmx(text).map(({ links, ...pair }) => ({ ...pair, gold: onlyLinks(links) }));
}

// Only a line feed ends a line; Unicode's own separators may stand inside a sentence.
function linesOf(text) {
  const lines = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function parallel(inputs) {
  // The links are the file that holds nothing else, whatever order a file dialogue gives.
  const isLinks = ({ lines }) =>
    lines.some(Boolean) && lines.every((line) => /^(\d+[-p]\d+(\s+|$))*$/.test(line));
  const gold = inputs.length === 3 ? inputs.find(isLinks) : null;
  const [source, target] = inputs.filter((input) => input !== gold);
  if (inputs.length === 3 && !gold) throw new Error("Of three files one must hold links, such as 0-0 1p2.");
  for (const other of [target, gold].filter(Boolean)) {
    if (other.lines.length !== source.lines.length) {
      throw new Error(
        `The files are not parallel: ${source.name} has ${source.lines.length} lines, ` +
          `${other.name} has ${other.lines.length}.`,
      );
    }
  }
  return source.lines.map((line, k) => ({
    source: line,
    target: target.lines[k],
    gold: gold?.lines[k] ?? "",
  }));
}

function splitterFor(name, lines) {
  const first = lines.find((line) => line.trim()) ?? "";
  if (/\.(jsonl|ndjson)$/i.test(name) || /^\s*\{/.test(first)) return splitJson;
  if (/\.tsv$/i.test(name) || (first.includes("\t") && !BARS.test(first))) return splitTabs;
  return splitBars;
}

const BARS = /(?<!\S)\|\|\|(?!\S)/;

function splitBars(line) {
  const sides = line.split(BARS);
  if (sides.length < 2 || sides.length > 3) {
    throw new Error(`expected ‘source ||| target’, found ${sides.length - 1} separators ‘|||’.`);
  }
  const [source, target, gold = ""] = sides.map((side) => side.trim());
  return { source, target, gold };
}

function splitTabs(line) {
  const [source, target, gold = ""] = line.split("\t");
  if (target === undefined) throw new Error("expected source, TAB, target; found no TAB.");
  return { source, target, gold: onlyLinks(gold) };
}

function splitJson(line) {
  const wanted = 'expected {"source": ..., "target": ...}, each a string or a list of words.';
  let record;
  try {
    record = JSON.parse(line);
  } catch {
    throw new Error(`not JSON; ${wanted}`);
  }
  const { source, target } = record ?? {};
  for (const side of [source, target]) {
    const words = Array.isArray(side) && side.every((word) => typeof word === "string");
    if (typeof side !== "string" && !words) throw new Error(wanted);
  }
  const gold = typeof record.gold === "string" ? onlyLinks(record.gold) : "";
  const links = Array.isArray(record.links) ? onlyLinks(record.links.map(([i, j]) => `${i}-${j}`).join(" ")) : "";
  if (typeof record.edits === "string") {
    return { ...bound(record), edits: editsFromText(record.edits), gold, links };
  }
  const { comment, done, nulls } = record; // of an annotation project
  const sides = record.source_offsets && record.target_offsets ? bound(record) : { source, target };
  return { ...sides, gold: gold || links, comment, done, nulls };
}

// A record of words that were found in texts: they stay as they are.
function bound(record) {
  const words = {};
  const texts = {};
  for (const side of ["source", "target"]) {
    const [text, offsets] = [record[`${side}_text`] ?? null, record[`${side}_offsets`] ?? null];
    words[side] = { words: record[side], text, offsets };
    texts[side] = text ?? record[side];
  }
  return { ...texts, words };
}

// Columns beyond the second may hold anything; only links are of use here.
function onlyLinks(text) {
  return /^\s*(\d+[-p]\d+\S*\s*)*$/.test(text) ? text.trim() : "";
}

// Gold links belong to words. Where they come with texts, those are presumed to be words between spaces.
export function presumeSpaces(pairs) {
  const texts = new Set(pairs.filter(({ source, words }) => typeof source === "string" && !words));
  if (![...texts].some(({ gold }) => gold)) return pairs;
  return pairs.map((pair) => (texts.has(pair) ? { ...pair, spaced: true } : pair));
}

// The numbers, from 1, of the pairs whose gold links name words that there are not.
export function misfits(pairs) {
  return pairs.flatMap((pair, k) => {
    const sides = askedFor(newPair(pair));
    if (!pair.gold || sides.some((side) => !Array.isArray(side))) return [];
    try {
      parseGold(pair.gold, ...sides.map((side) => side.length));
      return [];
    } catch {
      return [k + 1];
    }
  });
}
