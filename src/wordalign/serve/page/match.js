// Match: the one-to-one alignment with the largest total similarity.
//
//   0.9 0.8        0 1
//   0.7 0.1   ->   1 0      0.8 + 0.7 beats 0.9 + 0.1
//
// The assignment problem, solved row by row with shortest augmenting paths in O(n^3), as described by
// D. F. Crouse, "On implementing 2D rectangular assignment algorithms" (2016). The library leaves it to
// scipy, which follows the same description; looking at the free columns from the last to the first, and
// preferring a free one among equals, breaks ties the same way. A cell of zero is no edge.

import { noLinks } from "./matrix.js";

export function match(similarity) {
  const links = noLinks(similarity);
  const [height, width] = extent(similarity);
  const tall = height > width;
  const cost = tall ? (i, j) => -similarity.at(j, i) : (i, j) => -similarity.at(i, j);
  assign(Math.min(height, width), Math.max(height, width), cost).forEach((j, i) => {
    const cell = tall ? j * similarity.width + i : i * similarity.width + j;
    if (similarity.values[cell] > 0) links[cell] = 1;
  });
  return links;
}

// The size that is left when the empty rows and columns at the end are cut, as the library cuts padding.
function extent({ height, width, values }) {
  let rows = 0;
  let columns = 0;
  for (let cell = 0; cell < height * width; cell++) {
    if (values[cell] > 0) {
      rows = Math.floor(cell / width) + 1;
      columns = Math.max(columns, (cell % width) + 1);
    }
  }
  return [rows, columns];
}

// The column of each row, with the smallest total cost; at least as many columns as rows.
function assign(rows, columns, cost) {
  const rowPrice = new Float64Array(rows);
  const columnPrice = new Float64Array(columns);
  const columnOf = new Int32Array(rows).fill(-1);
  const rowOf = new Int32Array(columns).fill(-1);
  for (let start = 0; start < rows; start++) {
    const { distance, cameFrom, seenRows, seenColumns, end, length } = shortestPath(start);
    rowPrice[start] += length;
    for (const i of seenRows) if (i !== start) rowPrice[i] += length - distance[columnOf[i]];
    for (const j of seenColumns) columnPrice[j] -= length - distance[j];
    // Along the path every row gives its column up and takes the one that was reached from it.
    for (let j = end, i = -1; i !== start;) {
      i = cameFrom[j];
      rowOf[j] = i;
      [columnOf[i], j] = [j, columnOf[i]];
    }
  }
  return columnOf;

  // From a row without a column to the nearest column without a row.
  function shortestPath(start) {
    const distance = new Float64Array(columns).fill(Infinity);
    const cameFrom = new Int32Array(columns).fill(-1);
    const open = Int32Array.from({ length: columns }, (_, k) => columns - 1 - k);
    const seenRows = [];
    const seenColumns = [];
    let length = 0;
    let i = start;
    for (let left = columns; ; left--) {
      seenRows.push(i);
      let nearest = 0;
      let lowest = Infinity;
      for (let k = 0; k < left; k++) {
        const j = open[k];
        const reached = length + cost(i, j) - rowPrice[i] - columnPrice[j];
        if (reached < distance[j]) {
          distance[j] = reached;
          cameFrom[j] = i;
        }
        if (distance[j] < lowest || (distance[j] === lowest && rowOf[j] === -1)) {
          lowest = distance[j];
          nearest = k;
        }
      }
      const j = open[nearest];
      length = lowest;
      seenColumns.push(j);
      open[nearest] = open[left - 1];
      if (rowOf[j] === -1) return { distance, cameFrom, seenRows, seenColumns, end: j, length };
      i = rowOf[j];
    }
  }
}
