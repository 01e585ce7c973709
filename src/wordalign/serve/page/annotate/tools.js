// Suggestions made again, a second annotator, and how well suggestions and people agree.

import { agreement, common, mismatch } from "./agreement.js";
import { suggestionScores } from "./counts.js";
import { element, find } from "./dom.js";
import { suggest } from "./edits.js";
import { textsOf } from "./files.js";
import { projectIn } from "./making.js";
import { eachAnswer, suggestion } from "./suggest.js";

export class Tools {
  // page: { session(), store, choices, made(project, notes), say(text), fail(error) }
  constructor(page) {
    this.page = page;
    find("again").addEventListener("click", () => this.#again());
    find("other-file").addEventListener("change", () => this.#compare());
  }

  // The scores of the suggestions and, in a common project, the agreement of its annotators.
  show() {
    const { project } = this.page.session();
    if (project.agreement) this.#agreement(project);
    else this.#scores(suggestionScores(project));
  }

  // As one step that can be undone, for all pairs that are not done; links that somebody changed by hand stay.
  async #again() {
    const { page } = this;
    const { model, method } = page.choices[find("again-method").selectedIndex];
    if (!model) return page.fail(new Error("Choose a model and a method first."));
    const session = page.session();
    find("again").disabled = true;
    try {
      const open = (pair) => !pair.done && pair.source.length && pair.target.length;
      const places = [...session.project.pairs.keys()].filter((place) => open(session.project.pairs[place]));
      const found = new Map();
      const use = (answer, k) => {
        if (answer && !(answer instanceof Error)) found.set(places[k], suggestion(answer, model, method));
      };
      const sides = places.map((place) => [session.project.pairs[place].source, session.project.pairs[place].target]);
      await eachAnswer(sides, model, use, (done, all) => page.say(`${done} of ${all} pairs.`));
      const { project } = session;
      const changes = [...found].flatMap(([place, suggestions]) => {
        const pair = project.pairs[place];
        if (pair.done) return [];
        return suggest(project, place, suggestions, !Object.keys(pair.checked).length && untouched(pair));
      });
      session.do("suggested again", changes);
      page.say(`${found.size} pairs have new suggestions.`);
    } catch (error) {
      page.fail(error);
    } finally {
      find("again").disabled = false;
    }
  }

  async #compare() {
    const { page } = this;
    try {
      const files = await textsOf(find("other-file").files);
      find("other-file").value = "";
      if (!files.length) return;
      const other = projectIn(files);
      if (!other) throw new Error(`${files[0].name} is not a project that was saved here with ‘Save file’.`);
      const { project } = page.session();
      const wrong = mismatch(project, other);
      if (wrong) throw new Error(`${wrong} Both annotators must have begun with the same project file.`);
      const made = common(project, other);
      await page.store.put(made);
      const none = agreement(project, other) ? [] : ["No pair is done in both projects, so there is no agreement to measure yet."];
      page.made(made, none);
    } catch (error) {
      page.fail(error);
    }
  }

  #agreement({ agreement: found, annotators }) {
    const { pairs, f1, aer, kappa } = found;
    const [one, other] = annotators;
    this.#table(`Agreement of ${one} and ${other} on the ${pairs} pairs that both had done`, {
      F1: f1,
      [`AER, ${one} against ${other}`]: aer[0],
      [`AER, ${other} against ${one}`]: aer[1],
      "Cohen’s kappa": kappa,
    });
  }

  #scores(found) {
    find("scores").hidden = !found;
    if (!found) return;
    const { pairs, given, precision, recall, f1, aer } = found;
    const which = given ? `links of all ${pairs} pairs` : `annotated links of the ${pairs} pairs that are done`;
    this.#table(`The suggestions against the ${which}`, {
      Precision: precision,
      Recall: recall,
      F1: f1,
      AER: aer,
    });
  }

  #table(caption, values) {
    const table = find("scores");
    table.hidden = false;
    table.caption.textContent = caption;
    table.tHead.rows[0].replaceChildren(...Object.keys(values).map((name) => element("th", { scope: "col" }, name)));
    table.tBodies[0].rows[0].replaceChildren(...Object.values(values).map((value) => element("td", {}, value.toFixed(3))));
  }
}

// Whether a pair's links are the suggested ones.
function untouched({ links, suggested, nulls }) {
  const keys = Object.keys(links);
  const same = keys.length === Object.keys(suggested).length && keys.every((key) => key in suggested);
  return same && keys.every((key) => links[key] === "sure") && !Object.keys(nulls).length;
}
