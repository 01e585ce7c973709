// The page for annotation: wires the projects, the pair at hand and the keys together.

import { hideNotice, showNotice, showOffer, showWarnings } from "../notice.js";
import { fetchModels } from "../service.js";
import { preparedModel } from "../state.js";
import { WHERE_TEXTS_GO, whileLoading } from "../transport.js";
import { Annotator } from "./annotator.js";
import { Bar } from "./bar.js";
import { fillChoices, suggestionChoices } from "./choices.js";
import { setComment, setDone } from "./edits.js";
import { Desk } from "./desk.js";
import { find } from "./dom.js";
import { exportProject, saveProject } from "./files.js";
import { FORMATS } from "./formats.js";
import { Home } from "./home.js";
import { bindKeys } from "./keys.js";
import { List } from "./list.js";
import { Session } from "./session.js";
import { BrowserStore } from "./store.js";
import { TeamStore } from "./team.js";
import { Tools } from "./tools.js";

const NAMELESS = "The others see who changed what: write your name beside the title of the project.";

let session = null;
let who;
let desk;
let bar;
let list;
let home;
let tools;

async function start() {
  find("where-texts-go").textContent = WHERE_TEXTS_GO;
  whileLoading((sentence) => showWarnings(sentence ? [sentence] : []));
  const store = new BrowserStore(({ id, places }) => {
    // A project of the team hears of other windows from the server.
    if (session?.project.id === id && session.store === store) session.reread(places).catch(showNotice);
  });
  let choices = [{ label: "nothing", model: null, method: null }];
  who = new Annotator(store, { named, fail: showNotice });
  await who.load().catch(() => {}); // the list of projects tells what is wrong with the storage
  let team = new TeamStore(store, { by: () => who.name, changed: heard, sent, together });
  let trouble = null;
  try {
    choices = suggestionChoices((await fetchModels()).models.map(preparedModel));
    if ((await team.list()) === null) team = null;
  } catch (error) {
    trouble = error; // links can be annotated without suggestions
  }
  for (const name of ["new-method", "again-method"]) fillChoices(find(name), choices);
  const project = () => session.project;
  desk = new Desk({ do: change, say });
  bar = new Bar({ show, say, project });
  list = new List({ project, goTo: (place) => bar.goTo(place, { toFigure: true }) });
  home = new Home(store, team, who, { open, made, fail: showNotice, say }, choices);
  tools = new Tools({ session: () => session, store, choices, made, say, fail: showNotice });
  find("export-format").replaceChildren(...Object.entries(FORMATS).map(([name, { label }]) => new Option(label, name)));
  bindDesk();
  bindKeys(commands);
  window.addEventListener("beforeunload", (event) => {
    if (session?.unsaved || typing) event.preventDefault();
  });
  window.addEventListener("hashchange", goToAddress);
  await goToAddress();
  if (trouble) showNotice(trouble, () => location.reload());

  // #PROJECT opens a project, #PROJECT/12 its pair 12: a reload comes back to where one was. Without one, there may be
  // pairs that the other page handed on.
  async function goToAddress() {
    const [id, number] = location.hash.slice(1).split("/");
    const place = Number(number) - 1 || 0;
    if (session?.project.id === id) return place in session.project.pairs && bar.goTo(place);
    try {
      const kept = id ? await store.open(id) : null;
      if (kept && !kept.project.team) begin(store, kept, place);
      else if (id && team) begin(team, await team.open(id), place);
      else {
        await close();
        await home.receive();
      }
    } catch (error) {
      await close();
      showNotice(error, goToAddress);
    }
  }

  async function open(id, inTeam = false) {
    try {
      const from = inTeam ? team : store;
      const found = await from.open(id);
      const first = found.project.pairs.findIndex(({ done }) => !done);
      begin(from, found, Math.max(first, 0));
    } catch (error) {
      showNotice(error);
    }
  }

  async function made({ id }, notes, inTeam = false) {
    await open(id, inTeam);
    const more = notes.length > 3 ? ` And ${notes.length - 3} more.` : "";
    if (notes.length) showNotice(new Error(notes.slice(0, 3).join(" ") + more));
    navigator.storage?.persist?.(); // ask that the browser does not clear it when space gets short
  }
}

function begin(store, { project, history }, place) {
  hideNotice();
  session = new Session(store, { project, history }, { changed, saved, refused });
  find("home").hidden = true;
  find("desk").hidden = false;
  find("desk-title").textContent = project.name;
  telling = { waiting: 0, error: null };
  document.title = `${project.name} – wordalign`;
  saved({ waiting: 0, error: null });
  window.scrollTo(0, 0); // the form that made it was longer than a phone's screen
  bar.begin(place);
  tools.show();
  find("who-label").hidden = !project.team;
  if (project.team && !who.name) showNotice(new Error(NAMELESS));
}

// The annotator has said who works here.
function named() {
  if (find("notice").textContent === NAMELESS) hideNotice();
}

async function close() {
  keepComment();
  await session?.settled();
  session?.store.close?.();
  session = null;
  find("desk").hidden = true;
  document.title = "Annotate – wordalign";
  history.replaceState(null, "", location.pathname);
  await home.show().catch(showNotice);
}

// A pair of the project. options: { doubt, differences, keepFocus, toFigure }
function show(place, { doubt = null, differences = false, keepFocus = false, toFigure = false } = {}) {
  keepComment();
  commented = place;
  const inWords = document.activeElement.matches(".word");
  const pair = session.project.pairs[place];
  desk.show(pair, { fresh: true, doubt, differences, focus: (inWords || doubt) && !keepFocus });
  showNotes(pair);
  find("confirm").hidden = !doubt;
  history.replaceState(null, "", `#${session.project.id}/${place + 1}`);
  const focused = document.activeElement;
  if (toFigure || focused === document.body || focused.disabled) find("figure").focus({ preventScroll: !toFigure });
  say(`Pair ${place + 1}. ${find("inspector").textContent}`);
}

