// All pairs as a table: sorted by any column, narrowed by the search field, a page of it at a time.

import { certainty, disagreements, expectedErrors, length, matcher } from "./counts.js";
import { element, find } from "./dom.js";
import { textOf } from "./formats.js";

const SHOWN = 50;
const COLUMNS = [
  { name: "Pair", value: (_, place) => place + 1 },
  { name: "Sentence", value: (pair) => textOf(pair, "source"), text: true },
  { name: "Translation", value: (pair) => textOf(pair, "target"), text: true },
  { name: "Words", value: (pair) => length(pair) },
  { name: "Probability", value: (pair) => certainty(pair), digits: 2 },
  { name: "Doubts", value: (pair) => expectedErrors(pair), digits: 1 },
  { name: "Differences", value: (pair) => disagreements(pair).length },
  { name: "Done", value: (pair) => (pair.done ? "done" : ""), text: true },
];

export class List {
  // tell: { project(), goTo(place) }
  constructor(tell) {
    this.tell = tell;
    this.column = 0;
    this.down = false;
    this.page = 0;
    find("list-box").addEventListener("toggle", () => this.show());
    find("search").addEventListener("input", () => {
      this.page = 0;
      this.show();
    });
  }

  show() {
    if (!find("list-box").open) return;
    const { pairs } = this.tell.project();
    const wanted = matcher(find("search").value);
    const column = COLUMNS[this.column];
    const rows = pairs
      .map((pair, place) => ({ pair, place, value: column.value(pair, place) }))
      .filter(({ pair }) => wanted(pair))
      .sort((one, other) => (this.down ? -1 : 1) * compare(one.value, other.value) || one.place - other.place);
    const start = this.page * SHOWN;
    const shown = rows.slice(start, start + SHOWN);
    const table = element("table", { className: "pairs" });
    table.append(
      element("thead", {}, element("tr", {}, ...COLUMNS.map((_, k) => this.#head(k)))),
      element("tbody", {}, ...shown.map((row) => this.#row(row))),
    );
    const focused = [...find("list").querySelectorAll("button")].indexOf(document.activeElement);
    const scroll = element("div", { className: "table-scroll", tabIndex: 0 }, table);
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "All pairs");
    find("list").replaceChildren(scroll, this.#pager(rows.length, start, shown.length));
    if (focused >= 0) find("list").querySelectorAll("button")[focused]?.focus();
  }

  #head(k) {
    const button = element("button", { type: "button", className: "quiet" }, COLUMNS[k].name);
    const cell = element("th", { scope: "col" }, button);
    if (k === this.column) cell.setAttribute("aria-sort", this.down ? "descending" : "ascending");
    button.addEventListener("click", () => {
      this.down = k === this.column ? !this.down : !COLUMNS[k].text && k > 0;
      this.column = k;
      this.page = 0;
      this.show();
    });
    return cell;
  }

  #row({ pair, place }) {
    const cells = COLUMNS.map(({ value, text, digits }, k) => {
      const found = value(pair, place);
      if (k === 0) {
        const button = element("button", { type: "button", className: "quiet" }, String(found));
        button.setAttribute("aria-label", `Go to pair ${found}`);
        button.addEventListener("click", () => this.tell.goTo(place));
        return element("td", {}, button);
      }
      const shown = found === null ? "–" : digits ? found.toFixed(digits) : String(found);
      return element("td", { className: text ? "text" : "number", dir: text ? "auto" : "" }, shown);
    });
    return element("tr", {}, ...cells);
  }

  #pager(count, start, shown) {
    const line = element("p", { className: "actions small" });
    const move = (label, by, possible) => {
      const button = element("button", { type: "button", disabled: !possible }, label);
      button.addEventListener("click", () => {
        this.page += by;
        this.show();
      });
      return button;
    };
    const range = count ? `${start + 1} to ${start + shown} of ${count} pairs` : "No pair matches the search.";
    line.append(move("Earlier", -1, start > 0), range, move("Later", 1, start + shown < count));
    return line;
  }
}

// What has no value comes last, and texts are in the order of their letters.
function compare(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  return typeof one === "string" ? one.localeCompare(other) : one - other;
}
