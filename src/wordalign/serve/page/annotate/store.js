// Projects in the browser's own storage (IndexedDB). Each edit writes the pairs that it touched, the step for
// undoing it and the project's facts in one transaction: after a crash all of these are there, or none.
//
// Two windows that show one project tell each other which pairs they have written.

import { NO_HISTORY } from "./changes.js";
import { isDone } from "./counts.js";

const NAME = "wordalign-annotation";
const STORES = ["projects", "pairs", "steps", "outbox", "facts"];

const BLOCKED = "An older version of this page is open in another window: close it, then reload this one.";

export class StorageError extends Error {}

export class BrowserStore {
  #database = null;
  #channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(NAME);

  // heard({ id, places }) is called when another window has written these pairs of a project.
  constructor(heard = () => {}) {
    this.#channel?.addEventListener("message", ({ data }) => heard(data));
  }

  // What there is: [{ id, name, annotator, pairs, done, modified }], the latest first.
  async list() {
    const facts = await this.#read("projects", (store) => store.getAll());
    return facts.sort((one, other) => (one.modified < other.modified ? 1 : -1));
  }

  // -> { project, history }, null if there is none.
  async open(id) {
    const facts = await this.#read("projects", (store) => store.get(id));
    if (!facts) return null;
    const [pairs, steps] = await Promise.all([
      this.#read("pairs", (store) => store.getAll(within(id))),
      this.#read("steps", (store) => store.getAll(within(id))),
    ]);
    const { place, project } = facts;
    return {
      project: { ...project, pairs: pairs.map(({ pair }) => pair) },
      history: { steps: steps.map(({ step }) => step), place, forgotten: steps[0]?.number ?? 0 },
    };
  }

  // A server is told of nothing.
  noted() {
    return [];
  }

  async pairs(id, places) {
    const found = await Promise.all(places.map((place) => this.#read("pairs", (store) => store.get([id, place]))));
    return found.map(({ pair }) => pair);
  }

  // A whole project, new or in place of the one with its id.
  async put(project, history = NO_HISTORY) {
    await this.#write((stores) => {
      stores.pairs.delete(within(project.id));
      stores.steps.delete(within(project.id));
      project.pairs.forEach((pair, place) => stores.pairs.put({ id: project.id, place, pair }));
      history.steps.forEach((step, k) => {
        stores.steps.put({ id: project.id, number: history.forgotten + k, step });
      });
      stores.projects.put(factsOf(project, history));
    });
    this.#channel?.postMessage({ id: project.id, places: [...project.pairs.keys()] });
  }

  // What a step changed: these pairs, and the history from `first` on; `outbox` is what a server must still be told
  // of it, each with a number of its own.
  async save(project, history, places, first, outbox) {
    await this.#write((stores) => {
      for (const entry of outbox) stores.outbox.put({ id: project.id, ...entry });
      for (const place of places) stores.pairs.put({ id: project.id, place, pair: project.pairs[place] });
      // Steps are numbered from the very first one on; those that were undone and replaced, or forgotten, go.
      const number = (k) => history.forgotten + k;
      stores.steps.delete(IDBKeyRange.bound([project.id, number(first)], [project.id, []]));
      if (history.forgotten) stores.steps.delete([project.id, history.forgotten - 1]);
      history.steps.slice(first).forEach((step, k) => {
        stores.steps.put({ id: project.id, number: number(first + k), step });
      });
      stores.projects.put(factsOf(project, history));
    });
    this.#channel?.postMessage({ id: project.id, places });
  }

  // What a server must still be told: [{ number, … }] in order.
  async outbox(id) {
    return this.#read("outbox", (store) => store.getAll(within(id)));
  }

  // These were told, or given up.
  async sent(id, numbers) {
    await this.#write((stores) => numbers.forEach((number) => stores.outbox.delete([id, number])));
  }

  async remove(id) {
    await this.#write((stores) => {
      stores.outbox.delete(within(id));
      stores.pairs.delete(within(id));
      stores.steps.delete(within(id));
      stores.projects.delete(id);
    });
  }

  // A fact that is no project's: undefined if nobody has said it.
  async recall(name) {
    return (await this.#read("facts", (store) => store.get(name)))?.value;
  }

  // Those whose names begin so: [{ name, value }].
  async recallAll(beginning) {
    const names = IDBKeyRange.bound(beginning, `${beginning}\uffff`);
    return this.#read("facts", (store) => store.getAll(names));
  }

  async remember(name, value) {
    await this.#write((stores) => stores.facts.put({ name, value }));
  }

  async forget(name) {
    await this.#write((stores) => stores.facts.delete(name));
  }

  async #open() {
    this.#database ??= new Promise((resolve, reject) => {
      const opening = indexedDB.open(NAME, 3);
      opening.onupgradeneeded = () => {
        const { result: made } = opening;
        const numbered = ["id", "number"];
        const keys = { projects: "id", pairs: ["id", "place"], steps: numbered, outbox: numbered, facts: "name" };
        for (const [name, keyPath] of Object.entries(keys)) {
          if (!made.objectStoreNames.contains(name)) made.createObjectStore(name, { keyPath });
        }
      };
      opening.onsuccess = () => {
        const { result: opened } = opening;
        // A window with a newer page could not open the storage otherwise.
        opened.onversionchange = () => {
          opened.close();
          this.#database = null;
        };
        resolve(opened);
      };
      opening.onblocked = () => fail(new StorageError(BLOCKED));
      opening.onerror = () => fail(explained(opening.error));
      const fail = (error) => {
        this.#database = null; // the next try may succeed
        reject(error);
      };
    });
    return this.#database;
  }

  async #read(name, ask) {
    const database = await this.#open();
    return new Promise((resolve, reject) => {
      const asked = ask(database.transaction(name).objectStore(name));
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(explained(asked.error));
    });
  }

  // Resolved when everything is on the disk.
  async #write(fill) {
    const database = await this.#open();
    await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORES, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(explained(transaction.error));
      fill(Object.fromEntries(STORES.map((name) => [name, transaction.objectStore(name)])));
    });
  }
}

function within(id) {
  return IDBKeyRange.bound([id, 0], [id, []]);
}

function factsOf({ pairs, ...project }, { place }) {
  const { id, name, annotator, team = false } = project;
  const counts = { pairs: pairs.length, done: pairs.filter(isDone).length };
  return { id, name, annotator, team, ...counts, modified: new Date().toISOString(), place, project };
}

function explained(error) {
  const full = error?.name === "QuotaExceededError";
  return new StorageError(
    full
      ? "The browser’s storage is full."
      : `The browser does not let this page store anything (${error?.message ?? "no reason given"}).`,
  );
}
