"use strict";
// Two texts side by side. Sentences are elements from the beginning; their words become elements only when a
// sentence is touched, so that a whole book stays light.

const data = JSON.parse(document.getElementById("data").textContent);
const panes = [document.getElementById("first"), document.getElementById("second")];
const told = document.getElementById("told");
const phrases = document.getElementById("phrases");
const PARAGRAPH = 2, SPACE = 1, DOUBTFUL = 50, LINE = 0.4;

// groupOf[side][sentence]: a sentence that was moved belongs to the group of its partner.
const groupOf = data.sides.map((side) => new Array(side.sentences.length).fill(-1));
data.groups.forEach((group, number) => {
  for (const side of [0, 1]) {
    for (let s = group[2 * side]; s < group[2 * side + 1]; s++) groupOf[side][s] = number;
  }
});

const sentences = data.sides.map((side, which) => drawSide(side, which));
let here = -1; // the group that is lit

function drawSide(side, which) {
  const pane = panes[which], elements = [];
  pane.setAttribute("aria-label", side.name);
  if (side.language) pane.lang = side.language;
  let paragraph = null;
  side.sentences.forEach(([gap, pieces], number) => {
    if (gap === PARAGRAPH || paragraph === null) {
      paragraph = document.createElement("p");
      paragraph.dir = "auto";
      pane.append(paragraph);
    } else if (gap === SPACE) {
      paragraph.append(" ");
    }
    const element = document.createElement("span");
    element.className = "sentence";
    element.dataset.sentence = number;
    element.textContent = pieces.join("");
    const group = data.groups[groupOf[which][number]];
    if (!group || group[0] === group[1] || group[2] === group[3]) element.classList.add("alone");
    else if (group[4] < DOUBTFUL) element.classList.add("doubtful");
    paragraph.append(element);
    elements.push(element);
  });
  return elements;
}

function membersOf(number, which) {
  const group = data.groups[number];
  return sentences[which].slice(group[2 * which], group[2 * which + 1]);
}

// Let the words of a group become elements, numbered as its links number them.
function open(number) {
  if (number === here) return;
  close();
  here = number;
  for (const which of [0, 1]) {
    let word = 0;
    for (const element of membersOf(number, which)) {
      const pieces = data.sides[which].sentences[element.dataset.sentence][1];
      element.replaceChildren(...pieces.map((piece, place) => {
        if (place % 2 === 0) return document.createTextNode(piece);
        const span = document.createElement("span");
        span.className = "word";
        span.dataset.word = word++;
        span.textContent = piece;
        return span;
      }));
      element.classList.add("here");
    }
  }
  sayGroup(number);
}

function close() {
  if (here < 0) return;
  for (const which of [0, 1]) {
    for (const element of membersOf(here, which)) {
      element.classList.remove("here");
      element.textContent = data.sides[which].sentences[element.dataset.sentence][1].join("");
    }
  }
  here = -1;
  told.textContent = "";
}

function sayGroup(number) {
  const [a, b, c, d, score, moved] = data.groups[number];
  if (a === b || c === d) told.textContent = "no partner in the other text";
  else told.textContent = `${b - a} – ${d - c} sentences, score ${(score / 100).toFixed(2)}${moved ? ", moved" : ""}`;
}

function wordsOf(which) {
  return here < 0 ? [] : membersOf(here, which).flatMap((element) => [...element.querySelectorAll(".word")]);
}

// The words that links lead to from one word; with phrases, and from these words in turn.
function reached(which, word) {
  const links = data.groups[here][6];
  const found = [new Set(), new Set()];
  const waiting = [[which, word]];
  found[which].add(word);
  const scores = [];
  while (waiting.length) {
    const [side, at] = waiting.pop();
    for (let k = 0; k < links.length; k += 3) {
      if (links[k + side] !== at) continue;
      const other = links[k + 1 - side];
      if (side === which && at === word) scores.push(links[k + 2]);
      if (!found[1 - side].has(other)) {
        found[1 - side].add(other);
        if (phrases.checked) waiting.push([1 - side, other]);
      }
    }
  }
  return { found, scores };
}

