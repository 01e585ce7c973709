// Going through a project: by number, in an order, to what is unfinished, differs or is doubtful, and by search.

import { disagreements, doubts, matcher, nextPlace, ordered, ORDERS, progress } from "./counts.js";
import { find } from "./dom.js";

export class Bar {
  // tell: { show(place, options), say(text), project() }
  constructor(tell) {
    this.tell = tell;
    this.place = 0;
    this.places = []; // the pairs in the order at hand
    find("order").replaceChildren(...Object.entries(ORDERS).map(([name, { label }]) => new Option(label, name)));
    find("order").addEventListener("change", () => this.#reorder());
    find("previous").addEventListener("click", () => this.step(-1));
    find("next").addEventListener("click", () => this.step(1));
    find("step").addEventListener("change", (event) => {
      const wanted = Number(event.target.value) - 1;
      this.goTo(Number.isInteger(wanted) && wanted in this.tell.project().pairs ? wanted : this.place);
    });
    find("next-unfinished").addEventListener("click", () => this.nextUnfinished());
    find("next-difference").addEventListener("click", () => this.nextDifference());
    find("next-doubt").addEventListener("click", () => this.nextDoubt());
    find("search").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.#found();
    });
  }

  begin(place) {
    find("order").value = "file";
    this.places = [...this.tell.project().pairs.keys()];
    this.goTo(Math.min(place, this.places.length - 1));
  }

  goTo(place, options = {}) {
    this.place = place;
    this.update();
    this.tell.show(place, options);
  }

  step(by) {
    const at = this.places.indexOf(this.place) + by;
    if (at in this.places) this.goTo(this.places[at]);
    else this.tell.say(by > 0 ? "This is the last pair." : "This is the first pair.");
  }

  nextUnfinished() {
    const { pairs } = this.tell.project();
    const place = nextPlace(this.places, this.place, (k) => !pairs[k].done);
    if (place !== null) return this.goTo(place);
    const left = pairs[this.place].done ? "All pairs are done." : "This is the only pair that is not done.";
    this.tell.say(left);
  }

  nextDifference() {
    const { pairs } = this.tell.project();
    const place = nextPlace(this.places, this.place, (k) => disagreements(pairs[k]).length > 0);
    if (place !== null) return this.goTo(place, { differences: true });
    if (disagreements(pairs[this.place]).length) return this.goTo(this.place, { differences: true });
    this.tell.say("There is no difference.");
  }

  // The place of all unfinished pairs where the suggestion is least certain.
  nextDoubt() {
    const { pairs } = this.tell.project();
    let best = null;
    pairs.forEach((pair, place) => {
      const [first] = pair.done ? [] : doubts(pair);
      if (first && !(best?.doubt >= first.doubt)) best = { ...first, place };
    });
    if (best) this.goTo(best.place, { doubt: best.key });
    else this.tell.say("There is no doubtful link left.");
  }

  update() {
    const { pairs } = this.tell.project();
    const { done, all } = progress({ pairs });
    Object.assign(find("progress"), { max: all, value: done });
    find("progress-text").textContent = `${done.toLocaleString("en")} of ${all.toLocaleString("en")} pairs done`;
    find("step").value = this.place + 1;
    find("step").max = all;
    find("step-count").textContent = all.toLocaleString("en");
    const at = this.places.indexOf(this.place);
    find("previous").disabled = at === 0;
    find("next").disabled = at === this.places.length - 1;
  }

  #reorder() {
    this.places = ordered(this.tell.project(), find("order").value);
    this.goTo(this.places[0]);
  }

  #found() {
    const query = find("search").value;
    const wanted = matcher(query);
    const { pairs } = this.tell.project();
    const place = nextPlace(this.places, this.place, (k) => wanted(pairs[k]));
    if (place !== null) this.goTo(place, { keepFocus: true });
    else this.tell.say(wanted(pairs[this.place]) ? "Only this pair has it." : `No pair has “${query}”.`);
  }
}
