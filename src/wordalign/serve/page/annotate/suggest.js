// Links suggested by a method of a model, with their probabilities, and the words of texts that have none yet.

import { align, signature, unitsOf } from "../align.js";
import { answersFor } from "../answers.js";
import { keyOf } from "../links.js";

const BATCH = 16;
const FAINT = 0.05; // rejected links of a lower probability are not worth a look

// What a method says of an answer of the service: { links, suggested, faint, suggested_by }.
export function suggestion(answer, model, method) {
  const { links, scoreOf } = align(unitsOf(answer.matrix), model.curve, { method });
  const found = { links: {}, suggested: {}, faint: {}, suggested_by: signature(answer.signature, { method }) };
  const { length: width } = answer.target.words;
  answer.source.words.forEach((_, i) => {
    for (let j = 0; j < width; j++) {
      const key = keyOf(i, j);
      const score = Math.round(scoreOf(i, j) * 1e4) / 1e4;
      if (links.has(key)) {
        found.links[key] = "sure";
        found.suggested[key] = score;
      } else if (model.curve && score >= FAINT) found.faint[key] = score;
    }
  });
  return found;
}

// Answers for pairs of sides (texts or lists of words), in batches; each is given to `use` with its place.
// progress(done, all) is called between batches, and `signal` stops it. A pair that is refused is an error there.
export async function eachAnswer(sides, model, use, progress, signal) {
  for (let start = 0; start < sides.length; start += BATCH) {
    if (signal?.aborted) throw new DOMException("Stopped.", "AbortError");
    progress(start, sides.length);
    const batch = sides.slice(start, start + BATCH);
    const answers = await answersFor(batch, { model: model.name, level: model.level });
    answers.forEach((answer, k) => use(answer, start + k));
  }
  progress(sides.length, sides.length);
}
