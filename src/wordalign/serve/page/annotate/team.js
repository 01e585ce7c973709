// Projects on the server's disk, for a team. What somebody does is kept in this browser first, with a note of what the
// server must still be told; so nothing is lost while the server is away, nor with the page.
//
//   the project that is shown  =  what the server has, and on top of it what it has not been told yet
//
// When others were faster, what they did comes first, and the own changes go on top of it where they still fit: both
// are told about it, and nobody overwrites anybody unseen.

import { addTeamProject, makeTeamStep, teamProject, teamProjects, teamSteps } from "../service.js";
import { applied, touched } from "./changes.js";
import { newId, newPair } from "./project.js";

const REFUSALS = 10; // in a row, before there is a pause
const PAUSE = 4000; // milliseconds between two questions what others did
const MOST = { changes: 400, characters: 200_000 }; // that are sent at a time

export class TeamStore {
  #server = null; // what the server has of the project at hand: { project, revision }
  #waiting = []; // what it has not been told: [{ number, step, changes }], the oldest first
  #talking = null;
  #trouble = null; // why the server did not answer last time
  #timer = 0;

  // tell: { by(), changed(project, places), sent({ waiting, error }), together({ place, by, lost }) }
  constructor(local, tell) {
    Object.assign(this, { local, tell });
  }

  async list() {
    return teamProjects();
  }

  async put(project) {
    await addTeamProject(project);
  }

  // The project as the server has it, with what it has not been told on top; without the server, as it is here.
  async open(id) {
    const kept = await this.local.open(id);
    try {
      this.#server = await fetched(id);
    } catch (error) {
      if (!kept || error.status) throw error;
      this.#server = null;
    }
    this.#waiting = await this.local.outbox(id);
    this.id = id;
    const { project, lost } = this.#server ? this.#onTop() : { project: kept.project, lost: [] };
    await this.#drop(lost);
    // Undoing reaches back as far as this browser knows what it did.
    const history = kept?.history;
    await this.local.put(project, history);
    for (const entry of lost) this.#report(entry, true);
    this.#listen();
    return { project, history };
  }

  // What the server must be told of a change, known at once, so that nothing that is heard meanwhile hides it.
  noted(changes) {
    const entries = inPieces(changes).map((piece) => ({ number: this.#number(), step: newId(), changes: piece }));
    this.#waiting.push(...entries);
    this.#said(this.#trouble);
    return entries;
  }

  // Kept here first; told to the server as soon as it listens.
  async save(project, history, places, first, entries) {
    await this.local.save(project, history, places, first, entries);
    this.#talk();
  }

  close() {
    clearInterval(this.#timer);
    this.id = null;
  }

  // Rising, and not the same in two windows.
  #last = 0;
  #number() {
    this.#last = Math.max(Date.now(), Math.floor(this.#last) + 1) + Math.random();
    return this.#last;
  }

  #listen() {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#talk(), PAUSE);
    this.#talk();
  }

  // Tell the server what it does not know, and hear what others did; one conversation at a time.
  #talk() {
    this.#talking ??= this.#conversation()
      .then(() => this.#said(null))
      .catch((error) => this.#said(error))
      .finally(() => (this.#talking = null));
  }

  #said(error) {
    this.#trouble = error;
    this.tell.sent({ waiting: this.#waiting.length, error });
  }

  async #conversation() {
    const { id } = this;
    if (!id) return;
    if (!this.#server) {
      this.#server = await fetched(id);
      await this.#rebase([]);
    }
    let refusals = 0;
    do {
      const [entry] = this.#waiting;
      const base = this.#server.revision;
      let answer;
      try {
        answer = entry
          ? await makeTeamStep(id, { step: entry.step, by: this.tell.by(), base, changes: entry.changes })
          : await teamSteps(id, base);
      } catch (error) {
        if (error.status === 422) await this.#giveUp(entry, error);
        if (error.status !== 409 || ++refusals > REFUSALS) throw error;
        answer = await teamSteps(id, base);
      }
      if (this.id !== id) return; // another project was opened meanwhile
      await this.#hear(answer);
    } while (this.#waiting.length);
  }

  async #hear({ revision, steps }) {
    const own = new Set(this.#waiting.map(({ step }) => step));
    if (steps === null) {
      this.#server = await fetched(this.id);
      return this.#rebase([]);
    }
    let { project } = this.#server;
    for (const { changes } of steps) ({ project } = applied(project, changes));
    this.#server = { project, revision };
    const told = this.#waiting.filter(({ step }) => steps.some((made) => made.step === step));
    await this.#drop(told);
    const others = steps.filter(({ step }) => !own.has(step) && !this.#mine.has(step));
    for (const { step } of told) this.#mine.add(step);
    if (others.length) await this.#rebase(others);
  }

  #mine = new Set(); // steps that were made in this window

  // Put what the server has not been told on top of what it has now.
  async #rebase(others) {
    const { project, lost } = this.#onTop();
    const places = others.length
      ? [...new Set(others.flatMap(({ changes }) => touched(changes)))]
      : [...project.pairs.keys()];
    for (const { by, changes } of others) {
      const here = new Set(this.#waiting.flatMap((entry) => touched(entry.changes)));
      const met = touched(changes).find((place) => here.has(place));
      if (met !== undefined && !lost.length) this.tell.together({ place: met, by, lost: false });
    }
    await this.#drop(lost);
    for (const entry of lost) this.#report(entry, true, others);
    this.tell.changed(project, places);
  }

  #onTop() {
    let project = { ...this.#server.project, team: true };
    const lost = [];
    for (const entry of this.#waiting) {
      const next = applied(project, entry.changes);
      if (next.refused.length) lost.push(entry);
      else ({ project } = next);
    }
    return { project, lost };
  }

  async #giveUp(entry, error) {
    await this.#drop([entry]);
    await this.#rebase([]);
    throw error;
  }

  async #drop(entries) {
    if (!entries.length) return;
    this.#waiting = this.#waiting.filter((entry) => !entries.includes(entry));
    await this.local.sent(this.id, entries.map(({ number }) => number));
  }

  #report({ changes }, lost, others = []) {
    const [place] = touched(changes);
    const by = others.find((step) => touched(step.changes).includes(place))?.by ?? "";
    this.tell.together({ place, by, lost });
  }
}

// A project of the server, with all fields, also of those that another program put there.
async function fetched(id) {
  const { project, revision } = await teamProject(id);
  return { project: { ...project, pairs: project.pairs.map(newPair) }, revision };
}

// Changes in lists that a request can hold.
function inPieces(changes) {
  const pieces = [];
  let size = Infinity;
  for (const change of changes) {
    const { length } = JSON.stringify(change);
    if (size + length > MOST.characters || pieces.at(-1).length === MOST.changes) {
      pieces.push([]);
      size = 0;
    }
    pieces.at(-1).push(change);
    size += length;
  }
  return pieces;
}
