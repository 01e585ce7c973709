// The page: wires the service, the options, the drawing and the file together.

import { align, signature, unitsOf } from "./align.js";
import { Carry } from "./carry.js";
import { bindControls, buildControls, showControls } from "./controls.js";
import { direction } from "./direction.js";
import { applied, toggled } from "./edits.js";
import { EXAMPLES } from "./examples.js";
import { download, pharaoh, record } from "./export.js";
import { Figure } from "./figure.js";
import { parseGold } from "./gold.js";
import { endsOf, keyOf } from "./links.js";
import { methodSpec, parseMethod } from "./methods.js";
import { hideNotice, showNotice, showOffer, showUndoable, showWarnings } from "./notice.js";
import { askedFor, newPair, remember, settled, stepBack, stepForward } from "./pair.js";
import { mapPicture, pngBlob, rowsPicture, svgText } from "./picture.js";
import { alignPair, carries, fetchModels } from "./service.js";
import { fromFragment, toFragment } from "./share.js";
import { linksSummary } from "./speech.js";
import { defaultsFor, preparedModel, withConsequences } from "./state.js";
import { Stepper } from "./stepper.js";
import { bindTags } from "./tags.js";
import { bindTexts, showTexts } from "./texts.js";
import { WHERE_TEXTS_GO, whileLoading } from "./transport.js";

const ASKED = ["source", "target", "spaced", "model", "level"]; // what the service must be asked about
const STEPS = { source: "text", target: "text", spaced: "text", gold: "gold", edits: "edits" }; // can be undone

const find = (name) => document.getElementById(name);

let models; // what there is to choose from
let defaults; // the state that a bare address means
let state; // the reader's choices
let answer = null; // the service's, prepared; null while a side is empty
let otherAnswer = null; // the same of the model that is compared with
let result = null; // the links at hand: { alignment, links }
let figure;
let carry;
let stepper;
let focusWords = false; // whether the next drawing gets the focus on its first word

async function start() {
  find("where-texts-go").textContent = WHERE_TEXTS_GO;
  whileLoading((sentence) => showWarnings(sentence ? [sentence] : []));
  let service;
  try {
    service = await fetchModels();
  } catch (error) {
    showNotice(error, start);
    return;
  }
  hideNotice();
  models = service.models.map(preparedModel);
  state = defaults = defaultsFor(
    models.find((model) => model.isDefault),
    service.defaults,
  );
  figure = new Figure({ toggle, say });
  carry = new Carry(figure.first, { begin: () => figure.choose(null), ...mishaps() });
  stepper = new Stepper({ show, say, settings: exportSettings });
  buildControls(models);
  bindControls(() => state, update);
  bindTexts(
    () => state,
    update,
    (example) => stepper.close() && replace(example, state),
    openPasted,
  );
  find("tags").hidden = !carries;
  bindTags(linkOptions, { say, ...mishaps() });
  bindResult();
  window.addEventListener("hashchange", () => {
    // A file that is open is not overwritten by an address.
    if (stepper.close()) replace(fromFragment(location.hash), defaults);
    else showAddress();
  });
  replace(location.hash.length > 1 ? fromFragment(location.hash) : EXAMPLES[0], defaults);
}

// Another pair, from an address or an example, in place of the one at hand; that can be undone. What it does not
// say of the options is as in `options`.
function replace({ name, ...given }, options) {
  if (stepper.current.source.length) remember(stepper.current, "pair");
  show({ ...newPair(), ...given }, false, options);
  stepper.keep(state);
}

// Draw a pair of the file or the one that was typed; `inWords` is whether the reader is among the words.
function show({ past, future, revision, ...pair }, inWords = false, options = state) {
  const cells = pair.gold && !state.gold ? { cells: "gold" } : {};
  state = { ...withConsequences(defaults, { ...options, ...cells, ...pair }, models), moved: pair.moved };
  focusWords = inWords;
  showTexts(state);
  if (state.gold || state.compare) find("more").open = true;
  ask();
}

function update(changes) {
  const step = Object.keys(changes).find((name) => name in STEPS && changes[name] !== state[name]);
  if (step) remember(stepper.current, STEPS[step]);
  const before = state;
  state = withConsequences(before, changes, models);
  stepper.keep(state);
  const asks = ASKED.some((name) => state[name] !== before[name]);
  if (asks || state.compare?.model !== before.compare?.model) ask();
  else requestDraw();
}

