// Shortcuts: one table, from which keys are understood and the help is written.

import { element, find } from "./dom.js";

const TYPING = "textarea, input:not([type=checkbox], [type=radio]), select";
const LETTERS = "wordalign-letters"; // whether single letters are shortcuts, kept in the browser

// [keys, what they do, name of the command | null for what the page does anyway]
export const SHORTCUTS = [
  ["← →", "along a sentence", null],
  ["↑ ↓", "to the other sentence", null],
  ["Enter", "choose a word, then its counterpart", null],
  ["Shift ← →", "choose several words", null],
  ["Esc", "drop the choice, then leave the words", null],
  ["L", "the next link of this word", "nextLink"],
  ["P", "sure or possible", "toggleState"],
  ["Delete", "remove the link", "remove"],
  ["N", "this word has no counterpart", "toggleNull"],
  ["V", "collect several words, on both sides", "collect"],
  ["G", "link what was collected", "linkSeveral"],
  ["D", "this pair is done; go to the next unfinished one", "done"],
  ["U", "next unfinished pair", "nextUnfinished"],
  ["X", "next difference", "nextDifference"],
  ["T", "next doubtful link", "nextDoubt"],
  ["Y", "the doubtful link is right as it is", "confirm"],
  ["C", "comment", "comment"],
  ["W", "to the words", "focusWords"],
  ["/", "search", "search"],
  ["Page Down", "next pair", "next"],
  ["Page Up", "previous pair", "previous"],
  ["Ctrl Z", "undo", "undo"],
  ["Ctrl Y", "redo", "redo"],
  ["?", "this help", "help"],
];

// commands: the functions that the table names.
export function bindKeys(commands) {
  const byKey = new Map(
    SHORTCUTS.filter(([, , name]) => name).map(([keys, , name]) => [keys.replace(" ", "").toLowerCase(), name]),
  );
  find("letters").checked = localStorage.getItem(LETTERS) !== "off";
  find("letters").addEventListener("change", () => localStorage.setItem(LETTERS, find("letters").checked ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    if (find("help").open || event.altKey || find("desk").hidden) return;
    const typing = event.target.matches(TYPING);
    if (event.key === "Escape" && typing) return find("figure").focus();
    const control = event.ctrlKey || event.metaKey;
    let key = event.key.toLowerCase();
    if (control) key = key === "z" && event.shiftKey ? "ctrl y" : `ctrl ${key}`;
    else if (key.length === 1 && !find("letters").checked) return;
    const name = byKey.get(key);
    if (!name || (typing && !key.startsWith("page"))) return;
    event.preventDefault();
    commands[name]();
  });
  const rows = SHORTCUTS.flatMap(([keys, what]) => [
    element("dt", {}, ...keys.split(" ").flatMap((key, k) => [k ? " " : "", element("kbd", {}, key)])),
    element("dd", {}, what),
  ]);
  find("help-keys").append(...rows);
  find("help-open").addEventListener("click", () => find("help").showModal());
  find("help-close").addEventListener("click", () => find("help").close());
}
