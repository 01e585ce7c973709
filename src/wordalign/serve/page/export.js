// Links as files: Pharaoh lines and the JSON records that `wordalign align --format jsonl` writes. A record of the
// page also says which links were set or removed by hand, so that it can be opened again.

import { editsToText } from "./edits.js";
import { endsOf } from "./links.js";

// links: Map "i-j" -> score.
export function pharaoh(links) {
  return [...links.keys()].join(" ");
}

// answer: the service's; edits and gold: the reader's.
export function record(answer, links, signature, { edits, gold }) {
  const fields = {};
  for (const side of ["source", "target"]) {
    const { words, text, offsets } = answer[side];
    fields[side] = words;
    if (offsets) Object.assign(fields, { [`${side}_text`]: text, [`${side}_offsets`]: offsets });
  }
  fields.links = [...links.keys()].map(endsOf);
  fields.scores = [...links.values()].map((score) => Math.round(score * 1e4) / 1e4);
  fields.signature = signature;
  fields.edits = editsToText(edits);
  if (edits.length) fields.edited = true;
  if (gold.trim()) fields.gold = gold.trim();
  return fields;
}

export function download(content, name, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type: `${type};charset=utf-8` });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
