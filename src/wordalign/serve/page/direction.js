// Which way a sentence runs: the way most of its letters do.

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/gu;
const LETTER = /\p{L}/gu;

export function direction(text) {
  const letters = text.match(LETTER)?.length ?? 0;
  const leftward = text.match(RIGHT_TO_LEFT)?.length ?? 0;
  return leftward * 2 > letters ? "rtl" : "ltr";
}

// Of a word: brackets, quotes and other signs run with their sentence, everything else as its own letters do.
export function wordDirection(text, sentence) {
  return /[\p{L}\p{N}]/u.test(text) ? "auto" : sentence;
}
