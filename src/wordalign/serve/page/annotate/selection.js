// The words that are chosen for a link: { source: Set, target: Set }. Pure functions; each gives
// { selection, linked }, where `linked` is { source, target } when both sides are complete, else null.

export const NOTHING = Object.freeze({ source: new Set(), target: new Set() });

const across = (side) => (side === "source" ? "target" : "source");

// A click on a word, or Enter: it is chosen, or it completes a link with what is chosen on the other side.
export function clicked(selection, side, index) {
  const other = selection[across(side)];
  if (other.size) {
    const own = selection[side].has(index) ? selection[side] : new Set([index]);
    return { selection: NOTHING, linked: sides(side, own, other) };
  }
  const again = selection[side].size === 1 && selection[side].has(index);
  return { selection: again ? NOTHING : sides(side, new Set([index]), new Set()), linked: null };
}

// A stretch of words was dragged over: it is chosen, or it completes a link.
export function dragged(selection, side, from, to) {
  const own = stretch(from, to);
  const other = selection[across(side)];
  if (other.size) return { selection: NOTHING, linked: sides(side, own, other) };
  return { selection: sides(side, own, new Set()), linked: null };
}

// Shift and an arrow key: the stretch of this side reaches from where it began to the word at hand.
export function stretched(selection, side, from, to) {
  return { ...selection, [side]: stretch(from, to) };
}

// While several words are collected one by one, on both sides.
export function collected(selection, side, index) {
  const own = new Set(selection[side]);
  if (!own.delete(index)) own.add(index);
  return { ...selection, [side]: own };
}

export function isEmpty({ source, target }) {
  return !source.size && !target.size;
}

function sides(side, own, other) {
  return side === "source" ? { source: own, target: other } : { source: other, target: own };
}

function stretch(from, to) {
  const [low, high] = from < to ? [from, to] : [to, from];
  return new Set(Array.from({ length: high - low + 1 }, (_, k) => low + k));
}
