// Raw text -> words with their places in it, as `wordalign.text` splits it: e.g. Don't stop: 東京へ. gives
// Do | n't | stop | : | 東 | 京 | へ | .

import { pieces } from "./boundaries.js";
import * as tables from "./tables.js";

const ZERO_WIDTH_SPACE = "\u200b";
const GOES_ON = /^[/:?#]/;

// -> { words, text, offsets: [[start, end], ...] }, places in the string as JavaScript counts them.
export function splitWords(text) {
  const spans = [];
  let end = 0;
  for (const [start, stop] of wholeSpans(text)) {
    addWritten(spans, text, end, start);
    spans.push([start, stop]);
    end = stop;
  }
  addWritten(spans, text, end, text.length);
  return { words: spans.map(([start, stop]) => text.slice(start, stop)), text, offsets: spans };
}

// Addresses, file names, tags, placeholders and clitics that stand alone: one word each.
function* wholeSpans(text) {
  if (!tables.HINT.test(text)) return;
  let end = 0;
  for (const found of text.matchAll(tables.WHOLE)) {
    const isName = found.groups.found !== undefined;
    if (found.index < end || (isName && !isAddress(found[0]))) continue;
    end = found.index + found[0].length;
    if (isName && GOES_ON.test(text.slice(end, end + 1))) end += matchAt(tables.URL_END, text, end).length;
    yield [found.index, end];
  }
}

// A file name with a known extension or a known domain, with or without a path.
function isAddress(names) {
  const dot = names.lastIndexOf(".");
  if (dot < 0) return false;
  if (dot > 0 && tables.EXTENSIONS.has(names.slice(dot + 1).toLowerCase())) return true;
  const host = names.split(/[/\\]/, 1)[0];
  const last = host.lastIndexOf(".");
  return tables.DOMAINS.has(host.slice(last + 1)) && (last < 1 || !host.startsWith("."));
}

// Natural language in any mixture of scripts.
function addWritten(spans, text, start, end) {
  let done = start;
  for (const run of text.slice(start, end).matchAll(tables.UNSPACED_RUN)) {
    addSpaced(spans, text, done, start + run.index);
    done = start + run.index;
    for (const piece of syllables(run[0])) spans.push([done, (done += piece.length)]);
  }
  addSpaced(spans, text, done, end);
}

// Scripts without spaces come out as syllables, or as characters with the marks that belong to them.
function* syllables(run) {
  for (let place = 0; place < run.length; ) {
    const piece = matchAt(tables.SYLLABLE, run, place) ?? matchAt(tables.CHARACTER, run, place);
    yield piece;
    place += piece.length;
  }
}

function addSpaced(spans, text, start, end) {
  for (const piece of pieces(text.slice(start, end))) {
    const stop = start + piece.length;
    if (!tables.SPACE_ONLY.test(piece) && piece !== ZERO_WIDTH_SPACE) {
      const cuts = /['’]/.test(piece) ? cliticCuts(piece, text) : [];
      for (const cut of [...cuts.map((place) => stop - piece.length + place), stop]) {
        spans.push([start, cut]);
        start = cut;
      }
    }
    start = stop;
  }
}

// Where to cut a word of `text` that has an apostrophe, in order: don't -> 2, l'homme -> 2
function cliticCuts(word, text) {
  const cuts = [];
  let start = 0;
  if (/^['’]/.test(word) && word.length > 1) cuts.push((start = 1));
  for (;;) {
    const elided = matchAt(tables.ELISION, word, start);
    if (!elided || (/^t.$/iu.test(elided) && tables.EJECTIVE.test(text))) break;
    cuts.push((start += elided.length));
  }
  const clitics = [];
  let rest = word;
  for (;;) {
    const found = tables.CLITIC.exec(rest);
    if (!found || found.index <= start) break;
    const dutch = tables.PLURAL.test(rest.slice(start)) && tables.DUTCH.test(text) && !tables.ENGLISH.test(text);
    if (dutch) break;
    rest = word.slice(0, found.index);
    clitics.unshift(found.index);
  }
  return [...cuts, ...clitics];
}

function matchAt(pattern, text, place) {
  pattern.lastIndex = place;
  return pattern.exec(text)?.[0] ?? null;
}
