// The two text fields and the examples. Enter, or a pause in typing, is the end of a sentence.

import { EXAMPLES } from "./examples.js";
import { shownText } from "./state.js";

const PAUSE = 350; // milliseconds without a key
const SIDES = ["source", "target"];

const find = (name) => document.getElementById(name);

export function bindTexts(getState, update, loadExample) {
  let pause = 0;
  const read = () => {
    clearTimeout(pause);
    const changes = changedTexts(getState());
    if (Object.keys(changes).length) update(changes);
  };
  for (const side of SIDES) {
    find(side).addEventListener("input", () => {
      clearTimeout(pause);
      pause = setTimeout(read, PAUSE);
    });
    find(side).addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      read();
    });
    find(side).addEventListener("change", read);
  }
  find("sentences").addEventListener("submit", (event) => event.preventDefault());
  const buttons = EXAMPLES.map(({ name, source, target }) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: name });
    button.addEventListener("click", () => loadExample({ source, target }));
    return button;
  });
  find("examples").replaceChildren(...buttons);
}

export function showTexts(state) {
  for (const side of SIDES) find(side).value = shownText(state[side]);
}

function changedTexts(state) {
  const changed = SIDES.filter((side) => find(side).value !== shownText(state[side]));
  const texts = Object.fromEntries(changed.map((side) => [side, find(side).value]));
  // Of a list of words that is typed over, both sides become words between spaces.
  if (!changed.some((side) => Array.isArray(state[side]))) return texts;
  return { source: find("source").value, target: find("target").value, spaced: true };
}
