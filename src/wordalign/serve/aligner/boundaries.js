// Text -> the places between its words, by the word rules of Unicode (UAX #29) as Python's `regex` has them: with
// its exception for an apostrophe before a vowel, and without looking past marks to the right.

import { PICTOGRAPHIC, WORD_BREAK } from "./tables.js";

const NAMES = Object.keys(WORD_BREAK);
const CLASS = Object.fromEntries(NAMES.map((name, place) => [name, place + 1]));
const { CR, LF, Newline, Extend, ZWJ, Format, Katakana, Numeric, ExtendNumLet, WSegSpace } = CLASS;
const { Hebrew_Letter: Hebrew, ALetter, Single_Quote: Single, Double_Quote: Double } = CLASS;
const { MidNumLet, MidLetter, MidNum, Regional_Indicator: Regional } = CLASS;
const PICTURE = 32; // added to the class of a character that a joiner may join

let classes = null; // of every character; made when it is first needed

function classOf(character) {
  classes ??= unpacked();
  return classes[character] & (PICTURE - 1);
}

function unpacked() {
  const table = new Uint8Array(0x110000);
  NAMES.forEach((name) => fill(table, WORD_BREAK[name], CLASS[name]));
  fill(table, PICTOGRAPHIC, PICTURE);
  return table;
}

function fill(table, runs, value) {
  let end = 0;
  const numbers = runs.split(" ").map((number) => parseInt(number, 36));
  for (let k = 0; k < numbers.length; k += 2) {
    const first = end + numbers[k];
    end = first + numbers[k + 1];
    for (let character = first; character < end; character++) table[character] |= value;
  }
}

const isLetter = (kind) => kind === ALetter || kind === Hebrew;
const isMiddle = (kind) => kind === MidNumLet || kind === Single; // of words and of numbers
const isLine = (kind) => kind === Newline || kind === CR || kind === LF;
const isIgnored = (kind) => kind === Extend || kind === Format || kind === ZWJ;
const isVowel = (character) => /^[aàáâeèéêiìíîoòóôuùúû]/.test(String.fromCodePoint(character).toLowerCase());

// "Don't stop" -> ["Don't", " ", "stop"]; the pieces spell the text.
export function pieces(text) {
  const characters = Array.from(text, (letter) => letter.codePointAt(0));
  const found = [];
  let piece = "";
  characters.forEach((character, place) => {
    if (piece && isBoundary(characters, place)) {
      found.push(piece);
      piece = "";
    }
    piece += String.fromCodePoint(character);
  });
  if (piece) found.push(piece);
  return found;
}

// Whether there is a boundary before this place, which is neither the first nor behind the last.
function isBoundary(characters, place) {
  const right = classOf(characters[place]);
  let before = place - 1;
  let left = classOf(characters[before]);
  if (left === CR && right === LF) return false;
  if (isLine(left) || isLine(right)) return true;
  if (left === ZWJ && classes[characters[place]] & PICTURE) return false;
  if (left === WSegSpace && right === WSegSpace) return false;
  if (isIgnored(right)) return false;
  while (isIgnored(left)) {
    if (before === 0) return false;
    left = classOf(characters[--before]);
  }
  if (isLetter(left) && isLetter(right)) return false;
  if ((characters[before] === 0x27 || characters[before] === 0x2019) && isVowel(characters[place])) return false;
  const second = place + 1 < characters.length ? classOf(characters[place + 1]) : 0;
  const secondLast = before > 0 ? classOf(characters[before - 1]) : 0;
  if (joins(left, right, second) || joins(secondLast, left, right)) return false;
  if (left === Hebrew && right === Single) return false;
  if (left === Numeric && (right === Numeric || isLetter(right))) return false;
  if (isLetter(left) && right === Numeric) return false;
  if (left === Katakana && right === Katakana) return false;
  if (right === ExtendNumLet && (isWritten(left) || left === ExtendNumLet)) return false;
  if (left === ExtendNumLet && isWritten(right)) return false;
  return !endsHalfFlag(characters, before);
}

const isWritten = (kind) => isLetter(kind) || kind === Numeric || kind === Katakana;

// Whether the middle one of three characters holds the other two together: e.g. 3.2 מ"מ
function joins(left, middle, right) {
  if (isLetter(left) && isLetter(right) && (middle === MidLetter || isMiddle(middle))) return true;
  if (left === Numeric && right === Numeric && (middle === MidNum || isMiddle(middle))) return true;
  return left === Hebrew && middle === Double && right === Hebrew;
}

// Two letters make a flag.
function endsHalfFlag(characters, place) {
  let letters = 0;
  while (place >= 0 && classOf(characters[place--]) === Regional) letters++;
  return letters % 2 === 1;
}
