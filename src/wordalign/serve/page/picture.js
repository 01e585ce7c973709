// Pictures to take away: SVG that needs nothing else, and PNG made of it. Always on white, whatever the screen.

import { curve, strength, SVG, svgElement } from "./curves.js";
import { cellFill } from "./map.js";

const INK = "#22242b";
const PAPER = "#ffffff";
const STROKES = {
  only: "#b0480a",
  sure: "#1c6b3c",
  possible: "#74bd8c",
  wrong: "#b0480a",
  missed: "#5d616d",
};
const DASHES = { only: "7 5", wrong: "7 5", missed: "1 6" };
const ACCENT = "#4253c5";
const FONT = "Iowan Old Style, Palatino, Charter, Noto Serif, Georgia, serif";
const MARGIN = 16;

// geometry: what Rows.geometry() gives; marks: what it draws.
export function rowsPicture({ fontSize, sideways, words }, marks) {
  const box = new Map(words.map(({ side, index, box }) => [`${side}${index}`, box]));
  const left = Math.min(...words.map(({ box }) => box.x));
  const right = Math.max(...words.map(({ box }) => box.x + box.width));
  const top = Math.min(...words.map(({ box }) => box.y));
  const bottom = Math.max(...words.map(({ box }) => box.y + box.height));
  const svg = canvas(right - left, bottom - top, left, top);
  for (const { i, j, score, kind, sign } of marks) {
    const { path, middle } = curve(box.get(`source${i}`), box.get(`target${j}`), sideways);
    const looks = kind.find((name) => name in STROKES);
    const stroke = STROKES[looks] ?? ACCENT;
    const dash = DASHES[kind.find((name) => name in DASHES)];
    const line = { d: path, fill: "none", stroke, "stroke-linecap": "round", ...strength(score) };
    svg.append(svgElement("path", dash ? { ...line, "stroke-dasharray": dash } : line));
    if (sign) {
      const [x, y] = middle;
      svg.append(
        svgElement("circle", { cx: x, cy: y, r: 8, fill: PAPER, stroke, "stroke-width": 1.5 }),
        label(sign, x, y + 4, {
          "font-size": 12,
          "font-weight": 700,
          fill: stroke,
          "font-family": "sans-serif",
        }),
      );
    }
  }
  for (const { text, direction, box } of words) {
    svg.append(
      svgElement("rect", { x: box.x, y: box.y, width: box.width, height: box.height, fill: PAPER, rx: 6 }),
    );
    svg.append(
      label(text, box.x + box.width / 2, box.y + box.height * 0.67, { "font-size": fontSize, direction }),
    );
  }
  return svg;
}

// data: what SimilarityMap draws.
export function mapPicture(data, size = 30) {
  const { similarity, rowText, columnText, circles, boxes } = data;
  const { height, width, values } = similarity;
  const longest = (texts) =>
    Math.min(180, 12 + 9 * texts.reduce((most, text) => Math.max(most, [...text].length), 1));
  const left = longest(rowText);
  const top = longest(columnText);
  const svg = canvas(left + width * size, top + height * size);
  const colour = {
    empty: "#f5f6fc",
    shade: (share) => mix([66, 83, 197], 0.05 + 0.85 * share),
    sure: STROKES.sure,
    possible: STROKES.possible,
  };
  const fill = cellFill(data, colour);
  const text = { "font-size": 16, "text-anchor": "end" };
  rowText.forEach((word, i) => svg.append(label(word, left - 8, top + (i + 0.5) * size + 5, text)));
  columnText.forEach((word, j) => {
    const [x, y] = [left + (j + 0.5) * size + 5, top - 8];
    svg.append(label(word, x, y, { ...text, "text-anchor": "start", transform: `rotate(-90 ${x} ${y})` }));
  });
  for (let cell = 0; cell < values.length; cell++) {
    const [x, y] = [left + (cell % width) * size, top + Math.floor(cell / width) * size];
    svg.append(svgElement("rect", { x, y, width: size - 1, height: size - 1, fill: fill(cell) }));
    for (const [stroke, thickness] of [
      [PAPER, 4.5],
      [INK, 2],
    ]) {
      const line = { fill: "none", stroke, "stroke-width": thickness };
      if (circles[cell])
        svg.append(svgElement("circle", { cx: x + size / 2, cy: y + size / 2, r: size * 0.24, ...line }));
      if (boxes?.[cell]) {
        svg.append(
          svgElement("rect", {
            x: x + size * 0.13,
            y: y + size * 0.13,
            width: size * 0.74,
            height: size * 0.74,
            ...line,
          }),
        );
      }
    }
  }
  return svg;
}

export function svgText(svg) {
  return new XMLSerializer().serializeToString(svg);
}

export async function pngBlob(svg, scale = 2) {
  const address = URL.createObjectURL(new Blob([svgText(svg)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const target = document.createElement("canvas");
    target.width = Number(svg.getAttribute("width")) * scale;
    target.height = Number(svg.getAttribute("height")) * scale;
    target.getContext("2d").drawImage(image, 0, 0, target.width, target.height);
    return await new Promise((done) => target.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

function canvas(width, height, left = 0, top = 0) {
  const [x, y] = [Math.floor(left - MARGIN), Math.floor(top - MARGIN)];
  const [full, tall] = [Math.ceil(width + 2 * MARGIN), Math.ceil(height + 2 * MARGIN)];
  const svg = svgElement("svg", {
    xmlns: SVG,
    width: full,
    height: tall,
    viewBox: `${x} ${y} ${full} ${tall}`,
  });
  svg.append(svgElement("rect", { x, y, width: full, height: tall, fill: PAPER }));
  return svg;
}

function label(text, x, y, attributes) {
  const middle = { x, y, fill: INK, "font-family": FONT, "text-anchor": "middle" };
  return svgElement("text", { ...middle, ...attributes }, drawable(text));
}

// Some control characters cannot stand in XML at all.
function drawable(text) {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd").toWellFormed();
}

function mix(colour, share) {
  return `rgb(${colour.map((part) => Math.round(255 + (part - 255) * share)).join(",")})`;
}
