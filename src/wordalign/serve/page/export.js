// Links as files: Pharaoh lines and the JSON records that `wordalign align --format jsonl` writes.

import { endsOf } from "./links.js";

// links: Map "i-j" -> score.
export function pharaoh(links) {
  return [...links.keys()].join(" ");
}

// answer: the service's; edited: whether a hand has changed the links.
export function record(answer, links, signature, edited) {
  const fields = {};
  for (const side of ["source", "target"]) {
    const { words, text, offsets } = answer[side];
    fields[side] = words;
    if (offsets) Object.assign(fields, { [`${side}_text`]: text, [`${side}_offsets`]: offsets });
  }
  fields.links = [...links.keys()].map(endsOf);
  fields.scores = [...links.values()].map((score) => Math.round(score * 1e4) / 1e4);
  fields.signature = signature;
  if (edited) fields.edited = true;
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
