// One kind line about what went wrong, with what can be done about it.

import { setToken } from "./transport.js";

const box = () => document.getElementById("notice");

// again: what to do when the reader has given a token or wants to try once more; a request that is wrong is not
// worth trying again.
export function showNotice(error, again = null) {
  const mistaken = error.status >= 400 && error.status < 500 && error.status !== 429;
  if (error.status === 401 && again) show(error.message, ...tokenField(again));
  else if (again && !mistaken) show(error.message, button("Try again", again));
  else show(error.message);
}

// With things that can be done about it: { "Save file": () => …, … }.
export function showOffer(message, acts) {
  show(message, ...Object.entries(acts).map(([text, act]) => button(text, act)));
}

// Something that the reader can take back.
export function showUndoable(message, undo) {
  show(message, button("Undo", undo));
}

export function hideNotice() {
  box().hidden = true;
}

// What the service says about a pair it has aligned.
export function showWarnings(warnings) {
  const place = document.getElementById("warnings");
  place.textContent = warnings.join(" ");
  place.hidden = !warnings.length;
}

function show(message, ...more) {
  box().replaceChildren(Object.assign(document.createElement("span"), { textContent: message }), ...more);
  box().hidden = false;
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
