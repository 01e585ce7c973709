// Links set or removed by hand, on top of whatever the method finds: a list of { key, on }, oldest first.
// The last word on a link wins.

import { byPosition, endsOf, keyOf } from "./links.js";

export function toggled(edits, links, key) {
  return [...edits, { key, on: !applied(edits, links).has(key) }];
}

// The method's links with the edits made, and `scoreOf` for the new ones.
export function applied(edits, links, scoreOf = () => 1) {
  const result = new Map(links);
  for (const { key, on } of edits) {
    if (!on) result.delete(key);
    else if (!result.has(key)) result.set(key, scoreOf(...endsOf(key)));
  }
  return new Map([...result].sort(byPosition));
}

// The edits of one text for another: a word that is still there keeps its edits, and so does a word that was
// only respelled. `from` and `to` are { source, target }, each { words }; an edit of a lost word is left out.
export function carried(edits, from, to) {
  const source = moves(from.source.words, to.source.words);
  const target = moves(from.target.words, to.target.words);
  return edits.flatMap(({ key, on }) => {
    const [i, j] = endsOf(key);
    const known = source[i] >= 0 && target[j] >= 0;
    return known ? [{ key: keyOf(source[i], target[j]), on }] : [];
  });
}

// The edits whose words there are.
export function within(edits, { source, target }) {
  return edits.filter(({ key }) => {
    const [i, j] = endsOf(key);
    return i < source.words.length && j < target.words.length;
  });
}

// ["a", "b", "c"], ["a", "x", "c", "d"] -> [0, 1, 2]: where each word went, -1 if it is gone. Words between two
// that stayed are taken as respelled if they are as many as before.
function moves(from, to) {
  const common = longestCommon(from, to);
  const found = from.map(() => -1);
  let [i, j] = [0, 0];
  for (const [k, l] of [...common, [from.length, to.length]]) {
    if (k - i === l - j) for (let step = 0; i + step < k; step++) found[i + step] = j + step;
    if (k < from.length) found[k] = l;
    [i, j] = [k + 1, l + 1];
  }
  return found;
}

// The longest sequence of words that both lists have, as places in both.
function longestCommon(one, other) {
  const width = other.length + 1;
  const length = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      length[i * width + j] =
        one[i] === other[j]
          ? length[(i + 1) * width + j + 1] + 1
          : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  const places = [];
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if (one[i] === other[j]) places.push([i++, j++]);
    else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) i++;
    else j++;
  }
  return places;
}

// "+1-2 -0-3" and back, for the address line and for files.
export function editsToText(edits) {
  return edits.map(({ key, on }) => (on ? "+" : "-") + key).join(" ");
}

export function editsFromText(text) {
  return [...text.matchAll(/([+-])(\d+-\d+)(?=\s|$)/g)].map(([, sign, key]) => ({ key, on: sign === "+" }));
}
