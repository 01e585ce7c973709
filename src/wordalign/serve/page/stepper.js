// The pairs at hand: opening a file of them, stepping through it with buttons or keys, exporting all of it.

import { Corpus } from "./corpus.js";
import { download } from "./export.js";
import { showNotice } from "./notice.js";
import { misfits, presumeSpaces, readPairs } from "./pairs.js";

const find = (name) => document.getElementById(name);
const STEPS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
const HAS_KEYS = "input, textarea, select, summary"; // where these keys mean something else
const HAS_ARROWS = ".word, .map-cells"; // where only the arrow keys do

export class Stepper {
  // page: { show(pair), say(text), settings() } where settings are those of Corpus.exportAll.
  constructor(page) {
    this.page = page;
    this.corpus = new Corpus("", [{}]);
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
    find("exchange").addEventListener("click", () => this.#exchange());
    find("all-scores").addEventListener("click", () => this.#scoreAll());
    find("all-pharaoh").addEventListener("click", () => this.#exportAll("pharaoh"));
    find("all-json").addEventListener("click", () => this.#exportAll("json"));
    find("annotate").addEventListener("click", () => this.#annotate());
    find("all-gold").addEventListener("click", () => this.#exportGold());
    document.addEventListener("keydown", (event) => this.#pressed(event));
    window.addEventListener("beforeunload", (event) => {
      if (this.corpus.name && this.corpus.unsaved) event.preventDefault();
    });
  }

  get current() {
    return this.corpus.current;
  }

  // The pair at hand was changed.
  keep(state) {
    this.corpus.keep(state);
    this.#show();
  }

  // The file is left, and the pair at hand stays on the page; false if the reader would rather keep the file.
  close() {
    const { corpus } = this;
    const lost = "What you changed in this file has not been exported with ‘All pairs’. Close it all the same?";
    if (corpus.name && corpus.unsaved && !window.confirm(lost)) return false;
    if (corpus.name) this.corpus = new Corpus("", [corpus.current]);
    this.#show();
    return true;
  }

  async #open(files) {
    if (!files.length) return;
    try {
      const texts = await Promise.all(
        files.map(async (file) => ({ name: file.name, text: await utf8(file) })),
      );
      this.openTexts(texts);
    } catch (error) {
      showNotice(error);
    }
  }

  // Texts, [{ name, text }], that came from files or were pasted, as the pairs at hand.
  openTexts(files) {
    try {
      const pairs = presumeSpaces(readPairs(files));
      if (!pairs.length) throw new Error(`${files[0].name} is empty.`);
      if (!(this.corpus.name ? this.close() : this.#mayLeavePair())) return;
      this.corpus = new Corpus(files.map(({ name }) => name).join(", "), pairs);
      this.#goTo(0);
      find("figure").focus({ preventScroll: true });
      find("file-warning").textContent = misfitText(misfits(pairs));
      find("file-scores").textContent = "";
    } catch (error) {
      showNotice(error);
    }
  }

  // A pair that was typed has no file to go back to.
  #mayLeavePair() {
    const lost = "The page leaves the pair whose links you changed by hand. Open the file all the same?";
    return !this.current.edits.length || window.confirm(lost);
  }

  #goTo(index) {
    const inWords = document.activeElement.matches(".word");
    this.corpus.goTo(Number.isInteger(index) ? index : this.corpus.index);
    this.#show();
    this.page.show(this.corpus.current, inWords);
    // A button that has just been disabled would take the focus with it.
    const focused = document.activeElement;
    if (focused === document.body || focused.disabled) find("figure").focus({ preventScroll: true });
  }

  #pressed(event) {
    if (!this.corpus.name || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const by = STEPS[event.key];
    if (!by || event.target.matches(HAS_KEYS)) return;
    if (event.key.startsWith("Arrow") && event.target.matches(HAS_ARROWS)) return;
    event.preventDefault();
    this.#goTo(this.corpus.index + by);
  }

  #show() {
    const { corpus } = this;
    find("stepper").hidden = !corpus.name;
    if (!corpus.name) return;
    find("step").value = corpus.index + 1;
    find("step").max = corpus.pairs.length;
    find("step-count").textContent = corpus.pairs.length.toLocaleString("en");
    find("previous").disabled = corpus.index === 0;
    find("next").disabled = corpus.index === corpus.pairs.length - 1;
    find("all-gold").hidden = find("all-scores").hidden = corpus.pairs.every(({ gold }) => !gold.trim());
    const edited = corpus.pairs.filter(({ edits }) => edits.length).length;
    find("file-name").textContent = edited ? `${corpus.name} · ${edited} edited` : corpus.name;
  }

  async #exportAll(kind) {
    const { corpus } = this;
    await this.#withAll(kind, (lines, failed) => {
      this.#download(lines, kind === "pharaoh" ? "links.txt" : "links.jsonl", corpus);
      if (failed) throw new Error(`The file has empty lines for ${failed}`);
    });
  }

  // The pairs, with the links as they are here, become a project of the other page.
  async #annotate() {
    const { corpus } = this;
    await this.#withAll("json", async (lines, failed, revision) => {
      if (failed) throw new Error(`There are no links for ${failed}`);
      const [{ BrowserStore }, { HANDED }, { newId }] = await Promise.all(
        ["store", "home", "project"].map((name) => import(`./annotate/${name}.js`)),
      );
      await new BrowserStore().remember(HANDED + newId(), { name: `${fileName(corpus)}.jsonl`, text: asText(lines) });
      corpus.markSaved(revision);
      location.href = "annotate.html";
    });
  }

  // use(lines, failed, revision): `failed` names pairs that have no line and says why; it is empty if all have one.
  async #withAll(kind, use) {
    const { corpus, page } = this;
    const buttons = ["all-pharaoh", "all-json", "annotate"].map(find);
    for (const button of buttons) button.disabled = true;
    try {
      const progress = (done, all) => page.say(`${done} of ${all} pairs.`);
      const { lines, failed, revision } = await corpus.exportAll(kind, page.settings(), progress);
      await use(lines, failedText(failed), revision);
      if (!failed.length) corpus.markSaved(revision);
    } catch (error) {
      showNotice(error);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }

  #exchange() {
    this.corpus.exchange();
    this.page.show(this.corpus.current);
    this.page.say("Sides exchanged.");
  }

  async #scoreAll() {
    const { corpus, page } = this;
    const place = find("file-scores");
    find("all-scores").disabled = true;
    try {
      const settings = page.settings();
      const progress = (done, all) => (place.textContent = `${done} of ${all} pairs scored.`);
      const { pairs, ...found } = await corpus.scoreAll(settings, progress);
      const names = { precision: "precision", recall: "recall", f1: "F1", aer: "AER" };
      const values = Object.entries(names).map(([key, name]) => `${name} ${found[key].toFixed(3)}`);
      place.textContent = `${settings.title} against the gold links of ${pairs} pairs: ${values.join(", ")}.`;
    } catch (error) {
      place.textContent = "";
      showNotice(error);
    } finally {
      find("all-scores").disabled = false;
    }
  }

  #exportGold() {
    this.#download(this.corpus.goldLines(), "gold.txt", this.corpus);
  }

  #download(lines, kind, corpus) {
    download(asText(lines), `${fileName(corpus)}.${kind}`, kind.endsWith("jsonl") ? "application/json" : "text/plain");
    this.page.say(`${lines.length} pairs exported.`);
  }
}

function asText(lines) {
  return lines.map((line) => `${line}\n`).join("");
}

function fileName({ name }) {
  return name.split(", ")[0].replace(/(\.links)?\.[^.]*$/, "");
}

function failedText(failed) {
  if (!failed.length) return "";
  const numbers = failed.slice(0, 5).map(({ number }) => number);
  const others = failed.length > 5 ? ` and ${failed.length - 5} others` : "";
  return `${failed.length === 1 ? "pair" : "pairs"} ${numbers.join(", ")}${others}: ${failed[0].message}`;
}

function misfitText(numbers) {
  if (!numbers.length) return "";
  const some = numbers.slice(0, 5).join(", ");
  const others = numbers.length > 5 ? ` and ${numbers.length - 5} others` : "";
  return (
    `The gold links of pair ${some}${others} name words that are not there. The file’s words were taken as ` +
    "separated by spaces; check that the gold links were made for these words."
  );
}

async function utf8(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error(`${file.name} is not UTF-8. Convert the file first, e.g. with iconv.`);
  }
}
