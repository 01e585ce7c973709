// Similarity -> probability that a link is right: the model's log odds at some similarities, straight
// lines between them. A curve is { similarity: [...], log_odds: [...] }, both rising.

export function probability(curve, similarity) {
  return 1 / (1 + Math.exp(-interpolate(similarity, curve.similarity, curve.log_odds)));
}

// The smallest similarity with at least that probability; above 1 where there is none.
export function similarityAt(curve, wanted) {
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
