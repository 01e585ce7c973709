// A similarity matrix -> links, by every method but `match`, which has a file of its own. These are the library's
// definitions (docs/algorithms.md) in the library's precision, and a test compares the links of both.
//
// A method is a function (similarity, parameters, curve) -> a Uint8Array, 1 where two units are linked, in the
// matrix's own order. `curve` is the model's calibration, or null: how similarities become scores, { scale, bias,
// sharpness, larger, smaller }, and scores probabilities, { scores, log_odds }, both rising. `curveIn` takes it from
// what the service says of a model.

import { Matrix, noLinks } from "./matrix.js";

// Forward links each row with its best column. Ties take the smaller index, and a row of zeros gets no link.
export function forward(similarity) {
  const links = noLinks(similarity);
  const { height, width, values } = similarity;
  for (let i = 0; i < height; i++) {
    let best = i * width;
    for (let cell = best; cell < (i + 1) * width; cell++) if (values[cell] > values[best]) best = cell;
    if (width && values[best] > 0) links[best] = 1;
  }
  return links;
}

// Reverse links each column with its best row.
export function reverse(similarity) {
  const links = noLinks(similarity);
  const { height, width, values } = similarity;
  for (let j = 0; j < width; j++) {
    let best = j;
    for (let cell = j; cell < height * width; cell += width) if (values[cell] > values[best]) best = cell;
    if (height && values[best] > 0) links[best] = 1;
  }
  return links;
}

// Argmax links two words that are each other's most similar word.
//
//   0.9 0.1 0.2        1 0 0
//   0.8 0.3 0.7   ->   0 0 0     row 1 prefers column 0, which prefers row 0
//   0.1 0.6 0.2        0 1 0
export function argmax(similarity) {
  const back = reverse(similarity);
  return forward(similarity).map((link, cell) => link & back[cell]);
}

// Itermax repeats argmax and favours the words that have no link yet: a cell counts in full if neither of its
// words has a link, `alpha` times if one has, not at all if both have (Algorithm 1 of Jalili Sabet et al. 2020).
export function itermax(similarity, { n_max: rounds, alpha }) {
  const links = argmax(similarity);
  for (let round = 1; round < rounds; round++) {
    const added = argmax(weighted(similarity, links, Math.fround(alpha)));
    if (!added.includes(1)) break;
    added.forEach((link, cell) => (links[cell] |= link));
  }
  return links;
}

function weighted({ height, width, values }, links, alpha) {
  const rows = new Uint8Array(height);
  const columns = new Uint8Array(width);
  links.forEach((link, cell) => {
    rows[Math.floor(cell / width)] |= link;
    columns[cell % width] |= link;
  });
  const weights = [1, alpha, 0];
  const product = values.map(
    (value, cell) => value * weights[rows[Math.floor(cell / width)] + columns[cell % width]],
  );
  return new Matrix(height, width, product);
}

// Calibrated links what is right with a probability above `always`, and words that have no better partner above
// `mutual`. Probabilities rise with scores, so scores are compared.
export function calibrated(similarity, { always, mutual }, curve) {
  const score = scores(similarity, curve);
  const fair = scoreAt(curve, mutual);
  const best = argmax(positive(score));
  const above = bestOf(score, scoreAt(curve, always));
  return best.map((link, cell) => (above(cell) || (link && score.values[cell] > fair) ? 1 : 0));
}

// `argmax` takes positive numbers, and 0 for cells that are not there.
function positive({ height, width, values }) {
  const lowest = values.reduce((least, value) => (value > -Infinity && value < least ? value : least), 0);
  return new Matrix(height, width, values.map((value) => (value > -Infinity ? value - lowest + 1 : 0)));
}

// The library's bound: no word has more translations, and a line of one repeated word has millions of cells.
const MOST = 32;

// Whether a cell is above `high` and among the MOST best of its row or column; the first where they tie.
function bestOf({ height, width, values }, high) {
  const cells = (first, step, count) => Array.from({ length: count }, (_, place) => first + step * place);
  const rows = cells(0, width, height).map((first) => cells(first, 1, width));
  const crowded = (row) => row.filter((cell) => values[cell] > high).length > MOST;
  if (Math.min(height, width) <= MOST || !rows.some(crowded)) return (cell) => values[cell] > high;
  const columns = cells(0, 1, width).map((first) => cells(first, width, height));
  const order = (a, b) => (values[a] === values[b] ? 0 : values[b] - values[a]);
  const best = (line) => line.sort(order).slice(0, MOST);
  const among = new Set([...rows, ...columns].flatMap(best));
  return (cell) => values[cell] > high && among.has(cell);
}

