// The project at hand: every change goes through here, is made in memory at once and written at once.

import { applied, extended, inverse, NO_HISTORY, touched } from "./changes.js";

export class Session {
  #writing = Promise.resolve();
  #waiting = 0; // writes that are not on the disk yet
  #failed = null;

  // tell: { changed(places), saved({ waiting, error }), refused(count) }
  constructor(store, { project, history = NO_HISTORY }, tell) {
    this.store = store;
    this.project = project;
    this.history = history;
    this.tell = tell;
  }

  get unsaved() {
    return this.#waiting > 0 || this.#failed !== null;
  }

  // Make changes as one step that can be undone; nothing happens where there are none.
  do(label, changes) {
    if (!changes.length) return;
    this.history = extended(this.history, { label, changes });
    this.#apply(changes, this.history.steps.length - 1);
  }

  undo() {
    const { steps, place } = this.history;
    return this.#step(steps[place - 1], -1);
  }

  redo() {
    const { steps, place } = this.history;
    return this.#step(steps[place], 1);
  }

  get canUndo() {
    return this.history.place > 0;
  }

  get canRedo() {
    return this.history.place < this.history.steps.length;
  }

  // Another window has written these pairs.
  async reread(places) {
    const { project } = this;
    const { history } = await this.store.open(project.id);
    const fresh = await this.store.pairs(project.id, places);
    const pairs = [...this.project.pairs];
    places.forEach((place, k) => (pairs[place] = fresh[k]));
    this.project = { ...this.project, pairs };
    this.history = history;
    this.tell.changed(places);
  }

  // Others have changed these pairs on the server.
  replace(project, places) {
    this.project = project;
    const { history } = this;
    this.#write(() => this.store.save(project, history, places, history.steps.length, []));
    this.tell.changed(places);
  }

  // Everything again, after the storage refused something.
  saveAll() {
    this.#failed = null;
    const { project, history } = this;
    return this.#write(() => this.store.put(project, history));
  }

  // Resolved when all that was changed so far is on the disk or has been refused.
  settled() {
    return this.#writing;
  }

  // -> the label of the step and a pair that it touched, null if there is no step.
  #step(step, by) {
    if (!step) return null;
    this.history = { ...this.history, place: this.history.place + by };
    this.#apply(by < 0 ? inverse(step.changes) : step.changes, this.history.steps.length);
    return { label: step.label, place: touched(step.changes)[0] ?? null };
  }

  #apply(changes, first) {
    const { project, refused } = applied(this.project, changes);
    this.project = project;
    const places = touched(changes);
    const { history } = this;
    const outbox = this.store.noted(changes.filter((change) => !refused.includes(change)));
    this.#write(() => this.store.save(project, history, places, first, outbox));
    this.tell.changed(places);
    if (refused.length) this.tell.refused(refused.length);
  }

  // One after the other, so that a later write never comes first. After a failure only saveAll() helps: a part
  // of the work alone would look like all of it.
  #write(act) {
    this.#waiting += 1;
    this.#report();
    this.#writing = this.#writing.then(async () => {
      try {
        if (!this.#failed) await act();
      } catch (error) {
        this.#failed = error;
      }
      this.#waiting -= 1;
      this.#report();
    });
    return this.#writing;
  }

  #report() {
    this.tell.saved({ waiting: this.#waiting, error: this.#failed });
  }
}
