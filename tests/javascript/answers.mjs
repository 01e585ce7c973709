// What the JavaScript package says, for the tests to compare: node answers.mjs PACKAGE < request > answer, where the
// request is JSON: { texts, words, lengths, pairs, options }, all of them optional; `options` is a list, and the answer has the
// alignments of all pairs for each of them.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${resolve(process.argv[2])}/`);
const part = (name) => import(new URL(name, folder));

let given = "";
for await (const piece of process.stdin.setEncoding("utf8")) given += piece;
const { texts = [], words = [], lengths = [], pairs = [], options = [{}] } = JSON.parse(given);

const { isPunctuation, readable } = await part("aligner/characters.js");
const { Tokenizer } = await part("aligner/tokenizer.js");
const { windowsOf } = await part("aligner/windows.js");
const { load, split } = await part("aligner/index.js");

const answer = { texts: texts.map((text) => split(text).map((word) => word.text)) };
if (words.length) {
  const tokenizer = new Tokenizer(JSON.parse(await readFile(new URL("models/tiny/tokenizer.json", folder), "utf8")));
  answer.ids = words.map((word) => tokenizer.encode(readable(word)));
  answer.punctuation = words.map(isPunctuation);
}
answer.windows = lengths.map(([length, room]) => windowsOf(length, room));
if (pairs.length) {
  const aligner = await load();
  answer.alignments = [];
  for (const some of options) {
    const found = [];
    for (const [source, target] of pairs) found.push(await aligner.align(source, target, some));
    answer.alignments.push(found);
  }
}
process.stdout.write(JSON.stringify(answer));
