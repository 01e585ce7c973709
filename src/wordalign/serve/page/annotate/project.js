// An annotation project as one plain value, which is also the file that is saved (docs/annotation.md).
//
//   { format, version, id, name, annotator, created, pairs: [pair, …] }
//
// A pair has its words, and what people and methods said of them:
//
//   source, target        lists of words; source_text, source_offsets, … where they were found in raw text
//   links                 { "0-0": "sure", "1-2": "possible" }, words from 0
//   nulls                 { "s3": true, "t0": true }: words that have no counterpart, marked on purpose
//   suggested, faint      { "0-0": 0.98 }: the links that a method suggested, with their probabilities, and the
//                         links that it rejected although they are not improbable; suggested_by says which method
//   checked               { "0-0": true }: places of a link that somebody has looked at
//   votes                 { "0-0": "Ann" }: in a project made of two, links that only one of the annotators had
//   comment, done

export const FORMAT = "wordalign-project";
export const VERSION = 1;
const SIDES = ["source", "target"];
const STATES = ["sure", "possible"];
const LINK = /^(\d+)-(\d+)$/;
const WORD = /^([st])(\d+)$/;

export function newPair(given) {
  const empty = { links: {}, nulls: {}, suggested: {}, faint: {}, suggested_by: "", checked: {}, votes: {} };
  return { ...empty, comment: "", done: false, ...given };
}

export function newProject({ name, annotator = "", pairs }) {
  const created = new Date().toISOString();
  return { format: FORMAT, version: VERSION, id: newId(), name, annotator, created, pairs: pairs.map(newPair) };
}

// Works without a secure connection, too, where browsers have no randomUUID.
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function isProject(value) {
  return value?.format === FORMAT;
}

// A project that came from a file, with everything in it in its place; throws a sentence about what is not.
export function checkedProject(value) {
  if (!isProject(value)) throw new Error("This is not an annotation project of wordalign.");
  if (!(value.version <= VERSION)) {
    throw new Error(`The project was made by a newer wordalign (format ${value.version}); update this one first.`);
  }
  if (!Array.isArray(value.pairs) || !value.pairs.length) throw new Error("The project has no pairs.");
  const text = (name) => (typeof value[name] === "string" ? value[name] : "");
  const { team, modified, ...others } = value; // of a server's copy
  return {
    ...others,
    id: /^[0-9a-f]{16}$/.test(value.id) ? value.id : newId(),
    name: text("name") || "Project",
    annotator: text("annotator"),
    created: text("created"),
    pairs: value.pairs.map((pair, k) => {
      try {
        return checkedPair(pair);
      } catch (error) {
        throw new Error(`Pair ${k + 1} of the project: ${error.message}`);
      }
    }),
  };
}

function checkedPair(given) {
  const pair = newPair(given);
  for (const side of SIDES) {
    if (!Array.isArray(pair[side]) || pair[side].some((word) => typeof word !== "string")) {
      throw new Error(`“${side}” is not a list of words.`);
    }
  }
  const sizes = [pair.source.length, pair.target.length];
  const link = (key) => {
    const [, i, j] = LINK.exec(key) ?? [];
    if (!(Number(i) < sizes[0] && Number(j) < sizes[1])) throw new Error(`there are no words for the link “${key}”.`);
  };
  for (const field of ["links", "nulls", "suggested", "faint", "checked", "votes"]) {
    if (typeof pair[field] !== "object" || Array.isArray(pair[field])) throw new Error(`“${field}” is not an object.`);
    for (const [key, value] of Object.entries(pair[field])) {
      if (field !== "nulls") link(key);
      if (field === "links" && !STATES.includes(value)) throw new Error(`the link “${key}” is neither sure nor possible.`);
    }
  }
  for (const key of Object.keys(pair.nulls)) {
    const { side, index } = wordOf(key) ?? {};
    if (!(index < pair[side]?.length)) throw new Error(`there is no word “${key}”.`);
  }
  if (typeof pair.comment !== "string") throw new Error("the comment is not a text.");
  return { ...pair, done: Boolean(pair.done) };
}

// "s3" -> { side: "source", index: 3 }, and back.
export function wordOf(key) {
  const [, side, index] = WORD.exec(key) ?? [];
  return side ? { side: side === "s" ? "source" : "target", index: Number(index) } : null;
}

export function wordKey(side, index) {
  return `${side[0]}${index}`;
}

// The words that have neither a link nor a mark, { source: [index, …], target: […] }: nobody has decided on them.
export function undecided(pair) {
  const linked = { source: new Set(), target: new Set() };
  for (const key of Object.keys(pair.links)) {
    const [i, j] = key.split("-").map(Number);
    linked.source.add(i);
    linked.target.add(j);
  }
  const free = (side) =>
    [...pair[side].keys()].filter((k) => !linked[side].has(k) && !pair.nulls[wordKey(side, k)]);
  return { source: free("source"), target: free("target") };
}
