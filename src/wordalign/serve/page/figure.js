// The drawing as a whole: one or two panels of rows, the map, and whatever the reader points at in all of them.

import { drawLegend } from "./legend.js";
import { measures } from "./gold.js";
import { endsOf, keyOf } from "./links.js";
import { SimilarityMap } from "./map.js";
import { disagreement, marksOf } from "./marks.js";
import { Rows } from "./rows.js";
import { pairText, percent, wordLabels, wordText } from "./speech.js";

const find = (name) => document.getElementById(name);

export class Figure {
  // tell: { toggle({ i, j }), say(text) }
  constructor(tell) {
    this.tell = tell;
    this.chosen = null;
    this.scene = null;
    const hover = (focus) => this.#point(focus);
    const choose = (place) => this.#choose(place);
    const leave = () => find("figure").focus({ preventScroll: true });
    const cancel = () => (this.chosen ? this.choose(null) : leave());
    this.first = new Rows(find("rows-a"), { hover, choose, cancel }, true);
    this.second = new Rows(find("rows-b"), { hover, choose, cancel }, false);
    const announce = (pair) => tell.say(plain(this.#about(pair)));
    this.map = new SimilarityMap(find("map"), { hover, announce, leave, toggle: tell.toggle });
  }

  // scene: { sentences, anchors, first, second | null, gold | null, edits, view, cells, curve, units, matrix,
  // titles }; first and second: { links, alignment }.
  draw(scene) {
    this.scene = scene;
    const { sentences, first, second, gold, edits, view } = scene;
    const { words: source } = sentences.source;
    const { words: target } = sentences.target;
    find("panels").hidden = view === "map";
    find("panels").classList.toggle("two", Boolean(second));
    find("panel-b").hidden = !second;
    const withMap = view === "map" || view === "both";
    find("map-panel").hidden = !withMap;
    find("cells").hidden = !gold;
    find("title-a").textContent = scene.titles[0];
    find("title-a").classList.toggle("unseen", !second);
    find("title-b").textContent = scene.titles[1] ?? "";
    this.marks = marksOf(first.links, { other: second?.links, gold, edits });
    for (const rows of [this.first, this.second]) rows.setColumns(view === "columns");
    this.first.setSentences(sentences, scene.anchors);
    this.first.setMarks(this.marks, wordLabels(source, target, first.links));
    const otherMarks = second ? marksOf(second.links, { other: first.links, gold }) : [];
    if (second) {
      this.second.setSentences(sentences, scene.anchors);
      this.second.setMarks(otherMarks);
    }
    this.mapData = this.#mapData();
    if (withMap) this.map.draw(this.mapData);
    const drawn = view === "map" ? [] : [...this.marks, ...otherMarks];
    drawLegend(find("legend"), drawn, Boolean(second) && withMap);
    this.#drawMeasures();
    this.#point(null);
    this.choose(null);
  }

  choose(place) {
    this.chosen = place;
    this.first.setChosen(place);
    this.#rest();
  }

  #choose(place) {
    const { chosen } = this;
    if (chosen && chosen.side !== place.side) {
      const [from, to] = place.side === "target" ? [chosen, place] : [place, chosen];
      this.choose(null);
      this.tell.toggle({ i: from.index, j: to.index });
    } else if (chosen?.index === place.index) this.choose(null);
    else {
      this.choose(place);
      this.tell.say(
        `${this.scene.sentences[place.side].words[place.index]} chosen. Now choose its counterpart.`,
      );
    }
  }

  // focus: { side, index }, { i, j } or null. Its counterparts light up in every view.
  #point(focus) {
    if (!this.scene) return;
    const lit = focus && this.#counterparts(focus);
    const pair = focus && "i" in focus ? focus : null;
    this.first.highlight(lit && withScores(lit, this.scene.first));
    if (this.scene.second) this.second.highlight(lit && withScores(lit, this.scene.second));
    if (!find("map-panel").hidden) this.map.highlight(lit, pair);
    if (focus) find("inspector").replaceChildren(...this.#about(focus));
    else this.#rest();
  }

  #counterparts(focus) {
    if ("i" in focus) {
      return {
        source: new Set([focus.i]),
        target: new Set([focus.j]),
        keys: (key) => key === keyOf(focus.i, focus.j),
      };
    }
    const lit = { source: new Set(), target: new Set() };
    lit[focus.side].add(focus.index);
    const at = focus.side === "source" ? 0 : 1;
    const other = focus.side === "source" ? "target" : "source";
    for (const { links } of [this.scene.first, this.scene.second].filter(Boolean)) {
      for (const key of links.keys()) {
        const ends = endsOf(key);
        if (ends[at] === focus.index) lit[other].add(ends[1 - at]);
      }
    }
    return { ...lit, keys: (key) => endsOf(key)[at] === focus.index };
  }

