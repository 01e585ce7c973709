// Argmax: link two words that are each other's most similar word.
//
//   0.9 0.1 0.2        1 0 0
//   0.8 0.3 0.7   ->   0 0 0     row 1 prefers column 0, which prefers row 0
//   0.1 0.6 0.2        0 1 0
//
// Ties take the smaller index; a row or column of zeros gives no link.

import { noLinks } from "./matrix.js";

// Each row's best column.
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

// Each column's best row.
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

export function argmax(similarity) {
  const back = reverse(similarity);
  return forward(similarity).map((link, cell) => link & back[cell]);
}
