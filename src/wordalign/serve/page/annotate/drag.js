// Dragging over words with a mouse or a pen. Fingers scroll the page; they collect words with ‘Several words’.

// tell: { over(side, from, to) while dragging, end(side, from, to) }; a drag that stays on its word is a click.
export function bindDrag(root, tell) {
  let from = null;
  let last = null;
  const wordAt = (event) => {
    const { side, index } = event.target.closest?.(".word")?.dataset ?? {};
    return side ? { side, index: Number(index) } : null;
  };
  root.addEventListener("pointerdown", (event) => {
    from = last = event.pointerType === "touch" || event.button ? null : wordAt(event);
  });
  root.addEventListener("pointerover", (event) => {
    const word = from && wordAt(event);
    if (!word || word.side !== from.side || !(event.buttons & 1)) return;
    last = word;
    tell.over(from.side, from.index, word.index);
  });
  window.addEventListener("pointerup", () => {
    if (from && last.index !== from.index) tell.end(from.side, from.index, last.index);
    from = null;
  });
  // Text would be marked otherwise, and buttons dragged along.
  root.addEventListener("dragstart", (event) => event.preventDefault());
}
