// What the characters of a word say: whether it is punctuation, and which of them are no text.

import { BREAKS, CONTROLS } from "./tables.js";

const LETTER = /[\p{L}\p{N}\p{M}]/u;
const NOT_PRINTED = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

// True for a word without a letter, a digit or a mark: , ... «
export function isPunctuation(word) {
  return !LETTER.test(word);
}

// The word as the model reads it: without controls and direction marks, and with a question mark for half a character.
export function readable(word) {
  if (!NOT_PRINTED.test(word)) return word;
  const cleared = word.replace(BREAKS, " ").replace(CONTROLS, "").replace(/^ +| +$/gu, "");
  return cleared.replace(/\p{Surrogate}/gu, "?");
}
