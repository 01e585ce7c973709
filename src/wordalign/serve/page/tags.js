// Tags: a text with markup and its plain translation in, the translation with the markup out.

import { transferMarkup } from "./service.js";
import { percent } from "./speech.js";

const EXAMPLE = {
  source: 'Press <b>Save</b> to keep <a href="file.html">the file</a>.',
  target: "Drücken Sie Speichern, um die Datei zu behalten.",
};

const find = (name) => document.getElementById(name);

// getOptions() is what decides about links; tell: { fail(error, again), mend(), say(text) }
export function bindTags(getOptions, tell) {
  let asking = null;
  const fields = ["tags-source", "tags-target"].map(find);

  const carry = async () => {
    asking?.abort();
    const { signal } = (asking = new AbortController());
    const [source, target] = fields.map((field) => field.value.trim());
    if (!source || !target) return show("", "Give a text with tags and its translation.");
    try {
      const syntax = find("tags-syntax").value;
      const { text, elements } = await transferMarkup(source, target, syntax, getOptions(), signal);
      tell.mend();
      show(text, ...told(elements));
    } catch (error) {
      if (error.name === "AbortError") return;
      // What is wrong with the markup is said where it stands.
      if (error.status === 422) show("", error.message);
      else tell.fail(error, carry);
    }
  };

  find("tags-carry").addEventListener("click", carry);
  find("tags-syntax").addEventListener("change", () => find("tags-result").value && carry());
  for (const field of fields) {
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      carry();
    });
  }
  find("tags-example").addEventListener("click", () => {
    [fields[0].value, fields[1].value] = [EXAMPLE.source, EXAMPLE.target];
    carry();
  });
  find("tags-copy").addEventListener("click", async () => {
    const result = find("tags-result");
    try {
      await navigator.clipboard.writeText(result.value);
      find("tags-copy").textContent = "Copied";
      tell.say("Copied.");
      setTimeout(() => (find("tags-copy").textContent = "Copy"), 1500);
    } catch {
      result.select(); // the browser does not let pages copy here: Ctrl C does
      tell.say("The result is selected: copy it with your keyboard.");
    }
  });
}

function show(text, ...said) {
  find("tags-result").value = text;
  find("tags-output").hidden = find("tags-copy").hidden = !text;
  find("tags-said").replaceChildren(...said);
}

// How many tags found their place, how sure the least of them is, and for which no link spoke.
function told(elements) {
  if (!elements.length) return ["There are no tags and no placeholders in the text."];
  const placed = elements.length === 1 ? "One tag or placeholder" : `${elements.length} tags or placeholders`;
  const guessed = elements.filter(({ probability }) => probability === 0);
  if (!guessed.length) {
    const least = percent(Math.min(...elements.map(({ probability }) => probability)));
    const share = least === percent(1) ? "All" : `At least ${least} of the`;
    return [`${placed} placed. ${share} links speak for each place.`];
  }
  const names = guessed.flatMap(({ element }, k) => [k ? ", " : "", code(element)]);
  return [`${placed} placed. No link speaks for the place of `, ...names, ": it is where its neighbours are."];
}

function code(text) {
  return Object.assign(document.createElement("code"), { textContent: text });
}
