// Matrices as the library has them: single precision, row by row, so that every comparison comes out alike.

export class Matrix {
  constructor(height, width, values = new Float32Array(height * width)) {
    this.height = height;
    this.width = width;
    this.values = values;
  }

  // [[0.9, 0.1], [0.2, 0.7]] -> Matrix; a side without units has no rows or empty ones.
  static fromRows(rows, height, width) {
    const matrix = new Matrix(height, width);
    rows.forEach((row, i) => matrix.values.set(row, i * width));
    return matrix;
  }

  at(i, j) {
    return this.values[i * this.width + j];
  }
}

// The links of a matrix: 1 where two units are linked, in the matrix's own order.
export function noLinks(matrix) {
  return new Uint8Array(matrix.height * matrix.width);
}
