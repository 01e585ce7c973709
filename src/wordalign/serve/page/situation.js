// The situation of a pair, which says which of a model's curves from scores to probabilities counts: `alike`, `unspaced`
// or `usual`. These are the rules of the library (text/situations.py), for aligners that run in the browser; a service
// says it with each answer. A test compares both.

const ALIKE_SHARE = 0.4;
const FEWEST_WORDS = 4;
const UNSPACED =
  /[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\ua000-\ua4cf\uaa60-\uaa7f\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{3ffff}]/gu;

// Of two lists of words.
export function situationOf(source, target) {
  const [first, second] = [distinct(source), distinct(target)];
  const shorter = Math.min(first.size, second.size);
  const shared = [...first].filter((word) => second.has(word)).length;
  if (shorter >= FEWEST_WORDS && shared >= ALIKE_SHARE * shorter) return "alike";
  return isUnspaced(source) || isUnspaced(target) ? "unspaced" : "usual";
}

// The words that have letters: numbers and punctuation are the same in all languages.
function distinct(words) {
  return new Set(words.map((word) => word.toLowerCase()).filter((word) => /\p{L}/u.test(word)));
}

// Whether at least a third of the characters are of scripts without spaces.
function isUnspaced(words) {
  const text = words.join("");
  const found = text.match(UNSPACED)?.length ?? 0;
  return found > 0 && 3 * found >= [...text].length;
}