// The model's curve for pairs in a situation (situation.js), the usual one where it has none; null for models without.
export function curveIn(curves, situation) {
  return curves && { ...curves, log_odds: curves.situations?.[situation] ?? curves.log_odds };
}

// The probability of every cell that a link there is right.
export function probabilities(similarity, curve) {
  const { height, width, values } = scores(similarity, curve);
  const probability = (score) => 1 / (1 + Math.exp(-interpolate(score, curve.scores, curve.log_odds)));
  return new Matrix(height, width, values.map((score) => (score > -Infinity ? probability(score) : 0)));
}

// The score of every cell: its cosine, and its share among the cells of its row and of its column. In double
// precision and with six digits, as in the library.
function scores({ height, width, values }, { scale, bias, sharpness, larger, smaller }) {
  const cosine = Float64Array.from(values, (value) => 2 * value - 1);
  const sharp = cosine.map((value, cell) => (values[cell] > 0 ? sharpness * value : -Infinity));
  const row = logSums(sharp, height, width, width, 1);
  const column = logSums(sharp, width, height, 1, width);
  const score = cosine.map((value, cell) => {
    if (!(values[cell] > 0)) return -Infinity;
    const across = sharp[cell] - row[Math.floor(cell / width)];
    const down = sharp[cell] - column[cell % width];
    const share = larger * Math.max(across, down) + smaller * Math.min(across, down);
    return Math.round((scale * value + bias + share) * 1e6) / 1e6;
  });
  return new Matrix(height, width, score);
}

// The logarithm of the sum of exponentials of each line: `lines` of them, `count` cells each.
function logSums(values, lines, count, apart, step) {
  return Float64Array.from({ length: lines }, (_, line) => {
    let top = -Infinity;
    for (let k = 0; k < count; k++) top = Math.max(top, values[line * apart + k * step]);
    let sum = 0;
    for (let k = 0; k < count; k++) sum += Math.exp(values[line * apart + k * step] - top);
    return top + Math.log(sum);
  });
}

// The smallest score with at least that probability; infinite where there is none.
function scoreAt(curve, wanted) {
  if (wanted <= 0) return -Infinity;
  if (wanted >= 1) return Infinity;
  const logOdds = Math.log(wanted / (1 - wanted));
  const above = curve.log_odds.findIndex((value) => value >= logOdds);
  if (above < 0) return Infinity;
  if (above === 0) return -Infinity;
  return interpolate(logOdds, curve.log_odds.slice(above - 1, above + 1), curve.scores.slice(above - 1, above + 1));
}

function interpolate(x, xs, ys) {
  if (x <= xs[0]) return ys[0];
  if (x >= xs[xs.length - 1]) return ys[ys.length - 1];
  let low = 0;
  let high = xs.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle;
  }
  if (xs[low] === x) return ys[low];
  return ((ys[low + 1] - ys[low]) / (xs[low + 1] - xs[low])) * (x - xs[low]) + ys[low];
}

// Distortion prefers words at similar places of their sentences: S[i, j] is multiplied with
// 1 - kappa (i/m - j/n)^2, positions counted from 0 (Jalili Sabet et al. 2020, 2.2).
export function distorted(similarity, kappa) {
  if (!kappa) return similarity;
  const { height, width, values } = similarity;
  const product = values.map((value, cell) => {
    const shift = Math.floor(cell / width) / height - (cell % width) / width;
    return value * Math.fround(1 - kappa * (shift * shift));
  });
  return new Matrix(height, width, product);
}

// Null drops a link when the smaller of its row's and its column's normalised entropy is above tau: such a word
// is not particularly similar to any word of the other side (Jalili Sabet et al. 2020, 2.2).
export function dropNull(links, similarity, tau) {
  const { height, width, values } = similarity;
  const row = (i) => values.subarray(i * width, (i + 1) * width);
  const column = (j) => Float32Array.from({ length: height }, (_, i) => values[i * width + j]);
  const across = Array.from({ length: height }, (_, i) => entropy(row(i)));
  const down = Array.from({ length: width }, (_, j) => entropy(column(j)));
  const least = (cell) => Math.min(across[Math.floor(cell / width)], down[cell % width]);
  return links.map((link, cell) => (link && least(cell) <= tau ? 1 : 0));
}

// 0 for one clear favourite or a single word that can be linked, 1 when all of those are equally similar.
function entropy(values) {
  const possible = values.filter((value) => value > 0);
  if (possible.length < 2) return 0;
  let total = 0;
  for (const value of possible) total += value;
  let sum = 0;
  for (const value of possible) sum -= (value / total) * Math.log(value / total);
  return Math.min(Math.max(sum / Math.log(possible.length), 0), 1);
}
