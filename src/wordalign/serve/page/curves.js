// The shapes that are drawn: on the screen and in exported pictures alike.

export const SVG = "http://www.w3.org/2000/svg";

export function svgElement(name, attributes = {}, text = null) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  return element;
}

// From a source word to a target word below it; where the target stands in an earlier band, to the one above.
// `sideways` is for words in two columns. Boxes are { x, y, width, height }. -> { path, middle: [x, y] }
export function curve(from, to, sideways = false) {
  if (sideways) {
    const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2];
    const [x1, x2] = [from.x + from.width, to.x];
    const bend = (x2 - x1) * 0.5;
    return bow([x1, y1], [x1 + bend, y1], [x2 - bend, y2], [x2, y2]);
  }
  const upwards = to.y + to.height <= from.y;
  const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2];
  const [y1, y2] = upwards ? [from.y, to.y + to.height] : [from.y + from.height, to.y];
  const bend = (y2 - y1) * 0.55;
  return bow([x1, y1], [x1, y1 + bend], [x2, y2 - bend], [x2, y2]);
}

function bow(...points) {
  const [start, first, second, end] = points.map((point) => point.map(round));
  const middle = [round((start[0] + end[0]) / 2), round((start[1] + end[1]) / 2)];
  return { path: `M${start}C${first} ${second} ${end}`, middle };
}

// Strong links are thick and opaque.
export function strength(score) {
  return { "stroke-width": round(1.25 + 1.5 * score), opacity: round(0.4 + 0.6 * score) };
}

export function round(value) {
  return Math.round(value * 100) / 100;
}
