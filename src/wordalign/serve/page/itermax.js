// Itermax: argmax again and again, favouring the words that have no link yet.
//
// A cell counts in full if neither of its words has a link, `alpha` times if one has, not at all if both
// have (Algorithm 1 of Jalili Sabet et al. 2020). `n_max` = 1 is plain argmax.

import { argmax } from "./argmax.js";
import { Matrix } from "./matrix.js";

export function itermax(similarity, { n_max: rounds, alpha }) {
  const links = argmax(similarity);
  for (let round = 1; round < rounds; round++) {
    const added = argmax(weighted(similarity, links, Math.fround(alpha)));
    if (!added.includes(1)) break;
    added.forEach((link, cell) => (links[cell] |= link));
  }
  return links;
}

function weighted(similarity, links, alpha) {
  const { height, width, values } = similarity;
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
