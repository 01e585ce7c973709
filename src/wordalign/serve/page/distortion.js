// Distortion: words at similar places of their sentences are more likely to be linked.
//
// S[i, j] is multiplied with 1 - kappa (i/m - j/n)^2, positions counted from 0 (Jalili Sabet et al. 2020, 2.2).

import { Matrix } from "./matrix.js";

export function distorted(similarity, kappa) {
  if (!kappa) return similarity;
  const { height, width, values } = similarity;
  const product = values.map((value, cell) => {
    const shift = Math.floor(cell / width) / height - (cell % width) / width;
    return value * Math.fround(1 - kappa * (shift * shift));
  });
  return new Matrix(height, width, product);
}
