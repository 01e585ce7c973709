// Where a long pair of sentences is broken into lines that belong together.
//
// A band holds a piece of the source above a piece of the target, both no wider than the page. Breaks are chosen
// so that as few links as possible leave their band, bands are few, and no line begins with a full stop: dynamic
// programming over the places (i, j) where a band can end.
//
//   widths [40, 40, 40], [40, 40, 40], links 0-0 1-1 2-2, page 100   ->   [0, 2, 0, 2], [2, 3, 2, 3]

const BAND_COST = 1;
const GLUE_COST = 3; // of a line that begins with a sign that belongs to the word before
const GLUED = /^[\p{Pe}\p{Pf}.,;:!?…%。、，！？：；।॥؟،؛۔]+$/u;
const REACH = 60; // how far from the diagonal, in words, two pieces of a band may lie

// sizes: widths of the words; links: [[i, j], ...]; texts: the words themselves, of both sides.
// -> [[i, i2, j, j2], ...], from i to before i2.
export function bands(sourceSizes, targetSizes, links, page, gap = 0, texts = [[], []]) {
  const m = sourceSizes.length;
  const n = targetSizes.length;
  const left = sums(sourceSizes.map((size) => size + gap));
  const right = sums(targetSizes.map((size) => size + gap));
  if (left[m] <= page + gap && right[n] <= page + gap) return [[0, m, 0, n]];
  const inside = countLinks(m, n, links);
  const glue = (word, k) => (k && GLUED.test(word) ? GLUE_COST : 0);
  const [badSource, badTarget] = texts.map((words) => words.map(glue));
  const place = (i, j) => i * (n + 1) + j;
  const cost = new Float64Array((m + 1) * (n + 1)).fill(Infinity);
  const from = new Int32Array(cost.length).fill(-1);
  cost[0] = 0;
  for (let i = 0; i <= m; i++) {
    for (let j = 0; j <= n; j++) {
      const here = cost[place(i, j)];
      if (here === Infinity) continue;
      for (let i2 = i; fits(left, i, i2, page + gap); i2++) {
        const leaving = inside(i, i2, 0, n);
        const start = here + BAND_COST + (i2 > i ? (badSource[i] ?? 0) : 0);
        for (let j2 = i2 === i ? j + 1 : j; fits(right, j, j2, page + gap); j2++) {
          if (!near(i2, j2, m, n)) continue;
          const crossing = leaving - inside(i, i2, j, j2);
          const total = start + crossing + (j2 > j ? (badTarget[j] ?? 0) : 0);
          if (total < cost[place(i2, j2)]) {
            cost[place(i2, j2)] = total;
            from[place(i2, j2)] = place(i, j);
          }
        }
      }
    }
  }
  const found = [];
  for (let end = place(m, n); end > 0 && from[end] >= 0; end = from[end]) {
    const start = from[end];
    found.unshift([Math.floor(start / (n + 1)), Math.floor(end / (n + 1)), start % (n + 1), end % (n + 1)]);
  }
  return found;
}

// Which share of the links leaves its band.
export function crossing(pieces, links) {
  const leaving = links.filter(
    ([i, j]) => !pieces.some(([start, end, from, to]) => start <= i && i < end && from <= j && j < to),
  );
  return leaving.length / Math.max(links.length, 1);
}

// A word wider than the page stands alone and overflows, rather than not being shown.
function fits(edges, start, end, page) {
  return end < edges.length && (end - start <= 1 || edges[end] - edges[start] <= page);
}

function near(i, j, m, n) {
  return i === m || j === n || Math.abs(i / Math.max(m, 1) - j / Math.max(n, 1)) * Math.max(m, n) <= REACH;
}

function sums(sizes) {
  const edges = [0];
  for (const size of sizes) edges.push(edges.at(-1) + size);
  return edges;
}

// A function that counts the links of any rectangle, from two-dimensional sums.
function countLinks(m, n, links) {
  const table = new Int32Array((m + 1) * (n + 1));
  for (const [i, j] of links) table[(i + 1) * (n + 1) + j + 1] += 1;
  for (let i = 1; i <= m; i++) {
    for (let j = 1; j <= n; j++) {
      table[i * (n + 1) + j] +=
        table[(i - 1) * (n + 1) + j] + table[i * (n + 1) + j - 1] - table[(i - 1) * (n + 1) + j - 1];
    }
  }
  const at = (i, j) => table[i * (n + 1) + j];
  return (i, i2, j, j2) => at(i2, j2) - at(i, j2) - at(i2, j) + at(i, j);
}
