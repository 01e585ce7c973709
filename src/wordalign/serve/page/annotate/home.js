// The list of projects, and the form that makes one.

import { readPairs, presumeSpaces } from "../pairs.js";
import { element, find } from "./dom.js";
import { saveProject, textsOf } from "./files.js";
import { makeProject, projectIn } from "./making.js";
import { newId } from "./project.js";

export const HANDED = "handed/"; // and an id: facts that hold what another page hands on, { name, text }

export class Home {
  #stopping = null;

  // tell: { open(id, team), made(project, notes, team), fail(error, again), say(text) }; choices: those of choices.js;
  // team: the store of the server, null if it keeps no projects; who: an Annotator.
  constructor(store, team, who, tell, choices) {
    Object.assign(this, { store, team, who, tell, choices });
    find("new-where-choice").hidden = !team;
    if (team) find("where-kept").textContent = "Projects of the team stay on the server, the others in this browser.";
    find("new-files").addEventListener("change", () => this.#chosen());
    find("new").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#make();
    });
    find("new-stop").addEventListener("click", () => this.#stopping?.abort());
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      if (find("home").hidden || !event.dataTransfer.files.length) return;
      find("new-files").files = event.dataTransfer.files;
      this.#chosen();
    });
  }

  async show() {
    find("home").hidden = false;
    const here = await this.store.list();
    const there = await this.#onServer();
    const known = new Set(there.map(({ id }) => id));
    const projects = [...there, ...here.filter(({ id }) => !known.has(id))];
    find("projects").hidden = !projects.length;
    find("no-projects").hidden = projects.length > 0;
    find("projects").tBodies[0].replaceChildren(...projects.map((facts) => this.#row(facts)));
  }

  // Without an answer, the projects of the team that this browser knows can still be opened.
  async #onServer() {
    try {
      const found = (await this.team?.list()) ?? [];
      return found.map((facts) => ({ ...facts, team: true }));
    } catch (error) {
      this.tell.fail(error);
      return [];
    }
  }

  #row({ id, name, annotator, pairs, done, modified, team }) {
    const open = element("button", { type: "button", className: "quiet" }, name);
    open.addEventListener("click", () => this.tell.open(id, team));
    const who = [annotator, team && "on the server"].filter(Boolean).join(", ");
    const save = element("button", { type: "button" }, "Save file");
    save.setAttribute("aria-label", `Save file of ${name}`);
    save.addEventListener("click", async () => saveProject((await this.store.open(id)).project));
    const remove = element("button", { type: "button" }, "Delete…");
    remove.setAttribute("aria-label", `Delete ${name}`);
    remove.addEventListener("click", async () => {
      const what = `the project “${name}” with ${pairs} pairs, ${done} of them done`;
      const question = `Delete ${what}? This cannot be undone.`;
      if (!window.confirm(question)) return;
      await this.store.remove(id);
      await this.show();
      find("new-files").focus();
    });
    return element(
      "tr",
      {},
      element("td", {}, open, who ? element("span", { className: "small" }, ` ${who}`) : ""),
      element("td", {}, `${done} of ${pairs}`),
      element("td", {}, new Date(modified).toLocaleString()),
      element("td", { className: "row-actions" }, ...(team ? [] : [save, remove])),
    );
  }

  // A name for the project, and a guess how its words are told apart, from the files.
  async #chosen() {
    try {
      const files = await textsOf(find("new-files").files);
      if (!files.length) return;
      const whole = projectIn(files);
      if (!find("new-name").value) {
        find("new-name").value = whole?.name ?? files[0].name.replace(/\.[^.]*$/, "");
      }
      if (whole) return;
      const pairs = presumeSpaces(readPairs(files));
      find("new-words").value = pairs.some(({ spaced }) => spaced) ? "spaced" : "raw";
    } catch (error) {
      this.tell.fail(error);
    }
  }

  async #make() {
    const annotator = find("new-annotator").value.trim();
    try {
      await this.who.rename(annotator);
      const pasted = find("new-paste").value;
      const files = find("new-files").files.length
        ? await textsOf(find("new-files").files)
        : pasted.trim()
          ? [{ name: "pasted pairs", text: pasted }]
          : [];
      if (!files.length) throw new Error("Choose files or paste pairs first.");
      const whole = projectIn(files);
      if (whole) await this.#reopen(whole);
      else await this.#prepare(files, annotator);
      find("new").reset();
      find("new-annotator").value = annotator;
    } catch (error) {
      if (error.name === "AbortError") this.tell.say("Stopped.");
      else this.tell.fail(error);
    }
  }

  // A project of the pairs that the other page handed on. They wait in the storage until it is made.
  async receive() {
    try {
      for (const { name: fact, value: handed } of await this.store.recallAll(HANDED)) {
        find("new-name").value = handed.name.replace(/\.[^.]*$/, "");
        find("new-where").value = "here";
        await this.#prepare([handed], this.who.name);
        await this.store.forget(fact);
        find("new").reset();
        find("new-annotator").value = this.who.name;
      }
    } catch (error) {
      this.tell.fail(error, () => this.receive());
    }
  }

  // A file of a project that is here already becomes a second one, so that nothing is overwritten.
  async #reopen(project) {
    const found = [...(await this.store.list()), ...(await this.#onServer())];
    const known = found.some(({ id }) => id === project.id);
    const copy = known ? { ...project, id: newId(), name: `${project.name} (from file)` } : project;
    await this.#keep(copy, []);
  }

  async #prepare(files, annotator) {
    const given = readPairs(files);
    if (!given.length) throw new Error(`${files[0].name} is empty.`);
    const choice = this.choices[find("new-method").selectedIndex];
    const options = {
      name: find("new-name").value.trim() || files[0].name.replace(/\.[^.]*$/, ""),
      annotator,
      spaced: find("new-words").value === "spaced",
      model: choice?.model ?? null,
      method: choice?.method ?? null,
    };
    const finder = this.choices.find(({ model }) => model)?.model;
    this.#stopping = new AbortController();
    this.#busy(true);
    try {
      const progress = (done, all) => Object.assign(find("new-progress"), { max: Math.max(all, 1), value: done });
      const made = await makeProject(given, options, finder, progress, this.#stopping.signal);
      await this.#keep(made.project, made.notes);
    } finally {
      this.#busy(false);
    }
  }

  async #keep(project, notes) {
    const team = Boolean(this.team) && find("new-where").value === "team";
    await (team ? this.team : this.store).put(project);
    await this.tell.made(project, notes, team);
  }

  #busy(busy) {
    find("new-make").disabled = busy;
    find("new-stop").hidden = find("new-progress").hidden = !busy;
  }
}