// Ask the service, or what is kept of its answers, and draw.
let asking = null;
async function ask() {
  asking?.abort();
  const { signal } = (asking = new AbortController());
  const { model, level, compare } = state;
  const sides = askedFor(state);
  find("figure").classList.add("waiting");
  showControls(state, models);
  try {
    const found = [null, null];
    let lost = 0;
    if (sides.every((side) => side.length)) {
      const settle = settled(state, await alignPair(...sides, model, level, signal));
      found[0] = prepared(settle.answer, modelNamed(model));
      found[1] = found[0];
      if (compare && compare.model !== model) {
        const other = modelNamed(compare.model);
        found[1] = prepared(await alignPair(...sides, other.name, other.level, signal), other);
      }
      if (signal.aborted) return;
      lost = settle.lost;
      state = { ...state, edits: settle.edits, words: settle.words, moved: false };
      stepper.keep(state);
    }
    if (signal.aborted) return;
    [answer, otherAnswer] = found;
    hideNotice();
    showWarnings(answer?.warnings ?? []);
    if (lost) tellLost(lost);
    offerPairs();
    requestDraw();
  } catch (error) {
    if (error.name === "AbortError") return;
    answer = otherAnswer = null;
    showWarnings([]);
    showNotice(error, ask);
    requestDraw();
  } finally {
    if (!signal.aborted) find("figure").classList.remove("waiting");
  }
}

// Texts of several lines may be meant as several pairs.
function offerPairs() {
  const sides = [state.source, state.target];
  if (stepper.corpus.name || sides.some((side) => typeof side !== "string")) return;
  const [source, target] = sides.map((side) => side.split("\n").filter((line) => line.trim()));
  if (source.length < 2 || source.length !== target.length) return;
  const files = [
    { name: "sentences", text: source.join("\n") },
    { name: "translations", text: target.join("\n") },
  ];
  showOffer(`Both texts have ${source.length} lines.`, {
    [`Take them as ${source.length} pairs`]: () => stepper.openTexts(files),
  });
}

// Pasted lines that hold a sentence and its translation each are opened as pairs; false if the text is none.
function openPasted(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  if (lines.length < 2 || !lines.every((line) => /\t|(^|\s)\|\|\|(\s|$)/.test(line))) return false;
  stepper.openTexts([{ name: "pasted pairs", text }]);
  return true;
}

function tellLost(lost) {
  const edits = lost === 1 ? "One link that you had" : `${lost} links that you had`;
  const message = `${edits} changed by hand belonged to words that are not in the text now.`;
  if (stepper.current.past.length) showUndoable(message, undo);
  else showNotice(new Error(message));
}

// An answer with what every redraw needs of it.
function prepared(given, { curve }) {
  const units = unitsOf(given.matrix);
  const { links } = align(units, curve, { method: parseMethod("argmax") });
  return { ...given, units, curve, anchors: [...links.keys()].map(endsOf) };
}

function modelNamed(name) {
  return models.find((model) => model.name === name);
}

let planned = 0;
function requestDraw() {
  planned ||= requestAnimationFrame(() => {
    planned = 0;
    draw();
  });
}

function draw() {
  showControls(state, models);
  rememberAddress();
  result = answer && corrected(extracted(answer, state.method));
  find("figure").hidden = !answer;
  find("undo").disabled = !stepper.current.past.length;
  find("redo").disabled = !stepper.current.future.length;
  find("discard").disabled = !state.edits.length;
  for (const button of document.querySelectorAll("[data-export]")) button.disabled = !answer;
  showPharaoh(result ? [...result.links.keys()] : []);
  if (!answer) return;
  const { words: source } = answer.source;
  const { words: target } = answer.target;
  const titles = [titleOf(state), state.compare && titleOf(state.compare)];
  figure.draw({
    sentences: {
      source: { words: source, direction: direction(source.join(" ")) },
      target: { words: target, direction: direction(target.join(" ")) },
    },
    anchors: answer.anchors,
    first: result,
    second: state.compare && extracted(otherAnswer, state.compare.method),
    gold: goldFor(source.length, target.length),
    edits: state.edits,
    view: state.view,
    cells: state.cells,
    curve: answer.curve,
    units: answer.units,
    matrix: answer.matrix,
    titles,
  });
  carry.show({
    words: { source, target },
    links: applied(state.edits, result.alignment.links), // those set by hand are certain
    model: state.model,
    calibrated: Boolean(answer.curve),
    hidden: !carries || state.view === "map",
  });
  if (focusWords) figure.first.focus();
  focusWords = false;
  saySoon(linksSummary(source, target, result.links, titles[0]));
}

function extracted(given, method) {
  const alignment = align(given.units, given.curve, { ...state, method });
  return { alignment, links: alignment.links };
}

