// A service's answer and the reader's choices -> word links with scores: what the library's aligner does after
// the encoder, so that a slider needs no new request.

import { curveIn, distorted, dropNull, probabilities } from "./extract.js";
import { byPosition, keyOf } from "./links.js";
import { Matrix } from "./matrix.js";
import { METHODS, methodSpec } from "./methods.js";

// `units` is { similarity: Matrix, rows, columns, situation }: the words that the matrix's rows and columns belong
// to, and which of the model's curves counts for the pair.
export function unitsOf(matrix) {
  const { word_of_row: rows, word_of_column: columns, situation } = matrix;
  const similarity = Matrix.fromRows(matrix.similarity, rows.length, columns.length);
  return { similarity, rows, columns, situation };
}

// -> { links: Map "i-j" -> score, sorted; similarity: after distortion; marked: the linked units; score(i, j) }
export function align(units, curves, { method, distortion = 0, tau = 1, threshold = 0 }) {
  const similarity = distorted(units.similarity, distortion);
  const curve = curveIn(curves, units.situation);
  let marked = METHODS[method.name].run(similarity, method.parameters, curve);
  if (tau < 1) marked = dropNull(marked, similarity, tau);
  const scores = curve ? probabilities(similarity, curve) : similarity;
  const best = new Map();
  marked.forEach((link, cell) => {
    if (!link) return;
    const key = wordsOf(units, similarity, cell);
    const score = scores.values[cell];
    if (score >= threshold && !(best.get(key) >= score)) best.set(key, score);
    else if (score < threshold) marked[cell] = 0;
  });
  return {
    links: new Map([...best].sort(byPosition)),
    similarity,
    marked,
    similarityOf: bestOfWords(units, similarity),
    scoreOf: bestOfWords(units, scores),
  };
}

// The best value of any two words, linked or not; found when first asked for.
function bestOfWords(units, matrix) {
  let best = null;
  const find = () => {
    const found = new Map();
    matrix.values.forEach((value, cell) => {
      const key = wordsOf(units, matrix, cell);
      if (!(found.get(key) >= value)) found.set(key, value);
    });
    return found;
  };
  return (i, j) => (best ??= find()).get(keyOf(i, j)) ?? 0;
}

// The name of the two words that a cell belongs to.
function wordsOf(units, similarity, cell) {
  return keyOf(units.rows[Math.floor(cell / similarity.width)], units.columns[cell % similarity.width]);
}

// All that a score depends on, as the library writes it, with the page's own choices put into the service's.
export function signature(given, { method, distortion = 0, tau = 1, threshold = 0 }) {
  const parts = given.split(" | ").filter((part) => !/^(method|distortion|null|threshold)=/.test(part));
  const version = parts.pop();
  if (distortion) parts.push(`distortion=${distortion}`);
  parts.push(`method=${methodSpec(method)}`);
  if (tau < 1) parts.push(`null=${tau}`);
  if (threshold) parts.push(`threshold=${threshold}`);
  return [...parts, version].join(" | ");
}
