// One kind line about what went wrong, with what can be done about it.

import { setToken } from "./service.js";

const box = () => document.getElementById("notice");

// again: what to do when the reader has given a token or wants to try once more.
export function showNotice(error, again = null) {
  const parts = [Object.assign(document.createElement("span"), { textContent: error.message })];
  if (error.status === 401 && again) parts.push(...tokenField(again));
  else if (again) parts.push(button("Try again", again));
  box().replaceChildren(...parts);
  box().hidden = false;
}

export function hideNotice() {
  box().hidden = true;
}

function tokenField(again) {
  const label = document.createElement("label");
  const field = Object.assign(document.createElement("input"), { type: "password", autocomplete: "off" });
  label.append("Token ", field);
  return [
    label,
    button("Use it", () => {
      setToken(field.value);
      again();
    }),
  ];
}

function button(text, act) {
  const element = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  element.addEventListener("click", act);
  return element;
}
