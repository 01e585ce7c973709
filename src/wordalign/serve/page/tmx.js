// Translation memories (TMX): the first two languages of each unit, as plain text.

import { sentenceFrom } from "./share.js";

const CODES = "bpt, ept, ph, it, ut"; // what stands for markup of the original document

// -> [{ source, target, links, words }]; a unit of one language has an empty target. `links` and `words` are those of
// units that an annotation project wrote: words belong to the links, so they come back as they were. Throws a sentence.
export function readTmx(text) {
  const document = new DOMParser().parseFromString(text.replace(/^\ufeff/, ""), "application/xml");
  if (document.querySelector("parsererror")) throw new Error("the file is not well-formed XML.");
  const units = [...document.getElementsByTagName("tu")];
  if (!units.length) throw new Error("there are no translation units (<tu>) in it.");
  return units.map((unit) => {
    const [source = "", target = ""] = [...unit.getElementsByTagName("tuv")].map(segment);
    const words = {
      source: sentenceFrom(source, property(unit, "source-words")),
      target: sentenceFrom(target, property(unit, "target-words")),
    };
    const bound = words.source && words.target;
    const plain = (side) => (bound ? side : side.replace(/\s+/g, " ").trim());
    return {
      source: plain(source),
      target: plain(target),
      links: property(unit, "links"),
      ...(bound ? { words } : {}),
    };
  });
}

function segment(variant) {
  const copy = variant.getElementsByTagName("seg")[0]?.cloneNode(true);
  copy?.querySelectorAll(CODES).forEach((code) => code.remove());
  return copy?.textContent ?? "";
}

function property(unit, name) {
  const found = [...unit.getElementsByTagName("prop")].find(
    (prop) => prop.getAttribute("type") === `x-wordalign-${name}`,
  );
  return found?.textContent.trim() ?? "";
}
