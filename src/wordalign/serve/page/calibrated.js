// Calibrated: links whose probability of being right is above `always`, or that are mutual best and above
// `mutual`. The curve rises, so similarities are compared, in the precision in which the library does.

import { argmax } from "./argmax.js";
import { similarityAt } from "./calibration.js";

// The library's bound: no word has more translations, and a line of one repeated word has millions of cells.
const MOST = 32;

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
