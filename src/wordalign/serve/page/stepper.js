// A file of pairs: opening it, stepping through it with buttons or arrow keys, exporting all of it.

import { Corpus } from "./corpus.js";
import { download } from "./export.js";
import { showNotice } from "./notice.js";
import { readPairs } from "./pairs.js";

const find = (name) => document.getElementById(name);
const KEYS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
const HAS_KEYS = "input, textarea, select, summary, .word, .map-cells"; // where these keys mean something else

export class Stepper {
  // page: { load(pair), say(text), settings() } where settings are those of Corpus.exportAll.
  constructor(page) {
    this.page = page;
    this.corpus = null;
    find("open-file").addEventListener("click", () => find("file").click());
    find("file").addEventListener("change", () => {
      const files = [...find("file").files];
      find("file").value = "";
      this.#open(files);
    });
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.#open([...event.dataTransfer.files]);
    });
    find("previous").addEventListener("click", () => this.#goTo(this.corpus.index - 1));
    find("next").addEventListener("click", () => this.#goTo(this.corpus.index + 1));
    find("step").addEventListener("change", (event) => this.#goTo(Number(event.target.value) - 1));
    find("close-file").addEventListener("click", () => this.close());
    find("all-pharaoh").addEventListener("click", () => this.#exportAll("pharaoh"));
    find("all-json").addEventListener("click", () => this.#exportAll("json"));
    document.addEventListener("keydown", (event) => this.#pressed(event));
    window.addEventListener("beforeunload", (event) => this.corpus?.unsaved && event.preventDefault());
  }

  // The pair at hand was changed.
  keep({ source, target, gold, edits }) {
    if (!this.corpus) return;
    this.corpus.keep({ source, target, gold, edits });
    this.#show();
  }

  // False if the reader would rather keep it.
  close() {
    const lost = "The edits of this file have not been exported with ‘All pairs’. Close it all the same?";
    if (this.corpus?.unsaved && !window.confirm(lost)) return false;
    this.corpus = null;
    this.#show();
    return true;
  }

  async #open(files) {
    if (!files.length) return;
    try {
      const texts = await Promise.all(
        files.map(async (file) => ({ name: file.name, text: await utf8(file) })),
      );
      const pairs = readPairs(texts);
      if (!pairs.length) throw new Error(`${files[0].name} is empty.`);
      if (!this.close()) return;
      this.corpus = new Corpus(files.map(({ name }) => name).join(", "), pairs);
      this.#goTo(0);
      find("figure").focus({ preventScroll: true });
    } catch (error) {
      showNotice(error);
    }
  }

  #goTo(index) {
    this.corpus.goTo(Number.isInteger(index) ? index : this.corpus.index);
    this.page.load(this.corpus.current);
    this.#show();
  }

  #pressed(event) {
    if (!this.corpus || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const by = KEYS[event.key];
    if (!by || event.target.matches(HAS_KEYS)) return;
    event.preventDefault();
    this.#goTo(this.corpus.index + by);
  }

  #show() {
    const { corpus } = this;
    find("stepper").hidden = !corpus;
    if (!corpus) return;
    find("step").value = corpus.index + 1;
    find("step").max = corpus.pairs.length;
    find("step-count").textContent = corpus.pairs.length.toLocaleString("en");
    find("previous").disabled = corpus.index === 0;
    find("next").disabled = corpus.index === corpus.pairs.length - 1;
    const edited = corpus.pairs.filter(({ edits }) => edits.length).length;
    find("file-name").textContent = edited ? `${corpus.name} · ${edited} edited` : corpus.name;
  }

  async #exportAll(kind) {
    const { corpus, page } = this;
    const buttons = [find("all-pharaoh"), find("all-json")];
    for (const button of buttons) button.disabled = true;
    try {
      const progress = (done, all) => page.say(`${done} of ${all} pairs.`);
      const { lines, failed } = await corpus.exportAll(kind, page.settings(), progress);
      const name = corpus.name.split(", ")[0].replace(/\.[^.]*$/, "");
      const content = lines.map((line) => `${line}\n`).join("");
      if (kind === "pharaoh") download(content, `${name}.links.txt`, "text/plain");
      else download(content, `${name}.links.jsonl`, "application/json");
      page.say(`${lines.length} pairs exported.`);
      if (failed.length) {
        const numbers = failed
          .map(({ number }) => number)
          .slice(0, 5)
          .join(", ");
        showNotice(
          new Error(`Without links, since the service refused them: pair ${numbers}. ${failed[0].message}`),
        );
      }
    } catch (error) {
      showNotice(error);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }
}

async function utf8(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} is not UTF-8. Convert the file first, e.g. with iconv.`);
  }
}
