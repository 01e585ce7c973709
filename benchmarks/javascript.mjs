// The JavaScript package for benchmarks/javascript.py: node javascript.mjs PACKAGE [ONNXRUNTIME], where the second is the
// file of another library than onnxruntime-web. Each line of input is a list of pairs; each line of output says how long
// they took, and their links. The first line says how long loading took.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, library] = process.argv.slice(2);
const began = performance.now();
const { load } = await import(pathToFileURL(`${folder}/aligner/index.js`));
const ort = library && (await import(pathToFileURL(library)));
const aligner = await load(ort && { ort, sessionOptions: { intraOpNumThreads: 1 } });
say({ seconds: (performance.now() - began) / 1000 });

for await (const line of createInterface({ input: process.stdin })) {
  const start = performance.now();
  const found = [];
  for (const [source, target] of JSON.parse(line)) found.push((await aligner.align(source, target)).links);
  const seconds = (performance.now() - start) / 1000;
  say({ seconds, links: found.map((links) => links.map((link) => [link.source, link.target, link.probability])) });
}

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
