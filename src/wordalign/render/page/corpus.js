// Draws one page of pairs at a time from the data in the page; text only ever becomes text, never markup.
"use strict";

const PER_PAGE = 20;
const SVG = "http://www.w3.org/2000/svg";
const { pairs, labels, compared, judged } = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const state = { query: "", page: 1, differing: false, found: pairs.map((_, number) => number) };

// A pair is [source words, target words, links, scores, second links, sure, possible]; links are i, j, i, j …
const SOURCE = 0, TARGET = 1, LINKS = 2, SCORES = 3, SECOND = 4, SURE = 5, POSSIBLE = 6;

const fold = (text) => text.normalize("NFKC").toLowerCase();
let folded = null; // made at the first search

function foldedPairs() {
  folded ??= pairs.map((pair) => [fold(pair[SOURCE].join(" ")), fold(pair[TARGET].join(" "))]);
  return folded;
}

function couples(flat) {
  const found = [];
  for (let at = 0; at < (flat || []).length; at += 2) found.push([flat[at], flat[at + 1]]);
  return found;
}

const key = ([i, j]) => `${i}-${j}`;
const keys = (flat) => new Set(couples(flat).map(key));

function differs(pair) {
  const first = keys(pair[LINKS]);
  if (compared) {
    const second = keys(pair[SECOND]);
    if (first.size !== second.size || [...first].some((link) => !second.has(link))) return true;
  }
  if (!judged) return false;
  const sure = keys(pair[SURE]), possible = keys(pair[POSSIBLE]);
  return [...first].some((link) => !sure.has(link) && !possible.has(link)) || [...sure].some((link) => !first.has(link));
}

function search() {
  const query = fold(state.query.trim());
  const position = /^#(\d+)$/.exec(query);
  const linked = query.split(/\s*(?:->|→)\s*/);
  const texts = query ? foldedPairs() : null;
  const matches = (number) => {
    if (position) return number + 1 === Number(position[1]);
    const [source, target] = texts[number];
    if (linked.length !== 2) return source.includes(query) || target.includes(query);
    if (!source.includes(linked[0]) || !target.includes(linked[1])) return false;
    const pair = pairs[number];
    return couples(pair[LINKS]).some(([i, j]) =>
      fold(pair[SOURCE][i]).includes(linked[0]) && fold(pair[TARGET][j]).includes(linked[1]));
  };
  state.found = [];
  for (let number = 0; number < pairs.length; number++) {
    if ((!query || matches(number)) && (!state.differing || differs(pairs[number]))) state.found.push(number);
  }
}

