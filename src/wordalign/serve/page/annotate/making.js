// From the files that somebody opens to a project: words, links that came with them, suggestions.

import { parseGold } from "../gold.js";
import { askedFor, newPair as typedPair, splitAtSpaces } from "../pair.js";
import { checkedProject, isProject, newProject } from "./project.js";
import { eachAnswer, suggestion } from "./suggest.js";

// A file that holds a whole project; null if it holds something else.
export function projectIn(files) {
  if (files.length !== 1 || !/^\s*\{/.test(files[0].text)) return null;
  let value;
  try {
    value = JSON.parse(files[0].text);
  } catch {
    return null; // lines of JSON, each for itself, are not one value
  }
  return isProject(value) ? checkedProject(value) : null;
}

// given: pairs as pairs.js reads them; options: { name, annotator, spaced, model, method } where model and method are
// null for no suggestions. Texts whose words are not separated by spaces need a model that finds them.
// -> { project, notes }: notes are sentences about pairs that could not be taken as they were.
export async function makeProject(given, { name, annotator, spaced, model, method }, finder, progress, signal) {
  const sides = given.map((pair) => {
    const [source, target] = askedFor(typedPair({ ...pair, spaced }));
    return { source, target };
  });
  const places = [...given.keys()].filter((place) => {
    const { source, target } = sides[place];
    const unknown = typeof source === "string" || typeof target === "string";
    return (model || unknown) && source.length && target.length;
  });
  const pairs = given.map((pair, place) => ({
    ...(pair.words ? wordsOf(pair.words) : listed(sides[place])),
    ...linksOf(pair),
  }));
  const notes = given.flatMap(({ gold, edits }, place) =>
    gold && edits?.length ? [`Pair ${place + 1} has gold links, which were taken, and not those that were changed by hand.`] : [],
  );
  const use = (answer, k) => {
    const place = places[k];
    if (!answer || answer instanceof Error) {
      notes.push(`Pair ${place + 1} has no suggestions: ${answer?.message ?? "it is empty."}`);
      return;
    }
    const { links: suggested, ...others } = model ? suggestion(answer, model, method) : {};
    const { links = suggested } = pairs[place];
    const words = given[place].words ? {} : wordsOf(answer);
    pairs[place] = { ...pairs[place], ...words, ...others, ...(links ? { links } : {}) };
  };
  const asked = places.map((place) => [sides[place].source, sides[place].target]);
  await eachAnswer(asked, model ?? finder, use, progress, signal);
  pairs.forEach((pair, place) => {
    const lost = outside(pair);
    if (!lost.length) return;
    notes.push(`Pair ${place + 1}: there are no words for ${lost.join(", ")}, which ${lost.length === 1 ? "was" : "were"} left out.`);
    pair.links = Object.fromEntries(Object.entries(pair.links).filter(([key]) => !lost.includes(key)));
  });
  const project = newProject({ name, annotator, pairs });
  // Links that came with the files are not suggestions, so suggestions can be compared with them at once.
  if (given.some(({ gold, links }) => gold || links)) project.given = true;
  return { project, notes };
}

// A side that is still a text has no words yet: those between its spaces, until somebody finds better ones.
function listed({ source, target }) {
  const words = (side) => (typeof side === "string" ? splitAtSpaces(side) : side);
  return { source: words(source), target: words(target) };
}

// The links that came with a pair; without them the pair takes the suggested ones.
function linksOf({ gold = "", links = "", edits, comment, done, nulls }) {
  // Records of a project, and of the other page, say it when there are none.
  const found = parseGold(gold || links) ?? (typeof done === "boolean" || edits ? { possible: [] } : null);
  const fields = {};
  if (found) {
    const state = (key) => (found.sure.has(key) ? "sure" : "possible");
    fields.links = Object.fromEntries([...found.possible].map((key) => [key, state(key)]));
  }
  if (typeof comment === "string") fields.comment = comment;
  if (typeof done === "boolean") fields.done = done;
  if (typeof nulls === "string") {
    const marked = nulls.split(" ").filter((key) => /^[st]\d+$/.test(key));
    fields.nulls = Object.fromEntries(marked.map((key) => [key, true]));
  }
  return fields;
}

// Words with the text that they were found in, where there is one. `found` is { source, target } of an answer of the
// service, or of a record that was read.
function wordsOf(found) {
  const fields = {};
  for (const side of ["source", "target"]) {
    const { words, text, offsets } = found[side];
    fields[side] = words;
    if (offsets) Object.assign(fields, { [`${side}_text`]: text, [`${side}_offsets`]: offsets });
  }
  return fields;
}

function outside({ source, target, links = {} }) {
  return Object.keys(links).filter((key) => {
    const [i, j] = key.split("-").map(Number);
    return !(i < source.length && j < target.length);
  });
}
