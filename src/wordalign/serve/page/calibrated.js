// Calibrated: links whose probability of being right is above `always`, or that are mutual best and above
// `mutual`. The curve rises, so similarities are compared, in the precision in which the library does.

import { argmax } from "./argmax.js";
import { similarityAt } from "./calibration.js";

export function calibrated(similarity, { always, mutual }, curve) {
  const high = Math.fround(similarityAt(curve, always));
  const fair = Math.fround(similarityAt(curve, mutual));
  const best = argmax(similarity);
  return best.map((link, cell) => {
    const value = similarity.values[cell];
    return value > 0 && (value > high || (link && value > fair)) ? 1 : 0;
  });
}
