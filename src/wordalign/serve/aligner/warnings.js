// Why few links can be expected of a text, in sentences for a reader.

import { UNSPACED } from "./tables.js";

export function splittingWarnings(source, target, model, languages) {
  const found = new Set();
  for (const [side, { words, text }] of Object.entries({ source, target })) {
    for (const { code, letter, split, unknown } of UNSPACED) {
      if (!words.some((word) => letter.test(word))) continue;
      if (text !== null) found.add(split.replace("{side}", side));
      if (!languages.includes(code)) found.add(unknown.replace("{model}", model));
    }
  }
  return [...found];
}
