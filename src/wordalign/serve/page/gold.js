// Gold links, `0-0 1p2`: sure and possible; and how well others agree with them.

// -> { sure, possible } as sets of "i-j", possible including sure; null for none; throws a sentence.
export function parseGold(text, height = Infinity, width = Infinity) {
  const tokens = text.split(/\s+/).filter(Boolean);
  if (!tokens.length) return null;
  const sure = new Set();
  const possible = new Set();
  for (const token of tokens) {
    const found = /^(\d+)([-p])(\d+)(?::[0-9.eE+-]+)?$/.exec(token);
    if (!found)
      throw new Error(`“${token}” is not a gold link; write 0-0 for a sure one, 1p2 for a possible one.`);
    const [, i, kind, j] = found;
    if (Number(i) >= height || Number(j) >= width) {
      throw new Error(`Gold link ${token} lies outside the sentences of ${height} and ${width} words, counted from 0.`);
    }
    possible.add(`${Number(i)}-${Number(j)}`);
    if (kind === "-") sure.add(`${Number(i)}-${Number(j)}`);
  }
  return { sure, possible };
}

// precision = |A and P| / |A|, recall = |A and S| / |S|, AER = 1 - (|A and S| + |A and P|) / (|A| + |S|)
// (Och and Ney 2003). A share of nothing is 0, except that nothing found where nothing is to be found is right.
export function measures(links, gold) {
  return measuresOfAll([{ links, gold }]);
}

// The same of many pairs together, [{ links: Map "i-j" -> …, gold: { sure, possible } }], from their counts.
export function measuresOfAll(pairs) {
  let [found, inSure, inPossible, allSure] = [0, 0, 0, 0];
  for (const { links, gold } of pairs) {
    const keys = [...links.keys()];
    found += keys.length;
    inSure += keys.filter((key) => gold.sure.has(key)).length;
    inPossible += keys.filter((key) => gold.possible.has(key)).length;
    allSure += gold.sure.size;
  }
  const precision = found ? inPossible / found : allSure ? 0 : 1;
  const recall = allSure ? inSure / allSure : 1;
  const f1 = precision + recall ? (2 * precision * recall) / (precision + recall) : 0;
  const total = found + allSure;
  return { precision, recall, f1, aer: total ? 1 - (inSure + inPossible) / total : 0 };
}