// The method's links with the reader's edits.
function corrected({ alignment, links }) {
  return { alignment, links: applied(state.edits, links, alignment.scoreOf) };
}

// A notice of one's own, which is gone when the next try succeeds.
function mishaps() {
  let failed = false;
  const fail = (error, again) => {
    failed = true;
    showNotice(error, again);
  };
  const mend = () => {
    if (failed) hideNotice();
    failed = false;
  };
  return { fail, mend };
}

// The reader's choices as the service takes them.
function linkOptions() {
  const { model, level, method, distortion, tau, threshold } = state;
  return { model, level, methods: [methodSpec(method)], distortion, threshold, null: tau < 1 ? tau : null };
}

function titleOf({ model, method }) {
  return models.length > 1 ? `${model}, ${method.name}` : method.name;
}

let goldIsWrong = false;
function goldFor(height, width) {
  try {
    const gold = parseGold(state.gold, height, width);
    if (goldIsWrong) hideNotice();
    goldIsWrong = false;
    return gold;
  } catch (error) {
    goldIsWrong = true;
    showNotice(error);
    return null;
  }
}

// A line may break between links, not in them.
function showPharaoh(keys) {
  const parts = keys.flatMap((key) => [
    " ",
    Object.assign(document.createElement("span"), { textContent: key }),
  ]);
  find("pharaoh").replaceChildren(...parts.slice(1));
}

function toggle({ i, j }) {
  if (find("figure").classList.contains("waiting")) return; // the words are about to change
  const edits = toggled(state.edits, extracted(answer, state.method).links, keyOf(i, j));
  remember(stepper.current, "edits");
  state = { ...state, edits, words: { source: answer.source, target: answer.target } };
  stepper.keep(state);
  requestDraw();
  say(`${edits.at(-1).on ? "Added" : "Removed"} ${answer.source.words[i]} – ${answer.target.words[j]}.`);
}

function undo() {
  restore(stepBack(stepper.current), "Undone.");
}

function redo() {
  restore(stepForward(stepper.current), "Done again.");
}

function restore(fields, said) {
  if (!fields) return;
  state = { ...state, ...fields };
  stepper.keep(state);
  showTexts(state);
  ask();
  say(said);
}

// Said at once; what the drawing holds is said when the reader has come to rest.
let saying = 0;
function say(text) {
  clearTimeout(saying);
  find("live").textContent = text;
}

function saySoon(text) {
  clearTimeout(saying);
  saying = setTimeout(() => say(text), 600);
}

let remembering = 0;
function rememberAddress() {
  clearTimeout(remembering);
  remembering = setTimeout(showAddress, 150);
}

function showAddress() {
  history.replaceState(null, "", `#${toFragment(state, defaults)}`);
}

function bindResult() {
  find("undo").addEventListener("click", undo);
  find("redo").addEventListener("click", redo);
  find("discard").addEventListener("click", () => update({ edits: [] }));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("textarea, input[type=text], input[type=number]");
    if (!(event.ctrlKey || event.metaKey) || typing) return;
    const key = event.key.toLowerCase();
    const act = key === "y" || (key === "z" && event.shiftKey) ? redo : key === "z" ? undo : null;
    if (!act) return;
    event.preventDefault();
    act();
  });
  for (const button of document.querySelectorAll("[data-export]")) {
    button.addEventListener("click", () => exportPair(button.dataset.export));
  }
  find("copy-link").addEventListener("click", copyLink);
}

async function copyLink() {
  showAddress();
  try {
    await navigator.clipboard.writeText(location.href);
    find("copy-link").textContent = "Copied";
    say("Link copied.");
    setTimeout(() => (find("copy-link").textContent = "Copy link"), 1500);
  } catch {
    showNotice(new Error("The browser does not let pages copy here; the address line holds the link."));
  }
}

async function exportPair(kind) {
  if (kind === "pharaoh") return download(`${pharaoh(result.links)}\n`, "alignment.txt", "text/plain");
  if (kind === "json") {
    const fields = record(answer, result.links, signature(answer.signature, state), state);
    return download(`${JSON.stringify(fields)}\n`, "alignment.json", "application/json");
  }
  const svg =
    state.view === "map" ? mapPicture(figure.mapData) : rowsPicture(figure.first.geometry(), figure.marks);
  if (kind === "svg") return download(svgText(svg), "alignment.svg", "image/svg+xml");
  return download(await pngBlob(svg), "alignment.png");
}

function exportSettings() {
  const { model, level } = state;
  return { model, level, curve: modelNamed(model).curve, options: state, title: `${model}, ${state.method.name},` };
}

start();
