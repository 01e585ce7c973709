// A reader: pointing at a word, or tapping it, lights its counterpart in the translation.

import { load } from "wordalign";

const aligner = await load();
for (const pair of document.querySelectorAll(".pair")) {
  const [text, translation] = pair.querySelectorAll("p");
  const { source, target, links } = await aligner.align(text.textContent, translation.textContent);
  const here = withWords(text, source.words);
  const there = withWords(translation, target.words);
  const partners = new Map([...here, ...there].map((word) => [word, [word]]));
  for (const link of links) {
    partners.get(here[link.source]).push(there[link.target]);
    partners.get(there[link.target]).push(here[link.source]);
  }
  const light = ({ target: place }) => {
    for (const word of document.querySelectorAll(".lit")) word.classList.remove("lit");
    for (const word of partners.get(place) ?? []) word.classList.add("lit");
  };
  pair.addEventListener("pointerover", light);
  pair.addEventListener("focusin", light);
}
document.getElementById("state").textContent = "Point at a word, tap it, or step through the words with the Tab key.";

// The same paragraph, with an element for each word; -> these elements.
function withWords(paragraph, words) {
  const text = paragraph.textContent;
  const elements = words.map((word) =>
    Object.assign(document.createElement("span"), { className: "word", tabIndex: 0, textContent: word.text }),
  );
  const parts = words.flatMap(({ start }, k) => [text.slice(k ? words[k - 1].end : 0, start), elements[k]]);
  paragraph.replaceChildren(...parts, text.slice(words.at(-1)?.end ?? 0));
  return elements;
}