function showNotes(pair) {
  find("done").checked = pair.done;
  if (!typing && find("comment").value !== pair.comment) find("comment").value = pair.comment;
  find("undo").disabled = !session.canUndo;
  find("redo").disabled = !session.canRedo;
}

// A comment is kept after each pause in typing, and belongs to the pair that it was typed for.
let typing = 0;
let commented = 0; // the place of that pair
function keepComment() {
  if (!typing) return;
  clearTimeout(typing);
  typing = 0;
  session.do("comment", setComment(session.project, commented, find("comment").value));
  showSaved(); // also where it is as it was, and nothing is written
}

function change(label, makeChanges) {
  session.do(label, makeChanges(session.project, bar.place));
}

// Pairs were changed: here, by undoing, or in another window.
function changed(places) {
  const pair = session.project.pairs[bar.place];
  if (places.includes(bar.place)) desk.show(pair);
  showNotes(pair);
  bar.update();
  list.show();
  tools.show();
}

// What is on the disk here, and what the server of a team knows.
let keeping = { waiting: 0, error: null };
let telling = { waiting: 0, error: null };
function showSaved() {
  const { waiting, error } = keeping;
  const { team } = session.project;
  const untold = team && telling.waiting;
  const changes = untold === 1 ? "1 change waits" : `${untold} changes wait`;
  find("saved").textContent = error
    ? "Not saved!"
    : team && telling.error
      ? `Kept in this browser${untold ? `; ${changes} for the server` : ", without the server"}.`
      : waiting || typing || untold
        ? "Saving…"
        : `Saved ${team ? "on the server" : "in this browser"}.`;
  find("saved").dataset.state = error ? "failed" : waiting || typing || untold ? "waiting" : "saved";
}

function sent({ waiting, error }) {
  if (!session) return;
  const before = telling.error;
  telling = { waiting, error };
  showSaved();
  if (error && error.message !== before?.message) showNotice(error, () => location.reload());
  else if (!error && before) hideNotice();
}

// Others have changed pairs on the server.
function heard(project, places) {
  if (session?.project.id === project.id) session.replace(project, places);
}

// Somebody else changed the same pair at the same time.
function together({ place, by, lost }) {
  const who = by || "Somebody";
  const what = lost
    ? "Your change there does not fit any more and was not made: look at the pair and decide again."
    : "Both changes are there: look whether they fit together.";
  showOffer(`${who} changed pair ${place + 1} at the same time. ${what}`, {
    [`Go to pair ${place + 1}`]: () => bar.goTo(place, { toFigure: true }),
  });
}

function saved({ waiting, error }) {
  keeping = { waiting, error };
  showSaved();
  if (!error) return;
  showOffer(`${error.message} What you change now is not kept: save it as a file.`, {
    "Save file": () => saveProject(session.project),
    "Try again": async () => {
      hideNotice();
      await session.saveAll();
    },
  });
}

function refused(count) {
  const what = count === 1 ? "One change was" : `${count} changes were`;
  showNotice(new Error(`${what} not made, because the pair was changed otherwise meanwhile.`));
}

function undo() {
  took(session.undo(), "Undone");
}

function redo() {
  took(session.redo(), "Done again");
}

// Undoing shows what it did, wherever that was.
function took(step, said) {
  if (!step) return say("There is nothing to undo.");
  if (step.place !== null && step.place !== bar.place) bar.goTo(step.place);
  say(`${said}: ${step.label}.`);
}

function done() {
  const ending = !session.project.pairs[bar.place].done;
  change(ending ? "done" : "not done", (project, place) => setDone(project, place, ending));
  if (ending) bar.nextUnfinished();
  else say("Not done.");
}

function confirm() {
  desk.confirm();
  bar.nextDoubt();
}

let saying = 0;
function say(text) {
  clearTimeout(saying);
  saying = setTimeout(() => (find("live").textContent = text), 30);
}

const commands = {
  ...Object.fromEntries(
    ["nextLink", "toggleState", "remove", "toggleNull", "collect", "linkSeveral", "focusWords"].map((name) => [
      name,
      () => desk[name](),
    ]),
  ),
  nextUnfinished: () => bar.nextUnfinished(),
  nextDifference: () => bar.nextDifference(),
  nextDoubt: () => bar.nextDoubt(),
  next: () => bar.step(1),
  previous: () => bar.step(-1),
  comment: () => find("comment").focus(),
  search: () => find("search").focus(),
  help: () => find("help").showModal(),
  done,
  confirm,
  undo,
  redo,
};

function bindDesk() {
  find("close").addEventListener("click", close);
  find("undo").addEventListener("click", undo);
  find("redo").addEventListener("click", redo);
  find("confirm").addEventListener("click", confirm);
  find("done").addEventListener("change", () => {
    const now = find("done").checked;
    change(now ? "done" : "not done", (project, place) => setDone(project, place, now));
  });
  find("comment").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(keepComment, 400);
    showSaved();
  });
  find("comment").addEventListener("blur", keepComment);
  document.addEventListener("visibilitychange", keepComment);
  find("save-file").addEventListener("click", () => saveProject(session.project));
  find("export").addEventListener("click", () => {
    try {
      const count = exportProject(session.project, find("export-format").value, find("export-done").checked);
      say(`${count} pairs exported.`);
    } catch (error) {
      showNotice(error);
    }
  });
}

start();