function html(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function shape(name, className, attributes) {
  const made = document.createElementNS(SVG, name);
  made.setAttribute("class", className);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

// As the pictures of the library do: the first character with a direction decides.
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

function direction(words) {
  const letter = /\p{L}/u.exec(words.join(" "));
  return letter && RIGHT_TO_LEFT.test(letter[0]) ? "rtl" : "ltr";
}

function row(words, side) {
  const made = html("div", `row ${side}`);
  made.dir = direction(words);
  return made;
}

function boxes(words, linked, terms) {
  return words.map((word, number) => {
    const box = html("span", linked.has(number) ? "word" : "word alone", word);
    box.dataset.number = number;
    if (terms.some((term) => fold(word).includes(term))) box.classList.add("hit");
    return box;
  });
}

// A part of both sentences: words [begin, end) of the source, [start, stop) of the target.
function band(pair, words, [[begin, end], [start, stop]]) {
  const made = html("div", "band");
  const source = row(pair[SOURCE], "source"), target = row(pair[TARGET], "target");
  source.append(...words[SOURCE].slice(begin, end));
  target.append(...words[TARGET].slice(start, stop));
  made.append(source, shape("svg", "links", { "aria-hidden": "true" }), target);
  return made;
}

function terms() {
  const query = fold(state.query.trim());
  return /^#\d+$/.test(query) ? [] : query.split(/\s*(?:->|→)\s*|\s+/).filter(Boolean);
}

function article(number) {
  const pair = pairs[number];
  const made = html("article");
  const links = couples(pair[LINKS]).concat(couples(pair[SECOND]));
  const wanted = terms();
  const words = [SOURCE, TARGET].map((side) => boxes(pair[side], new Set(links.map((link) => link[side])), wanted));
  const drawing = html("div", "pair");
  drawing.append(band(pair, words, [[0, words[SOURCE].length], [0, words[TARGET].length]]));
  drawing.dataset.pair = number;
  const scroll = html("div", "scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", `Pair ${number + 1}`);
  const said = couples(pair[LINKS]).map(([i, j]) => `${pair[SOURCE][i]} – ${pair[TARGET][j]}`).join("; ");
  scroll.append(drawing, html("p", "said", said ? `Links: ${said}` : "No links"));
  made.append(html("h2", "", String(number + 1)), scroll);
  return { pair, words, drawing, scroll };
}

// As bands.py of the library cuts a long pair: few links lead from one band to another.
function cuts(links, widths, limit) {
  const [rows, columns] = widths.map((side) => side.length);
  const found = [];
  let [begin, start] = [0, 0];
  while (begin < rows || start < columns) {
    const fitting = [fit(widths[SOURCE], begin, limit), fit(widths[TARGET], start, limit)];
    let [end, stop] = [begin + fitting[0].length - 1, start + fitting[1].length - 1];
    if (end < rows || stop < columns) {
      const ahead = links.filter(([i, j]) => i >= begin && j >= start).map(([i, j]) => [i - begin, j - start]);
      const [height, width] = best(ahead, fitting, limit);
      [end, stop] = [begin + height, start + width];
    }
    found.push([[begin, end], [start, stop]]);
    [begin, start] = [end, stop];
  }
  return found.length ? found : [[[0, 0], [0, 0]]];
}

function fit(widths, begin, limit) {
  const totals = [0];
  for (let at = begin; at < widths.length; at++) {
    const total = totals.at(-1) + widths[at];
    if (totals.length > 1 && total > limit) break;
    totals.push(total);
  }
  return totals;
}

function best(links, [rows, columns], limit) {
  const enough = Math.min(0.6 * limit, Math.max(rows.at(-1), columns.at(-1)));
  let most = -Infinity, chosen = [rows.length - 1, columns.length - 1];
  for (let i = 0; i < rows.length; i++) {
    // How many links a band of i source and j target words cuts, from one j to the next.
    const change = new Array(columns.length + 1).fill(0);
    let cut = 0;
    for (const [source, target] of links) {
      if (source < i) cut += 1;
      if (target < columns.length - 1) change[target + 1] += source < i ? -1 : 1;
    }
    for (let j = 0; j < columns.length; j++) {
      cut += change[j];
      const gain = i + j - 3 * cut;
      if (i + j && Math.max(rows[i], columns[j]) >= enough && gain > most) [most, chosen] = [gain, [i, j]];
    }
  }
  return chosen;
}

function ends(part, points) {
  if (part === "first") return points.map(([x, y]) => shape("circle", "end first", { cx: x, cy: y, r: 2.6 }));
  if (part === "second") return points.map(([x, y]) => shape("rect", "end second", { x: x - 2.5, y: y - 2.5, width: 5, height: 5 }));
  return [];
}

function measure(part) {
  const [source, target] = part.querySelectorAll(".row");
  const centres = (side) => new Map([...side.children].map((box) => [Number(box.dataset.number), box.offsetLeft + box.offsetWidth / 2]));
  return { source: centres(source), target: centres(target), top: source.offsetTop + source.offsetHeight, bottom: target.offsetTop };
}

function drawLinks(pair, part, at) {
  const svg = part.querySelector("svg");
  const first = keys(pair[LINKS]), second = compared ? keys(pair[SECOND]) : first;
  const middle = (at.top + at.bottom) / 2;
  const elsewhere = new Map(); // "x y" of a word -> the words of other bands that it leads to
  const leave = (x, y, number) => elsewhere.set(`${x} ${y}`, [...(elsewhere.get(`${x} ${y}`) || []), number]);
  const add = ([i, j], style, opacity) => {
    const [x1, x2] = [at.source.get(i), at.target.get(j)];
    if (x1 === undefined && x2 === undefined) return;
    const group = shape("g", "link", { "data-i": i, "data-j": j, opacity });
    if (x1 === undefined) {
      group.append(shape("path", `${style} stub`, { d: `M${x2} ${at.bottom}v-16` }));
      leave(x2, at.bottom - 19, i);
    } else if (x2 === undefined) {
      group.append(shape("path", `${style} stub`, { d: `M${x1} ${at.top}v16` }));
      leave(x1, at.top + 26, j);
    } else {
      group.append(shape("path", style, { d: `M${x1} ${at.top}C${x1} ${middle} ${x2} ${middle} ${x2} ${at.bottom}` }));
      group.append(...ends(style, [[x1, at.top], [x2, at.bottom]]));
    }
    svg.append(group);
  };
  for (const link of couples(pair[POSSIBLE])) add(link, "possible", 1);
  for (const link of couples(pair[SURE])) add(link, "sure", 1);
  couples(pair[LINKS]).forEach((link, number) => {
    const score = pair[SCORES] ? pair[SCORES][number] / 100 : 1;
    add(link, second.has(key(link)) ? "common" : "first", 0.35 + 0.65 * score);
  });
  for (const link of couples(pair[SECOND])) if (!first.has(key(link))) add(link, "second", 1);
  for (const [place, numbers] of elsewhere) {
    const [x, y] = place.split(" ");
    const label = shape("text", "elsewhere", { x, y });
    label.textContent = [...new Set(numbers)].join(",");
    svg.append(label);
  }
}

// Positions are read for all pairs before anything is changed: the browser lays the page out three times.
function lay(articles) {
  const widths = articles.map(({ words }) => words.map((side) => side.map((box) => box.offsetWidth + 6)));
  const limits = articles.map(({ scroll }) => scroll.clientWidth + 6 - 4);
  articles.forEach(({ pair, words, drawing }, number) => {
    const links = couples(pair[LINKS]).concat(couples(pair[SECOND]), couples(pair[SURE]));
    const found = cuts(links, widths[number], limits[number]);
    if (found.length === 1) return;
    drawing.classList.add("cut");
    drawing.replaceChildren(...found.map((spans) => band(pair, words, spans)));
  });
  const parts = articles.flatMap(({ pair, drawing }) => [...drawing.children].map((part) => [pair, part]));
  const places = parts.map(([, part]) => measure(part));
  parts.forEach(([pair, part], number) => drawLinks(pair, part, places[number]));
}

function draw() {
  const last = Math.max(1, Math.ceil(state.found.length / PER_PAGE));
  state.page = Math.min(Math.max(1, state.page), last);
  const shown = state.found.slice((state.page - 1) * PER_PAGE, state.page * PER_PAGE);
  const articles = shown.map(article);
  $("pairs").replaceChildren(...(shown.length ? articles.map(({ scroll }) => scroll.parentElement) : [html("p", "nothing", "No pair is like that.")]));
  lay(articles);
  const [some, all] = [state.found.length, pairs.length].map((count) => count.toLocaleString("en"));
  $("count").textContent = some === all ? `${all} pairs` : `${some} of ${all} pairs`;
  $("page").value = state.page;
  $("page").max = last;
  $("last").textContent = last.toLocaleString("en");
  $("previous").disabled = state.page === 1;
  $("next").disabled = state.page === last;
  remember();
}

function remember() {
  const kept = new URLSearchParams();
  if (state.query) kept.set("q", state.query);
  if (state.differing) kept.set("differing", "1");
  if (state.page > 1) kept.set("page", state.page);
  const hash = kept.toString();
  if (hash !== location.hash.slice(1)) history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}

function recall() {
  const kept = new URLSearchParams(location.hash.slice(1));
  state.query = kept.get("q") || "";
  state.page = Number(kept.get("page")) || 1;
  state.differing = kept.get("differing") === "1";
  $("query").value = state.query;
  $("differing").checked = state.differing;
  search();
  draw();
}

function turn(step) {
  state.page += step;
  draw();
  scrollTo(0, 0);
}

function light(box) {
  for (const lit of document.querySelectorAll(".lit, .lit-link, .dim")) lit.classList.remove("lit", "lit-link", "dim");
  if (!box) return;
  const drawing = box.closest(".pair");
  const source = drawing.querySelectorAll(".source .word"), target = drawing.querySelectorAll(".target .word");
  const side = box.parentElement.classList.contains("source") ? "i" : "j";
  box.classList.add("lit");
  for (const link of drawing.querySelectorAll(".link")) {
    const mine = link.dataset[side] === box.dataset.number;
    link.classList.add(mine ? "lit-link" : "dim");
    if (mine) (side === "i" ? target[link.dataset.j] : source[link.dataset.i]).classList.add("lit");
  }
}

function sample(part) {
  const svg = shape("svg", "", { "aria-hidden": "true", viewBox: "0 0 30 10" });
  svg.append(shape("path", part, { d: "M0 5h30" }), ...ends(part, [[27, 5]]));
  return svg;
}

function legend() {
  const entries = [];
  if (compared) entries.push(["common", "both"], ["first", `${labels[0]} only`], ["second", `${labels[1]} only`]);
  if (judged) entries.push(["sure", "sure"], ["possible", "possible"]);
  $("legend").hidden = !entries.length;
  for (const [part, text] of entries) {
    const item = html("li");
    item.append(sample(part), text);
    $("legend").append(item);
  }
  $("differing-label").hidden = !entries.length;
}

$("controls").addEventListener("submit", (event) => event.preventDefault());
$("query").addEventListener("input", () => { state.query = $("query").value; state.page = 1; search(); draw(); });
$("differing").addEventListener("change", () => { state.differing = $("differing").checked; state.page = 1; search(); draw(); });
$("page").addEventListener("change", () => { state.page = Number($("page").value) || 1; turn(0); });
$("previous").addEventListener("click", () => turn(-1));
$("next").addEventListener("click", () => turn(1));
$("pairs").addEventListener("pointerover", (event) => light(event.target.closest(".word")));
$("pairs").addEventListener("pointerleave", () => light(null));
addEventListener("hashchange", recall);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|BUTTON)$/.test(event.target.tagName)) return;
  if (event.key === "/") { $("query").focus(); event.preventDefault(); }
  const scrolling = event.target.closest?.(".scroll");
  if (scrolling && scrolling.scrollWidth > scrolling.clientWidth) return; // the arrows scroll a very long word
  if (event.key === "ArrowLeft") turn(-1);
  if (event.key === "ArrowRight") turn(1);
});
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return; // a phone's keyboard
  width = innerWidth;
  draw();
});
legend();
recall();
(window.requestIdleCallback || setTimeout)(foldedPairs); // so that the first search need not wait