function light(which, word) {
  const { found, scores } = reached(which, word);
  for (const side of [0, 1]) {
    wordsOf(side).forEach((element, number) => {
      element.classList.toggle("lit", found[side].has(number));
    });
  }
  const text = [0, 1].map((side) => wordsOf(side).filter((_, k) => found[side].has(k)).map((e) => e.textContent).join(" "));
  const chance = scores.length ? `, ${scores.map((score) => (score / 100).toFixed(2)).join(" ")}` : "";
  told.textContent = `${text[0]} – ${text[1]}${chance}`;
}

function unlight() {
  for (const side of [0, 1]) for (const element of wordsOf(side)) element.classList.remove("lit");
}

panes.forEach((pane, which) => {
  const touch = (event) => {
    const sentence = event.target.closest(".sentence");
    if (!sentence) return;
    const number = groupOf[which][sentence.dataset.sentence];
    if (number < 0) return;
    const fresh = number !== here;
    open(number);
    // After opening, the element under the pointer is another one.
    const under = fresh ? document.elementFromPoint(event.clientX, event.clientY) : event.target;
    const word = under && under.closest ? under.closest(".word") : null;
    if (word) light(which, Number(word.dataset.word));
    else { unlight(); sayGroup(number); }
    cursor = word ? [which, Number(word.dataset.word)] : null;
  };
  pane.addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") touch(event); });
  pane.addEventListener("click", touch);
  for (const kind of ["pointerenter", "touchstart", "wheel", "focusin"]) {
    pane.addEventListener(kind, () => { driver = which; }, { passive: true });
  }
  pane.addEventListener("scroll", () => { if (driver === which) follow(which); }, { passive: true });
});

// Scrolling: the beginnings of groups are places that belong together; between them a straight line does.
let driver = 0, places = null, cursor = null;

function measured() {
  if (places) return places;
  const tops = panes.map((pane, which) => {
    const zero = pane.getBoundingClientRect().top - pane.scrollTop;
    return sentences[which].map((element) => element.getBoundingClientRect().top - zero);
  });
  places = [[0], [0]];
  for (const [a, b, c, d, , moved] of data.groups) {
    if (a === b || c === d || moved) continue;
    const x = tops[0][a], y = tops[1][c];
    if (x <= places[0].at(-1) || y <= places[1].at(-1)) continue;
    places[0].push(x);
    places[1].push(y);
  }
  panes.forEach((pane, which) => places[which].push(Math.max(pane.scrollHeight, places[which].at(-1) + 1)));
  return places;
}

function follow(which) {
  const [from, to] = which === 0 ? measured() : [...measured()].reverse();
  const pane = panes[which], other = panes[1 - which];
  const place = pane.scrollTop + LINE * pane.clientHeight;
  let low = 0, high = from.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (from[middle] <= place) low = middle; else high = middle;
  }
  const share = (place - from[low]) / (from[high] - from[low]);
  other.scrollTop = to[low] + share * (to[high] - to[low]) - LINE * other.clientHeight;
}

new ResizeObserver(() => { places = null; follow(driver); }).observe(panes[0]);

// Keys: sentences up and down, words left and right.
function goTo(number) {
  open(number);
  unlight();
  const first = membersOf(number, driver)[0] || membersOf(number, 1 - driver)[0];
  const which = first && panes[0].contains(first) ? 0 : 1;
  const pane = panes[which];
  pane.scrollTop += first.getBoundingClientRect().top - pane.getBoundingClientRect().top - LINE * pane.clientHeight;
  driver = which;
  follow(which);
  cursor = null;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "INPUT") return;
  const groups = data.groups.length;
  if (event.key === "ArrowDown") goTo(Math.min(groups - 1, here + 1));
  else if (event.key === "ArrowUp") goTo(Math.max(0, here - 1));
  else if (event.key === "Escape") close();
  else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && here >= 0) {
    const which = cursor ? cursor[0] : driver;
    const words = wordsOf(which).length;
    if (!words) return;
    const step = event.key === "ArrowRight" ? 1 : -1;
    const word = cursor ? (cursor[1] + step + words) % words : step > 0 ? 0 : words - 1;
    cursor = [which, word];
    light(which, word);
  } else return;
  event.preventDefault();
});

const doubtful = document.getElementById("doubtful");
const mark = () => panes.forEach((pane) => pane.classList.toggle("marks", doubtful.checked));
doubtful.addEventListener("change", mark);
phrases.addEventListener("change", () => { if (cursor) light(...cursor); });
document.getElementById("controls").addEventListener("submit", (event) => event.preventDefault());
mark();
