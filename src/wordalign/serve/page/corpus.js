// A file of pairs that is stepped through: each keeps its own gold links and edits.

import { align, signature, unitsOf } from "./align.js";
import { applied } from "./edits.js";
import { pharaoh, record } from "./export.js";
import { alignPairs } from "./service.js";

const BATCH = 8;
const RETRIES = 8;

export class Corpus {
  constructor(name, pairs) {
    this.name = name;
    this.pairs = pairs.map((pair) => ({ ...pair, edits: [] }));
    this.index = 0;
    this.unsaved = false;
  }

  get current() {
    return this.pairs[this.index];
  }

  // What the reader did to the pair at hand.
  keep(pair) {
    this.unsaved ||= pair.edits !== this.current.edits;
    Object.assign(this.current, pair);
  }

  goTo(index) {
    this.index = Math.min(Math.max(index, 0), this.pairs.length - 1);
  }

  // Every pair's links as lines of a file, in order. settings: { model, level, curve, options, wordsOf };
  // -> { lines, failed: [{ number, message }] }. A pair that the service refuses has an empty line.
  async exportAll(kind, { model, level, curve, options, wordsOf }, progress) {
    const lines = [];
    const failed = [];
    for (let start = 0; start < this.pairs.length; start += BATCH) {
      progress(start, this.pairs.length);
      const batch = this.pairs.slice(start, start + BATCH);
      const asked = batch.map((pair) => ({ source: wordsOf(pair.source), target: wordsOf(pair.target) }));
      const answers = await answersFor(asked, model, level);
      answers.forEach((answer, k) => {
        if (answer instanceof Error) failed.push({ number: start + k + 1, message: answer.message });
        lines.push(line(kind, answer, batch[k].edits, curve, options));
      });
    }
    if (!failed.length) this.unsaved = false;
    return { lines, failed };
  }
}

function line(kind, answer, edits, curve, options) {
  const usable = answer && !(answer instanceof Error);
  const found = usable ? align(unitsOf(answer.matrix), curve, options) : null;
  const links = found ? applied(edits, found.links, found.scoreOf) : new Map();
  if (kind === "pharaoh") return pharaoh(links);
  if (!usable) return "";
  return JSON.stringify(record(answer, links, signature(answer.signature, options), edits.length > 0));
}

// An answer for each pair, null for one that has an empty side, an error for one that is refused. A batch that
// is refused is asked for pair by pair, so that one bad pair spoils no other.
async function answersFor(pairs, model, level) {
  const wanted = pairs.filter((pair) => pair.source.length && pair.target.length);
  let answers;
  try {
    answers = wanted.length ? await patiently(wanted, model, level) : [];
  } catch (error) {
    if (!(error.status >= 400 && error.status < 500)) throw error;
    answers = [];
    for (const pair of wanted) {
      answers.push(
        await patiently([pair], model, level).then(
          ([answer]) => answer,
          (refusal) => refusal,
        ),
      );
    }
  }
  return pairs.map((pair) => (wanted.includes(pair) ? answers[wanted.indexOf(pair)] : null));
}

// A busy service says when to come again.
async function patiently(pairs, model, level) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await alignPairs(pairs, model, level);
    } catch (error) {
      if (error.status !== 429 || attempt === RETRIES) throw error;
      await new Promise((done) => setTimeout(done, 1000 * Math.max(error.retryAfter, 0.5)));
    }
  }
}