  #about(focus) {
    const { sentences, first, curve } = this.scene;
    const { words: source } = sentences.source;
    const { words: target } = sentences.target;
    if ("i" in focus) return pairText(source, target, focus, first.alignment, first.links, Boolean(curve));
    return wordText(source, target, focus, first.alignment, first.links);
  }

  // What stands under the drawing when nothing is pointed at.
  #rest() {
    const { scene, chosen } = this;
    if (!scene) return;
    const line = find("inspector");
    if (chosen) {
      line.textContent = "Now choose its counterpart, or press Escape.";
    } else if (scene.second) {
      const { shared, onlyOne, onlyOther } = disagreement(scene.first.links, scene.second.links);
      const counts = [`${onlyOne.length} only in the first`, `${onlyOther.length} only in the second`];
      line.textContent = `${shared} links in both, ${counts.join(", ")}.`;
    } else {
      const count = scene.first.links.size;
      line.textContent = `${count} ${count === 1 ? "link" : "links"}. Point at a word to see its scores.`;
    }
  }

  // Circles and boxes go on the units that were linked; a link made by hand goes on the pair's best cell.
  #mapData() {
    const { units, matrix, first, second, gold, cells } = this.scene;
    const data = { ...units, gold, cells };
    data.rowText = matrix.row_text.map((text, k) => unitLabel(text, units.rows, k));
    data.columnText = matrix.column_text.map((text, k) => unitLabel(text, units.columns, k));
    data.similarity = first.alignment.similarity;
    data.circles = cellsOf(first, units);
    // Another model may have other subwords; its links then go on the first one's cells.
    data.boxes = second && cellsOf(second, units);
    return data;
  }

  #drawMeasures() {
    const { gold, first, second, titles } = this.scene;
    find("measures").hidden = !gold;
    if (!gold) return;
    const rows = [first, second].filter(Boolean).map(({ links }, k) => {
      const row = document.createElement("tr");
      const name = document.createElement("th");
      name.scope = "row";
      name.textContent = titles[k];
      const { precision, recall, f1, aer } = measures(links, gold);
      const values = [precision, recall, f1, aer].map((value) => {
        const cell = document.createElement("td");
        cell.textContent = value.toFixed(3);
        return cell;
      });
      row.append(name, ...values);
      return row;
    });
    find("measures").tBodies[0].replaceChildren(...rows);
  }
}

// Subwords without their tokenizer's signs: "▁ko", "chen" are shown as "ko", "-chen".
function unitLabel(text, words, k) {
  const inner = k > 0 && words[k] === words[k - 1];
  const bare = text.length > 1 ? text.replace(/^(▁|Ġ|##)(?=.)/u, "") : text;
  return inner ? `-${bare}` : bare;
}

function withScores(lit, { links }) {
  const found = [...links].filter(([key]) => lit.keys(key));
  return { ...lit, links: new Map(found.map(([key, score]) => [key, percent(score)])) };
}

// The cells of the drawn matrix that stand for these links: the units that were linked, or else, for links by
// hand and for those of a model with other subwords, the best cell of the two words.
function cellsOf({ links, alignment }, { similarity, rows, columns }) {
  const { width, values } = similarity;
  const same = alignment.similarity.values.length === values.length;
  const cells = new Uint8Array(values.length);
  const wordsAt = (cell) => keyOf(rows[Math.floor(cell / width)], columns[cell % width]);
  const best = new Map([...links.keys()].map((key) => [key, -1]));
  cells.forEach((_, cell) => {
    const key = wordsAt(cell);
    if (!best.has(key)) return;
    if (same && alignment.marked[cell]) cells[cell] = 1;
    if (best.get(key) < 0 || values[cell] > values[best.get(key)]) best.set(key, cell);
  });
  const shown = new Set();
  cells.forEach((on, cell) => on && shown.add(wordsAt(cell)));
  for (const [key, cell] of best) if (!shown.has(key) && cell >= 0) cells[cell] = 1;
  return cells;
}

function plain(parts) {
  return parts.map((part) => part.textContent ?? part).join("");
}
