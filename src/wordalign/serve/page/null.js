// Null: a word that is not particularly similar to any word of the other side loses its links.
//
// A link goes when the smaller of its row's and its column's normalised entropy is above tau
// (Jalili Sabet et al. 2020, 2.2). The entropy over a single word is 0.

export function dropNull(links, similarity, tau) {
  const { height, width, values } = similarity;
  const row = (i) => values.subarray(i * width, (i + 1) * width);
  const column = (j) => Float32Array.from({ length: height }, (_, i) => values[i * width + j]);
  const across = Array.from({ length: height }, (_, i) => entropy(row(i)));
  const down = Array.from({ length: width }, (_, j) => entropy(column(j)));
  const least = (cell) => Math.min(across[Math.floor(cell / width)], down[cell % width]);
  return links.map((link, cell) => (link && least(cell) <= tau ? 1 : 0));
}

// 0 for one clear favourite, 1 when all are equally similar.
export function entropy(values) {
  if (values.length < 2) return 0;
  let total = 0;
  for (const value of values) total += value;
  let sum = 0;
  for (const value of values) {
    if (value > 0) sum -= (value / total) * Math.log(value / total);
  }
  return Math.min(Math.max(sum / Math.log(values.length), 0), 1);
}
