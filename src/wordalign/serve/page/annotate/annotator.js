// Who works here: the name goes with every step that the server of a team is told. It is kept where the projects are,
// so that it survives whatever they survive.

import { find } from "./dom.js";

const FACT = "annotator";
const FIELDS = ["new-annotator", "who"]; // of the form, and beside the title of a team's project

export class Annotator {
  name = "";

  // tell: { named(), fail(error) }
  constructor(store, tell) {
    this.store = store;
    for (const field of FIELDS) {
      find(field).addEventListener("change", (event) => {
        this.rename(event.target.value.trim()).then(tell.named, tell.fail);
      });
    }
  }

  async load() {
    this.name = (await this.store.recall(FACT)) ?? "";
    this.#show();
  }

  async rename(name) {
    this.name = name;
    this.#show();
    await this.store.remember(FACT, name);
  }

  #show() {
    for (const field of FIELDS) find(field).value = this.name;
  }
}
