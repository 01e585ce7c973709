// A similarity matrix -> links, by every method but `match`, which has a file of its own. These are the library's
// definitions (docs/algorithms.md) in the library's precision, and a test compares the links of both.
//
// A method is a function (similarity, parameters, curve) -> a Uint8Array, 1 where two units are linked, in the
// matrix's own order. `curve` is the model's calibration, { similarity, log_odds }, both rising, or null.

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

// Calibrated links what is right with a probability above `always`, and mutual best words above `mutual`. The
// curve rises, so similarities are compared.
export function calibrated(similarity, { always, mutual }, curve) {
  const high = Math.fround(similarityAt(curve, always));
  const fair = Math.fround(similarityAt(curve, mutual));
  const best = argmax(similarity);
  const above = bestOf(similarity, high);
  return best.map((link, cell) => {
    const value = similarity.values[cell];
    return value > 0 && (above(cell) || (link && value > fair)) ? 1 : 0;
  });
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
  const best = (line) => line.sort((a, b) => values[b] - values[a]).slice(0, MOST);
  const among = new Set([...rows, ...columns].flatMap(best));
  return (cell) => values[cell] > high && among.has(cell);
}

// The probability that a link of this similarity is right.
export function probability(curve, similarity) {
  return 1 / (1 + Math.exp(-interpolate(similarity, curve.similarity, curve.log_odds)));
}

// The smallest similarity with at least that probability; above 1 where there is none.
function similarityAt(curve, wanted) {
  if (wanted <= 0) return 0;
  if (wanted >= 1) return 2;
  const logOdds = Math.log(wanted / (1 - wanted));
  const above = curve.log_odds.findIndex((value) => value >= logOdds);
  if (above < 0) return 2;
  const from = Math.max(above - 1, 0);
  return interpolate(logOdds, curve.log_odds.slice(from, above + 1), curve.similarity.slice(from, above + 1));
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
