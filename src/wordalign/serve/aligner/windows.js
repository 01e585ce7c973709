// A sentence of any length -> windows that the model can read, which overlap so that every subword has neighbours.
//
//   subwords   0 1 2 3 4 5 6 7 8 9      room for 6, overlap of 2
//   window 0   0 1 2 3 4 5              gives 0 1 2 3 4
//   window 1           4 5 6 7 8 9      gives           5 6 7 8 9

const MOST_OVERLAP = 128;

// -> [{ start, end, from, to }]: the subwords that are read, and those of them whose vectors are kept.
export function windowsOf(length, room) {
  if (length <= room) return [{ start: 0, end: length, from: 0, to: length }];
  const overlap = Math.min(MOST_OVERLAP, Math.floor(room / 4));
  const half = Math.floor(overlap / 2);
  const windows = [];
  for (let start = 0; ; start += room - overlap) {
    const end = Math.min(start + room, length);
    const from = start === 0 ? 0 : start + overlap - half;
    windows.push({ start, end, from, to: end === length ? end : end - half });
    if (end === length) return windows;
  }
}
