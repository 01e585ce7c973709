// The two text fields and the examples. Enter, or a pause in typing, is the end of a sentence.

import { EXAMPLES } from "./examples.js";
import { shownText, splitAtSpaces } from "./pair.js";

const PAUSE = 350; // milliseconds without a key
const SIDES = ["source", "target"];

const find = (name) => document.getElementById(name);

// openPasted(text) is asked first whether a pasted text is a list of pairs, and opens it then.
export function bindTexts(getState, update, loadExample, openPasted) {
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
    find(side).addEventListener("paste", (event) => {
      if (openPasted(event.clipboardData.getData("text/plain"))) event.preventDefault();
    });
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
  // A list of words that is typed over stays one: its words are those between spaces.
  const typed = (side) =>
    Array.isArray(state[side]) ? splitAtSpaces(find(side).value) : find(side).value;
  return Object.fromEntries(changed.map((side) => [side, typed(side)]));
}
